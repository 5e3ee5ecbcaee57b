"""Many comparisons at once: probabilities corrected so that chance findings stay rare.

Of a hundred comparisons of equals, five come out below 0.05 by chance. Holm's correction keeps the probability of
any false finding below the level; Benjamini and Hochberg's keeps down the share of false ones among the findings.
"""

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Floats

CORRECTIONS = ("holm", "benjamini-hochberg", "none")


def corrected(p: ArrayLike, correction: str = "holm") -> Floats:
    """The p values of a family, shape (m,), corrected; nan stays nan and is not counted."""
    array = np.asarray(p, np.float64)
    if array.ndim != 1:
        raise ValueError(f"a family of comparisons has one dimension, not {array.ndim}")
    known = ~np.isnan(array)
    if ((array[known] < 0.0) | (array[known] > 1.0)).any():
        raise ValueError("probabilities lie between 0 and 1, one of these does not")
    out = array.copy()
    if correction not in CORRECTIONS:
        raise ValueError(f"there is no correction {correction!r}; there are {CORRECTIONS}")
    if correction == "holm":
        out[known] = holm(array[known])
    elif correction == "benjamini-hochberg":
        from scipy.stats import false_discovery_control

        out[known] = false_discovery_control(array[known])
    return out


def holm(p: Floats) -> Floats:
    """Holm's (1979): the smallest of m times m, the next times m - 1, and so on, never falling; shape (m,)."""
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    out = np.empty_like(p)
    out[order] = np.minimum(raised, 1.0)
    return out
