"""What a subject printed: the beginning and the end are kept, enough to see what went wrong, however much it is."""

from __future__ import annotations

FIRST = 1000
"""So many bytes of the beginning are kept."""

LAST = 1000
"""So many bytes of the end are kept."""


class Printed:
    """Bytes as they come, of which the first and the last are kept."""

    def __init__(self) -> None:
        self._first = b""
        self._last = b""
        self._size = 0

    def add(self, chunk: bytes) -> None:
        """More was printed."""
        self._size += len(chunk)
        room = FIRST - len(self._first)
        if room > 0:
            self._first += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._last = (self._last + chunk[-LAST:])[-LAST:]

    def text(self) -> str:
        """What was kept, with how much was left out; lines are whole where there is a gap, unless they are long."""
        first, last = self._first, self._last
        left_out = self._size - len(first) - len(last)
        if left_out > 0:
            whole, newline, rest = first.rpartition(b"\n")
            if newline:
                first, left_out = whole, left_out + len(rest)
            rest, newline, whole = last.partition(b"\n")
            if newline:
                last, left_out = whole, left_out + len(rest)
            first += b"\n[... %d bytes left out ...]\n" % left_out
        return (first + last).decode(errors="replace").strip("\n")


def joined(texts: list[str]) -> str:
    """What was printed by several, or at several times, as one text of the same bounds."""
    said = [text for text in texts if text]
    if len(said) < 2:
        return said[0] if said else ""
    whole = Printed()
    whole.add("\n".join(said).encode(errors="replace"))
    return whole.text()
