"""Whether values may be from an exponential distribution whose mean is not known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import key

DRAWS = 2_000


class ExponentialTest(NamedTuple):
    """The largest difference of the distribution functions, and how often chance has a larger one."""

    distance: float
    p: float
    size: int


def exponential_test(values: npt.NDArray[np.float64], seed: int = 0) -> ExponentialTest:
    """Kolmogorov and Smirnov's distance from the exponential distribution with the same mean.

    As the mean is estimated, p is found by drawing (Lilliefors 1969): so many samples as large from an exponential
    distribution, each compared with the one of its own mean.
    """
    count = len(values)
    if count < 5 or float(values.mean()) <= 0.0:
        return ExponentialTest(float("nan"), float("nan"), count)
    found = _distances(values[None, :])[0]
    rng = np.random.default_rng(key(seed, "exponential", count))
    drawn = _distances(rng.exponential(size=(DRAWS, count)))
    return ExponentialTest(float(found), float((1 + (drawn >= found).sum()) / (1 + DRAWS)), count)


def _distances(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each row."""
    count = samples.shape[1]
    ordered = np.sort(samples, axis=1) / samples.mean(axis=1, keepdims=True)
    below = 1.0 - np.exp(-ordered)
    steps = np.arange(count) / count
    far: npt.NDArray[np.float64] = np.maximum(
        (below - steps).max(axis=1), (steps + 1.0 / count - below).max(axis=1)
    )
    return far
