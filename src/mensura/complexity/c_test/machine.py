"""The abstract machine of the C-test: three registers over a circular alphabet, and ten instructions without operands.

SUCC and PRED (+ and -) move A up and down, WRITE (W) writes A; A<-B, B<-A, A<-C and C<-A copy; LOOPTOP, LOOPS and LOOPM
decrement C and, if it is not a then, jump to the top, 4 back, or 7 back. What the publications leave open is read as
follows: all registers start at a, distances count from the loop instruction and stop at the top, the end halts, and
each executed instruction is a step.

A version that is like a Turing machine in that it reads what it wrote is named in the publications and not described
in those that we have. With ``reads`` there is an eleventh instruction, A<-O, which takes the last letter that was
written into A (before the first, the one that registers start with): the least that reading can be. A version on a
plane, which turns by 45 degrees, is named without more, so there is none here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mensura.complexity.c_test.instructions import LETTERS, READ, WRITE, letters_text
from mensura.complexity.c_test.kernels.machine import run_door

STEPS = 90
"""How long a program may take for what is shown of a series and the next letter, unless told otherwise."""


@dataclass(frozen=True)
class Machine:
    """The machine, with what another reading of it would change."""

    start: str = "a"
    """The letter that all registers start with."""
    short: int = 4
    """How far LOOPS jumps back."""
    medium: int = 7
    """How far LOOPM jumps back."""
    reads: bool = False
    """Whether it has an instruction that reads what it wrote."""

    def __post_init__(self) -> None:
        """Raise if a parameter is none."""
        if len(self.start) != 1 or self.start not in LETTERS:
            raise ValueError(f"registers start with a letter from a to z, not with {self.start!r}.")
        for name, distance in (("short", self.short), ("medium", self.medium)):
            if distance < 1:
                raise ValueError(f"{name} is a distance from 1 on, not {distance}.")

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """The machine for kernels."""
        instructions = READ + 1 if self.reads else READ
        return np.array(
            [LETTERS.index(self.start), self.short, self.medium, instructions], np.int64
        )


def read_machine(text: str) -> Machine:
    """A machine from its parameters as text.

    >>> read_machine("start=y,short=1")
    Machine(start='y', short=1, medium=7, reads=False)
    """
    parameters: dict[str, str | int] = {}
    for part in filter(None, text.replace(" ", "").split(",")):
        name, _, value = part.partition("=")
        if name == "start":
            parameters[name] = value
        elif name in ("short", "medium") and value.isdecimal():
            parameters[name] = int(value)
        elif part == "reads":
            parameters[name] = True
        else:
            raise ValueError(
                f"{part!r} says nothing about the machine: it has start=LETTER, short=DISTANCE, medium=DISTANCE and "
                "reads."
            )
    return Machine(**parameters)  # type: ignore[arg-type]


PLAIN = Machine()


@dataclass(frozen=True)
class Run:
    """What a program wrote, letter by letter."""

    letters: tuple[int, ...]
    """The letters' numbers, a is 0."""
    times: tuple[int, ...]
    """The step at which each letter was written, counted from 1."""
    places: tuple[int, ...]
    """Which instruction wrote it, counted from 0."""

    @property
    def text(self) -> str:
        """The letters, with spaces between them."""
        return letters_text(self.letters)


def run(
    program: Sequence[int], steps: int = STEPS, letters: int | None = None, machine: Machine = PLAIN
) -> Run:
    """Run a program until it halts, has done so many steps, or has written so many letters.

    >>> from mensura.complexity.c_test.instructions import read_program
    >>> run(read_program("W + LOOPTOP"), steps=10).text
    'a b c d'
    """
    size = steps if letters is None else min(letters, steps)
    written = np.zeros((3, size), np.int64)
    code = np.array(program, np.int64)
    count = int(run_door(code, machine.row, steps, written[0], written[1], written[2]))
    rows = [tuple(int(value) for value in row[:count]) for row in written]
    return Run(rows[0], rows[1], rows[2])


SCALE_LETTER = 6
"""Whose step gives k: the sixth letter's."""

LONGEST_RUN = 1000
"""Steps in which the letters after the shown ones have to come, where a program is followed beyond them."""


def scale_value(program: Sequence[int], machine: Machine = PLAIN) -> int | None:
    """The published scale: k = |p| + floor(log2 t6), t6 being the steps until the sixth letter; None if there is none.

    That rule was chosen among several with the published values in sight.

    >>> from mensura.complexity.c_test.instructions import read_program
    >>> scale_value(read_program("W + LOOPTOP"))
    7
    """
    times = run(program, LONGEST_RUN, SCALE_LETTER, machine).times
    return len(program) + times[-1].bit_length() - 1 if len(times) == SCALE_LETTER else None


def least_shown(program: Sequence[int], most: int, machine: Machine = PLAIN) -> int | None:
    """How many letters have to be shown until each WRITE has run twice; None if that takes more than `most`."""
    counts = {place: 0 for place, instruction in enumerate(program) if instruction == WRITE}
    for shown, place in enumerate(run(program, LONGEST_RUN, most, machine).places, 1):
        counts[place] += 1
        if min(counts.values()) >= 2:
            return shown
    return None
