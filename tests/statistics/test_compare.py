"""Comparisons: SciPy's tests where scores are independent, paired where they should be, honest about what is open."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats
from tests.statistics.samples import sample

from mensura.statistics.compare import compare, compare_all, pairs_between, pairs_within
from mensura.statistics.effect import paired_d
from mensura.statistics.sample import Sample

pytestmark = pytest.mark.quick

RNG = np.random.default_rng(71)
HARD = RNG.normal(0, 1, 60)
ONE = HARD + 0.2 + RNG.normal(0, 0.4, 60)
TWO = HARD + RNG.normal(0, 0.4, 60)


def test_pairs_get_the_paired_t_test_whatever_their_order() -> None:
    turned = RNG.permutation(60)
    found = compare(sample(ONE, label="one"), sample(TWO[turned], turned, label="two"))
    theirs = stats.ttest_rel(ONE, TWO)
    assert found.paired
    assert (found.one, found.two, found.n, found.left_out) == ("one", "two", (60, 60), 0)
    assert found.p == pytest.approx(theirs.pvalue)
    ends = theirs.confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((ends.low, ends.high))
    effect = paired_d(ONE, TWO)
    assert found.effect.value == pytest.approx(effect.value)
    assert (found.effect.low, found.effect.high) == pytest.approx((effect.low, effect.high))
    assert found.improvement.value == pytest.approx((ONE > TWO).mean())


def test_other_environments_get_welchs_test() -> None:
    found = compare(sample(ONE), sample(TWO[:40], np.arange(40) + 1000))
    theirs = stats.ttest_ind(ONE, TWO[:40], equal_var=False)
    assert not found.paired
    assert found.n == (60, 40)
    assert found.p == pytest.approx(theirs.pvalue)
    ends = theirs.confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((ends.low, ends.high))
    u = stats.mannwhitneyu(ONE, TWO[:40]).statistic
    assert found.improvement.value == pytest.approx(u / (60 * 40))


def test_environments_that_only_one_met_are_left_out_of_pairs() -> None:
    found = compare(sample(ONE[:50]), sample(TWO[10:], np.arange(10, 60)))
    assert found.paired
    assert (found.n, found.left_out) == ((40, 40), 20)
    assert found.p == pytest.approx(stats.ttest_rel(ONE[10:50], TWO[10:50]).pvalue)
    few = compare(sample(ONE), sample(TWO, np.arange(60) + 50))
    assert not few.paired


def test_sittings_in_the_same_environment_are_one_pair() -> None:
    twice = compare(
        sample(np.repeat(ONE, 2), np.repeat(np.arange(60), 2)),
        sample(np.repeat(TWO, 2), np.repeat(np.arange(60), 2)),
    )
    once = compare(sample(ONE), sample(TWO))
    assert twice.p == pytest.approx(once.p)
    assert (twice.unit, twice.units) == ("environment", 60)


def test_the_same_environment_in_another_run_is_another_pair() -> None:
    run = np.repeat([0, 1], 30)
    environment = np.tile(np.arange(30), 2)
    found = compare(sample(ONE, environment, run), sample(TWO, environment, run))
    assert found.n == (60, 60)
    assert found.difference.value == pytest.approx((ONE - TWO).mean())


@given(st.integers(0, 1000))
def test_exchanging_the_two_changes_the_sign_and_nothing_else(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shift = int(rng.integers(0, 2)) * 100
    a = sample(rng.normal(0.1, 1, 15), label="a")
    b = sample(rng.normal(0, 1, 15), np.arange(15) + shift, label="b")
    there, back = compare(a, b), compare(b, a)
    assert there.p == pytest.approx(back.p)
    assert there.difference.value == pytest.approx(-back.difference.value)
    assert there.difference.low == pytest.approx(-back.difference.high)
    assert there.effect.low == pytest.approx(-back.effect.high, abs=1e-6)
    assert there.improvement.value == pytest.approx(1 - back.improvement.value)


def test_a_family_is_corrected_and_says_so() -> None:
    people = [
        sample(HARD + gap + RNG.normal(0, 0.4, 60), label=f"{gap}") for gap in (0.0, 0.2, 2.0)
    ]
    alone = [compare(one, two) for one, two in pairs_within(people)]
    found = compare_all(pairs_within(people))
    assert [(one.one, one.two) for one in found] == [("0.0", "0.2"), ("0.0", "2.0"), ("0.2", "2.0")]
    assert all(one.family == 3 and one.correction == "holm" for one in found)
    assert all(one.corrected >= other.p for one, other in zip(found, alone, strict=True))
    assert found[1].verdict == "lower"
    assert all(one.smallest > other.smallest for one, other in zip(found, alone, strict=True))
    plain = compare_all(pairs_within(people), correction="none")
    assert [one.corrected for one in plain] == [one.p for one in plain]


def test_more_episodes_are_asked_for_where_a_difference_is_open_and_settle_it() -> None:
    rng = np.random.default_rng(72)
    one, two = rng.normal(0.1, 1, 100), rng.normal(0, 1, 100)
    gaps = one - two
    gaps = (gaps - gaps.mean()) / gaps.std(ddof=1) + 0.12
    (found,) = compare_all([(sample(gaps), sample(np.zeros(100)))])
    assert found.verdict == "open"
    assert found.more is not None
    needed = 100 + found.more
    later = stats.ttest_1samp(rng.normal(0.12, 1, (3000, needed)), 0.0, axis=1).pvalue < 0.05
    assert later.mean() == pytest.approx(0.8, abs=0.03)
    (apart,) = compare_all([(sample(one + 2), sample(two))])
    assert (apart.verdict, apart.more) == ("higher", 0)


def test_where_runs_are_the_unit_more_episodes_come_in_whole_runs_worth() -> None:
    run = np.repeat(np.arange(6), 50)
    shift = np.repeat([0.5, -0.3, 0.4, -0.2, 0.6, 0.1], 50)
    noise = np.random.default_rng(73).normal(0, 0.1, 300)
    (found,) = compare_all([(sample(shift + noise, run=run), sample(np.zeros(300), run=run))])
    assert (found.unit, found.units, found.verdict) == ("run", 6, "open")
    assert found.more is not None
    assert found.more % 50 == 0
    assert found.more_runs == found.more // 50


def test_equals_are_the_same_and_a_single_environment_is_unknown() -> None:
    (same,) = compare_all([(sample(ONE), sample(ONE))])
    assert (same.verdict, same.p, same.more) == ("same", 1.0, None)
    (alone,) = compare_all([(sample([0.5]), sample([0.1]))])
    assert alone.verdict == "unknown"
    assert math.isnan(alone.p)
    (constant,) = compare_all([(sample(np.full(5, 0.5)), sample(np.full(5, 0.25)))])
    assert (constant.verdict, constant.p) == ("higher", 0.0)


def test_a_difference_that_scatters_by_rounding_alone_is_settled() -> None:
    (found,) = compare_all([(sample(ONE + 0.1), sample(ONE))])
    assert found.verdict == "higher"
    assert found.effect.low > 1e6


def test_a_comparison_is_plain_data() -> None:
    row = compare(sample(ONE), sample(TWO)).to_json()
    assert row["paired"] is True
    assert row["effect_size"] == "d_z"
    assert row["difference_low"] < row["difference"] < row["difference_high"]


def named(label: str, condition: str) -> Sample:
    return replace(sample(ONE), label=label, condition=condition)


def test_within_a_run_subjects_are_paired_condition_by_condition() -> None:
    samples = [named(label, condition) for condition in "xy" for label in "abc"]
    pairs = pairs_within(samples)
    assert len(pairs) == 6
    assert all(one.condition == two.condition for one, two in pairs)


def test_between_runs_the_same_names_and_conditions_belong_together() -> None:
    first = [named("a", "x"), named("b", "x"), named("a", "y")]
    second = [named("b", "x"), named("a", "x"), named("a", "z")]
    assert [(one.label, one.condition) for one, _ in pairs_between(first, second)] == [
        ("a", "x"),
        ("b", "x"),
    ]
    (pair,) = pairs_between([named("old", "x")], [named("new", "x")])
    assert [one.label for one in pair] == ["old", "new"]
    assert pairs_between([named("old", "x")], [named("new", "x"), named("newer", "x")]) == []
    (pair,) = pairs_between([named("a", "5x5")], [named("a", "9x9")])
    assert {one.condition for one in pair} == {"5x5"}
