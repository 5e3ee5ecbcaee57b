"""The items that were judged once: what the file says of them holds, and their options tell nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mensura.complexity.c_test import judging
from mensura.complexity.c_test.bank import bank, thrown_away
from mensura.complexity.c_test.items import LONGEST, LONGEST_PROGRAM, SHORTEST
from mensura.complexity.c_test.judgment import CONDITIONS, judge
from mensura.complexity.c_test.machine import least_shown
from mensura.complexity.c_test.options import ROUNDS, grouped, options_of, plausible
from mensura.complexity.c_test.pool import Pool, enumerate_programs
from mensura.complexity.c_test.search import explain

pytestmark = pytest.mark.bounds


def test_every_item_is_printed_by_its_program() -> None:
    for item in bank():
        assert SHORTEST <= item.shown <= LONGEST
        assert len(item.printed.letters) == item.shown + 1
        assert len(item.program) <= LONGEST_PROGRAM
        assert least_shown(item.program, item.shown) is not None
        assert item.series.count(-1) == item.abduction
        assert item.runner_up != item.answer


def test_there_are_items_of_both_kinds_for_every_k() -> None:
    counts = Counter((item.abduction, item.k) for item in bank())
    wanted = range(judging.LEAST_K, judging.MOST_K + 1)
    assert set(counts) == {(kind, k) for kind in (False, True) for k in wanted}
    assert min(counts.values()) >= 25
    assert len({(item.series, item.asked) for item in bank()}) == len(bank())


def test_items_are_unquestionable_by_the_same_judgment(full_size: bool) -> None:
    rng = np.random.default_rng(12)
    few = [item for item in bank() if item.k <= (12 if full_size else 10)]
    for at in rng.choice(len(few), 60 if full_size else 12, replace=False).tolist():
        item = few[at]
        found = explain(item.series, length=12, margin=1, known=item.program)
        assert judge(found, length=12).unquestionable
        assert found.answer == item.answer
        assert found.cheapest is not None
        assert found.cheapest.program == item.program


def test_the_file_is_what_judging_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    pool: Pool = enumerate_programs(5)
    monkeypatch.setattr(judging, "pool_of", lambda length: pool)
    written = [line for line in judging.lines(7, False) if not line.startswith("#")]
    assert written
    # The runner-up is that of all programs that were enumerated, of which there are fewer here.
    told = {tuple(line.split()[:3]) for line in judging.PLACE.read_text().splitlines()}
    assert {tuple(line.split()[:3]) for line in written} <= told


@pytest.mark.parametrize("abduction", [False, True])
def test_what_was_thrown_away_is_counted_by_its_reason(abduction: bool) -> None:
    counts = thrown_away(abduction)
    assert counts["no rival"] > 100
    assert set(counts) <= {*CONDITIONS, "k is outside the interval"}


@pytest.mark.parametrize("count", [2, 5])
def test_in_every_set_of_options_each_letter_is_right_as_often_as_any_other(count: int) -> None:
    for abduction in (False, True):
        for number in range(2):
            groups = grouped(abduction, 9, count, number)
            assert groups
            right: dict[frozenset[int], Counter[int]] = {}
            for item in bank():
                options = groups.get((item.program, item.shown, item.asked))
                if options is not None and (item.abduction, item.k) == (abduction, 9):
                    assert item.answer in options
                    assert len(set(options)) == count
                    right.setdefault(frozenset(options), Counter())[item.answer] += 1
            for letters, counts in right.items():
                assert set(counts) == letters
                assert len(set(counts.values())) == 1


def test_most_items_have_options() -> None:
    few = [item for item in bank() if item.k == 9]
    offered = [options_of(item, 5, number) for item in few for number in range(ROUNDS)]
    assert sum(one is not None for one in offered) > 0.7 * len(offered)


def test_plausible_letters_are_all_others_in_order() -> None:
    letters = plausible([0, 0, 25, 2, 24, 4, 23], 6, [10], -1)
    assert letters[:4] == [10, 5, 23, 0]
    assert sorted([*letters, 6]) == list(range(26))
