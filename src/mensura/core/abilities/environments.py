"""What environments may have: instructions, figures, a clock, an end before the end, pictures, rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:  # commands that compute nothing are to answer at once
    from mensura.agent.task import Clock
    from mensura.core.contract import Environment, Turn


class Telling(Protocol):
    """An environment that says more than turns do."""

    def instructions(self, seat: int) -> str:
        """What a seat is told about its task before it begins."""

    def measures(self) -> Mapping[str, float]:
        """What an episode tells of itself beside its rewards, by name."""

    raw_measure: str
    """The measure that has what rewards were cut from, as the points of a game."""

    clock: Clock
    """What time is in it: "simulated" where an action counts only after the seconds that it took."""

    pace: float
    """Interactions a second at which people play it, who hold keys instead of choosing each action."""


class Pictured(Protocol):
    """An environment that can be drawn."""

    def picture(self, seat: int | None = None) -> Any:
        """The moment as a picture (:mod:`mensura.pictures.picture`): all of it, or only what a seat may see."""


class Decidable(Protocol):
    """An environment that knows when nothing can change any more."""

    def decided(self) -> bool:
        """Whether all rewards and measures until the end of the episode are the same, whatever anybody does."""


class OpenFloor(Protocol):
    """An environment in which whoever speaks first is heard (:mod:`mensura.core.open_floor`)."""

    open_floor: bool
    """Whether it is one, as it is set."""

    def speak(self, seat: int, action: Any, at: float) -> Turn:
        """The action of one of the seats that are due, at a time of the environment's own, in seconds."""

    def next_event(self) -> float:
        """When something happens by itself; infinite where nothing does."""

    def pass_time(self, at: float) -> Turn:
        """Let that happen."""

    def is_silence(self, seat: int, action: Any) -> bool:
        """Whether an action says that the seat has nothing to say."""


def opens_floor(environment: Environment) -> bool:
    """Whether whoever speaks first is heard; else the loop waits for all seats that are due."""
    return bool(getattr(environment, "open_floor", False))


def is_silence(environment: Environment, seat: int, action: Any) -> bool:
    """Whether an action says nothing; never, where an environment does not tell."""
    told: Callable[[int, Any], bool] | None = getattr(environment, "is_silence", None)
    return told is not None and told(seat, action)


class Rows(Protocol):
    """An environment that gives observations as rows of numbers, for callers in a hurry."""

    def step_rows(self, actions: Sequence[Any]) -> tuple[Any, Sequence[float], Any]:
        """A step: observations (seats, size), rewards, end."""


def instructions_for(environment: Environment, seat: int) -> str:
    """What an environment tells a seat about its task before it begins; nothing where it has no ``instructions``."""
    told: Callable[[int], str] | None = getattr(environment, "instructions", None)
    return "" if told is None else told(seat)


def clock_of(environment: Environment) -> Clock:
    """What time is in an environment: interactions, where it says nothing else."""
    told: Clock = getattr(environment, "clock", "interactions")
    return told


def pace_of(environment: Environment) -> float | None:
    """Interactions a second at which people play an environment; None where it waits for each action."""
    told: float | None = getattr(environment, "pace", None)
    return told


def measures_of(environment: Environment) -> Mapping[str, float]:
    """What an episode tells of itself beside its rewards, by name."""
    told: Callable[[], Mapping[str, float]] | None = getattr(environment, "measures", None)
    return {} if told is None else told()


def raw_score(environment: Environment) -> float | None:
    """What rewards were cut from so far; None where they are never cut."""
    name: str | None = getattr(environment, "raw_measure", None)
    return None if name is None else measures_of(environment)[name]


def tells_decided(environment: Environment) -> Callable[[], bool] | None:
    """What tells whether nothing can change any more in an episode; None where an environment does not know."""
    return cast("Callable[[], bool] | None", getattr(environment, "decided", None))


def picture_of(environment: Environment, seat: int | None = None) -> Any:
    """The moment as an environment draws it, all of it or what a seat may see; None where it draws nothing."""
    told: Callable[[int | None], Any] | None = getattr(environment, "picture", None)
    return None if told is None else told(seat)


def step_rows(environment: Environment) -> Callable[[Sequence[Any]], Any] | None:
    """A step that gives observations as rows of numbers; None where an environment has no quick way to."""
    return cast("Callable[[Sequence[Any]], Any] | None", getattr(environment, "step_rows", None))
