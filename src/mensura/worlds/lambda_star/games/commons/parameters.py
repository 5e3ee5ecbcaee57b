"""The parameters of a commons."""

from __future__ import annotations

from dataclasses import dataclass

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_star.torus.parameters import OnTorus, check_number

LARGEST = 2**14
"""Cells of the largest commons: a description holds every cell."""


@dataclass(frozen=True, kw_only=True)
class Parameters(OnTorus):
    """What may be asked of a commons."""

    renewal: float = 0.1
    """Of a commons: a stock s grows by so much of s (1 - s) in an interaction."""
    bite: float = 0.5
    """Of a commons: the share of a cell's stock that one harvest takes."""
    threshold: float = 0.1
    """Of a commons: a stock below it does not regrow by itself; 0 for none."""
    spread: float = 0.0
    """Of a commons: what a stock that does not regrow by itself gets of the mean of its neighbors; 0: it is lost."""
    initial_stock: float = 0.5
    """Of a commons: stocks begin anywhere between this and 1."""


def check(options: Parameters) -> None:
    """Raise if the parameters make no commons."""
    cells = options.rows * options.cols
    if cells > LARGEST:
        raise MensuraError(
            f"A commons of {options.rows}x{options.cols} cells is too large; at most {LARGEST} cells are possible."
        )
    check_number("renewal", options.renewal, 0.001, 1.0)
    check_number("bite", options.bite, 0.001, 1.0)
    check_number("threshold", options.threshold, 0.0, 1.0)
    check_number("spread", options.spread, 0.0, 1.0)
    check_number("initial_stock", options.initial_stock, 0.0, 1.0)
    content = options.drawn_values
    if content and len(content) != cells:
        raise MensuraError(
            f"The content has {len(content)} numbers; a commons of {options.rows}x{options.cols} has {cells}, "
            "the stock of each cell."
        )
    for value in content:
        check_number("A stock of the content", value, 0.0, 1.0)
