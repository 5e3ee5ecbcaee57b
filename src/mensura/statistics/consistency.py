"""How reliable the score of one person is: by the parts of a test that all took, or by the errors of adaptive tests.

:func:`cronbach_alpha` is the internal consistency of a test whose exercises everybody took (Cronbach, 1951), with the
interval of Feldt (1965), which is exact for normal scores. :func:`marginal_reliability` is that of an adaptive test,
in which everybody met other exercises: one less the share of the variance of scores that is error (Green et al., 1984).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mensura.agent.keys import Key
from mensura.statistics.interval import (
    Estimate,
    Floats,
    bootstrap_interval,
    check_level,
    finite,
)
from mensura.statistics.quantiles import fisher_f


def cronbach_alpha(scores: ArrayLike, level: float = 0.95) -> Estimate:
    """Of scores of shape (people, exercises), at least two of each; nan where people do not differ at all."""
    check_level(level)
    table = finite(scores, flat=False)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(f"scores of shape {table.shape} are not of two people in two exercises")
    n, k = table.shape
    total = float(table.sum(axis=1).var(ddof=1))
    if total <= 1e-15:
        return Estimate(math.nan, -math.inf, 1.0, level, n, math.nan)
    value = k / (k - 1) * (1.0 - float(table.var(axis=0, ddof=1).sum()) / total)
    tail, df = (1.0 + level) / 2.0, (n - 1) * (k - 1)
    low = 1.0 - (1.0 - value) * fisher_f(tail, n - 1, df)
    high = 1.0 - (1.0 - value) / fisher_f(tail, df, n - 1)
    return Estimate(value, min(low, value), min(max(high, value), 1.0), level, n, math.nan)


def marginal_reliability(
    scores: ArrayLike, errors: ArrayLike, key: Key, level: float = 0.95
) -> Estimate:
    """Of the scores of people, each with its standard error; nan where they do not differ at all."""
    table = np.column_stack([finite(scores), finite(errors)])
    if len(table) < 3 or float(table[:, 0].var()) <= 1e-15:
        return Estimate(math.nan, -math.inf, 1.0, level, len(table), math.nan)

    def reliability(rows: Floats) -> float:
        spread = float(rows[:, 0].var(ddof=1))
        # A sample drawn anew may hold one person alone: then nothing is told apart.
        return 1.0 - float((rows[:, 1] ** 2).mean()) / spread if spread > 1e-15 else 0.0

    return bootstrap_interval(table, reliability, key, level=level)
