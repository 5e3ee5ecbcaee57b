"""What all learners share: their parameters, when they explore, when they forget, and how they are kept."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.agent.learners.choices import Choices
from mensura.agent.learners.data import floats_of, text_of, whole
from mensura.agent.learners.reading import Reader
from mensura.agent.memory import OTHER_MIND, Damage, sealed, unsealed
from mensura.agent.parameters import check, number
from mensura.agent.spaces import Space, space_from_json
from mensura.agent.task import Task

NOT_SAVED = "The memory is not one that a learner saved; begin anew, without it."


def learns(observation_space: Space, action_space: Space) -> bool:
    """Whether the learners can play with these spaces: the actions few or bounded, the observation not huge."""
    try:
        Choices(action_space)
        Reader(observation_space)
    except MensuraError:
        return False
    return True


@dataclass(kw_only=True, eq=False)
class Learner(ABC):
    """Learns the values of actions from rewards (temporal differences)."""

    alpha: float = number(0.3, 0.0, 1.0)
    """How far a value moves towards what was found."""
    gamma: float = number(0.8, 0.0, 1.0)
    """What a reward is worth an interaction later."""
    q0: float = number(1.0, -1e6, 1e6)
    """The value of whatever was never tried; a high one makes it try everything. A reward of 0.2 forever is worth 1."""
    epsilon: float = number(0.05, 0.0, 1.0)
    """How often an action is drawn at random, except when assessed after training."""
    bins: int = number(12, 1, 10_000)
    """Into how many bins a number is cut that has had more values than that."""
    levels: int = number(3, 2, 100)
    """How many levels a number of an action has, if actions are not discrete."""
    training: int = number(0, 0, 1_000_000)
    """How many training episodes it asks for before each assessed one."""

    name: ClassVar[str]
    plays: ClassVar[Callable[[Space, Space], bool]] = staticmethod(learns)
    """Whether it can play with an observation space and an action space."""
    table: ClassVar[str]
    """Which of its values as plain data are the table of numbers that it learns."""
    on_policy: ClassVar[bool] = False
    """Whether it learns from the action that it has chosen next, and not from the best one."""

    def __post_init__(self) -> None:
        """Raise if a parameter is out of bounds."""
        check(self, self.name)
        self._spaces: tuple[Space, Space] | None = None
        self._trained = False
        self._last: Any = None

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Get ready for an episode; what was learned is kept unless other things are seen or done."""
        spaces = task.observation_space, task.action_space
        if spaces != self._spaces:
            self._trained = False
            self._know(spaces)
        self._rng = rng
        self._reader.begin()
        self._choices.begin()
        self._trained |= task.learning
        self._explores = self.epsilon > 0.0 and (task.learning or not self._trained)
        self._left = task.horizon
        self._last = None

    def _know(self, spaces: tuple[Space, Space]) -> None:
        self._choices = Choices(spaces[1], self.levels)
        self._reader = Reader(spaces[0], self.bins, len(self._choices.held))
        self._forget()
        self._spaces = spaces

    def act(self, observation: Any, reward: float) -> Any:
        """Learn from the reward of the last action, and choose the next."""
        self._reader.read(observation, self._choices.held)
        state = self._state()
        values = self._values(state)
        choice = -1
        if self.on_policy:
            choice = self._choose(values)
        if self._last is not None:
            ahead = values[choice] if self.on_policy else max(values)
            before, done = self._last
            self._learn(before, done, reward + self.gamma * ahead)
        if not self.on_policy:
            choice = self._choose(self._values(state))
        self._last = state, choice
        if self._left is not None:
            self._left -= 1
        return self._choices.action(choice)

    def end(self, observation: Any, reward: float, terminated: bool) -> None:
        """Learn from the last reward.

        Nothing comes after an environment that came to an end of its own. If it was only its time that was over, what
        comes after is as good as it is elsewhere.
        """
        if self._last is None:
            return
        ahead = 0.0
        if not terminated or self._left == 0:
            self._reader.read(observation, self._choices.held)
            ahead = max(self._values(self._state()))
        before, done = self._last
        self._learn(before, done, reward + self.gamma * ahead)
        self._last = None

    def _choose(self, values: list[float]) -> int:
        if self._explores and self._rng.random() < self.epsilon:
            return int(self._rng.integers(len(values)))
        top = max(values)
        if values.count(top) == 1:
            return values.index(top)
        best = [i for i, value in enumerate(values) if value == top]
        return best[int(self._rng.integers(len(best)))]

    # Being kept

    def save(self) -> bytes:
        """All that it knows, between two episodes."""
        known = None
        if self._spaces is not None:
            known = {
                "spaces": [one.to_json() for one in self._spaces],
                "trained": int(self._trained),
                "reader": self._reader.to_json(),
                "values": self._to_json(),
            }
        own = {"learner": self.name, "parameters": asdict(self), "known": known}
        return sealed(json.dumps(own).encode())

    def load(self, memory: bytes) -> None:
        """Know what was saved."""
        try:
            told = json.loads(unsealed(memory))
            if (told["learner"], told["parameters"]) != (self.name, asdict(self)):
                raise MensuraError(OTHER_MIND)
            known = told["known"]
            if known is None:
                self._spaces = None
                return
            seen, played = known["spaces"]
            self._know((space_from_json(seen), space_from_json(played)))
            self._trained = bool(whole(known["trained"]))
            self._reader.from_json(known["reader"])
            self._from_json(known["values"])
        except MensuraError:
            self._spaces = None
            raise
        except MALFORMED as error:
            self._spaces = None
            raise MensuraError(NOT_SAVED) from error

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """What was saved, with its table of values after some damage."""
        told = json.loads(unsealed(memory))
        if told["known"] is not None:
            values = told["known"]["values"]
            table = np.array(floats_of(values[self.table]))
            values[self.table] = text_of(damage(table, self.newborn_value).tolist())
        return sealed(json.dumps(told).encode())

    # What the kinds of learners differ in

    @property
    @abstractmethod
    def newborn_value(self) -> float:
        """The number in its table of whatever was never learned."""

    @abstractmethod
    def _forget(self) -> None:
        """Know no values."""

    @abstractmethod
    def _state(self) -> Any:
        """What the values depend on, of the observation just read."""

    @abstractmethod
    def _values(self, state: Any) -> list[float]:
        """The value of each choice."""

    @abstractmethod
    def _learn(self, state: Any, choice: int, target: float) -> None:
        """Move the value of a choice towards a target."""

    @abstractmethod
    def _to_json(self) -> dict[str, Any]:
        """The values as plain data."""

    @abstractmethod
    def _from_json(self, data: Any) -> None:
        """Know the values that :meth:`_to_json` told; raise ValueError if they make no sense."""
