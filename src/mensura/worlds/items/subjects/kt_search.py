"""Series of letters by the cheapest program that prints them: Levin's Kt on the machine of the C-test.

Hernandez-Orallo's C-test (1998) defines the machine and the measure (`mensura.complexity.c_test`). Programs are tried
from the shortest on, up to a budget of instructions and of steps, and the one of least |p| + log2 t says which letter
comes next, or stands in the blank. Of budgets this is the honest one: who has more finds more.

Departure: registers start at a, as everywhere in `mensura.complexity.c_test`; a series that no program within the
budget prints is tried once more with registers that start at its first letter, since elsewhere than in the C-test
series begin anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase

from mensura.complexity.c_test.machine import PLAIN, STEPS, Machine
from mensura.complexity.c_test.search import LONGEST_SERIES, explain
from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import BLANK, Solver, are_letters

MISSING = -1
"""A blank, as `mensura.complexity.c_test` has it."""


@lru_cache(maxsize=1024)
def cheapest(series: tuple[int, ...], instructions: int, steps: int) -> int | None:
    """The letter that the cheapest program within a budget has in the place that is asked for."""
    machines = [PLAIN]
    if series[0] > 0:
        machines.append(Machine(start=ascii_lowercase[series[0]]))
    for machine in machines:
        found = explain(series, length=instructions, margin=0, steps=steps, machine=machine)
        if found.answer is not None:
            return found.answer
    return None


class KtSearch(Solver):
    """The cheapest program of the C-test's machine within a budget (Hernandez-Orallo, 1998)"""

    def __init__(self, instructions: float = 6, steps: float = STEPS) -> None:
        super().__init__()
        self.instructions = int(instructions)
        self.steps = int(steps)

    def written(self, seen: Seen) -> Part | None:
        """The letter of the cheapest program."""
        series = letters_of(seen)
        found = None if series is None else cheapest(series, self.instructions, self.steps)
        return None if found is None else (found,)


def letters_of(seen: Seen) -> tuple[int, ...] | None:
    """A series of letters with at most one blank; None of any other item."""
    parts: Sequence[Part] = (*seen.shown, *seen.options)
    if not seen.shown or any(len(part) != 1 for part in parts) or not are_letters(seen):
        return None
    series = tuple(MISSING if seen.family.text(part) == BLANK else part[0] for part in seen.shown)
    if len(series) > LONGEST_SERIES or series.count(MISSING) > 1 or max(series) < 0:
        return None
    return series
