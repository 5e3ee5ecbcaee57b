"""A sane toy world that promises everything, to be broken in one way at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, below, draw
from mensura.agent.spaces import Box, Discrete
from mensura.agent.task import Seat
from mensura.core.contract import Measure, Turn

GUESS = Discrete(2, start=1)
LONGEST = 12


@dataclass(frozen=True)
class Secret:
    """What is to be guessed, one number after another."""

    numbers: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Secret:
        return cls(tuple(data["numbers"]))


class Guessing:
    """Two subjects guess 1 or 2; right is +1, wrong is -1. They see the time and a lucky number."""

    def __init__(self, description: Secret) -> None:
        self.description = description
        self.horizon: int | None = len(description.numbers)
        self.seats: tuple[Seat, ...] = (Seat(0), Seat(1))
        self.time, self.lucky = -1, 0.0
        self.gained = [0.0, 0.0]

    def spaces(self, seat: int) -> tuple[Any, Discrete]:
        return Box(0, LONGEST, (2,)), GUESS

    def reset(self, key: Key) -> Turn:
        self.time, self.lucky = 0, below(draw(key, 0, 0), 10) / 10
        return self.turn([0.0, 0.0])

    def turn(self, rewards: list[float]) -> Turn:
        self.gained = rewards
        over = self.time == len(self.description.numbers)
        seen = [np.array([float(self.time), self.lucky]) for _ in self.seats]
        return Turn((0, 1), seen, rewards, "terminated" if over else None)

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        if not 0 <= self.time < len(self.description.numbers):
            raise RuntimeError("reset first")
        secret = self.description.numbers[self.time]
        self.time += 1
        return self.turn([1.0 if action == secret else -1.0 for action in actions])

    def legal(self, seat: int, action: Any) -> bool:
        return GUESS.contains(action)

    def default(self, seat: int) -> int:
        return 1

    def snapshot(self) -> bytes:
        return json.dumps([self.time, self.lucky, self.gained]).encode()

    def restore(self, state: bytes) -> Turn:
        try:
            self.time, self.lucky, gained = json.loads(state)
        except ValueError:
            raise MensuraError("This is no snapshot of a guessing game.") from None
        return self.turn(gained)


class GuessingWorld:
    """All secrets; how many numbers they have is their complexity."""

    id = "guessing-v0"
    content = "generated afresh"
    measures: ClassVar[Mapping[str, Measure]] = {"length": Measure("length", "how many numbers")}
    promises: frozenset[str] = frozenset({"bounded", "balanced"})
    subjects = 2
    environment: type[Guessing] = Guessing

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Any:
        low, high = (3, 8) if within is None else (int(within[1]), int(within[2]))
        if high > LONGEST:
            raise MensuraError(f"A secret of {high} numbers is too long; at most {LONGEST}.")
        length = low + below(draw(key, 0, 0), high - low + 1)
        return Secret(tuple(1 + below(draw(key, 1, i), 2) for i in range(length)))

    def build(self, description: Any) -> Any:
        return self.environment(description)

    def complexity(self, description: Any, measure: str) -> float:
        return len(description.numbers)
