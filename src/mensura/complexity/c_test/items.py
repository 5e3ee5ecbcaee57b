"""Fresh items of the C-test: series whose continuation, or whose missing letter, is unquestionable.

An item is drawn from the enumeration of programs (`pool.py`): first k, evenly among those that the interval has, then a
series of that k, how many of its letters are shown, and for abduction which of them is blank. It is kept if it is
unquestionable (`judgment.py`); what is thrown away is counted by the reason.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mensura.complexity.c_test.instructions import LETTERS, Program, letters_text, program_text
from mensura.complexity.c_test.judgment import NO_RIVAL, judge
from mensura.complexity.c_test.machine import run
from mensura.complexity.c_test.options import plausible
from mensura.complexity.c_test.pool import LETTERS_KEPT, Pool, pool_of
from mensura.complexity.c_test.search import explain, read_series

SHORTEST, LONGEST = 4, LETTERS_KEPT - 2
"""How many letters an item shows, blank included: those of the published ones."""

SPREAD = 3
"""An item shows up to so many letters more than it takes until each WRITE has run twice."""

LONGEST_PROGRAM = 9
"""Of the programs that items are drawn from."""

SEARCHED = 12
"""How long the rivals of an item may be; the search ends by itself where they would cost too much."""

OPTIONS = 5
MOST_DRAWS = 2000

OTHER_K = "k is outside the interval"
"""A reason, beside the names of the four conditions: a cheaper program explains the shown letters."""


@dataclass(frozen=True)
class CTestItem:
    """One item: a series, what is asked, and what is known of it."""

    series: str
    """The shown letters, without spaces; _ where one is blank."""
    blank: int
    """The place that is asked for, from 0: that of the blank, or the one after the last shown letter."""
    options: tuple[str, ...]
    """Five different letters, in the order in which they are offered."""
    answer: str
    """The letter of the cheapest program; one of the options."""
    program: str
    """The cheapest program, as text."""
    kt: float
    """|p| + log2 t, t being the steps until the last shown letter."""
    k: int
    """On the published scale."""
    runner_up: str | None
    """The letter of the next cheapest program among those that were enumerated."""
    thrown_away: dict[str, int]
    """How many draws were thrown away before this one was kept, by reason."""


def draw_item(
    rng: np.random.Generator,
    low: int,
    high: int,
    *,
    abduction: bool = False,
    pool: Pool | None = None,
) -> CTestItem:
    """Draw an unquestionable item whose k is from `low` to `high`, both included.

    The same generator gives the same item. Items are drawn from programs of at most `high` - 3 instructions and at
    most 9, which are enumerated on first use: for `high` up to 10 that takes less than a second, for 12 and more about
    ten, and is kept in the user's cache folder. With `abduction` one of the shown letters is blank. Raises ValueError
    if there are no such items.
    """
    if pool is None:
        pool = pool_of(min(max(high - 3, 2), LONGEST_PROGRAM))
    wanted = (pool.k >= low) & (pool.k <= high) & (pool.least > 0) & (pool.least <= LONGEST)
    classes = np.unique(pool.k[wanted])
    if classes.size == 0:
        raise ValueError(f"There are no items with k from {low} to {high}.")
    thrown_away: Counter[str] = Counter()
    for _ in range(MOST_DRAWS):
        k = classes[rng.integers(classes.size)]
        rows = np.flatnonzero(wanted & (pool.k == k))
        at = int(rows[rng.integers(rows.size)])
        first = max(int(pool.least[at]), SHORTEST)
        shown = int(rng.integers(first, min(first + SPREAD, LONGEST) + 1))
        blank = int(rng.integers(1, shown - 1)) if abduction else shown
        item = judged_item(pool, at, shown, blank, (low, high))
        if isinstance(item, CTestItem):
            runner_up = [LETTERS.index(item.runner_up)] if item.runner_up else []
            options = options_of(
                read_series(item.series), LETTERS.index(item.answer), runner_up, rng
            )
            return replace(
                item,
                options=tuple(LETTERS[letter] for letter in options),
                thrown_away=dict(thrown_away),
            )
        thrown_away[item] += 1
    raise ValueError(f"None of {MOST_DRAWS} series with k from {low} to {high} was unquestionable.")


def judged_item(
    pool: Pool, at: int, shown: int, blank: int, interval: tuple[int, int]
) -> CTestItem | str:
    """The item of a series, without options, or the reason to throw it away."""
    letters = [int(letter) for letter in pool.letters[at]]
    series = tuple(-1 if place == blank else letters[place] for place in range(shown))
    rivals = _pool_costs(pool, series, blank)
    others = sorted((cost, letter) for letter, cost in rivals.items() if letter != letters[blank])
    if others and others[0][0] < rivals[letters[blank]] << 1:
        return NO_RIVAL
    found = explain(series, length=SEARCHED, margin=1, known=pool.program(at))
    best = found.cheapest
    failed = judge(found, length=SEARCHED).failed
    if failed is not None:
        return failed.name
    assert best is not None
    assert best.letter is not None
    if best.k is None or not interval[0] <= best.k <= interval[1]:
        return OTHER_K
    return CTestItem(
        letters_text(series, ""),
        blank,
        (),
        LETTERS[best.letter],
        program_text(best.program),
        best.kt,
        best.k,
        LETTERS[others[0][1]] if others else None,
        {},
    )


def _pool_costs(pool: Pool, series: tuple[int, ...], blank: int) -> dict[int, int]:
    """By the letter that is asked for, the least cost among the pool's programs: a quick look before the search."""
    same = np.ones(len(pool), np.bool_)
    for place, letter in enumerate(series):
        if letter >= 0:
            same &= pool.letters[:, place] == letter
    costs: dict[int, int] = {}
    for at in np.flatnonzero(same):
        program: Program = pool.program(int(at))
        time = run(program, letters=len(series), steps=1000).times[-1]
        letter = int(pool.letters[at, blank])
        costs[letter] = min(costs.get(letter, math.inf), time << len(program))  # type: ignore[assignment]
    return costs


def options_of(
    series: Sequence[int], answer: int, runner_up: Sequence[int], rng: np.random.Generator
) -> list[int]:
    """Five letters in a drawn order: the answer, the runner-up's, a neighbor of the answer, the last, a frequent one.

    Where two of them are the same letter, further letters of the series, the most frequent first, and then letters
    farther and farther from the answer take their place.
    """
    side = 1 if rng.integers(2) else -1
    options = [answer, *plausible(series, answer, runner_up, side)][:OPTIONS]
    return [options[place] for place in rng.permutation(OPTIONS)]
