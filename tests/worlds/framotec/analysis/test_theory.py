"""What tasks ask, abstraction and reification, and the distance between tasks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis.pareto import front
from mensura.worlds.framotec.analysis.theory import (
    PROPERTIES,
    between,
    demands,
    distance,
    feedback_latency,
    instruction_bits,
    properties,
    reading_bits,
    sharpness,
)
from mensura.worlds.framotec.model.abstraction import abstract, reify
from mensura.worlds.framotec.model.blocks import Sensor
from mensura.worlds.framotec.model.building import Build
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import SAMPLES, car_race, n_dimensional, parking

QUICK = [name for name in PROPERTIES if name not in ("time", "energy")]
RACE = car_race()


def test_what_the_race_asks() -> None:
    found = demands(RACE)
    assert (found.time, found.energy) == pytest.approx((6.6265, 750.0), rel=1e-4)
    assert (found.time_limit, found.energy_limit) == (60.0, 5000.0)
    assert (found.error_time, found.error_energy) == (60.0, 5000.0)
    assert found.feedback_latency == 0.25
    assert found.to_json()["exact"] is True
    weak = replace(RACE, motors=(replace(RACE.motors[0], power=50.0),))
    assert demands(weak).error_energy == 3000.0


def test_sharpness_grows_with_sensors_and_falls_with_noise() -> None:
    blind = replace(RACE, sensors=())
    sharp = replace(RACE, sensors=(Sensor("s", "position"),))
    both = replace(sharp, sensors=(*sharp.sensors, Sensor("v", "position.velocity")))
    assert (sharpness(blind), sharpness(sharp), sharpness(both)) == (0.0, 0.5, 1.0)
    assert 0.0 < sharpness(RACE) < 0.5
    # Noise of the size of the tolerance halves what is seen of a value; layers of sensors add up.
    noisy = replace(RACE, sensors=(Sensor("s", "position", 2.0), Sensor("t", "s", 3.0)))
    assert sharpness(replace(noisy, sensors=noisy.sensors[:1])) == pytest.approx(5 / 7 / 2)
    assert sharpness(noisy) == pytest.approx(5 / 7 / 2)
    far = replace(RACE, objects=(*RACE.objects, replace(RACE.objects[0], name="other")))
    assert sharpness(far) == sharpness(RACE)


def test_feedback_is_as_late_as_the_slowest_goal() -> None:
    late = replace(RACE, sensors=(Sensor("s", "position", latency=0.5),))
    assert feedback_latency(late) == 0.75
    assert feedback_latency(parking()) == math.inf
    told = replace(parking(), sensors=(Sensor("score", "reward", reward=True),))
    assert feedback_latency(told) == 0.25


def test_information_is_counted_in_bits() -> None:
    assert instruction_bits(replace(RACE, instructions="")) == 0.0
    long = replace(RACE, instructions="Go to the place. " * 3 + "Then take a rest, and come home.")
    assert instruction_bits(long) > instruction_bits(replace(RACE, instructions="Go."))
    # Half a unit of noise and a twentieth of rounding over 150: 137.4 values.
    assert reading_bits(RACE) == pytest.approx(math.log2(1 + 150 / 1.1))
    assert reading_bits(replace(RACE, sensors=())) == 0.0


# Distance -------------------------------------------------------------------------------

values = st.floats(-1e6, 1e6)


@given(
    st.lists(st.tuples(values, values, values), min_size=1),
    st.sampled_from(["manhattan", "euclidean"]),
)
def test_distances_are_a_metric_of_properties(rows, metric) -> None:  # type: ignore[no-untyped-def]
    a, b, c = ({str(i): row[k] for i, row in enumerate(rows)} for k in range(3))
    ab, ba = between(a, b, metric), between(b, a, metric)
    assert ab == ba >= 0.0
    assert between(a, a, metric) == 0.0
    assert (ab == 0.0) == (a == b) or ab < 1e-150
    assert between(a, c, metric) <= (ab + between(b, c, metric)) * (1.0 + 1e-12) + 1e-9


@settings(max_examples=examples(15, 100))
@given(st.sampled_from([*SAMPLES]), st.sampled_from([*SAMPLES]), st.sampled_from([*SAMPLES]))
def test_distances_are_a_metric_of_tasks(one: str, two: str, three: str) -> None:
    a, b, c = (SAMPLES[name]() for name in (one, two, three))
    ab = distance(a, b, QUICK)
    assert ab == distance(b, a, QUICK)
    assert (ab == 0.0) == (one == two)
    assert distance(a, c, QUICK) <= ab + distance(b, c, QUICK) + 1e-9


@pytest.mark.thorough
def test_like_tasks_are_nearer_than_unlike_ones() -> None:
    race, parked, many = car_race(), parking(), n_dimensional(10)
    assert distance(race, parked) < distance(race, many)
    assert distance(n_dimensional(9), many, QUICK) < distance(n_dimensional(3), many, QUICK)
    assert distance(race, parked, ["goals"]) == 1.0
    assert distance(race, parked, ["goals", "chain"], "euclidean") == pytest.approx(math.sqrt(2))


def test_properties_that_are_none_get_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"no property 'gaols'.*goals"):
        properties(RACE, ["gaols"])
    with pytest.raises(MensuraError, match="no metric"):
        distance(RACE, RACE, ["goals"], "taxi")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_middle_of_a_family_is_concrete(name: str) -> None:
    task = SAMPLES[name]().middle
    assert task.concrete
    assert task.middle is task


# Abstraction ----------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["control", "hidden"])
def test_what_was_abstracted_can_be_put_back(system: str) -> None:
    task = n_dimensional(4)
    found = abstract(task, system)
    assert found.task != task
    assert reify(found) == task
    assert abstract(reify(found), system) == found


def test_changes_outside_of_a_system_survive_putting_it_back() -> None:
    found = abstract(n_dimensional(3), "control")
    changed = replace(found.task, instructions="Hurry.")
    assert reify(found, changed) == replace(n_dimensional(3), instructions="Hurry.")
    with pytest.raises(MensuraError, match="no system 'control' to put back"):
        reify(found, replace(changed, systems=()))


def test_an_abstract_selector_leaves_its_motors_to_the_performer() -> None:
    """So the abstract task is the exact front of which the task itself only has a bound."""
    task = n_dimensional(5).sample(3)
    found = abstract(task, "control")
    assert [motor.name for motor in found.task.exposed] == [f"hidden.m{i}" for i in range(5)]
    assert not found.task.flat.transitions
    abstracted, bound = front(found.task, 5), front(task, 5)
    assert abstracted.exact
    assert not bound.exact
    assert np.allclose(abstracted.energies, bound.energies)


def test_what_others_name_is_kept() -> None:
    car = (
        Build("car")
        .object("x", bounds=(0, 100), mass=2.0)
        .object("tank", fuel=5.0)
        .motor("engine", drives="x", power=10.0)
        .sensor("gauge", of="tank.fuel")
        .transition("heavy", "x.mass <- 2 + tank.fuel / 10")
    )
    task: Task = (
        Build("trip").system(car).goal("there", of="car.x", value=50.0, tolerance=1.0).task()
    )
    found = abstract(task, "car")
    assert [one.name for one in found.task.flat.objects] == ["car.x"]
    assert [one.name for one in found.task.exposed] == ["car.engine"]
    assert not found.task.flat.transitions
    assert not found.task.flat.sensors
    assert reify(found) == task
    with pytest.raises(MensuraError, match="has no system 'cat'; did you mean car"):
        abstract(task, "cat")
