"""The subjects of Lambda: those of section 5.2, further learners and a planner, by name and with parameters.

Each is a :class:`Group`: one mind per seat. Seated by :meth:`Group.sit` it plays through the one loop like anybody
else; :mod:`mensura.worlds.lambda_class.kernels.rollout` plays the same minds compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents
from mensura.agent.keys import Key
from mensura.agent.memory import OTHER_MIND, Damage, sealed, unsealed
from mensura.agent.spaces import Discrete, Record
from mensura.agent.task import Task
from mensura.core.compiled import plain
from mensura.core.group import Kind, Member, Members, Range, make_member
from mensura.worlds.lambda_class.kernels import memory, minds
from mensura.worlds.lambda_class.kernels.rollout import DOORS
from mensura.worlds.lambda_class.switches import LARGEST_HORIZON, Switches

_OF_THE_THESIS = {
    "alpha": 0.05,
    "gamma": 0.35,
    "q0": 2.0,
    "offset": 1.0,
    "exploration": 0.0,
    "memory": 0.0,
    "states": 1e6,
    "training": 0.0,
}

"""Those of section 5.2. A reward has the offset added, so that it is from 0 to 2; exploration is the beta of figure
4.4; memory is how many earlier observations belong to a state (A.5); states is how many of them find room: those that
come later are not learned."""

_OURS = {**_OF_THE_THESIS, "alpha": 0.15, "memory": 1.0}
"""What learns well in the experiments of 5.4."""

KINDS: dict[str, Kind] = {
    "random": Kind(memory.RANDOM, "any of its actions, drawn evenly"),
    "follower": Kind(memory.FOLLOWER, "goes where Good is, if it can, and not where Evil is"),
    "oracle": Kind(memory.ORACLE, "knows where Good and Evil go next"),
    "q-learning": Kind(
        memory.Q_LEARNING,
        "learns values of what is on the cells, as in chapter 5 of Insa-Cabrera's thesis",
        _OF_THE_THESIS,
    ),
    "sarsa": Kind(memory.SARSA, "learns the values of its own policy", _OURS),
    "double-q": Kind(memory.DOUBLE_Q, "learns in two tables that check each other", _OURS),
    "dyna-q": Kind(
        memory.DYNA_Q,
        "learns from what it remembers, too",
        {**_OURS, "planning": 10.0},
    ),
    "planner": Kind(
        memory.PLANNER,
        "learns the map, predicts Good and Evil from their past, and looks ahead",
        {"gamma": 0.9, "lookahead": 6.0, "depth": 16.0, "states": 1e6, "training": 0.0},
    ),
}

DEMO = tuple(KINDS)
"""The subjects that a demonstration shows: all."""

_RANGES = {
    "alpha": Range(0.0, 1.0),
    "gamma": Range(0.0, 1.0),
    "q0": Range(-1e6, 1e6),
    "offset": Range(-1e6, 1e6),
    "exploration": Range(0.0, 1.0),
    "memory": Range(0, 100, whole=True),
    "states": Range(1, 1e8, whole=True),
    "planning": Range(0, 1000, whole=True),
    "lookahead": Range(1, 100, whole=True),
    "depth": Range(1, 100, whole=True),
    "training": Range(0, 1e9, whole=True),
}

_ALONE = 2
"""Where the mind of a group of one begins in its memory."""

LARGEST_MINDS = 2**31
"""How many numbers the minds of a group may take together."""

LESS_ROOM = "fewer states, fewer episodes of training or a shorter horizon"
"""What lets them take less."""


def member(name: str, parameters: Mapping[str, Any]) -> Member:
    """A mind by name; unknown names and parameters and values out of range get a sentence."""
    return make_member("Lambda", KINDS, _RANGES, name, parameters)


class Sizes(NamedTuple):
    """What a mind has to know of an environment to lay out its memory."""

    cells: int
    actions: int
    subjects: int
    objects: int
    shown: int
    """How many rewards of cells are observed: all, or none."""
    interactions: int
    """How many there will be in a sitting."""


@dataclass(frozen=True)
class Group(Members):
    """A subject of built-in minds in environments with these switches."""

    switches: Switches

    @property
    def weighs_trails(self) -> bool:
        """Whether an oracle has to see rewards: they last, or are found a step behind Good and Evil."""
        return self.switches.consumed == "before" or self.switches.division != "infinity"

    def future(self, seats: int) -> tuple[int, ...]:
        """The seats that need the right to see the future."""
        return self.seats_of(memory.ORACLE, seats)

    def rewards_seen(self, seats: int) -> tuple[int, ...]:
        """The seats that need the right to see rewards."""
        return self.future(seats) if self.weighs_trails else ()

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """Seat the minds for one sitting through the step door."""
        return Agents(self._minds(seats), partial(self._minds, seats), memory)

    def _minds(self, seats: int) -> list[SeatedMind]:
        return [SeatedMind(one, self.switches) for one in self.seated(seats)]


_WHOLE = {
    memory.STATES: "states",
    memory.MEMORY: "memory",
    memory.PLANNING: "planning",
    memory.LOOKAHEAD: "lookahead",
    memory.DEPTH: "depth",
}
_REAL = {
    memory.ALPHA: "alpha",
    memory.GAMMA: "gamma",
    memory.EXPLORATION: "exploration",
    memory.Q0: "q0",
    memory.OFFSET: "offset",
}
"""Where parameters stand in the head of a mind."""


def make_minds(
    members: Sequence[Member], switches: Switches, environments: Sequence[Sizes]
) -> npt.NDArray[np.int64]:
    """The memory of minds that know nothing, with room for each of these environments, as the doors take it."""
    heads, at = _laid_out(members, switches, environments)
    made = np.zeros(at[-1], np.int64)
    made[: len(at)] = at
    for one, first in zip(members, at.tolist(), strict=False):
        head = heads[one][0]
        made[first : first + len(head)] = head
    return made


def joined(minds: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """The memory of several minds from that of each."""
    at = len(minds) + 1 + np.cumsum([0, *map(len, minds)])
    return np.concatenate([at, *minds])


def minds_size(members: Sequence[Member], switches: Switches, environments: Sequence[Sizes]) -> int:
    """How many numbers the memory of minds has; more than anybody has room for are refused."""
    return int(_laid_out(members, switches, environments)[1][-1])


def _laid_out(
    members: Sequence[Member], switches: Switches, environments: Sequence[Sizes]
) -> tuple[dict[Member, tuple[npt.NDArray[np.int64], int]], npt.NDArray[np.int64]]:
    """The head and the size of the row of each mind, and where the rows begin and end in the memory of all."""
    sizes = tuple(dict.fromkeys(environments))
    heads = {one: _head(one, switches, sizes) for one in dict.fromkeys(members)}
    at = np.cumsum([len(members) + 1, *(heads[one][1] for one in members)])
    if at[-1] > LARGEST_MINDS:
        names = "+".join(dict.fromkeys(one.name for one in members))
        raise MensuraError(
            f"The memory of {names} would take {at[-1] / 2**27:.0f} GiB; {LESS_ROOM} would fit."
        )
    return heads, at


@lru_cache(maxsize=64)
def _head(
    one: Member, switches: Switches, environments: tuple[Sizes, ...]
) -> tuple[npt.NDArray[np.int64], int]:
    """The head of a mind and what follows it in all environments, and how many numbers its row takes.

    Learners who are tested again and again sit down with the same one, which nobody changes.
    """
    drops = _evil_drops(switches)
    head = np.zeros(memory.HEAD + len(drops), np.int64)
    after = switches.consumed == "after"
    head[memory.KIND] = one.code
    head[memory.GOOD_PAYS] = after and switches.drops_on_subject
    head[memory.BEFORE] = not after
    head[memory.ON_SUBJECT] = switches.drops_on_subject
    head[memory.EATEN] = switches.eaten
    head[memory.DROPS] = len(drops)
    for place, name in _WHOLE.items():
        head[place] = int(one.rate(name))
    numbers = head.view(np.float64)
    for place, name in _REAL.items():
        numbers[place] = one.rate(name)
    numbers[memory.DIVISION] = float(switches.division)
    numbers[memory.GAIN] = np.mean(switches.good_drops)
    numbers[memory.LOSS] = np.mean(switches.evil_drops)
    numbers[memory.HEAD :] = drops
    size = 0
    for _ in range(2):  # the first time for the slots, which all environments share
        size = max(_lay_out(head, sizes) for sizes in environments)
    head.flags.writeable = False
    return head, size


def _lay_out(head: npt.NDArray[np.int64], sizes: Sizes) -> int:
    """How much memory a mind with this head takes in an environment."""
    head[memory.CELLS] = sizes.cells
    head[memory.ACTIONS] = sizes.actions
    head[memory.SUBJECTS] = sizes.subjects
    head[memory.OBJECTS] = sizes.objects
    head[memory.SHOWN] = sizes.shown
    head[memory.INTERACTIONS] = sizes.interactions
    return int(plain(memory.settle)(head))


def _evil_drops(switches: Switches) -> tuple[float, ...]:
    """What Evil will have dropped after the first interaction, the second and so on; the mean where nobody knows."""
    drops = switches.evil_drops
    if isinstance(switches.junk, str):
        return (float(np.mean(drops)),)
    first = (switches.junk + 1) % len(drops)
    return drops[first:] + drops[:first]


class SeatedMind:
    """The mind of one seat behind the agent's contract."""

    def __init__(self, one: Member, switches: Switches) -> None:
        self._member = one
        self._switches = switches
        self._sizes: Sizes | None = None
        self._memory = np.zeros(_ALONE, np.int64)

    def begin_with_key(self, task: Task, key: Key) -> None:
        """Get ready for an episode. What was learned is kept, unless the environment has other sizes: it is another."""
        seen = sizes_of(task)
        if self._sizes is None or self._sizes[:-1] != seen[:-1]:
            self._sizes, self._memory = seen, self._new_memory(seen)
        else:
            played = self._sizes.interactions + seen.interactions
            self._sizes = seen._replace(interactions=played)
            if played > self.row[memory.INTERACTIONS]:
                larger = self._new_memory(seen._replace(interactions=2 * played))
                minds.move_door(self.row, larger[_ALONE:])
                self._memory = larger
        DOORS.minds.begin(self._memory, 0, np.uint64(key), int(task.learning))

    @property
    def row(self) -> npt.NDArray[np.int64]:
        """The memory of this mind."""
        return self._memory[_ALONE:]

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """The same as that of a group of one, for the doors."""
        return self._memory

    def _new_memory(self, sizes: Sizes) -> npt.NDArray[np.int64]:
        made = make_minds([self._member], self._switches, [sizes])
        minds.sit_door(made[_ALONE:], *sizes)
        return made

    def save(self) -> bytes:
        """What it knows of environments of its present sizes, and which those are."""
        return sealed(np.array(self._sizes or (), np.int64).tobytes() + self.row.tobytes())

    def load(self, known: bytes) -> None:
        """Know what was saved."""
        numbers = np.frombuffer(unsealed(known), np.int64)
        if not len(numbers):
            return
        sizes = Sizes(*numbers[: len(Sizes._fields)].tolist())
        row = numbers[len(sizes) :]
        made = self._new_memory(sizes._replace(interactions=int(row[memory.INTERACTIONS])))
        own = made[_ALONE:]
        changing = [memory.KEY, memory.USED, memory.PAIRS, memory.LAST, memory.LAST_ACTION]
        fixed = np.delete(np.arange(memory.HEAD), changing)
        if len(row) != len(own) or not np.array_equal(row[fixed], own[fixed]):
            raise MensuraError(OTHER_MIND)
        own[:] = row
        self._sizes, self._memory = sizes, made

    def damaged(self, known: bytes, damage: Damage) -> bytes:
        """What was saved, with the values of a learner or the counts of a planner after some damage.

        Cells that the planner would expect and that are none, it does not expect; it counts from 0 to 2^31.
        """
        numbers = np.frombuffer(unsealed(known), np.int64).copy()
        if not len(numbers):
            return known
        row = numbers[len(Sizes._fields) :]
        used, width, first = row[[memory.USED, memory.WIDTH, memory.AT_ENTRIES]].tolist()
        if not used:
            return known
        entries = row[first : first + used * width].reshape(used, width)
        if row[memory.KIND] == memory.PLANNER:
            told = damage(np.ascontiguousarray(entries[:, 1:]), np.array([-1, 0, 0]))
            most = (int(row[memory.CELLS]) + 1) ** 2
            expected = np.where((told[:, 0] >= 0) & (told[:, 0] < most), told[:, 0], -1)
            entries[:, 1] = expected
            entries[:, 2:] = told[:, 1:].clip(0, 1 << 31)
        else:
            dyna = row[memory.KIND] == memory.DYNA_Q
            last = 1 + int(row[memory.ACTIONS]) if dyna else width
            values = np.ascontiguousarray(entries[:, 1:last]).view(np.float64)
            newborn = row.view(np.float64)[memory.Q0]
            entries[:, 1:last] = damage(values, newborn).view(np.int64)
        return sealed(numbers.tobytes())

    def act(self, observation: np.void, reward: float) -> int:
        """Learn, then choose."""
        return int(DOORS.minds.act(self._memory, 0, np.frombuffer(observation), reward))

    def end(self, observation: np.void, reward: float, terminated: bool) -> None:
        """Learn from the last reward."""
        DOORS.minds.finish(self._memory, 0, np.frombuffer(observation), reward)


def sizes_of(task: Task) -> Sizes:
    """The sizes of the environment that a subject sits down to, as it is told them."""
    if not isinstance(task.observation_space, Record) or not isinstance(
        task.action_space, Discrete
    ):
        raise MensuraError(f"{task.world} is not the world Lambda, whose subjects only know that.")
    boxes = task.observation_space.boxes
    return Sizes(
        cells=int(boxes["cell"].high) + 1,
        # Those that lead somewhere: a perturbed world may have further ones, which do nothing.
        actions=boxes["ways"].size,
        subjects=boxes["subjects"].size,
        objects=boxes["objects"].size if "objects" in boxes else 0,
        shown=boxes["rewards"].size if "rewards" in boxes else 0,
        interactions=task.horizon or LARGEST_HORIZON,
    )
