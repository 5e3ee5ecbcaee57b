"""Two crossed factors: how much of the differences between cells belongs to each, and to both together."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.quantiles import chi_square


@dataclass(frozen=True, slots=True)
class TwoWay:
    """Shares of the differences between the cells of a two-way layout; they sum to 1, or are all 0."""

    rows: float
    """What the factor of the rows explains by itself."""
    columns: float
    """What the factor of the columns explains by itself."""
    interaction: float
    """What cannot be had by adding up the two factors' own effects."""
    significant: bool
    """Whether the interaction is larger than the noise of the cells explains, at the level asked for."""

    def to_json(self) -> dict[str, Any]:
        """The shares as plain data."""
        return asdict(self)


def two_way(means: ArrayLike, errors: ArrayLike, level: float = 0.999) -> TwoWay:
    """The shares of two factors in cell means, shape (rows, columns), with standard errors of that shape.

    Sums of squares of the additive model, minus what the noise alone would give. The interaction is held against a
    chi-square distribution with (rows - 1)(columns - 1) degrees of freedom. Cells that met the same environments
    have noise in common, which cancels in the interaction, so the test errs on the side of caution.
    """
    table, noise = np.asarray(means, np.float64), np.asarray(errors, np.float64)
    if table.ndim != 2 or table.shape != noise.shape or min(table.shape) < 2:
        raise ValueError(
            f"a two-way layout has at least 2 x 2 means with an error each, not {table.shape} and {noise.shape}"
        )
    rows, columns = table.shape
    grand = table.mean()
    by_row = table.mean(axis=1, keepdims=True) - grand
    by_column = table.mean(axis=0, keepdims=True) - grand
    rest = table - grand - by_row - by_column
    freedom = (rows - 1) * (columns - 1)
    variance = float(np.square(noise).mean())
    left_over = float(np.square(rest).sum())
    squares = np.array(
        [
            columns * float(np.square(by_row).sum()) - (rows - 1) * variance,
            rows * float(np.square(by_column).sum()) - (columns - 1) * variance,
            left_over - freedom * variance,
        ]
    ).clip(0.0)
    shares = squares / (squares.sum() or 1.0)
    significant = left_over > chi_square(level, freedom) * variance
    return TwoWay(float(shares[0]), float(shares[1]), float(shares[2]), bool(significant))
