"""How far behavior is from a schedule that is known to be good, moment by moment.

After section 5 of Evaluation of General-Purpose Artificial Intelligence: Why, What & How (Bieger and others, 2016),
which asks how behavior differs from the best. The exact value of a state of motors and objects is not known here, so
each action is held against the quickest schedule (:mod:`mensura.worlds.framotec.analysis.schedules`): how far the
powers that it asks for are from those of the schedule at that time, as a share of all that motors can be asked for.
Another way to the goal may be as good, so a distance is no cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis.frontier import schedule_of
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.play.description import Description

Powers = npt.NDArray[np.float64]


class Moment(NamedTuple):
    """When an action is to be taken."""

    step: int
    """The controller step."""
    powers: Powers
    """The watts that the motors are asked for until then."""
    over: bool
    """Whether the task is solved or failed, so that no action counts any more."""


class KnownSchedule:
    """The quickest schedule that is known for one environment with one controller."""

    kind = "schedule"

    def __init__(self, description: Description, powers: Powers) -> None:
        """``powers``: watts of all exposed motors, (steps, motors)."""
        names = [motor.name for motor in description.task.exposed]
        most = {motor.name: motor.power for motor in description.task.motors}
        (own,) = description.controllers
        self._schedule = powers[:, [names.index(one) for one in own]]
        self._spans = 2.0 * np.array([most[one] for one in own])
        self._environment = FramotecEnvironment(description)

    def moment(self, environment: FramotecEnvironment) -> Moment:
        """The state of an environment, as far as distances need it."""
        stride = environment.description.task.steps_per_action
        simulation = environment.simulation
        return Moment(environment.now // stride, environment.asked_powers(0), simulation.over)

    def regrets(self, moments: Sequence[Moment], actions: Sequence[Any]) -> npt.NDArray[np.float64]:
        """The distance of each action of an episode, in [0, 1]; 0 once the task is over."""
        found = [self._distance(one, act) for one, act in zip(moments, actions, strict=True)]
        return np.array(found, np.float64)

    def _distance(self, moment: Moment, action: Any) -> float:
        if moment.over:
            return 0.0
        powers = self._environment.powers_of(0, action)
        powers = np.where(np.isnan(powers), moment.powers, powers)
        wanted = np.zeros(len(powers))
        if moment.step < len(self._schedule):
            wanted = self._schedule[moment.step]
        return float(np.mean(np.abs(powers - wanted) / self._spans))


def known_schedule(description: Description) -> KnownSchedule | None:
    """The schedule of an environment; None where several control it, thoughts take time, or none is known."""
    if description.subjects != 1 or description.clock != "interactions":
        return None
    try:
        powers = schedule_of(description.task, 0.0)
    except MensuraError:
        return None
    return KnownSchedule(description, powers)
