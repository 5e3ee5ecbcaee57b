"""Time as assessments give it: so many interactions, or so many seconds, and what is made of a slot's rewards."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.core.contract import Episode

Memory: TypeAlias = Literal["fresh", "continuous"]
"""Whether a subject starts anew in each environment, or goes on with what it knows."""

Average: TypeAlias = Literal["plain", "diminishing"]
"""The average of all rewards of a slot, or that with diminishing history (Definition 16)."""


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """A sentence where a word is none of those allowed."""
    if value not in allowed:
        raise MensuraError(f"{name} is {value!r}; it is {' or '.join(map(repr, allowed))}.")


def check_count(name: str, value: Any) -> None:
    """A sentence where a number of things is not 1 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise MensuraError(f"{name} is {value!r}; it is a whole number from 1 on.")


def check_time(what: str, interactions: Any, seconds: Any) -> None:
    """A sentence where a time is given twice, or is none."""
    if interactions is not None and seconds is not None:
        raise MensuraError(
            f"{what} is given in interactions ({interactions}) and in seconds ({seconds}); one of them is enough."
        )
    if interactions is not None and (
        isinstance(interactions, bool) or not isinstance(interactions, int) or interactions < 1
    ):
        raise MensuraError(
            f"{what} is {interactions!r} interactions; it is a whole number from 1 on."
        )
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if seconds is not None and not (number and 0.0 < seconds < float("inf")):
        raise MensuraError(f"{what} is {seconds!r} seconds; it is a number above 0.")


def reward_of_slot(episode: Episode, average: Average) -> float:
    """What a subject got in a slot, on average."""
    return episode.diminished_reward if average == "diminishing" else episode.mean_reward
