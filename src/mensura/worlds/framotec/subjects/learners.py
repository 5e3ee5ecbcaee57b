"""Subjects that learn what to do in a task: SARSA with a table, as in 6.1 of the paper, and with tile coding.

They know nothing of the task but the bounds of what they observe. The paper tells neither rates nor discretisation nor
what becomes of values that were never learned; these choices are ours.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.memory import Damage
from mensura.agent.spaces import Box, Discrete, Record, space_from_json
from mensura.agent.task import Task
from mensura.core.group import Member
from mensura.worlds.framotec.play.description import FARTHEST, LEVELS

UNSENSED = ("time", "energy")
"""What is observed beside the sensors and is no part of the state (6.1)."""


class Senses:
    """What a learner takes from an observation: all readings, and the velocity where it sees one.

    A reading with bounds is a share of them, times a number of bins. What has no bounds, as a velocity, is drawn
    together by the inverse hyperbolic sine: even near 0, and coarser the farther away.
    """

    def __init__(self, space: Record, bins: int, fineness: float) -> None:
        names = list(space.boxes)
        self._own = [i for i, name in enumerate(names) if name not in UNSENSED]
        boxes = [space.boxes[names[i]] for i in self._own]
        self._low = [box.low for box in boxes]
        self._scale = [
            bins / (box.high - box.low) if max(-box.low, box.high) < FARTHEST else 0.0
            for box in boxes
        ]
        self._fineness = fineness

    def __call__(self, observation: np.void) -> list[float]:
        """The state before it is cut into bins."""
        row = np.frombuffer(observation).tolist()
        return [
            (row[i] - low) * scale if scale else self._fineness * math.asinh(row[i])
            for i, low, scale in zip(self._own, self._low, self._scale, strict=True)
        ]


class Choices:
    """The actions of a learner: a single motor at 0, P and -P of its most, and for five levels half of these (6.1)."""

    def __init__(self, space: Box | Discrete, levels: int) -> None:
        self._discrete = isinstance(space, Discrete)
        if isinstance(space, Discrete):
            self.count = space.n
        else:
            (motors,) = space.shape
            self._levels = LEVELS["three" if levels == 3 else "five"]
            self.count = motors * len(self._levels)
            self._held = np.zeros(motors)

    def action(self, choice: int) -> Any:
        """The action of a choice; all other motors keep the power that they have."""
        if self._discrete:
            return choice
        motor, level = divmod(choice, len(self._levels))
        self._held[motor] = self._levels[level]
        return self._held.copy()


class Sarsa:
    """SARSA (Rummery and Niranjan, 1994) with a table, as in 6.1.

    The state is the tuple of all sensor readings and the velocity of one object, cut into bins.

    The action is the best one, ties drawn evenly, and with a probability of epsilon any. Values begin at ``q0``, which
    is more than a task that is under way can pay: so everything is tried where nothing is known.
    """

    def __init__(self, one: Member) -> None:
        self._alpha, self._gamma, self._epsilon = map(one.rate, ("alpha", "gamma", "epsilon"))
        self._q0 = one.rate("q0")
        self._bins, self._fineness = int(one.rate("bins")), one.rate("fineness")
        self._levels = int(one.rate("levels"))
        self._known: tuple[Any, Any] | None = None
        self._table: dict[tuple[int, ...], list[float]] = {}
        self._last: Any = None

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Get ready for an episode. What was learned is kept, unless other things are seen or done."""
        space, actions = task.observation_space, task.action_space
        if not isinstance(space, Record) or not isinstance(actions, Box | Discrete):
            raise MensuraError(
                f"{task.world} is not the world FraMoTEC, whose subjects only know that."
            )
        self._rng = rng
        self._last = None
        seen = tuple((name, box) for name, box in space.fields if name not in UNSENSED)
        if self._known != (seen, actions):
            self._know(seen, actions)
        self._senses = Senses(space, self._bins, self._fineness)
        self._choices = Choices(actions, self._levels)

    def _know(self, seen: tuple[tuple[str, Any], ...], actions: Any) -> None:
        self._known = seen, actions
        self._forget(len(seen), Choices(actions, self._levels).count)

    def save(self) -> bytes:
        """The table, and what is seen and done in it."""
        if self._known is None:
            return b"null"
        seen, actions = self._known
        known = [[[name, box.to_json()] for name, box in seen], actions.to_json()]
        return json.dumps([*known, [[at, row] for at, row in self._table.items()]]).encode()

    def load(self, memory: bytes) -> None:
        """Know what was saved."""
        told = json.loads(memory)
        if told is None:
            return
        fields, actions, rows = told
        seen = tuple((name, space_from_json(box)) for name, box in fields)
        self._know(seen, space_from_json(actions))
        self._table = {tuple(at): row for at, row in rows}

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """What was saved, with the values of its table after some damage."""
        told = json.loads(memory)
        if told is None or not told[2]:
            return memory
        table = damage(np.array([row for _, row in told[2]]), self._newborn_value)
        told[2] = [[at, row] for (at, _), row in zip(told[2], table.tolist(), strict=True)]
        return json.dumps(told).encode()

    @property
    def _newborn_value(self) -> float:
        """The value in its table of whatever was never tried."""
        return self._q0

    def act(self, observation: np.void, reward: float) -> Any:
        """Choose, then learn from the reward of the last action and the value of this one."""
        state = self._state(self._senses(observation))
        values = self._values(state)
        choice = self._choose(values)
        if self._last is not None:
            self._learn(reward + self._gamma * values[choice])
        self._last = state, choice
        return self._choices.action(choice)

    def end(self, observation: np.void, reward: float, terminated: bool) -> None:
        """Learn from the last reward; nothing comes after a task that was solved or failed."""
        if self._last is None:
            return
        ahead = 0.0
        if not terminated:
            ahead = max(self._values(self._state(self._senses(observation))))
        self._learn(reward + self._gamma * ahead)
        self._last = None

    def _choose(self, values: Sequence[float]) -> int:
        if self._epsilon and self._rng.random() < self._epsilon:
            return int(self._rng.integers(len(values)))
        top = max(values)
        best = [i for i, value in enumerate(values) if value == top]
        return best[0] if len(best) == 1 else best[int(self._rng.integers(len(best)))]

    # The table

    def _forget(self, senses: int, actions: int) -> None:
        self._new = [self._q0] * actions
        self._table = {}

    def _state(self, senses: Sequence[float]) -> Any:
        """The entry of a state, made where it is new."""
        at = tuple(map(math.floor, senses))
        found = self._table.get(at)
        if found is None:
            found = self._table[at] = self._new.copy()
        return found

    def _values(self, state: Any) -> Sequence[float]:
        entry: list[float] = state
        return entry

    def _learn(self, target: float) -> None:
        entry, choice = self._last
        entry[choice] += self._alpha * (target - entry[choice])


class TileCoding(Sarsa):
    """SARSA with tile coding (Sutton, 1996): several tables whose bins are shifted against one another.

    Each holds a share of a value, so that what is learned in one state is known nearby, too.
    """

    def __init__(self, one: Member) -> None:
        super().__init__(one)
        self._tilings = int(one.rate("tilings"))

    def _forget(self, senses: int, actions: int) -> None:
        super()._forget(senses, actions)
        self._new = [self._q0 / self._tilings] * actions
        # Shifts of the first odd numbers keep tiles of several dimensions from being alike (Miller and Glanz, 1996).
        self._shifts = [
            [(tiling * (1 + 2 * i) / self._tilings) % 1.0 for i in range(senses)]
            for tiling in range(self._tilings)
        ]

    @property
    def _newborn_value(self) -> float:
        return self._q0 / self._tilings

    def _state(self, senses: Sequence[float]) -> Any:
        """The entries of the tiles that a state is on."""
        return [self._tile(at) for at in self._tiles(senses)]

    def _tiles(self, senses: Sequence[float]) -> Iterator[tuple[int, ...]]:
        for tiling, shifts in enumerate(self._shifts):
            yield tiling, *(math.floor(x + s) for x, s in zip(senses, shifts, strict=True))

    def _tile(self, at: tuple[int, ...]) -> list[float]:
        found = self._table.get(at)
        if found is None:
            found = self._table[at] = self._new.copy()
        return found

    def _values(self, state: Any) -> Sequence[float]:
        return [sum(column) for column in zip(*state, strict=True)]

    def _learn(self, target: float) -> None:
        entries, choice = self._last
        step = self._alpha / self._tilings * (target - sum(entry[choice] for entry in entries))
        for entry in entries:
            entry[choice] += step
