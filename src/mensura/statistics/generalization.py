"""Generalization: performance in Y after training in X, against the distance of Y from X.

Section 4.3 of Evaluation of General-Purpose Artificial Intelligence: Why, What & How (Bieger and others, 2016): what is
left in Y of what was learned in X against D(X, Y), with a monotone fit. That it falls with distance is told by the
correlation of ranks of each learner, whose interval is over learners; both are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, Floats, finite, mean_interval


@dataclass(frozen=True)
class Generalization:
    """Pairs of different tasks, the nearest first."""

    distance: Floats
    """(pairs,)"""
    transfer: Floats
    """(pairs,): P(Y, K_X), mean over learners."""
    fit: Floats
    """(pairs,): the falling curve that is nearest."""
    correlation: Estimate
    """Of ranks of transfer and distance; below 0: transfer falls with distance."""


def generalization(raw: ArrayLike, apart: ArrayLike) -> Generalization | None:
    """From raw transfer, shape (learners, tasks, tasks), and distances, shape (tasks, tasks).

    None where distances are not known, or all pairs are equally far apart.
    """
    from scipy.optimize import isotonic_regression

    gaps = np.asarray(apart, np.float64)
    off = ~np.eye(len(gaps), dtype=np.bool_)
    if not np.isfinite(gaps).all() or np.ptp(gaps[off]) == 0.0:
        return None
    table = finite(raw, flat=False)[:, off]
    order = np.argsort(gaps[off], kind="stable")
    distance, single = gaps[off][order], table[:, order]
    mean = single.mean(axis=0)
    # Pairs that are equally far apart have one height.
    place = np.unique(distance, return_inverse=True)[1]
    counts = np.bincount(place)
    heights = np.bincount(place, mean) / counts
    fit = isotonic_regression(heights, weights=counts, increasing=False).x[place]
    return Generalization(
        distance, mean, fit, mean_interval([_ranks_agree(distance, one) for one in single])
    )


def _ranks_agree(one: Floats, two: Floats) -> float:
    """Spearman's correlation; 0 where all of one are equal."""
    from scipy.stats import rankdata

    if np.ptp(two) == 0.0:
        return 0.0
    return float(np.corrcoef(rankdata(one), rankdata(two))[0, 1])
