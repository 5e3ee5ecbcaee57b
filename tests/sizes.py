"""How many examples a property is tried on: fewer in `make test`, all in `make test-all`."""

from __future__ import annotations

_at_full_size = False


def set_full_size(full_size: bool) -> None:
    """Called once, before the modules of tests are imported."""
    global _at_full_size
    _at_full_size = full_size


def at_full_size() -> bool:
    """For what is not a fixture; tests ask for `full_size`."""
    return _at_full_size


def examples(few: int, all_of_them: int) -> int:
    """The number that fits the size of this run: `@settings(max_examples=examples(30, 100))`."""
    return all_of_them if _at_full_size else few
