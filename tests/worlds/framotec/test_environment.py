"""Tasks behind the contract: seats, actions, rewards, clocks, ends, and the views of other libraries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.heavy import pettingzoo_test
from tests.sizes import examples

from mensura.adapters.gymnasium import WorldEnv, id_of
from mensura.adapters.pettingzoo import parallel_env
from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.testing import check_world
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.model.building import Build
from mensura.worlds.framotec.model.task import Sensor
from mensura.worlds.framotec.paper import SAMPLES, car_race
from mensura.worlds.framotec.play.description import Description
from mensura.worlds.framotec.world import Framotec

FULL = [np.ones(1)]


def of(**parameters: Any) -> FramotecEnvironment:
    world = Framotec(**parameters)
    return world.build(world.sample(3))


def pair(**parameters: Any) -> Description:
    """Two frictionless objects with a motor of 2 W each, for two controllers."""
    task = (
        Build("pair")
        .object("a")
        .object("b")
        .motor("m", drives="a", power=2.0)
        .motor("n", drives="b", power=2.0)
        .sensor("a_speed", of="a.velocity")
        .sensor("b_speed", of="b.velocity")
        .task()
    )
    values: dict[str, Any] = {"controllers": (("m",), ("n",)), "horizon": 8, **parameters}
    return Description(task=task, **values)


# The contract ---------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    "parameters",
    [
        {"task": "plotter-2d", "subjects": 3, "actions": "five", "horizon": 20},
        {"task": "n-dimensional", "dimensions": 3, "ends": True},
        {
            "task": "locking-plotter",
            "clock": "simulated",
            "thought": (0.3, 0.1),
            "subjects": 2,
            "horizon": 40,
        },
        {"task": "parking", "integrator": "authors-2016", "actions": "three", "horizon": 30},
    ],
)
def test_every_kind_of_world_keeps_the_contract(
    parameters: dict[str, Any], full_size: bool
) -> None:
    assert check_world(Framotec(**parameters), episodes=2 if full_size else 1) == []


@settings(max_examples=15)
@given(
    st.sampled_from(list(SAMPLES)),
    st.integers(0, 2**64 - 1),
    st.sampled_from(["continuous", "five"]),
)
def test_descriptions_go_to_plain_data_and_back(task: str, key: int, actions: Any) -> None:
    description = Framotec(task=task, dimensions=2, actions=actions).sample(key)
    assert Description.from_json(description.to_json()) == description


# Actions and rewards --------------------------------------------------------------


def test_full_power_solves_the_race_and_pays_from_then_on() -> None:
    environment = of()
    turn = environment.reset(1)
    rewards = []
    while turn.ended is None:
        turn = environment.step(FULL)
        rewards += turn.rewards
    solved = rewards.index(1.0)
    assert environment.horizon == len(rewards) == 240
    assert turn.ended == "terminated"
    assert 10 < solved < 60
    assert set(rewards[solved:]) == {1.0}
    assert all(-1 < reward < 0 for reward in rewards[:solved])
    assert rewards[:solved] == sorted(rewards[:solved])
    measures = environment.measures()
    assert measures["solved"] == 1.0
    assert measures["energy"] == pytest.approx(200 * measures["time"])


def test_the_reward_is_the_distance_as_a_share_of_the_greatest() -> None:
    environment = of()
    environment.reset(1)
    turn = environment.step([np.zeros(1)])
    assert turn.rewards == [pytest.approx(-75 / 95)]


def test_whoever_spends_too_much_pays_for_it_to_the_end() -> None:
    world = Framotec(horizon=12)
    race = car_race()
    short = replace(race, limits=replace(race.limits, energy=100.0))
    environment = world.build(replace(world.sample(0), task=short))
    environment.reset(1)
    rewards = [environment.step(FULL).rewards[0] for _ in range(12)]
    assert rewards[1] > -1
    assert rewards[2:] == [-1.0] * 10


def test_where_an_episode_ends_at_once_its_length_is_not_fixed() -> None:
    environment = of(ends=True)
    assert environment.horizon is None
    turn = environment.reset(1)
    count = 0
    while turn.ended is None:
        turn = environment.step(FULL)
        count += 1
    assert turn.rewards == [1.0]
    assert count < 60


def test_an_episode_that_is_cut_short_is_truncated() -> None:
    environment = of(horizon=2)
    environment.reset(1)
    assert environment.step(FULL).ended is None
    assert environment.step(FULL).ended == "truncated"
    with pytest.raises(RuntimeError, match="reset first"):
        environment.step(FULL)


def test_numbered_actions_set_one_motor_and_leave_the_others() -> None:
    environment = of(task="plotter-2d", actions="five")
    assert environment.spaces(0)[1] == Discrete(15)
    environment.reset(1)

    def powers() -> list[float]:
        names = ("x_motor", "y_motor", "pen_motor")
        return [environment.simulation.value(f"{name}.power") for name in names]

    for action, expected in (
        (1, [100, 0, 0]),
        (5 + 4, [100, -50, 0]),
        (10 + 3, [100, -50, 2.5]),
        (0, [0, -50, 2.5]),
        (10 + 2, [0, -50, 0]),
    ):
        environment.step([action])
        assert powers() == expected


def test_reward_channels_are_sensors_and_can_be_the_reward() -> None:
    race = car_race()
    task = replace(race, sensors=(*race.sensors, Sensor("score", "reward", reward=True)))
    description = replace(Framotec().sample(0), task=task, rewards="channels")
    environment = FramotecEnvironment(description)
    turn = environment.reset(1)
    assert turn.observations[0]["score"] == -75.0
    assert environment.step(FULL).rewards == [-1.0]
    while environment.simulation.value("position.value") < 94.5:
        turn = environment.step(FULL)
    assert turn.rewards[0] == pytest.approx(max(-1.0, float(turn.observations[0]["score"])))


@pytest.mark.parametrize("action", [1.5, [0.1, 0.2], [float("nan")], "x", None, [2.0]])
def test_what_is_no_action_is_refused(action: Any) -> None:
    environment = of()
    environment.reset(1)
    assert not environment.legal(0, action)
    with pytest.raises(ValueError, match="is not an action of seat 0"):
        environment.step([action])


def test_observations_stay_within_their_space() -> None:
    environment = of(task="steered-mover", horizon=30)
    space = environment.spaces(0)[0]
    rng = np.random.default_rng(1)
    turn = environment.reset(5)
    while turn.ended is None:
        assert space.contains(turn.observations[0])
        turn = environment.step([rng.uniform(-1, 1, 2)])
    names = [name for name, _ in space.fields]
    assert names == ["x_reading", "y_reading", "heading_reading", "time", "energy"]


def test_readings_are_bounded_as_their_objects_are() -> None:
    seen = dict(of(task="locking-plotter").spaces(0)[0].fields)
    assert seen["position_reading"] == Box(-0.55, 150.55)
    assert (seen["plot_it_reading"].low, seen["plot_it_reading"].high) == (-0.6, 1.6)
    assert seen["time"] == Box(0, 60.0)


# Several controllers --------------------------------------------------------------


def test_motors_are_dealt_out_or_named() -> None:
    dealt = Framotec(task="plotter-2d", subjects=2).sample(0)
    assert dealt.controllers == (("x_motor", "pen_motor"), ("y_motor",))
    named = Framotec(task="plotter-2d", controllers=("x_motor+y_motor", "pen_motor + x_motor"))
    assert named.subjects == 2
    assert named.sample(0).controllers == (("x_motor", "y_motor"), ("pen_motor", "x_motor"))
    environment = named.build(named.sample(0))
    assert [environment.spaces(seat)[1] for seat in (0, 1)] == [Box(-1, 1, (2,))] * 2


def test_of_two_settings_of_one_motor_the_latest_holds() -> None:
    d = pair(controllers=(("m",), ("m", "n")), clock="simulated", thought=(0.2, 0.1))
    environment = FramotecEnvironment(d)
    environment.reset(0)
    environment.step([np.array([1.0]), np.array([-1.0, 0.5])])
    assert environment.simulation.value("m.power") == 2.0
    assert environment.simulation.value("n.power") == 1.0
    # 0.1 s without power, 0.1 s backwards, 0.05 s forwards.
    assert environment.simulation.value("a.velocity") == pytest.approx(
        -np.sqrt(0.2), rel=0.0, abs=1.0
    )


# Clocks ---------------------------------------------------------------------------


def test_by_the_simulated_clock_actions_take_effect_after_the_thought() -> None:
    """A mass of 1 under 2 W has v^2 = 4 t after t seconds of power."""
    environment = FramotecEnvironment(pair(clock="simulated", thought=(0.1, 0.0)))
    environment.reset(0)
    turn = environment.step([np.ones(1), np.ones(1)])
    assert turn.due == (0, 1)
    speeds = turn.observations[0]
    assert speeds["time"] == 0.25
    assert speeds["a_speed"] ** 2 == pytest.approx(4 * 0.15)
    assert speeds["b_speed"] ** 2 == pytest.approx(4 * 0.25)


def test_a_controller_that_thinks_longer_than_a_step_is_due_when_it_has_acted() -> None:
    environment = FramotecEnvironment(pair(clock="simulated", thought=(0.3, 0.0)))
    assert environment.horizon is None
    turn = environment.reset(0)
    seen = []
    while turn.ended is None:
        seen.append((round(float(turn.observations[0]["time"]), 3), turn.due))
        turn = environment.step([np.ones(1)] * len(turn.due))
    assert seen[:6] == [
        (0, (0, 1)),
        (0.25, (1,)),
        (0.3, (0,)),
        (0.5, (1,)),
        (0.6, (0,)),
        (0.75, (1,)),
    ]
    assert turn.due == (0, 1)


@pytest.mark.parametrize("thought", [0.25, 0.3, 1.0])
def test_what_was_thought_for_a_whole_step_takes_effect_too(thought: float) -> None:
    """v^2 = 4 t after t seconds of power, which begins when the first thought is over."""
    environment = FramotecEnvironment(pair(clock="simulated", thought=(thought, 0.0)))
    turn = environment.reset(0)
    while turn.ended is None:
        turn = environment.step([np.ones(1)] * len(turn.due))
    speeds = turn.observations[0]
    assert speeds["time"] == 2.0
    assert speeds["a_speed"] ** 2 == pytest.approx(4 * (2.0 - thought))
    assert speeds["b_speed"] ** 2 == pytest.approx(4 * 2.0)


def test_measured_seconds_count_where_none_are_declared() -> None:
    environment = FramotecEnvironment(pair(clock="simulated"))
    environment.reset(0)
    turn = environment.step([np.ones(1), np.ones(1)], [0.2, 0.0])
    assert turn.observations[0]["a_speed"] ** 2 == pytest.approx(4 * 0.05)
    at_once = FramotecEnvironment(pair())
    at_once.reset(0)
    turn = at_once.step([np.ones(1), np.ones(1)], [0.2, 0.0])
    assert turn.observations[0]["a_speed"] ** 2 == pytest.approx(4 * 0.25)


@settings(max_examples=examples(8, 20))
@given(st.lists(st.floats(0, 0.7), min_size=6, max_size=6), st.integers(1, 5))
def test_a_snapshot_keeps_what_was_decided_and_has_not_happened_yet(
    seconds: list[float], cut: int
) -> None:
    one, two = (FramotecEnvironment(pair(clock="simulated")) for _ in range(2))
    turn = one.reset(0)
    two.reset(1)
    ends: list[Any] = []
    for i, took in enumerate(seconds):
        if turn.ended is not None:
            break
        if i == cut:
            two.restore(one.snapshot())
        actions = [np.full(1, took)] * len(turn.due)
        took_each = [took, took / 2][: len(turn.due)]
        turn = one.step(actions, took_each)
        if i >= cut:
            ends.append(two.step(actions, took_each).observations.tolist())  # type: ignore[union-attr]
            assert ends[-1] == turn.observations.tolist()  # type: ignore[union-attr]
            assert two.snapshot() == one.snapshot()


# What is wrong --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"task": "car-rac"}, "There is no sample task 'car-rac'; did you mean car-race"),
        ({"task": "nowhere.json"}, "There is no file nowhere.json"),
        ({"task": "{"}, "The task is not JSON"),
        ({"task": '{"objcts": []}'}, "The task has no field 'objcts'"),
        ({"subjects": 2}, "2 controllers are too many for the task 'car-race'"),
        ({"controllers": ("engine",)}, "Controller 0 cannot have the motor 'engine'"),
        ({"thought": (0.1,)}, "which counts only if clock is 'simulated'"),
        (
            {"thought": (0.1, 0.2), "clock": "simulated"},
            "2 times of thought do not fit 1 controllers",
        ),
        ({"actions": "fife"}, "actions is 'fife'; did you mean five"),
        ({"horizon": 0}, "horizon is 0"),
        ({"dimensions": 0}, "dimensions is 0"),
        ({"rewards": "channels"}, "has no sensor that is one"),
        ({"dt": -1.0}, "dt is -1.0 s"),
    ],
)
def test_a_world_that_cannot_be_gets_a_sentence(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(MensuraError) as caught:
        Framotec(**parameters)
    assert words in str(caught.value)


def test_a_task_of_ones_own_comes_from_a_file(tmp_path: Any) -> None:
    import json

    file = tmp_path / "race.json"
    file.write_text(json.dumps(car_race().to_json()))
    assert Framotec(task=str(file)).sample(1).task == car_race()
    assert Framotec(task=json.dumps(car_race().to_json())).sample(1).task == car_race()
    file.write_text('{"goals": [{"name": "g", "of": "x"}]}')
    with pytest.raises(MensuraError, match=r"race.json: Goal 'g' is on 'x', which is no attribute"):
        Framotec(task=str(file))


def test_dimensions_can_be_asked_for() -> None:
    world = Framotec(task="n-dimensional")
    found = {
        world.complexity(world.sample(key, ("dimensions", 3, 5)), "dimensions") for key in range(30)
    }
    assert found == {3, 4, 5}
    with pytest.raises(MensuraError, match="out of reach for the task 'car-race'"):
        Framotec().sample(1, ("dimensions", 3, 5))
    with pytest.raises(MensuraError, match="FraMoTEC has no complexity 'K'"):
        Framotec().sample(1, ("K", 3, 5))


# Views of other libraries ---------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        {"horizon": 20},
        {"horizon": 20, "actions": "three"},
        {"task": "plotter-2d", "horizon": 10, "render_mode": "ansi"},
        {"task": "n-dimensional", "dimensions": 2, "ends": True},
    ],
)
def test_the_gymnasium_view_passes_its_check(parameters: dict[str, Any]) -> None:
    check_env(gymnasium.make(id_of("framotec-v1"), **parameters).unwrapped)


@pytest.mark.parametrize("actions", ["continuous", "three"])
def test_the_pettingzoo_view_passes_its_check(actions: str) -> None:
    env = parallel_env("framotec-v1", task="plotter-2d", subjects=3, actions=actions, horizon=20)
    pettingzoo_test.parallel_api_test(env, num_cycles=50)


def test_views_play_arrays_and_say_what_is_none() -> None:
    env = WorldEnv("framotec-v1", horizon=30)
    first, _ = env.reset(seed=1)
    row, reward, *_ = env.step(np.ones(1))
    assert row[0] >= first[0]
    assert -1 < reward < 0
    with pytest.raises(ValueError, match=r"is not an action now; actions are arrays in Box"):
        env.step(np.ones(2))
    parallel = parallel_env("framotec-v1", horizon=30)
    parallel.reset(seed=1)
    for wrong in ([0.5], np.ones(3), "x"):
        with pytest.raises(
            ValueError, match=r"is not an action of subject_0; actions are arrays in"
        ):
            parallel.step({"subject_0": wrong})
    observations, *_ = parallel.step({"subject_0": np.ones(1)})
    assert observations["subject_0"].shape == (3,)


# When nothing can change any more ------------------------------------------------


def finished(environment: FramotecEnvironment, act: Any) -> list[Any]:
    """All that is scored from here to the end of the episode."""
    told: list[Any] = []
    ended = None
    while ended is None:
        turn = environment.step([act() for _ in environment._due], [0.0] * len(environment._due))
        ended = turn.ended
        told.append((turn.due, list(turn.rewards)))
    return [told, ended, environment.measures()]


@pytest.mark.parametrize(
    "parameters",
    [
        {"task": "car-race"},
        {"task": "car-race", "integrator": "authors-2016", "rewards": "score"},
        {"task": "n-dimensional", "dimensions": 2, "horizon": 200},
        {"task": "plotter-2d", "subjects": 3, "actions": "five"},
        {"task": "car-race", "clock": "simulated", "thought": (0.5,)},
    ],
    ids=["solved", "authors", "failed", "collective", "simulated"],
)
def test_nothing_that_is_scored_depends_on_actions_once_an_episode_is_decided(
    parameters: dict[str, Any],
) -> None:
    environment = of(**parameters)
    draws = np.random.default_rng(5)

    def act() -> Any:
        return environment.spaces(0)[1].sample(draws)

    turn = environment.reset(1)
    while not environment.decided():
        assert turn.ended is None
        turn = environment.step([act() for _ in turn.due], [0.0] * len(turn.due))
    if turn.ended is not None:
        return  # the limit of time was the horizon
    state = environment.snapshot()
    once = finished(environment, act)
    environment.restore(state)
    again = finished(environment, lambda: environment.default(0))
    assert once == again
    rewards = {reward for _, rewards in once[0] for reward in rewards}
    assert rewards in ({1.0}, {-1.0})


def test_an_episode_is_not_decided_where_actions_or_thoughts_still_count() -> None:
    for parameters in ({"clock": "simulated"}, {"ends": False, "rewards": "distance"}):
        environment = of(task="car-race", **parameters)
        turn = environment.reset(1)
        while turn.ended is None and not environment.simulation.over:
            turn = environment.step(FULL, [0.0])
        assert environment.simulation.solved
        assert environment.decided() == ("clock" not in parameters)


@pytest.mark.parametrize("name", ["coasting", "pid", "optimal", "sarsa"])
def test_who_repeats_the_last_action_once_it_is_decided_scores_the_same_to_the_bit(
    name: str,
) -> None:
    world = Framotec(task="car-race", actions="three" if name == "sarsa" else "continuous")
    subject = world.group([(name, {}, 1)])
    world = world.hosting(subject)

    class Resting:
        """Asks the subject no more than it has to."""

        speakers = frozenset[int]()
        asked = 0

        def __init__(self) -> None:
            self.player = subject.sit(1)
            self.last: Answer | None = None

        def answer(self, asks: list[Ask]) -> list[Answer]:
            if asks[0].decided and self.last is not None:
                return [self.last]
            answers = self.player.answer(asks)
            if asks[0].kind == "act":
                self.asked += 1
                self.last = answers[0]
            return answers

        def close(self) -> None:
            self.player.close()

    for key in range(3):
        episodes, asked = [], []
        for player in (subject.sit(1), Resting()):
            environment = world.build(world.sample(key))
            played = drive(play(environment, key, world=world.id, seed=7), player)
            episodes.append((played.rewards, played.interactions, played.measures))
            asked.append(getattr(player, "asked", played.interactions[0]))
        assert episodes[0] == episodes[1]
        assert asked[1] <= asked[0]
