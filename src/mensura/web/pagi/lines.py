"""What was said between a client and the world, for those who watch."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

MOST_LINES = 1000
"""So many lines of what was said are kept for those who look later."""
LONGEST_SHOWN = 500
"""Characters of a line that are shown."""


class Line(NamedTuple):
    """Something that was said."""

    number: int
    seat: int
    way: str
    """in (by a client), out (to it), own (typed on the page), console, note."""
    text: str


class Lines:
    """The last lines, numbered from 1."""

    def __init__(self) -> None:
        self._lines: deque[Line] = deque(maxlen=MOST_LINES)
        self.said = 0
        """How many there were."""

    def add(self, seat: int, way: str, text: str) -> None:
        """Keep a line."""
        self.said += 1
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
        self._lines.append(Line(self.said, seat, way, shown))

    def __iter__(self) -> Iterator[Line]:
        """From the oldest on."""
        return iter(self._lines)

    def since(self, number: int) -> list[dict[str, Any]]:
        """Those after a line."""
        return [one._asdict() for one in self._lines if one.number > number]
