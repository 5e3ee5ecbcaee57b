"""What FraMoTEC costs: its physics, its expressions, its schedules in bulk, and its step door."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from measure import Figure, best_rate


def framotec_physics(quick: bool) -> Iterator[Figure]:
    """Object-steps a second on one core: cars that are driven about, with a goal; and what an operation adds."""
    from mensura.worlds.framotec.model.task import Goal, Motor, Object, Task, Transition
    from mensura.worlds.framotec.play.assembly import assembled
    from mensura.worlds.framotec.play.kernels import kernel

    def cars(count: int, **parts: object) -> Task:
        return Task(
            objects=tuple(
                Object(f"x{i}", 20.0, mass=5.0, gravity=10.0, mu_k=0.2, mu_s=0.3, bounds=(0, 1e6))
                for i in range(count)
            ),
            motors=tuple(Motor(f"m{i}", ((f"x{i}", 1.0),), 200.0) for i in range(count)),
            goals=(Goal("never", "x0", -1.0, 0.5),),
            **parts,  # type: ignore[arg-type]
        )

    steps = 20_000 if quick else 1_000_000

    def rate(task: Task) -> float:
        """Steps a second."""
        assembly = assembled(task)
        row = assembly.row.copy()

        def run() -> int:
            row[:] = assembly.row
            kernel.start_door(assembly.program, row, np.uint64(1))
            for motor in assembly.motors:
                row[assembly.motor_slot(motor)] = 150.0
            kernel.tick_door(assembly.program, row, steps)
            assert row[kernel.STEPS] == steps
            return steps

        return best_rate(run)

    for integrator in ("work-energy", "authors-2016"):
        for count, goal in ((1, None), (2, 50e6), (12, 50e6)):
            name = f"FraMoTEC, {count} objects, {integrator}"
            figure = count * rate(cars(count, integrator=integrator))
            yield Figure(name, figure, "object-steps/s", goal)

    def sums(count: int) -> Task:
        sources = tuple(f"x{i % 2}.drag <- x0.drag * 0.5 + x1.drag - x0.drag" for i in range(count))
        return cars(2, transitions=(Transition("t", sources),) if count else ())

    # Three operations an assignment, and one that makes sure that drag is not negative.
    few, many = rate(sums(10)), rate(sums(60))
    cost = (1e9 / many - 1e9 / few) / (50 * 4)
    yield Figure("FraMoTEC, an operation of an expression", cost, "ns", 4.0, False)


def framotec_schedules(quick: bool) -> Iterator[Figure]:
    """Whole attempts at the car race, as for a time-energy front."""
    from mensura.worlds.framotec.paper import car_race
    from mensura.worlds.framotec.play.simulation import simulate

    count = 20 if quick else 1000
    powers = np.random.default_rng(1).uniform(-50, 200, (count, 240, 1))
    race = replace(car_race(), goals=())
    steps = round(simulate(race, powers[:1]).time[0] / race.dt)

    def run() -> int:
        simulate(race, powers)
        return count * steps

    yield Figure("FraMoTEC, schedules of the car race", best_rate(run), "steps/s")
    started = time.perf_counter()
    simulate(car_race(), np.full((200, 240, 1), 60.0))
    seconds = time.perf_counter() - started
    yield Figure("FraMoTEC, 200 attempts at the car race", seconds, "s", 2.0, False)


def framotec_step_door(quick: bool) -> Iterator[Figure]:
    """Controller steps a second of a Python controller, 250 steps of physics each."""
    from mensura.worlds.framotec.world import Framotec

    world = Framotec(horizon=200 if quick else 5000)
    environment = world.build(world.sample(1))
    action = [np.zeros(1)]

    def episode() -> int:
        turn = environment.reset(1)
        count = 0
        while turn.ended is None:
            turn = environment.step(action, ())
            count += 1
        return count

    yield Figure("FraMoTEC, environment.step", best_rate(episode), "steps/s")


def framotec_attempts(quick: bool) -> Iterator[Figure]:
    """200 evaluations of figure 1: SARSA in the car race after training, as in the published experiment."""
    from mensura.assessments.attempts import Attempts
    from mensura.studies.runner import run
    from mensura.studies.subjects import resolve
    from mensura.worlds.framotec.world import Framotec

    world = Framotec(actions="three", rewards="score", ends=True, integrator="authors-2016")
    count, training = (5, 5) if quick else (200, 50)

    def seconds(attempts: int) -> float:
        protocol = Attempts(sittings=1, attempts=attempts, training=training, curriculum=10)
        started = time.perf_counter()
        run(world, [resolve("sarsa", world)], protocol, seed=2016, training=training)
        return time.perf_counter() - started

    seconds(1)
    before = seconds(1)
    took = seconds(count)
    name = f"FraMoTEC, {count} evaluations of figure 1"
    yield Figure(name, took - before, "s", None if quick else 2.0, False)
    yield Figure("FraMoTEC, the training before them", before, "s")


PARTS = (framotec_physics, framotec_schedules, framotec_step_door, framotec_attempts)
