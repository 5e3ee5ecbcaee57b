"""A score that an assessment returns with what else it found out in the sitting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self


class Scored(float):
    """The score of a sitting, a number like any other, with further measures of the whole sitting by name."""

    measures: Mapping[str, float]

    def __new__(cls, score: float, measures: Mapping[str, float]) -> Self:
        """The score and what comes with it."""
        scored = super().__new__(cls, score)
        scored.measures = dict(measures)
        return scored


def measures_of(score: float) -> Mapping[str, float]:
    """What came with a score; nothing where it is a plain number."""
    return score.measures if isinstance(score, Scored) else {}
