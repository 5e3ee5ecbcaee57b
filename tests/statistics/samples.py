"""Samples for tests: from columns, and from simulated studies whose truth is known; and statistics of them."""

import numpy as np

from mensura.statistics.sample import Sample


def sample(
    score: object,
    environment: object = None,
    run: object = None,
    label: str = "somebody",
    condition: str = "",
) -> Sample:
    """A sample of scores; each has its own environment and all one run, unless told."""
    values = np.asarray(score, np.float64)
    size = len(values)
    return Sample(
        label,
        values,
        np.asarray(np.arange(size) if environment is None else environment, np.uint64),
        np.asarray(np.zeros(size) if run is None else run, np.int64),
        np.full(size, np.nan),
        condition,
    )


def clustered(
    rng: np.random.Generator,
    *,
    environments: int,
    runs: int = 1,
    sittings: int = 1,
    by_environment: float = 0.0,
    by_run: float = 0.0,
    noise: float = 1.0,
    crossed: bool = False,
    mean: float = 0.0,
) -> Sample:
    """A study in which environments and runs have effects of their own, with these standard deviations.

    Crossed, every run meets the same environments; else each has so many of its own. Every environment is met in
    so many sittings a run.
    """
    at_run = np.repeat(np.arange(runs), environments * sittings)
    within = np.tile(np.repeat(np.arange(environments), sittings), runs)
    at_environment = within if crossed else within + at_run * environments
    score = (
        mean
        + rng.normal(0, by_environment, runs * environments)[at_environment]
        + rng.normal(0, by_run, runs)[at_run]
        + rng.normal(0, noise, len(at_run))
    )
    return sample(score, at_environment, at_run)


def weighted_mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean of values, shape (n,), under each row of weights, shape (b, n)."""
    return weights @ values / weights.sum(axis=1)


def weighted_median(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The lower median of rising values, shape (n,), under each row of whole weights, shape (b, n)."""
    counted = weights.cumsum(axis=1)
    return values[np.argmax(counted >= counted[:, -1:] / 2, axis=1)]


def mean_of_tables(table: np.ndarray) -> np.ndarray:
    """The mean of each of b tables of scores, shape (b, runs, tasks)."""
    return table.mean(axis=(1, 2))
