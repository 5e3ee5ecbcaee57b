"""The prisoner's dilemma: what it pays, what is told of an episode, and how the strategies answer."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_star.doors import drawn, rolled, story

from mensura.agent.errors import MensuraError
from mensura.testing import check_world
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.games.dilemma.payoffs import as_rewards
from mensura.worlds.lambda_star.world import LambdaStar

keys = st.integers(0, 2**64 - 1)
PAIR = LambdaStar(task="dilemma", rows=3, cols=3, subjects=2, horizon=20)
"""Two who are always partners."""


@st.composite
def dilemmas(draw: st.DrawFn) -> LambdaStar:
    """Dilemmas of every shape."""
    p = draw(st.floats(-5, 5))
    r, s = p + draw(st.floats(0.1, 5)), p - draw(st.floats(0.1, 5))
    t = r + draw(st.floats(0.01, 0.99)) * (r - s)  # so that 2R > T + S
    assume(t > r > p > s and 2 * r > t + s)
    reach = draw(st.integers(1, 3))
    return LambdaStar(
        task="dilemma",
        rows=draw(st.integers(3, 7)),
        cols=draw(st.integers(3, 7)),
        subjects=draw(st.integers(1, 6)),
        horizon=draw(st.integers(1, 12)),
        range=reach,
        radius=draw(st.integers(0, reach)),
        temptation=t,
        reward=r,
        punishment=p,
        sucker=s,
    )


def deeds(world: LambdaStar, parts: list[Any], key: int = 1) -> np.ndarray:
    """Who defected when: (interactions, seats)."""
    return np.array([[a > 9 for a in one.actions] for one in story(world, parts, key)[1:]], int)


# What it pays


@given(dilemmas())
def test_pay_offs_as_rewards_keep_their_order_sum_to_zero_and_fill_the_range(
    world: LambdaStar,
) -> None:
    four = as_rewards(world)
    assert list(four) == sorted(four, reverse=True)
    assert sum(four) == pytest.approx(0, abs=1e-12)
    assert max(map(abs, four)) == 1
    gaps = np.diff([world.temptation, world.reward, world.punishment, world.sucker])
    assert np.diff(four) * abs(gaps).max() == pytest.approx(
        gaps * abs(np.diff(four)).max(), abs=1e-9
    )


@given(dilemmas(), keys)
@settings(max_examples=examples(24, 60))
def test_everybody_gets_the_mean_over_all_within_the_radius_and_sees_their_deeds(
    world: LambdaStar, key: int
) -> None:
    t, r, p, s = as_rewards(world)
    paid = {(0, 0): r, (0, 1): s, (1, 0): t, (1, 1): p}
    environment = world.build(world.sample(key))
    rng = np.random.default_rng(key)
    turn = environment.reset(key)
    assert all((seen["deeds"] == 0).all() for seen in turn.observations)

    def gap(a: int, b: int, n: int) -> int:
        return min((a - b) % n, (b - a) % n)

    while turn.ended is None:
        actions = [int(a) for a in rng.integers(1, 19, world.subjects)]
        turn = environment.step(actions)
        done = [int(a > 9) for a in actions]
        cells = environment.positions()["subjects"]
        for j, (y, x) in enumerate(cells):
            apart = {
                i: max(gap(y, v, world.rows), gap(x, u, world.cols))
                for i, (v, u) in enumerate(cells)
                if i != j
            }
            got = [paid[done[j], done[i]] for i, d in apart.items() if d <= world.radius]
            assert turn.rewards[j] == pytest.approx(np.mean(got) if got else 0.0)
            seen = turn.observations[j]
            assert (seen["rewards"] == 0).all()
            k = world.range
            if 2 * k + 1 <= min(world.rows, world.cols):
                assert seen["others"].sum() == sum(d <= k for d in apart.values())
                assert seen["deeds"].sum() == sum(done[i] for i, d in apart.items() if d <= k)


@given(dilemmas(), keys)
@settings(max_examples=examples(16, 40))
def test_defecting_pays_more_at_once_whatever_the_others_do(world: LambdaStar, key: int) -> None:
    rng = np.random.default_rng(key)
    actions = [int(a) for a in rng.integers(1, 19, world.subjects)]
    got = {}
    for deed in (0, 9):
        environment = world.build(world.sample(key))
        environment.reset(key)
        got[deed] = environment.step([5 + deed, *actions[1:]]).rewards[0]
    near = got[0] != got[9]
    assert got[9] > got[0] or not near
    assert near or got[0] == 0.0


@pytest.mark.bounds
@pytest.mark.parametrize(
    "parameters",
    [{}, {"moves": ("none",)}, {"temptation": 10, "reward": 6, "punishment": 5.5, "sucker": -2}],
)
def test_a_random_subjects_expected_reward_is_zero(
    parameters: dict[str, Any], full_size: bool
) -> None:
    world = LambdaStar(task="dilemma", rows=4, cols=5, horizon=10, **parameters)
    assert "balanced" in world.promises
    scores, _ = rolled(world, "random", 20_000 if full_size else 4_000)
    assert abs(scores.mean()) < 4 * scores.std() / np.sqrt(len(scores))


def test_over_all_that_two_can_do_pay_is_exactly_zero_on_average() -> None:
    environment = PAIR.build(PAIR.sample(1))
    total = 0.0
    for mine in range(1, 19):
        for yours in range(1, 19):
            environment.reset(3)
            total += sum(environment.step([mine, yours]).rewards)
    assert total == pytest.approx(0, abs=1e-9)


# What is told


@pytest.mark.parametrize("horizon", [1, 2, 3, 20])
def test_what_is_told_is_what_happened(horizon: int) -> None:
    world = LambdaStar(task="dilemma", rows=4, cols=4, subjects=4, horizon=horizon)
    environment = world.build(world.sample(5))
    rng = np.random.default_rng(2)
    environment.reset(11)
    cooperated: list[list[float]] = [[], [], []]
    paid: list[list[float]] = [[], []]
    partners = 0.0
    for t in range(horizon):
        actions = [int(a) for a in rng.integers(1, 19, 4)]
        turn = environment.step(actions)
        for j, action in enumerate(actions):
            cooperated[t * 3 // horizon].append(float(action < 10))
            near = turn.observations[j]["others"].sum()
            partners += near
            if near:
                paid[action > 9].append(turn.rewards[j])
    told = environment.measures()
    names = ("early", "middle", "late")
    expected = {f"{n}_cooperation": np.mean(c) for n, c in zip(names, cooperated, strict=True) if c}
    expected["cooperation"] = np.mean([one for third in cooperated for one in third])
    expected["partners"] = partners / (4 * horizon)
    for name, got in (("cooperators", paid[0]), ("defectors", paid[1])):
        if got:
            expected[f"pay_of_{name}"] = np.mean(got)
    if paid[0] + paid[1]:
        expected["price_of_defection"] = as_rewards(world)[1] - np.mean(paid[0] + paid[1])
    assert told == pytest.approx(expected)


def test_what_did_not_happen_is_not_told_by_either_door() -> None:
    world = LambdaStar(task="dilemma", rows=5, cols=5, subjects=3, horizon=4)
    _, told = rolled(world, "always-cooperate", 50)
    assert np.isnan(told["pay_of_defectors"]).all()
    assert (told["cooperation"] == 1).all()
    met = told["partners"] > 0
    assert (~met).any()
    assert (np.isnan(told["price_of_defection"]) == ~met).all()
    assert told["price_of_defection"][met] == pytest.approx(0, abs=1e-12)


def test_one_who_defects_among_cooperators_gains_and_the_group_loses() -> None:
    world = LambdaStar(task="dilemma", rows=3, cols=3, subjects=9, horizon=10)
    told = story(world, [("always-defect", {}, 1), ("always-cooperate", {}, 8)], 1)
    t, r, _, s = as_rewards(world)
    assert len(told) == 11
    for one in told[1:]:
        assert one.rewards[0] == t
        assert one.rewards[1] == pytest.approx((7 * r + s) / 8)
        assert sum(one.rewards) < 9 * r


def test_the_price_is_below_zero_where_the_one_betrayed_has_others() -> None:
    """Three in a row, an end of which defects: it gets all of T, and takes half of a game from the middle."""
    world = LambdaStar(task="dilemma", rows=3, cols=8, subjects=3, horizon=1)
    t, r, _, s = as_rewards(world)
    environment = world.build(world.sample(1))
    for reset in range(2000):
        seen = environment.reset(reset).observations
        partners = [int(one["others"].sum()) for one in seen]
        if sorted(partners) == [1, 1, 2]:
            end = partners.index(1)
            rewards = environment.step([14 if j == end else 5 for j in range(3)]).rewards
            assert sum(rewards) == pytest.approx(t + (r + s) / 2 + r)
            assert environment.measures()["price_of_defection"] < 0
            return
    raise AssertionError("three never stood in a row")


# How strategies answer


def test_the_strategies_against_one_partner_are_those_of_the_books() -> None:
    def against(one: str, other: str) -> list[list[int]]:
        return deeds(PAIR, [(one, {}, 1), (other, {}, 1)]).T[:, :4].tolist()

    assert against("tit-for-tat", "always-defect") == [[0, 1, 1, 1], [1, 1, 1, 1]]
    assert against("tit-for-tat", "always-cooperate") == [[0] * 4, [0] * 4]
    assert against("tit-for-tat", "win-stay-lose-shift") == [[0] * 4, [0] * 4]
    assert against("win-stay-lose-shift", "always-defect") == [[0, 1, 0, 1], [1, 1, 1, 1]]
    assert against("generous", "always-cooperate") == [[0] * 4, [0] * 4]


def test_tit_for_tat_repeats_its_partner_and_pavlov_what_was_alike() -> None:
    for key in range(5):
        other = ("random", {}, 1)
        mine, yours = deeds(PAIR, [("tit-for-tat", {}, 1), other], key).T
        assert mine[1:].tolist() == yours[:-1].tolist()
        mine, yours = deeds(PAIR, [("win-stay-lose-shift", {}, 1), other], key).T
        assert mine[1:].tolist() == (mine[:-1] ^ yours[:-1]).tolist()


@pytest.mark.parametrize("generosity", [0.0, 0.25, 1.0])
def test_a_generous_one_forgives_as_often_as_it_says(generosity: float) -> None:
    world = dataclasses.replace(PAIR, horizon=400)
    parts = [("generous", {"generosity": generosity}, 1), ("always-defect", {}, 1)]
    mine = deeds(world, parts)[1:, 0]
    assert 1 - mine.mean() == pytest.approx(generosity, abs=0.09)


def test_among_several_one_is_answered_that_is_drawn() -> None:
    world = LambdaStar(task="dilemma", rows=3, cols=3, subjects=4, horizon=600)
    parts = [("tit-for-tat", {}, 1), ("always-defect", {}, 1), ("always-cooperate", {}, 2)]
    assert deeds(world, parts)[1:, 0].mean() == pytest.approx(1 / 3, abs=0.08)


def test_errors_ruin_tit_for_tat_and_pavlov_mends_them() -> None:
    """Nowak and Sigmund (1992, 1993): two of tit for tat come to 1/2; the others stay near cooperation."""
    world = dataclasses.replace(PAIR, horizon=1000)
    found = {
        name: rolled(world, name, 100, noise=0.02)[1]["late_cooperation"].mean()
        for name in ("tit-for-tat", "generous", "win-stay-lose-shift")
    }
    assert found["tit-for-tat"] == pytest.approx(0.5, abs=0.05)
    assert found["generous"] > 0.85
    assert found["win-stay-lose-shift"] > 0.9


@pytest.mark.parametrize("name", ["always-cooperate", "always-defect"])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_the_steadfast_err_as_often_as_their_noise_says(name: str, noise: float) -> None:
    _, told = rolled(PAIR, name, 200, noise=noise)
    meant = (
        told["cooperation"].mean() if name == "always-cooperate" else 1 - told["cooperation"].mean()
    )
    assert meant == pytest.approx(1 - noise, abs=0.03)


def test_they_stand_roam_or_seek_company() -> None:
    world = LambdaStar(task="dilemma", rows=9, cols=9, subjects=12, horizon=40)
    stand, roam, seek = (
        np.array([one.actions for one in story(world, [("always-defect", how, 1)], 1)[1:]]) - 9
        for how in ({}, {"roam": 1.0}, {"seek": 1.0})
    )
    assert (stand == 5).all()
    assert len(np.unique(roam)) == 9
    assert (roam == 5).mean() == pytest.approx(1 / 9, abs=0.06)
    partners = {
        name: rolled(world, "always-cooperate", 200, **how)[1]["partners"].mean()
        for name, how in (("stand", {}), ("roam", {"roam": 1.0}), ("seek", {"seek": 1.0}))
    }
    assert partners["roam"] == pytest.approx(partners["stand"], abs=0.35)
    assert partners["seek"] > 2 * partners["roam"]
    assert len(np.unique(seek)) > 1


def test_who_has_no_legs_stays_where_it_is() -> None:
    world = LambdaStar(task="dilemma", subjects=4, moves=("none",), horizon=5)
    environment = world.build(world.sample(1))
    environment.reset(1)
    before = environment.positions()["subjects"]
    turn = environment.step([1, 10, 9, 18])
    assert environment.positions()["subjects"] == before
    assert environment.parts.deed.tolist() == [0, 1, 0, 1]
    assert turn.ended is None


def test_a_learner_comes_to_defect() -> None:
    """Against one who always cooperates nothing pays like defecting."""
    world = dataclasses.replace(PAIR, horizon=5)
    parts = [("q-learning", {"exploration": 0.2}, 1), ("always-cooperate", {}, 1)]
    group = world.group(parts)
    patterns, items = drawn(world, 20)
    told = np.zeros((20, 1, len(world.tallies)))
    world.rollout(group, patterns, items.resets, items.keys, 3000, told=told)
    cooperation = told[:, 0, list(world.tallies).index("cooperation")]
    assert cooperation.mean() < 0.6  # one half is the other


# The doors, the contract, and what is refused


@pytest.mark.thorough
@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {"range": 2, "moves": ("none",), "track": True, "subjects": 4, "horizon": 12},
    ],
)
def test_dilemmas_keep_the_contract(parameters: dict[str, Any]) -> None:
    assert check_world(LambdaStar.preset("dilemma", **parameters), balance=100) == []


@given(dilemmas(), keys)
@settings(max_examples=30)
def test_a_dilemma_is_rebuilt_from_its_description(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    again = Description.from_json(json.loads(json.dumps(d.to_json())))
    assert again == d
    hard = world.complexity(d, "hardness")
    assert 0 < hard < 100
    assert world.sample(key, ("hardness", hard, hard)) == d


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"temptation": 3}, "make no dilemma; each must be more than the next"),
        ({"punishment": 0}, "make no dilemma"),
        ({"temptation": 6}, "taking turns to defect pays as much as cooperation"),
        ({"sucker": float("nan")}, "sucker is nan; it is a number from"),
        ({"reward": "much"}, "reward is 'much'; it is a number from"),
        ({"radius": 2}, "radius is 2 and range is 1; in a dilemma partners are seen"),
        ({"moves": ("fast",)}, "A move of moves is 'fast'; it is 'all' or"),
        ({"company": 2}, "company belongs to the task 'search', and the task is 'dilemma'"),
    ],
)
def test_impossible_dilemmas_get_a_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar(task="dilemma", **parameters)


def test_usually_a_battery_is_given_as_all_are_equally_hard() -> None:
    assert LambdaStar.preset("dilemma").usual_assessment == "battery"
    assert LambdaStar().usual_assessment == "anytime"


def test_other_senseless_wishes_get_a_sentence_too() -> None:
    with pytest.raises(
        MensuraError, match="temptation belongs to the task 'dilemma', and the task is"
    ):
        LambdaStar(temptation=4)
    world = LambdaStar(task="dilemma")
    with pytest.raises(
        MensuraError, match=r"has a hardness of 60 %, which is not within \[0, 50\]"
    ):
        world.sample(1, ("hardness", 0, 50))
    with pytest.raises(MensuraError, match="'oracle' is no subject of Lambda Star under the task"):
        world.group([("oracle", {}, 1)])
    with pytest.raises(
        MensuraError, match="noise of tit-for-tat is 2; it must be a number from 0 to 1"
    ):
        world.group([("tit-for-tat", {"noise": 2}, 1)])
    with pytest.raises(MensuraError, match="tit-for-tat has no parameter 'generosity'"):
        world.group([("tit-for-tat", {"generosity": 0.5}, 1)])


def test_a_subject_who_reads_is_told_what_the_others_did_and_not_what_it_is_called() -> None:
    world = LambdaStar(task="dilemma", rows=3, cols=3, subjects=2)
    environment = world.build(world.sample(1))
    environment.reset(1)
    turn = environment.step([5, 14])
    told = environment.instructions(0)
    assert "button" in told
    assert "defect" not in told
    assert "prisoner" not in told
    assert turn.observations[0]["deeds"].sum() == 1


def test_views_tell_who_defected_and_what_is_played() -> None:
    environment = PAIR.build(PAIR.sample(1))
    view = PAIR.view()
    assert "deed      nobody" in view.text(environment, environment.reset(1))
    assert "deed      1\n" in view.text(environment, environment.step([5, 14]))
    told = " ".join(view.explain(environment))
    assert "One who defects alone gets 1, both who cooperate 0.273" in told
    assert "Good" not in told


def test_pictures_show_who_defected() -> None:
    environment = PAIR.build(PAIR.sample(1))
    environment.reset(1)
    for actions, marked in (([5, 14], {"subject 1"}), ([5, 5], set()), ([14, 5], {"subject 0"})):
        environment.step(actions)
        shapes = environment.picture().shapes
        assert {one.label for one in shapes if one.role == "mark"} == marked
