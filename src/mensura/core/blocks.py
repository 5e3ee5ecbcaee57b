"""Many environments of a world as rows of one block of memory, for those who step them all at once.

A world whose rules are compiled tells how its environments lie in a block (`block()`, see
:class:`mensura.core.abilities.InBlocks`); here is the block itself: environments drawn by key, begun, and stepped on
all cores by one call each. Environment i plays as it would alone, to the bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.fitting import fit_into
from mensura.agent.keys import Keys
from mensura.agent.spaces import Box, Discrete, Space, default
from mensura.core.many_doors import LINE, Fits, ManyDoors
from mensura.core.room import available, gibibytes

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Spaces = tuple[Space, Space]

ENVIRONMENT, RESET, OTHERS = range(3)
"""The streams under an episode's key: those of what is drawn, of its beginning, and of whoever else sits in it."""

LEAST_SHARE = 256
"""Environments of a thread: with fewer, handing them over takes longer than stepping them."""

SHARE_OF_MEMORY = 0.8
"""How much of the memory that is free a block may take."""


class Drawing(NamedTuple):
    """How a kernel draws environments by itself, the same to the bit as ``Layout.sample`` does."""

    one: Callable[..., Any]
    """A rule (row, key, low, high, settings, scratch): draw an environment into a row; its complexity, below 0 where
    none was found."""
    settings: Rows
    scratch: int
    """How many numbers it writes down meanwhile."""
    width: int
    """The numbers of a row."""
    bounds: Callable[[str | None, Numbers, Numbers], tuple[Rows, Rows] | None]
    """(measure, low, high): the lowest and highest complexities as the rule has them, one for each; None where the rule
    does not know that measure."""


@dataclass(frozen=True)
class Layout:
    """How the environments of a world lie in a block."""

    doors: ManyDoors
    row: Rows
    """The row of an environment before it is drawn: what all have in common."""
    sample: Callable[[Keys, str | None, Numbers, Numbers], Rows]
    """(keys, measure, low, high): what is drawn of an environment for each key, a row each."""
    drawn: Callable[[Rows], Any]
    """What the rules take of drawn rows, environment i in row i."""
    seats: int
    kinds: Callable[[Rows], tuple[Sequence[Spaces], Rows]] | None = None
    """Where environments differ in size: the spaces of each kind among drawn rows, and of which kind each row is."""
    size: Callable[[Rows], int] | None = None
    """Where they differ in size: the numbers of the longest row among those that were drawn."""
    spaces: Spaces | None = None
    """Those that all environments have, where others cannot be played."""
    drawing: Drawing | None = None
    """How environments are drawn inside a kernel, where that is possible."""
    trouble: Callable[[Rows], MensuraError] | None = None
    """Where a step can go wrong, which the doors tell by less than 0 interactions left: what did, by the row."""


class Shelf:
    """What was drawn of the environments of a block, and how each lies within what is shown to all."""

    def __init__(self, layout: Layout, count: int, spaces: Spaces, blank: Any) -> None:
        if layout.spaces not in (None, spaces):
            raise MensuraError("These environments have other spaces than the vector was made for.")
        self._layout, self._spaces, self._blank = layout, spaces, blank
        self.rows: Rows = np.zeros((count, 0), np.int64)
        self.fits = _no_fits(count)
        self.width = whole_lines(len(layout.row))
        """How long the rows of a block have to be."""
        self._kinds: list[Spaces] = []

    def draw(self, at: Rows, keys: Keys, measure: str | None, low: Numbers, high: Numbers) -> None:
        """Draw other environments into these places, each by its key, with a complexity from low[i] to high[i]."""
        rows = self._layout.sample(keys, measure, low, high)
        if rows.shape[1] > self.rows.shape[1]:
            self.rows = wider(self.rows, rows.shape[1])
        self.rows[at, : rows.shape[1]] = rows
        self.rows[at, rows.shape[1] :] = 0
        if self._layout.size is not None:
            self.width = max(self.width, whole_lines(self._layout.size(rows)))
        if self._layout.kinds is not None:
            self._fit(at, rows)

    def _fit(self, at: Rows, rows: Rows) -> None:
        """Note how the environments drawn lie within what is shown to all."""
        assert self._layout.kinds is not None
        spaces, kinds = self._layout.kinds(rows)
        numbers = []
        for one in spaces:
            if one not in self._kinds:
                self._kinds.append(one)
                self.fits = _with_kind(self.fits, one, self._spaces, self._blank)
            numbers.append(self._kinds.index(one))
        self.fits.kind[at] = np.array(numbers, np.int64)[kinds]


class Block:
    """So many environments of a world, none of them begun."""

    def __init__(
        self, layout: Layout, count: int, spaces: Spaces, blank: Any, threads: int | None = None
    ) -> None:
        """``spaces`` are those shown to all, ``blank`` an observation of what stands where an environment has less."""
        observed, played = spaces
        assert isinstance(played, Discrete | Box)
        self.layout = layout
        self.count = count
        self._shelf = Shelf(layout, count, spaces, blank)
        self._lowest = played.start if isinstance(played, Discrete) else 0
        numbers = numbers_of(observed)
        width = self._shelf.width
        check_memory(count, 8 * (width + layout.seats * (numbers + 3)))
        self._rows = _aligned(count, width)
        self._rows[:, : len(layout.row)] = layout.row
        self.obs = np.zeros((count, layout.seats, numbers))
        self.rewards = np.zeros((count, layout.seats))
        self.left = np.zeros(count, np.int64)
        self.cut = np.zeros(count, bool)
        shape = count, layout.seats * (1 if isinstance(played, Discrete) else played.size)
        self._actions = np.zeros(shape, np.int64 if isinstance(played, Discrete) else np.float64)
        most = threads if threads is not None else os.cpu_count() or 1
        self._shares = max(1, min(most, count // LEAST_SHARE))
        self._pool = ThreadPoolExecutor(self._shares) if self._shares > 1 else None

    def draw(self, at: Rows, keys: Keys, measure: str | None, low: Numbers, high: Numbers) -> None:
        """Draw other environments into these places, each by its key, with a complexity from low[i] to high[i]."""
        self._shelf.draw(at, keys, measure, low, high)
        if self._shelf.width > self._rows.shape[1]:
            self._rows = wider(self._rows, self._shelf.width)

    def begin(self, at: Rows, keys: Keys) -> None:
        """Begin an episode in the environments at these places, each with its key."""
        drawn = self.layout.drawn(self._shelf.rows)
        reset = self.layout.doors.reset
        rest = keys, self.obs, self.rewards, self.left, self.cut, self._shelf.fits
        self._share(len(at), lambda a, b: reset(self._rows, drawn, at, a, b, *rest))

    def step(self, actions: npt.NDArray[Any]) -> None:
        """One interaction of all episodes under way; actions are (environments, numbers), whole ones counted from 0."""
        np.add(actions, self._lowest, out=self._actions)
        step = self.layout.doors.step
        rest = self._actions, self.obs, self.rewards, self.left, self.cut, self._shelf.fits
        self._share(self.count, lambda a, b: step(self._rows, a, b, *rest))
        if self.layout.trouble is not None and self.left.min() < 0:
            raise self.layout.trouble(self._rows[np.argmin(self.left)])

    def close(self) -> None:
        """Send the threads home."""
        if self._pool is not None:
            self._pool.shutdown()

    def _share(self, count: int, work: Callable[[int, int], None]) -> None:
        """Let every thread do its share; compiled code lets others run."""
        if self._pool is None or count < 2 * LEAST_SHARE:
            work(0, count)
            return
        cuts = np.linspace(0, count, self._shares + 1).astype(int).tolist()
        waiting = [self._pool.submit(work, a, b) for a, b in pairwise(cuts[1:])]
        work(cuts[0], cuts[1])
        for one in waiting:
            one.result()


def numbers_of(space: Space) -> int:
    """How many numbers an observation has."""
    size: int = getattr(space, "size", 0)
    return size


def whole_lines(numbers: int) -> int:
    """So many numbers, rounded up to whole lines: rows at such distances are found by the processor in advance."""
    return -(-numbers // LINE) * LINE


def _aligned(count: int, width: int) -> Rows:
    """So many rows of zeros, the first of which begins with a line of memory."""
    made = np.zeros(count * width + LINE, np.int64)
    first = -made.ctypes.data % (8 * LINE) // 8
    return made[first : first + count * width].reshape(count, width)


def wider(rows: Rows, width: int) -> Rows:
    """The same rows with zeros behind."""
    made = _aligned(len(rows), width)
    made[:, : rows.shape[1]] = rows
    return made


def _no_fits(count: int) -> Fits:
    """Where all environments have the same spaces."""
    return Fits(
        np.zeros(count, np.int64),
        np.zeros((0, 0), np.int64),
        np.zeros(0),
        np.zeros(0, np.int64),
        np.zeros(1, np.int64),
    )


def _with_kind(fits: Fits, own: Spaces, largest: Spaces, blank: Any) -> Fits:
    """With one more kind of environment."""
    fit = fit_into(own, largest, blank)
    if fit is None:
        raise MensuraError("This environment has other spaces than the view was made for.")
    places = np.full((len(fits.places) + 1, len(fit.blank)), -1, np.int64)
    places[:-1, : fits.places.shape[1]] = fits.places
    own_places = np.arange(len(fit.blank))[fit.places]
    places[-1, : len(own_places)] = own_places
    last = np.append(fits.last, fit.last).astype(np.int64)
    return Fits(fits.kind, places, fit.blank.copy(), last, np.array([default(own[1])], np.int64))


def check_memory(count: int, each: int, free: int | None = None, where: str = "") -> None:
    """Raise where so many environments of so many bytes do not fit into the memory that is free, here or there."""
    free = available() if free is None else free
    if count * each > SHARE_OF_MEMORY * free:
        raise MensuraError(
            f"{count:,} environments of {each:,} bytes do not fit into the {gibibytes(free)} of memory{where} that are "
            f"free; {int(SHARE_OF_MEMORY * free / each):,} do."
        )
