"""Pluralistic ignorance: what is paid and measured, who shows it, and whether it is detected where it was put in."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_star.doors import drawn, rolled

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold_array, key, numbers
from mensura.testing import check_world
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.games.opinion.kernels.rules import MARGIN
from mensura.worlds.lambda_star.world import LambdaStar

keys = st.integers(0, 2**64 - 1)


@st.composite
def worlds(draw: st.DrawFn, **fixed: Any) -> LambdaStar:
    """Worlds of opinions of every shape."""
    reach = draw(st.integers(1, 3))
    conformity = draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))
    parameters: dict[str, Any] = {
        "rows": draw(st.integers(3, 7)),
        "cols": draw(st.integers(3, 7)),
        "subjects": draw(st.integers(1, 7)),
        "horizon": draw(st.integers(1, 12)),
        "range": reach,
        "radius": draw(st.integers(0, reach)),
        "conformity": conformity,
        "truth": draw(st.sampled_from([0.0, 1.0])) * (1 - conformity) / 2,
        "accuracy": draw(st.sampled_from([0.5, 0.7, 1.0])),
        "opening": draw(st.sampled_from(["fair", "misleading", "random"])),
        "state": draw(st.sampled_from(["drawn", "yes", "no"])),
    }
    return LambdaStar(task="opinion", **{**parameters, **fixed})


def gap(a: int, b: int, n: int) -> int:
    return min((a - b) % n, (b - a) % n)


def apart(world: LambdaStar, cells: list[Any], j: int) -> dict[int, int]:
    """How far the others are from seat j."""
    y, x = cells[j]
    return {
        i: max(gap(y, v, world.rows), gap(x, u, world.cols))
        for i, (v, u) in enumerate(cells)
        if i != j
    }


def mixed(world: LambdaStar, parts: list[tuple[str, dict[str, Any], int]], count: int) -> Any:
    """What is told of so many episodes of a mixed collective."""
    group = world.group(parts)
    patterns, items = drawn(world, count)
    told = np.zeros((count, 1, len(world.tallies)))
    seeds = fold_array(key(7, group.name), numbers(0, count))
    world.rollout(group, patterns, items.resets, seeds, 0, told=told)
    return {name: told[:, 0, i] for i, name in enumerate(world.tallies)}


# What is drawn, paid and seen


@given(worlds(), keys)
@settings(max_examples=examples(15, 60))
def test_everybody_is_paid_for_conformity_honesty_and_truth_and_sees_no_beliefs(
    world: LambdaStar, key: int
) -> None:
    d = world.sample(key)
    state, *beliefs = d.drawn_values
    if world.state != "drawn":
        assert state == (1 if world.state == "yes" else -1)
    environment = world.build(d)
    rng = np.random.default_rng(key)
    turn = environment.reset(key)
    while turn.ended is None:
        actions = [int(a) for a in rng.integers(1, 19, world.subjects)]
        turn = environment.step(actions)
        said = [1 if a > 9 else -1 for a in actions]
        cells = environment.positions()["subjects"]
        for j in range(world.subjects):
            others = apart(world, cells, j)
            near = np.sign(sum(said[i] for i, d in others.items() if d <= world.radius))
            honesty = 1 - world.conformity - world.truth
            paid = world.conformity * near + honesty * beliefs[j] + world.truth * state
            assert turn.rewards[j] == pytest.approx(said[j] * paid)
            seen = turn.observations[j]
            assert seen["signal"] == beliefs[j]
            assert (seen["rewards"] == 0).all()
            if 2 * world.range + 1 <= min(world.rows, world.cols):
                yes = sum(said[i] > 0 for i, d in others.items() if d <= world.range)
                assert seen["deeds"].sum() == yes


@given(worlds(subjects=5), keys, keys)
@settings(max_examples=examples(16, 40))
def test_what_others_believe_is_seen_in_what_they_say_only(
    world: LambdaStar, key: int, reset: int
) -> None:
    """With other beliefs, and the same words, a subject observes the same."""
    world = dataclasses.replace(world, opening="random", truth=0.0)
    d = world.sample(key)
    other = dataclasses.replace(
        d, drawn_values=(d.drawn_values[0], d.drawn_values[1], *(-b for b in d.drawn_values[2:]))
    )
    actions = [int(a) for a in np.random.default_rng(key).integers(1, 19, 5)]
    shown = []
    for one in (d, other):
        environment = world.build(one)
        first = environment.reset(reset).observations[0]
        turn = environment.step(actions)
        shown.append((first.tobytes(), turn.observations[0].tobytes(), turn.rewards[0]))
    assert shown[0] == shown[1]


@pytest.mark.bounds
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"conformity": 1.0, "opening": "misleading"},
        {"conformity": 0.2, "truth": 0.8, "state": "yes"},
    ],
)
def test_a_random_subjects_expected_reward_is_zero(
    parameters: dict[str, Any], full_size: bool
) -> None:
    world = LambdaStar(task="opinion", rows=4, cols=5, horizon=10, **parameters)
    assert "balanced" in world.promises
    scores, _ = rolled(world, "random", 20_000 if full_size else 4_000)
    assert abs(scores.mean()) < 4 * scores.std() / np.sqrt(len(scores))


@given(worlds(), keys)
@settings(max_examples=examples(16, 40))
def test_what_yes_would_pay_no_costs(world: LambdaStar, key: int) -> None:
    actions = [int(a) for a in np.random.default_rng(key).integers(1, 19, world.subjects)]
    got = {}
    for deed in (0, 9):
        environment = world.build(world.sample(key))
        environment.reset(key)
        got[deed] = environment.step([5 + deed, *actions[1:]]).rewards[0]
    assert got[0] == -got[9]


def test_beliefs_are_right_as_often_as_their_accuracy_and_yes_as_often_as_no() -> None:
    world = LambdaStar(task="opinion", subjects=9, accuracy=0.8)
    contents = np.array([world.sample(i).drawn_values for i in range(1500)])
    assert (contents[:, 1:] == contents[:, :1]).mean() == pytest.approx(0.8, abs=0.015)
    assert contents[:, 0].mean() == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("opening", ["fair", "misleading", "random"])
def test_what_was_said_before_the_first_interaction(opening: Any) -> None:
    world = LambdaStar(task="opinion", rows=3, cols=3, subjects=5, opening=opening)
    yes = []
    for i in range(60):
        d = world.sample(i)
        environment = world.build(d)
        environment.reset(i)
        said = 2 * environment.parts.deed - 1
        beliefs = np.array(d.drawn_values[1:])
        if opening == "fair":
            assert (said == beliefs).all()
        elif opening == "misleading":
            assert (said == -np.sign(beliefs.sum())).all()
        yes.append(said.mean())
    assert abs(np.mean(yes)) < 0.35


# What is told


@given(worlds(), keys)
@settings(max_examples=examples(15, 60))
def test_what_is_told_is_what_happened(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    beliefs = np.array(d.drawn_values[1:])
    most = np.sign(beliefs.sum())
    p = (beliefs == most).mean()
    environment = world.build(d)
    rng = np.random.default_rng(key)
    lean = rng.random()
    turn = environment.reset(key)
    voiced, heard, falsified = [], [], []
    while turn.ended is None:
        yes = rng.random(world.subjects) < lean
        turn = environment.step([int(a) for a in rng.integers(1, 10, world.subjects) + 9 * yes])
        said = np.where(yes, 1, -1)
        falsified += (said != beliefs).tolist()
        voiced.append((said == most).mean())
        cells = environment.positions()["subjects"]
        for j in range(world.subjects):
            seen = [i for i, away in apart(world, cells, j).items() if away <= world.range]
            if seen:
                heard.append(p - (said[seen] == most).mean())
    expected = {"falsification": np.mean(falsified)}
    if most:
        q = np.array(voiced)
        late = q[[t * 3 // world.horizon == 2 for t in range(world.horizon)]]
        expected |= {"ignorance": np.mean(p - q), "reversal": np.mean(q < 0.5)}
        if heard:
            expected["misperception"] = np.mean(heard)
        if len(late):
            expected |= {
                "late_ignorance": np.mean(p - late),
                "detected": float(np.mean(late) < 0.5 - MARGIN - 1e-12),
            }
    told = environment.measures()
    if most and abs(np.mean(voiced[-1]) - (0.5 - MARGIN)) < 1e-9:
        told.pop("detected", None)
        expected.pop("detected", None)
    assert told == pytest.approx(expected, abs=1e-12)


# Who shows it


CROWD = LambdaStar.preset("opinion", opening="fair", horizon=30)


def found(world: LambdaStar, *parts: tuple[str, dict[str, Any], int], count: int = 400) -> Any:
    """How often it is detected, and the mean of late ignorance."""
    told = rolled(world, parts[0][0], count, **parts[0][1])[1] if len(parts) == 1 else None
    told = told or mixed(world, list(parts), count)
    return told["detected"].mean(), told["late_ignorance"].mean()


def test_it_is_detected_where_a_misleading_start_put_it_in() -> None:
    world = dataclasses.replace(CROWD, opening="misleading")
    often, ignorance = found(world, ("conformist", {}, 1))
    assert often > 0.99
    assert ignorance > 0.6


def test_it_is_detected_where_zealots_put_it_in() -> None:
    """Yes is so and most believe it; a visible third says no, and the others give in early."""
    world = dataclasses.replace(CROWD, state="yes", accuracy=0.7)
    zealots = ("zealot", {"opinion": 0}, 5)
    often, _ = found(world, zealots, ("conformist", {"threshold": 0.4}, 10))
    assert often > 0.6
    seldom, _ = found(world, zealots, ("honest", {}, 10))
    assert seldom < 0.25  # where the zealots' own unsaid beliefs made the majority


def test_it_is_not_detected_among_the_honest_whatever_the_start() -> None:
    for opening in ("fair", "misleading", "random"):
        world = dataclasses.replace(CROWD, opening=opening)
        assert found(world, ("honest", {}, 1)) == (0, 0)


@pytest.mark.thorough
def test_it_is_seldom_detected_among_conformists_whose_start_is_fair() -> None:
    """Beliefs that are nearly tied may lie so that most see the minority: about one in forty."""
    often, ignorance = found(CROWD, ("conformist", {}, 1), count=2000)
    assert often < 0.05
    assert ignorance < 0
    clear = dataclasses.replace(CROWD, accuracy=0.85)
    assert found(clear, ("conformist", {}, 1), count=2000)[0] < 0.005


def test_it_is_not_detected_in_noise() -> None:
    """Random words depart from the majority's belief as a matter of course, but nobody's reverse it."""
    often, ignorance = found(CROWD, ("random", {}, 1), count=2000)
    assert often < 0.01
    assert ignorance > 0.1


def test_the_more_it_takes_to_give_in_the_less_there_is_of_it() -> None:
    world = dataclasses.replace(CROWD, opening="misleading")
    late = [found(world, ("conformist", {"threshold": t}, 1))[1] for t in (0.0, 0.5, 0.99, 1.0)]
    assert late == sorted(late, reverse=True)
    assert late[-1] == 0


# How subjects answer


def says(name: str, belief: int, yes: int, no: int, **parameters: Any) -> bool:
    """Whether a subject of a belief says yes that has heard so many say yes and no."""
    world = LambdaStar(task="opinion", rows=3, cols=3, subjects=1 + yes + no, horizon=2)
    content = (1, belief, *[1] * yes, *[-1] * no)
    environment = world.build(dataclasses.replace(world.sample(1), drawn_values=content))
    turn = environment.reset(1)
    group = world.group([(name, parameters, 1)])
    (mind, *_) = group._minds(world.subjects)
    mind.begin_with_key(_task(environment), 1)
    return bool(mind.act(turn.observations[0], 0.0) > 9)


def _task(environment: Any) -> Any:
    from mensura.agent.task import Task

    observation_space, action_space = environment.spaces(0)
    return Task(
        world="lambda-star-v2",
        seat=environment.seats[0],
        seats=len(environment.seats),
        observation_space=observation_space,
        action_space=action_space,
        horizon=environment.horizon,
        instructions="",
    )


@pytest.mark.parametrize("belief", [-1, 1])
@pytest.mark.parametrize(("yes", "no"), [(0, 0), (1, 0), (0, 1), (2, 2), (1, 3), (3, 1), (4, 0)])
def test_each_answers_what_it_hears_in_its_way(belief: int, yes: int, no: int) -> None:
    believes = belief > 0
    against = (no if believes else yes) / max(yes + no, 1)
    assert says("honest", belief, yes, no) == believes
    assert says("conformist", belief, yes, no) == (believes if against <= 0.5 else not believes)
    assert says("conformist", belief, yes, no, threshold=0.8) == (
        believes if against <= 0.8 else not believes
    )
    assert not says("zealot", belief, yes, no)
    assert says("zealot", belief, yes, no, opinion=1)
    assert says("contrarian", belief, yes, no) == (believes if yes == no else no > yes)
    # One's own signal of 0.7 weighs 0.847, a voice of 0.6 weighs 0.405: three make more than it.
    odds = belief * np.log(0.7 / 0.3) + (yes - no) * np.log(0.6 / 0.4)
    assert says("herder", belief, yes, no) == (odds > 0)


def test_a_cascade_may_start_where_the_first_were_wrong() -> None:
    """Bikhchandani et al. (1992): who trusts others as much as itself follows two of them against its own signal."""
    assert says("herder", -1, 2, 0, trust=0.7)
    assert not says("herder", -1, 1, 0, trust=0.7)  # a tie is one's own
    often, _ = found(
        dataclasses.replace(CROWD, opening="misleading"), ("herder", {"trust": 0.7}, 1)
    )
    assert often > 0.9


# The doors, the contract, and what is refused


@pytest.mark.thorough
@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {"range": 2, "truth": 0.2, "opening": "fair", "subjects": 6, "horizon": 12},
    ],
)
def test_worlds_of_opinions_keep_the_contract(parameters: dict[str, Any]) -> None:
    assert check_world(LambdaStar.preset("opinion", **parameters), balance=100) == []


@given(worlds(), keys)
@settings(max_examples=30)
def test_an_environment_is_rebuilt_from_its_description(world: LambdaStar, key: int) -> None:
    d = world.sample(key)
    again = Description.from_json(json.loads(json.dumps(d.to_json())))
    assert again == d
    assert (again.pattern() == d.pattern()).all()
    dissent = world.complexity(d, "dissent")
    assert dissent == min(d.drawn_values[1:].count(1), d.drawn_values[1:].count(-1))
    again = world.sample(key, ("dissent", dissent, dissent))
    assert world.complexity(again, "dissent") == dissent


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"conformity": 1.5}, "conformity is 1.5; it is a number from 0 to 1"),
        (
            {"conformity": 0.7, "truth": 0.4},
            "conformity is 0.7 and truth 0.4; together they are at most 1",
        ),
        ({"accuracy": 0.4}, "accuracy is 0.4; it is a number from 0.5 to 1"),
        ({"opening": "kind"}, "opening is 'kind'; it is 'fair' or 'misleading' or 'random'"),
        ({"state": "maybe"}, "state is 'maybe'; it is 'drawn' or 'yes' or 'no'"),
        ({"radius": 2}, "radius is 2 and range is 1; those with whom one is to agree are seen"),
        ({"temptation": 6}, "temptation belongs to the task 'dilemma', and the task is 'opinion'"),
    ],
)
def test_impossible_worlds_of_opinions_get_a_sentence(
    parameters: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        LambdaStar(task="opinion", **parameters)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ((1.0, -1.0), "The content has 2 numbers; 5 subjects need 6"),
        ((1.0, 0.5, 1, 1, 1, 1), r"A number of the content is 0.5; it is 1 \(yes\) or -1 \(no\)"),
        ((), "without content cannot be played"),
    ],
)
def test_described_beliefs_that_are_none_get_a_sentence(content: Any, sentence: str) -> None:
    world = LambdaStar(task="opinion")
    with pytest.raises(MensuraError, match=sentence):
        world.build(dataclasses.replace(world.sample(1), drawn_values=content))


def test_other_senseless_wishes_get_a_sentence_too() -> None:
    with pytest.raises(
        MensuraError, match="conformity belongs to the task 'opinion', and the task is"
    ):
        LambdaStar(conformity=0.2)
    world = LambdaStar(task="opinion")
    with pytest.raises(
        MensuraError, match="A dissent from 3 to 4 was not found in 20000 draws of 5"
    ):
        world.sample(1, ("dissent", 3, 4))
    with pytest.raises(
        MensuraError, match="'tit-for-tat' is no subject of Lambda Star under the task"
    ):
        world.group([("tit-for-tat", {}, 1)])
    with pytest.raises(MensuraError, match=r"opinion of zealot is 0\.5; it must be a whole number"):
        world.group([("zealot", {"opinion": 0.5}, 1)])


def test_views_tell_who_says_yes_what_all_believe_and_what_pays() -> None:
    world = LambdaStar(task="opinion", rows=3, cols=3, subjects=3)
    content = (1, 1, -1, 1)
    environment = world.build(dataclasses.replace(world.sample(1), drawn_values=content))
    environment.reset(1)
    view = world.view()
    told = view.text(environment, environment.step([5, 14, 5]))
    assert "deed      1\n" in told
    assert "signals   0 +1   1 -1   2 +1" in told
    told = " ".join(view.explain(environment))
    assert "all have said what they believe." in told
    assert "Good" not in told
    picture = environment.picture()
    assert {one.label for one in picture.shapes if one.role == "mark"} == {"subject 1"}
    believed = [one.label for one in picture.shapes if one.label.startswith("believes")]
    assert believed == ["believes yes", "believes no", "believes yes"]
    assert "what is so: yes" in picture.title
