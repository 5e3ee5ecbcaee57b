"""What search may ask beyond the paper, held against slow readings: company, reactions, coverage, unequal subjects."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold_array, key, numbers
from mensura.assessments.battery import Battery
from mensura.worlds.lambda_star.coverage import draw_unseen, first_seen
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.environment import LambdaStarEnvironment
from mensura.worlds.lambda_star.torus.subjects import KINDS
from mensura.worlds.lambda_star.world import LambdaStar

keys = st.integers(0, 2**64 - 1)
REACTIONS = ("no", "flees", "follows", "tires")
GAITS = ("all", "orthogonal", "diagonal", "slow")
QUESTIONS = ("coordination", "coverage", "reactive", "heterogeneous")


@st.composite
def asked(draw: st.DrawFn, **fixed: Any) -> LambdaStar:
    """Worlds with any options of search, small enough to check by hand."""
    rows, cols = draw(st.integers(2, 7)), draw(st.integers(2, 7))
    k = draw(st.integers(1, min(rows, cols, 2)))
    company = draw(st.integers(1, 3))
    weights = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), max_size=3).map(tuple)
    parameters: dict[str, Any] = {
        "rows": rows,
        "cols": cols,
        "subjects": draw(st.integers(1, 5)),
        "horizon": draw(st.integers(1, 12)),
        "range": k,
        "radius": draw(st.integers(0, 2)),
        "generator": draw(st.sampled_from(["recurrent", "walk"])),
        "guided": draw(st.booleans()),
        "company": company,
        "company_for": draw(st.sampled_from(["good", "both"])) if company > 1 else "good",
        "good_reacts": draw(st.sampled_from(REACTIONS)),
        "evil_reacts": draw(st.sampled_from(REACTIONS)),
        "sense": draw(st.integers(0, 4)),
        "track": draw(st.booleans()),
        "ranges": draw(st.lists(st.integers(1, k), max_size=3).map(tuple)),
        "moves": draw(st.lists(st.sampled_from(GAITS), max_size=4).map(tuple)),
        "good_appetites": draw(weights),
        "evil_appetites": draw(weights),
        "learning_weight": draw(st.sampled_from([0.0, 0.5, 1.0])),
    }
    return LambdaStar(**{**parameters, **fixed})


def distance(a: Any, b: Any, d: Description) -> int:
    """The larger of the toroidal row and column differences, by trying every wrap."""
    dy = min(abs(a[0] - b[0] + wrap * d.rows) for wrap in (-1, 0, 1))
    dx = min(abs(a[1] - b[1] + wrap * d.cols) for wrap in (-1, 0, 1))
    return max(dy, dx)


def cycled(values: Any, seat: int, usual: Any) -> Any:
    return values[seat % len(values)] if values else usual


def moved(cell: Any, action: int, d: Description) -> tuple[int, int]:
    return (cell[0] + (action - 1) // 3 - 1) % d.rows, (cell[1] + (action - 1) % 3 - 1) % d.cols


def able(action: int, gait: str, iteration: int) -> bool:
    straight = action in (2, 4, 5, 6, 8)
    return {
        "all": True,
        "orthogonal": straight,
        "diagonal": not straight,
        "slow": iteration % 2 == 0,
    }[gait]


def worth(
    cell: Any, others: Any, here: dict[str, Any], strength: Any, seat: int, d: Description
) -> float:
    """What a subject gets on a cell, with these others about: section 4.1.2 with company, strength and appetites."""
    felt = []
    for at, power, company in (
        (here["good"], strength[0], d.company),
        (here["evil"], strength[1], d.company if d.company_for == "both" else 1),
    ):
        away = distance(cell, at, d)
        near = sum(distance(one, at, d) <= d.radius for one in [cell, *others])
        felt.append(power / (away + 1) if away <= d.radius and near >= company else 0.0)
    value = cycled(d.good_appetites, seat, 1.0) * felt[0]
    return float(np.clip(value - cycled(d.evil_appetites, seat, 1.0) * felt[1], -1.0, 1.0))


@given(asked(), keys, keys)
@settings(max_examples=examples(15, 80))
def test_moves_rewards_and_observations_are_as_the_options_say(
    world: LambdaStar, sampled: int, reset: int
) -> None:
    d = world.sample(sampled)
    environment = world.build(d)
    turn = environment.reset(reset)
    rng = np.random.default_rng(sampled)
    strength = [1.0, 1.0]
    k = d.range
    for t in range(d.horizon + 1):
        here = environment.positions()
        everybody = here["subjects"]
        for seat, seen in enumerate(turn.observations):
            y, x = everybody[seat]
            others = [one for j, one in enumerate(everybody) if j != seat]
            own = cycled(d.ranges, seat, k)
            for h in range(2 * k + 1):
                for i in range(2 * k + 1):
                    cell = (y + h - k) % d.rows, (x + i - k) % d.cols
                    if max(abs(h - k), abs(i - k)) > own:
                        planes = ("rewards", "good", "evil", "others", "guide")
                        assert not any(seen[plane][h, i] for plane in planes)
                        continue
                    expected = worth(cell, others, here, strength, seat, d)
                    assert seen["rewards"][h, i] == pytest.approx(expected, abs=1e-12)
                    assert seen["good"][h, i] == (cell == here["good"])
                    assert seen["others"][h, i] == others.count(cell)
            assert environment.spaces(seat)[0].contains(seen)
        if turn.ended:
            break
        actions = [int(a) for a in rng.integers(1, 10, d.subjects)]
        turn = environment.step(actions)
        after = environment.positions()
        assert after["good"] != after["evil"]
        for seat, action in enumerate(actions):
            own_move = action if able(action, cycled(d.moves, seat, "all"), t) else 5
            assert after["subjects"][seat] == moved(everybody[seat], own_move, d)
            others = [one for j, one in enumerate(after["subjects"]) if j != seat]
            expected = worth(after["subjects"][seat], others, after, strength, seat, d)
            assert turn.rewards[seat] == pytest.approx(expected, abs=1e-12)
            assert -1.0 <= turn.rewards[seat] <= 1.0
        for i, (name, how) in enumerate((("good", d.good_reacts), ("evil", d.evil_reacts))):
            if how == "tires":
                near = any(distance(one, after[name], d) <= d.radius for one in after["subjects"])
                change = -d.tiring if near else d.recovery
                strength[i] = min(1.0, max(0.0, strength[i] + change))


@given(asked(company=1, company_for="good", horizon=10), keys)
@settings(max_examples=examples(20, 100))
def test_good_and_evil_flee_and_follow_the_nearest_subject_they_notice(
    world: LambdaStar, sampled: int
) -> None:
    d = world.sample(sampled)
    assume(d.evil_moves)  # whose cell is counted from Good's does not move by itself
    environment = world.build(d)
    environment.reset(sampled)
    rng = np.random.default_rng(sampled)
    before = environment.positions()
    for t in range(d.horizon):
        environment.step([int(a) for a in rng.integers(1, 10, d.subjects)])
        after = environment.positions()
        wishes = {}
        for name, how, pattern in (
            ("good", d.good_reacts, d.good_moves),
            ("evil", d.evil_reacts, d.evil_moves),
        ):
            at = before[name]
            wishes[name] = {moved(at, pattern[t % len(pattern)], d)}
            away = {one: distance(at, one, d) for one in after["subjects"]}
            least = min(away.values())
            if how in ("flees", "follows") and least <= d.sense:
                best = max if how == "flees" else min
                wishes[name] = set()
                for one in (one for one, far in away.items() if far == least):
                    steps = {moved(at, a, d) for a in range(1, 10)}
                    top = best(distance(step, one, d) for step in steps)
                    wishes[name] |= {step for step in steps if distance(step, one, d) == top}
        for name, other in (("good", "evil"), ("evil", "good")):
            if after[name] not in wishes[name]:  # it gave way, and stays
                assert after[name] == before[name]
                assert wishes[name] & (wishes[other] | {before[other]})
        before = after


@pytest.mark.thorough
def test_every_way_out_is_as_likely_for_one_who_flees() -> None:
    """A subject on Good's own cell: all eight cells around it are as far away."""
    d = Description(9, 9, 1, 1, 1, 1, 41, 1, (5,), (5,), good_reacts="flees", sense=0)
    environment = LambdaStar().build(d)
    counts: dict[Any, int] = {}
    rounds = 0
    for reset in range(40_000):
        environment.reset(reset)
        if environment.positions()["subjects"][0] == (4, 4):
            environment.step([5])
            at = environment.positions()["good"]
            counts[at] = counts.get(at, 0) + 1
            rounds += 1
    assert len(counts) == 8
    expected = rounds / 8
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 27  # 7 degrees of freedom: beyond once in 3000


def test_who_sees_the_future_sees_where_good_would_go_with_nobody_near() -> None:
    world = LambdaStar(subjects=2, future=(0,), good_reacts="flees", sense=1, rows=6, cols=6)
    came_true = departed = 0
    for sampled in range(30):
        d = world.sample(sampled)
        environment = world.build(d)
        turn = environment.reset(sampled)
        rng = np.random.default_rng(sampled)
        for t in range(d.horizon):
            told = tuple(int(v) for v in turn.observations[0]["future"])
            at = environment.positions()["good"]
            assert told in (moved(at, d.good_moves[t % len(d.good_moves)], d), at)
            turn = environment.step([int(a) for a in rng.integers(1, 10, 2)])
            after = environment.positions()
            near = any(distance(one, at, d) <= 1 for one in after["subjects"])
            if near:
                departed += told != after["good"]
            else:
                came_true += 1
                assert told == after["good"]
    assert came_true > 100
    assert departed > 100


@given(asked(learning_weight=0.5, track=True), keys)
@settings(max_examples=examples(15, 60))
def test_what_is_told_of_an_episode_is_what_happened(world: LambdaStar, sampled: int) -> None:
    d = world.sample(sampled)
    environment = world.build(d)
    environment.reset(sampled)
    rng = np.random.default_rng(sampled)
    seen: set[Any] = set()
    shares, rewards, met = [], [], 0

    def look() -> None:
        for seat, (y, x) in enumerate(environment.positions()["subjects"]):
            k = cycled(d.ranges, seat, d.range)
            for h in range(-k, k + 1):
                seen.update(((y + h) % d.rows, (x + i) % d.cols) for i in range(-k, k + 1))
        shares.append(len(seen) / (d.rows * d.cols))

    look()
    for _ in range(d.horizon):
        turn = environment.step([int(a) for a in rng.integers(1, 10, d.subjects)])
        look()
        rewards.append(np.mean(turn.rewards))
        here = environment.positions()
        near = sum(distance(one, here["good"], d) <= d.radius for one in here["subjects"])
        met += near >= d.company
    told = environment.measures()
    third = max(1, d.horizon // 3)
    improvement = (np.mean(rewards[-third:]) - np.mean(rewards[:third])) / 2
    assert told["coverage"] == pytest.approx(shares[-1])
    assert told["coverage_area"] == pytest.approx(np.mean(shares[1:]))
    half = next((t for t, share in enumerate(shares) if share >= 0.5), d.horizon + 1)
    assert told["coverage_half"] == half
    assert told["improvement"] == pytest.approx(improvement)
    assert told["weighted"] == pytest.approx(0.5 * np.mean(rewards) + 0.5 * improvement)
    assert -1.0 <= told["weighted"] <= 1.0
    if d.company > 1:
        assert told["company_met"] == pytest.approx(met / d.horizon)
    else:
        assert "company_met" not in told


# The plain search, and both doors ------------------------------------------------------


IDLE: list[dict[str, Any]] = [
    {"track": True},
    {"learning_weight": 0.5},
    {"good_reacts": "tires", "evil_reacts": "tires", "tiring": 0.0},
    {"good_appetites": (1.0,), "evil_appetites": (1.0, 1.0)},
    {"ranges": (1,), "moves": ("all",)},
]
"""Options that ask for the wide rules and change nothing."""


@pytest.mark.parametrize(
    ("name", "option"), list(zip(KINDS, itertools.cycle(IDLE), strict=False)), ids=list(KINDS)
)
def test_options_that_change_nothing_leave_the_plain_search(
    name: str, option: dict[str, Any], full_size: bool
) -> None:
    """Each alone with some of the subjects, and all at once with each."""
    plain = LambdaStar(rows=6, cols=7, horizon=15, subjects=3)
    items = Battery(3).items(1, 0, 3)
    patterns = plain.sample_many(items.keys, "K", items.low, items.high)

    def sums(world: LambdaStar) -> bytes:
        group = world.group([(name, {}, 1)])
        return world.rollout(group, patterns, items.resets, items.keys, 2, True).tobytes()

    expected = sums(plain)
    together = {key: value for options in IDLE for key, value in options.items()}
    for options in [*(IDLE if full_size else [option]), together]:
        world = dataclasses.replace(plain, **options)
        assert world.wide
        assert sums(world) == expected, options


def steps(environment: LambdaStarEnvironment, reset: int) -> list[Any]:
    rng = np.random.default_rng(reset)
    turn = environment.reset(reset)
    found = [turn.observations.tobytes()]
    while turn.ended is None:
        turn = environment.step([int(a) for a in rng.integers(1, 10, len(environment.seats))])
        found += [turn.observations.tobytes(), turn.rewards, environment.measures()]
    return found


@pytest.mark.parametrize("blind", [False, True])
@given(sampled=keys, reset=keys)
@settings(max_examples=15)
def test_options_that_change_nothing_leave_what_is_observed(
    blind: bool, sampled: int, reset: int
) -> None:
    plain = LambdaStar(rows=5, cols=6, horizon=8, guided=True, future=(1,), blind_start=blind)
    world = dataclasses.replace(
        plain, good_reacts="tires", evil_reacts="tires", tiring=0.0, evil_appetites=(1.0,)
    )
    assert steps(plain.build(plain.sample(sampled)), reset) == steps(
        world.build(world.sample(sampled)), reset
    )


@given(asked(), keys)
@settings(max_examples=examples(10, 40))
def test_a_described_environment_with_options_is_rebuilt_bit_for_bit(
    world: LambdaStar, sampled: int
) -> None:
    d = world.sample(sampled)
    again = Description.from_json(d.to_json())
    assert again == d
    assert steps(world.build(d), sampled) == steps(world.build(again), sampled)
    environment = world.build(d)
    environment.reset(sampled)
    state = environment.snapshot()
    rng = np.random.default_rng(sampled)
    plan = [[int(a) for a in rng.integers(1, 10, d.subjects)] for _ in range(d.horizon)]
    first = [environment.step(actions).rewards for actions in plan]
    environment.restore(state)
    assert [environment.step(actions).rewards for actions in plan] == first


def test_options_that_nobody_set_are_not_written_into_a_description() -> None:
    assert set(LambdaStar().sample(1).to_json()) == {
        "rows",
        "cols",
        "subjects",
        "horizon",
        "range",
        "radius",
        "good_start",
        "evil_start",
        "good_moves",
        "evil_moves",
        "guides",
        "blind_start",
        "future",
        "segment",
    }
    assert LambdaStar(company=2).sample(1).to_json()["company"] == 2


# Promises --------------------------------------------------------------------------------

BALANCED: list[dict[str, Any]] = [
    {"company": 2, "company_for": "both"},
    {"good_reacts": "flees", "evil_reacts": "flees"},
    {"good_reacts": "follows", "evil_reacts": "follows"},
    {"good_reacts": "tires", "evil_reacts": "tires"},
    {"moves": GAITS, "track": True},
    {"good_appetites": (1.0, -0.5), "evil_appetites": (1.0, -0.5)},
]
UNBALANCED: list[dict[str, Any]] = [
    {"company": 2},
    {"good_reacts": "flees"},
    {"good_reacts": "follows", "evil_reacts": "flees"},
    {"evil_reacts": "tires"},
    {"good_appetites": (1.0, 0.5)},
]


def at_random(generator: str, options: dict[str, Any]) -> tuple[LambdaStar, np.ndarray]:
    world = LambdaStar(rows=6, cols=7, horizon=12, subjects=3, generator=generator, **options)
    count = 12_000
    items = Battery(count).items(5, 0, count)
    patterns = world.sample_many(items.keys, "K", items.low, items.high)
    group = world.group([("random", {}, 1)])
    sums = world.rollout(group, patterns, items.resets, fold_array(6, numbers(0, count)), 0)
    return world, sums[:, 0].mean(axis=1) / world.horizon


@pytest.mark.parametrize("generator", ["recurrent", "walk"])
@pytest.mark.parametrize("options", BALANCED, ids=str)
def test_a_random_subjects_expectation_is_zero_where_that_is_promised(
    generator: str, options: dict[str, Any]
) -> None:
    world, scores = at_random(generator, options)
    assert world.promises == {"bounded", "balanced"}
    assert abs(scores.mean()) < 4 * scores.std() / np.sqrt(len(scores))


@pytest.mark.parametrize("options", UNBALANCED, ids=str)
def test_it_is_not_where_that_is_not_promised(options: dict[str, Any]) -> None:
    world, scores = at_random("recurrent", options)
    assert world.promises == {"bounded"}
    assert abs(scores.mean()) > 6 * scores.std() / np.sqrt(len(scores))


# Who, and what is refused ------------------------------------------------------------------


def test_dispersal_is_a_subject_where_coverage_is_tracked_and_covers_most() -> None:
    world = LambdaStar.preset("coverage", rows=12, cols=12, horizon=20, subjects=3)
    assert "dispersal" in world.subject_names
    assert "dispersal" not in LambdaStar().subject_names
    with pytest.raises(MensuraError, match="'dispersal' is no subject of Lambda Star"):
        LambdaStar().group([("dispersal", {}, 1)])
    found = {}
    for name in ("random", "crowd", "dispersal"):
        seen = first_seen(world, world.group([(name, {}, 1)]), 20, 1)
        assert seen.shape == (20, 12, 12)
        assert seen.max() <= 20
        found[name] = (seen >= 0).mean()
    assert found["dispersal"] > found["random"] > found["crowd"]


def test_where_nobody_looked_is_drawn_with_a_panel_for_each_subject(tmp_path: Path) -> None:
    seen = {"nobody": np.full((2, 3, 4), -1), "half": np.tile([-1, 0], (2, 3, 2))}
    draw_unseen(seen, tmp_path / "unseen.svg")
    drawn = (tmp_path / "unseen.svg").read_text()
    assert drawn.count("<image") == 2
    assert ">nobody: 100% unseen<" in drawn
    assert ">half: 50% unseen<" in drawn


def test_which_cells_were_seen_is_not_known_where_it_is_not_tracked() -> None:
    world = LambdaStar()
    with pytest.raises(MensuraError, match="set track, or take the preset 'coverage'"):
        first_seen(world, world.group([("random", {}, 1)]), 1, 1)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"task": "seek"}, "task is 'seek'"),
        ({"company": 0}, "company is 0; it is a whole number from 1 to 10000"),
        ({"company": 1.5}, "company is 1.5; it is a whole number"),
        ({"company": 2, "company_for": "evil"}, "company_for is 'evil'; it is 'good' or 'both'"),
        ({"company_for": "both"}, "a company of 1 is anybody; set company to 2 or more"),
        ({"good_reacts": "hides"}, "good_reacts is 'hides'; it is 'no' or 'flees' or"),
        ({"sense": -1}, "sense is -1; it is a whole number from 0"),
        ({"tiring": 1.5}, "tiring is 1.5; it is a number from 0 to 1"),
        ({"recovery": "much"}, "recovery is 'much'; it is a number from 0 to 1"),
        ({"track": "yes"}, "track is 'yes'; it is true or false"),
        ({"ranges": (2,)}, "A range of ranges is 2; it is a whole number from 1 to 1"),
        ({"ranges": 2}, "ranges is 2; it is a list"),
        ({"moves": ("fly",)}, "A move of moves is 'fly'; it is 'all' or 'orthogonal'"),
        (
            {"good_appetites": (2.0,)},
            "An appetite of good_appetites is 2.0; it is a number from -1",
        ),
        ({"learning_weight": -0.1}, "learning_weight is -0.1; it is a number from 0 to 1"),
    ],
)
def test_impossible_options_get_a_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar(**parameters)


def test_lists_may_come_from_a_file() -> None:
    world = LambdaStar(range=2, ranges=[1, 2], moves=["slow"])  # type: ignore[arg-type]
    assert (world.ranges, world.moves) == ((1, 2), ("slow",))
    assert world == LambdaStar(range=2, ranges=(1, 2), moves=("slow",))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_explained_and_told_in_words(question: str) -> None:
    world = LambdaStar.preset(question)
    environment = world.build(world.sample(key(1, question)))
    turn = environment.reset(2)
    view = world.view()
    told = " ".join(view.explain(environment))
    plain = LambdaStar(range=world.range)
    usual = plain.build(plain.sample(key(1, question)))
    usual.reset(2)
    assert len(told) >= len(" ".join(view.explain(usual)))
    expected = {
        "coordination": "Good is felt only where at least two agents",
        "coverage": "Two objects, Good and Evil",
        "reactive": "Evil follows as soon as an agent is within 2 cells",
        "heterogeneous": "see differently far and move in different ways and want different things",
    }
    assert expected[question] in told
    assert ("seen so far" in view.text(environment, turn)) == (question == "coverage")
