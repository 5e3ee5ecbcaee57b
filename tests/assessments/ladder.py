"""A toy world of graded complexity, subjects that climb it, and a clock that they move."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.keys import Key, below, draw
from mensura.agent.spaces import Box, Discrete
from mensura.agent.task import Seat
from mensura.core.contract import Measure, Turn

CHOICE = Discrete(3, start=-1)


@dataclass(frozen=True)
class Rung:
    """An environment of a level; rungs of one level differ in number only."""

    level: int
    number: int = 0
    horizon: int = 10

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Ladder:
    """The subject sees the level, and its reward is its action: -1, 0 or 1."""

    description: Rung
    time: int = 0
    resets: list[Key] = field(default_factory=list)
    gained: float = 0.0

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (Seat(0),)

    @property
    def horizon(self) -> int | None:
        return self.description.horizon

    def spaces(self, seat: int) -> tuple[Box, Discrete]:
        return Box(0, 10_000), CHOICE

    def reset(self, key: Key) -> Turn:
        self.time = 0
        self.resets.append(key)
        self.gained = 0.0
        return self._turn()

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        self.time += 1
        self.gained = float(actions[0])
        return self._turn()

    def _turn(self) -> Turn:
        over = self.time >= self.description.horizon
        seen = [float(self.description.level)]
        return Turn((0,), seen, [self.gained], "terminated" if over else None)

    def legal(self, seat: int, action: Any) -> bool:
        return CHOICE.contains(action)

    def default(self, seat: int) -> int:
        return 0

    def snapshot(self) -> bytes:
        return json.dumps([self.time, self.gained]).encode()

    def restore(self, state: bytes) -> Turn:
        self.time, self.gained = json.loads(state)
        return self._turn()


@dataclass(frozen=True)
class LadderWorld:
    """Rungs from level ``first`` to ``top``, with so many of each level and none at the levels left out."""

    first: int = 1
    top: int = 20
    each: int = 1000
    absent: tuple[int, ...] = ()

    id: ClassVar[str] = "ladder-v0"
    measures: ClassVar[dict[str, Measure]] = {"level": Measure("level", "how high it is")}
    promises: ClassVar[frozenset[str]] = frozenset({"bounded"})
    subjects: ClassVar[int] = 1

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Rung:
        low, high = (self.first, self.top) if within is None else within[1:]
        there = range(max(self.first, math.ceil(low)), min(self.top, math.floor(high)) + 1)
        levels = [level for level in there if level not in self.absent]
        if not levels:
            raise MensuraError(f"There is no level from {low} to {high}.")
        return Rung(levels[below(draw(key, 0, 0), len(levels))], below(draw(key, 0, 1), self.each))

    def build(self, description: Rung) -> Ladder:
        return Ladder(description)

    def complexity(self, description: Rung, measure: str) -> float:
        return float(description.level)


class Climber:
    """Right up to its level, and wrong beyond."""

    def __init__(self, level: float) -> None:
        self.level = level
        self.begun = 0
        self.ended = 0

    def begin(self, task: Any, rng: Any) -> None:
        self.begun += 1

    def act(self, observation: float, reward: float) -> int:
        return 1 if observation <= self.level else -1

    def end(self, observation: float, reward: float, terminated: bool) -> None:
        self.ended += 1


class Ticking(Agents):
    """Agents with a clock that moves by so many seconds with each action, and as they move it themselves.

    It stamps its answers, as a journal does, so that the one loop goes by this clock.
    """

    def __init__(self, agents: Sequence[Any], seconds: float) -> None:
        super().__init__(agents)
        self.seconds = seconds
        self.now = 0.0

    def answer(self, asks: list[Ask]) -> list[Answer]:
        before = self.now
        answers = super().answer(asks)
        self.now += self.seconds * (asks[0].kind == "act")
        if not self.seconds:
            return answers
        return [answer._replace(seconds=self.now - before, at=self.now) for answer in answers]


@dataclass(frozen=True)
class CoinWorld(LadderWorld):
    """Environments in which nobody can do anything: rewards are 1 and -1 by the toss of a coin."""

    def build(self, description: Rung) -> Ladder:
        return Coin(Rung(description.level, description.number, 10_000))


class Coin(Ladder):
    """One of them."""

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        turn = super().step(actions, seconds)
        heads = draw(self.resets[-1], self.time, 0) & 1
        return turn._replace(rewards=[1.0 if heads else -1.0])


class Gambler:
    """Tosses coins, and waits before an action as long as its policy says, given what it has done and gained so far."""

    def __init__(self, policy: Callable[[int, float, float], float]) -> None:
        self.policy = policy
        self.clock: Ticking
        self.actions, self.gain = -1, 0.0

    def begin(self, task: Any, rng: Any) -> None:
        self.actions, self.gain, self.start = -1, 0.0, self.clock.now

    def act(self, observation: float, reward: float) -> int:
        self.actions += 1
        self.gain += reward
        mean = self.gain / self.actions if self.actions else 0.0
        self.clock.now += self.policy(self.actions, mean, self.clock.now - self.start)
        return 1


def stop_when_ahead(actions: int, mean: float, now: float) -> float:
    return 1e9 if actions and mean > 0 else 0.0
