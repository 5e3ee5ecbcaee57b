"""Schedules: those that are found solve their tasks and come close to the front."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.framotec.sizes import sized

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis.pareto import Front, front
from mensura.worlds.framotec.analysis.schedules import schedule
from mensura.worlds.framotec.paper import car_race, locking_plotter, parking, plotter_2d
from mensura.worlds.framotec.play.simulation import Simulation, simulate

EXACT = {
    "car-race": car_race(),
    "parking": parking(),
    "locking-plotter": locking_plotter(),
    "plotter-2d": plotter_2d().sample(5),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXACT)
def test_schedules_reach_the_front_within_two_percent(name: str, full_size: bool) -> None:
    """Anywhere from the quickest to the cheapest, in time and energy together; no one ends below."""
    task = EXACT[name]
    edge = front(task, 5)
    for at in range(5) if full_size else ((4,) if name == "plotter-2d" else (2,)):
        time = float(edge.times[at])
        powers = schedule(task, time=time) if at else schedule(task)
        outcome = simulate(task, powers[None], [0])
        assert outcome.solved[0]
        assert 0.0 <= edge.excess(float(outcome.time[0]), float(outcome.energy[0])) < 0.02
        if at > 1:
            assert outcome.time[0] <= time + 1e-9
            assert outcome.energy[0] <= 1.02 * edge.energy_at(float(outcome.time[0]))


@pytest.fixture(scope="module")
def race_front() -> Front:
    return front(EXACT["car-race"], 5)


@given(factor=st.floats(0.8, 1.3), share=st.floats(0.0, 1.0))
@settings(max_examples=examples(5, 40))
def test_the_excess_is_by_how_much_a_point_of_the_front_was_stretched(
    race_front: Front, factor: float, share: float
) -> None:
    edge = race_front
    time = float(edge.times[0] + share * (edge.times[-1] - edge.times[0]))
    found = edge.excess(factor * time, factor * edge.energy_at(time))
    assert found == pytest.approx(factor - 1.0, abs=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "car-race",
        pytest.param("parking", marks=pytest.mark.slow),
        pytest.param("locking-plotter", marks=pytest.mark.slow),
    ],
)
def test_with_finer_steps_schedules_come_close_where_the_front_is_steep(
    name: str, full_size: bool
) -> None:
    task = replace(sized(EXACT[name], full_size), controller_step=0.02)
    edge = front(task, 5)
    outcome = simulate(task, schedule(task, time=float(edge.times[1]))[None], [0])
    assert outcome.energy[0] <= 1.02 * edge.energy_at(float(outcome.time[0]))
    quickest = simulate(task, schedule(task)[None], [0])
    assert quickest.time[0] <= 1.005 * edge.times[0]


def test_a_schedule_for_an_energy_is_the_quickest_that_spends_no_more() -> None:
    task = car_race()
    powers = schedule(task, energy=900.0)
    outcome = simulate(task, powers[None], [0])
    assert outcome.energy[0] <= 900.0
    assert outcome.time[0] <= 1.01 * front(task).time_at(900.0)


def test_a_schedule_is_what_a_controller_can_play() -> None:
    task = locking_plotter()
    powers = schedule(task, time=9.0)
    assert powers.shape[1] == 2
    simulation = Simulation(task)
    for row in powers.tolist():
        simulation.set_powers(dict(zip(("position_motor", "plot_it_motor"), row, strict=True)))
        simulation.tick()
    assert simulation.solved


def test_schedules_that_cannot_be_get_a_sentence() -> None:
    with pytest.raises(MensuraError, match="not for both"):
        schedule(car_race(), energy=900.0, time=8.0)
    with pytest.raises(MensuraError, match="in 5 s; it takes at least"):
        schedule(car_race(), time=5.0)
    with pytest.raises(MensuraError, match="with 5 J; it takes at least"):
        schedule(car_race(), energy=5.0)
    with pytest.raises(MensuraError, match="2 or more"):
        front(car_race(), 1)
