"""The switches of Lambda: every choice that theory and thesis make differently or leave open, by name.

Chapter 3 of Insa-Cabrera (2011) is the theory, chapters 4 to 6 are what was built; `PRESETS` gathers the switches of
each. A world and a description of an environment both have all of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.lambda_class.markov import LARGEST_CODE, LONGEST, STEPS
from mensura.worlds.lambda_class.space import Topology

Moves: TypeAlias = Literal["fixed", "geometric", "pattern", "allowed"]
Consumed: TypeAlias = Literal["before", "after"]
Cycle: TypeAlias = Literal["none", "swap", "relocate"]
Observability: TypeAlias = Literal["full", "partial"]
Drawn: TypeAlias = Literal["drawn"]

LARGEST_HORIZON = 1_000_000_000
MOST_SUBJECTS = 10_000
MOST_MOVES = 10_000
"""How many moves Good and Evil may make in an interaction."""

LONGEST_JUNK = 10_000_000
LONGEST_CYCLE = 2**32 - 1
"""The largest number that a draw within kernels can reach; n_c^n_a is soon beyond it."""


@dataclass(frozen=True, kw_only=True)
class Switches:
    """What holds for all environments of a Lambda world; the defaults are those of chapters 5 and 6."""

    subjects: int = 1
    """How many seats; several make a social environment (5.5)."""
    horizon: int = 100
    """Interactions of an episode."""
    topology: Topology = "strong"
    """How a space must be connected (figure 4.2)."""

    moves: Moves = "fixed"
    """How many moves Good and Evil make in an interaction (figure 4.3): least_moves; a number drawn from least_moves to
    most_moves; as many as their pattern has; or as many, but only up to one that is not allowed.

    The number is drawn for each of them, each time, geometric with p = 1/2. Not allowed is an action other than the
    reflexive one whose arrow leads back to its cell. With a Markov program they do its whole output, and `moves` has to
    be left as it is.
    """
    least_moves: int = 1
    """How many moves Good and Evil make, or make at least where the number is drawn."""
    most_moves: int = 1
    """How many they make at most where the number is drawn."""

    good_drops: tuple[float, ...] = (1.0,)
    """What Good drops, interaction by interaction and then again from the first; over 0 and at most 1."""
    evil_drops: tuple[float, ...] = (1.0,)
    """What Evil drops, less than nothing by as much."""
    drops_on_subject: bool = True
    """Whether they drop rewards while a subject shares their cell."""
    division: float | Literal["infinity"] = "infinity"
    """By what rewards are divided in each interaction, from 1 to infinity, where they last for one.

    Infinity is a word here, since data files have no number for it.
    """
    eaten: bool = True
    """Whether a cell's reward is gone once it was consumed."""
    consumed: Consumed = "after"
    """Whether rewards are consumed before the update of the cells, so that one finds them a step behind Good, or after
    it, so that one has to be where Good is (4.1.5)."""
    shared: bool = False
    """Whether the subjects on a cell share its reward evenly; else each gets all of it."""

    cycle: Cycle = "none"
    """The cycle clause: Good and Evil swap places (3.6.2), or are put on random different cells (4.4)."""
    cycle_length: int | Drawn = "drawn"
    """After how many interactions: a number, or one drawn anew each time, evenly from 1 to n_c^n_a."""
    junk: int | Drawn = 0
    """For how many interactions a random subject plays first, at every seat: a number, or one that is so drawn."""
    junk_limit: int = 1000
    """The most that is drawn for the initial junk, as n_c^n_a may be more than anybody can wait for."""

    observability: Observability = "full"
    """Whether subjects see all cells, or only theirs and those that their actions lead to. Objects see all."""
    future: tuple[int, ...] = ()
    """The seats with the right "sees_future", as the oracle of 5.2: where Good and Evil intend to go, seen or not."""
    rewards_seen: tuple[int, ...] = ()
    """The seats with the right "sees_rewards": what lies on each cell."""

    steps: int = STEPS
    """How many rules a Markov program of an object may apply in an interaction."""
    longest: int = LONGEST
    """How many symbols its string and its memory may have."""

    def __post_init__(self) -> None:
        """Bring plain data into shape, and refuse what cannot be played."""
        for name in ("good_drops", "evil_drops", "future", "rewards_seen"):
            value = getattr(self, name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = (value,)
            if not isinstance(value, list | tuple):
                raise MensuraError(f"{name} is {value!r}; it must be a list of numbers.")
            self._set(name, tuple(value))
        for name in ("drops_on_subject", "eaten", "shared"):
            if type(getattr(self, name)) is not bool:
                raise MensuraError(f"{name} is {getattr(self, name)!r}; it is true or false.")
        for name, kind in _WORDS.items():
            if getattr(self, name) not in get_args(kind):
                word = str(getattr(self, name))
                raise MensuraError(f"{name} is {word!r}; {neighbors(word, list(get_args(kind)))}")
        for name, (least, most) in _RANGES.items():
            if name in ("cycle_length", "junk") and getattr(self, name) == "drawn":
                continue
            check_number(name, getattr(self, name), least, most)
        if self.moves == "geometric" and self.most_moves < self.least_moves:
            raise MensuraError(
                f"least_moves is {self.least_moves} and above most_moves, {self.most_moves}."
            )
        self._check_rewards()
        for name, does in (("future", "sees the future"), ("rewards_seen", "sees rewards")):
            for seat in getattr(self, name):
                if type(seat) is not int or not 0 <= seat < self.subjects:
                    raise MensuraError(
                        f"Seat {seat!r} {does}, but the seats are 0 to {self.subjects - 1}."
                    )

    def _check_rewards(self) -> None:
        for name in ("good_drops", "evil_drops"):
            drops = getattr(self, name)
            if not drops:
                raise MensuraError(f"{name} is empty; at least one reward is dropped.")
            for value in drops:
                if not _is_number(value) or not 0 < value <= 1:
                    raise MensuraError(
                        f"{name} has {value!r}; what is dropped is over 0 and at most 1."
                    )
            self._set(name, tuple(map(float, drops)))
        if self.division == "infinity":
            return
        if not _is_number(self.division) or not self.division >= 1:
            raise MensuraError(
                f"division is {self.division!r}; rewards are divided by a number from 1 to infinity."
            )
        self._set("division", "infinity" if self.division == math.inf else float(self.division))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def switches(self) -> dict[str, Any]:
        """All of them by name."""
        return {field.name: getattr(self, field.name) for field in fields(Switches)}


_WORDS: dict[str, Any] = {
    "topology": Topology,
    "moves": Moves,
    "consumed": Consumed,
    "cycle": Cycle,
    "observability": Observability,
}

_RANGES: dict[str, tuple[int, int]] = {
    "subjects": (1, MOST_SUBJECTS),
    "horizon": (1, LARGEST_HORIZON),
    "least_moves": (1, MOST_MOVES),
    "most_moves": (1, MOST_MOVES),
    "cycle_length": (1, LONGEST_CYCLE),
    "junk": (0, LONGEST_JUNK),
    "junk_limit": (1, LONGEST_JUNK),
    "steps": (0, LARGEST_CODE),
    "longest": (0, LARGEST_CODE),
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_number(name: str, value: Any, least: int, most: int) -> None:
    """One sentence for what is no whole number within these bounds."""
    if type(value) is not int or not least <= value <= most:
        raise MensuraError(f"{name} is {value!r}; it is a whole number from {least} to {most}.")


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "thesis": {},
    "theory": {
        "good_drops": (0.5,),
        "evil_drops": (0.5,),
        "drops_on_subject": False,
        "division": 2.0,
        "eaten": True,
        "consumed": "before",
        "cycle": "swap",
        "cycle_length": "drawn",
        "junk": "drawn",
    },
}
"""The readings by name: as it was built and measured (chapters 4 to 6 of the thesis), and as defined (chapter 3)."""
