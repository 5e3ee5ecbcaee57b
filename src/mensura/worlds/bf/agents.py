"""The subjects of AIQ by name, with the parameters that were published for them.

Each is a :class:`Group` of one mind. Seated by :meth:`Group.sit` it plays through the one loop like anybody else; the
second door plays the same mind compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.keys import Key
from mensura.agent.memory import OTHER_MIND, Damage, damaged_bytes, sealed, unsealed
from mensura.agent.spaces import Discrete, Record
from mensura.agent.task import Task
from mensura.core.doors import Doors
from mensura.core.group import Kind, Member, Members, Range, make_member
from mensura.worlds.bf.kernels import aixi, minds

_PUBLISHED = {"epsilon": 0.02, "gamma": 0.8, "lambda": 0.5, "alpha": 0.5, "q0": 0.0}

KINDS: dict[str, Kind] = {
    "random": Kind(minds.RANDOM, "any of its actions, drawn evenly"),
    "freq": Kind(
        minds.FREQ, "the action that brought most on average, whatever it sees", {"epsilon": 0.09}
    ),
    "q-lambda": Kind(
        minds.Q_LAMBDA, "Q-learning with traces; lambda=0 is the one without", _PUBLISHED
    ),
    "hlq-lambda": Kind(
        minds.HLQ_LAMBDA,
        "Q-learning whose rate follows from counts of visits (Hutter and Legg, 2007)",
        {"epsilon": 0.02, "gamma": 0.7, "lambda": 0.99, "q0": 0.0},
    ),
    "mc-aixi": Kind(
        minds.MC_AIXI,
        "learns a model by context-tree weighting and searches in it (Veness and others, 2011)",
        {"simulations": 100, "depth": 32, "horizon": 3, "nodes": 1 << 20, "epsilon": 0.0},
    ),
}
"""With what was published for 10,000 interactions."""

RANGES = {
    "epsilon": Range(0.0, 1.0),
    "gamma": Range(0.0, 0.999999),
    "lambda": Range(0.0, 1.0),
    "alpha": Range(0.0, 1.0),
    "q0": Range(-1e6, 1e6),
    "simulations": Range(1, 100_000, whole=True),
    "depth": Range(0, aixi.DEEPEST - 2 * aixi.FARTHEST - 1, whole=True),
    "horizon": Range(1, aixi.FARTHEST, whole=True),
    "nodes": Range(1000, 1 << 24, whole=True),
}

_REAL = {
    minds.EPSILON: "epsilon",
    minds.GAMMA: "gamma",
    minds.LAMBDA: "lambda",
    minds.ALPHA: "alpha",
    minds.Q0: "q0",
}

_WHOLE = {
    aixi.SIMULATIONS: "simulations",
    aixi.DEPTH: "depth",
    aixi.HORIZON: "horizon",
    aixi.NODES: "nodes",
}

LARGEST = 1 << 27
"""How many numbers a mind may take."""

Numbers = npt.NDArray[np.int64]


def doors_for(one: Member) -> Doors:
    """The doors to the machine and to the mind of a member."""
    return aixi.DOORS if one.code == minds.MC_AIXI else minds.DOORS


def new_mind(one: Member, symbols: int, cells: int) -> Numbers:
    """The memory of a mind that knows nothing."""
    head, size = _laid_out(one, symbols, cells)
    made = np.zeros(size, np.int64)
    made[: len(head)] = head
    (aixi if one.code == minds.MC_AIXI else minds).forget_door(made)
    return made


def mind_size(one: Member, symbols: int, cells: int) -> int:
    """How many numbers a mind takes; more than anybody has room for are refused."""
    return _laid_out(one, symbols, cells)[1]


def _laid_out(one: Member, symbols: int, cells: int) -> tuple[Numbers, int]:
    """The head of a mind, and how many numbers it takes in all."""
    searches = one.code == minds.MC_AIXI
    table = one.code in (minds.Q_LAMBDA, minds.HLQ_LAMBDA)
    head = np.zeros(aixi.HEAD if searches else minds.HEAD, np.int64)
    head[minds.KIND] = one.code
    head[minds.SYMBOLS] = symbols
    head[minds.CELLS] = cells
    states = head[minds.STATES] = symbols**cells if table else 1
    rates = head.view(np.float64)
    for place, name in ({aixi.EPSILON: "epsilon"} if searches else _REAL).items():
        rates[place] = one.rate(name)
    if searches:
        for place, name in _WHOLE.items():
            head[place] = int(one.rate(name))
        size = int(aixi.size_door(head))
    else:
        size = minds.mind_size(int(states), symbols)
    if size > LARGEST:
        raise MensuraError(
            f"The memory of {one.name} would take {size / 2**27:.1f} GiB for {symbols} symbols on {cells} cells; fewer "
            "of either would fit."
        )
    return head, size


@dataclass(frozen=True)
class Group(Members):
    """A subject of one built-in mind."""

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """Seat the mind for one sitting through the step door."""
        make = partial(_seated, self.seated(seats))
        return Agents(make(), make, memory)


def _seated(members: Sequence[Member]) -> list[SeatedMind]:
    return [SeatedMind(one) for one in members]


def make_group(parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Group:
    """A subject by its parts: one."""
    return Group(
        tuple(
            make_member("BF", KINDS, RANGES, name, parameters)
            for name, parameters, count in parts
            for _ in range(count)
        )
    )


class SeatedMind:
    """A mind behind the agent's contract."""

    def __init__(self, one: Member) -> None:
        self._member = one
        self._doors = doors_for(one).minds
        self.row = np.zeros(0, np.int64)

    def begin_with_key(self, task: Task, key: Key) -> None:
        """Get ready for an episode. What was learned is kept, unless there are other symbols: it is another world."""
        symbols, cells = sizes_of(task)
        if not len(self.row) or (self.row[minds.SYMBOLS], self.row[minds.CELLS]) != (
            symbols,
            cells,
        ):
            self.row = new_mind(self._member, symbols, cells)
        self._doors.begin(self.row, 0, np.uint64(key), int(task.learning))

    def act(self, observation: np.void, reward: float) -> int:
        """Learn, then choose."""
        return int(self._doors.act(self.row, 0, np.frombuffer(observation), reward))

    def end(self, observation: np.void, reward: float, terminated: bool) -> None:
        """What the last reward tells: the learners of AIQ do not ask, as with the authors."""
        self._doors.finish(self.row, 0, np.frombuffer(observation), reward)

    def save(self) -> bytes:
        """What it knows."""
        return sealed(self.row.tobytes())

    def load(self, known: bytes) -> None:
        """Know what was saved."""
        row = np.frombuffer(unsealed(known), np.int64).copy()
        if not len(row):
            return
        if len(row) <= minds.HEAD:
            raise MensuraError(OTHER_MIND)
        symbols, cells = row[[minds.SYMBOLS, minds.CELLS]].tolist()
        if not (2 <= symbols <= 62 and 1 <= cells <= 16):
            raise MensuraError(OTHER_MIND)
        own = new_mind(self._member, symbols, cells)
        searches = self._member.code == minds.MC_AIXI
        fixed = [minds.KIND, minds.SYMBOLS, minds.CELLS, minds.STATES]
        fixed += [*_WHOLE, aixi.EPSILON] if searches else [*_REAL]
        if len(row) != len(own) or not np.array_equal(row[fixed], own[fixed]):
            raise MensuraError(OTHER_MIND)
        self.row = row

    def damaged(self, known: bytes, damage: Damage) -> bytes:
        """What was saved, with the values and counts of a learner after some damage; a tree of MC-AIXI by its bytes."""
        row = np.frombuffer(unsealed(known), np.int64).copy()
        if not len(row):
            return known
        if self._member.code == minds.MC_AIXI:
            return damaged_bytes(known, damage)
        newborn = new_mind(self._member, *row[[minds.SYMBOLS, minds.CELLS]].tolist())
        table, fresh = (one[minds.HEAD :].view(np.float64) for one in (row, newborn))
        table[:] = damage(table, fresh)
        return sealed(row.tobytes())


def sizes_of(task: Task) -> tuple[int, int]:
    """How many symbols there are, and on how many cells they are observed."""
    space = task.observation_space
    if (
        not isinstance(task.action_space, Discrete)
        or not isinstance(space, Record)
        or list(space.boxes) != ["symbols"]
    ):
        raise MensuraError(f"{task.world} is not the world BF, whose subjects only know that.")
    return task.action_space.n, space.boxes["symbols"].size
