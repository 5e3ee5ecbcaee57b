"""All laws. A further one is a module with a `Law`, and its address here."""

from __future__ import annotations

from importlib import import_module

from tests.audit.law import Law

LAWS = (
    "tests.audit.wrappers:LAW",
    "tests.audit.streams:LAW",
    "tests.audit.marked_tests:LAW",
    "tests.audit.strangers:LAW",
)


def load(address: str) -> Law:
    """The law of an address, as `tests.audit.wrappers:LAW`."""
    module, _, name = address.partition(":")
    law = getattr(import_module(module), name)
    if not isinstance(law, Law):
        raise TypeError(f"{address} is no law")
    return law


def all_laws() -> list[Law]:
    return [load(address) for address in LAWS]
