"""A synchronous toy world for the views: walkers on a line, without a quick way, a view or a clock."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, below, draw
from mensura.agent.spaces import Box, Discrete
from mensura.agent.task import Seat
from mensura.core.contract import Measure, Turn

STEP = Discrete(3, start=-1)


@dataclass(frozen=True)
class LineDescription:
    """The walkers should go to home; the last of them starts late, where lazy is not 0."""

    home: int
    walkers: int
    horizon: int
    lazy: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Line:
    """Walkers step left, right or stay; each sees (its place, home) and its place is the reward's cost."""

    def __init__(self, description: LineDescription) -> None:
        self.description = description
        self.seats = tuple(Seat(seat) for seat in range(description.walkers))
        self.horizon = description.horizon
        self.time, self.places = 0, [0] * description.walkers

    def spaces(self, seat: int) -> tuple[Box, Discrete]:
        return Box(-30, 30, (2,)), STEP

    def reset(self, key: Key) -> Turn:
        self.time = 0
        self.places = [below(draw(key, 0, seat.index), 9) - 4 for seat in self.seats]
        return self._turn()

    def _turn(self) -> Turn:
        over = self.time == self.horizon
        late = 0 < self.description.lazy <= self.time and not over
        due = tuple(seat.index for seat in (self.seats[:-1] if late else self.seats))
        home = self.description.home
        rewards = [-abs(self.places[seat] - home) / 40 if self.time else 0.0 for seat in due]
        seen = [[float(self.places[seat]), float(home)] for seat in due]
        return Turn(due, seen, rewards, "truncated" if over else None)

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        if self.time == self.horizon:
            raise RuntimeError("reset first")
        self.time += 1
        for seat, action in enumerate(actions):
            self.places[seat] += action
        return self._turn()

    def legal(self, seat: int, action: Any) -> bool:
        """A walker does not go beyond 6."""
        return STEP.contains(action) and abs(self.places[seat] + int(action)) <= 6

    def default(self, seat: int) -> int:
        return 0

    def snapshot(self) -> bytes:
        return json.dumps([self.time, self.places]).encode()

    def restore(self, state: bytes) -> Turn:
        try:
            self.time, self.places = json.loads(state)
        except ValueError:
            raise MensuraError("This is no snapshot.") from None
        return self._turn()


@dataclass(frozen=True)
class LineWorld:
    walkers: int = 2
    horizon: int = 8
    lazy: int = 0

    id: ClassVar[str] = "line-v3"
    content: ClassVar[str] = "generated afresh"
    measures: ClassVar[Mapping[str, Measure]] = {"far": Measure("far", "how far home is")}
    promises: ClassVar[frozenset[str]] = frozenset({"bounded"})

    @property
    def subjects(self) -> int:
        return self.walkers

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> LineDescription:
        low, high = (1, 5) if within is None else (int(within[1]), int(within[2]))
        home = low + below(draw(key, 0, 0), high - low + 1)
        return LineDescription(home, self.walkers, self.horizon, self.lazy)

    def build(self, description: LineDescription) -> Line:
        return Line(description)

    def complexity(self, description: LineDescription, measure: str) -> float:
        return description.home


class ShyLineWorld(LineWorld):
    """Walkers who may go everywhere, since PettingZoo's check knows of no illegal actions."""

    def build(self, description: Any) -> Any:
        line = super().build(description)
        line.legal = lambda seat, action: action in (-1, 0, 1)  # type: ignore[method-assign]
        return line
