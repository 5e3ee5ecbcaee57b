"""What all subjects of items share: an item is read, every option gets a value, and the best one is chosen.

A subject that has no idea about an item guesses, and tells so: `ideas` is the share of items about which it had one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from mensura.core.contract import Task
from mensura.core.keys import Key, below, fold
from mensura.core.spaces import Text
from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen, read_observation

TIE = 1e-9
"""Values that differ by less are equal."""


class Chooser(ABC):
    """Chooses the option that it values most, ties drawn evenly; a text is answered by what it would write."""

    def __init__(self) -> None:
        self._key: Key = 0
        self._opens = False
        self.items = 0
        self.with_idea = 0

    @abstractmethod
    def values(self, seen: Seen) -> Sequence[float] | None:
        """What each option is worth, or each part that is shown where one of them is to be named; None: no idea."""

    def written(self, seen: Seen) -> Part | None:
        """The answer that it would write; None: no idea."""
        return None

    def begin_with_key(self, task: Task, key: Key) -> None:
        """Get ready for an item."""
        self._key = key
        self._opens = isinstance(task.action_space, Text)

    def act(self, observation: Any, reward: float) -> Any:
        """The number of an option, from 1 on; or a text, which is empty where it has no idea."""
        seen = read_observation(observation)
        self.items += 1
        if self._opens:
            part = self.written(seen)
            self.with_idea += part is not None
            return "" if part is None else seen.family.text(part)
        candidates = seen.options or seen.shown
        values = self.values(seen)
        self.with_idea += values is not None
        if values is None:
            values = [0.0] * len(candidates)
        top = max(values)
        best = [number for number, value in enumerate(values, 1) if value >= top - TIE]
        return best[below(fold(self._key, 0), len(best))]

    def summary(self) -> dict[str, float]:
        """How often it had an idea."""
        return {"ideas": self.with_idea / self.items} if self.items else {}


def ending(seen: Seen, candidate: int) -> tuple[list[Part], Part]:
    """The parts of an item before an option, and that option; of an item without options, one part after the others."""
    if seen.options:
        return list(seen.shown), seen.options[candidate]
    return [part for k, part in enumerate(seen.shown) if k != candidate], seen.shown[candidate]


def candidates(seen: Seen) -> int:
    """How many answers there are to choose from."""
    return len(seen.options or seen.shown)
