"""Agreement of raters: Krippendorff's alpha, with an interval by resampling what was rated.

Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 1 minus the disagreement observed over that expected
by chance, for any number of raters and with ratings missing.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key
from mensura.statistics.interval import Estimate

Scale = Literal["nominal", "ordinal", "interval"]
Ratings = npt.NDArray[np.float64]
RESAMPLES = 2000


def krippendorff_alpha(ratings: Ratings, scale: Scale = "interval") -> float:
    """Alpha of a table (raters x units); what is missing is NaN. It is NaN where nothing varies."""
    counts, values = _counts(np.asarray(ratings, float))
    return _alpha(counts, _differences(values, counts.sum(axis=0), scale))


def alpha_with_interval(
    ratings: Ratings, seed: Key, scale: Scale = "interval", level: float = 0.95
) -> Estimate:
    """Alpha with an interval: units are drawn anew, their ratings with them. On the ordinal scale distances stay as
    they are in the whole table."""
    table = np.asarray(ratings, float)
    counts, values = _counts(table)
    if len(counts) < 2:
        raise MensuraError("Agreement needs at least two units that two raters have rated.")
    differences = _differences(values, counts.sum(axis=0), scale)
    rng = np.random.default_rng(key(seed, "alpha"))
    draws = rng.integers(len(counts), size=(RESAMPLES, len(counts)))
    found = np.array([_alpha(counts[some], differences) for some in draws])
    found = found[np.isfinite(found)]
    tail = 50.0 * (1.0 - level)
    low, high = np.percentile(found, [tail, 100.0 - tail]) if len(found) else (np.nan, np.nan)
    spread = float(found.std(ddof=1)) if len(found) > 1 else float("nan")
    return Estimate(
        _alpha(counts, differences), float(low), float(high), level, len(counts), spread
    )


def _counts(table: Ratings) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """How often each value was given to each unit (units x values), of units with two ratings and more; the values."""
    if table.ndim != 2:
        raise MensuraError("Ratings are a table of raters and units.")
    values = np.unique(table[np.isfinite(table)])
    counts = (table[:, :, None] == values).sum(axis=0).astype(float)
    return counts[counts.sum(axis=1) >= 2], values


def _differences(
    values: npt.NDArray[np.float64], totals: npt.NDArray[np.float64], scale: Scale
) -> npt.NDArray[np.float64]:
    """The squared difference of each two values, as the scale has it."""
    if scale == "nominal":
        return 1.0 - np.eye(len(values))
    if scale == "ordinal":
        places = np.cumsum(totals) - totals / 2.0
        squared: npt.NDArray[np.float64] = np.subtract.outer(places, places) ** 2
        return squared
    squared = np.subtract.outer(values, values) ** 2
    return squared


def _alpha(counts: npt.NDArray[np.float64], differences: npt.NDArray[np.float64]) -> float:
    each = counts.sum(axis=1)
    total = float(each.sum())
    if total < 2:
        return float("nan")
    pairs = np.einsum("ui,uj,ij->u", counts, counts, differences)
    observed = float((pairs / (each - 1.0)).sum())
    of_all = counts.sum(axis=0)
    expected = float(of_all @ differences @ of_all) / (total - 1.0)
    return 1.0 - observed / expected if expected > 0 else float("nan")
