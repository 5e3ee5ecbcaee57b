"""The contract between worlds, environments, subjects and assessments.

::

    turn = environment.reset(key)
    while turn.ended is None:
        actions = [agents[seat].act(o, r) for seat, o, r in zip(*turn[:3])]
        turn = environment.step(actions, seconds)

Everything else in Mensura is built on these few types. What a subject is told stands in :class:`Task`; it is
never told a key or a description, from which it could rebuild its environment.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from mensura.core.keys import Key
from mensura.core.spaces import Space

Message: TypeAlias = Any
"""What one member of a collective tells the others: anything that JSON can write."""

Ended: TypeAlias = Literal["terminated", "truncated"]


@dataclass(frozen=True)
class Seat:
    """A place for one agent in an environment."""

    index: int
    group: str = "subject"
    """Only the seats of the group "subject" are scored."""
    rights: frozenset[str] = frozenset()
    """What the observation may hold beyond the ordinary: "sees_future", ..."""


@dataclass(frozen=True)
class Limits:
    """What a subject may use; enforced for subjects in a process of their own.

    Inside our own process time is only measured; a worker process that an agent holds up, or whose memory it eats,
    is ended.
    """

    seconds_per_action: float = 10.0
    seconds_to_start: float = 60.0
    faults: int = 3
    """After so many faults a seat is not asked again in its sitting."""
    seconds_per_episode: float | None = None
    """All answers of a seat in an episode together; then it is not asked again in that episode."""
    memory_mb: int | None = None
    """What the process of a subject may take, in megabytes."""


@dataclass(frozen=True)
class Task:
    """All that a subject is told about what it sits down to."""

    world: str
    seat: Seat
    seats: int
    observation_space: Space
    action_space: Space
    horizon: int | None
    clock: Literal["interactions", "simulated", "wall"] = "interactions"
    limits: Limits = Limits()
    learning: bool = False
    """Training, or assessed."""


class Turn(NamedTuple):
    """What an environment says after reset and after each step."""

    due: tuple[int, ...]
    """The seats that act now; at the end, all."""
    observations: Sequence[Any] | npt.NDArray[Any]
    """In the order of due."""
    rewards: Sequence[float]
    """In the order of due, each since that seat's last turn."""
    ended: Ended | None = None


@runtime_checkable
class Description(Protocol):
    """A frozen, serializable account of one environment; ``world.build`` gives the environment back exactly."""

    def to_json(self) -> dict[str, Any]:
        """The description as plain data."""


class Environment(Protocol):
    """One instance of a world, with seats for the subjects. It never resets itself."""

    @property
    def description(self) -> Description:
        """What this environment was built from."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The places in it, by index."""

    @property
    def horizon(self) -> int | None:
        """How many interactions an episode has, where that is fixed."""

    def spaces(self, seat: int) -> tuple[Space, Space]:
        """The observation and action spaces of a seat."""

    def reset(self, key: Key) -> Turn:
        """Start an episode; the same key starts the same one."""

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take the actions of the seats last due, in their order.

        An asynchronous world applies action i only after seconds[i] of its own time.
        """

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the seat may play this action now."""

    def default(self, seat: int) -> Any:
        """The documented action that is played for a seat whose subject gave none."""

    def snapshot(self) -> bytes:
        """The whole state of the episode."""

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot of an environment with the same description."""


@dataclass(frozen=True)
class Measure:
    """A complexity that a world can tell of its environments."""

    name: str
    explanation: str
    unit: str = ""


class World(Protocol):
    """A class of environments."""

    @property
    def id(self) -> str:
        """Its name with the version of its rules: "lambda-star-v0"."""

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Its complexities by name; may be empty."""

    @property
    def promises(self) -> frozenset[str]:
        """What assessments may rely on: "bounded" rewards in [-1, 1], "balanced", ..."""

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Description:
        """Draw an environment, its named complexity within [low, high] where that is wanted."""

    def build(self, description: Description) -> Environment:
        """The environment of a description."""

    def complexity(self, description: Description, measure: str) -> float:
        """How complex a described environment is."""


class Agent(Protocol):
    """One mind at one seat. Only ``act`` is required; the others are called where they are there."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Before an episode. The generator is the agent's own, the only one it should draw from."""

    def act(self, observation: Any, reward: float) -> Any:
        """Choose an action; reward is that of the previous interaction, 0.0 at first."""

    def end(self, observation: Any, reward: float, terminated: bool) -> None:
        """After an episode: the last observation and reward."""

    def tell(self, observation: Any, reward: float) -> Message:
        """In a collective, before acting: what the others should hear."""

    def hear(self, messages: Mapping[int, Message]) -> None:
        """In a collective, before acting: what was told, by seat."""


@dataclass(frozen=True)
class Plan:
    """One episode that an assessment wants played."""

    description: Description
    key: Key
    """The key of the environment's reset."""
    learning: bool = False
    environment: Key | None = None
    """The key that the description was sampled with; None for one made by hand, which records then hold."""


@dataclass(frozen=True)
class Fault:
    """A subject that broke, hung or answered nonsense, and when."""

    seat: int
    interaction: int
    kind: Literal["raised", "late", "illegal", "died", "garbled"]
    detail: str


@dataclass(frozen=True)
class Episode:
    """What one episode left behind."""

    rewards: tuple[float, ...]
    """The sum of rewards of each seat."""
    interactions: tuple[int, ...]
    """The number of actions of each seat."""
    scored: tuple[int, ...]
    """The seats that count: those of the group "subject"."""
    faults: tuple[Fault, ...] = ()
    seconds: tuple[float, ...] = ()
    """The time that each seat took over its answers."""
    cpu: float = math.nan
    """Processor time of the subject, all seats together; nan where it cannot be told."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """Further measures by name: messages sent, and what the environment tells of itself."""

    @property
    def mean_reward(self) -> float:
        """The average reward per subject and iteration: Definition 2 of Chmait et al. (2016)."""
        total = 0.0
        count = 0
        for seat in self.scored:
            total += self.rewards[seat]
            count += self.interactions[seat]
        return total / count if count else 0.0


def measure_of(assessment: Any, world: World) -> str:
    """The complexity that an assessment asks for: the one it names, or the world's first; "" where there is none."""
    named: str | None = getattr(assessment, "measure", None)
    return next(iter(world.measures), "") if named is None else named


class Assessment(Protocol):
    """A protocol that chooses environments and turns rewards into a score, fixed or adaptive."""

    @property
    def sittings(self) -> int:
        """How many independent sittings a subject has; its score is their mean."""

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Ask for episodes one after another; return the score of the sitting."""
