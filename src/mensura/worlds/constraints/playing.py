"""What compiled algorithms are played with, and how they are asked to play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from mensura.worlds.constraints.arrays import Arrays
from mensura.worlds.constraints.kernels.board import Course, Ledger
from mensura.worlds.constraints.network import Network

LONGEST_NUMBER = 26
"""Characters of a number in a letter, with the space before it, at most."""


@dataclass(frozen=True)
class Playing:
    """What an algorithm is played with."""

    network: Network
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


def named_most(playing: Playing) -> int:
    """How many members a list in a letter may have, as "#12345=7", without the letter being too long."""
    sizes = playing.arrays.known.sizes
    one = len(f" #{len(sizes)}={sizes.max(initial=1)}")
    return (playing.longest - len("123456789 nogood")) // one
