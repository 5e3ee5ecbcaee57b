"""The scores of one subject under one condition, with what tells their units of replication apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mensura.statistics.setting import Setting


@dataclass(frozen=True)
class Sample:
    """Scores, one entry of each column a sitting."""

    label: str
    """Whose scores they are."""
    score: npt.NDArray[np.float64]
    environment: npt.NDArray[np.uint64]
    """Which environment: equal numbers are the same one, so that subjects can be paired on it."""
    run: npt.NDArray[np.int64]
    """Which independent repetition of the experiment."""
    complexity: npt.NDArray[np.float64]
    """Of the environment; nan where nobody measured it."""
    condition: str = ""
    """The world, the assessment and the levels of the factors, in words."""
    measures: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    """Further measures of the assessed episode, by name; nan where a sitting has none."""

    default_share: float = math.nan
    """The share of its actions that were the environment's default, for want of an answer; nan where nobody counted."""

    setting: Setting | None = None
    """What they were made under; None where nobody says."""

    def __len__(self) -> int:
        return len(self.score)
