"""The parameters of a landscape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_star.torus.parameters import OnTorus, check_number

LARGEST = 2**14
"""Cells of the largest landscape: a description holds every cell."""
CELLS_OF_A_PEAK = 9
"""There is room for one peak in so many cells: a summit and its neighbors."""
USUAL_CELLS_OF_A_PEAK = 33
"""Where no number is given, there is one peak for so many cells."""


@dataclass(frozen=True, kw_only=True)
class Parameters(OnTorus):
    """What may be asked of a landscape."""

    peaks: int = 0
    """Of a landscape: how many local optima it has, the global one among them; 0: one for every 33 cells."""
    peak_width: float = 4.0
    """Of a landscape: about how many cells from its summit a peak has lost the height of the highest."""
    below_zero: float = 0.5
    """Of a landscape: about which share of the cells is worth less than 0."""
    drift: float = 0.0
    """Of a landscape: how many steps it makes in an interaction, from 0 (still) to 1."""
    landscape_reacts: Literal["no", "flees", "follows", "tires"] = "no"
    """Of a landscape: how it responds to subjects; it flees or follows as a whole, and tires cell by cell."""


def most_peaks(rows: int, cols: int) -> int:
    """How many peaks there is room for."""
    return max(1, rows * cols // CELLS_OF_A_PEAK)


def peaks_of(options: Parameters) -> int:
    """How many peaks are drawn where no complexity is wanted."""
    return int(options.peaks or max(1, options.rows * options.cols // USUAL_CELLS_OF_A_PEAK))


def check(options: Parameters) -> None:
    """Raise if the parameters make no landscape, or no sense of how it reacts."""
    rows, cols = options.rows, options.cols
    if min(rows, cols) < 3:
        raise MensuraError(
            f"A landscape of {rows}x{cols} cells has no room for a peak; it needs at least 3x3."
        )
    if rows * cols > LARGEST:
        raise MensuraError(
            f"A landscape of {rows}x{cols} cells is too large; at most {LARGEST} cells are possible."
        )
    check_number("peaks", options.peaks, 0, most_peaks(rows, cols), whole=True)
    check_number("peak_width", options.peak_width, 0.5, 1000.0)
    check_number("below_zero", options.below_zero, 0.2, 0.9)
    check_number("drift", options.drift, 0.0, 1.0)
    content = options.drawn_values
    if content and len(content) != rows * cols:
        raise MensuraError(
            f"The content has {len(content)} numbers; a landscape of {rows}x{cols} has {rows * cols}, one a cell."
        )
    for value in content:
        check_number("A cell of the content", value, -1.0, 1.0)
    options.check_reactions("landscape_reacts")
