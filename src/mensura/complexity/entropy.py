"""Shannon's entropy of a distribution, and of where things may be in a grid, in bits."""

import math
from collections.abc import Sequence


def shannon_entropy(probabilities: Sequence[float]) -> float:
    """The entropy -sum p log2 p of a distribution (Shannon, 1948), in bits; 0 log 0 is 0.

    `probabilities` has one entry per outcome, none negative, with sum 1 (to 1e-9).
    """
    total = math.fsum(probabilities)
    if not math.isclose(total, 1.0, abs_tol=1e-9) or min(probabilities) < 0.0:
        raise ValueError(f"probabilities are not negative and sum to 1, not to {total}")
    return math.fsum(-p * math.log2(p) for p in probabilities if p > 0.0)


def search_space_entropy(rows: int, columns: int, objects: int = 2) -> float:
    """The search-space complexity H of a grid in which `objects` stand on distinct cells, in bits.

    Section 4.3 of Chmait et al. (2016) for Lambda Star, with Good and Evil as the objects: all
    states are equally likely to a newcomer, so H = log2 (mn)! / (mn - 2)!. Exact to the last digit
    for a grid of any size.
    """
    if rows < 1 or columns < 1 or objects < 0 or rows * columns < objects:
        raise ValueError(f"a grid of {rows}x{columns} cells has no room for {objects} objects")
    return math.log2(math.perm(rows * columns, objects))
