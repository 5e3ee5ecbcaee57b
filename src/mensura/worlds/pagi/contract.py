"""What the two halves of PAGI World know of each other.

The physical half (:class:`Room`) has bodies, objects and time; the half of the protocol (:class:`Controls`) has
commands, states and reflexes of one seat. The environment joins them: at each interaction every seat's controls take
the text or the forces of its action, then for each physics step all controls act before the room steps, and at last
each seat's controls give the answers and notifications that go into its observation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Side: TypeAlias = Literal["L", "R"]
Field: TypeAlias = Literal["V", "P"]

STEP = 0.02
"""Seconds of a physics step."""
STEPS = 5
"""Physics steps of an interaction."""
SENSORS = 18
"""Of touch: 8 of the body, 5 of each hand."""
READINGS = 7
"""Of a sensor of touch: touches, temperature, texture x 4, endorphins."""
POSE_ASPECTS = ("Sx", "Sy", "BPx", "BPy", "LPx", "LPy", "RPx", "RPy", "A")
"""What comes after the readings of all sensors of touch, where all that a seat feels is one row of numbers."""


class Touch(NamedTuple):
    """What a sensor of touch reads; ``name`` is empty where nothing is touched."""

    touches: bool
    temperature: float
    texture: tuple[float, float, float, float]
    endorphins: float
    name: str


class Sight(NamedTuple):
    """What is seen at a point."""

    qualities: tuple[float, float, float, float]
    type: str
    name: str


class Event(NamedTuple):
    """Something that a seat is told unasked: RD, TB or SC with its fields, as the protocol has them."""

    kind: Literal["RD", "TB", "SC"]
    fields: tuple[str, ...]


class Room(Protocol):
    """The physical world as the controls of a seat see it. Names of sensors and effectors are those of the protocol."""

    @property
    def seconds(self) -> float:
        """Simulated time since the beginning."""

    def touch(self, seat: int, part: Literal["B", "L", "R"], index: int) -> Touch:
        """B0 to B7, L0 to L4, R0 to R4."""

    def aspects(self, seat: int) -> npt.NDArray[np.float64]:
        """All readings of touch, sensor by sensor, and POSE_ASPECTS, in a row; it is the room's, to be read at once."""

    def look(self, seat: int, field: Field, x: int, y: int) -> Sight:
        """One point of a visual field."""

    def names(self, seat: int, field: Field) -> Sequence[str]:
        """Names at all points, rows from the bottom, x fastest; empty for nothing."""

    def velocity(self, seat: int) -> tuple[float, float]:
        """S."""

    def place(self, seat: int) -> tuple[float, float]:
        """BP."""

    def hand(self, seat: int, side: Side) -> tuple[float, float]:
        """LP, RP."""

    def rotation(self, seat: int) -> float:
        """A, in radians."""

    def push(self, seat: int, part: Literal["B", "L", "R"], x: float, y: float) -> None:
        """A force for the coming physics step, in the frame of the body; limited by the task."""

    def turn(self, seat: int, degrees: float) -> None:
        """BR."""

    def jump(self, seat: int) -> bool:
        """J; whether there was something to jump from."""

    def grip(self, seat: int, side: Side) -> bool:
        """LHG, RHG; whether there was something to grip."""

    def release(self, seat: int, side: Side) -> bool:
        """LHR, RHR; whether something was held."""

    def say(self, seat: int, speaker: str, text: str, seconds: float, x: float, y: float) -> bool:
        """P is the seat itself, N nobody, else an item; whether there is such a speaker."""

    def console(self, seat: int, text: str) -> None:
        """What the seat prints."""

    def drop(self, name: str, x: float, y: float, note: str) -> bool:
        """An object of a kind; whether there is such a kind."""

    def create(self, name: str, image: str, x: float, y: float, mass: float, material: int, radians: float,
               endorphins: float, kind: int) -> str:  # fmt: skip
        """An item with a picture; why not, or nothing."""

    def destroy(self, name: str) -> bool:
        """Whether there was such an item."""

    def push_item(self, name: str, x: float, y: float, torque: float) -> bool:
        """Whether there is such an item."""

    def item(self, name: str) -> tuple[float, float, float, float] | None:
        """Its place and velocity."""

    def load(self, seat: int, file: str) -> str:
        """Begin another task of the task's folder; why not, or nothing."""

    def step(self) -> None:
        """One physics step, with the forces that were added since the last."""

    def take_events(self, seat: int) -> list[Event]:
        """What happened since this was asked last."""


class Controls(Protocol):
    """Commands, states and reflexes of one seat."""

    def take(self, text: str, room: Room) -> None:
        """Commands of this interaction, in either generation; they run before the first physics step, in order."""

    def act(self, room: Room) -> None:
        """Before each physics step: states expire, reflexes fire, what is due runs."""

    def answers(self, room: Room) -> str:
        """Answers and notifications since the last time, as lines in the generation of the seat."""

    def as_plain(self) -> Mapping[str, Any]:
        """All of it as plain data, for snapshots."""

    def restore(self, plain: Mapping[str, Any]) -> None:
        """What :meth:`as_plain` gave; MensuraError where it cannot be."""
