"""The thesis's environments by complexity: patterns within an interval, and what the lengths of patterns allow.

Most tries at a wanted complexity fail, so that a try is a few arrays and a text; only what fits becomes a description.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import Key
from mensura.complexity.compression import zlib_length
from mensura.complexity.integers import log_star
from mensura.complexity.lempel_ziv import lempel_ziv_76
from mensura.worlds.lambda_class.behaviors import LONGEST_PATTERN
from mensura.worlds.lambda_class.kernels.generator import moves_door
from mensura.worlds.lambda_class.space import thesis_text

OF_PATTERN = ("zlib_space_pattern", "zlib_pattern", "lempel_ziv")
"""The measures that are of the text of a pattern, and perhaps of the space."""

_RAREST = 1e-12
"""A length of patterns that is exceeded so rarely is not exceeded at all."""

Numbers: TypeAlias = npt.NDArray[np.int64]
Shares: TypeAlias = npt.NDArray[np.float64]


@lru_cache(maxsize=16)
def length_weights(p_stop: float) -> Shares:
    """The probability of each length of a pattern, from 1 on."""
    if p_stop == 1:
        return np.ones(1)
    most = math.ceil(math.log(_RAREST) / math.log1p(-p_stop))
    going_on = np.full(min(most, LONGEST_PATTERN), 1 - p_stop)
    going_on[0] = p_stop
    return np.cumprod(going_on)


def draw_moves(key: Key, actions: int, lengths: Shares) -> Numbers:
    """The pattern of a key (4.4): even draws among the actions, how many by one draw.

    `lengths` says how likely it is to have so many or fewer, from 1 on; its last entry need not be 1.
    """
    moves = np.empty(len(lengths), np.int64)
    return moves[: moves_door(np.uint64(key), actions, lengths, moves)]


def pattern_complexity(shifts: Sequence[Sequence[int]], moves: Numbers, measure: str) -> int:
    """A complexity of a space, by its shifts, and a pattern."""
    if measure == "lempel_ziv":
        return lempel_ziv_76(moves)
    if len(shifts[0]) <= 10:
        written = (moves + ord("0")).astype(np.uint8).tobytes().decode("ascii")
    else:
        written = "".join(map(str, moves.tolist()))
    if measure == "zlib_pattern":
        return zlib_length(written)
    return zlib_length(thesis_text(shifts) + written) * len(moves)


# Which lengths of patterns a complexity allows --------------------------------------


def fitting_lengths(
    p_stop: float,
    measure: str,
    low: float,
    high: float,
    n_c: tuple[int, int],
    n_a: tuple[int, int],
    objects: int,
) -> Shares:
    """The probability that a pattern has so many actions or fewer and may have such a complexity.

    A pattern of another length would be turned down anyway, so this changes no probabilities; it finds what is rare
    among all patterns in a few tries. `n_c` and `n_a` are the least and the most cells and actions.
    """
    weights = length_weights(p_stop)
    n = np.arange(1, len(weights) + 1)
    least, most = _bounds(n, measure, n_c, n_a, objects)
    fits = (least <= high) & (low <= most)
    if not measure.startswith("kt"):  # whole numbers, of which one has to lie between
        factor = n if measure == "zlib_space_pattern" else np.ones_like(n)
        first = np.maximum(np.ceil(low / factor), np.ceil(least / factor))
        last = np.minimum(np.floor(high / factor), np.floor(most / factor))
        fits = first <= last
    return np.cumsum(np.where(fits, weights, 0.0))


def _bounds(
    n: Numbers, measure: str, n_c: tuple[int, int], n_a: tuple[int, int], objects: int
) -> tuple[Shares, Shares]:
    """The least and the most complexity of patterns of n actions."""
    symbols = max(n_a[1], 2)
    if measure == "lempel_ziv":
        return np.minimum(n, 2).astype(np.float64), most_components(n, symbols).astype(np.float64)
    if measure == "zlib_pattern":
        return np.full(len(n), float(zlib_length("0"))), most_bytes(n, symbols).astype(np.float64)
    if measure == "zlib_space_pattern":
        bytes_ = most_bytes(n, symbols) + most_bytes_of_space(n_c[1], symbols)
        return zlib_length("0") * n.astype(np.float64), (bytes_ * n).astype(np.float64)
    # Bits. The work of an episode or of a response adds nothing for the least, and for the most what ever fits a clock.
    number = _number_bits(len(n))
    least = number + n * math.log2(n_a[0])
    if objects:
        return least, np.full(len(n), math.inf)
    space = log_star(n_c[1]) + n_c[1] * (n_a[1] - 1) * math.log2(n_c[1]) + log_star(n_a[1])
    return least, number + n * math.log2(n_a[1]) + space + 80


@lru_cache(maxsize=16)
def _number_bits(most: int) -> Shares:
    """The bits of each number from 1 to the most."""
    return np.array([log_star(n) for n in range(1, most + 1)])


def most_bytes(n: Numbers, symbols: int) -> Numbers:
    """More than zlib makes of n random symbols: half as much again as their entropy, and a table."""
    return (1.5 / 8 * math.log2(symbols) * n).astype(np.int64) + 60


def most_bytes_of_space(n_c: int, n_a: int) -> int:
    """More than zlib makes of a random space: two bytes and a little for each arrow, and a table."""
    return int((2 + n_c / 50) * n_c * (n_a - 1)) + 20


def most_components(n: Numbers, symbols: int) -> Numbers:
    """How many components the exhaustive history of n symbols can have.

    All but the last are different words, of which there are so many of each length.
    """
    rest, count = n.copy(), np.ones_like(n)
    for length in range(1, 64):
        words = np.minimum(rest // length, min(symbols**length, LONGEST_PATTERN))
        if not words.any():
            break
        count += words
        rest -= words * length
    return np.minimum(count, n)
