"""The contract between worlds, environments, subjects and assessments.

::

    turn = environment.reset(key)
    while turn.ended is None:
        actions = [agents[seat].act(o, r) for seat, o, r in zip(*turn[:3])]
        turn = environment.step(actions, seconds)

Everything else in Mensura is built on these few types. What a subject is told stands in
:class:`mensura.agent.task.Task`, and the base of agents in :mod:`mensura.agent.base`; a subject is
never told a key or a description, from which it could rebuild its environment. What worlds, environments and
assessments may have beside this, and what holds where they do not, is in :mod:`mensura.core.abilities`.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import Space
from mensura.agent.task import Seat

Ended: TypeAlias = Literal["terminated", "truncated"]


class Turn(NamedTuple):
    """What an environment says after reset and after each step."""

    due: tuple[int, ...]
    """The seats that act now; at the end, all."""
    observations: Sequence[Any] | npt.NDArray[Any]
    """In the order of due."""
    rewards: Sequence[float]
    """In the order of due, each since that seat's last turn."""
    ended: Ended | None = None
    told: Sequence[float] | None = None
    """What the seats are told in the place of their rewards, which count; None: the rewards themselves."""

    @property
    def shown_rewards(self) -> Sequence[float]:
        """The rewards as the seats are told of them."""
        return self.rewards if self.told is None else self.told


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
        """The whole state of the episode as data, JSON or numbers: whoever reads it runs no code."""

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot of an environment with the same description: the turn of that moment again."""


@dataclass(frozen=True)
class Measure:
    """A complexity that a world can tell of its environments."""

    name: str
    explanation: str
    unit: str = ""
    scope: str = ""
    """What of an environment it counts, where that is not all of it; told beside its values."""


class World(Protocol):
    """A class of environments."""

    @property
    def id(self) -> str:
        """Its name with the version of its rules: "lambda-star-v2"."""

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Its complexities by name; may be empty."""

    @property
    def promises(self) -> frozenset[str]:
        """What assessments may rely on: "bounded" rewards in [-1, 1], "balanced", ..."""

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Description:
        """Draw an environment, its named complexity within [low, high] where that is wanted."""

    def build(self, description: Any) -> Environment:
        """The environment of a description of its own."""

    def complexity(self, description: Any, measure: str) -> float:
        """How complex a described environment is."""


@dataclass(frozen=True)
class Start:
    """A checkpoint: the state of another episode in which one begins."""

    digest: str
    """What it is known by: that of its snapshot (:func:`mensura.records.pools.digest_of`)."""
    state: bytes = field(repr=False, compare=False)
    """The snapshot, of an environment with the same description."""


@dataclass(frozen=True)
class Plan:
    """One episode that an assessment wants played."""

    description: Description
    key: Key
    """The key of the environment's reset."""
    learning: bool = False
    environment: Key | None = None
    """The key that the description was sampled with; None for one made by hand, which records then hold."""
    interactions: int | None = None
    """The slot in virtual time: the episode is over after so many interactions. The subject is not told."""
    seconds: float | None = None
    """The slot in physical time: an answer that comes later than so long after the start is not played."""
    fresh: bool = False
    """Whether the subject sits down anew before this episode; else it goes on with what it knows."""
    diminishing: bool = False
    """Whether the average reward with diminishing history (Definition 16) is wanted, as a measure of the episode."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """What the assessment tells of the episode, by name; kept with what the episode tells itself."""
    start: Start | None = None
    """The checkpoint that it begins in, after the reset; rewards before it do not count. A slot is then the most that
    it has: where the environment ends, so does the episode."""

    def __post_init__(self) -> None:
        """Raise if a slot is empty, or in two units."""
        if self.interactions is not None and self.seconds is not None:
            raise MensuraError("A slot is in interactions or in seconds, not in both.")
        if self.interactions is not None and self.interactions < 1:
            raise MensuraError(
                f"A slot of {self.interactions} interactions is empty; 1 is the least."
            )
        if self.seconds is not None and not 0.0 < self.seconds < math.inf:
            raise MensuraError(f"A slot of {self.seconds} seconds is none; it is a number above 0.")

    @property
    def slot(self) -> float | None:
        """How long the slot is, in interactions or in seconds; None where the environment ends by itself."""
        return self.seconds if self.interactions is None else float(self.interactions)


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
    defaults: tuple[int, ...] = ()
    """How many of its actions each seat did not choose: the environment's default was played; empty where none was."""
    asked: int = 0
    """How many answers were asked of all seats: to act, to tell, and what failed at a beginning or an end, where
    nothing has to be answered; none where it was compiled."""
    seconds: tuple[float, ...] = ()
    """The time that each seat took over its answers."""
    cpu: float = math.nan
    """Processor time of the subject, all seats together; nan where it cannot be told."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """Further measures by name: messages sent, and what the environment tells of itself."""
    slot: float | None = None
    """How long the slot of the episode was, where it had one: in interactions, or in seconds of physical time."""
    elapsed: float = 0.0
    """When the last interaction that counts was made, in a slot: since the start, in the unit of the slot."""

    @property
    def mean_reward(self) -> float:
        """The average reward per subject and iteration: Definition 2 of Chmait et al. (2016)."""
        total = 0.0
        count = 0
        for seat in self.scored:
            total += self.rewards[seat]
            count += self.interactions[seat]
        return total / count if count else 0.0

    @property
    def diminished_reward(self) -> float:
        """The average reward with diminishing history, where the plan asked for it; else the plain average."""
        return self.measures.get(DIMINISHED, self.mean_reward)


DIMINISHED = "diminished"
"""The measure of an episode under which Definition 16 is kept."""


def counted_interactions(interactions: int, elapsed: float, slot: float) -> int:
    """The n* of Definition 16 of Hernandez-Orallo and Dowe (2010): how many interactions of a slot count.

    All where the last was made as the slot ended; the fewer, the earlier the subject stopped.
    """
    return min(interactions, math.floor(interactions * (elapsed / slot)))


class Stopped(Exception):
    """Thrown into a sitting that is stopped early.

    An assessment that can be stopped at any moment catches it and returns its score so far; from any other it comes
    back, and the sitting has no score.
    """


class Assessment(Protocol):
    """A protocol that chooses environments and turns rewards into a score, fixed or adaptive."""

    @property
    def sittings(self) -> int:
        """How many independent sittings a subject has; its score is their mean."""

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Ask for episodes one after another; return the score of the sitting."""
