"""The front of time and energy of a task (5.2): what it costs at least, for every time that it may take.

Where a task falls into dimensions (:mod:`~mensura.worlds.framotec.analysis.dimensions`) the front comes from closed
forms; where dimensions are tied in smooth ways, from numerical optimal control
(:mod:`~mensura.worlds.framotec.analysis.optimal_control`); where they are tied in other ways, the dimensions give a
bound from below. All of it is for the integrator work-energy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis import optimal_control
from mensura.worlds.framotec.analysis.dimensions import Dimensions, Entangled, dimensions
from mensura.worlds.framotec.analysis.legs import Numbers, root
from mensura.worlds.framotec.model.task import Task

LONGEST = 4.0
"""Fronts of tasks that get cheaper for ever are drawn up to so many times the least time."""


@dataclass(frozen=True, eq=False)
class Front:
    """The least energy for every time, and how it was found."""

    times: Numbers
    """Seconds, rising."""
    energies: Numbers
    """Joules, falling."""
    exact: bool
    """Whether controllers that may set powers at any moment come as close as they like."""
    how: str
    """Where the numbers come from and what they promise, in a sentence."""
    watts: float
    """What all motors that count use at full power together."""
    least: Callable[[Numbers], Numbers] = field(repr=False)
    """The least energy for times, in seconds."""

    def energy_at(self, time: float) -> float:
        """The least energy to be done by a time; infinite where that is too soon."""
        return float(self.least(np.array([time], np.float64))[0])

    def time_at(self, energy: float) -> float:
        """The least time for an energy; infinite where that is too little."""
        if energy < self.energies[-1] * (1.0 - 1e-12):
            return float("inf")
        ends = self.times[:1], self.times[-1:]
        return float(root(lambda t: energy - self.least(t) + 1e-12 * energy, *ends)[0])

    def excess(self, time: float, energy: float) -> float:
        """By which share less time and energy would be on the front, both by the same; below 0 where it is beaten.

        Where a front is steep a hair of time is a lot of energy, so that either alone would say little.
        """
        low, high = 0.5, 2.0
        while high / low > 1.0 + 1e-9:
            factor = (low * high) ** 0.5
            if energy <= factor * self.energy_at(time / factor):
                high = factor
            else:
                low = factor
        return high - 1.0

    def most_at(self, time: float) -> float:
        """The energy that can be used at most by a time: the red line of the paper's figures.

        Where the times of the front are a little short, as it says, it is not below the least.
        """
        least = self.energy_at(time)
        return max(self.watts * time, least if math.isfinite(least) else 0.0)

    def to_json(self) -> dict[str, Any]:
        """The front as plain data."""
        return {
            "times": self.times.tolist(),
            "energies": self.energies.tolist(),
            "exact": self.exact,
            "how": self.how,
            "watts": self.watts,
        }


def front(task: Task, points: int = 40) -> Front:
    """The front of a concrete task, within its limits; an error where these, or bounds, leave none."""
    if not task.concrete:
        raise MensuraError(
            f"The task {task.name!r} has ranges instead of numbers, and each task of it has a front of its own; "
            "sample one, or take its middle."
        )
    if points < 2:
        raise MensuraError(f"A front of {points} points is none; it has 2 or more.")
    found = _front(task, points)
    if task.integrator == "authors-2016":
        # That stepping makes energy out of nothing near rest.
        note = " It holds for the integrator work-energy; that of this task may end below it."
        return replace(found, exact=False, how=found.how + note)
    return found


def _front(task: Task, points: int) -> Front:
    try:
        found = dimensions(task)
    except Entangled as tie:
        return _controlled(task, points, str(tie))
    if found.doubts and optimal_control.possible(task):
        return _controlled(task, points, found.doubts[0])
    return _separated(task, found, points)


def _controlled(task: Task, points: int, why: str) -> Front:
    """By numerical optimal control; times are shortened by more than they are uncertain."""
    try:
        times, energies = optimal_control.curve(task, points)
    except Entangled as tie:
        raise MensuraError(
            f"The front of the task {task.name!r} is out of reach: {why}, so it has no closed form, and {tie}, so "
            "optimal control cannot find it."
        ) from None
    times = times * (1.0 - optimal_control.MARGIN)

    def least(wanted: Numbers) -> Numbers:
        # Energy falls with time, so what the next longer time costs is a bound for times between two.
        at = np.minimum(np.searchsorted(times, np.asarray(wanted) * (1.0 - 1e-12)), len(times) - 1)
        return np.where(np.asarray(wanted) < times[0] * (1.0 - 1e-12), np.inf, energies[at])

    shown = spread(task, float(times[0]), float(times[-1]), least, points)
    how = (
        f"Numerical: optimal control with {optimal_control.INTERVALS} intervals by CasADi and IPOPT, since {why}; "
        f"times are {100 * optimal_control.MARGIN:g}% short, more than they are uncertain; that no better way lies "
        "elsewhere is not proven."
    )
    return Front(shown, least(shown), False, how, watts_of(task), least)


def _separated(task: Task, found: Dimensions, points: int) -> Front:
    """From the dimensions; times are one dt shorter, which makes it a bound for the stepped simulation."""
    dt = task.dt

    def least(times: Numbers) -> Numbers:
        return found.part.energy(np.maximum(np.asarray(times, np.float64) + dt, 0.0))

    first = max(found.part.fastest - dt, 0.0)
    times = spread(task, first, max(found.part.slowest - dt, first), least, points)
    if found.doubts:
        how = (
            "A bound from below: each dimension in closed form, as if it stood alone, although "
            f"{' and '.join(found.doubts)}."
        )
    else:
        how = (
            "Exact: closed forms of each dimension, combined; times are one dt short, so that no stepped schedule "
            "ends below."
        )
    return Front(times, least(times), not found.doubts, how, watts_of(task), least)


def watts_of(task: Task) -> float:
    """What all motors that count use at full power together."""
    return sum(motor.power for motor in task.flat.motors if motor.counted)


def spread(
    task: Task, first: float, last: float, least: Callable[[Numbers], Numbers], points: int
) -> Numbers:
    """Times for a front within the limits of a task, denser where energy falls quickly."""
    limits = [task.limits.time, *(goal.before for goal in task.flat.goals)]
    latest = min((limit for limit in limits if limit is not None), default=np.inf)
    if first > latest:
        raise MensuraError(
            f"The task {task.name!r} cannot be solved within {latest:g} s; it takes at least {first:.4g} s."
        )
    last = min(last, latest, max(LONGEST * first, 1e-9) if last > 100.0 * first else last)
    budget = task.limits.energy
    if budget is not None:
        cheapest = float(least(np.array([last]))[0])
        if cheapest > budget:
            raise MensuraError(
                f"The task {task.name!r} cannot be solved with {budget:g} J; it takes at least {cheapest:.4g} J."
            )
        ends = np.array([first]), np.array([last])
        if float(least(ends[0])[0]) > budget:
            first = float(root(lambda t: budget - least(t) + 1e-12 * budget, *ends)[0])
    return first + (last - first) * np.linspace(0.0, 1.0, points) ** 2
