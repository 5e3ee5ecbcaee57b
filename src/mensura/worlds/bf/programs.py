"""Programs as people write them, and as the machine reads them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.worlds.bf.kernels import drawing, machine

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""How symbols are written; so many there can be."""

TRIES = 100_000
"""So many programs are drawn before a wanted length counts as out of reach."""

Numbers = npt.NDArray[np.int64]

_CODES = {letter: code for code, letter in enumerate(machine.LETTERS)}
_MANNERS = {"once": drawing.ONCE, "repeated": drawing.REPEATED, "never": drawing.NEVER}


def encode(program: str) -> Numbers:
    """The instructions of a program; a sentence with the place where it is none."""
    if not program:
        raise MensuraError("The program is empty; the shortest one is #.")
    if len(program) > drawing.LONGEST:
        raise MensuraError(
            f"The program has {len(program):,} instructions; it may have {drawing.LONGEST:,}."
        )
    for place, letter in enumerate(program, 1):
        if letter not in _CODES:
            raise MensuraError(
                f"Instruction {place} of the program is {letter!r}; it must be one of {machine.LETTERS} only."
            )
    end = program.find("#")
    if end != len(program) - 1:
        where = "has none" if end < 0 else f"has one at instruction {end + 1}"
        raise MensuraError(f"A program ends with # and has no other; this one {where}.")
    codes = np.array([_CODES[letter] for letter in program], np.int64)
    jumps = np.zeros(len(codes), np.int64)
    lonely = machine.link_door(codes, len(codes), jumps)
    if lonely >= 0:
        raise MensuraError(
            f"Instruction {lonely + 1} of the program, {program[lonely]}, has no partner."
        )
    return codes


def linked(codes: Numbers) -> Numbers:
    """The program and where the partner of each bracket is, as a row has them."""
    jumps = np.zeros(len(codes), np.int64)
    machine.link_door(codes, len(codes), jumps)
    return np.concatenate([codes, jumps])


def decode(codes: Numbers) -> str:
    """The program that instructions stand for."""
    return "".join(machine.LETTERS[code] for code in codes.tolist())


class Sampler(NamedTuple):
    """What programs are drawn for."""

    symbols: int
    cells: int
    tape: int
    limit: int
    cleaning: str
    dropping: bool

    @property
    def settings(self) -> tuple[int, ...]:
        """As the doors take them."""
        return (
            self.symbols,
            self.cells,
            self.tape,
            self.limit,
            _MANNERS[self.cleaning],
            int(self.dropping),
            TRIES,
        )


class Drawn(NamedTuple):
    """A program that was kept."""

    program: str
    stratum: int
    dropped: tuple[int, ...]
    """How many came before it and were dropped: never read, never wrote, reached the limit, passive, too long."""


def draw_program(sampler: Sampler, key: Key, low: float, high: float) -> Drawn | None:
    """Draw programs until one is kept that has so many instructions; None where there is none."""
    codes = np.zeros(drawing.LONGEST, np.int64)
    length, counts, _ = _drawn(sampler, key, (float(low), float(high)), 0, codes)
    if length == 0:
        return None
    return Drawn(decode(codes[:length]), int(counts[0]), tuple(counts[1:].tolist()))


class Tried(NamedTuple):
    """What a program did with random actions, the same for all programs."""

    stratum: int
    """By its length where the trial would have dropped it."""
    steps: float
    """At an interaction, on average."""


@lru_cache(maxsize=65536)
def tried(sampler: Sampler, program: str) -> Tried:
    """Try a program."""
    codes = encode(program)
    _, counts, steps = _drawn(sampler, 0, (0.0, 0.0), len(codes), codes)
    return Tried(int(counts[0]), float(steps[0]))


def _drawn(
    sampler: Sampler, key: Key, within: tuple[float, float], given: int, codes: Numbers
) -> tuple[int, Numbers, npt.NDArray[np.float64]]:
    counts, steps = np.zeros(drawing.REASONS + 1, np.int64), np.zeros(1)
    rewards = np.zeros((drawing.RUNS, drawing.TRIAL), np.int64)
    holds = np.zeros(drawing.RELATIONS, np.int64)
    length = drawing.draw_door(
        np.uint64(key),
        sampler.settings,
        *within,
        given,
        _row(sampler),
        codes,
        rewards,
        holds,
        counts,
        steps,
    )
    return int(length), counts, steps


def _row(sampler: Sampler) -> Numbers:
    """Room for any program; what is not touched of it costs nothing."""
    head = [0] * machine.HEAD
    head[machine.CELLS] = sampler.cells
    head[machine.LENGTH] = drawing.LONGEST
    head[machine.TAPE] = sampler.tape
    return np.zeros(machine.row_size(head), np.int64)
