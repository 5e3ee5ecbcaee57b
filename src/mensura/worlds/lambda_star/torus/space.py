"""The torus: its actions, which sizes it may have, and what a subject observes there."""

from __future__ import annotations

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete, Record

ACTIONS = Discrete(9, start=1)
ACTION_NAMES = (
    "up-left",
    "up",
    "up-right",
    "left",
    "stay",
    "right",
    "down-left",
    "down",
    "down-right",
)
"""The actions 1 to 9, in the order of section 5.1 of the paper."""
MOVES_AND_DEEDS = Discrete(18, start=1)
"""Where there is a deed: 10 to 18 make the moves 1 to 9 and do it."""

LARGEST_GRID = 1_000_000
LARGEST_HORIZON = 100_000
"""Counting the K of a pattern takes time that grows with the square of it."""


def check_space(rows: int, cols: int, subjects: int, horizon: int, k: int, radius: int) -> None:
    """One sentence for each way in which the parameters of a space can be wrong."""
    names = ("rows", "cols", "subjects", "horizon", "range", "radius")
    values = (rows, cols, subjects, horizon, k, radius)
    if set(map(type, values)) != {int}:  # the usual case, quickly
        for name, value in zip(names, values, strict=True):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise MensuraError(f"{name} is {value!r}; it must be a whole number.")
    if rows < 1 or cols < 1 or rows * cols < 2:
        raise MensuraError(
            f"A grid of {rows}x{cols} has no room for Good and Evil; it needs at least 2 cells, as 1x2."
        )
    if rows * cols > LARGEST_GRID:
        raise MensuraError(f"A grid of {rows}x{cols} is too large; at most {LARGEST_GRID} cells.")
    if subjects < 1:
        raise MensuraError(f"{subjects} subjects cannot be assessed; at least 1 is needed.")
    if subjects > 10_000:
        raise MensuraError(f"{subjects} subjects are too many; at most 10000 fit.")
    if not 1 <= horizon <= LARGEST_HORIZON:
        raise MensuraError(
            f"An episode of {horizon} interactions is out of range; 1 to {LARGEST_HORIZON} are possible."
        )
    if not 1 <= k <= min(rows, cols):
        raise MensuraError(
            f"An observation range of {k} does not fit a {rows}x{cols} grid; "
            f"it is from 1 to {min(rows, cols)} there."
        )
    if not 0 <= radius <= max(rows, cols):
        raise MensuraError(
            f"A reward radius of {radius} does not fit a {rows}x{cols} grid; "
            f"it is from 0 to {max(rows, cols)} there."
        )


def observation_space(
    rows: int,
    cols: int,
    subjects: int,
    horizon: int,
    k: int,
    deeds: bool = False,
    signals: bool = False,
) -> Record:
    """What a subject observes; see :class:`LambdaStarEnvironment`."""
    shape = (2 * k + 1, 2 * k + 1)
    others = Box(0, max(subjects - 1, 0), shape)
    further: tuple[tuple[str, Box], ...] = ()
    if deeds:
        further += (("deeds", others),)
    if signals:
        further += (("signal", Box(-1, 1)),)
    return Record(
        (
            ("position", Box(0, max(rows, cols) - 1, (2,))),
            ("iteration", Box(0, horizon)),
            ("future", Box(-1, max(rows, cols) - 1, (2,))),
            ("rewards", Box(-1, 1, shape)),
            ("good", Box(0, 1, shape)),
            ("evil", Box(0, 1, shape)),
            ("others", others),
            ("guide", Box(0, 1, shape)),
            *further,
        )
    )
