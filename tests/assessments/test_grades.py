"""Steps of complexity: which ones a world has, and how likely each is."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assessments.ladder import LadderWorld

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.assessments.anytime import Anytime, Chooser
from mensura.assessments.grades import (
    SEEN,
    Bounds,
    bounds,
    draw_stratum,
    graded_measure,
    strata,
)
from mensura.core.abilities import (
    measure_of,
)
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick


@given(st.integers(1, 9), st.integers(0, 20), st.sets(st.integers(1, 12)), st.integers(1, 12))
def test_the_strata_of_a_world_have_the_masses_of_the_prior(
    first: int, more: int, absent: set[int], most: int
) -> None:
    world = LadderWorld(first, first + more, absent=tuple(absent - {first}))
    found = strata(world, "level", most)
    assert [one.level for one in found] == [
        level
        for level in range(first, min(first + more, first + most - 1) + 1)
        if level not in world.absent
    ]
    assert sum(one.mass for one in found) == pytest.approx(1)
    for one in found:
        assert one.mass / found[0].mass == 2.0 ** (first - one.level)
        measure, low, high = one.within("level")
        assert (measure, high) == ("level", one.level)
        assert one.level - 1 < low < high


def test_strata_are_drawn_by_their_masses() -> None:
    found = strata(LadderWorld(), "level", 4)
    counts = Counter(draw_stratum(fold(7, i), found).level for i in range(4000))
    for one in found:
        assert counts[one.level] / 4000 == pytest.approx(one.mass, abs=0.03)


def test_a_world_may_tell_its_range_of_complexity() -> None:
    class Telling(LadderWorld):
        def complexity_bounds(self, measure: str) -> tuple[float, float]:
            return 2.0, 5.0

    assert bounds(Telling(), "level") == Bounds(2, 5)
    assert str(bounds(Telling(), "level")) == "2 to 5"


def test_a_range_that_draws_show_says_of_how_many() -> None:
    assert bounds(LadderWorld(3, 9), "level") == Bounds(3, 9, SEEN)
    assert str(bounds(LadderWorld(3, 9), "level")) == "3 to 9, the highest of 256 drawn"
    # Patterns of Lambda have no longest, so that the world has no highest complexity to tell.
    found = bounds(Lambda(), "lempel_ziv")
    assert found.draws == SEEN
    assert Lambda().sample(1, ("lempel_ziv", found.high + 1, found.high + 20))


def test_the_range_of_lambda_star_is_that_of_its_patterns_and_not_of_some_draws() -> None:
    world = LambdaStar()
    assert bounds(world, "K") == Bounds(2, 26)
    chosen = Chooser(world, "K", bounds(world, "K")).choose(1, 100.0)
    assert chosen[2] == 26
    assert world.complexity(chosen[1], "K") >= 25


def test_a_world_without_complexity_gets_a_sentence() -> None:
    class Plain(LadderWorld):
        measures: Any = {}  # noqa: RUF012

    with pytest.raises(MensuraError, match="ladder-v0 has no complexity"):
        graded_measure(Anytime(), Plain())
    with pytest.raises(MensuraError, match="no complexity 'levle'; did you mean level"):
        graded_measure(Anytime(measure="levle"), LadderWorld())


def test_lambda_is_graded_by_the_complexity_that_has_environments_at_every_number() -> None:
    assert measure_of(Anytime(), Lambda()) == "lempel_ziv"
    assert measure_of(Anytime(measure="zlib_pattern"), Lambda()) == "zlib_pattern"
    assert measure_of(Anytime(), LambdaStar()) == "K"


def test_of_many_sittings_that_begin_at_once_one_looks_at_the_world() -> None:
    @dataclass(frozen=True)
    class Counted(Lambda):
        def sample(self, key: int, within: Any = None) -> Any:
            looked.append(key)
            return super().sample(key, within)

    looked: list[int] = []
    world, together = Counted(), Barrier(8, timeout=60)

    def begin(_: int) -> Bounds:
        together.wait()
        return bounds(world, "lempel_ziv")

    with ThreadPoolExecutor(8) as sittings:
        found = set(sittings.map(begin, range(8)))
    assert len(found) == 1
    assert len(looked) == len(set(looked))
