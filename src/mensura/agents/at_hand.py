"""Agents that are at hand as objects of this Python process, so that an address can name them.

Commands, studies and records know a subject by its address. A class of a notebook, or a function that makes agents, has
none that another process could follow; while it is lent here, ``mensura.agents.at_hand:NAME`` is its address in this
process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any

from mensura.agent.errors import MensuraError

_lent: dict[str, Callable[[], Any]] = {}
_lock = Lock()


@contextmanager
def lend(factories: Mapping[str, Callable[[], Any]]) -> Iterator[None]:
    """Let names stand for what makes agents, within the block. Two at once cannot have one name."""
    with _lock:
        for name, factory in factories.items():
            if _lent.get(name, factory) is not factory:
                raise MensuraError(
                    f"Another {name} is being assessed in this process; wait for it, or give this one another label."
                )
        added = [name for name in factories if name not in _lent]
        _lent.update(factories)
    try:
        yield
    finally:
        with _lock:
            for name in added:
                del _lent[name]


def __getattr__(name: str) -> Callable[[], Any]:
    """What is lent under a name."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _lent:
        raise MensuraError(
            f"{name} was an object of the Python program that assessed it and cannot be made here: assess it from that "
            f"program, or put it into a file and name it file.py:{name}."
        )
    return _lent[name]
