"""What is said of search to somebody who was not there; subjects are told nothing, as Good is to be found out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mensura.complexity.entropy import search_space_entropy
from mensura.pictures.texts import count_word
from mensura.worlds.lambda_star.games.search.parameters import Parameters

SETTING = "Two objects, Good and Evil, travel there along patterns that they repeat."
ROOM = 400
"""So many moves of a pattern are told."""


def explained(d: Parameters) -> tuple[str, ...]:
    """What pays, and how hard it is."""
    worth = ", ".join(f"{1 / (at + 1):.2g} at distance {at}" for at in range(min(d.radius, 3) + 1))
    entropy = search_space_entropy(d.rows, d.cols)
    return (
        f"A cell is worth more the nearer it is to Good ({worth}, and nothing beyond distance {d.radius}), and "
        "loses as much by being near to Evil. So it pays to find Good, to keep up with it whatever way it takes, "
        "and to keep away from Evil.",
        f"How hard that is depends on two things. H, the same for all environments here, is the uncertainty about "
        f"where Good and Evil begin: {entropy:.2f} bits for this grid. K, which differs from environment to "
        "environment, is the Lempel-Ziv complexity of the path that Good takes: the number of new phrases in it. A "
        "low K is a path that is easily foreseen.",
        *_asked(d),
    )


def _asked(d: Parameters) -> Iterator[str]:
    """What is asked beyond the plain search, in sentences."""
    if d.company > 1:
        both = d.company_for == "both"
        felt, whose = ("Good and Evil are felt", "their") if both else ("Good is felt", "its")
        agents = f"{count_word(d.company).lower()} agents"
        yield f"{felt} only where at least {agents} are within {whose} radius."
    for name, how in (("Good", d.good_reacts), ("Evil", d.evil_reacts)):
        if how == "tires":
            yield (
                f"{name} tires: it loses {d.tiring:g} of its strength in each interaction with an agent within its "
                f"radius, and recovers {d.recovery:g} without."
            )
        elif how != "no":
            near = f"as soon as an agent is within {d.sense} cells"
            yield f"{name} {how} {near}, and goes along its pattern else."
    unequal = [
        word
        for word, given in (
            ("see differently far", len(set(d.ranges)) > 1),
            ("move in different ways", len(set(d.moves)) > 1),
            ("want different things", bool(d.good_appetites or d.evil_appetites)),
        )
        if given
    ]
    if unequal:
        yield f"The agents {' and '.join(unequal)}."


def remarks(d: Any) -> tuple[str, ...]:
    """The patterns of Good and Evil in a description."""
    good = f"Good: from cell {d.good_start}, the moves {_moves(d.good_moves)}"
    if d.evil_shift:
        shift = f"{d.evil_shift} cells after Good, by their numbers"
        return good, f"Evil: from cell {d.evil_start}, always {shift}"
    return good, f"Evil: from cell {d.evil_start}, the moves {_moves(d.evil_moves)}"


def _moves(moves: tuple[int, ...]) -> str:
    shown = " ".join(map(str, moves[:ROOM]))
    return shown if len(moves) <= ROOM else f"{shown} ... ({len(moves)} moves)"
