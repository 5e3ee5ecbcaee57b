"""What a family of problems is: its parameters, with checks, and how a problem is drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.numbers import is_number
from mensura.worlds.constraints.problem import Problem

Check = Callable[[Any], str]
"""What values of a parameter must be, in a few words, where this is not one; nothing where it is."""


class Parameter(NamedTuple):
    """One parameter of a family."""

    default: int | float | bool | str
    help: str
    check: Check


@dataclass(frozen=True)
class Family:
    """A way to draw problems."""

    name: str
    help: str
    parameters: Mapping[str, Parameter]
    draw: Callable[..., Problem]
    """Takes a generator of random numbers, then every parameter by name, all of them checked."""
    plants: bool = False
    """``draw`` takes ``planted`` as well: whether to draw around a hidden solution."""
    agents: str = ""
    """The parameter that says how many agents a problem has; empty: that varies."""
    satisfaction: bool = False
    """Whether tuples of all its problems are allowed or forbidden, without other costs."""

    def settings(self, **given: Any) -> dict[str, Any]:
        """All parameters: those that are given, checked, and the defaults of the others."""
        for name, value in given.items():
            if name not in self.parameters:
                raise MensuraError(
                    f"{self.name} has no parameter {name!r}; {neighbors(name, list(self.parameters))}"
                )
            wrong = self.parameters[name].check(value)
            if wrong:
                raise MensuraError(f"{name} of {self.name} is {value!r}; it must be {wrong}.")
        return {name: given.get(name, one.default) for name, one in self.parameters.items()}

    def problem(self, rng: np.random.Generator, *, planted: bool = False, **given: Any) -> Problem:
        """A problem, drawn with these parameters; ``planted`` where the family can plant a solution."""
        settings = self.settings(**given)
        if planted:
            if not self.plants:
                raise MensuraError(f"{self.name} cannot plant a solution.")
            settings["planted"] = True
        return self.draw(rng, **settings)


def whole(least: int, most: int = 10_000_000) -> Check:
    """A whole number in a range."""

    def check(value: Any) -> str:
        right = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return "" if right else f"a whole number from {least} to {most}"

    return check


def number(least: float, most: float) -> Check:
    """A number in a range."""

    def check(value: Any) -> str:
        right = is_number(value) and least <= value <= most
        return "" if right else f"a number from {least:g} to {most:g}"

    return check


def one_of(*words: str) -> Check:
    """One of a few words."""
    return lambda value: "" if value in words else " or ".join(words)


def yes_or_no(value: Any) -> str:
    """True or false."""
    return "" if isinstance(value, bool) else "true or false"


def letters_of(alphabet: str, most: int) -> Check:
    """A word, perhaps empty, of a few letters."""

    def check(value: Any) -> str:
        right = isinstance(value, str) and len(value) <= most and set(value) <= set(alphabet)
        return "" if right else f"a word of at most {most} of the letters {', '.join(alphabet)}"

    return check
