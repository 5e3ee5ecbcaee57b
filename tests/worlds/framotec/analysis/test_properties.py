"""The eleven properties of section 7: each is tuned by what is said to tune it, and the examples run."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.sizes import examples
from tests.worlds.framotec.strategies import tasks

from mensura.adapters.pettingzoo import parallel_env
from mensura.agent.in_process import Agents
from mensura.core.contract import Environment, Turn
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.worlds.framotec.analysis.properties import (
    PROPERTIES,
    Setting,
    asynchronicity,
    causal_chains,
    continuity,
    controllability,
    determinism,
    dynamism,
    ergodicity,
    number_of_agents,
    observability,
    periodicity,
    properties,
    repeatability,
)
from mensura.worlds.framotec.model.blocks import Transition
from mensura.worlds.framotec.model.building import Build
from mensura.worlds.framotec.model.files import canonical
from mensura.worlds.framotec.model.operations import (
    add_latency,
    add_noise,
    in_parallel,
    in_sequence,
    vary,
)
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import car_race, locking_plotter, n_dimensional, plotter_2d
from mensura.worlds.framotec.play.simulation import Simulation
from mensura.worlds.framotec.world import Framotec

pytestmark = pytest.mark.quick

QUIET = replace(car_race(), sensors=(replace(car_race().sensors[0], distortion=0.0),))


@settings(max_examples=examples(6, 15))
@given(tasks())
def test_every_task_has_all_eleven(task: Task) -> None:
    # What a transition of these tasks does at run time is nobody's concern here.
    found = properties(replace(task, transitions=(), systems=()))
    assert list(found) == list(PROPERTIES)
    assert len(found) == 11
    for name, (value, sentence) in found.items():
        assert math.isfinite(value), name
        assert sentence.endswith("."), name


def test_determinism_by_ranges_noise_and_distortion() -> None:
    assert determinism(QUIET).value == 1
    gust = Transition("gust", ("position.velocity <- position.velocity + normal(0, 1)",))
    for drawn, word in (
        (vary(QUIET, "position.value", 1.0), "position.value of a range"),
        (add_noise(QUIET, 0.1), "sensor 'position_reading' by +-0.1"),
        (replace(QUIET, transitions=(gust,)), "noise in transition 'gust'"),
    ):
        assert determinism(drawn).value == 0
        assert word in determinism(drawn).sentence
        runs = set()
        for key in range(5):
            simulation = Simulation(drawn, key)
            simulation.set_power("position_motor", 200.0)
            simulation.tick()
            runs.add((simulation.value("position.value"), simulation.read("position_reading")))
        assert len(runs) > 1


def test_ergodicity_by_one_way_motors_and_slopes() -> None:
    assert ergodicity(car_race()).value == 1
    one_way = replace(car_race(), motors=(replace(car_race().motors[0], reversible=False),))
    assert ergodicity(one_way).value == 0
    upright = replace(one_way, objects=(replace(one_way.objects[0], angle=1.5),))
    assert ergodicity(upright).value == 1
    for task, back in ((one_way, False), (upright, True)):
        simulation = Simulation(replace(task, goals=task.goals))
        simulation.set_power("position_motor", 200.0)
        simulation.tick()
        high = simulation.value("position.value")
        simulation.set_power("position_motor", -200.0)
        simulation.tick(5.0)
        assert (simulation.value("position.value") < high) is back


def test_continuity_by_dt_and_digits() -> None:
    coarse = replace(
        car_race(), dt=0.05, sensors=(replace(car_race().sensors[0], digits=-1, distortion=0.0),)
    )
    assert (continuity(car_race()).value, continuity(coarse).value) == (0.001, 0.05)
    assert "to steps of 10." in continuity(coarse).sentence
    simulation = Simulation(coarse)
    simulation.set_power("position_motor", 200.0)
    readings = set()
    for _ in range(10):
        simulation.tick()
        readings.add(simulation.read("position_reading"))
    assert all(reading % 10 == 0 for reading in readings)


def test_dynamism_by_slopes_and_transitions() -> None:
    assert dynamism(car_race()).value == 0
    tide = Build("tide").object("sea").object("rock").transition("t", "sea.value <- wave(5)").task()
    assert dynamism(tide).value == 0.5
    assert "By themselves change: sea." in dynamism(tide).sentence
    hill = Build("hill").object("ball", gravity=10.0, angle=0.5, mu_s=0.1).task()
    assert dynamism(hill).value == 1
    assert dynamism(Build("drift").object("ball", velocity=1.0).task()).value == 1


def test_observability_by_sensors_and_their_noise() -> None:
    assert observability(car_race()).value == 0.5
    assert "position.value to +-0.55" in observability(car_race()).sentence
    assert "position.value to +-1.55" in observability(add_noise(car_race(), 1.0)).sentence
    assert observability(replace(car_race(), sensors=())).value == 0
    both = Build("b").object("x").sensor("a", of="x").sensor("b", of="x.velocity").task()
    assert observability(both).value == 1


def test_controllability_by_exposed_motors_and_transitions() -> None:
    hidden = replace(car_race(), motors=(replace(car_race().motors[0], exposed=False),))
    assert (controllability(car_race()).value, controllability(hidden).value) == (1, 0)
    passed_on = replace(
        hidden,
        motors=(*hidden.motors, Build().motor("pedal", power=200.0).motors[0]),
        transitions=(Transition("gear", ("position_motor.power <- pedal.power",)),),
    )
    assert controllability(passed_on).value == 1
    simulation = Simulation(passed_on)
    simulation.controller("driver", "pedal").set("pedal", 200.0)
    simulation.tick()
    assert simulation.value("position.value") > 20


def test_causal_chains_by_composition() -> None:
    assert causal_chains(car_race()).value == 1
    assert causal_chains(in_parallel(car_race(), plotter_2d())).value == 2
    assert causal_chains(in_sequence(car_race(), plotter_2d())).value == 1
    assert causal_chains(n_dimensional(4)).value == 1, "the selector bears on every goal"
    assert "that require one another has 2." in causal_chains(locking_plotter()).sentence


def test_repeatability_by_the_key() -> None:
    assert repeatability(locking_plotter()).value == 1
    states = [Simulation(plotter_2d(), key).snapshot() for key in (1, 1, 2)]
    assert states[0] == states[1] != states[2]


# Through the loop -----------------------------------------------------------------------


class Constant:
    def __init__(self, power: float) -> None:
        self.power = power

    def act(self, observation: Any, reward: float) -> Any:
        return np.full(1, self.power)


class Seen:
    """An observer that keeps when something was where."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths
        self.rows: list[tuple[float, ...]] = []

    def started(self, environment: Environment, turn: Turn) -> None:
        self.stepped(environment, [], turn)

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        simulation = environment.simulation
        self.rows.append((simulation.time, *(simulation.value(path) for path in self.paths)))


def played(world: Framotec, agents: list[Any], *paths: str) -> list[tuple[float, ...]]:
    seen = Seen(*paths)
    environment = world.build(world.sample(1))
    drive(play(environment, 1, world=world.id, seed=1, observers=[seen]), Agents(agents))
    return seen.rows


def test_a_controller_that_declares_thought_acts_later_in_simulated_time() -> None:
    late = Framotec(clock="simulated", thought=(0.3,), horizon=8)
    slow = asynchronicity(car_race(), Setting(clock="simulated", thought=(0.3,)))
    assert slow.value == 0.3
    assert asynchronicity(add_latency(car_race(), 0.5)).value == 0.5
    rows = played(late, [Constant(1.0)], "position.value", "position_motor.power")
    assert rows[0] == (0.0, 20.0, 0.0)
    assert rows[1][:2] == (0.3, 20.0), (
        "due again when its thought is over, and nothing happened yet"
    )
    assert rows[2][0] == 0.6
    assert rows[2][1] > 20.0
    at_once = played(Framotec(horizon=8), [Constant(1.0)], "position.value")
    assert at_once[1] == (0.25, pytest.approx(at_once[1][1]))
    assert at_once[1][1] > 20.0


def test_two_controllers_think_at_their_own_pace() -> None:
    world = Framotec(
        task="plotter-2d",
        controllers=("x_motor", "y_motor"),
        clock="simulated",
        thought=(0.0, 0.6),
        horizon=10,
    )
    assert number_of_agents(plotter_2d(), Setting(controllers=2)).value == 2
    rows = played(world, [Constant(1.0), Constant(1.0)], "x_motor.power", "y_motor.power")
    begun = [next(row[0] for row in rows if row[at] > 0) for at in (1, 2)]
    assert begun[0] == 0.25
    assert begun[1] > 0.6
    assert {0.25, 0.5, 0.6} <= {row[0] for row in rows}


def test_several_agents_play_through_pettingzoo() -> None:
    env = parallel_env("framotec-v1", task="plotter-2d", subjects=3, horizon=40)
    env.reset(seed=1)
    inner: Any = env.unwrapped
    assert env.agents == ["subject_0", "subject_1", "subject_2"]
    first = None
    while env.agents:
        powers = {"subject_0": np.ones(1), "subject_1": -np.ones(1), "subject_2": np.zeros(1)}
        observations, rewards, *_ = env.step(powers)
        first = observations["subject_0"] if first is None else first
        last = observations["subject_0"]
        assert len(set(rewards.values())) == 1
    assert last[0] > first[0] + 10, "the first drives x up"
    assert last[1] < first[1] + 2.1, "the second drives y down"
    assert inner is not None


def test_periodic_events_recur() -> None:
    task = (
        Build("tide")
        .object("gate", bounds=(0.0, 1.0))
        .object("boat", bounds=(0.0, 100.0))
        .motor("sail", drives="boat", power=2.0)
        .sensor("gate_reading", of="gate")
        .transition("open", "gate.value <- 1 when pulse(2, 0.25)", "gate.value <- 0 when not pulse(2, 0.25)")
        .transition("count", "gate.mass <- gate.mass + 1 when every(2)")
        .goal("out", of="boat", value=100.0, tolerance=1.0)
        .task()
    )  # fmt: skip
    assert periodicity(task).value == 3
    assert "pulse of 2 s, pulse of 2 s, every of 2 s" in periodicity(task).sentence
    assert periodicity(car_race()).value == 0
    world = Framotec(task=canonical(task), horizon=24)
    rows = played(world, [Constant(1.0)], "gate.value", "gate.mass")
    # At 0.25 s, 0.5 s and so on what was set in the step before: open in the first half second of every two.
    assert [row[1] for row in rows[1:]] == [1, 1, 0, 0, 0, 0, 0, 0] * 3
    assert [row[2] for row in rows[1::8]] == [2, 3, 4]
