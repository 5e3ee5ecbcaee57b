"""Random graphs as arrays of pairs, without a table of all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError

Pairs = npt.NDArray[np.int64]
"""(pairs, 2): the smaller end first, in order, none twice."""


def pairs_of(codes: npt.NDArray[np.int64], n: int) -> Pairs:
    """The pairs with these numbers, of all pairs of n things counted row by row."""
    starts = np.concatenate([[0], np.cumsum(np.arange(n - 1, 0, -1, dtype=np.int64))])
    first = np.searchsorted(starts, codes, side="right") - 1
    return np.stack([first, codes - starts[first] + first + 1], axis=1)


def distinct_pairs(rng: np.random.Generator, n: int, count: int) -> Pairs:
    """So many different pairs of n things."""
    total = n * (n - 1) // 2
    if count > total:
        raise MensuraError(f"{n} things have {total} pairs, not {count}.")
    if not count:
        return np.zeros((0, 2), np.int64)
    return pairs_of(np.sort(rng.choice(total, count, replace=False, shuffle=False)), n)


def pairs_across(rng: np.random.Generator, groups: npt.NDArray[np.int64], count: int) -> Pairs:
    """So many different pairs of things that are in different groups, each such set as probable as any other."""
    n = len(groups)
    sizes = np.bincount(groups)
    total = n * (n - 1) // 2 - int((sizes * (sizes - 1) // 2).sum())
    if count > total:
        raise MensuraError(
            f"{n} things in {np.count_nonzero(sizes)} groups have {total} pairs across, not {count}."
        )
    all_pairs = n * (n - 1) // 2
    if 4 * count > total:
        every = pairs_of(np.arange(all_pairs, dtype=np.int64), n)
        every = every[groups[every[:, 0]] != groups[every[:, 1]]]
        chosen: Pairs = every[np.sort(rng.choice(len(every), count, replace=False, shuffle=False))]
        return chosen
    codes = np.zeros(0, np.int64)
    while len(codes) < count:
        drawn = rng.integers(all_pairs, size=count - len(codes) + 100)
        ends = pairs_of(drawn, n)
        drawn = drawn[groups[ends[:, 0]] != groups[ends[:, 1]]]
        together = np.concatenate([codes, drawn])
        _, first = np.unique(together, return_index=True)
        codes = together[np.sort(first)][:count]
    return pairs_of(np.sort(codes), n)


def power_law_degrees(
    rng: np.random.Generator, n: int, least: int, most: int, exponent: float
) -> npt.NDArray[np.int64]:
    """Degrees with P(k) in proportion to k**-exponent, from the least to the largest, whose sum is even."""
    if least > most:
        raise MensuraError(
            f"No graph of {n} nodes is drawn with degrees from {least} to {most}: the largest is the square root of "
            f"the number of nodes, rounded down, so that the least is at most {most}."
        )
    if least == most and n * least % 2:
        raise MensuraError(
            f"No graph of {n} nodes has the degree {least} everywhere: the sum of degrees is even."
        )
    degrees = np.arange(least, most + 1)
    weights = degrees ** -float(exponent)
    while True:
        drawn = rng.choice(degrees, size=n, p=weights / weights.sum())
        if int(drawn.sum()) % 2 == 0:
            return drawn.astype(np.int64)


def configuration(rng: np.random.Generator, degrees: npt.NDArray[np.int64]) -> Pairs:
    """The configuration model: ends are joined by chance; loops and doubles are dropped."""
    if len(degrees) and (int(degrees.min()) < 0 or int(degrees.sum()) % 2):
        raise MensuraError("No graph has these degrees: they are at least 0 and their sum is even.")
    ends = rng.permutation(np.repeat(np.arange(len(degrees)), degrees)).reshape(-1, 2)
    return simple(ends, len(degrees))


def preferential(rng: np.random.Generator, n: int, links: int) -> Pairs:
    """Barabasi and Albert (1999): each new node is linked to so many others, in proportion to their degrees."""
    if links >= n:
        raise MensuraError(
            f"No graph of {n} nodes has the least degree {links}: a node has at most {n - 1} neighbors."
        )
    ends: list[int] = []
    targets = list(range(links))
    for node in range(links, n):
        for target in targets:
            ends += (node, target)
        chosen: dict[int, None] = {}
        while len(chosen) < links:
            for place in rng.integers(len(ends), size=links - len(chosen)).tolist():
                chosen[ends[place]] = None
        targets = list(chosen)[:links]
    return simple(np.array(ends, np.int64).reshape(-1, 2), n)


def simple(ends: npt.NDArray[np.int64], n: int) -> Pairs:
    """The pairs without loops and doubles, in order."""
    low, high = ends.min(axis=1, initial=n), ends.max(axis=1, initial=0)
    codes = np.unique((low * n + high)[low < high])
    return np.stack([codes // n, codes % n], axis=1)
