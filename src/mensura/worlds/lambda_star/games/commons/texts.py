"""What is said of a commons: to subjects, and to somebody who was not there."""

from __future__ import annotations

from mensura.worlds.lambda_star.games.commons.parameters import Parameters
from mensura.worlds.lambda_star.games.commons.stocks import sustainable_maximum

TOLD = (
    "Each cell of the grid holds a stock from 0 to 1. What a cell is worth is what you get if you harvest on "
    "it by yourself; several who harvest on one cell share. A harvest takes a part of the stock. What is left "
    "regrows, fastest from one half, and hardly or not at all where next to nothing is left."
)


def explained(d: Parameters) -> tuple[str, ...]:
    """What pays, in sentences."""
    lost = "at 0" if d.threshold == 0 else f"below {d.threshold:g}"
    gets = f"gets {d.spread:g} of the mean stock around it" if d.spread else "does not regrow"
    most = f"{sustainable_maximum(d):.3g} in an interaction at most, in stocks of full cells, which is a mean reward of"
    bears = (
        "to leave enough to regrow: for ever one alone can take"
        if d.subjects == 1
        else f"for all of them together it pays to leave enough to regrow: for ever these {d.subjects} can take"
    )
    return (
        f"Each cell holds a stock from 0 to 1. An agent that harvests takes {d.bite:g} of what is on the cell it comes "
        "to, divided with whoever else harvests there, and is paid what it took, 1 for a harvest from a full cell. "
        f"Then every stock s grows by {d.renewal:g} s (1 - s), but one {lost} {gets}.",
        f"So it pays to harvest, and {bears} {most} {sustainable_maximum(d) / d.bite / d.subjects:.3g}.",
    )
