"""How each compiled algorithm is played: the memory that its kernel needs, and the calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mensura.worlds.constraints.arrays import Arrays
from mensura.worlds.constraints.kernels import local_search
from mensura.worlds.constraints.kernels.board import Course, Ledger


@dataclass(frozen=True)
class Playing:
    """What an algorithm is played with."""

    arrays: Arrays
    ledger: Ledger
    course: Course
    keys: npt.NDArray[np.uint64]
    """Of the agents' own draws."""
    letters: int
    """So many an agent may write at a turn."""
    longest: int
    """Characters that a letter may have."""
    parameters: Mapping[str, float]


class Player(Protocol):
    """An algorithm in all seats of an episode."""

    kinds: ClassVar[tuple[str, ...]]
    """The kinds of letters, as the tally counts them."""

    def play(self, most: int) -> int:
        """Play so many cycles at most; how many were played, or -1 where that must be left to the one loop."""


class LocalSearch:
    """DSA and MGM."""

    kinds: ClassVar[tuple[str, ...]] = ("round",)

    def __init__(self, playing: Playing, form: int = -1) -> None:
        """``form``: of DSA; -1: MGM."""
        self.p, self.form = playing, form
        known = playing.arrays.known
        self.costs = np.zeros(int(known.sizes.max(initial=1)))
        count = len(known.sizes)
        self.letters = np.zeros((count, 2), np.int64)
        self.best, self.gain = np.zeros(count, np.int64), np.zeros(count)
        self.most_near = int(np.diff(known.near_first).max(initial=0))

    def play(self, most: int) -> int:
        """Whoever has more neighbors than letters to write is not played here."""
        p = self.p
        if self.most_near + 1 > p.letters:
            return -1
        rounds = int(p.parameters["rounds"])
        shared = (p.arrays.known, p.ledger, p.course)
        if self.form < 0:
            return local_search.mgm(*shared, self.letters, self.costs, self.gain, self.best, rounds, most)
        return local_search.dsa(
            *shared,
            p.keys,
            p.arrays.least,
            self.letters,
            self.costs,
            self.form,
            float(p.parameters["p"]),
            rounds,
            most,
        )


class Compiled(NamedTuple):
    """An algorithm that can be played compiled."""

    make: Callable[[Playing], Player]
    hard: bool = False
    """Whether it takes only problems in which tuples are allowed or forbidden."""


PLAYERS: Mapping[str, Compiled] = {
    "dsa": Compiled(partial(LocalSearch, form=local_search.B)),
    **{
        f"dsa-{letter}": Compiled(partial(LocalSearch, form=form))
        for form, letter in enumerate("abcde")
    },
    "mgm": Compiled(LocalSearch),
}
