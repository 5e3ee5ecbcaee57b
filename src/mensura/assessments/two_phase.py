"""What tests that go by strata share: a pilot says where more is to be played, and both are put together.

How many come later follows from what the pilot found, so that a plain mean of both would be bent. They are put together
by shares that were fixed before, by weights alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Joined(NamedTuple):
    """A stratum after both phases."""

    mean: float
    factor: float
    """By this the variance of a single value is multiplied for that of the mean."""


def joined(pilot: Sequence[float], later: Sequence[float], more: float) -> Joined:
    """The mean of both phases, where one and ``more`` were expected to come later, before anything was found.

    Where a phase has no value, the other one counts alone.
    """
    a, b = len(pilot), len(later)
    weight = a / (a + 1 + more) if a and b else float(a > 0)
    factor = weight**2 / max(a, 1) + (1 - weight) ** 2 / max(b, 1)
    return Joined(weight * mean(pilot) + (1 - weight) * mean(later), factor)


def mean(values: Sequence[float]) -> float:
    """The plain mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def variance(values: Sequence[float]) -> float:
    """Of a sample; 0 of fewer than two."""
    middle = mean(values)
    return sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)
