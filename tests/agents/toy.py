"""A small world for the tests of agents: quick to build, with rewards that follow the actions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np

from mensura.agent.keys import Key, draw, unit
from mensura.agent.spaces import Box, Discrete, Record, Space
from mensura.agent.task import Limits, Seat
from mensura.core.contract import Episode, Turn
from mensura.core.loop import play
from mensura.core.players import Player, drive

OBSERVATION = Record((("clock", Box(0.0, 1e9)), ("noise", Box(0.0, 1.0, (3,)))))
ACTION = Discrete(4, start=1)


@dataclass(frozen=True)
class ToyDescription:
    horizon: int
    subjects: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Toy:
    """Every seat sees a clock and noise; action a pays a quarter of a."""

    horizon: int = 4
    subjects: int = 1
    observation: Space = OBSERVATION
    action: Space = ACTION
    key: Key = 0
    time: int = 0
    last: list[Any] = field(default_factory=list)

    @property
    def description(self) -> ToyDescription:
        return ToyDescription(self.horizon, self.subjects)

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(Seat(j) for j in range(self.subjects))

    def spaces(self, seat: int) -> tuple[Space, Space]:
        return self.observation, self.action

    def reset(self, key: Key) -> Turn:
        self.key, self.time = key, 0
        return self._turn([0.0] * self.subjects)

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        self.time += 1
        self.last = list(actions)
        return self._turn([float(np.sum(action)) / 4 for action in actions])

    def legal(self, seat: int, action: Any) -> bool:
        return self.action.contains(action)

    def default(self, seat: int) -> Any:
        return 1

    def snapshot(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> Turn:
        return self._turn([0.0] * self.subjects)

    def _turn(self, rewards: list[float]) -> Turn:
        return Turn(
            tuple(range(self.subjects)),
            [self.observe(j) for j in range(self.subjects)],
            rewards,
            "truncated" if self.time == self.horizon else None,
        )

    def observe(self, seat: int) -> Any:
        record = np.zeros((), OBSERVATION.dtype)
        record["clock"] = self.time
        record["noise"] = [unit(draw(self.key, self.time, 3 * seat + i)) for i in range(3)]
        return record[()]


def episode(
    player: Player, environment: Toy, limits: Limits | None = None, seed: Key = 3
) -> Episode:
    """One episode of the toy world."""
    return drive(
        play(environment, 2, world="toy-v0", seed=seed, speakers=player.speakers, limits=limits),
        player,
    )


def write_agent(folder: Path, code: str, name: str = "agent.py") -> str:
    """Write a file with agents; its path as it stands in an address."""
    path = folder / name
    path.write_text(dedent(code))
    return str(path)
