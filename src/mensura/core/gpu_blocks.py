"""Many environments at once in the memory of a GPU: what :mod:`mensura.core.blocks` is on the processor.

Every thread steps environments by the very rules of the other doors (:class:`mensura.core.many_doors.EachOne`), begins
the next episode where one has ended, and draws its environment, where the world has a rule for that
(:class:`mensura.core.blocks.Drawing`): then nothing leaves the GPU. Where it has none, environments are drawn on the
processor and copied there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import boolean, cuda, float32, float64, int32, int64, uint64
from numba import types as kinds_of_numba

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Keys, fold_array
from mensura.agent.spaces import Box, Discrete
from mensura.core.blocks import (
    ENVIRONMENT,
    RESET,
    Layout,
    Numbers,
    Rows,
    Shelf,
    Spaces,
    check_memory,
    numbers_of,
)
from mensura.core.compiled import fold, rule
from mensura.core.dlpack import Borrowed
from mensura.core.gpu import SHARED_STREAM, Code, Held, find_gpu, free_memory
from mensura.core.many_doors import Fits
from mensura.core.ptx import ptx_of

THREADS = 128

Mode = Literal["next-step", "same-step", "disabled"]
"""When the next episode begins: with the step after the last one, with the last one itself, or by a reset."""

FOUND_NONE, WENT_WRONG, NO_ACTION = range(3)
"""Places of what a kernel tells: an environment, counted from 1, that could not be drawn, or not be stepped, or for
which there was an action that it has not."""

ACTIONS = {"int64": int64, "int32": int32, "float64": float64, "float32": float32}
"""Of which types actions may be."""

Array = npt.NDArray[Any]


class Arrays(NamedTuple):
    """All that the environments of a block are, by environment unless it says otherwise."""

    block: Any
    """Their rows."""
    drawn: Any
    """What the rules take of what was drawn."""
    shelf: Any
    """What was drawn."""
    streams: Any
    """The key of all episodes."""
    episode: Any
    """How many episodes have begun."""
    actions: Any
    obs: Any
    rewards: Any
    left: Any
    cut: Any
    fits: Fits
    low: Any
    high: Any
    """The complexities between which environments are drawn."""
    settings: Any
    """Of the rule that draws."""
    allowed: Any
    """(2, numbers): the lowest and the highest action."""
    tell: Any
    """What went wrong; see FOUND_NONE and those after it."""


class Told(NamedTuple):
    """What a step tells, by environment and seat."""

    rewards: Any
    terminated: Any
    truncated: Any
    final: Any
    """The last observations of episodes that ended, in the mode "same-step"."""


@rule
def draw_nothing(row, key, low, high, settings, scratch):
    """The same environment again, or one that was drawn on the processor."""
    return 0


@cache
def kernels_of(each, draw, scratch, mode, by_itself):
    """The kernels that begin the environments of a mask, and step all.

    ``by_itself``: the one that steps also begins the next episodes, as the mode says.
    """
    begin, step = each
    same_step = mode == "same-step"
    begins = by_itself and mode != "disabled"

    @rule
    def begin_next(a, i, cells):
        root = fold(a.streams[i], a.episode[i])
        found = draw(a.shelf[i], fold(root, ENVIRONMENT), a.low[i], a.high[i], a.settings, cells)
        if found < 0:
            a.tell[FOUND_NONE] = i + 1
        a.episode[i] += uint64(1)
        begin(a.block, a.drawn, i, fold(root, RESET), a.obs, a.rewards, a.left, a.fits)

    @rule
    def take_actions(a, i, actions, lowest):
        numbers = a.allowed.shape[1]
        for k in range(a.actions.shape[1]):
            action = actions[i, k]
            if not (action >= a.allowed[0, k % numbers] and action <= a.allowed[1, k % numbers]):
                a.tell[NO_ACTION] = i + 1
                action = a.allowed[0, k % numbers]
            a.actions[i, k] = action + lowest

    @rule
    def step_one(a, i, told, cells):
        under_way = a.left[i] > 0
        step(a.block, i, a.actions, a.obs, a.rewards, a.left, a.cut, a.fits)
        over = under_way and a.left[i] == 0
        if a.left[i] < 0:
            a.tell[WENT_WRONG] = i + 1
        for j in range(a.rewards.shape[1]):
            told.rewards[i, j] = a.rewards[i, j] if under_way else 0.0
            told.terminated[i, j] = over and not a.cut[i]
            told.truncated[i, j] = over and a.cut[i]
        if begins and (over if same_step else not under_way):
            if same_step:
                for j in range(a.obs.shape[1]):
                    for n in range(a.obs.shape[2]):
                        told.final[i, j, n] = a.obs[i, j, n]
            begin_next(a, i, cells)

    def begin_kernel(a, mask):
        cells = cuda.local.array(scratch, np.int64)
        for i in range(cuda.grid(1), a.left.size, cuda.gridsize(1)):
            if mask[i]:
                begin_next(a, i, cells)

    def step_kernel(a, actions, lowest, told):
        cells = cuda.local.array(scratch, np.int64)
        for i in range(cuda.grid(1), a.left.size, cuda.gridsize(1)):
            take_actions(a, i, actions, lowest)
            step_one(a, i, told, cells)

    return begin_kernel, step_kernel


class GpuBlock:
    """So many environments of a world on a GPU, none of them begun.

    What a step tells is in ``obs`` and ``told``, which the next one changes.
    """

    def __init__(
        self, layout: Layout, count: int, spaces: Spaces, blank: Any, mode: Mode, redraw: bool
    ) -> None:
        """``redraw``: another environment for each episode, or always the first one with new draws inside it."""
        observed, played = spaces
        assert isinstance(played, Discrete | Box)
        self.layout, self.count, self._mode, self._redraw = layout, count, mode, redraw
        self._shelf = Shelf(layout, count, spaces, blank)
        self._drawing = layout.drawing if redraw else None
        self._gpu = find_gpu()
        numbers = numbers_of(observed)
        each = self._shelf.width + (self._drawing.width if self._drawing else 0)
        check_memory(
            count,
            8 * (each + layout.seats * (2 * numbers + 5) + 6),
            free_memory(self._gpu),
            f" of the {self._gpu.name}",
        )
        self._lowest = played.start if isinstance(played, Discrete) else 0
        self._allowed = self._there(_allowed(played))
        seats = count, layout.seats
        size = 1 if isinstance(played, Discrete) else played.size
        self._actions = self._room((count, layout.seats * size), self._allowed.dtype)
        self.obs = self._room((*seats, numbers))
        self._rewards, self._left = self._room(seats), self._room((count,), np.int64)
        self._cut, self._mask = self._room((count,), bool), self._room((count,), bool)
        final = (*seats, numbers) if mode == "same-step" else (0, 0, 0)
        self.told = Told(
            self._room(seats), self._room(seats, bool), self._room(seats, bool), self._room(final)
        )
        self._tell = self._room((3,), np.int64)
        self._streams = self._room((count,), np.uint64)
        self._episode = self._room((count,), np.uint64)
        drawing = self._drawing
        self._settings = self._there(drawing.settings if drawing else np.zeros(0, np.int64))
        self._low, self._high = (self._room((count,), np.int64) for _ in range(2))
        self._block = self._there(np.tile(_padded(layout.row, self._shelf.width), (count, 1)))
        self._held_shelf: Held | None = None
        self._fits: Fits | None = None
        self._stale = np.ones(count, bool)
        """Which environments are to be drawn on the processor before their next episode."""
        self.want(None, np.full(count, -np.inf), np.full(count, np.inf))
        self._codes: dict[Any, Code] = {}

    # What episodes there are

    def seed(self, at: Rows, streams: Keys) -> None:
        """Start over with the episodes of these keys in the environments at these places."""
        for held, made in ((self._streams, streams), (self._episode, np.uint64(0))):
            known = self._here(held)
            known[at] = made
            held.take(known)
        self._stale[at] = True

    def want(self, measure: str | None, low: Numbers, high: Numbers) -> None:
        """Environments drawn from now on have a complexity from low[i] to high[i].

        Where always the same one is played, from the next reset on.
        """
        bounds = self._drawing.bounds(measure, low, high) if self._drawing else None
        if bounds is not None:
            self._low.take(bounds[0])
            self._high.take(bounds[1])
        self._wanted = measure, low, high
        self._draws_there = bounds is not None
        self._stale[:] = True

    def begin(self, at: Rows) -> None:
        """Begin the next episode of the environments at these places."""
        if not self._draws_there:
            self._draw_here(at if self._redraw else at[self._stale[at]])
        elif self._held_shelf is None:
            assert self._drawing is not None
            self._put_on_shelf(np.zeros((self.count, self._drawing.width), np.int64))
        mask = np.zeros(self.count, bool)
        mask[at] = True
        self._mask.take(mask)
        self._launch(0, (self._mask,), (boolean[::1],))
        self._check()

    def step(self, actions: Held | Borrowed) -> None:
        """One interaction of all episodes under way; actions are (environments, numbers), whole ones counted from 0."""
        by_itself = self._by_itself or self._mode == "disabled"
        waiting = None if by_itself or self._mode == "same-step" else self._over()
        kind = ACTIONS[str(actions.dtype)]
        shown = float64[:, :, ::1]
        seats, truths = float64[:, ::1], boolean[:, ::1]
        told = kinds_of_numba.NamedTuple([seats, truths, truths, shown], Told)
        self._launch(1, (actions, self._lowest, self.told), (kind[:, ::1], int64, told))
        self._check()
        if by_itself:
            return
        if waiting is None:
            waiting = self._over()
            self.told.final.copy_from(self.obs)
        if len(waiting):
            self.begin(waiting)

    def going(self) -> npt.NDArray[np.bool_]:
        """Which episodes are under way."""
        return self._here(self._left) > 0

    # Between the processor and the GPU

    @property
    def _by_itself(self) -> bool:
        """Whether the kernel begins the next episodes, since nothing has to be drawn here for them."""
        return self._draws_there or not self._redraw

    def _over(self) -> Rows:
        return np.flatnonzero(~self.going())

    def _draw_here(self, at: Rows) -> None:
        if not len(at):
            return
        measure, low, high = self._wanted
        roots = fold_array(self._here(self._streams)[at], self._here(self._episode)[at])
        self._shelf.draw(at, fold_array(roots, ENVIRONMENT), measure, low[at], high[at])
        self._stale[at] = False
        self._put_on_shelf(self._shelf.rows)
        if self._shelf.width > self._block.shape[1]:
            self._block = self._there(_padded(self._here(self._block), self._shelf.width))

    def _put_on_shelf(self, rows: Rows) -> None:
        """Let the GPU have what was drawn, and how it lies within what is shown to all."""
        if self._held_shelf is None or self._held_shelf.shape != rows.shape:
            self._held_shelf = self._room(rows.shape, np.int64)
        self._held_shelf.take(rows)
        self._fits = Fits(*[self._there(one) for one in self._shelf.fits])
        given = self.layout.drawn(rows)
        parts = given if isinstance(given, tuple) else (given,)
        self._parts = [self._held_shelf if one is rows else self._there(one) for one in parts]
        self._several = isinstance(given, tuple)

    def _room(self, shape: tuple[int, ...], kind: Any = np.float64) -> Held:
        made = Held(self._gpu, shape, kind, SHARED_STREAM)
        made.clear()
        return made

    def _there(self, array: Array) -> Held:
        made = Held(self._gpu, array.shape, array.dtype, SHARED_STREAM)
        made.take(array)
        return made

    def _here(self, held: Held) -> Array:
        array = np.zeros(held.shape, held.dtype)
        held.give(array)
        return array

    # Kernels

    def _launch(self, which: int, rest: tuple[Any, ...], types: tuple[Any, ...]) -> None:
        """Launch the kernel that begins, 0, or the one that steps, 1."""
        assert self._held_shelf is not None
        assert self._fits is not None
        drawing = self._drawing if self._draws_there else None
        arrays = Arrays(
            self._block,
            tuple(self._parts) if self._several else self._parts[0],
            self._held_shelf,
            self._streams,
            self._episode,
            self._actions,
            self.obs,
            self._rewards,
            self._left,
            self._cut,
            self._fits,
            self._low,
            self._high,
            self._settings,
            self._allowed,
            self._tell,
        )
        key = which, drawing is None, types, tuple(one.shape for one in self._parts)
        if key not in self._codes:
            made = kernels_of(
                self.layout.doors.each,
                drawing.one if drawing else draw_nothing,
                drawing.scratch if drawing else 1,
                self._mode,
                self._by_itself,
            )
            self._codes[key] = load(self._gpu, made[which], (_types_of(arrays), *types))
        self._codes[key].launch(-(-self.count // THREADS), THREADS, (arrays, *rest), SHARED_STREAM)

    def _check(self) -> None:
        """Raise what went wrong in the last launch."""
        told = self._here(self._tell)
        if not told.any():
            return
        self._tell.clear()
        found_none, wrong, no_action = told.tolist()
        if no_action:
            low, high = self._here(self._allowed)[:, 0].tolist()
            raise ValueError(
                f"An action for environment {no_action - 1} is not one: actions are from {low} to {high}."
            )
        if found_none:
            raise MensuraError(
                f"For environment {found_none - 1} none was found of the complexity that is wanted."
            )
        assert self.layout.trouble is not None
        raise self.layout.trouble(self._here(self._block)[wrong - 1])


def load(gpu: Any, kernel: Callable[..., Any], signature: tuple[Any, ...]) -> Code:
    """A kernel for arguments of these types, on a GPU."""
    return Code(gpu, ptx_of(kernel, signature, gpu.capability))


def _types_of(arrays: Any) -> Any:
    """The types of arrays as Numba has them, in the tuples that they are in."""
    if not isinstance(arrays, tuple):
        return _KINDS[arrays.dtype.kind](arrays.ndim)
    inner = [_types_of(one) for one in arrays]
    if hasattr(arrays, "_fields"):
        return kinds_of_numba.NamedTuple(inner, type(arrays))
    return kinds_of_numba.Tuple(inner)


def _array_type(kind: Any) -> Callable[[int], Any]:
    return lambda axes: kinds_of_numba.Array(kind, axes, "C")


_KINDS = {
    letter: _array_type(kind)
    for letter, kind in {"i": int64, "u": uint64, "f": float64, "b": boolean}.items()
}


def _allowed(played: Discrete | Box) -> Array:
    """The lowest and the highest of each number of an action, whole ones counted from 0."""
    if isinstance(played, Discrete):
        return np.array([[0], [played.n - 1]], np.int64)
    ends = (np.broadcast_to(one, played.shape).reshape(-1) for one in (played.low, played.high))
    return np.array([*ends], np.float64)


def _padded(rows: Rows, width: int) -> Rows:
    """Rows with zeros behind."""
    missing = width - rows.shape[-1]
    return np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)])
