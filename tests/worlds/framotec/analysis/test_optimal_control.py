"""Optimal control: it agrees with closed forms, and finds fronts where there are none."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from tests.worlds.framotec.sizes import sized

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis import optimal_control
from mensura.worlds.framotec.analysis.dimensions import dimensions
from mensura.worlds.framotec.analysis.legs import Numbers
from mensura.worlds.framotec.analysis.pareto import Front, front
from mensura.worlds.framotec.analysis.schedules import schedule
from mensura.worlds.framotec.model.blocks import Motor
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import (
    car_race,
    locking_plotter,
    parking,
    plotter_2d,
    steered_mover,
)
from mensura.worlds.framotec.play.simulation import simulate

EXACT = {
    "car-race": car_race(),
    "parking": parking(),
    "locking-plotter": locking_plotter(),
    "plotter-2d": plotter_2d().sample(5),
}


@pytest.mark.parametrize(
    "name",
    [
        "car-race",
        *(pytest.param(name, marks=pytest.mark.thorough) for name in ("parking", "plotter-2d")),
    ],
)
def test_optimal_control_finds_what_the_closed_forms_say(name: str) -> None:
    """Two derivations that share no formula: a check of both."""
    task = EXACT[name]
    edge = front(task)
    times, energies = optimal_control.curve(task, 4)
    for time, energy in zip(times, energies, strict=True):
        # Sideways and downwards: the curve is steep where it begins.
        assert energy >= edge.energy_at(float(time)) * (1.0 - 1e-3)
        assert energy <= edge.energy_at(float(time) * 0.998) * (1.0 + 1e-3)


class Steered(NamedTuple):
    task: Task
    edge: Front
    schedule: Numbers


@pytest.fixture(scope="module")
def steered() -> Steered:
    """A steered mover, its front, and a schedule for a point of it."""
    task = steered_mover().sample(3)
    edge = front(task, 12)
    return Steered(task, edge, schedule(task, time=float(edge.times[5])))


@pytest.mark.thorough
def test_the_steered_mover_has_a_numerical_front_that_schedules_reach(steered: Steered) -> None:
    task, edge, powers = steered
    assert not edge.exact
    assert "not proven" in edge.how
    # The work against friction, shared between two motors whose powers are cosine and sine of one: Pythagoras.
    work = [move.leg.mass * move.leg.slowing * move.leg.distance for move in dimensions(task).alone]
    least = math.hypot(*work) / 10.0
    assert least <= edge.times[0] / (1.0 - optimal_control.MARGIN) <= 1.01 * least
    assert sum(work) <= edge.energies[-1] <= 1.01 * sum(work)
    outcome = simulate(task, powers[None], [0])
    assert outcome.solved[0]
    assert 1.0 <= outcome.energy[0] / edge.energy_at(float(outcome.time[0])) <= 1.02


@pytest.mark.thorough
def test_nobody_ends_below_the_steered_mover_s_front(steered: Steered, full_size: bool) -> None:
    task, edge, best = steered
    rng = np.random.default_rng(2)
    count = 2000 if full_size else 60
    powers = np.repeat(np.concatenate([best, best[-40:]])[None], count, axis=0)
    powers[:, :, 1] *= rng.uniform(0.95, 1.05, (count, 1))
    powers[:, :, 1] += (rng.random(powers.shape[:2]) < 0.02) * rng.normal(
        0.0, 3.0, powers.shape[:2]
    )
    outcomes = simulate(task, np.clip(powers, -10.0, 10.0))
    solved = outcomes.solved
    assert solved.sum() > 10
    assert (outcomes.energy[solved] >= edge.least(outcomes.time[solved])).all()


@pytest.mark.thorough
def test_drag_and_several_motors_are_left_to_optimal_control(full_size: bool) -> None:
    (car,) = car_race().objects
    dragged = replace(sized(car_race(), full_size, 0.005), objects=(replace(car, drag=0.2),))
    edge, free = front(dragged, 4), front(car_race(), 4)
    assert "drag" in edge.how
    assert edge.times[0] > free.times[0]
    assert edge.energies[-1] > free.energies[-1]
    outcome = simulate(dragged, schedule(dragged, time=float(edge.times[2]))[None], [0])
    assert 1.0 <= outcome.energy[0] / edge.energy_at(float(outcome.time[0])) <= 1.02
    motors = (*car_race().motors, Motor("weak", (("position", 0.5),), 50.0))
    uneven = front(replace(car_race(), motors=motors), 4)
    assert "different work" in uneven.how
    assert uneven.times[0] < free.times[0]
    assert uneven.energies[-1] == pytest.approx(free.energies[-1], rel=1e-3)


def test_where_the_extra_is_missing_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "casadi", None)
    optimal_control._program.cache_clear()
    optimal_control._quickest.cache_clear()
    with pytest.raises(MensuraError, match=r"pip install 'mensura\[control\]'"):
        front(steered_mover().sample(4))
