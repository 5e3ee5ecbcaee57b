"""A trajectory that a person can read, and outcomes to the last bit: whoever changes them bumps the version.

``python -m tests.worlds.framotec.test_golden`` writes the file anew, after a change that is meant to alter scores
and comes with a new version of the world's id.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mensura.pictures.view import view_of
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import SAMPLES
from mensura.worlds.framotec.play.simulation import Simulation
from mensura.worlds.framotec.world import Framotec

pytestmark = pytest.mark.quick

GOLDEN = Path(__file__).with_name("golden.txt")


def trajectory() -> Iterator[str]:
    """The locking plotter, driven to its goal by a script, every other second."""
    world = Framotec(task="locking-plotter")
    description = world.sample(2016)
    yield f"# {world.id}, a described environment"
    yield json.dumps(description.to_json())
    environment = world.build(description)
    turn = environment.reset(7)
    view = view_of(world)
    yield view.text(environment, turn)
    for step in range(80):
        if environment.simulation.over:
            break
        distance = 100.0 - float(turn.observations[0]["position_reading"])
        near = abs(distance) < 4.0
        action = np.array([0.0 if near else np.sign(distance), 1.0 if near else 0.0])
        turn = environment.step([action])
        if step % 8 == 7:
            yield f"\n# after {step + 1} actions, the last {action.tolist()}"
            yield view.text(environment, turn)
    yield f"\nsolved: {environment.simulation.solved}"


def outcomes() -> Iterator[str]:
    """Where every sample task is after a scripted minute, as hexadecimal floats."""
    for integrator in ("work-energy", "authors-2016"):
        yield f"\n# outcomes under {integrator}"
        for name, make in SAMPLES.items():
            task = Task.from_json({**make().to_json(), "integrator": integrator})
            simulation = Simulation(task, 5)
            motors = [motor.name for motor in task.exposed]
            powers = {motor.name: motor.power for motor in task.exposed}
            for step in range(40):
                share = ((step * 37) % 11 - 3) / 8
                simulation.set_power(
                    motors[step % len(motors)], share * powers[motors[step % len(motors)]]
                )
                simulation.tick()
            # Sines and logarithms may differ in their last bits from one processor to another.
            values = [simulation.value(f"{one.name}.value") for one in task.flat.objects[:4]]
            numbers = [simulation.time, simulation.energy, *values]
            yield f"{name:16} " + " ".join(f"{number:.9g}" for number in numbers)


def written() -> str:
    return "\n".join([*trajectory(), *outcomes()]) + "\n"


def test_the_golden_trajectory_and_outcomes_are_unchanged() -> None:
    assert written() == GOLDEN.read_text(encoding="utf-8"), (
        "FraMoTEC runs differently now. If that is meant, bump the version of its id, say so in the changelog "
        "and write the file anew: python -m tests.worlds.framotec.test_golden"
    )


if __name__ == "__main__":
    GOLDEN.write_text(written(), encoding="utf-8")
    sys.stdout.write(f"written: {GOLDEN.name}\n")
