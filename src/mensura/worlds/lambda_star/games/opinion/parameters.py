"""The parameters of opinions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_star.games.opinion.kernels.rules import BELIEFS
from mensura.worlds.lambda_star.torus.parameters import OnTorus, check_number, check_word

OPENINGS = ("fair", "misleading", "random")
"""What is said before the first interaction, in the order of the kernel's numbers."""
STATES = {"drawn": 0, "yes": 1, "no": -1}
"""What is so."""


@dataclass(frozen=True, kw_only=True)
class Parameters(OnTorus):
    """What may be asked of opinions."""

    conformity: float = 0.5
    """Of opinions: what saying what most near one say weighs in the reward."""
    truth: float = 0.0
    """Of opinions: what saying what is so weighs; saying what one believes has the rest."""
    accuracy: float = 0.7
    """Of opinions: the probability, from 0.5 to 1, that a subject believes what is so."""
    opening: Literal["fair", "misleading", "random"] = "fair"
    """Of opinions: what all have said before the first interaction: what they believe, what the minority believes, or
    what a coin said."""
    state: Literal["drawn", "yes", "no"] = "drawn"
    """Of opinions: what is so."""


def check(options: Parameters) -> None:
    """Raise if weights are beyond 1, if speakers could not be seen, or if the content is no beliefs."""
    check_number("conformity", options.conformity, 0, 1)
    check_number("truth", options.truth, 0, 1)
    if options.conformity + options.truth > 1:
        raise MensuraError(
            f"conformity is {options.conformity:g} and truth {options.truth:g}; together they are at most 1, and "
            "honesty has the rest."
        )
    check_number("accuracy", options.accuracy, 0.5, 1)
    check_word("opening", options.opening, OPENINGS)
    check_word("state", options.state, tuple(STATES))
    radius, sight = options.radius, options.range
    if radius > sight:
        raise MensuraError(
            f"radius is {radius} and range is {sight}; those with whom one is to agree are seen, so radius is at most "
            "range."
        )
    content = options.drawn_values
    wanted = BELIEFS + options.subjects
    if content and len(content) != wanted:
        raise MensuraError(
            f"The content has {len(content)} numbers; {wanted - BELIEFS} subjects need {wanted}: what is so, and what "
            "each believes."
        )
    for value in content:
        if value not in (-1, 1):
            raise MensuraError(f"A number of the content is {value!r}; it is 1 (yes) or -1 (no).")
