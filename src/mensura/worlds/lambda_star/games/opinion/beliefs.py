"""The beliefs of pluralistic ignorance: how they are drawn and written down, and how divided they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mensura.core.contract import Measure
from mensura.core.errors import MensuraError
from mensura.worlds.lambda_star.opinion import BELIEFS, sample_door

if TYPE_CHECKING:
    from mensura.worlds.lambda_star.environment import Description
    from mensura.worlds.lambda_star.parameters import Options
    from mensura.worlds.lambda_star.world import LambdaStar, Patterns

TRIES = 20_000
"""How often beliefs are drawn before a wanted minority counts as out of reach."""

MEASURES = {
    "dissent": Measure("dissent", "how many subjects believe what the minority believes"),
}

OPENINGS = ("fair", "misleading", "random")
"""What is said before the first interaction, in the order of the kernel's numbers."""
STATES = {"drawn": 0, "yes": 1, "no": -1}
"""What is so."""


def check(options: Options) -> None:
    """Refuse weights beyond 1, speakers that could not be seen, and contents that are no beliefs."""
    from mensura.worlds.lambda_star.parameters import check_number, check_word

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
    radius, sight = getattr(options, "radius", 1), getattr(options, "range", 1)
    if radius > sight:
        raise MensuraError(
            f"radius is {radius} and range is {sight}; those with whom one is to agree are seen, so radius is at most "
            "range."
        )
    content = getattr(options, "content", ())
    wanted = BELIEFS + getattr(options, "subjects", 1)
    if content and len(content) != wanted:
        raise MensuraError(
            f"The content has {len(content)} numbers; {wanted - BELIEFS} subjects need {wanted}: what is so, and what "
            "each believes."
        )
    for value in content:
        if value not in (-1, 1):
            raise MensuraError(f"A number of the content is {value!r}; it is 1 (yes) or -1 (no).")


def explained(d: Description) -> tuple[str, ...]:
    """What is believed, said and paid, for somebody who was not there."""
    honesty = 1 - d.conformity - d.truth
    before = {
        "fair": "what they believe",
        "misleading": "what the minority believes",
        "random": "what a coin said",
    }
    return (
        "Every agent believes yes or no, privately, and with each move says yes or no. It hears what those in sight "
        f"say, and never learns what they believe. Before the first interaction all have said {before[d.opening]}.",
        f"It is paid for saying what most of those at most {d.radius} away say (weight {d.conformity:g}), what it "
        f"believes (weight {honesty:.3g}) and what is so (weight {d.truth:g}); saying the contrary costs as much. "
        "Where most say what few believe, each taking the others at their word, a group is in pluralistic ignorance.",
        "The complexity of an environment, its dissent, is how many believe what the minority believes.",
    )


def sample(
    world: LambdaStar,
    keys: npt.NDArray[np.uint64],
    measure: str,
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> Patterns:
    """Draw beliefs for each key, so many of the minority's that they lie within [low[i], high[i]]."""
    from mensura.worlds.lambda_star.world import Patterns

    rows = np.zeros((len(keys), BELIEFS + world.subjects))
    dissent = np.zeros(len(keys))
    low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
    accuracy, state = float(world.accuracy), STATES[world.state]
    sample_door(rows, keys, low, high, accuracy, state, TRIES, dissent)
    failed = np.flatnonzero(dissent < 0)
    if len(failed):
        ends = float(low[failed[0]]), float(high[failed[0]])
        raise MensuraError(
            f"A dissent from {ends[0]:g} to {ends[1]:g} was not found in {TRIES} draws of {world.subjects} beliefs of "
            f"accuracy {world.accuracy:g}; it is from 0 to {world.subjects // 2}."
        )
    return Patterns(rows.view(np.int64), dissent)


def describe(template: Description, row: npt.NDArray[np.int64]) -> Description:
    """The beliefs of a row."""
    return replace(template, content=tuple(row.view(np.float64).tolist()))


def pattern(description: Description) -> npt.NDArray[np.int64]:
    """What is so and what each believes, as the kernel reads it."""
    if not description.content:
        raise MensuraError(
            "An environment of opinions without content cannot be played; it needs what is so, and what each believes."
        )
    return np.array(description.content, np.float64).view(np.int64)


def complexity(description: Description, _: str) -> float:
    """How many believe what the minority believes."""
    yes = sum(belief > 0 for belief in description.content[BELIEFS:])
    return float(min(yes, description.subjects - yes))
