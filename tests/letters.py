"""A toy world for tests whose seats differ in what they see and do: one writes texts, the other reads letters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, below, draw
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text, default
from mensura.agent.task import Seat
from mensura.core.contract import Measure, Turn

SHOWN = Record((("number", Discrete(4, 1)), ("screen", Box(0, 255, (2, 3), "uint8"))))
WORDS = Text(30)
LETTER = Record((("from", Discrete(2)), ("words", WORDS), ("age", Box(0.0, 9.0))))
INBOX = Several(LETTER, 3)
SURE = Record((("low", Box(0.0, 1.0)), ("high", Box(0.0, 1.0, (2,)))))
GUESS = Record(
    (("guess", Several(Discrete(4, 1), 2)), ("because", Text(9, "abc ")), ("sure", SURE))
)

WRITES: tuple[Space, Space] = (SHOWN, WORDS)
READS: tuple[Space, Space] = (INBOX, GUESS)


@dataclass(frozen=True)
class LettersDescription:
    """The first number, and whether the reader has seat 0."""

    first: int
    horizon: int
    swapped: bool

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Letters:
    """The writer sees a number and tells it in words; the reader has the last letters and guesses the number."""

    def __init__(self, description: LettersDescription) -> None:
        self.description = description
        self.horizon = description.horizon
        self.seats = (Seat(0), Seat(1))
        self.writer, self.reader = (1, 0) if description.swapped else (0, 1)
        self.time, self.key, self.letters = 0, 0, list[str]()

    def spaces(self, seat: int) -> tuple[Space, Space]:
        return READS if seat == self.reader else WRITES

    def reset(self, key: Key) -> Turn:
        self.time, self.key, self.letters = 0, key, []
        return self._turn(0.0)

    def number(self, time: int) -> int:
        return 1 + below(draw(self.key, time, self.description.first), 4)

    def _turn(self, reward: float) -> Turn:
        screen = np.full((2, 3), 50 * self.number(self.time), np.uint8)
        letters = [
            {"from": self.writer, "words": words, "age": np.asarray(float(age))}
            for age, words in enumerate(self.letters[-3:])
        ]
        seen: list[Any] = [{"number": self.number(self.time), "screen": screen}, letters]
        if self.writer:
            seen.reverse()
        return Turn((0, 1), seen, [reward] * 2, "truncated" if self.time == self.horizon else None)

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        if self.time == self.horizon:
            raise RuntimeError("reset first")
        words, answer = actions[self.writer], actions[self.reader]
        right = self.time > 0 and answer["guess"] == [self.number(self.time - 1)]
        self.time += 1
        self.letters.append(str(words))
        return self._turn(float(right) * float(answer["sure"]["low"]))

    def legal(self, seat: int, action: Any) -> bool:
        return self.spaces(seat)[1].contains(action)

    def default(self, seat: int) -> Any:
        return default(self.spaces(seat)[1])

    def snapshot(self) -> bytes:
        return json.dumps([self.time, self.key, self.letters]).encode()

    def restore(self, state: bytes) -> Any:
        try:
            self.time, self.key, self.letters = json.loads(state)
        except ValueError:
            raise MensuraError("This is no snapshot.") from None
        return self._turn(0.0)


@dataclass(frozen=True)
class LettersWorld:
    horizon: int = 5
    swapped: bool = False

    id: ClassVar[str] = "letters-v0"
    content: ClassVar[str] = "generated afresh"
    measures: ClassVar[Mapping[str, Measure]] = {"first": Measure("first", "the first number")}
    promises: ClassVar[frozenset[str]] = frozenset({"bounded"})
    subjects: ClassVar[int] = 2

    def sample(
        self, key: Key, within: tuple[str, float, float] | None = None
    ) -> LettersDescription:
        low, high = (1, 5) if within is None else (int(within[1]), int(within[2]))
        if high > 5:
            raise MensuraError(f"No first number is within {within}.")
        first = low + below(draw(key, 0, 0), high - low + 1)
        return LettersDescription(first, self.horizon, self.swapped)

    def build(self, description: LettersDescription) -> Letters:
        return Letters(description)

    def complexity(self, description: LettersDescription, measure: str) -> float:
        return description.first


AGENT = '''
import numpy as np

NAMES = ["", "one", "two \\u00e9\\U0001F600", "three\\n\\t", '"four"']


class Speller:
    """Writes numbers as words and reads them; every value has the type that its space says."""

    def begin(self, task, rng):
        self.action_space = task.action_space
        self.writes = not hasattr(task.observation_space, "most")
        self.rng = rng

    def act(self, observation, reward):
        if self.writes:
            assert type(observation) is dict
            assert observation["screen"].dtype == np.uint8
            assert observation["screen"].shape == (2, 3)
            assert (observation["screen"] == 50 * observation["number"]).all()
            return NAMES[observation["number"]]
        assert type(observation) is list
        sure = dict(self.action_space.fields)["sure"]
        certain = np.zeros((), sure.dtype)
        certain["low"] = self.rng.random()
        certain["high"] = self.rng.random(2)
        guess = []
        if observation:
            assert type(observation[-1]) is dict
            assert observation[-1]["age"] == len(observation) - 1
            guess = [NAMES.index(observation[-1]["words"])]
        return {"guess": guess, "because": "a cab", "sure": certain[()]}
'''
"""A subject that plays it well, in a process of its own or in ours."""
