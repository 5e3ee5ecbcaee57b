"""A toy world for tests: two controllers with different clocks share one lever."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, below, draw
from mensura.agent.spaces import Box, Discrete
from mensura.agent.task import Seat
from mensura.core.contract import Measure, Turn

PUSH = Discrete(3, start=-1)
SEEN = Box(-100, 100)


@dataclass(frozen=True)
class RelayDescription:
    """The lever starts at 0 and should be at goal; seat i acts every periods[i] ticks."""

    goal: int
    periods: tuple[int, int] = (2, 3)
    horizon: int = 12

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Relay:
    """An asynchronous environment: an action takes effect after the seconds that its subject took.

    Due are the seats whose period divides the tick; each gets the rewards since its last turn, -|lever - goal| / 100
    a tick.
    """

    description: RelayDescription
    time: int = 0
    lever: int = 0
    coming: list[tuple[float, int]] = field(default_factory=list)
    owed: list[float] = field(default_factory=lambda: [0.0, 0.0])

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (Seat(0), Seat(1))

    @property
    def horizon(self) -> int | None:
        return None

    def spaces(self, seat: int) -> tuple[Box, Discrete]:
        return SEEN, PUSH

    def reset(self, key: Key) -> Turn:
        self.time, self.lever, self.coming, self.owed = 0, 0, [], [0.0, 0.0]
        return self._turn()

    def _due(self) -> tuple[int, ...]:
        periods = self.description.periods
        return tuple(seat for seat in (0, 1) if self.time % periods[seat] == 0)

    def _turn(self) -> Turn:
        over = self.time >= self.description.horizon
        due = (0, 1) if over else self._due()
        rewards = [self.owed[seat] for seat in due]
        return Turn(due, [float(self.lever)] * len(due), rewards, "truncated" if over else None)

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        for seat in self._due():
            self.owed[seat] = 0.0
        for action, took in zip(actions, seconds, strict=True):
            self.coming.append((self.time + took, int(action)))
        while True:
            self.time += 1
            self.lever += sum(push for when, push in self.coming if when <= self.time)
            self.coming = [(when, push) for when, push in self.coming if when > self.time]
            for seat in (0, 1):
                self.owed[seat] -= abs(self.lever - self.description.goal) / 100
            if self.time >= self.description.horizon or self._due():
                return self._turn()

    def legal(self, seat: int, action: Any) -> bool:
        return PUSH.contains(action)

    def default(self, seat: int) -> int:
        return 0

    def snapshot(self) -> bytes:
        return json.dumps([self.time, self.lever, self.coming, self.owed]).encode()

    def restore(self, state: bytes) -> Turn:
        try:
            self.time, self.lever, coming, self.owed = json.loads(state)
        except ValueError:
            raise MensuraError("This is no snapshot.") from None
        self.coming = [(when, push) for when, push in coming]
        return self._turn()


class RelayWorld:
    """All relays; the distance of the goal is their complexity."""

    id = "relay-v0"
    content = "generated afresh"
    measures: ClassVar[dict[str, Measure]] = {
        "distance": Measure("distance", "how far the goal is from the start")
    }
    promises: frozenset[str] = frozenset()
    subjects = 2

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> RelayDescription:
        low, high = (1, 5) if within is None else (int(within[1]), int(within[2]))
        return RelayDescription(low + below(draw(key, 0, 0), high - low + 1))

    def build(self, description: RelayDescription) -> Relay:
        return Relay(description)

    def complexity(self, description: RelayDescription, measure: str) -> float:
        return description.goal
