"""The AIQ test: its estimate, its error, and its course."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.assessments.aiq import (
    AUTHORS,
    Aiq,
    Estimate,
    Turn,
    allotted,
    drawn_pool,
    pooled,
)
from mensura.assessments.aiq import (
    test as course_of,
)
from mensura.core.contract import Episode, Plan
from mensura.core.scored import measures_of
from mensura.core.steps import ERROR
from mensura.worlds.bf.world import BF
from mensura.worlds.echo import Echo


def taken(
    strata: Sequence[int], values: Sequence[float | None], pairs: int, pilot: int = 3
) -> Estimate:
    """A whole test in which program k of the pool brings values[k]."""
    course = course_of(strata, pairs, pilot)
    turn = next(course)
    while True:
        try:
            turn = course.send(values[turn.number])
        except StopIteration as end:
            found: Estimate = end.value
            return found


def population(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Strata as the world has them, some of them small, and means of pairs as a learner brings them.

    Where the reward is the action all is won but for exploring; elsewhere some programs can be won and others cannot.
    """
    shares = np.array(
        [18, 10, 2.3, 0.5, 2, 2, 1.7, 1.9, 1.6, 0.5, 6, 4.6, 6.7, 6.5, 7, 5.4, 7, 7, 4.6, 4.8]
    )
    strata = rng.choice(20, 20_000, p=shares / shares.sum()) + 1
    level, width = rng.uniform(0, 0.9, 21), rng.uniform(0.02, 0.5, 21)
    values = np.clip(level[strata] + width[strata] * rng.standard_normal(20_000), -1, 1)
    return strata, np.where(rng.random(20_000) < 0.2, 0.0, values)


def test_intervals_cover_and_the_authors_do_not(full_size: bool) -> None:
    """1,000 tests of 200 programs: 93 to 97% of intervals at full size; the authors' formula has far fewer."""
    rng = np.random.default_rng(1)
    strata, values = population(rng)
    count = 1000 if full_size else 200
    covered = narrow = 0
    scores = []
    for _ in range(count):
        pool = rng.integers(len(values), size=2000)
        found = taken(strata[pool].tolist(), values[pool].tolist(), 200)
        covered += abs(found.score - values.mean()) < 1.96 * found.error
        narrow += abs(found.score - values.mean()) < found.authors
        scores.append(found.score)
        assert found.pairs == 200
    low, high = (0.93, 0.97) if full_size else (0.90, 0.99)
    assert low <= covered / count <= high
    assert narrow / count < 0.85
    assert abs(np.mean(scores) - values.mean()) < 4 * np.std(scores) / np.sqrt(count)


@given(
    st.lists(st.integers(1, 20), min_size=4, max_size=200), st.integers(2, 4), st.integers(5, 120)
)
def test_no_program_is_played_twice_and_never_more_than_there_are(
    strata: list[int], pilot: int, pairs: int
) -> None:
    pairs = max(pairs, pilot + 1)
    course = course_of(strata, pairs, pilot)
    seen: list[Turn] = [next(course)]
    while True:
        try:
            seen.append(course.send(0.5))
        except StopIteration as end:
            found: Estimate = end.value
            break
    indexes = [one.number for one in seen]
    assert len(set(indexes)) == len(indexes)
    assert found.score == pytest.approx(0.5)
    assert found.error == pytest.approx(0.0, abs=1e-9)
    groups = pooled(strata, pilot + 1, pairs // (pilot + 1))
    assert sorted(index for members in groups.values() for index in members) == list(
        range(len(strata))
    )
    assert len(seen) == found.pairs == min(pairs, len(strata))
    assert len(groups) == 1 or min(map(len, groups.values())) > pilot


def test_the_smallest_of_too_many_strata_count_as_one() -> None:
    strata = [1] * 50 + [2] * 30 + [3] * 10 + [4] * 5 + [5] * 2
    assert {k: len(v) for k, v in pooled(strata, 3, 9).items()} == {0: 7, 1: 50, 2: 30, 3: 10}
    assert {k: len(v) for k, v in pooled(strata, 2, 9).items()} == {1: 50, 2: 30, 3: 10, 4: 5, 5: 2}
    assert {k: len(v) for k, v in pooled(strata, 2, 3).items()} == {0: 17, 1: 50, 2: 30}
    assert {k: len(v) for k, v in pooled(strata, 2, 1).items()} == {0: 97}


@given(
    st.dictionaries(
        st.integers(1, 9), st.lists(st.floats(-1, 1), min_size=2, max_size=4), min_size=1
    ),
    st.integers(0, 50),
)
def test_allotments_fit_into_the_pool(found: dict[int, list[float]], count: int) -> None:
    weights = {one: 1 / len(found) for one in found}
    room = {one: 3 + one for one in found}
    sizes = allotted(found, weights, room, count)
    assert all(0 <= sizes[one] <= room[one] for one in found)
    assert sum(sizes.values()) == min(max(count, len(found)), sum(room.values()))


def test_void_programs_are_replaced_and_counted() -> None:
    found = taken([1] * 40, [None if k % 2 else 0.25 for k in range(40)], 10)
    assert found.pairs == 10
    assert found.replaced >= 9
    with pytest.raises(MensuraError, match="reached the limit"):
        taken([1] * 6, [None] * 6, 4, 2)


def test_pairs_are_one_program_and_its_opposite() -> None:
    world = BF(horizon=5)
    plans: list[Plan] = []
    course = Aiq(programs=10, pilot=2, interactions=5).sitting(world, 3)
    plan = next(course)
    try:
        while True:
            plans.append(plan)
            reward = 1.0 if len(plans) % 2 else -0.5
            plan = course.send(
                Episode(
                    rewards=(5 * reward,), interactions=(5,), scored=(0,), seconds=(0.0,), cpu=0.0,
                    measures={}, slot=None, elapsed=0.0,
                )
            )  # fmt: skip
    except StopIteration as end:
        score = end.value
    assert score == pytest.approx(0.25)
    assert {ERROR, AUTHORS} <= set(measures_of(score))
    for first, second in zip(plans[::2], plans[1::2], strict=True):
        one, other = first.description, second.description
        assert (one.text, one.negated, other.negated) == (other.text, False, True)  # type: ignore[attr-defined]
        assert (first.key, first.environment) == (second.key, second.environment)


def test_all_subjects_meet_the_same_pool() -> None:
    world = BF(horizon=5)
    assert drawn_pool(world, 7, 20) is drawn_pool(BF(horizon=5), 7, 20)


def test_bad_settings_get_a_sentence() -> None:
    for given_, sentence in (
        ({"pilot": 1}, "takes 2 pairs"),
        ({"programs": 0}, "programs"),
        ({"programs": 3}, "take 4 at least"),
        ({"interactions": 0}, "interactions"),
        ({"memory": "none"}, "memory"),
    ):
        with pytest.raises(MensuraError, match=sentence):
            Aiq(**given_)  # type: ignore[arg-type]
    with pytest.raises(MensuraError, match="have none; bf has them"):
        next(Aiq().sitting(Echo(), 1))


@pytest.mark.parametrize(
    ("given_", "told"),
    [({}, "twice for as long as it lasts,"), ({"interactions": 1}, "twice for 1 interaction,")],
)
def test_what_was_done_is_told_with_or_without_a_length(given_: dict[str, int], told: str) -> None:
    parameters = {"sittings": 2, "programs": 10, "pilot": 2, "memory": "fresh", **given_}
    assert told in next(iter(Aiq.account.done(parameters)))
