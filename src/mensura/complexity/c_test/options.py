"""The options of items: letters that are plausible, and that do not tell by themselves which of them is right.

Plausible are the runner-up's letter, a neighbor of the answer, the last letter and a frequent one. Offered with the
answer as they are, they would give it away: the answer is the one that has a neighbor among them, and letters near a
are answers more often than others. So items of one kind and k share their options: they are put into groups in which
each has another answer, found among what is plausible for the first of them as far as it goes, and the answers of a
group are the options of all its items. Of every set of options each letter is then the right one equally often.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from mensura.complexity.c_test.bank import BankItem, bank

ROUNDS = 8
"""So many ways there are to group the items."""


def plausible(series: Sequence[int], answer: int, runner_up: Sequence[int], side: int) -> list[int]:
    """All letters but the answer, the most plausible first.

    The runner-up's, the answer's neighbor on one side (1 or -1), the last and the most frequent; then further letters
    of the series, and those farther and farther from the answer.
    """
    shown = [letter for letter in series if letter >= 0]
    frequent = [letter for letter, _ in Counter(shown).most_common()]
    around = [(answer + sign * side * by) % 26 for by in range(1, 14) for sign in (1, -1)]
    wanted = [*runner_up, around[0], shown[-1], *frequent[:1], *frequent[1:], *around[1:]]
    return [letter for letter in dict.fromkeys(wanted) if letter != answer]


@lru_cache(maxsize=1)
def _kinds() -> Mapping[tuple[bool, int], list[BankItem]]:
    """The items by whether a blank is asked for, and k."""
    found: dict[tuple[bool, int], list[BankItem]] = defaultdict(list)
    for item in bank():
        found[item.abduction, item.k].append(item)
    return found


@lru_cache(maxsize=1024)
def grouped(
    abduction: bool, k: int, count: int, number: int
) -> Mapping[tuple[tuple[int, ...], int, int], tuple[int, ...]]:
    """The options of items of one kind and k, by program, letters shown and place asked for.

    `number` says which of the ways to group them is meant. Items that are left without a group, since too few others
    have other answers, have no options.
    """
    rng = np.random.default_rng([int(abduction), k, count, number])
    items = _kinds().get((abduction, k), [])
    order = [items[at] for at in rng.permutation(len(items)).tolist()]
    sides = (2 * rng.integers(2, size=len(items)) - 1).tolist()
    waiting: dict[int, dict[int, BankItem]] = defaultdict(dict)
    for at, item in enumerate(order):
        waiting[item.answer][at] = item
    found = {}
    for at, (item, side) in enumerate(zip(order, sides, strict=True)):
        if at not in waiting[item.answer]:
            continue
        runner_up = [] if item.runner_up is None else [item.runner_up]
        wanted = plausible(item.series, item.answer, runner_up, side)
        letters = [letter for letter in wanted if waiting[letter]][: count - 1]
        if len(letters) < count - 1:
            continue
        group = [waiting[item.answer].pop(at), *(waiting[one].popitem()[1] for one in letters)]
        options = tuple(one.answer for one in group)
        for one in group:
            found[one.program, one.shown, one.asked] = options
    return found


def options_of(item: BankItem, count: int, number: int) -> tuple[int, ...] | None:
    """The options of an item, its answer among them, in no telling order; None where it has none this time."""
    groups = grouped(item.abduction, item.k, count, number % ROUNDS)
    return groups.get((item.program, item.shown, item.asked))
