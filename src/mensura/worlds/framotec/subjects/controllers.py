"""Subjects whose behavior is written by hand for tasks that they know: those of 6.3 and 6.4 of the paper, and ours.

Their seats have the right "knows_task". Where things are they have to read off their sensors all the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.task import Task
from mensura.core.group import Member
from mensura.worlds.framotec.analysis.frontier import schedule_of
from mensura.worlds.framotec.model.task import Task as FramotecTask
from mensura.worlds.framotec.subjects.hands import Hands
from mensura.worlds.framotec.subjects.knowledge import Aim, Knowledge, knowledge_from

Readings = Mapping[str, float]


class Controller:
    """What all of them have in common: they are told the task, read their sensors and set all of their motors."""

    def __init__(self, one: Member) -> None:
        self._member = one

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Learn what the task is."""
        self.known: Knowledge = knowledge_from(task.instructions)
        self._hands = Hands(task.action_space, len(self.known.motors))
        self.prepare()

    def act(self, observation: np.void, reward: float) -> Any:
        """Read the sensors, and decide."""
        names = observation.dtype.names or ()
        return self._hands.action(self.wanted(dict(zip(names, observation.item(), strict=True))))

    def prepare(self) -> None:
        """Before an episode."""

    def wanted(self, readings: Readings) -> Sequence[float]:
        """The power of each motor, as a share of its most."""
        raise NotImplementedError


class Plotter(Controller):
    """The controller of 6.3: full power towards the goal, none where the distance is small enough.

    There, the motors of goals that wait for this one are activated; elsewhere, they are off. Nothing else is looked
    at, so that it runs past the goal and comes back where it is too fast.
    """

    def wanted(self, readings: Readings) -> Sequence[float]:
        """Full power up or down, by the sign of the distance."""
        powers = [0.0] * len(self.known.motors)
        for aim in self.known.due(readings):
            if not aim.near(readings):
                powers[aim.motor] = math.copysign(1.0, aim.distance(readings)) * aim.sign
        return powers


class Pid(Controller):
    """A PID controller for each motor whose object has a goal.

    The error is the distance to the goal by the sensor as a share of how far that can be, so that the same gains suit
    objects of any size; the integral counts only while the power is not at its most.
    """

    def prepare(self) -> None:
        """Nothing has happened yet."""
        self._sums = dict.fromkeys(self.known.aims, 0.0)
        self._last: dict[Aim, float] = {}

    def wanted(self, readings: Readings) -> Sequence[float]:
        """Proportional to the error, its sum and its change."""
        kp, ki, kd = map(self._member.rate, ("kp", "ki", "kd"))
        step = self.known.task.controller_step
        powers = [0.0] * len(self.known.motors)
        for aim in self.known.due(readings):
            error = aim.distance(readings) / _farthest(aim)
            change = (error - self._last.get(aim, error)) / step
            self._last[aim] = error
            total = self._sums[aim] + error * step
            power = kp * error + ki * total + kd * change
            if abs(power) < 1.0:
                self._sums[aim] = total
            powers[aim.motor] = min(max(power, -1.0), 1.0) * aim.sign
        return powers


def _farthest(aim: Aim) -> float:
    if aim.thing.bounds is None:
        return max(abs(aim.value - float(aim.thing.value)), aim.tolerance, 1.0)  # type: ignore[arg-type]
    return max(max(abs(end - aim.value) for end in aim.thing.bounds), 1e-9)


class Coasting(Controller):
    """Full power until friction alone lets the object roll as far as the goal, then none: little energy is lost.

    It knows masses and friction, and reckons how fast each object is from the powers that it gave and, with a weight,
    from the sensors. An object that stands still short of its goal is driven again.
    """

    def prepare(self) -> None:
        """Everything stands still, as far as it knows."""
        self._speed = dict.fromkeys(self.known.aims, 0.0)
        self._place: dict[Aim, float] = {}
        self._powers = [0.0] * len(self.known.motors)

    def wanted(self, readings: Readings) -> Sequence[float]:
        """Full power or none."""
        trust = self._member.rate("trust")
        powers = [0.0] * len(self.known.motors)
        due = self.known.due(readings)
        for aim in self.known.aims:
            place = readings[aim.sensor]
            if aim in self._place:
                self._reckon(aim)
                # The place that was reckoned has the error of the last reading, and this one has its own.
                missed = place - self._place[aim]
                self._place[aim] += 0.5 * missed
                self._speed[aim] += trust * missed / self.known.task.controller_step
            else:
                self._place[aim] = place
            if aim in due:
                powers[aim.motor] = self._power(aim) * aim.sign
        self._powers = powers
        return powers

    def _power(self, aim: Aim) -> float:
        """Full power towards the goal where the object would stop before it."""
        far = aim.value - self._place[aim]
        if abs(far) <= aim.tolerance:
            return 0.0
        # To be sure, it aims between the edge of the goal and its middle.
        way, towards = abs(far) - 0.5 * aim.tolerance, math.copysign(1.0, far)
        slope, friction = _resistance(aim)
        against = friction + towards * slope
        speed = self._speed[aim] * towards
        if speed > 0.0 and against > 0.0 and speed * speed / (2.0 * against) >= way:
            return 0.0
        return towards

    def _reckon(self, aim: Aim) -> None:
        """How fast and where an object is after a controller step (work-energy, in a hundred small steps)."""
        dt = self.known.task.controller_step / 100
        gain = 2.0 * self._powers[aim.motor] * aim.sign * aim.drive.power * dt / _mass(aim)
        slope, friction = _resistance(aim)
        v, x = self._speed[aim], self._place[aim]
        for _ in range(100):
            square = math.copysign(v * v, v) + gain
            v = math.copysign(math.sqrt(abs(square)), square)
            v -= slope * dt
            v = math.copysign(max(abs(v) - friction * dt, 0.0), v)
            x += v * dt
        self._speed[aim], self._place[aim] = v, x


def _mass(aim: Aim) -> float:
    return float(aim.thing.mass)  # type: ignore[arg-type]


def _resistance(aim: Aim) -> tuple[float, float]:
    """The deceleration by gravity along the axis, and by kinetic friction."""
    gravity, angle, mu_k = (
        float(getattr(aim.thing, name)) for name in ("gravity", "angle", "mu_k")
    )
    return gravity * math.sin(angle), mu_k * gravity * abs(math.cos(angle))


class Selector(Controller):
    """The controller of 6.4.2 for N dimensions: full power to the main motor.

    The selection motor is driven towards the motor of the object that is farthest from its goal.
    """

    def prepare(self) -> None:
        """Find the parts that it is written for."""
        check_selector(self.known.task)
        self._goals = [
            (_reading_of(self.known.task, goal.of), float(goal.value))  # type: ignore[arg-type]
            for goal in self.known.task.goals
        ]
        (place,) = _named(self.known.task.sensors, "selector_reading")
        self._place: str = place.name

    def wanted(self, readings: Readings) -> Sequence[float]:
        """Nothing to select with where the selector already points there."""
        distances = [value - readings[sensor] for sensor, value in self._goals]
        farthest = distances.index(max(distances))
        towards = farthest - round(readings[self._place])
        return [
            1.0 if motor.endswith("power_motor") else float(np.sign(towards))
            for motor in self.known.motors
        ]


def check_selector(task: FramotecTask) -> None:
    """A sentence where a task is not the one in N dimensions, which the selector is written for."""
    flat = task.flat
    motors = [_named(flat.exposed, name) for name in ("selector_motor", "power_motor")]
    if not all(len(own) == 1 for own in motors) or not _named(flat.sensors, "selector_reading"):
        raise MensuraError(
            f"The subject selector is written for the task n-dimensional, and not for {task.name!r}, which has no "
            "selector_motor, power_motor and selector_reading."
        )


def _named(parts: Sequence[Any], name: str) -> list[Any]:
    return [one for one in parts if one.name.rpartition(".")[2] == name]


def _reading_of(task: FramotecTask, of: str) -> str:
    owner = of.removesuffix(".value")
    return next(one.name for one in task.sensors if one.source in (owner, f"{owner}.value"))


class Optimal(Controller):
    """Plays the schedule of a point on the front of time and energy (5.2) and looks at nothing.

    Its time is the least one plus a share, ``leisure``, of how much longer the cheapest way takes.
    """

    def prepare(self) -> None:
        """Make the schedule; the same task gets the same one."""
        powers = schedule_of(self.known.task, self._member.rate("leisure"))
        names = [motor.name for motor in self.known.task.exposed]
        most = {motor.name: motor.power for motor in self.known.task.motors}
        own = [names.index(motor) for motor in self.known.motors]
        self._shares = powers[:, own] / np.array([most[motor] for motor in self.known.motors])

    def wanted(self, readings: Readings) -> Sequence[float]:
        """What the schedule says for this moment; nothing after its end."""
        at = round(readings["time"] / self.known.task.controller_step)
        shares: list[float] = self._shares[at].tolist() if at < len(self._shares) else []
        return shares or [0.0] * len(self.known.motors)
