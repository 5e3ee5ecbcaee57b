"""Schedules of powers that come close to the front of a task, as they can be played in controller steps.

What closed forms or optimal control want is averaged over each controller step, tried in many small variations in the
simulation, and the best of them is varied further. So a schedule is one that was seen to solve its task.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis import optimal_control, selection
from mensura.worlds.framotec.analysis.dimensions import Dimensions, Entangled, Move, dimensions
from mensura.worlds.framotec.analysis.legs import Numbers, Stop
from mensura.worlds.framotec.analysis.pareto import Front, front
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.simulation import simulate

ROUNDS = 12
"""How often the best schedule is varied."""
VARIANTS = 200
"""Schedules of a round, at most."""
WORK = 5e6
"""Steps of objects that a round may take, if that leaves some schedules."""
POINTS = 12
"""Of the front, where each takes time to find."""
SPARE = 8
"""Controller steps more than a schedule should need."""
ENOUGH = 1.01
"""As many times the energy of the front are close enough to it."""


class Pulse(NamedTuple):
    """A power of a motor from a moment to another."""

    motor: str
    begin: float
    end: float
    watts: float


def schedule(task: Task, energy: float | None = None, time: float | None = None) -> Numbers:
    """Watts for every controller step and exposed motor, of shape (steps, motors), that solve a concrete task.

    With a time, those that spend least and are done by then; with an energy, the quickest that spend no more; with
    neither, the quickest. As powers change only with controller steps, it may be a little worse than the front.
    """
    if energy is not None and time is not None:
        raise MensuraError("A schedule is for a time or for an energy, not for both.")
    edge = front(task, POINTS)
    if energy is not None and edge.time_at(energy) == math.inf:
        raise MensuraError(
            f"The task {task.name!r} cannot be solved with {energy:g} J; it takes at least {edge.energies[-1]:.4g} J."
        )
    if time is not None and edge.energy_at(time) == math.inf:
        raise MensuraError(
            f"The task {task.name!r} cannot be solved in {time:g} s; it takes at least {edge.times[0]:.4g} s."
        )
    wanted = float(edge.times[0])
    if energy is not None:
        wanted = edge.time_at(energy)
    elif time is not None:
        wanted = min(time, float(edge.times[-1]))
    search = _Search(task, edge, energy, time)
    search.look_at(_drafts(task, wanted))
    search.improve()
    return search.best


def _drafts(task: Task, time: float) -> list[Numbers]:
    """Schedules that should take about a time."""
    try:
        found = dimensions(task)
    except Entangled:
        found = None
    if found is not None and all(
        drive.motor in {motor.name for motor in task.exposed}
        for move in _moves(found)
        for drive in move.drives
    ):
        return list(_variations(task, found, time))
    try:
        if optimal_control.possible(task):
            return optimal_control.drafts(task, time)
        return selection.drafts(task, time)
    except Entangled as tie:
        raise MensuraError(
            f"There is no optimal schedule for the task {task.name!r}: {tie}."
        ) from None


def _moves(found: Dimensions) -> list[Move]:
    tied = [move for lock in found.locking for move in (*lock.locked, lock.by)]
    return [*found.alone, *tied]


# From closed forms --------------------------------------------------------------------


def _variations(task: Task, found: Dimensions, time: float) -> Iterator[Numbers]:
    """Schedules for about a time: power may last longer, what comes later may come earlier or later still."""
    step = task.controller_step
    for share in (1.0, 0.99, 0.98, 0.96, 0.94, 1.02):
        goal = max(share * time, found.part.fastest)
        trips = [*_trips(found, goal)]
        for stretch in (0.98, 0.99, 1.0, 1.002, 1.005, 1.01, 1.02, 1.04):
            for shift in np.linspace(-step, step, 9 if any(one.shifts for one in trips) else 1):
                pulses = [pulse for one in trips for pulse in one.pulses(stretch, float(shift))]
                yield stepped(task, pulses, goal)


class _Trip(NamedTuple):
    """What a move does when: power, no power, power against the motion."""

    move: Move
    begin: float
    burning: float
    coasting: float
    braking: float
    shifts: bool
    """Whether its end, or where it has none all of it, may come earlier or later."""
    margin: float
    """How much longer than needed its last power lasts; nothing of it counts once the task is solved."""

    def pulses(self, stretch: float, shift: float) -> Iterator[Pulse]:
        """Its powers."""
        late = shift if self.shifts else 0.0
        begin = self.begin if self.braking else self.begin + late
        end = begin + self.burning * stretch
        for drive in self.move.drives:
            margin = 0.0 if self.braking else self.margin
            yield Pulse(drive.motor, max(begin, 0.0), end + margin, drive.sign * drive.power)
            if self.braking:
                back = max(end + self.coasting + late, end)
                watts = -drive.sign * drive.brake
                yield Pulse(drive.motor, back, back + self.braking + self.margin, watts)


def _trips(found: Dimensions, time: float) -> Iterator[_Trip]:
    for move in found.alone:
        yield from _trip(move, time, found.together)
    for lock in found.locking:
        leg = lock.handover.second
        _, cut = lock.handover.best(np.array([time]))
        trip, burning = float(leg.time_of(cut)[0]), float(leg.burning(cut)[0])
        behind = trip - float(leg.passing(cut, lock.handover.way)[0])
        for move in lock.locked:
            yield from _trip(move, time - behind, True)
        yield _Trip(lock.by, time - trip, burning, 0.0, 0.0, True, 0.5 * behind)


def _trip(move: Move, time: float, late: bool) -> Iterator[_Trip]:
    leg, way = move.leg, move.way
    if leg.easy:
        return
    braking = 0.0
    if isinstance(way, Stop):
        burning, coasting, braking = way.trip(max(time, way.fastest))
    else:
        cut = leg.cut_off(np.array([max(time, leg.fastest)]))
        burning = float(leg.burning(cut)[0])
        coasting = float(leg.time_of(cut)[0]) - burning
    begin = max(time - burning - coasting - braking, 0.0) if late and move.waits else 0.0
    yield _Trip(move, begin, burning, coasting, braking, bool(braking), 0.5 if braking else 0.0)


def stepped(task: Task, pulses: Sequence[Pulse], time: float) -> Numbers:
    """Pulses averaged over controller steps."""
    step = task.controller_step
    steps = math.ceil(max([time, *(pulse.end for pulse in pulses)]) / step) + SPARE
    motors = {motor.name: i for i, motor in enumerate(task.exposed)}
    edges = step * np.arange(steps + 1)
    powers = np.zeros((steps, len(motors)))
    for motor, begin, end, watts in pulses:
        inside = np.clip(edges, begin, end)
        powers[:, motors[motor]] += watts * np.diff(inside) / step
    return powers


# Trying -------------------------------------------------------------------------------


class _Search:
    """Keeps the best schedule that was seen."""

    def __init__(self, task: Task, edge: Front, energy: float | None, time: float | None) -> None:
        self.task, self.edge = task, edge
        self.energy, self.time = energy, time
        self.best: Numbers = np.zeros((0, 0))
        self.score = (math.inf, math.inf)
        self.rng = np.random.default_rng(0)

    def look_at(self, drafts: Sequence[Numbers]) -> None:
        """Try schedules; an error where none of the first solves the task."""
        longest = max(len(one) for one in drafts)
        powers = np.zeros((len(drafts), longest, drafts[0].shape[1]))
        for row, one in zip(powers, drafts, strict=True):
            row[: len(one)] = one
        outcomes = simulate(self.task, powers, [0] * len(powers))
        for i in np.flatnonzero(outcomes.solved):
            score = self._score(float(outcomes.time[i]), float(outcomes.energy[i]))
            if score < self.score:
                steps = math.ceil(outcomes.time[i] / self.task.controller_step - 1e-9)
                self.score, self.best = score, powers[i, :steps].copy()
        if not self.best.size:
            raise MensuraError(
                f"No schedule was found that solves the task {self.task.name!r}, although it may be possible."
            )

    def _score(self, time: float, energy: float) -> tuple[float, float]:
        """First by how much it misses what was wanted, then what it spends of what was left free."""
        if self.time is not None:
            return max(time - self.time, 0.0), energy
        if self.energy is not None:
            return max(energy - self.energy, 0.0), time
        return 0.0, time + 1e-6 * energy

    def improve(self) -> None:
        """Vary the best until it is near the front, or for some rounds."""
        most = np.array([motor.power for motor in self.task.exposed])
        least = np.array([-m.power if m.reversible else 0.0 for m in self.task.exposed])
        size = 0.3
        steps = self.task.steps_per_action * len(self.best) * len(self.task.flat.objects)
        before = (math.inf, math.inf)
        count = int(np.clip(WORK / max(steps, 1), 20, VARIANTS))
        for _ in range(ROUNDS):
            if self.score < before and self._close():
                return
            before = self.score
            shape = (count, *self.best.shape)
            chosen = self.rng.random(shape) < 3.0 / max(len(self.best), 3)
            moved = self.best + chosen * self.rng.normal(0.0, size, shape) * most
            slower = self.best * self.rng.uniform(1.0 - 0.1 * size, 1.0, (count, 1, 1))
            tries = np.where(self.rng.random((count, 1, 1)) < 0.8, moved, slower)
            tries = np.clip(tries, least, most)
            spare = np.repeat(tries[:, -1:] * 0.0, SPARE, axis=1)
            self.look_at([*np.concatenate([tries, spare], axis=1)])
            if self.score == before:
                size *= 0.5

    def _close(self) -> bool:
        outcome = simulate(self.task, self.best[None], [0])
        spent, time = float(outcome.energy[0]), float(outcome.time[0])
        return self.score[0] <= 0.0 and spent <= ENOUGH * self.edge.energy_at(time)
