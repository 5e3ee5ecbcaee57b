"""Two-way analysis of variance with repeated measures: everybody met every combination of two factors.

Each effect is held against its own interaction with who was measured (Winer, 1971), so that differences between
those measured do not count as noise. The F test supposes that differences between levels vary alike (sphericity);
where they do not, Greenhouse and Geisser's (1959) epsilon shrinks its degrees of freedom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import finite
from mensura.statistics.quantiles import fisher_f_above

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Effect:
    """What one factor, or the interaction of both, explains."""

    name: str
    f: float
    """Its mean square over that of its interaction with who was measured; nan where that is 0."""
    df: int
    error_df: int
    p: float
    """How likely an F as large is without an effect, if differences vary alike."""
    epsilon: float
    """How far from alike they vary: 1 is alike, 1 / df the other extreme."""
    p_corrected: float
    """The same as p, with degrees of freedom shrunk by epsilon."""
    share: float
    """Partial eta squared: its part of what it and its noise explain together."""


def repeated_measures(
    values: ArrayLike, names: tuple[str, str] = ("first", "second")
) -> tuple[Effect, Effect, Effect]:
    """The effects of two factors and of their interaction, for values of shape (measured, first, second).

    At least two of each; every value is there.
    """
    data = np.asarray(values, np.float64)
    if data.ndim != 3 or min(data.shape) < 2:
        raise ValueError(f"values of shape {data.shape} are not at least two by two by two")
    finite(data, flat=False)
    n, a, b = data.shape
    first, second = _contrasts(a), _contrasts(b)
    both = np.kron(first, second)
    flat = data.reshape(n, a * b)
    one, two = names
    return (
        _effect(one, data.mean(axis=2) @ first, b),
        _effect(two, data.mean(axis=1) @ second, a),
        _effect(f"{one} x {two}", flat @ both, 1),
    )


def _contrasts(levels: int) -> Floats:
    """Orthonormal contrasts between levels, one a column: (levels, levels - 1)."""
    centered = np.eye(levels) - 1.0 / levels
    return np.linalg.qr(centered[:, :-1])[0]


def _effect(name: str, scores: Floats, weight: int) -> Effect:
    """The effect of contrasts, whose scores have a row for each measured; each stands for so many values."""
    n, df = scores.shape
    mean = scores.mean(axis=0)
    around = scores - mean
    explained = weight * n * float(mean @ mean)
    noise = weight * float((around * around).sum())
    covariance = around.T @ around / (n - 1)
    squares = float((covariance * covariance).sum())
    trace = float(np.trace(covariance))
    epsilon = min(1.0, max(trace * trace / (df * squares), 1.0 / df)) if squares > 0 else 1.0
    error_df = df * (n - 1)
    f = (explained / df) / (noise / error_df) if noise > 0.0 else math.nan
    return Effect(
        name=name,
        f=f,
        df=df,
        error_df=error_df,
        p=fisher_f_above(f, df, error_df),
        epsilon=epsilon,
        p_corrected=fisher_f_above(f, epsilon * df, epsilon * error_df),
        share=explained / (explained + noise) if explained + noise > 0.0 else math.nan,
    )
