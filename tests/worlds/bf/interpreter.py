"""The machine of BF once more, in plain Python and another way: programs become nested lists, the tape a dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mensura.agent import keys


class Over(Exception):
    """The interaction is over."""


def parse(program: str) -> list[Any]:
    """A program as instructions and, for loops, lists of them."""

    def block(letters: Iterator[str]) -> list[Any]:
        found: list[Any] = []
        for letter in letters:
            if letter == "]":
                return found
            found.append(block(letters) if letter == "[" else letter)
        return found

    return block(iter(program))


class Machine:
    """One program and all that it remembers."""

    def __init__(self, program: str, symbols: int, cells: int, limit: int, key: int) -> None:
        self.code = parse(program)
        self.symbols, self.middle, self.limit, self.key = symbols, (symbols - 1) // 2, limit, key
        self.tape: dict[int, int] = {}
        self.place = 0
        self.inputs = [self.middle] * 25
        self.outputs = [self.middle] * (1 + cells)
        self.time = 0

    def act(self, action: int) -> tuple[list[int], int]:
        """What is written, and the steps that it took."""
        self.inputs = [action, *self.inputs][:25]
        self.unread = self.inputs[:24]
        self.written = self.steps = self.chances = 0
        try:
            self.run(self.code)
        except Over:
            pass
        self.time += 1
        return self.outputs, self.steps

    def step(self) -> None:
        if self.steps == self.limit or self.written == len(self.outputs):
            raise Over
        self.steps += 1

    @property
    def cell(self) -> int:
        return self.tape.get(self.place, self.middle)

    def run(self, block: list[Any]) -> None:
        for one in block:
            self.step()
            if isinstance(one, list):
                while self.cell != self.middle:
                    self.run(one)
                    self.step()  # the closing bracket
                continue
            self.do(one)

    def do(self, letter: str) -> None:
        if letter in "<>":
            self.place = (self.place + (1 if letter == ">" else -1)) % 100_000
        elif letter in "+-":
            self.tape[self.place] = (self.cell + (1 if letter == "+" else -1)) % self.symbols
        elif letter == ",":
            self.tape[self.place] = self.unread.pop(0) if self.unread else self.middle
        elif letter == ".":
            self.outputs[self.written] = self.cell
            self.written += 1
        elif letter == "%":
            number = self.time * self.limit + self.chances
            drawn = keys.choice(self.key, number, 0, self.symbols)
            self.tape[self.place] = (drawn + self.middle) % self.symbols
            self.chances += 1
        else:
            raise Over
