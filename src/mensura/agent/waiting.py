"""Work that has to wait for somebody outside, without saying how to wait.

Such work is a generator: it yields a :class:`Wait` and is sent what came. :func:`finish` waits on the spot, one piece
of work at a time; an event loop goes on with whichever has something to go on with, thousands at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")


class Wait(NamedTuple):
    """What is waited for, and until when."""

    take: Callable[[float], list[Any]]
    """What came, as soon as something did; nothing at the time given, by ``perf_counter``. It may raise."""
    until: float
    watched: Callable[[], Sequence[tuple[int, int]]] | None = None
    """The descriptors to look at, each with a mask as ``select.poll`` takes it; None: one can only wait on the spot."""


Waiting: TypeAlias = Generator[Wait, list[Any], T]
"""Work under way: what it raises and returns is the work's."""


def finish(work: Waiting[T]) -> T:
    """Wait on the spot until the work is done."""
    try:
        wait = next(work)
        while True:
            try:
                came = wait.take(wait.until)
            except BaseException as error:
                wait = work.throw(error)
            else:
                wait = work.send(came)
    except StopIteration as stop:
        result: T = stop.value
        return result
