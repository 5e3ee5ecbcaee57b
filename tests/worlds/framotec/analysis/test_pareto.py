"""Fronts: nobody ends below them, schedules come close, and two ways of finding them agree."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.worlds.framotec.sizes import sized

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis.dimensions import Entangled, dimensions
from mensura.worlds.framotec.analysis.pareto import Front, front
from mensura.worlds.framotec.analysis.schedules import schedule
from mensura.worlds.framotec.model.blocks import Goal, Limits, Transition
from mensura.worlds.framotec.model.building import Build
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import car_race, locking_plotter, parking, plotter_2d
from mensura.worlds.framotec.play.simulation import simulate

EXACT = {
    "car-race": car_race(),
    "parking": parking(),
    "locking-plotter": locking_plotter(),
    "plotter-2d": plotter_2d().sample(5),
}
SLOPE = (
    Build("slope")
    .object("cart", 10.0, mass=2.0, gravity=10.0, angle=0.3, mu_k=0.1, mu_s=0.2, velocity=-1.0)
    .motor("winch", drives="cart", power=40.0)
    .goal("down", of="cart", value=-20.0, tolerance=1.0)
    .task()
)


def attempts(task: Task, edge: Front, count: int, seed: int) -> npt.NDArray[np.float64]:
    """Schedules of all kinds: noise, full power or none, power for a while and then none or brakes, and variations of
    one that is nearly optimal."""
    rng = np.random.default_rng(seed)
    most = np.array([motor.power for motor in task.exposed])
    least = np.array([-m.power if m.reversible else 0.0 for m in task.exposed])
    steps = math.ceil(1.4 * float(edge.times[-1]) / task.controller_step)
    shape = (count, steps, len(most))
    at = np.arange(steps)[None, :, None]
    noise = rng.uniform(least, most, shape)
    switched = np.where(rng.random(shape) < rng.random((count, 1, 1)), most, 0.0)
    begin, end = np.sort(rng.uniform(-5, steps, (2, count, 1, len(most))), axis=0)
    burst = np.clip(np.minimum(at + 1 - begin, end - at), 0.0, 1.0) * most
    brakes = np.where(at > end + rng.uniform(0, 10, end.shape), least, 0.0) * rng.integers(0, 2)
    best = schedule(task, time=float(edge.times[len(edge.times) // 2]))
    near = np.zeros(shape)
    near[:, : len(best)] = best[:steps]
    chosen = rng.random(shape) < 0.1
    near = near * rng.uniform(0.95, 1.05, (count, 1, 1)) + chosen * rng.normal(0, 0.1, shape) * most
    kinds = np.stack([noise, switched, burst + brakes, np.clip(near, least, most)])
    return kinds[rng.choice(4, count, p=[0.1, 0.2, 0.4, 0.3]), np.arange(count)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXACT)
def test_nobody_ends_below_the_front(name: str, full_size: bool) -> None:
    task = sized(EXACT[name], full_size)
    edge = front(task)
    assert edge.exact
    free = replace(task, limits=Limits())
    outcomes = simulate(free, attempts(task, edge, 10_000 if full_size else 800, 1), None)
    solved = outcomes.solved
    assert solved.sum() > (500 if full_size else 40)
    least = edge.least(outcomes.time[solved])
    assert (outcomes.energy[solved] >= least * (1.0 - 1e-9)).all()


def test_a_front_is_rising_in_time_and_falling_in_energy_and_within_limits() -> None:
    edge = front(car_race(), 25)
    assert len(edge.times) == len(edge.energies) == 25
    assert (np.diff(edge.times) > 0.0).all()
    assert (np.diff(edge.energies) <= 0.0).all()
    assert edge.energy_at(1.0) == math.inf
    assert edge.energy_at(1000.0) == pytest.approx(750.0)
    assert edge.time_at(700.0) == math.inf
    assert edge.energy_at(edge.time_at(900.0)) == pytest.approx(900.0, rel=1e-6)
    assert edge.most_at(2.0) == 400.0
    tight = front(replace(car_race(), limits=Limits(time=8.0, energy=1000.0)), 10)
    assert tight.times[-1] == pytest.approx(8.0)
    assert tight.energies[0] == pytest.approx(1000.0, rel=1e-6)
    assert edge.to_json()["exact"] is True


def race(**changes: Any) -> Task:
    (car,) = car_race().objects
    return replace(car_race(), objects=(replace(car, **changes),))


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (plotter_2d(), "has ranges instead of numbers"),
        (replace(car_race(), limits=Limits(time=5.0)), "within 5 s; it takes at least 6.6"),
        (replace(car_race(), limits=Limits(energy=100.0)), "with 100 J; it takes at least 750"),
        (race(locked=True), "'position' is locked for ever"),
        (race(bounds=(0.0, 90.0)), "out of the bounds of 'position'"),
        (replace(car_race(), motors=()), "no motor drives 'position'"),
        (replace(car_race(), goals=()), "has no goal"),
        (
            replace(
                car_race(),
                transitions=(
                    Transition("t", ("position.value <- position.value + 1 when time > 3",)),
                ),
            ),
            "a transition sets position.value, so it has no closed form, and transition 't' has a condition",
        ),
    ],
)
def test_what_has_no_front_gets_a_sentence(task: Task, words: str) -> None:
    with pytest.raises(MensuraError, match=words):
        front(task)


def test_under_the_authors_stepping_it_says_that_it_is_no_bound() -> None:
    theirs = front(replace(car_race(), integrator="authors-2016"), 4)
    assert not theirs.exact
    assert "may end below it" in theirs.how
    assert theirs.energies.tolist() == front(car_race(), 4).energies.tolist()


def test_directions_and_slopes() -> None:
    """Mirrored tasks have the same front; down a slope it takes less than up."""
    (car,) = car_race().objects
    mirrored = replace(race(value=130.0), goals=(Goal("there", "position", 50.0, 5.0),))
    assert front(mirrored, 5).energies == pytest.approx(front(car_race(), 5).energies, rel=1e-9)
    edge = front(SLOPE, 4)
    assert edge.exact
    assert edge.energies[-1] == pytest.approx(0.0, abs=1e-9)
    outcome = simulate(SLOPE, schedule(SLOPE)[None], [0])
    assert outcome.time[0] == pytest.approx(edge.times[0], rel=0.01)
    assert outcome.energy[0] >= edge.energy_at(float(outcome.time[0]))
    assert car.angle == 0.0


def test_several_goals_on_one_way_cost_what_the_farthest_costs() -> None:
    task = replace(car_race(), goals=(Goal("half", "position", 60.0, 5.0), *car_race().goals))
    assert front(task, 4).energies.tolist() == front(car_race(), 4).energies.tolist()
    both = (Goal("left", "position", 5.0, 1.0), *car_race().goals)
    with pytest.raises(Entangled, match="both sides"):
        dimensions(replace(car_race(), goals=both))


def test_ties_that_are_not_understood_make_it_a_bound() -> None:
    locked = replace(
        locking_plotter(), transitions=(Transition("lock", ("position.locked <- time > 50",)),)
    )
    edge = front(locked, 4)
    assert not edge.exact
    assert "'position' is locked at times" in edge.how
    held = replace(car_race(), goals=(replace(car_race().goals[0], hold=2.0),))
    assert front(held, 4).times[0] == pytest.approx(front(car_race(), 4).times[0] + 2.0)
    after = replace(car_race(), goals=(replace(car_race().goals[0], after=9.0),))
    assert front(after, 4).exact
    assert front(after, 4).times[0] == pytest.approx(9.0, abs=0.01)


def test_the_middle_of_a_family_has_a_front() -> None:
    assert front(plotter_2d().middle, 3).exact
    assert plotter_2d().middle.objects[0].value == 30.0
