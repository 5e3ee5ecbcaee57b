"""The spread between identical experiments: how far the score of one would be off in the next.

An experiment's score is the mean over its episodes (Definition 3 of Chmait et al., 2016); the
spread is the standard deviation of that score over repetitions with other keys. For 1000 episodes
the paper reports "usually a standard deviation of less than 0.001" (footnote 3). It can be
predicted from one experiment, since episodes are independent, or observed over several; where the
two agree, each vouches for the other.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, check_level, finite
from mensura.statistics.moments import Moments
from mensura.statistics.quantiles import chi_square


def predicted_spread(
    experiment: Moments | ArrayLike, episodes: int | None = None, level: float = 0.95
) -> Estimate:
    """The spread between experiments of `episodes` episodes, from the scores within one.

    `experiment` is the scores of its episodes, shape (n,), n >= 1, or their moments; `episodes` is
    n unless told. The value is the standard deviation of episodes over the root of their number.
    The interval is chi-square's: exact for normal scores, cautious for flat ones.
    """
    moments = experiment if isinstance(experiment, Moments) else Moments.of(experiment)
    episodes = moments.count if episodes is None else episodes
    if episodes < 1:
        raise ValueError(f"an experiment has at least one episode, not {episodes}")
    return _deviation(moments.variance / episodes, moments.count, level)


def observed_spread(scores: ArrayLike, level: float = 0.95) -> Estimate:
    """The spread of the scores of identical experiments, shape (repetitions,), repetitions >= 1.

    The value is their standard deviation; scores are means of many episodes, so nearly normal, and
    chi-square's interval holds.
    """
    array = finite(scores)
    variance = float(np.var(array, ddof=1)) if array.size > 1 else math.nan
    return _deviation(variance, array.size, level)


def _deviation(variance: float, n: int, level: float) -> Estimate:
    """The standard deviation of a normal sample of n with its interval; from 0 up if n is 1."""
    check_level(level)
    if n < 2:
        return Estimate(math.nan, 0.0, math.inf, level, n, math.nan)
    value, df = math.sqrt(variance), n - 1
    low = value * math.sqrt(df / chi_square((1 + level) / 2, df))
    high = value * math.sqrt(df / chi_square((1 - level) / 2, df))
    return Estimate(value, low, high, level, n, value / math.sqrt(2 * df))
