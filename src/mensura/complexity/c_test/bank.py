"""The items that were judged unquestionable once, to be drawn from at any speed.

They are kept in `items.txt`, which `judging.py` writes: a line for each, with the numbers of its program's
instructions, how many letters are shown, which of them is blank and the letter of the runner-up, - where there is none;
and lines that say how many were thrown away, and why.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from mensura.complexity.c_test.instructions import LETTERS, Program
from mensura.complexity.c_test.machine import LONGEST_RUN, Run, run, scale_value

PLACE = Path(__file__).parent / "items.txt"
_THROWN_AWAY = re.compile(r"# k (\d+), (\w+): (\d+) thrown away: (.+)")


@dataclass(frozen=True)
class BankItem:
    """A series of which a letter is asked for."""

    program: Program
    """The cheapest that prints it."""
    shown: int
    """How many letters are shown, the blank among them."""
    asked: int
    """The place that is asked for, from 0: that of the blank, or the one after the last shown letter."""
    runner_up: int | None
    """The letter of the next cheapest program among those that were enumerated."""

    @property
    def abduction(self) -> bool:
        """Whether a letter within the series is asked for."""
        return self.asked < self.shown

    @cached_property
    def printed(self) -> Run:
        """What the program writes: the shown letters and the next."""
        return run(self.program, LONGEST_RUN, self.shown + 1)

    @cached_property
    def series(self) -> tuple[int, ...]:
        """The shown letters, -1 where one is blank."""
        letters = self.printed.letters[: self.shown]
        return tuple(-1 if place == self.asked else one for place, one in enumerate(letters))

    @cached_property
    def answer(self) -> int:
        """The letter that is asked for."""
        return self.printed.letters[self.asked]

    @property
    def steps(self) -> int:
        """Until the last shown letter."""
        return self.printed.times[self.shown - 1]

    @cached_property
    def k(self) -> int:
        """On the published scale."""
        found = scale_value(self.program)
        assert found is not None
        return found


@lru_cache(maxsize=1)
def bank() -> tuple[BankItem, ...]:
    """All items, predictions first, each kind in the order of k."""
    lines = PLACE.read_text(encoding="ascii").splitlines()
    return tuple(_read(line) for line in lines if not line.startswith("#"))


def _read(line: str) -> BankItem:
    program, shown, blank, runner_up = line.split()
    return BankItem(
        tuple(map(int, program)),
        int(shown),
        int(shown if blank == "-" else blank),
        None if runner_up == "-" else LETTERS.index(runner_up),
    )


def thrown_away(abduction: bool) -> Counter[str]:
    """How many series were judged and are no items, by reason."""
    wanted = "abduction" if abduction else "prediction"
    counts: Counter[str] = Counter()
    for _, kind, count, reason in _THROWN_AWAY.findall(PLACE.read_text(encoding="ascii")):
        if kind == wanted:
            counts[reason] += int(count)
    return counts
