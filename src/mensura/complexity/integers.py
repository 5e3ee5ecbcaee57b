"""How many bits a whole number takes, if nothing is known about it: Rissanen's universal code.

Rissanen (1983), "A Universal Prior for Integers and Estimation by Minimum Description Length": first the number is
written, then how long that is, then how long that is, and so on: log2 n + log2 log2 n + ..., as far as the terms are
positive, and log2 c more, with which the probabilities 2^-length of all numbers sum to 1.
"""

import math
from functools import cache

import numpy as np
import numpy.typing as npt

NORMALIZER = 2.865064
"""c, the sum of 2^-(log2 n + log2 log2 n + ...) over all n, as Rissanen gives it."""


def log_star(n: int) -> float:
    """The length of a number from 1 on, in bits.

    >>> [round(log_star(n), 2) for n in (1, 2, 4, 16)]
    [1.52, 2.52, 4.52, 8.52]
    """
    if n < 1:
        raise ValueError(f"numbers are coded from 1 on, not {n}")
    bits, rest = math.log2(NORMALIZER), math.log2(n)
    while rest > 0.0:
        bits += rest
        rest = math.log2(rest)
    return bits


@cache
def log_star_shares(most: int) -> npt.NDArray[np.float64]:
    """The probability 2^-length that a number is n or less, for n from 1 to `most`; the last is well below 1."""
    shares = np.cumsum([2.0 ** -log_star(n) for n in range(1, most + 1)])
    shares.flags.writeable = False
    return shares
