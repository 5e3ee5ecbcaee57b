"""Who is told that a door is about to be compiled: apart from `compiled`, so that who listens does not import Numba."""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[str], None]

_listener: Listener | None = None


def on_compile(listener: Listener | None) -> Listener | None:
    """Call `listener(name)` whenever a door is about to be compiled; returns the one before."""
    global _listener
    previous, _listener = _listener, listener
    return previous


def tell(name: str) -> None:
    """A door of this name is about to be compiled."""
    if _listener is not None:
        _listener(name)
