"""Lempel-Ziv complexity of 1976: the number of steps in which a copying machine builds a sequence.

Lempel and Ziv (1976), "On the Complexity of Finite Sequences", read a sequence from left to right
as a history of components. Each is the shortest stretch that cannot be copied from what stands
before its last symbol; the copy may overlap itself. The complexity is the number of components of
this exhaustive history, in which only the last may be a mere copy: 0 001 10 100 1000 101 has six.
Kaspar and Schuster (1987), "Easily calculable measure for the complexity of spatiotemporal
patterns", gave the way to count them that everybody uses.
"""

import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mensura.core.compiled import door, rule, uint64


@rule
def count(sequence: Any, n: Any) -> Any:
    """The complexity of the first n symbols of `sequence`, a 1-D array of any integer type.

    Each component is one symbol longer than the longest copy, which may start anywhere before it.
    The time grows with the square of n; indices are unsigned to spare the test for negative ones.
    """
    components = 0
    begin = 0
    while begin < n:
        longest = 0
        first = sequence[uint64(begin)]
        for start in range(begin):
            if sequence[uint64(start)] == first:
                length = 1
                while (
                    begin + length < n
                    and sequence[uint64(start + length)] == sequence[uint64(begin + length)]
                ):
                    length += 1
                longest = max(longest, length)
                if begin + longest == n:
                    break
        components += 1
        begin += longest + 1
    return components


@door
def count_door(sequence: NDArray[np.int64]) -> int:
    """The complexity of a contiguous array of int64."""
    return int(count(sequence, sequence.size))


def lempel_ziv_76(sequence: Iterable[Hashable] | NDArray[Any]) -> int:
    """The Lempel-Ziv complexity (1976) of a string, a list, an array or any symbols in a row.

    >>> lempel_ziv_76("0001101001000101")
    6

    Symbols are equal or different, and nothing else about them counts. An empty sequence has
    complexity 0, a single symbol 1, a constant sequence 2.
    """
    return int(count_door(_symbols(sequence)))


def normalized(sequence: Iterable[Hashable] | NDArray[Any]) -> float:
    """The complexity over n / log2 n, what a random sequence of n bits tends to.

    So sequences of different lengths compare. A sequence of fewer than two symbols has no such
    scale, and gets 0.
    """
    symbols = _symbols(sequence)
    n = symbols.size
    return int(count_door(symbols)) * math.log2(n) / n if n > 1 else 0.0


def _symbols(sequence: Iterable[Hashable] | NDArray[Any]) -> NDArray[np.int64]:
    """The sequence as int64, one number per different symbol."""
    if isinstance(sequence, np.ndarray):
        if sequence.ndim != 1:
            raise ValueError(f"a sequence has one dimension, not {sequence.ndim}")
        if sequence.dtype.kind in "iu":
            return np.ascontiguousarray(sequence).astype(np.int64, copy=False)
        sequence = sequence.tolist()
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(s, len(numbers)) for s in sequence], np.int64)
