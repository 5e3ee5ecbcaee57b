"""Fitness landscapes: their shape, what they pay, what is told of an episode, and who climbs them."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_star.doors import drawn, rolled, story

from mensura.agent.errors import MensuraError
from mensura.core.compiled import JIT
from mensura.testing import check_world
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.games.landscape.kernels import terrain
from mensura.worlds.lambda_star.games.landscape.kernels.rules import DRIFTED_COL, DRIFTED_ROW
from mensura.worlds.lambda_star.world import LambdaStar

keys = st.integers(0, 2**64 - 1)


@st.composite
def landscapes(draw: st.DrawFn, **fixed: Any) -> LambdaStar:
    """Landscapes of every shape."""
    rows, cols = draw(st.integers(3, 12)), draw(st.integers(3, 12))
    parameters: dict[str, Any] = {
        "rows": rows,
        "cols": cols,
        "subjects": draw(st.integers(1, 5)),
        "horizon": draw(st.integers(1, 15)),
        "range": draw(st.integers(1, 3)),
        "peaks": draw(st.integers(1, max(1, rows * cols // 9))),
        "peak_width": draw(st.sampled_from([1.0, 4.0, 9.0])),
        "below_zero": draw(st.sampled_from([0.3, 0.5, 0.8])),
        "drift": draw(st.sampled_from([0.0, 0.3, 1.0])),
    }
    return LambdaStar(task="landscape", **{**parameters, **fixed})


def values(d: Description) -> np.ndarray:
    return np.array(d.drawn_values).reshape(d.rows, d.cols)


def around(f: np.ndarray) -> np.ndarray:
    """The eight neighbors of every cell: (8, rows, cols)."""
    steps = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
    return np.stack([np.roll(f, step, (0, 1)) for step in steps])


def optima(f: np.ndarray) -> int:
    return int((around(f) <= f).all(axis=0).sum())


def climbed(f: np.ndarray, y: int, x: int) -> tuple[int, int]:
    """Where steepest ascent leads, by the first of several best neighbors in the order of actions."""
    while True:
        rows, cols = f.shape
        cells = [((y + h) % rows, (x + i) % cols) for h in (-1, 0, 1) for i in (-1, 0, 1)]
        best = max(cells, key=lambda cell: f[cell])
        if f[best] <= f[y, x]:
            return y, x
        y, x = best


# The shape


@given(landscapes(), keys)
@settings(max_examples=examples(30, 150))
def test_a_landscape_has_the_peaks_it_was_asked_for_one_global_optimum_and_sums_to_zero(
    world: LambdaStar, key: int
) -> None:
    f = values(world.sample(key))
    assert optima(f) == world.peaks
    assert (f == 1.0).sum() == 1
    assert f.min() >= -1.0
    assert f.max() == 1.0
    assert f.sum() == 0.0  # exactly


@given(keys, st.sampled_from([0.2, 0.5, 0.8]))
@settings(max_examples=40)
def test_the_wanted_share_of_cells_is_below_zero_and_those_as_high(key: int, share: float) -> None:
    world = LambdaStar(task="landscape", rows=15, cols=15, below_zero=share)
    f = values(world.sample(key))
    # Cells at the same height go together, so that it may be more than the share, but not by another height.
    highest = f[f < 0].max()
    wanted = int(share * f.size + 0.5)
    assert (f < highest - 1e-6).sum() < wanted <= (f < 0).sum()


@pytest.mark.parametrize(("side", "peaks"), [(3, 1), (10, 3), (20, 12)])
def test_without_a_number_there_is_one_peak_for_33_cells(side: int, peaks: int) -> None:
    world = LambdaStar(task="landscape", rows=side, cols=side)
    assert optima(values(world.sample(1))) == peaks


def test_more_and_narrower_peaks_make_a_landscape_more_rugged() -> None:
    def mean(**parameters: Any) -> float:
        world = LambdaStar(task="landscape", rows=15, cols=15, **parameters)
        return float(np.mean([world.complexity(world.sample(i), "ruggedness") for i in range(40)]))

    assert mean(peaks=2) < mean(peaks=8) < mean(peaks=20)
    assert mean(peaks=8, peak_width=2.0) > mean(peaks=8, peak_width=8.0)


@pytest.mark.bounds
@given(landscapes(), keys)
@settings(max_examples=examples(24, 60))
def test_complexities_are_those_of_their_definitions(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    f = values(d)
    assert world.complexity(d, "optima") == optima(f)
    correlation = (f * around(f).mean(axis=0)).sum() / (f * f).sum()
    assert world.complexity(d, "ruggedness") == pytest.approx(100 * (1 - correlation), abs=0.501)


@pytest.mark.bounds
def test_ruggedness_is_the_autocorrelation_along_a_random_walk() -> None:
    """Weinberger (1990): a long walk over the cells, and its values one step apart."""
    world = LambdaStar(task="landscape", rows=8, cols=8, peaks=4)
    d = world.sample(3)
    f = values(d)
    rng = np.random.default_rng(1)
    ways = np.array([(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)])
    walk = ways[rng.integers(0, 8, 200_000)].cumsum(axis=0) % 8
    met = f[walk[:, 0], walk[:, 1]]
    rho = np.corrcoef(met[:-1], met[1:])[0, 1]
    assert world.complexity(d, "ruggedness") == pytest.approx(100 * (1 - rho), abs=1.5)


@pytest.mark.bounds
@pytest.mark.parametrize(("measure", "wanted"), [("optima", 1), ("optima", 9), ("ruggedness", 15)])
def test_a_wanted_complexity_is_what_one_gets(measure: str, wanted: int) -> None:
    world = LambdaStar(task="landscape", rows=12, cols=12)
    for key in range(10):
        d = world.sample(key, (measure, wanted, wanted))
        assert world.complexity(d, measure) == wanted


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_whole_numbers_are_wished_for_without_compiling_anew() -> None:
    world = LambdaStar(task="landscape")
    world.sample(1, ("optima", 1.0, 5.0))
    compiled: Any = terrain.sample_door
    known = list(compiled.signatures)
    world.sample(1, ("optima", 1, 5))
    assert compiled.signatures == known


def test_an_interval_of_optima_is_used_evenly() -> None:
    world = LambdaStar(task="landscape", rows=12, cols=12)
    found = [world.complexity(world.sample(i, ("optima", 3, 5)), "optima") for i in range(150)]
    assert {found.count(n) > 30 for n in (3, 4, 5)} == {True}


# What it pays


@given(landscapes(), keys, keys)
@settings(max_examples=examples(15, 60))
def test_everybody_gets_and_sees_what_cells_are_worth_wherever_the_landscape_has_drifted(
    world: LambdaStar, key: int, reset: int
) -> None:
    d = world.sample(key)
    environment = world.build(d)
    rng = np.random.default_rng(key)
    turn = environment.reset(reset)
    story = [(environment.positions()["subjects"], turn)]
    while turn.ended is None:
        turn = environment.step([int(a) for a in rng.integers(1, 10, d.subjects)])
        story.append((environment.positions()["subjects"], turn))
    k = d.range

    def fits(way: tuple[int, int]) -> bool:
        """Whether all of it was so if the landscape drifts this way."""
        for t, (cells, turn) in enumerate(story):
            steps = int(d.drift * t + 1e-9)
            f = np.roll(values(d), (way[0] * steps, way[1] * steps), (0, 1))
            for seat, (y, x) in enumerate(cells):
                rows, cols = (np.arange(at - k, at + k + 1) for at in (y, x))
                seen = f[np.ix_(rows % d.rows, cols % d.cols)]
                if (turn.observations[seat]["rewards"] != seen).any():
                    return False
                if t and turn.rewards[seat] != f[y, x]:
                    return False
        return True

    ways = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
    assert any(fits(way) for way in ways)


def test_each_of_eight_directions_is_drawn_as_often() -> None:
    world = LambdaStar(task="landscape", drift=1.0, subjects=1, horizon=1)
    d = world.sample(1)
    f = values(d)
    environment = world.build(d)
    counts: dict[tuple[int, ...], int] = {}
    for reset in range(800):
        environment.reset(reset)
        turn = environment.step([5])
        y, x = environment.positions()["subjects"][0]
        sources = np.argwhere(f == turn.rewards[0]).tolist()
        near = [((y - sy + 1) % 10 - 1, (x - sx + 1) % 10 - 1) for sy, sx in sources]
        near = [way for way in near if max(map(abs, way)) == 1]
        if len(near) == 1:
            counts[near[0]] = counts.get(near[0], 0) + 1
    assert len(counts) == 8
    assert min(counts.values()) > 50


# Reactions


def distances(f: np.ndarray, y: int, x: int) -> np.ndarray:
    """The toroidal Moore distances of all cells from one."""
    down, right = (abs(np.arange(size) - at) for size, at in zip(f.shape, (y, x), strict=True))
    down, right = (np.minimum(one, len(one) - one) for one in (down, right))
    return np.maximum(down[:, None], right[None, :])


@given(landscapes(drift=0.0), st.sampled_from(["flees", "follows"]), st.integers(0, 4), keys, keys)
@settings(max_examples=examples(15, 60))
def test_a_landscape_flees_or_follows_the_nearest_subject_that_its_summit_notices(
    world: LambdaStar, how: Any, sense: int, key: int, reset: int
) -> None:
    world = dataclasses.replace(world, landscape_reacts=how, sense=sense)
    assert "balanced" not in world.promises
    environment = world.build(world.sample(key))
    rng = np.random.default_rng(key)
    environment.reset(reset)
    before = environment.worth()
    for _ in range(world.horizon):
        turn = environment.step([int(a) for a in rng.integers(1, 10, world.subjects)])
        now = environment.worth()
        assert before is not None
        assert now is not None
        old, new = (tuple(np.argwhere(f == 1.0)[0].tolist()) for f in (before, now))
        # All of it goes as its summit does.
        went = tuple(b - a for a, b in zip(old, new, strict=True))
        assert (np.roll(before, went, (0, 1)) == now).all()
        cells = environment.positions()["subjects"]
        far = [int(distances(now, *cell)[old]) for cell in cells]
        near = [cell for cell, d in zip(cells, far, strict=True) if d == min(far)]
        if min(far) > sense:
            assert new == old
        else:
            steps = distances(now, *old) <= 1
            best = (
                distances(now, *cell)[steps].max()
                if how == "flees"
                else distances(now, *cell)[steps].min()
                for cell in near
            )
            assert any(distances(now, *c)[new] == b for c, b in zip(near, best, strict=True))
            assert steps[new]
        assert turn.rewards == [now[cell] for cell in cells]
        before = now


@given(landscapes(drift=0.0), st.sampled_from([0.1, 0.6]), st.sampled_from([0.0, 0.2]), keys, keys)
@settings(max_examples=examples(10, 40))
def test_cells_of_a_landscape_tire_of_those_who_stand_on_them(
    world: LambdaStar, tiring: float, recovery: float, key: int, reset: int
) -> None:
    world = dataclasses.replace(
        world, landscape_reacts="tires", tiring=tiring, recovery=recovery, range=1
    )
    environment = world.build(world.sample(key))
    f = values(environment.description)
    strength = np.ones_like(f)
    rng = np.random.default_rng(key)
    environment.reset(reset)
    for _ in range(world.horizon):
        turn = environment.step([int(a) for a in rng.integers(1, 10, world.subjects)])
        cells = environment.positions()["subjects"]
        assert list(turn.rewards) == pytest.approx([strength[c] * f[c] for c in cells])
        tired = np.zeros(f.shape, bool)
        for cell in cells:
            tired[cell] = True
        strength = np.clip(strength + np.where(tired, -tiring, recovery), 0, 1)
        assert environment.worth() == pytest.approx(strength * f)
        for seat, (y, x) in enumerate(cells):
            seen = (strength * f)[
                np.ix_(
                    [(y + i) % world.rows for i in (-1, 0, 1)],
                    [(x + i) % world.cols for i in (-1, 0, 1)],
                )
            ]
            assert turn.observations[seat]["rewards"] == pytest.approx(seen)


@pytest.mark.bounds
def test_a_random_subject_loses_where_a_landscape_flees_and_gains_where_it_follows() -> None:
    found = {}
    for how in ("flees", "follows"):
        world = LambdaStar(task="landscape", landscape_reacts=how)
        scores, _ = rolled(world, "random", 2000)
        found[how] = scores.mean() / (scores.std() / np.sqrt(len(scores)))
    assert found["flees"] < -5
    assert found["follows"] > 5


@pytest.mark.bounds
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"drift": 0.4},
        {"below_zero": 0.8, "peaks": 3},
        {"landscape_reacts": "tires", "tiring": 0.7, "drift": 0.2},
    ],
)
def test_a_random_subjects_expected_reward_is_zero(
    parameters: dict[str, Any], full_size: bool
) -> None:
    world = LambdaStar(task="landscape", rows=6, cols=7, horizon=15, **{"peaks": 4, **parameters})
    assert "balanced" in world.promises
    scores, _ = rolled(world, "random", 20_000 if full_size else 4_000)
    assert abs(scores.mean()) < 4 * scores.std() / np.sqrt(len(scores))


@given(landscapes(drift=0.0), keys)
@settings(max_examples=examples(12, 30))
def test_what_a_random_walk_from_any_cell_expects_is_exactly_zero(
    world: LambdaStar, key: int
) -> None:
    """By counting all ways: the sum over starts of what each expects after any number of moves."""
    f = values(world.sample(key))
    worth = f
    for _ in range(4):
        worth = worth + around(worth).sum(axis=0)  # all nine moves
        assert worth.sum() == 0.0


# What is told


@pytest.mark.parametrize(
    "parameters", [{}, {"drift": 0.5}, {"moves": ("orthogonal", "slow", "diagonal")}]
)
def test_what_is_told_is_what_happened(parameters: dict[str, Any]) -> None:
    world = LambdaStar(task="landscape", subjects=3, horizon=20, **parameters)
    d = world.sample(5)
    environment = world.build(d)
    rng = np.random.default_rng(2)
    turn = environment.reset(11)
    stood = set(environment.positions()["subjects"])
    new = np.zeros(3)
    basin = np.zeros(3)
    best: list[float] = []
    found = 21
    f = values(d)
    for t in range(1, 21):
        turn = environment.step([int(a) for a in rng.integers(1, 10, 3)])
        third = (t - 1) * 3 // 20
        for cell, reward in zip(environment.positions()["subjects"], turn.rewards, strict=True):
            new[third] += cell not in stood
            stood.add(cell)
            drifted = np.roll(
                f, tuple(environment.parts.tally[DRIFTED_ROW : DRIFTED_COL + 1].astype(int)), (0, 1)
            )
            summit = climbed(drifted, *cell)
            basin[third] += drifted[summit] == 1.0
            if reward == 1.0:
                found = min(found, t)
        best.append(max([*best[-1:], *turn.rewards]))
    told = environment.measures()
    moves = 3 * np.array([7, 7, 6])
    names = ("early", "middle", "late")
    assert [told[f"{name}_exploration"] for name in names] == pytest.approx((new / moves).tolist())
    inside = [told[f"{name}_exploitation"] for name in names]
    assert inside == pytest.approx((basin / moves).tolist())
    assert told["best_so_far"] == pytest.approx(np.mean(best))
    assert told["optimum_found_at"] == found


def test_who_stands_on_the_summit_exploits_and_has_found_it() -> None:
    world = LambdaStar(task="landscape", subjects=1, horizon=9)
    scores, told = rolled(world, "hill-climbing", 200, restarts=50)
    at_once = told["optimum_found_at"] == 1
    assert at_once.any()
    assert (told["late_exploitation"][at_once] == 1.0).all()
    assert (told["best_so_far"][at_once] == 1.0).all()
    assert (scores[at_once] == 1.0).all()
    assert (told["optimum_found_at"] <= 10).all()


# Who climbs


def watched(world: LambdaStar, name: str, key: int, **parameters: Any) -> list[list[Any]]:
    """The cells of all seats, interaction by interaction, of a group in one episode."""
    return [list(one.cells) for one in story(world, [(name, parameters, 1)], key)]


@pytest.mark.parametrize("key", range(6))
def test_a_hill_climber_without_restarts_ends_on_a_local_optimum_and_stays(key: int) -> None:
    world = LambdaStar(task="landscape", subjects=4, horizon=30, peaks=8)
    f = values(world.sample(key))
    for path in zip(*watched(world, "hill-climbing", key, restarts=0), strict=True):
        worth = [f[cell] for cell in path]
        assert worth == sorted(worth)
        assert path[-1] == path[-5]
        assert climbed(f, *path[-1]) == path[-1]


@pytest.mark.pure
@pytest.mark.parametrize("key", range(6))
def test_a_hill_climber_with_restarts_ends_on_the_best_summit_it_met(key: int) -> None:
    world = LambdaStar(task="landscape", subjects=4, horizon=120, peaks=8)
    f = values(world.sample(key))
    for path in zip(*watched(world, "hill-climbing", key, restarts=3), strict=True):
        met = [cell for cell, after in pairwise(path) if cell == after]
        assert f[path[-1]] >= max(f[cell] for cell in [*met, path[-1]])
        assert climbed(f, *path[-1]) == path[-1]


@pytest.mark.bounds
def test_restarts_find_the_global_optimum_more_often() -> None:
    world = LambdaStar.preset("landscape")
    _, without = rolled(world, "hill-climbing", 300, restarts=0)
    _, with_some = rolled(world, "hill-climbing", 300)
    assert (with_some["optimum_found_at"] <= 100).mean() > 0.9
    assert (without["optimum_found_at"] <= 100).mean() < 0.8


def test_a_hot_annealer_walks_at_random_and_a_cold_one_climbs() -> None:
    world = LambdaStar(task="landscape", rows=12, cols=12, horizon=60)
    hot, _ = rolled(world, "annealing", 1000, temperature=1000, final=1000)
    cold, told = rolled(world, "annealing", 1000, temperature=0.0001, final=0.0001)
    usual, explored = rolled(world, "annealing", 1000)
    assert abs(hot.mean()) < 0.05
    assert cold.mean() > 0.35
    assert explored["middle_exploration"].mean() > told["middle_exploration"].mean() + 0.05
    assert hot.mean() < usual.mean()


def test_a_swarm_gathers_where_its_best_member_was() -> None:
    world = LambdaStar.preset("landscape")
    alone, _ = rolled(world, "swarm", 300, social=0.0)
    together, told = rolled(world, "swarm", 300)
    assert together.mean() > alone.mean() + 0.05
    assert told["early_exploration"].mean() > told["late_exploration"].mean() + 0.1


def test_the_collectives_of_search_gain_by_telling_here_too() -> None:
    world = LambdaStar.preset("landscape")
    alone, _ = rolled(world, "local-search", 300)
    for name in ("crowd", "auction", "hierarchy"):
        assert rolled(world, name, 300)[0].mean() > alone.mean() + 0.05, name


def test_learners_learn_a_landscape_that_stands_still() -> None:
    world = LambdaStar(task="landscape", rows=6, cols=6, peaks=3, horizon=20)
    assert rolled(world, "shared-q-learning", 20)[0].mean() > 0.5


# The contract, and what is refused


@pytest.mark.thorough
@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {"drift": 0.3, "range": 2, "subjects": 2, "horizon": 12},
    ],
)
def test_landscapes_keep_the_contract(parameters: dict[str, Any]) -> None:
    world = LambdaStar(task="landscape", **parameters)
    assert check_world(world, balance=100) == []


@given(landscapes(), keys)
@settings(max_examples=30)
def test_a_landscape_is_rebuilt_bit_for_bit_from_its_description(
    world: LambdaStar, key: int
) -> None:
    d = world.sample(key)
    again = Description.from_json(json.loads(json.dumps(d.to_json())))
    assert again == d
    assert (again.pattern() == d.pattern()).all()
    patterns, _ = drawn(world, 1)
    assert (world.describe(patterns.rows[0]).pattern() == patterns.rows[0]).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"peaks": -1}, "peaks is -1; it is a whole number from 0 to 11"),
        ({"peaks": 12}, "peaks is 12; it is a whole number from 0 to 11"),
        ({"peaks": 2.5}, "peaks is 2.5; it is a whole number"),
        ({"rows": 2}, "A landscape of 2x10 cells has no room for a peak; it needs at least 3x3"),
        ({"rows": 200, "cols": 200}, "too large; at most 16384 cells"),
        ({"peak_width": 0}, "peak_width is 0; it is a number from 0.5"),
        ({"below_zero": 1}, "below_zero is 1; it is a number from 0.2 to 0.9"),
        ({"landscape_reacts": "runs"}, "landscape_reacts is 'runs'; it is 'no' or 'flees' or"),
        ({"landscape_reacts": "tires", "tiring": 2}, "tiring is 2; it is a number from 0 to 1"),
        ({"drift": -0.1}, "drift is -0.1; it is a number from 0 to 1"),
        ({"drift": 2}, "drift is 2; it is a number from 0 to 1"),
        ({"guided": True}, "guided belongs to the task 'search', and the task is 'landscape'"),
    ],
)
def test_impossible_landscapes_get_a_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar(task="landscape", **parameters)


def test_what_only_landscapes_have_is_refused_elsewhere() -> None:
    with pytest.raises(
        MensuraError, match="peaks belongs to the task 'landscape', and the task is"
    ):
        LambdaStar(peaks=3)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ((0.5,), "The content has 1 numbers; a landscape of 10x10 has 100"),
        ((2.0,) * 100, "A cell of the content is 2.0; it is a number from -1 to 1"),
        ((float("nan"),) * 100, "A cell of the content is nan"),
    ],
)
def test_a_described_landscape_that_is_none_gets_a_sentence(content: Any, sentence: str) -> None:
    d = LambdaStar(task="landscape").sample(1)
    with pytest.raises(MensuraError, match=sentence):
        dataclasses.replace(d, drawn_values=content)


def test_a_complexity_out_of_reach_and_unfitting_subjects_get_a_sentence() -> None:
    world = LambdaStar(task="landscape")
    with pytest.raises(MensuraError, match="optima from 40 to 50 is out of reach"):
        world.sample(1, ("optima", 40, 50))
    with pytest.raises(MensuraError, match="no complexity 'K'"):
        world.complexity(world.sample(1), "K")
    with pytest.raises(MensuraError, match="'oracle' is no subject of Lambda Star under the task"):
        world.group([("oracle", {}, 1)])
    with pytest.raises(MensuraError, match="'swarm' is no subject of Lambda Star;"):
        LambdaStar().group([("swarm", {}, 1)])
    with pytest.raises(MensuraError, match="A landscape without content"):
        world.build(dataclasses.replace(world.sample(1), drawn_values=()))
