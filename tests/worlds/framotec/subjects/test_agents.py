"""The subjects of FraMoTEC: what they know, what they do, and what they learn."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.agent.spaces import Box, Discrete
from mensura.core.contract import Episode
from mensura.core.loop import play
from mensura.core.mixed import Mixed
from mensura.core.players import drive
from mensura.worlds.framotec.analysis import pareto, schedules
from mensura.worlds.framotec.analysis.frontier import schedule_of
from mensura.worlds.framotec.model.easier import easier
from mensura.worlds.framotec.paper import SAMPLES, car_race, locking_plotter, n_dimensional
from mensura.worlds.framotec.play.description import LEVELS
from mensura.worlds.framotec.play.simulation import Simulation
from mensura.worlds.framotec.subjects.agents import KINDS
from mensura.worlds.framotec.subjects.hands import Hands
from mensura.worlds.framotec.world import Framotec


def attempts(
    subject: str,
    count: int = 1,
    parameters: dict[str, Any] | None = None,
    training: int = 0,
    **world: Any,
) -> list[Episode]:
    """So many attempts in one sitting, after training on copies that are ever harder."""
    home = Framotec(ends=True, **world)
    group = home.group([(subject, parameters or {}, 1)])
    host, player = home.hosting(group), group.sit(1)
    made = []
    for number in range(training + count):
        description = host.sample(fold(5, number))
        if number < training:
            description = host.easier(description, (number * 10 // training + 1) / 10)
        episode = drive(
            play(host.build(description), fold(6, number), world=host.id, seed=fold(7, number)),
            player,
        )
        assert not episode.faults
        made.append(episode)
    return made[training:]


def solved(made: list[Episode]) -> float:
    return float(np.mean([one.measures["solved"] for one in made]))


# Hand-written ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "actions", ["continuous", pytest.param("three", marks=pytest.mark.thorough), "five"]
)
@pytest.mark.parametrize(
    ("subject", "task"),
    [
        ("plotter", "car-race"),
        ("plotter", "locking-plotter"),
        ("plotter", "plotter-2d"),
        ("coasting", "parking"),
        ("coasting", "locking-plotter"),
        ("selector", "n-dimensional"),
    ],
)
def test_who_knows_a_task_solves_it_whatever_actions_there_are(
    subject: str, task: str, actions: Any
) -> None:
    assert solved(attempts(subject, 3, task=task, actions=actions)) == 1.0


@pytest.mark.parametrize("task", ["car-race", "parking", "locking-plotter", "plotter-2d"])
def test_a_pid_controller_that_may_set_any_power_stops_at_the_goal(task: str) -> None:
    assert solved(attempts("pid", 3, task=task)) == 1.0


@pytest.mark.parametrize("integrator", ["work-energy", "authors-2016"])
def test_rolling_costs_less_than_full_power_and_takes_longer(integrator: Any) -> None:
    (full,) = attempts("plotter", integrator=integrator)
    (rolling,) = attempts("coasting", integrator=integrator)
    assert rolling.measures["energy"] < 0.7 * full.measures["energy"]
    assert rolling.measures["time"] > full.measures["time"]


def test_the_plotter_gives_full_power_up_and_down_and_none_in_between() -> None:
    """The algorithm of 6.3, step by step, with what its sensors show."""
    home = Framotec(task="locking-plotter", horizon=80)
    group = home.group([("plotter", {}, 1)])
    host = home.hosting(group)
    environment = host.build(host.sample(1))
    given_powers = []

    class Watch:
        def started(self, environment: Any, turn: Any) -> None:
            self.turn = turn

        def stepped(self, environment: Any, actions: Any, turn: Any) -> None:
            given_powers.append((float(self.turn.observations[0]["position_reading"]), *actions[0]))
            self.turn = turn

    drive(play(environment, 3, world=host.id, seed=1, observers=[Watch()]), group.sit(1))
    for position, power, plot in given_powers:
        near = abs(position - 100.0) <= 5.0
        assert power == (0.0 if near else np.sign(100.0 - position))
        assert plot == (1.0 if near else 0.0)
    assert {power for _, power, _ in given_powers} == {0.0, 1.0, -1.0}


@pytest.mark.thorough
def test_twenty_dimensions_take_longer_than_ten_but_not_twice_as_long() -> None:
    ten, twenty = (
        np.mean(
            [
                one.measures["time"]
                for one in attempts("selector", 4, task="n-dimensional", dimensions=n)
            ]
        )
        for n in (10, 20)
    )
    assert ten < twenty < 2 * ten


def test_the_selector_is_for_n_dimensions_only() -> None:
    with pytest.raises(MensuraError, match="written for the task n-dimensional"):
        Framotec(task="car-race").group([("selector", {}, 1)])


def test_the_optimal_controller_plays_the_schedule_of_the_front(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def schedule(task: Any, energy: float | None = None, time: float | None = None) -> Any:
        asked.append((task.integrator, time))
        return np.array([[200.0]] * 20 + [[0.0]] * 40)

    ends = SimpleNamespace(times=np.array([6.0, 16.0]))
    monkeypatch.setattr(pareto, "front", lambda task: ends)
    monkeypatch.setattr(schedules, "schedule", schedule)
    schedule_of.cache_clear()
    (made,) = attempts("optimal", parameters={"leisure": 0.25}, integrator="authors-2016")
    assert asked == [("work-energy", 8.5)]
    assert made.measures["energy"] == pytest.approx(1000.0)
    assert made.measures["solved"] == 1.0
    schedule_of.cache_clear()


@pytest.mark.parametrize(("leisure", "time", "energy"), [(0.0, 6.63, 1315.0), (1.0, 10.1, 750.0)])
def test_the_optimal_controller_is_on_the_front(leisure: float, time: float, energy: float) -> None:
    (made,) = attempts("optimal", parameters={"leisure": leisure})
    assert made.measures["solved"] == 1.0
    assert made.measures["time"] == pytest.approx(time, rel=0.01)
    assert made.measures["energy"] == pytest.approx(energy, rel=0.01)


# Learners -------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("subject", ["sarsa", "tile-coding"])
def test_a_learner_gets_better_at_the_race(subject: str) -> None:
    untrained = attempts(subject, 10, integrator="authors-2016")
    trained = attempts(subject, 10, training=150, integrator="authors-2016")
    assert solved(trained) > solved(untrained)
    assert solved(trained) >= 0.7


def test_a_learner_forgets_when_it_sits_down_anew() -> None:
    home = Framotec(horizon=12)
    group = home.group([("sarsa", {}, 1)])
    host = home.hosting(group)
    environment = host.build(host.sample(1))

    def rewards(player: Any) -> list[float]:
        return [
            drive(play(environment, 1, world=host.id, seed=2), player).rewards[0] for _ in range(6)
        ]

    player = group.sit(1)
    first = rewards(player)
    assert rewards(player) != first
    player.renew()
    assert rewards(player) == first


def test_five_powers_are_an_option() -> None:
    seen = set()

    class Watch:
        def started(self, environment: Any, turn: Any) -> None: ...
        def stepped(self, environment: Any, actions: Any, turn: Any) -> None:
            seen.add(float(actions[0][0]))

    home = Framotec()
    group = home.group([("sarsa", {"levels": "5", "epsilon": "1"}, 1)])
    host = home.hosting(group)
    environment = host.build(host.sample(1))
    drive(play(environment, 1, world=host.id, seed=2, observers=[Watch()]), group.sit(1))
    assert seen == {0.0, 1.0, -1.0, 0.5, -0.5}


# Rights ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(KINDS))
def test_a_subject_has_the_rights_that_it_declares_and_no_others(name: str) -> None:
    home = Framotec(task="n-dimensional", dimensions=2)
    host = home.hosting(home.group([(name, {}, 1)]))
    environment = host.build(host.sample(1))
    learner = name in ("sarsa", "tile-coding")
    assert environment.seats[0].rights == {"sees_velocity" if learner else "knows_task"}
    names = [field for field, _ in environment.spaces(0)[0].fields]
    assert ("velocity" in names) is learner
    told = environment.instructions(0)
    assert ("x0_there" in told) is not learner
    assert "Bring every object to 10" in told


def test_rights_are_those_of_the_seat_of_whoever_needs_them() -> None:
    home = Framotec(task="plotter-2d", subjects=3)
    group = home.group([("pid", {}, 1), ("sarsa", {}, 1), ("sarsa", {"velocity": "0"}, 1)])
    environment = home.hosting(group).build(home.hosting(group).sample(1))
    rights = [set(seat.rights) for seat in environment.seats]
    assert rights == [{"knows_task"}, {"sees_velocity"}, set()]
    part = home.group([("pid", {}, 1)])
    assert home.hosting(Mixed([(part, 1), (part, 2)])).knowing == (0, 1, 2)


def test_whoever_has_no_right_observes_the_same_beside_one_who_has() -> None:
    plain = Framotec(task="plotter-2d", subjects=3)
    knowing = replace(plain, knowing=(0,), velocity_seen=(1,))
    for world in (plain, knowing):
        turn = world.build(world.sample(4)).reset(9)
        assert len(turn.observations[2].tobytes()) == 8 * 5
        if world is plain:
            before = turn.observations[2].tobytes()
    assert turn.observations[2].tobytes() == before
    assert turn.observations[1]["velocity"] == 0.0


def test_a_controller_that_was_not_told_the_task_says_so() -> None:
    home = Framotec()
    group = home.group([("pid", {}, 1)])
    episode = drive(play(home.build(home.sample(1)), 1, world=home.id, seed=1), group.sit(1))
    assert "right knows_task" in episode.faults[0].detail


# Hands ----------------------------------------------------------------------------


@given(
    st.lists(st.floats(-2, 2), min_size=1, max_size=4),
    st.sampled_from(["three", "five"]),
)
def test_motors_that_are_set_one_at_a_time_come_to_what_is_wanted(
    wanted: list[float], actions: str
) -> None:
    levels = LEVELS[actions]
    hands = Hands(Discrete(len(levels) * len(wanted)), len(wanted))
    held = [0.0] * len(wanted)
    for _ in wanted:
        motor, level = divmod(hands.action(wanted), len(levels))
        held[motor] = levels[level]
    clipped = np.clip(wanted, -1, 1)
    apart = np.abs(np.array(held) - clipped)
    assert (apart <= min(abs(a - b) for a in levels for b in levels if a != b) / 2 + 1e-12).all()
    whole = Hands(Box(-1, 1, (len(wanted),)), len(wanted)).action(wanted)
    assert whole.tolist() == clipped.tolist()


# Easier copies --------------------------------------------------------------------


@settings(max_examples=examples(10, 25))
@given(st.sampled_from(list(SAMPLES)), st.floats(0.01, 1.0), st.integers(0, 2**32))
def test_an_easier_copy_starts_at_that_share_of_the_way(task: str, share: float, key: int) -> None:
    own = (n_dimensional(3) if task == "n-dimensional" else SAMPLES[task]()).sample(key)
    before, after = (Simulation(one).distances for one in (own, easier(own, share)))
    waiting = {goal.name for goal in own.goals if goal.prerequisites}
    for name, distance in before.items():
        alone = name not in waiting and not name.startswith("still")
        assert after[name] == pytest.approx(distance * share if alone else distance)


def test_the_whole_way_is_the_task_itself_and_none_is_no_way() -> None:
    race = car_race()
    assert easier(race, 1.0) is race
    assert easier(locking_plotter(), 0.1).objects[1].value == 0.0
    with pytest.raises(MensuraError, match="share of 0 of the way"):
        easier(race, 0)


def test_a_copy_goes_to_plain_data_and_back() -> None:
    world = Framotec()
    copy = world.easier(world.sample(1), 0.5)
    assert world.describe_from_json(copy.to_json()) == copy
