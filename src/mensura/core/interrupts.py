"""A polite end that is not lost: whoever did not notice that it was asked for is asked again.

A signal raises KeyboardInterrupt wherever the main thread happens to be. Where that is a finalizer or what a weak
reference calls, Python prints the exception and forgets it, and work would go on as if nobody had asked.
"""

from __future__ import annotations

import signal
from typing import Any, NoReturn

AGAIN = 5.0
"""After so many seconds it is asked again."""

_asked = False


def interrupt(number: int, frame: Any) -> NoReturn:
    """As a handler of a signal: raise KeyboardInterrupt, and once more after a while, until somebody noticed."""
    global _asked
    if hasattr(signal, "setitimer"):
        _asked = True
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
    raise KeyboardInterrupt


def noticed() -> None:
    """Whoever handles the interrupt says so first, and is not disturbed again."""
    global _asked
    if _asked:
        _asked = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
