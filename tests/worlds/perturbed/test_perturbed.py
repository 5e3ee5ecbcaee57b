"""Perturbed worlds: nothing at strength 0, what each operator says at others, and the laws of all worlds."""

from __future__ import annotations

import json
import math
import os
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text, to_plain
from mensura.agent.task import Seat, Task
from mensura.assessments.battery import Battery
from mensura.core import doors
from mensura.core.abilities import (
    Bulk,
    Planned,
    describe_from_json,
    hosting,
    operators,
    own_words,
    subject_names,
    values,
)
from mensura.core.chance import generator
from mensura.core.contract import Episode, Plan, Turn
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.registry import WORLDS
from mensura.studies.subjects import resolve
from mensura.testing import check_world
from mensura.worlds.perturbed.operators import OPERATORS, delay, distractions, shortened
from mensura.worlds.perturbed.values import distorted, noisy
from mensura.worlds.perturbed.world import PARAMETERS

SPACES: tuple[Space, ...] = (
    Discrete(5, -2),
    Box(-1.0, 3.0, (2, 2)),
    Box(0.0, 255.0, (3,), "uint8"),
    Box(-1e9, 1e9, (2,)),
    Box(2.0, 2.0, (1,)),
    Text(8, "abc"),
    Text(8),
    Several(Discrete(3), 4),
    Record((("cell", Box(0, 4)), ("height", Box(-1, 1, (2,))))),
    Record((("word", Text(4, "xy")), ("number", Discrete(2)))),
)


def made(inner: str, **parameters: Any) -> Any:
    return ms.make(f"perturbed-{inner}", **parameters)


def course(world: Any, key: int = 3, steps: int = 30) -> list[Turn]:
    """The turns of an episode whose actions follow from the number of the step."""
    environment = world.build(world.sample(7))
    turns = [environment.reset(key)]
    for step in range(steps):
        if turns[-1].ended is not None:
            break
        actions = [_action(environment, seat, step) for seat in turns[-1].due]
        turns.append(environment.step(actions, [0.0] * len(actions)))
    return turns


def _action(environment: Any, seat: int, step: int) -> Any:
    action = environment.spaces(seat)[1].sample(np.random.default_rng(step))
    return action if environment.legal(seat, action) else environment.default(seat)


def plain(turns: list[Turn]) -> Any:
    return [
        (one.due, to_plain(list(one.observations)), list(one.rewards), one.ended) for one in turns
    ]


@given(st.sampled_from(SPACES), st.integers(0, 2**64 - 1), st.floats(0, 1), st.integers(0, 99))
def test_values_stay_in_their_space_and_strength_0_changes_nothing(
    space: Space, key: int, strength: float, draw: int
) -> None:
    value = space.sample(np.random.default_rng(draw))
    if isinstance(space, Record) and space.flat:
        value["cell"] = round(float(value["cell"]))
    for change, chance in ((noisy, generator), (distorted, int)):
        changed = change(space, value, strength, chance(key), frozenset({"cell"}))
        assert space.contains(changed)
        again = change(space, value, strength, chance(key), frozenset({"cell"}))
        assert to_plain(again) == to_plain(changed)
        assert change(space, value, 0.0, chance(key)) is value


@given(st.integers(2, 40), st.floats(0, 1), st.integers(0, 2**64 - 1))
def test_a_distortion_is_a_permutation_that_moves_its_share(
    count: int, strength: float, key: int
) -> None:
    there = [distorted(Discrete(count), one, strength, key) for one in range(count)]
    assert sorted(there) == list(range(count))
    moved = sum(one != place for place, one in enumerate(there))
    assert moved == (round(strength * count) if round(strength * count) > 1 else 0)


@pytest.mark.parametrize("inner", ["echo", "lambda", "lambda-star", "bf", "items", "framotec"])
def test_strength_0_is_the_world_itself_to_the_bit(inner: str) -> None:
    bare, around = ms.make(inner), made(inner)
    assert plain(course(around)) == plain(course(bare))
    assert around.sample(5).to_json() == bare.sample(5).to_json()
    assert around.promises == bare.promises


def test_scores_at_strength_0_are_those_of_the_world_whichever_door_is_taken() -> None:
    for world in (ms.make("lambda"), made("lambda")):
        found = ms.assess(["q-learning"], world, assessment="battery", episodes=5, seed=4)
        means = {one.label: one.score for one in found.scores}
        if world.id == "lambda-v1":
            bare = means
    assert means == bare


@pytest.mark.parametrize("name", list(OPERATORS))
def test_every_operator_keeps_the_laws_of_worlds(name: str, full_size: bool) -> None:
    world = made("echo", horizon=12, **{OPERATORS[name].parameter: 0.6})
    size = {} if full_size else {"episodes": 1, "balance": 30}
    assert check_world(world, **size) == []


@pytest.mark.thorough
def test_all_operators_together_keep_them_in_larger_worlds() -> None:
    several = dict.fromkeys(PARAMETERS, 0.3)
    assert check_world(made("lambda", cells=4, actions=3, horizon=10, **several)) == []
    for inner in ("lambda-star", "framotec"):
        some = {one: 0.3 for one in PARAMETERS if not one.startswith("distraction")}
        turns = course(made(inner, **some), steps=10)
        assert len(turns) > 5


def test_the_true_reward_counts_and_another_is_told() -> None:
    bare = course(ms.make("echo"))
    for parameter in ("reward_noise", "reward_latency"):
        turns = course(made("echo", **{parameter: 0.5}))
        assert [one.rewards for one in turns] == [one.rewards for one in bare]
        told = [one.told[0] for one in turns if one.told is not None]
        assert told != [one.rewards[0] for one in bare]
        assert all(-1.0 <= one <= 1.0 for one in told)
    late = delay(0.5)
    assert told == [0.0] * late + [one.rewards[0] for one in bare][: len(told) - late]


def test_a_subject_is_told_what_its_world_tells_and_scored_by_what_is_true() -> None:
    heard: list[float] = []

    class Listener:
        def act(self, observation: int, reward: float) -> int:
            heard.append(reward)
            return 0

    found = ms.assess(
        Listener, made("echo", reward_latency=1.0), assessment="battery", episodes=2, seed=3
    )
    bare = ms.assess(
        type("Plain", (), {"act": lambda self, o, r: 0}),
        ms.make("echo"),
        assessment="battery",
        episodes=2,
        seed=3,
    )
    mean = [one.scores[0].score for one in (found, bare)]
    assert mean[0] == mean[1]
    assert heard[:10] == [0.0] * 10


def test_latency_and_drops_show_what_was_there_before() -> None:
    bare = [one.observations[0] for one in course(ms.make("echo"))]
    late = [one.observations[0] for one in course(made("echo", observation_latency=0.3))]
    assert late == [bare[max(0, k - 3)] for k in range(len(bare))]
    always = [one.observations[0] for one in course(made("echo", observation_dropped=1.0))]
    assert set(always) == {bare[0]}
    acted = course(made("echo", longest=0, action_dropped=1.0))
    by_default = [one.rewards[0] for one in acted[1:]]
    shown = [one.observations[0] for one in acted]
    assert by_default == [1.0 if seen == 0 else -1 / 3 for seen in shown[:-1]]


def test_an_action_comes_late() -> None:
    environment = (world := made("echo", longest=0, action_latency=0.2)).build(world.sample(1))
    seen, played = [], []
    turn = environment.reset(2)
    rng = np.random.default_rng(1)
    for _ in range(20):
        seen.append(turn.observations[0])
        played.append(int(rng.integers(4)))
        turn = environment.step([played[-1]], [0.0])
        arrived = played[-3] if len(played) > 2 else 0
        assert turn.rewards[0] == (1.0 if arrived == seen[-1] else pytest.approx(-1 / 3))


def test_distractions_have_room_in_the_spaces_and_do_nothing() -> None:
    world = made("echo", longest=0, distraction_observations=1.0, distraction_actions=0.25)
    environment = world.build(world.sample(1))
    seen, done = environment.spaces(0)
    assert dict(seen.fields)["distraction"].shape == (distractions(1.0),) == (8,)
    assert done == Discrete(4 + 2)
    turn = environment.reset(1)
    assert seen.contains(turn.observations[0])
    assert environment.legal(0, 5)
    assert not environment.legal(0, 6)
    wanted = turn.observations[0]["observation"]
    turn = environment.step([5], [0.0])  # does nothing: the default is played
    assert turn.rewards[0] == (1.0 if wanted == 0 else pytest.approx(-1 / 3))


@pytest.mark.parametrize("inner", ["framotec", "lambda-star", "items"])
def test_who_reads_is_told_what_distracts(inner: str) -> None:
    strengths = {"distraction_observations": 0.5}
    if inner != "framotec":  # where an action is a number
        strengths["distraction_actions"] = 0.25
    world, plain = made(inner, **strengths), ms.make(inner)
    environment, inside = world.build(world.sample(3)), plain.build(plain.sample(3))
    turn, bare = environment.reset(4), inside.reset(4)
    task, instructions = (
        Task("w", Seat(0), 1, *place.spaces(0), horizon=5, instructions="")
        for place in (environment, inside)
    )
    said = own_words(world).observation(task, turn.observations[0])
    first, _, beside = said.rpartition("\n")
    assert first == own_words(plain).observation(instructions, bare.observations[0])
    assert beside.startswith("distraction: ")
    assert beside.count(",") == 3
    rules = own_words(world).rules(task)
    assert rules.startswith(own_words(plain).rules(instructions))
    assert "4 numbers from 0 to 1" in rules
    assert ("You can also play the actions from" in rules) == (inner != "framotec")


def test_another_task_takes_turns_that_do_not_count() -> None:
    turns = course(made("echo", horizon=20, distraction_task=1.0), steps=200)
    aside = [one for one in turns if one.told is not None and list(one.told) != list(one.rewards)]
    assert len(turns) > 25
    assert aside
    assert all(list(one.rewards) == [0.0] for one in aside)
    assert turns[-1].ended == "terminated" or turns[-1].ended == "truncated"


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_a_horizon_is_never_longer_nor_empty(horizon: int, strength: float) -> None:
    assert 1 <= shortened(horizon, strength) <= horizon


def test_scarcity_cuts_the_episode() -> None:
    world = made("echo", scarcity_horizon=1.0)
    turns = course(world, steps=60)
    assert (len(turns) - 1, turns[-1].ended) == (5, "truncated")
    two = made("lambda-star", subjects=2, scarcity_horizon=0.5)
    assert course(two, steps=1000)[-1].due == (0, 1)


def test_worlds_and_descriptions_are_made_again() -> None:
    world = made("lambda", cells=5, observation_noise=0.25, distraction_task=0.5)
    assert pickle.loads(pickle.dumps(world)) == world
    assert values(world)["observation_noise"] == 0.25
    description = world.sample(11)
    again = describe_from_json(world, json.loads(json.dumps(description.to_json())))
    assert again == description
    assert WORLDS.load("perturbed-lambda") is WORLDS.load("perturbed-lambda-v1")


@pytest.mark.parametrize(
    ("inner", "given_", "sentence"),
    [
        ("echo", {"observation_noise": 1.5}, "strength of observation-noise is 1.5"),
        ("echo", {"observation_noise": -0.1}, "from 0 to 1"),
        ("items", {"observation_latency": 0.5}, "needs more than one interaction"),
        ("framotec", {"distraction_actions": 0.5}, "adds to a list of actions"),
        ("lambda-star", {"distraction_task": 0.5, "subjects": 2}, "single seat"),
        ("perturbed-echo", {}, "is perturbed already"),
        ("nowhere", {}, "There is no world 'nowhere'"),
    ],
)
def test_what_cannot_be_gets_a_sentence(inner: str, given_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        made(inner, **given_)


@pytest.mark.thorough
def test_what_knows_nothing_of_perturbations_is_not_there() -> None:
    world = made("bf", horizon=5, observation_noise=0.5)
    with pytest.raises(MensuraError, match="have none"):
        ms.assess(["random"], world, assessment="aiq", programs=5, sittings=2)
    found = ms.assess(["random"], made("bf", horizon=5), assessment="aiq", programs=5, sittings=2)
    assert found.finished


def test_the_first_training_episodes_can_be_without_perturbations() -> None:
    world = made("echo", observation_noise=0.5, calm_training=2)
    plans = Battery(training=3).sitting(world, 5)
    practice = [next(plans) for _ in range(3)]
    practice.append(plans.send(Episode((0.0,), (1,), (0,))))
    calm = ms.make("echo").sample(practice[0].environment)
    assert [one.description == calm for one in practice] == [True, True, False, False]
    assert [one.learning for one in practice] == [True, True, True, False]
    assert len({one.environment for one in practice}) == 1
    usual = Battery(training=1).sitting(made("echo", observation_noise=0.5), 5)
    assert next(usual).description == practice[-1].description


@pytest.mark.parametrize("number", [-1, 0.5])
def test_a_number_of_calm_episodes_that_is_none_gets_a_sentence(number: Any) -> None:
    with pytest.raises(MensuraError, match=r"calm_training is .*; it must be a whole number"):
        made("echo", calm_training=number)


def test_the_class_of_a_perturbed_world_says_what_its_operators_do() -> None:
    told = operators(WORLDS.load("perturbed-echo"))
    assert list(told) == list(OPERATORS)
    assert operators(WORLDS.load("echo")) == {}


COMPILED_GIVEN: list[dict[str, float]] = [
    {"observation_noise": 0.3},
    {"observation_latency": 0.3},
    {"action_latency": 0.2, "action_dropped": 0.3},
    {
        "observation_noise": 0.1,
        "observation_latency": 0.2,
        "observation_dropped": 0.4,
        "action_noise": 0.2,
        "action_latency": 0.1,
        "action_dropped": 0.1,
        "reward_noise": 0.1,
        "reward_latency": 0.2,
    },
]


@pytest.mark.parametrize("given_", COMPILED_GIVEN, ids=lambda one: "+".join(one))
@pytest.mark.parametrize(
    "inner", ["lambda", pytest.param("lambda-star", marks=pytest.mark.thorough)]
)
def test_both_doors_of_a_perturbed_world_play_the_same_to_the_bit(
    inner: str, given_: dict[str, float], full_size: bool
) -> None:
    """Operators are the same code in both worlds and for all minds, each of which has to be compiled."""
    world = WORLDS.load(f"perturbed-{inner}")(**given_)
    chosen = "q-learning" if inner == "lambda" else "random"
    for name in ("random", "q-learning") if full_size else (chosen,):
        subject = resolve(name, world)
        assert isinstance(world, Bulk)
        assert isinstance(world, Planned)
        assert world.compiles(subject)
        assert_doors_agree(world, subject)


def assert_doors_agree(world: Any, subject: Any) -> None:
    """Two episodes by the second door are those by the step door."""
    world = hosting(world, subject)
    for number, slot in enumerate((None, 130)):
        description = world.sample(key(5, number))
        plan = Plan(description, key(7, number), learning=True, interactions=slot)
        compiled = world.play_compiled(subject, plan, key(9, number))
        environment = world.build(description)
        player = subject.sit(len(environment.seats))
        stepped = drive(
            play(
                environment,
                plan.key,
                world=world.id,
                seed=key(9, number),
                learning=True,
                interactions=slot,
                speakers=player.speakers,
            ),
            player,
        )
        assert compiled.rewards == stepped.rewards


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("search", ("local-search", "oracle", "imitation", "q-learning")),
        pytest.param(
            "dilemma", ("tit-for-tat", "win-stay-lose-shift", "generous"), marks=pytest.mark.slow
        ),
        pytest.param("opinion", (), marks=pytest.mark.slow),
    ],
)
def test_noise_leaves_out_only_what_a_mind_does_not_read(game: str, names: tuple[str, ...]) -> None:
    world = WORLDS.load("perturbed-lambda-star")(task=game, observation_noise=0.4)
    for name in names or subject_names(world):
        subject = resolve(name, world)
        if world.compiles(subject):
            assert_doors_agree(world, subject)


@pytest.mark.parametrize(
    "inner", ["lambda", pytest.param("lambda-star", marks=pytest.mark.thorough)]
)
def test_whole_sittings_of_a_perturbed_world_are_its_plans(
    inner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = WORLDS.load(f"perturbed-{inner}")(observation_noise=0.2, action_latency=0.2)
    subject = resolve("q-learning", world)
    keys = np.array([key(3, i) for i in range(6)], np.uint64)
    free = np.full(len(keys), np.inf)
    drawn = world.sample_many(keys, next(iter(world.measures)), -free, free)
    totals = world.rollout(subject, drawn, keys, keys, 0)
    for i, own in enumerate(keys.tolist()):
        plan = Plan(world.sample(own), own)
        episode = world.play_compiled(subject, plan, fold(own, 0))
        assert episode.rewards == tuple(totals[i, 0].tolist())
    monkeypatch.setattr(doors, "device", lambda: "gpu")  # which leaves them to the processor
    assert np.array_equal(world.rollout(subject, drawn, keys, keys, 0), totals)


def test_operators_that_change_spaces_and_calm_training_take_the_other_doors() -> None:
    spaces = WORLDS.load("perturbed-lambda")(distraction_observations=0.5)
    assert not isinstance(spaces, Planned)
    calm = WORLDS.load("perturbed-lambda")(observation_noise=0.5, calm_training=2)
    assert isinstance(calm, Planned)
    assert not isinstance(calm, Bulk)


@pytest.mark.bounds
@pytest.mark.parametrize("task", ["search", "landscape", "commons", "dilemma", "opinion"])
def test_minds_bear_whatever_they_see(task: str, full_size: bool) -> None:
    """Observations are wrong in every way; no mind looks beyond its tables.

    Which shows only where accesses are checked.
    """
    if not full_size and os.environ.get("NUMBA_BOUNDSCHECK") != "1":
        pytest.skip("make bounds plays these")
    kind = WORLDS.load("perturbed-lambda-star")
    world = kind(task=task, observation_noise=1.0, observation_dropped=0.5, horizon=20)
    for name in subject_names(world):
        subject = resolve(name, world)
        if not world.compiles(subject):
            continue
        for number in range(2):
            plan = Plan(world.sample(key(1, number)), key(2, number), learning=True)
            episode = world.play_compiled(subject, plan, key(3, number))
            assert all(math.isfinite(one) for one in episode.rewards)


@pytest.mark.thorough
@pytest.mark.parametrize("preset", ["landscape", "commons", "opinion"])
def test_a_game_whose_environments_are_numbers_is_assessed_with_noise(preset: str) -> None:
    world = ms.make("perturbed-lambda-star", preset=preset, horizon=4, observation_noise=0.3)
    (score,) = ms.assess(["random"], world, assessment="battery", episodes=3, seed=1).scores
    assert np.isfinite(score.score)
