"""Tasks with a selector: their bound, and the sweep that comes close to it."""

from __future__ import annotations

import math

import pytest

from mensura.worlds.framotec.analysis.pareto import front
from mensura.worlds.framotec.analysis.schedules import schedule
from mensura.worlds.framotec.paper import n_dimensional
from mensura.worlds.framotec.play.simulation import Simulation, simulate


@pytest.mark.thorough
def test_n_dimensions_have_a_bound_and_a_sweep_comes_close() -> None:
    task = n_dimensional(5).sample(1)
    edge = front(task)
    assert not edge.exact
    assert edge.how.startswith("A bound from below")
    assert 5.0 < edge.energies[-1] < task.limits.energy / 2  # type: ignore[operator]
    outcome = simulate(task, schedule(task, time=20.0)[None], [0])
    assert outcome.solved[0]
    assert 1.0 <= outcome.energy[0] / edge.energy_at(float(outcome.time[0])) <= 1.02


def test_the_controller_of_6_4_2_ends_above_the_bound() -> None:
    for key in range(3):
        simulation = Simulation(n_dimensional(8), key)
        edge = front(simulation.task)
        while not simulation.over:
            values = [simulation.value(f"x{i}.value") for i in range(8)]
            wanted = values.index(min(values)) - simulation.value("control.selector.value")
            simulation.set_power("control.power_motor", 1.0)
            simulation.set_power("control.selector_motor", math.copysign(0.1, wanted))
            simulation.tick()
        assert simulation.solved
        assert simulation.energy >= edge.energy_at(simulation.time)
