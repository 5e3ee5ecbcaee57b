"""Which environments are hard, for whom: subjects of known ability on items of known difficulty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mensura.core.steps import complexity_named
from mensura.statistics.difficulty import (
    ALL,
    _follows,
    agreements,
    dependences,
    joined,
    solved,
    solved_by_level,
    standings,
    telling,
)
from mensura.statistics.series import Series

ITEMS = 400
BITS, SIZE = complexity_named("bits"), complexity_named("size")


def series(
    subject: str, world: str = "one", ability: float | None = 0.0, *, seed: int = 1, of: str = BITS
) -> Series:
    """Items with bits and a size; who has an ability solves those of few bits (or small ones), others guess of four."""
    items = np.random.default_rng(7 if world == "one" else 8)
    bits = items.integers(1, 21, ITEMS).astype(float)
    size = items.integers(1, 6, ITEMS).astype(float)
    rng = np.random.default_rng([seed, *map(ord, subject + world)])
    hard = (bits - 10.5) / 3 if of == BITS else (size - 3) * 1.5
    chance = np.full(ITEMS, 0.25) if ability is None else 1 / (1 + np.exp(hard - ability))
    right = rng.random(ITEMS) < chance
    return Series(
        subject,
        world,
        {},
        np.where(right, 1.0, -1 / 3),
        bits,
        np.zeros(ITEMS, np.int64),
        np.arange(ITEMS, dtype=np.uint64) + (0 if world == "one" else ITEMS),
        {BITS: bits, SIZE: size, "idea": np.full(ITEMS, float(ability is not None))},
    )


def test_who_is_above_guessing_is_told_and_how_often_it_had_an_idea() -> None:
    able, guesser = standings([series("able"), series("guesser", ability=None)])
    assert (able.above, guesser.above) == (True, False)
    assert (able.idea, guesser.idea) == (1.0, 0.0)
    assert 0.4 < able.solved.value < 0.6
    assert able.solved.low < able.solved.value < able.solved.high


def test_guessers_are_called_above_guessing_hardly_ever() -> None:
    """Of 40 guessers together, at 5% for all of them."""
    wrong = 0
    for seed in range(10):
        found = standings([series(f"g{i}", ability=None, seed=seed) for i in range(40)])
        wrong += any(one.above for one in found)
    assert wrong <= 3


def test_levels_of_factors_are_put_together() -> None:
    one = series("able")
    (both,) = joined([replace(one, levels={"x": "a"}), replace(one, levels={"x": "b"})])
    assert len(both.score) == len(both.measures[BITS]) == 2 * ITEMS


def test_the_share_solved_falls_along_complexity() -> None:
    points = solved_by_level(series("able"))
    assert 4 <= len(points) <= 8
    shares = [share.value for _, share in points]
    assert shares[0] > 0.8 > 0.2 > shares[-1]
    assert sum(share.n for _, share in points) == ITEMS
    bare = replace(series("able"), complexity=np.full(ITEMS, np.nan))
    assert solved_by_level(bare) == []
    one = replace(series("able"), complexity=np.full(ITEMS, 3.0))
    assert [x for x, _ in solved_by_level(one)] == [3.0]


def test_what_solving_depends_on_is_found_and_what_not_is_not() -> None:
    found = dependences([series("one", ability=0.5), series("two", ability=-0.5)])
    (only,) = found
    assert only.world == "one"
    assert only.measures == (BITS, SIZE)
    bits, size = only.fitted.effects
    assert bits.high < -1.0
    assert only.corrected[0] < 0.001
    assert 0.0 in size
    assert only.corrected[1] > 0.05


def test_several_worlds_come_together_first() -> None:
    found = dependences([series("a"), series("a", "two"), series("b", "two", of=SIZE)])
    assert [one.world for one in found] == [ALL, "one", "two"]


def test_a_complexity_that_follows_from_others_is_left_out() -> None:
    one = series("able")
    twin = replace(one, measures={**one.measures, complexity_named("twin"): 3 * one.measures[BITS]})
    (found,) = dependences([twin])
    assert found.left_out == (complexity_named("twin"),)


def test_who_guesses_or_solves_everything_says_nothing_of_difficulty() -> None:
    perfect = replace(series("perfect"), score=np.ones(ITEMS))
    assert telling([perfect, series("guesser", ability=None)]) == []
    assert dependences([perfect]) == []
    assert agreements([perfect, perfect]) == []
    assert standings([]) == []


def test_subjects_that_find_the_same_items_hard_agree_and_others_do_not() -> None:
    found = agreements([series("a"), series("b"), series("c", of=SIZE)])
    by_pair = {(one.one, one.other): one for one in found}
    assert by_pair["a", "b"].correlation.low > 0.2
    assert by_pair["a", "b"].corrected < 0.001
    assert by_pair["a", "c"].corrected > 0.05
    assert by_pair["a", "b"].correlation.n == ITEMS


def test_only_environments_that_both_met_count() -> None:
    one, other = series("a"), series("b")
    half = other.where(np.arange(ITEMS) < 100)
    (found,) = agreements([one, half])
    assert found.correlation.n == 100
    apart = replace(other, environment=other.environment + np.uint64(ITEMS))
    assert agreements([one, apart]) == []


def test_full_reward_is_solved() -> None:
    one = replace(series("a"), score=np.array([1.0, 1.0 - 1e-12, 0.999, -1.0]))
    assert solved(one).tolist() == pytest.approx([1, 1, 0, 0])


def test_what_nearly_follows_from_others_is_left_out() -> None:
    rng = np.random.default_rng(5)
    bits, operations = rng.normal(size=400), rng.normal(size=400)
    for noise, left_out in ((0.1, True), (1.0, False)):
        kt = bits + noise * rng.normal(size=400)
        table = np.column_stack([bits, operations, kt])
        assert _follows(table) is left_out
    assert not _follows(np.column_stack([bits]))
    assert not _follows(np.column_stack([bits, np.zeros(400)]))
