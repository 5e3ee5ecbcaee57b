"""Environments of a wanted complexity, and the measures of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.complexity.lempel_ziv import lempel_ziv_76
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = [pytest.mark.bounds]


@given(st.integers(2, 23), st.integers(0, 2**64 - 1))
@settings(max_examples=examples(40, 100))
def test_a_wanted_complexity_is_what_one_gets(k: int, key: int) -> None:
    world = LambdaStar()
    assert world.complexity(world.sample(key, ("K", k, k)), "K") == k


def test_the_complexities_of_the_paper_are_all_within_reach() -> None:
    """Section 5.1: K from 2 to 23 for episodes of 50 iterations."""
    assert LambdaStar().complexity_range == (2, 23)
    world = LambdaStar()
    seen = {int(world.complexity(world.sample(key), "K")) for key in range(3000)}
    assert set(range(2, 24)) <= seen


@pytest.mark.parametrize("horizon", [2, 3, 5, 20, 30, 200, 5000])
def test_the_default_range_of_complexity_is_within_reach_at_every_horizon(horizon: int) -> None:
    world = LambdaStar(horizon=horizon)
    low, high = world.complexity_range
    for k in (low, high):
        assert world.complexity(world.sample(1, ("K", k, k))) == k


@pytest.mark.parametrize(
    ("world", "low", "high"),
    [
        (LambdaStar(), 2, 26),
        (LambdaStar(rows=3, cols=3), 2, 18),
        (LambdaStar(horizon=1), 1, 1),
        (LambdaStar(horizon=3), 2, 2),
        (LambdaStar(horizon=15, rows=5, cols=5), 2, 8),
    ],
    ids=lambda one: (
        f"{one.rows}x{one.cols}, {one.horizon}" if isinstance(one, LambdaStar) else None
    ),
)
def test_the_world_tells_between_which_complexities_it_has_environments(
    world: LambdaStar, low: int, high: int
) -> None:
    assert world.complexity_bounds("K") == (low, high)
    keys = np.arange(500, dtype=np.uint64)
    anything = np.full(500, -math.inf), np.full(500, math.inf)
    drawn = world.sample_many(keys, "K", *anything).complexity
    assert low == drawn.min()
    assert drawn.max() <= high
    assert world.complexity(world.sample(1, ("K", high, high))) == high
    for measure in ("K_normalized", "combined", "H"):
        ends = world.complexity_bounds(measure)
        assert ends is not None
        for k, told in zip((low, high), ends, strict=True):
            one = world.sample(2, ("K", k, k))
            assert world.complexity(one, measure) == pytest.approx(told)


def test_of_walks_other_tasks_and_measures_beside_k_the_world_tells_no_bounds() -> None:
    assert LambdaStar(generator="walk").complexity_bounds("K") is None
    assert LambdaStar(segment_complexity=True).complexity_bounds("combined") is None
    landscape = LambdaStar.preset("landscape")
    assert landscape.complexity_bounds(next(iter(landscape.measures))) is None


def test_the_pattern_of_figure_3_has_the_complexity_of_its_sequence() -> None:
    """Cells 7, 3, 4, 9, 8 of a 5 x 5 grid over 20 iterations."""
    d = Description(5, 5, 1, 20, 1, 1, 7, 20, (3, 6, 8, 4, 4), (5, 5, 5, 5, 5))
    assert LambdaStar().complexity(d, "K") == lempel_ziv_76([7, 3, 4, 9, 8] * 4) == 6


def test_search_space_complexity_is_that_of_section_4_3() -> None:
    world = LambdaStar()
    assert world.complexity(world.sample(1), "H") == pytest.approx(math.log2(100 * 99))


def test_the_normalized_and_the_combined_measure_are_functions_of_k_and_h() -> None:
    world = LambdaStar()
    d = world.sample(9)
    k, h = world.complexity(d, "K"), world.complexity(d, "H")
    assert world.complexity(d, "K_normalized") == pytest.approx(k / (50 / math.log2(50)))
    assert world.complexity(d, "combined") == pytest.approx(h + k * math.log2(50))


@pytest.mark.parametrize("measure", ["K", "K_normalized", "combined"])
def test_an_interval_of_any_measure_is_kept(measure: str) -> None:
    world = LambdaStar()
    value = world.complexity(world.sample(4, ("K", 12, 12)), measure)
    for key in range(20):
        d = world.sample(key, (measure, value, value))
        assert world.complexity(d, measure) == pytest.approx(value)


def test_the_segment_alone_is_counted_where_that_is_asked_for() -> None:
    world = LambdaStar.preset("authors-2016")
    d = world.sample(2)
    cells = [(d.good_start - 1) // 10, (d.good_start - 1) % 10]
    walk = [tuple(cells)]
    for move in d.good_moves[: d.segment - 1]:
        y, x = walk[-1]
        walk.append(((y + (move - 1) // 3 - 1) % 10, (x + (move - 1) % 3 - 1) % 10))
    assert world.complexity(d, "K") == lempel_ziv_76(walk)


def test_measures_of_the_segment_alone_are_kept_too() -> None:
    world = LambdaStar.preset("authors-2016")
    d = world.sample(2)
    for measure in ("K_normalized", "combined"):
        value = world.complexity(d, measure)
        found = world.sample(9, (measure, value - 0.05, value + 0.05))
        assert abs(world.complexity(found, measure) - value) <= 0.05
    assert world.complexity(d, "K_normalized") == pytest.approx(
        world.complexity(d, "K") * math.log2(d.segment) / d.segment
    )
    with pytest.raises(MensuraError, match="combined from 900 to 901 was not found"):
        LambdaStar.preset("authors-2016", horizon=5, rows=2, cols=2).sample(
            1, ("combined", 900, 901)
        )


@pytest.mark.parametrize(
    ("within", "sentence"),
    [
        (("K", 40, 60), "A complexity K from 40 to 60 is out of reach for 10x10 cells"),
        (("K", 1, 1), "A complexity K of 1 is out of reach"),
        (("K", 9, 3), "The interval of K from 9 to 3 is empty"),
        (("H", 1, 2), "Every 10x10 environment has H = 13.273 bits"),
        (("Q", 1, 2), "Lambda Star has no complexity 'Q'"),
    ],
)
def test_a_complexity_out_of_reach_gets_a_sentence(
    within: tuple[str, float, float], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar().sample(1, within)


def test_sampling_depends_on_its_key_alone() -> None:
    world = LambdaStar()
    keys = np.arange(1, 9, dtype=np.uint64)
    together = world.sample_many(keys, "K", np.full(8, 5.0), np.full(8, 9.0))
    for i, key in enumerate(keys.tolist()):
        assert world.describe(together.rows[i]) == world.sample(key, ("K", 5, 9))
        assert world.complexity(world.describe(together.rows[i])) == together.complexity[i]


def test_an_unknown_preset_gets_a_sentence() -> None:
    with pytest.raises(
        MensuraError, match=r"'author-2016' is no preset .* did you mean authors-2016"
    ):
        LambdaStar.preset("author-2016")
