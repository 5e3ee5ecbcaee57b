"""How much an outcome tells of who it was: mutual information of subject and outcome, in bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import Key, key
from mensura.statistics.interval import Estimate

Floats = npt.NDArray[np.float64]

MOST_BINS = 8
SHUFFLES = 100
RESAMPLES = 200


def mutual_information(outcomes: Sequence[npt.ArrayLike], seed: Key = 0) -> Estimate:
    """The mutual information of subject and outcome, every subject as likely, with a 95% interval.

    ``outcomes[s]`` are those of subject s, as many of each, the i-th of all in the same environment. Outcomes are put
    into bins that hold as many each; so few numbers have some information by chance, and its mean where they are dealt
    out anew among subjects is taken off. From 0 to log2 of the number of subjects; the interval is over environments
    that are drawn anew, by percentiles.
    """
    table = np.array([np.asarray(one, np.float64) for one in outcomes])
    value = _corrected(table, np.random.Generator(np.random.PCG64(key(seed, "shuffles"))))
    rng = np.random.Generator(np.random.PCG64(key(seed, "resamples")))
    count = table.shape[1]
    drawn = [
        _corrected(table[:, rng.integers(count, size=count)], rng, shuffles=5)
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    spread = float(np.std(drawn))
    return Estimate(value, min(low, value), max(high, value), 0.95, count, spread)


def _corrected(table: Floats, rng: np.random.Generator, shuffles: int = SHUFFLES) -> float:
    """The information of a table of outcomes beyond that of chance, at least 0."""
    bins = _binned(table)
    dealt = rng.permuted(np.broadcast_to(bins, (shuffles, *bins.shape)), axis=1)
    beyond = float(_information(bins[None])[0] - _information(dealt).mean())
    return float(min(max(beyond, 0.0), np.log2(len(table))))


def _binned(table: Floats) -> npt.NDArray[np.int64]:
    """The bin of every outcome; equal outcomes are in the same."""
    most = max(2, min(MOST_BINS, int(np.sqrt(table.shape[1]))))
    edges = np.unique(np.quantile(table, np.linspace(0.0, 1.0, most + 1)[1:-1]))
    return np.searchsorted(edges, table, side="right").astype(np.int64)


def _information(bins: npt.NDArray[np.int64]) -> Floats:
    """H(outcome) - H(outcome given subject) of each table, in bits; the shape is (tables, subjects, outcomes)."""
    size = int(bins.max()) + 1
    shares = (bins[..., None] == np.arange(size)).mean(axis=2)
    return np.asarray(_entropy(shares.mean(axis=1)) - _entropy(shares).mean(axis=1))


def _entropy(shares: Floats) -> Floats:
    """Along the last axis, in bits."""
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0.0)
    return np.asarray(-(shares * logs).sum(axis=-1))
