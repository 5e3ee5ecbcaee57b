"""The sample tasks of the paper: as settled, and solved by the controllers that the paper describes."""

from __future__ import annotations

import math

import pytest

from mensura.worlds.framotec.model.blocks import Range
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import (
    SAMPLES,
    car_race,
    locking_plotter,
    n_dimensional,
    parking,
    plotter_2d,
    steered_mover,
)
from mensura.worlds.framotec.play.simulation import Simulation

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_goes_to_plain_data_and_back(name: str) -> None:
    assert Task.from_json(SAMPLES[name]().to_json()) == SAMPLES[name]()


def test_the_car_race_is_as_settled() -> None:
    task = car_race()
    (car,) = task.objects
    assert (car.value, car.bounds, car.mass, car.gravity, car.mu_k, car.mu_s) == (
        (20, (0, 150), 5, 10, 0.2, 0.3)
    )
    assert (task.motors[0].power, task.motors[0].reversible) == (200, True)
    assert (task.goals[0].value, task.goals[0].tolerance) == (100, 5)
    assert (task.limits.time, task.limits.energy) == (60, 5000)
    assert (task.sensors[0].digits, task.sensors[0].distortion) == (1, 0.5)
    assert (task.dt, task.controller_step) == (0.001, 0.25)


@pytest.mark.parametrize("integrator", ["work-energy", "authors-2016"])
def test_the_hand_written_controller_of_6_3_solves_the_locking_plotter(integrator: str) -> None:
    task = Task.from_json({**locking_plotter().to_json(), "integrator": integrator})
    for key in range(5):
        simulation = Simulation(task, key)
        locked = 0.0
        while not simulation.over:
            distance = 100.0 - simulation.read("position_reading")
            near = abs(distance) < 4.0
            simulation.set_power("position_motor", 0.0 if near else math.copysign(200, distance))
            simulation.set_power("plot_it_motor", 5.0 if near else 0.0)
            simulation.tick()
            locked = max(locked, simulation.value("position.locked"))
        assert simulation.solved
        assert locked == 1.0


@pytest.mark.parametrize("dimensions", [10, 20])
def test_the_controller_of_6_4_2_solves_n_dimensions(dimensions: int) -> None:
    task = n_dimensional(dimensions)
    for key in range(3):
        simulation = Simulation(task, key)
        selector = simulation.controller("agent")
        while not simulation.over:
            selector.set("control.power_motor", 1.0)
            values = [simulation.value(f"x{i}.value") for i in range(dimensions)]
            wanted = values.index(min(values)) - simulation.value("control.selector.value")
            selector.set("control.selector_motor", math.copysign(0.1, wanted))
            simulation.tick()
        assert simulation.solved


def test_a_hidden_motor_keeps_its_power_when_the_selector_moves_on() -> None:
    simulation = Simulation(n_dimensional(2), 1)
    simulation.set_power("control.power_motor", 1.0)
    simulation.tick()
    assert [simulation.value(f"hidden.m{i}.power") for i in (0, 1)] == [1.0, 0.0]
    assert simulation.energy == pytest.approx(0.25)
    simulation.set_power("control.selector_motor", 0.1)
    simulation.tick(2.0)
    assert [simulation.value(f"hidden.m{i}.power") for i in (0, 1)] == [1.0, 1.0]


def test_parking_asks_the_car_to_stop() -> None:
    def driven(task: Task) -> Simulation:
        simulation = Simulation(task)
        while not simulation.over:
            simulation.set_power("position_motor", 200.0 if simulation.time < 4 else 0.0)
            simulation.tick()
        return simulation

    race, parked = driven(car_race()), driven(parking())
    assert race.solved
    assert race.value("position.velocity") > 1.0
    assert not parked.solved or abs(parked.value("position.velocity")) <= 0.1


def test_the_mover_goes_where_it_is_headed() -> None:
    task = steered_mover().sample(1)
    east = Simulation(task)
    east.set_power("main_motor", 10.0)
    before = [east.value(f"{name}.value") for name in "xy"]
    east.tick(5.0)
    assert east.value("x.value") > before[0] + 1.0
    assert east.value("y.value") == before[1]
    assert east.energy == pytest.approx(50.0)
    turned = Simulation(task)
    turned.row[turned.assembly.slots["heading.value"]] = math.pi / 2
    turned.set_power("main_motor", 10.0)
    turned.tick(5.0)
    assert turned.value("y.value") > before[1] + 1.0


def test_families_start_within_their_ranges() -> None:
    assert plotter_2d().objects[0].value == Range(10, 50)
    assert n_dimensional(3).objects[0].value == Range(1, 5)
    starts = [plotter_2d().sample(key).objects[0].value for key in range(200)]
    assert min(starts) < 15  # type: ignore[type-var]
    assert max(starts) > 45  # type: ignore[type-var]
