"""The cheapest programs that print a series, one for each letter that may come next, or stand in its blank.

Kt(x) is the least |p| + log2 t over the programs that print x, with |p| in instructions and t the steps until the last
shown letter (Levin's Kt). A program for a next letter is one that prints the series and then that letter; it is
charged for all its instructions, and for its steps until the last shown letter.

Programs are tried length by length, the shortest first. Each length is searched for programs that cost at most
`margin` more than the cheapest known, so that long programs, which must be quick then, take little time. The search
ends by itself at the length from which on no program can cost so little.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mensura.complexity.c_test.instructions import (
    LETTERS,
    Program,
    letters_text,
    program_text,
)
from mensura.complexity.c_test.kernels import search as kernel
from mensura.complexity.c_test.machine import LONGEST_RUN, PLAIN, STEPS, Machine, run, scale_value

LONGEST_SERIES = 26
LONGEST_PROGRAM = 16
"""No search goes further: it would take years."""

LENGTH = 10
"""How long programs may be unless told otherwise."""

MARGIN = 2
"""How much more than the cheapest program those for other letters may cost, to be looked for, unless told otherwise."""

WORK = 20_000_000
"""Steps between two looks at the clock: a fraction of a second."""

NO_LIMIT = 1 << 40


def read_series(text: str) -> tuple[int, ...]:
    """A series from its letters, with or without spaces, commas and dots between them; _ is a blank.

    >>> read_series("a _ c")
    (0, -1, 2)
    """
    letters = [sign for sign in text.lower() if not (sign.isspace() or sign in ",;.…")]
    for sign in letters:
        if sign not in LETTERS and sign != "_":
            raise ValueError(
                f"A series has letters from a to z and at most one blank (_), not {sign!r}."
            )
    return check_series(tuple(-1 if sign == "_" else LETTERS.index(sign) for sign in letters))


def check_series(series: tuple[int, ...]) -> tuple[int, ...]:
    """The series, if it is one."""
    if not any(letter >= 0 for letter in series):
        raise ValueError("The series is empty: give at least one letter, as in a b c d.")
    if len(series) > LONGEST_SERIES:
        raise ValueError(
            f"The series has {len(series)} letters; at most {LONGEST_SERIES} can be explained."
        )
    if sum(letter < 0 for letter in series) > 1:
        raise ValueError("The series has several blanks; at most one letter can be left out.")
    return series


@dataclass(frozen=True)
class Candidate:
    """The cheapest program with one letter in the place that is asked for."""

    letter: int | None
    """That letter's number; None if the program ends, or writes no more, after the series."""
    program: Program
    steps: int
    """Until the last shown letter."""
    k: int | None
    """On the published scale; None if the program does not write six letters."""
    cost: int
    """t 2^|p|, exact."""

    @property
    def kt(self) -> float:
        """|p| + log2 t."""
        return len(self.program) + math.log2(self.steps)

    @property
    def text(self) -> str:
        """The program, to be read."""
        return program_text(self.program)


@dataclass(frozen=True)
class Explanation:
    """What explains a series: the cheapest programs that print it."""

    series: tuple[int, ...]
    """The letters' numbers, -1 for a blank."""
    machine: Machine
    cheapest: Candidate | None
    """Of all programs that print the series; one that goes on, where others cost as little. None if none was found."""
    candidates: tuple[Candidate, ...]
    """The cheapest program for each letter in the place that is asked for, the cheapest first."""
    length: int
    """All programs up to this length were tried that could cost so little as to be among the candidates."""
    bound: float
    """Programs that were not tried cost at least this, in Kt; those beyond `steps` apart, which do not count."""
    steps: int
    """How long programs were allowed to take."""
    finished: bool
    """Whether the search reached the length that was asked for, or needed no more."""

    @property
    def ask(self) -> int:
        """The place that is asked for: that of the blank, or the next one."""
        return self.series.index(-1) if -1 in self.series else len(self.series)

    @property
    def kt(self) -> float | None:
        """Kt of the series, as far as programs were tried."""
        return None if self.cheapest is None else self.cheapest.kt

    @property
    def answer(self) -> int | None:
        """The letter of the cheapest program that has one."""
        return self.candidates[0].letter if self.candidates else None

    @property
    def margin(self) -> float:
        """How much more a program with another letter costs, at least."""
        if not self.candidates:
            return 0.0
        best, *rivals = (candidate.kt for candidate in self.candidates)
        return max(min([*rivals, self.bound]) - best, 0.0)

    @property
    def text(self) -> str:
        """The series, to be read."""
        return letters_text(self.series)

    def continuation(self, letters: int) -> tuple[int, ...]:
        """What the cheapest program writes after the shown letters: so many letters, or fewer if it ends before."""
        if self.cheapest is None:
            return ()
        shown = len(self.series)
        return run(self.cheapest.program, LONGEST_RUN, shown + letters, self.machine).letters[
            shown:
        ]


def explain(
    series: str | Sequence[int],
    *,
    length: int = LENGTH,
    margin: int = MARGIN,
    steps: int = STEPS,
    seconds: float = math.inf,
    machine: Machine = PLAIN,
    known: Sequence[int] | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Explanation:
    """Find the cheapest programs that print a series, with each letter that may come next or stand in its blank.

    >>> found = explain("a b c d")
    >>> found.cheapest.text, round(found.kt, 2), found.cheapest.k
    ('W + LOOPTOP', 6.32, 7)

    Programs have at most `length` instructions and reach the letter that is asked for within `steps`. Rivals that cost
    up to `margin` more than the cheapest program, a whole number, are found. After `seconds` the search stops and says
    how far it got. `known` is a program that prints the series and goes on, if there is one: the search is quicker, and
    finds it or a cheaper one. `progress` is told the length that is tried, and the seconds so far.
    """
    shown = read_series(series) if isinstance(series, str) else check_series(tuple(series))
    if not 1 <= length <= LONGEST_PROGRAM:
        raise ValueError(f"Programs have from 1 to {LONGEST_PROGRAM} instructions, not {length}.")
    if not 0 <= margin <= 20:
        raise ValueError(f"A margin is a whole number from 0 to 20, not {margin}.")
    walk = _Walk(shown, machine, steps, margin)
    if known is not None:
        walk.expect(known)
    start = time.monotonic()
    tried = 0
    while tried < length and not walk.over(tried + 1):
        walk.begin(tried + 1)
        while not walk.go_on():
            spent = time.monotonic() - start
            if progress is not None:
                progress(tried + 1, spent)
            if spent >= seconds:
                return walk.explanation(tried, False)
        tried += 1
    return walk.explanation(tried, True)


def least_steps(series: tuple[int, ...]) -> NDArray[np.int64]:
    """For each letter of a series the least steps in which any program writes it and the rest; 0 at the end.

    Each takes a WRITE, and another instruction where it differs from the letter before it.
    """
    least = np.zeros(len(series) + 1, np.int64)
    for at in reversed(range(len(series))):
        pair = series[at : at + 2]
        changes = len(pair) == 2 and min(pair) >= 0 and pair[0] != pair[1]
        least[at] = least[at + 1] + 1 + changes
    return least


class _Walk:
    """The arrays of a search, and what they say."""

    def __init__(self, series: tuple[int, ...], machine: Machine, steps: int, margin: int) -> None:
        self.series, self.machine, self.steps = series, machine, steps
        self._letters = np.array(series, np.int64)
        self._least = least_steps(series)
        self._walk = np.zeros(kernel.WALK, np.int64)
        self._walk[kernel.ASK] = series.index(-1) if -1 in series else len(series)
        self._walk[[kernel.STEPS, kernel.MARGIN, kernel.LIMIT]] = steps, margin, NO_LIMIT
        self._program = np.zeros(LONGEST_PROGRAM + 1, np.int64)
        self._choices = np.zeros(LONGEST_PROGRAM + 1, np.int64)
        self._states = np.zeros((LONGEST_PROGRAM + 1, kernel.STATE), np.int64)
        self._costs = np.full(kernel.ANY + 1, kernel.NONE, np.int64)
        self._programs = np.zeros((kernel.ANY + 1, LONGEST_PROGRAM), np.int64)
        self._lengths = np.zeros(kernel.ANY + 1, np.int64)

    def over(self, length: int) -> bool:
        """Whether programs of this length cost too much to be looked for."""
        return bool(self._least[0] << length > self._walk[kernel.LIMIT])

    def expect(self, program: Sequence[int]) -> None:
        """Look for no program that costs much more than this one."""
        ran = run(program, self.steps, len(self.series) + 1, self.machine)
        if len(ran.letters) > len(self.series):
            cost = ran.times[len(self.series) - 1] << len(program)
            self._walk[kernel.LIMIT] = cost << int(self._walk[kernel.MARGIN])

    def begin(self, length: int) -> None:
        self._walk[[kernel.LENGTH, kernel.DEPTH, kernel.WORK]] = length, 0, 0
        self._choices[0] = 0
        self._states[0] = 0
        self._states[0, [kernel.A, kernel.B, kernel.C, kernel.LAST]] = self.machine.row[0]

    def go_on(self) -> bool:
        """Do a piece of the work; whether this length is done."""
        return bool(
            kernel.search_door(
                self._walk,
                self.machine.row,
                self._letters,
                self._least,
                self._program,
                self._choices,
                self._states,
                self._costs,
                self._programs,
                self._lengths,
                WORK,
            )
        )

    def explanation(self, tried: int, finished: bool) -> Explanation:
        limit = int(self._walk[kernel.LIMIT])
        found = [self._candidate(at) for at in range(kernel.ANY) if self._costs[at] <= limit]
        candidates = tuple(sorted(found, key=lambda one: (one.cost, one.letter)))
        cheapest = None
        if self._costs[kernel.ANY] < kernel.NONE:
            cheapest = self._candidate(kernel.ANY)
            if candidates and candidates[0].cost == cheapest.cost:
                cheapest = candidates[0]
        untried = math.log2(self._least[0]) + tried + 1
        return Explanation(
            self.series,
            self.machine,
            cheapest,
            candidates,
            tried,
            min(untried, math.log2(limit)),
            self.steps,
            finished,
        )

    def _candidate(self, at: int) -> Candidate:
        length, cost = int(self._lengths[at]), int(self._costs[at])
        program = tuple(int(one) for one in self._programs[at, :length])
        letter = at if at < kernel.ANY else None
        return Candidate(letter, program, cost >> length, scale_value(program, self.machine), cost)
