"""A whole compiled world, as its author writes it: arms that pay or not, and a subject that learns which pays most.

``python -m tests.core.bandit`` prints what its sittings and plans yield.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.keys import Key
from mensura.agent.spaces import Box, Discrete, Record
from mensura.agent.task import Seat, Task
from mensura.core.compiled import below, draw, plain, rule, unit
from mensura.core.doors import Minds, Rules, doors_of
from mensura.core.row_environment import Allowed, RowEnvironment

# The rules: a row of memory is a head, then the parts by seat.
SEATS, HORIZON, TIME, KEY = range(4)
HEAD = 4


class Row(NamedTuple):
    head: np.ndarray
    key: np.ndarray
    chance: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    obs: np.ndarray


@rule
def open_row(w: Any) -> Any:
    n, o = w[SEATS], HEAD + 2
    chance = w[HEAD:o].view(np.float64)
    obs = w[o + 2 * n : o + 4 * n].view(np.float64).reshape((n, 2))
    rewards = w[o + n : o + 2 * n].view(np.float64)
    return Row(w[:HEAD], w[KEY:HEAD].view(np.uint64), chance, w[o : o + n], rewards, obs)


@rule
def horizon(r: Any) -> Any:
    return r.head[HORIZON]


@rule
def start(r: Any, drawn: Any, i: Any, key: Any, anew: Any) -> None:
    r.head[TIME], r.key[0] = 0, key
    r.chance[0], r.chance[1] = drawn[i, 0], drawn[i, 1]
    for j in range(r.reward.size):
        r.reward[j], r.action[j] = 0.0, 0


@rule
def observe(r: Any, j: Any) -> None:
    r.obs[j, 0], r.obs[j, 1] = r.head[TIME], r.action[j]


@rule
def advance(r: Any) -> None:
    r.head[TIME] += 1
    for j in range(r.reward.size):
        pays = unit(draw(r.key[0], r.head[TIME], j)) < r.chance[r.action[j]]
        r.reward[j] = 1.0 if pays else -0.1


@rule
def conclude(r: Any, out: Any) -> None:
    out[0] = r.head[TIME]


# The minds: of each seat the key, how often it tried each arm, and what it got there. The last number is all seats'.
TRIED, GOT, MIND = 1, 3, 5


class Memory(NamedTuple):
    whole: np.ndarray
    real: np.ndarray
    key: np.ndarray


@rule
def open_minds(w: Any) -> Any:
    return Memory(w, w.view(np.float64), w.view(np.uint64))


@rule
def sit(mind: Any, j: Any, r: Any, interactions: Any) -> None:
    for i in range(j * MIND, (j + 1) * MIND):
        mind.whole[i] = 0


@rule
def begin(mind: Any, j: Any, key: Any, learning: Any) -> None:
    mind.key[j * MIND] = key
    mind.whole[-1] = learning


@rule
def learn(mind: Any, j: Any, arm: Any, reward: Any) -> None:
    mind.whole[j * MIND + TRIED + arm] += 1
    mind.real[j * MIND + GOT + arm] += reward


@rule
def act(mind: Any, j: Any, o: Any, reward: Any) -> Any:
    at, t = j * MIND, int(o[0])
    if t > 0:
        learn(mind, j, int(o[1]), reward)
    z = draw(mind.key[at], t, 0)
    left, right = mind.whole[at + TRIED], mind.whole[at + TRIED + 1]
    if left == 0 or right == 0 or (mind.whole[-1] == 1 and unit(z) < 0.3):
        return below(draw(mind.key[at], t, 1), 2)
    return 1 if mind.real[at + GOT + 1] / right > mind.real[at + GOT] / left else 0


@rule
def finish(mind: Any, j: Any, o: Any, reward: Any) -> None:
    learn(mind, j, int(o[1]), reward)


DOORS = doors_of(
    Rules(open_row, horizon, start, observe, advance, conclude),
    Minds(open_minds, begin, act, finish=finish, sit=sit),
)


# For Python: the environment, and a mind as an agent.
@dataclass(frozen=True)
class Description:
    chances: tuple[float, float]
    seats: int = 3
    horizon: int = 6


def make_row(description: Description) -> np.ndarray:
    row = np.zeros(HEAD + 2 + 4 * description.seats, np.int64)
    row[SEATS], row[HORIZON] = description.seats, description.horizon
    return row


def make_memory(seats: int) -> np.ndarray:
    return np.zeros(seats * MIND + 1, np.int64)


class Bandit(RowEnvironment):
    def __init__(self, description: Description) -> None:
        seats = tuple(Seat(j, "subject") for j in range(description.seats))
        space = Record((("iteration", Box(0, description.horizon)), ("arm", Box(0, 1))))
        row = make_row(description)
        spaces = space, space.dtype, Discrete(2)
        super().__init__(
            description, seats, spaces, row, plain(open_row)(row), TIME, DOORS.steps.step
        )

    def _start(self, key: Key) -> None:
        DOORS.steps.reset(self.row, np.array([self.description.chances]), np.uint64(key))

    def _opened(self, row: np.ndarray) -> Any:
        return plain(open_row)(row)

    def _allowed(self, parts: Any) -> Iterator[Allowed]:
        yield parts.head[TIME], 0, self.horizon
        yield parts.action, 0, 1

    @property
    def iteration(self) -> int:
        return int(self.row[TIME])

    def default(self, seat: int) -> int:
        return 0

    def measures(self) -> dict[str, float]:
        out = np.zeros(1)
        DOORS.steps.conclude(self.row, out)
        return {"time": float(out[0])}


class Learner:
    def __init__(self, memory: np.ndarray, seat: int) -> None:
        self.memory, self.seat = memory, seat

    def begin_with_key(self, task: Task, key: Key) -> None:
        DOORS.minds.begin(self.memory, self.seat, np.uint64(key), int(task.learning))

    def act(self, observation: np.void, reward: float) -> int:
        return int(DOORS.minds.act(self.memory, self.seat, np.frombuffer(observation), reward))

    def end(self, observation: np.void, reward: float, terminated: bool) -> None:
        DOORS.minds.finish(self.memory, self.seat, np.frombuffer(observation), reward)


CHANCES = np.array([[0.2, 0.8], [0.9, 0.4], [0.5, 0.5]])
RESETS, SEEDS = np.arange(3, dtype=np.uint64), np.arange(10, 13, dtype=np.uint64)
TRAINING = 2
SLOTS = (4, 15)


def sittings(keep_training: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Rewards of each sitting, episode and seat, and how long each episode was, through the second door."""
    one = Description((0.0, 0.0))
    out = np.zeros((3, TRAINING + 1 if keep_training else 1, one.seats))
    told = np.zeros((*out.shape[:2], 1))
    memory = make_memory(one.seats)
    DOORS.play(make_row(one), memory, CHANCES, RESETS, SEEDS, TRAINING, 0, 0, out, told)
    return out, told


def plans() -> tuple[np.ndarray, np.ndarray]:
    """Rewards of each plan and seat by minds that go on, and what they know in the end."""
    environments = [Bandit(Description(tuple(chances))) for chances in CHANCES.tolist()]
    memory, nothing = make_memory(3), np.zeros((0, 1, 0))
    rewards = []
    for i, environment in enumerate(environments):
        for learning, slot in enumerate(SLOTS):
            out = np.zeros((1, 1, 3))
            keys = RESETS[i : i + 1], SEEDS[i : i + 1]
            row, drawn = environment.row, CHANCES[i : i + 1]
            DOORS.play(row, memory, drawn, *keys, 0, slot, learning, out, nothing)
            rewards.append(out[0, 0])
    return np.array(rewards), memory


if __name__ == "__main__":
    sys.stdout.write(" ".join(part.tobytes().hex() for part in (*sittings(), *plans())))
