"""The subjects of Lambda Star: isolated minds and collectives, by name and with parameters.

Each is a :class:`Group`: one mind per seat in one shared row of memory. Seated by :meth:`Group.sit` it plays
through the one loop like anybody else; the second door (:mod:`mensura.core.doors`) plays the same row compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.keys import Key
from mensura.agent.memory import OTHER_MIND, Damage, sealed, unsealed
from mensura.agent.task import Message, Task
from mensura.core.compiled import plain
from mensura.core.doors import MindDoors, mind_doors
from mensura.core.group import Kind, Member, Members, make_member
from mensura.worlds.lambda_star.games.table import GAMES
from mensura.worlds.lambda_star.torus.kernels import memory, minds
from mensura.worlds.lambda_star.torus.kernels.row import LOOKS_REWARDS, MOVES_OF_ONE
from mensura.worlds.lambda_star.torus.subjects import KINDS, MARKING, RANGES

_RANGES = {
    **RANGES,
    **{name: one for game in GAMES.values() for name, one in game.subjects.ranges.items()},
}


def member(
    name: str,
    parameters: Mapping[str, Any],
    blend: bool = False,
    game: str = "search",
    kinds: Mapping[str, Kind] = KINDS,
) -> Member:
    """A mind by name; unknown names and parameters and values out of range get a sentence."""
    place = "Lambda Star" if game == "search" else f"Lambda Star under the task {game!r}"
    one = make_member(place, kinds, _RANGES, name, parameters)
    return (
        replace(one, code=minds.STIGMERGY_BLEND) if blend and one.code == minds.STIGMERGY else one
    )


LESS_ROOM = "a smaller grid (rows, cols), a shorter horizon or fewer learners (subjects)"
"""What lets the tables of a group take less."""


@dataclass(frozen=True)
class Group(Members):
    """A subject of built-in minds on one torus."""

    rows: int
    cols: int
    range: int
    horizon: int
    actions: int = MOVES_OF_ONE
    hearing: int = 0
    """How far what members tell carries; 0: everywhere."""
    overheard: bool = False
    """Whether what they tell is counted."""
    doors: MindDoors = field(
        default_factory=lambda: mind_doors(minds.COMMON_MINDS), repr=False, compare=False
    )
    """To the minds of the game."""
    radius: int = 1
    """How far Good and Evil are felt, for those who know the rules."""

    def future(self, seats: int) -> tuple[int, ...]:
        """The seats that need the right to see the future."""
        return self.seats_of(minds.ORACLE, seats)

    @property
    def guided(self) -> bool:
        """Whether somebody needs a guide in the environment."""
        return any(one.code == minds.IMITATION for one in self.members)

    def looks(self, seats: int) -> list[int]:
        """What each seat's mind looks at."""
        return [_LOOKS.get(one.code, LOOKS_REWARDS) for one in self.seated(seats)]

    def mind_size(self, seats: int) -> int:
        """How many numbers the group's row of memory has; more than anybody has room for are refused."""
        members = self.seated(seats)
        size = self._shared_size(members) + sum(self._own_size(one) for one in members)
        if size > 2**31:
            raise MensuraError(
                f"The tables of {self.name} would take {size / 2**27:.0f} GiB; "
                f"{LESS_ROOM} are needed."
            )
        return int(size)

    def _shared_size(self, members: Sequence[Member]) -> int:
        """The part of the row in which all have their places."""
        return memory.mind_size(
            len(members),
            self.rows * self.cols,
            self.range,
            _tables(members)[1],
            self.horizon,
            int(any(m.code in _MARKING for m in members)),
            self.actions,
            int(self.overheard),
        )

    def _own_size(self, one: Member) -> int:
        """The memory that a member has for itself, at the end of the row."""
        room = _ROOMS.get(one.code)
        return 0 if room is None else room(one, self.rows * self.cols, self.horizon)

    def make_mind(self, seats: int) -> npt.NDArray[np.int64]:
        """The group's row of memory, with nothing learned."""
        members = self.seated(seats)
        table, tables = _tables(members)
        fields = int(any(m.code in _MARKING for m in members))
        row = np.zeros(self.mind_size(seats), np.int64)
        row[memory.SEATS] = seats
        row[memory.ROWS] = self.rows
        row[memory.COLS] = self.cols
        row[memory.RANGE] = self.range
        row[memory.TABLES] = tables
        row[memory.HORIZON] = self.horizon
        row[memory.FIELDS] = fields
        row[memory.ACTIONS] = self.actions
        row[memory.HEARING] = self.hearing
        row[memory.OVERHEARD] = self.overheard
        parts = plain(memory.open_mind)(row)
        ranks: dict[int, list[int]] = {}
        for j, one in enumerate(members):
            peers = ranks.setdefault(one.code, [])
            parts.kind[j] = one.code
            parts.table[j] = table[j]
            parts.rank[j] = len(peers)
            peers.append(j)
            parts.rate[j, : memory.OWN_RATE] = [
                one.rate("alpha"),
                one.rate("gamma"),
                one.rate("exploration"),
                one.rate("q0"),
                one.rate("scale"),
                one.rate("gamma"),
            ]
            own = [value for _, value in one.parameters]
            parts.rate[j, memory.OWN_RATE : memory.OWN_RATE + len(own)] = own
        at = self._shared_size(members)
        for j, one in enumerate(members):
            if one.code in _ROOMS:
                parts.table[j] = at
                row[at : at + 1].view(np.float64)[0] = self.radius
                at += self._own_size(one)
        # A binary tree over the members of a protocol in the order of their seats.
        for peers in ranks.values():
            for rank, j in enumerate(peers):
                for i in range(2):
                    below = 2 * rank + 1 + i
                    parts.child[j, i] = peers[below] if below < len(peers) else -1
        return row

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """Seat the minds for one sitting through the step door."""
        return Agents(self._minds(seats), partial(self._minds, seats), memory)

    def _minds(self, seats: int) -> list[SeatedMind]:
        row = self.make_mind(seats)
        minds.forget_door(row)
        parts = plain(memory.open_mind)(row)
        return [
            (SpeakingMind if one.code in _SPEAKING else SeatedMind)(row, parts, j, self.doors)
            for j, one in enumerate(self.seated(seats))
        ]


SAID = "message_entropy"
"""The measure under which the entropy of what members tell is recorded, in bits."""

_OWN = [game.subjects for game in GAMES.values()]
_MARKING = MARKING.union(*(one.marking for one in _OWN))
_SPEAKING = minds.SPEAKING.union(*(one.speaking for one in _OWN))
_ROOMS = {code: room for one in _OWN for code, room in one.rooms.items()}
_LOOKS = {**minds.LOOKS, **{code: look for one in _OWN for code, look in one.looks.items()}}


def _tables(members: Sequence[Member]) -> tuple[list[int], int]:
    """Which table each seat learns in: an own one, or one for all that share and have the same settings."""
    shared: dict[Member, int] = {}
    table = []
    count = 0
    for one in members:
        if one.code not in minds.LEARNING_KINDS:
            table.append(0)
        elif one.shared and one in shared:
            table.append(shared[one])
        else:
            if one.shared:
                shared[one] = count
            table.append(count)
            count += 1
    return table, count


class SeatedMind:
    """The mind of one seat behind the agent's contract."""

    def __init__(self, row: npt.NDArray[np.int64], parts: Any, seat: int, doors: MindDoors) -> None:
        self._row = row
        self._doors = doors
        self._parts = parts
        self._seat = seat

    @property
    def row(self) -> npt.NDArray[np.int64]:
        """The memory of the whole group, for the second door."""
        return self._row

    @property
    def kinds(self) -> list[int]:
        """The codes of all members of the group."""
        found: list[int] = self._parts.kind.tolist()
        return found

    def begin_with_key(self, task: Task, key: Key) -> None:
        """The first seat clears what the group remembered of the last episode."""
        if self._seat == 0:
            self._doors.begin(self._row, 0, np.uint64(key), int(task.learning))
        self._parts.key[self._seat] = key

    def save(self) -> bytes | None:
        """What the group has learned, told by its first seat; None of the others."""
        return sealed(self._parts.q.tobytes()) if self._seat == 0 else None

    def load(self, memory: bytes) -> None:
        """Know what was saved."""
        table = np.frombuffer(unsealed(memory), np.float32)
        if table.size != self._parts.q.size:
            raise MensuraError(OTHER_MIND)
        self._parts.q[...] = table.reshape(self._parts.q.shape)

    def damaged(self, known: bytes, damage: Damage) -> bytes:
        """What was saved, with the tables of the group after some damage."""
        table = np.frombuffer(unsealed(known), np.float32).reshape(self._parts.q.shape)
        newborn = np.zeros_like(table)
        states = len(table) // max(1, int(self._parts.head[memory.TABLES]))
        for seat, kind in enumerate(self._parts.kind):
            if kind in minds.LEARNING_KINDS:
                first = int(self._parts.table[seat]) * states
                newborn[first : first + states] = self._parts.rate[seat, memory.Q0]
        return sealed(damage(table, newborn).tobytes())

    def act(self, observation: np.void, reward: float) -> int:
        """Learn, then choose."""
        return int(self._doors.act(self._row, self._seat, np.frombuffer(observation), reward))

    def agent_metrics(self) -> dict[str, float]:
        """The entropy of what the group told in the last episode, said by its first seat, where that is counted."""
        if self._seat or not self._parts.said.size:
            return {}
        return {SAID: float(minds.said_door(self._row))}

    def end(self, observation: np.void, reward: float, terminated: bool) -> None:
        """Learn from the last reward."""
        self._doors.finish(self._row, self._seat, np.frombuffer(observation), reward)


class SpeakingMind(SeatedMind):
    """A member of a protocol: it speaks through the shared memory, and says aloud what it goes for."""

    def tell(self, observation: np.void, reward: float) -> Message:
        """Tell the protocol; others hear the best reward in sight."""
        self._doors.tell(self._row, self._seat, np.frombuffer(observation))
        return {"best": float(observation["rewards"].max())}
