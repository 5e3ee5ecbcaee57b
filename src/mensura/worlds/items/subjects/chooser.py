"""What all subjects of items share: an item is read, every option gets a value, and the best one is chosen.

A subject that has no idea about an item guesses, and says so: its measure `idea` is 1 for an item about which it had
one and 0 for another, so that the mean of it, which reports show, is the share of items about which it had an idea.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from mensura.agent.keys import Key, choice
from mensura.agent.spaces import Text
from mensura.agent.task import Task
from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen, read_observation

TIE = 1e-9
"""Values that differ by less are equal."""
IDEA = "idea"
"""The measure that says whether a subject had an idea."""
BLANK = "_"
"""How a missing letter within a series is written."""
LETTERS = 26


class Chooser(ABC):
    """Chooses the option that it values most, ties drawn evenly; a text is answered by what it would write."""

    def __init__(self) -> None:
        self.key: Key = 0
        """Of the item; whatever a subject draws follows from it."""
        self._opens = False
        self._idea = False

    @abstractmethod
    def values(self, seen: Seen) -> Sequence[float] | None:
        """What each option is worth; None: no idea."""

    def written(self, seen: Seen) -> Part | None:
        """The answer that it would write; None: no idea."""
        return None

    def begin_with_key(self, task: Task, key: Key) -> None:
        """Get ready for an item."""
        self.key = key
        self._opens = isinstance(task.action_space, Text)

    def act(self, observation: Any, reward: float) -> Any:
        """The number of an option, from 1 on; or a text, which is empty where it has no idea."""
        seen = read_observation(observation)
        if self._opens:
            part = self.written(seen)
            self._idea = part is not None
            return "" if part is None else seen.family.text(part)
        values = self.values(seen)
        self._idea = values is not None
        if values is None:
            values = [0.0] * len(seen.options)
        top = max(values)
        best = [number for number, value in enumerate(values, 1) if value >= top - TIE]
        return best[choice(self.key, 0, 0, len(best))]

    def agent_metrics(self) -> Mapping[str, float]:
        """Whether it had an idea about the last item."""
        return {IDEA: float(self._idea)}


class Solver(Chooser):
    """Finds an answer by itself; with options it takes the one that is its answer, and has no idea where none is."""

    @abstractmethod
    def written(self, seen: Seen) -> Part | None:
        """Its answer; None: no idea."""

    def values(self, seen: Seen) -> Sequence[float] | None:
        """1 for its answer."""
        return only(seen, self.written(seen))


def only(seen: Seen, part: Part | None) -> Sequence[float] | None:
    """1 for the option that is this answer; None where there is no answer, or no such option."""
    if part not in seen.options:
        return None
    return [float(option == part) for option in seen.options]


def series_of(seen: Seen) -> list[int] | None:
    """The numbers of a series; None of items of other kinds, and of series with a blank."""
    if not seen.shown or any(len(part) != 1 for part in (*seen.shown, *seen.options)):
        return None
    if any(seen.family.text(part) == BLANK for part in seen.shown):
        return None
    return [part[0] for part in seen.shown]


def are_letters(seen: Seen) -> bool:
    """Whether the parts of an item are letters or strings of them, on an alphabet that goes round."""
    return bool(seen.shown) and all(
        seen.family.text(part).replace(BLANK, "a").isalpha() for part in seen.shown
    )
