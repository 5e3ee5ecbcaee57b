"""What is said of a landscape: to subjects, and to somebody who was not there."""

from __future__ import annotations

from mensura.worlds.lambda_star.games.landscape.parameters import Parameters

TOLD = (
    "Each cell of the grid is worth something from -1 to 1, and that is what you get for standing on it. There "
    "are several peaks, and exactly one cell is worth 1, the most there is."
)


def explained(d: Parameters) -> tuple[str, ...]:
    """What pays, in sentences."""
    still = "It stands still."
    if d.drift > 0:
        still = f"It drifts by {d.drift:g} cells in an interaction, in a direction that is drawn for the episode."
    moved = d.landscape_reacts in ("flees", "follows")
    if moved:
        still += (
            f" As a whole it {d.landscape_reacts}: its summit goes a step "
            f"{'from' if d.landscape_reacts == 'flees' else 'towards'} the nearest agent within {d.sense} cells."
        )
    elif d.landscape_reacts == "tires":
        still += (
            f" A cell loses {d.tiring:g} of its strength, and so of what it is worth, in each interaction while an "
            f"agent stands on it, and else recovers by {d.recovery:g}."
        )
    several = "There are several peaks, and only on the highest"
    peaks = "There is one peak, and only on it" if d.peaks == 1 else several
    return (
        "The cells are a landscape: each is worth something from -1 to 1, which an agent on it gets in each "
        f"interaction. {peaks} is a cell worth 1. All cells together are worth 0"
        f"{'' if moved else ', so that who walks at random gets nothing on average'}. {still}",
        "How hard it is to find the best cell depends on the number of local optima, cells with no higher neighbor, "
        "from which one has to go down to get on; and on ruggedness, how little a cell tells of its neighbors.",
    )
