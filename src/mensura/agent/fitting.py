"""Observations as flat rows of one size, for learners that want one observation space in environments of many sizes."""

from __future__ import annotations

from operator import gt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete, Record, Space


class Fit(NamedTuple):
    """How the observations and actions of one environment lie within the larger spaces of a view."""

    places: npt.NDArray[np.intp] | slice
    """Where each number of the environment's flat observation goes; a slice, as that is quicker, where it will do."""
    blank: npt.NDArray[np.float64]
    """What stands elsewhere."""
    last: int
    """The last action that the environment has; the default one is played for those after it."""

    def rows(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Observations in the size of the view: (..., size)."""
        filled = np.empty((*rows.shape[:-1], len(self.blank)))
        filled[...] = self.blank
        filled[..., self.places] = rows
        return filled


def is_row(space: Space) -> bool:
    """Whether values are flat rows of float64 in Gymnasium's view: numbers without a type of their own."""
    if isinstance(space, Box):
        return space.dtype == "float64"
    return isinstance(space, Discrete) or (isinstance(space, Record) and space.flat)


def row_of(observation: Any) -> npt.NDArray[np.float64]:
    """An observation as a flat row of its own."""
    if isinstance(observation, np.void):
        return np.frombuffer(observation, np.float64).copy()
    return np.array(observation, np.float64).reshape(-1)


def fit_into(own: tuple[Space, Space], largest: tuple[Space, Space], blank: Any) -> Fit | None:
    """How an environment's spaces lie within others, field by field; None where they do not."""
    (seen, played), (room, actions) = own, largest
    if not isinstance(seen, Record) or not isinstance(room, Record):
        return None
    if not isinstance(played, Discrete) or not isinstance(actions, Discrete):
        return None
    if not (seen.flat and room.flat) or list(seen.boxes) != list(room.boxes):
        return None
    places, first = [], 0
    for box, larger in zip(seen.boxes.values(), room.boxes.values(), strict=True):
        inside = larger.low <= box.low and box.high <= larger.high
        if (
            not inside
            or len(box.shape) != len(larger.shape)
            or any(map(gt, box.shape, larger.shape))
        ):
            return None
        numbers = first + np.arange(larger.size).reshape(larger.shape)
        places.append(numbers[tuple(map(slice, box.shape))].reshape(-1))
        first += larger.size
    if played.start != actions.start or played.n > actions.n:
        return None
    at = np.concatenate(places)
    in_a_row = np.array_equal(at, np.arange(len(at)))
    last = played.start + played.n - 1
    return Fit(slice(len(at)) if in_a_row else at, np.frombuffer(blank, np.float64), last)


def bounds_of(space: Space) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The lowest and the highest row of Gymnasium's view; where a number cannot vary, the highest is raised by 1.

    Of a box with another type than float64, it is the lowest and the highest array.
    Learners divide by the width of a box, and Gymnasium's checker warns of equal bounds.
    """
    if isinstance(space, Record):
        low, high = space.bounds()
    elif isinstance(space, Discrete):
        low, high = np.array([float(space.start)]), np.array([space.start + space.n - 1.0])
    elif isinstance(space, Box) and space.dtype == "float64":
        low, high = np.full(space.size, float(space.low)), np.full(space.size, float(space.high))
    elif isinstance(space, Box):
        low, high = (space.array(np.full(space.shape, one)) for one in (space.low, space.high))
        if space.low == space.high == 255 and space.dtype == "uint8":
            return low - 1, high
    else:
        raise MensuraError(f"Values of {space!r:.100} are no arrays, so they have no bounds.")
    return low, np.where(low == high, high + 1, high)
