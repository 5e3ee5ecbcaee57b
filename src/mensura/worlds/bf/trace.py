"""The last interaction of a BF environment once more, instruction by instruction, for whoever looks into it.

Plain Python, by the same rules as :mod:`~mensura.worlds.bf.kernels.machine`; tests hold both against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mensura.agent import keys
from mensura.worlds.bf.kernels import machine

if TYPE_CHECKING:
    from mensura.worlds.bf.environment import BFEnvironment

MOST = 10_000
"""So many instructions of an interaction are kept; a program may run for longer."""


@dataclass(frozen=True)
class Step:
    """One instruction, as it was run."""

    at: int
    """Its place in the program, from 0."""
    pointer: int
    """The place of the pointer on the work tape, after it: as seen from where it was when the episode began."""
    symbol: int
    """What is on the cell there, after it."""
    read: int | None = None
    """The symbol that came from the input tape."""
    written: int | None = None
    """The symbol that went to the output tape."""


@dataclass(frozen=True)
class Moment:
    """What the machine remembers between two interactions."""

    time: int
    pointer: int
    tape: bytes

    @classmethod
    def of(cls, environment: BFEnvironment) -> Moment:
        """As it is now."""
        return cls(environment.iteration, environment.pointer, environment.cells)


def trace(before: Moment, environment: BFEnvironment) -> list[Step]:
    """What the program did from a moment to the next one, which the environment is at now."""
    d = environment.description
    n, middle, program = d.symbols, (d.symbols - 1) // 2, d.text
    tape = bytearray(before.tape)
    inputs = environment.actions()[: machine.READABLE]
    first_chance = before.time * d.limit
    partners = _partners(program)
    steps: list[Step] = []
    place, at, read, written, chances = before.pointer, 0, 0, 0, 0
    while len(steps) < min(d.limit, MOST) and written <= d.cells:
        letter, here = program[at], at
        came: int | None = None
        went: int | None = None
        at += 1
        if letter in "<>":
            place += 1 if letter == ">" else -1
            place = 0 if abs(place) == d.tape else place
        elif letter in "+-":
            tape[place % d.tape] = (tape[place % d.tape] + (1 if letter == "+" else -1)) % n
        elif letter == ",":
            came = inputs[read] if read < len(inputs) else middle
            read += 1
            tape[place % d.tape] = (came - middle) % n
        elif letter == ".":
            went = (tape[place % d.tape] + middle) % n
            written += 1
        elif letter == "%":
            tape[place % d.tape] = keys.choice(environment.key, first_chance + chances, 0, n)
            chances += 1
        elif (letter == "[" and tape[place % d.tape] == 0) or (
            letter == "]" and tape[place % d.tape] != 0
        ):
            at = partners[here] + 1
        symbol = (tape[place % d.tape] + middle) % n
        steps.append(Step(here, place, symbol, came, went))
        if letter == "#":
            break
    return steps


def _partners(program: str) -> dict[int, int]:
    found: dict[int, int] = {}
    opened: list[int] = []
    for place, letter in enumerate(program):
        if letter == "[":
            opened.append(place)
        elif letter == "]":
            found[place] = opened.pop()
            found[found[place]] = place
    return found
