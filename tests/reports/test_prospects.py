"""What more money would settle, in numbers and sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.reports.studies import condition
from tests.statistics.samples import sample

from mensura.records.results import RunResult
from mensura.reports.prospects import Prospect, Round, prospects, rounds_of
from mensura.statistics.moments import Moments
from mensura.statistics.order import Gap, gaps

pytestmark = pytest.mark.quick


def gap_of(gain: float, count: int = 20, noise: float = 0.3, seed: int = 1) -> Gap:
    """Two subjects in one world that differ by exactly so much, with this scatter."""
    scatter = np.random.default_rng(seed).normal(0, noise, count)
    if noise and count > 1:
        scatter = noise * (scatter - scatter.mean()) / scatter.std(ddof=1)
    hard = np.random.default_rng(seed + 1).normal(0, 0.3, count)
    (found,) = gaps(["a", "b"], [sample(hard + gain + scatter, label="a"), sample(hard, label="b")])
    return found


def outlook(gap: Gap, one: Round, two: Round) -> Prospect:
    (found,) = prospects([gap], {"a": one, "b": two})
    return found


FREE = Round(0.0, 0.0)


def test_money_is_spent_on_both_of_a_pair() -> None:
    found = outlook(gap_of(0.1), Round(0.3, 20), Round(0.2, 20))
    assert (found.rounds, found.by) == (20, "10 more")
    assert found.reach == found.gap.reach_after(20)


def test_a_subject_that_costs_nothing_leaves_all_of_it_to_the_other() -> None:
    assert outlook(gap_of(0.1), Round(0.1, 20), FREE).rounds == 100


def test_where_a_price_is_unknown_requests_are_counted() -> None:
    found = outlook(gap_of(0.1), Round(None, 40), Round(0.2, 10))
    assert (found.rounds, found.by) == (20, "1,000 more requests")
    assert found.in_words.startswith("1,000 more requests pay for 20 further environments")


def test_an_open_pair_is_settled_if_its_difference_would_be_outside() -> None:
    gap = gap_of(0.1)
    assert gap.verdict == "open"
    enough = outlook(gap, Round(0.05, 1), Round(0.05, 1))
    assert enough.settles
    assert enough.in_words.endswith("a difference of +0.100 would be outside, and settled.")
    little = outlook(gap, Round(2, 1), Round(2, 1))
    assert not little.settles
    assert little.in_words.endswith("a difference of +0.100 would still be inside, and open.")
    assert "2 further environments" in little.in_words


def test_sentences_are_true_of_the_other_cases() -> None:
    dear = outlook(gap_of(0.1), Round(30, 1), FREE)
    assert dear.in_words == "10 more cannot pay for one further environment of each world."
    free = outlook(gap_of(0.1), FREE, FREE)
    assert free.rounds is None
    assert free.in_words == "More sittings of these two cost nothing."
    sure = outlook(gap_of(1.0), Round(0.1, 1), FREE)
    assert sure.in_words.startswith("Settled already; 10 more pays for 100 further environments")
    assert not sure.settles
    same = outlook(gap_of(0.0, noise=0.0), Round(0.1, 1), FREE)
    assert same.in_words.startswith("They scored the same in every environment")
    for few in (1, 2, 4):
        assert outlook(gap_of(0.1, few), Round(0.1, 1), FREE).in_words.startswith("Unknown")


def test_settled_by_itself_is_not_settled_among_many() -> None:
    gap = gap_of(0.15)
    assert gap.verdict == "settled"
    among = replace(gap, corrected=0.2)
    assert outlook(among, Round(0.1, 1), FREE).in_words.startswith(
        "Settled by itself, but not among all neighbors together; 10 more pays"
    )


def with_measures(run: RunResult, **measures: list[float]) -> RunResult:
    some = {name: Moments.of(np.array(values)) for name, values in measures.items()}
    return replace(run, subjects=tuple(replace(one, measures=some) for one in run.subjects))


def test_a_round_is_one_sitting_under_each_condition() -> None:
    first, _ = condition("x", {"a": 0.1}, episodes=4)
    second, _ = condition("y", {"a": 0.1}, episodes=2)
    found = rounds_of(
        [
            with_measures(first, requests=[20] * 4, cost=[0.5] * 4),
            with_measures(second, requests=[10] * 2, cost=[0.1] * 2),
        ]
    )
    assert found == {"a": Round(pytest.approx(0.6), pytest.approx(30))}
    unknown = rounds_of([with_measures(first, requests=[20] * 4)])
    assert unknown["a"].cost is None
    assert rounds_of([first]) == {"a": FREE}
