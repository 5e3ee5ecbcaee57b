"""The building blocks of tasks as data, in the words of section 4.1 of the paper.

Everything is frozen and compares by value. A :class:`Range` may stand in the place of most numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

Integrator: TypeAlias = Literal["work-energy", "authors-2016"]
Prerequisite: TypeAlias = Literal["now", "ever"]

MOST_PARTS = 10_000
"""How many objects, motors, sensors or goals a task may have."""
MOST_STEPS = 1_000_000
"""The most steps of dt in one controller step, and over which a sensor may lag behind."""

PHYSICAL = ("value", "velocity", "mass", "gravity", "angle", "mu_k", "mu_s", "drag")
"""The numbers that every object has, in the order of the kernel's row."""
GLOBAL_NAMES: Mapping[str, str] = {
    "time": "seconds since the start",
    "dt": "seconds of a step",
    "energy": "joules spent so far",
    "reward": "minus the distances of all goals (footnote 7 of the paper)",
}


@dataclass(frozen=True)
class Range:
    """A number that is drawn evenly from low to high when a task is sampled."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Take whole numbers for what they are here."""
        take_numbers(self)

    @classmethod
    def around(cls, middle: float, spread: float) -> Range:
        """From middle - spread to middle + spread."""
        return cls(middle - spread, middle + spread)


Value: TypeAlias = float | Range


def middle_of(value: Value) -> float:
    """A number as it is, and the middle of a range."""
    return (value.low + value.high) / 2.0 if isinstance(value, Range) else float(value)


@dataclass(frozen=True)
class Object:
    """A thing with a value that moves in one dimension (4.1, Objects)."""

    name: str
    value: Value = 0.0
    """x, where it starts."""
    velocity: Value = 0.0
    mass: Value = 1.0
    gravity: Value = 0.0
    """g; it pulls along the axis with g sin(angle), against increasing values."""
    angle: Value = 0.0
    """Of the axis to the ground, in radians from -pi/2 to pi/2."""
    mu_k: Value = 0.0
    """Kinetic friction."""
    mu_s: Value = 0.0
    """Static friction."""
    drag: Value = 0.0
    """Air resistance c: the force c v^2 against the motion."""
    bounds: tuple[float, float] | None = None
    """The lowest and the highest value; at them the object stops."""
    locked: bool = False
    """A locked object does not move."""
    attributes: tuple[tuple[str, Value], ...] = ()
    """Further numbers, which only transitions change; a mapping may be given."""

    def __post_init__(self) -> None:
        """Take a mapping of attributes, and lists, as what they stand for."""
        take_pairs(self, "attributes")
        take_lists(self, ("bounds",))
        take_numbers(self)


@dataclass(frozen=True)
class Motor:
    """What a controller sets the power of (4.1, Motors)."""

    name: str
    targets: tuple[tuple[str, float], ...] = ()
    """The objects that it drives, each with the factor of its power that goes there; a name or names may be given."""
    power: float = 1.0
    """The most that it gives, in watts."""
    reversible: bool = True
    """Whether it can drive against increasing values; else it is one-way."""
    exposed: bool = True
    """Whether controllers set it; a hidden one is set by transitions only."""
    counted: bool = True
    """Whether its energy counts."""

    def __post_init__(self) -> None:
        """Take a name, or names, for targets with the factor 1."""
        targets: Any = self.targets
        if isinstance(targets, str):
            targets = (targets,)
        if isinstance(targets, list | tuple):
            targets = tuple((one, 1.0) if isinstance(one, str) else one for one in targets)
        object.__setattr__(self, "targets", targets)
        take_pairs(self, "targets")
        take_numbers(self)


@dataclass(frozen=True)
class Sensor:
    """Reads something, with noise, rounded and late (4.1, Sensors)."""

    name: str
    source: str
    """An attribute as "car.velocity", an object for its value, another sensor, or one of the global names."""
    distortion: float = 0.0
    """Noise that is drawn evenly from minus to plus this."""
    digits: int | None = None
    """Decimal digits that the reading is rounded to."""
    latency: float = 0.0
    """How many seconds ago things were as they are read."""
    reward: bool = False
    """Whether this is a reward channel (5.1)."""

    def __post_init__(self) -> None:
        """Take whole numbers for what they are here."""
        take_numbers(self)


@dataclass(frozen=True)
class Transition:
    """Assignments that are made in every step (4.1, designed transitions), in the language of ``expression``."""

    name: str
    assignments: tuple[str, ...]
    """One after another; a single one may be given as it is."""
    when: str = ""
    """The condition under which they are made; none, always."""

    def __post_init__(self) -> None:
        """Take a single assignment for a list of one."""
        take_lists(self, ("assignments",))


@dataclass(frozen=True)
class System:
    """A container of parts (4.1, Systems). From outside, a part x of the system car is called car.x.

    Inside, names are looked for in the system itself first, then in those around it.
    """

    name: str
    objects: tuple[Object, ...] = ()
    motors: tuple[Motor, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    transitions: tuple[Transition, ...] = ()
    systems: tuple[System, ...] = ()

    def __post_init__(self) -> None:
        """Take lists for tuples."""
        take_lists(self, PARTS)


@dataclass(frozen=True)
class Goal:
    """What has to be reached (4.1, Goals).

    It holds while its attribute is within value +- tolerance, inclusively; with tolerance 0, when the value is crossed
    within a step. It is satisfied once it has held for ``hold`` seconds, within its times and with its prerequisites,
    and stays so until it is reset.
    """

    name: str
    of: str
    """An attribute as "car.velocity", or an object for its value."""
    value: Value = 0.0
    tolerance: Value = 0.0
    after: float | None = None
    """Not before this time, in seconds since the start."""
    before: float | None = None
    """Not after this time; a task with a goal that was not satisfied by then has failed."""
    since: str = ""
    """The goal since whose satisfaction the next two are counted."""
    after_since: float | None = None
    before_since: float | None = None
    prerequisites: tuple[str, ...] = ()
    prerequisite: Prerequisite = "now"
    """Whether prerequisites must hold now, or have been satisfied ever."""
    hold: float = 0.0
    """For so many seconds without a break; what tells maintenance from achievement."""
    reset_when: str = ""
    """While this condition holds the goal is reset, with those that it is a prerequisite of, recursively."""

    def __post_init__(self) -> None:
        """Take a list of prerequisites, or a single one."""
        take_lists(self, ("prerequisites",))
        take_numbers(self)


@dataclass(frozen=True)
class Limits:
    """What may be spent; whoever spends more has failed."""

    time: float | None = None
    """Seconds."""
    energy: float | None = None
    """Joules."""

    def __post_init__(self) -> None:
        """Take whole numbers for what they are here."""
        take_numbers(self)


PARTS = ("objects", "motors", "sensors", "transitions", "systems")
"""What systems and tasks hold."""
KINDS: Mapping[str, type[Any]] = {
    "objects": Object,
    "motors": Motor,
    "sensors": Sensor,
    "transitions": Transition,
    "systems": System,
    "goals": Goal,
}


def take_lists(part: Any, names: Iterable[str]) -> None:
    """Make tuples of the lists, and of the single texts, that were given."""
    for name in names:
        value = getattr(part, name)
        if isinstance(value, list):
            object.__setattr__(part, name, tuple(value))
        elif isinstance(value, str):
            object.__setattr__(part, name, (value,))


def take_pairs(part: Any, name: str) -> None:
    """Make a tuple of pairs of the mapping that was given."""
    value = getattr(part, name)
    if isinstance(value, Mapping):
        value = tuple(value.items())
    elif isinstance(value, list | tuple):
        value = tuple(tuple(one) if isinstance(one, list) else one for one in value)
    object.__setattr__(part, name, value)


def take_numbers(part: Any) -> None:
    """Make real numbers of the whole ones that were given, so that equal parts are written alike."""
    for one in fields(part):
        if one.name != "digits":
            object.__setattr__(part, one.name, _real(getattr(part, one.name)))


def _real(value: Any) -> Any:
    if type(value) is int and abs(value) <= 2**1000:
        return float(value)
    if type(value) is float:
        return value + 0.0  # no negative zero
    return tuple(map(_real, value)) if type(value) is tuple else value


NO_LIMITS = Limits()


@dataclass(frozen=True)
class TaskParts:
    """All that a whole task is made of, unchecked; :class:`~mensura.worlds.framotec.model.task.Task` checks it."""

    name: str = "task"
    objects: tuple[Object, ...] = ()
    motors: tuple[Motor, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    transitions: tuple[Transition, ...] = ()
    systems: tuple[System, ...] = ()
    goals: tuple[Goal, ...] = ()
    limits: Limits = NO_LIMITS
    dt: float = 0.001
    """Seconds of a step of the simulation."""
    controller_step: float = 0.25
    """Seconds between two actions of a controller."""
    integrator: Integrator = "work-energy"
    instructions: str = ""
    """What a performer is told (section 3)."""
