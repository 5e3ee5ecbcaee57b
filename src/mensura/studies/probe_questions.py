"""What a subject is asked about a phenomenon, piece by piece: questions, goals, and cases without a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mensura.agent.keys import Key
from mensura.core.phenomena import State, Variable
from mensura.statistics.understanding import brier, crps

Form: TypeAlias = Literal["number", "probability", "value"]
"""What an answer is: any number, a probability, or one of the whole numbers that a variable can be."""


@dataclass(frozen=True)
class Course:
    """A sequence of actions from a start, and the states that it leads through."""

    start: Key
    actions: tuple[Any, ...]
    states: tuple[State, ...]


@dataclass(frozen=True)
class Question:
    """One thing to predict."""

    kind: Literal["when", "later", "missing", "related"]
    form: Form
    plain: dict[str, Any]
    """What subjects are told."""
    course: Course
    truth: float
    scale: float
    """By which the error of a number is divided."""
    reference: float
    """The score of frequencies under random actions."""
    tell: Callable[[Sequence[State]], float]
    """The answer that a course of states gives; for whoever has one in mind."""
    variable: Variable | None = None

    def score(self, answer: dict[float, float] | list[float]) -> float:
        """The proper score of an answer."""
        return scored(answer, self.truth, self.scale)


@dataclass(frozen=True)
class Goal:
    """Something to reach from a start: to cause, to prevent, or to set."""

    kind: Literal["cause", "prevent", "set"]
    plain: dict[str, Any]
    start: Key
    reached: Callable[[Sequence[State]], bool]
    by_chance: float
    """The share of random sequences that reach it."""


@dataclass(frozen=True)
class Case:
    """A course in which a phenomenon happened, and a part without which it is run again."""

    course: Course
    part: str
    happened: bool
    """Whether it still happened."""


def scored(answer: dict[float, float] | list[float], truth: float, scale: float) -> float:
    """The Brier score of probabilities, or the CRPS of numbers as a share of their scale."""
    if isinstance(answer, dict):
        return brier(answer, truth)
    return crps(answer, truth) / scale
