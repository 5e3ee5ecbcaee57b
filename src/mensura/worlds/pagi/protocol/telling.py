"""What a seat is told: answers and notifications as lines of its generation."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from mensura.worlds.pagi.protocol.limits import LONGEST_ANSWERS

Generation: TypeAlias = Literal["comma", "json"]

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def plain(value: float) -> str:
    """A number as lines have it: seven digits, as those of the original."""
    text = f"{value:.7g}"
    return "0" if text == "-0" else text


class Telling:
    """Lines for a seat, until they are taken; bounded."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._size = 0
        self._full = False

    def add(
        self,
        generation: Generation,
        *fields: str,
        kind: str = "update",
        data: Mapping[str, Any] | None = None,
        bare: bool = False,
    ) -> None:
        """Tell the fields with commas between them, or as JSON the data, or an object of a kind with those fields.

        ``bare`` lines are the same in both generations.
        """
        text = _UNSAFE.sub(" ", ",".join(fields))
        if generation == "json" and not bare:
            shown = {"type": kind, "content": text} if data is None else data
            text = json.dumps(shown, separators=(",", ":"))
        if self._size + len(text) >= LONGEST_ANSWERS - 200:
            if not self._full:
                self._full = True
                self._append(_too_much(generation))
            return
        self._append(text)

    def _append(self, line: str) -> None:
        self.lines.append(line)
        self._size += len(line) + 1

    def take(self) -> str:
        """All lines since the last time."""
        text = "".join([f"{line}\n" for line in self.lines])
        self.restore([])
        return text

    def restore(self, lines: list[str]) -> None:
        """Have these lines and no others."""
        self.lines = lines
        self._size = sum(len(line) + 1 for line in lines)
        self._full = False


def _too_much(generation: Generation) -> str:
    text = f"ERR: the answers of this frame have over {LONGEST_ANSWERS} characters; the rest is left out"
    return text if generation == "comma" else json.dumps({"type": "errorMsg", "content": text})
