"""What an environment is made of: a concrete task, who controls which motors and how, and what a seat observes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias, get_args

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.spaces import Box, Record
from mensura.core.row_environment import described
from mensura.worlds.framotec.model.blocks import Object, Sensor
from mensura.worlds.framotec.model.expression import parse_assignment
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task

Actions: TypeAlias = Literal["continuous", "three", "five"]
Clock: TypeAlias = Literal["interactions", "simulated"]
Rewards: TypeAlias = Literal["distance", "score", "channels"]

LEVELS: Mapping[str, tuple[float, ...]] = {
    "three": (0.0, 1.0, -1.0),
    "five": (0.0, 1.0, -1.0, 0.5, -0.5),
}
"""The powers of a motor among which section 6.1 chooses, as shares of its most, in the order of the paper."""

FARTHEST = 1e9
"""What is read beyond this is shown as this: learners want observations with bounds."""
LONGEST = 1_000_000
"""Interactions of an episode."""
MOST_THOUGHT = 1e6
"""Seconds before an action takes effect."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """One environment: a concrete task, and who controls it how."""

    task: Task
    controllers: tuple[tuple[str, ...], ...]
    """The motors of each seat; of several settings of one motor the latest holds."""
    horizon: int
    """How many controller steps an episode has at most."""
    actions: Actions = "continuous"
    ends: bool = False
    """Whether an episode is over as soon as the task is solved or failed."""
    clock: Clock = "interactions"
    """Whether an action takes effect at once, or only after the time that the controller thought."""
    thought: tuple[float, ...] = ()
    """The seconds that each seat declares to think, by the clock "simulated"; none, what was measured."""
    rewards: Rewards = "distance"
    knowing: tuple[int, ...] = ()
    """The seats that are told the whole task: their right is "knows_task"."""
    velocity_seen: tuple[int, ...] = ()
    """The seats that observe the velocity of the first object: their right is "sees_velocity"."""

    def __post_init__(self) -> None:
        """Raise if it cannot be played."""
        if not isinstance(self.task, Task) or not self.task.concrete:
            raise MensuraError("The task of an environment is not concrete; sample it first.")
        for name, words in (("actions", Actions), ("clock", Clock), ("rewards", Rewards)):
            value = getattr(self, name)
            if value not in get_args(words):
                raise MensuraError(
                    f"{name} is {value!r}; {neighbors(str(value), list(get_args(words)))}"
                )
        if type(self.horizon) is not int or not 1 <= self.horizon <= LONGEST:
            raise MensuraError(f"horizon is {self.horizon!r}; it is from 1 to {LONGEST}.")
        if type(self.ends) is not bool:
            raise MensuraError(f"ends is {self.ends!r}; it is true or false.")
        self._check_controllers()
        self._check_thought()
        for name in ("knowing", "velocity_seen"):
            for seat in getattr(self, name):
                if type(seat) is not int or not 0 <= seat < len(self.controllers):
                    raise MensuraError(
                        f"{name} has {seat!r}; seats are from 0 to {len(self.controllers) - 1}."
                    )
        if self.velocity_seen and not self.task.flat.objects:
            raise MensuraError(f"The task {self.task.name!r} has no object whose velocity is seen.")
        if self.rewards == "channels" and not any(one.reward for one in self.task.flat.sensors):
            raise MensuraError(
                f"rewards is 'channels', and the task {self.task.name!r} has no sensor that is one."
            )

    def _check_controllers(self) -> None:
        exposed = [motor.name for motor in self.task.exposed]
        if not self.controllers:
            raise MensuraError("An environment needs at least 1 controller.")
        for seat, motors in enumerate(self.controllers):
            if not motors:
                raise MensuraError(f"Controller {seat} has no motor; it needs at least 1.")
            for motor in motors:
                if motor not in exposed:
                    raise MensuraError(
                        f"Controller {seat} cannot have the motor {motor!r}; {neighbors(str(motor), exposed)}"
                    )
            if len(set(motors)) < len(motors):
                raise MensuraError(f"Controller {seat} has a motor twice; once will do.")

    def _check_thought(self) -> None:
        if self.thought and len(self.thought) != len(self.controllers):
            raise MensuraError(
                f"{len(self.thought)} times of thought do not fit {len(self.controllers)} controllers."
            )
        for seconds in self.thought:
            if not isinstance(seconds, int | float) or not 0.0 <= seconds <= MOST_THOUGHT:
                raise MensuraError(f"A thought of {seconds!r} s is impossible; 0 to 1e6 are.")
        if self.thought and self.clock != "simulated":
            raise MensuraError("thought is given, which counts only if clock is 'simulated'.")

    @property
    def subjects(self) -> int:
        """How many seats there are."""
        return len(self.controllers)

    def to_json(self) -> dict[str, Any]:
        """The description as plain data."""
        rights = {"knowing": list(self.knowing), "velocity_seen": list(self.velocity_seen)}
        return {
            "task": self.task.to_json(),
            "controllers": [list(motors) for motors in self.controllers],
            "horizon": self.horizon,
            "actions": self.actions,
            "ends": self.ends,
            "clock": self.clock,
            "thought": list(self.thought),
            "rewards": self.rewards,
            **{name: seats for name, seats in rights.items() if seats},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Description:
        """The description that ``to_json`` wrote."""
        lists = ("controllers", "thought", "knowing", "velocity_seen")
        values = described(cls, "FraMoTEC", data, lists)
        values["task"] = Task.from_json(values["task"])
        for motors in values["controllers"]:
            if not isinstance(motors, list | tuple):
                raise MensuraError(f"{motors!r} in controllers is not a list of motors.")
        values["controllers"] = tuple(map(tuple, values["controllers"]))
        return cls(**values)

    @cached_property
    def last_step(self) -> int:
        """How many steps of dt an episode has at most."""
        return self.horizon * self.task.steps_per_action


def observation_space(d: Description, seat: int = 0) -> Record:
    """What a seat observes; see :class:`FramotecEnvironment`."""
    return observed(d.task, d.horizon, seat in d.velocity_seen)


@lru_cache(maxsize=256)
def observed(task: Task, horizon: int, velocity: bool) -> Record:
    """What a seat observes of a task, with or without a velocity."""
    sensors = {one.name: one for one in task.flat.sensors}
    objects = {one.name: one for one in task.flat.objects}
    # What a transition sets may be out of bounds until the object moves.
    placed = {
        parse_assignment(source).target.path
        for transition in task.flat.transitions
        for source in transition.assignments
    }
    shown = [(name, _reach(one, sensors, objects, placed)) for name, one in sensors.items()]
    longest = horizon * task.controller_step
    if task.limits.time is not None:
        longest = max(longest, task.limits.time)
    shown += [("time", Box(0, longest)), ("energy", Box(0, FARTHEST))]
    if velocity:
        shown.append(("velocity", Box(-FARTHEST, FARTHEST)))
    return Record(tuple(shown))


def _reach(
    sensor: Sensor, sensors: Mapping[str, Sensor], objects: Mapping[str, Object], placed: set[str]
) -> Box:
    """How far readings of a sensor can go: as far as its object, and its noise and rounding beyond."""
    spread, one = 0.0, sensor
    while True:
        spread += one.distortion + (0.0 if one.digits is None else 0.5 * 10.0**-one.digits)
        if one.source not in sensors:
            break
        one = sensors[one.source]
    path = attribute_path(one.source, objects)
    owner, _, attribute = path.rpartition(".")
    thing = objects.get(owner)
    if attribute == "value" and thing is not None and thing.bounds and path not in placed:
        return Box(thing.bounds[0] - spread, thing.bounds[1] + spread)
    return Box(-FARTHEST, FARTHEST)
