"""Questions as pages show them: parts in rows, of which one is missing, and options to choose from.

A world whose environments are questions has a method ``questions()`` that returns something with the functions of
:class:`Questions`. A question is a function of what any subject observes, so a page cannot tell more than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from mensura.pictures.picture import Picture


@dataclass(frozen=True)
class Panel:
    """A part of a question, or an option."""

    text: str
    """All that it shows, in words."""
    picture: Picture | None = None
    """The same drawn; None where the text is what is shown."""


@dataclass(frozen=True)
class Option:
    """What can be answered."""

    action: Any
    panel: Panel


@dataclass(frozen=True)
class Question:
    """A question, and how it is answered."""

    asked: str
    """What is asked, in sentences."""
    rows: tuple[tuple[Panel | None, ...], ...]
    """What is shown, row by row; None is what is missing."""
    options: tuple[Option, ...]
    """What can be chosen; nothing where a text is written."""
    none: Any
    """The action of somebody who gives no answer."""
    form: str = ""
    """The form of a text that is written, as "one small letter, as k"."""


@dataclass(frozen=True)
class Example:
    """A question with its answer, for people who see such a question for the first time."""

    question: Question
    answer: Panel
    """The right one."""
    why: str
    """In sentences."""


class Questions(Protocol):
    """The questions of a world."""

    def question(self, observation: Any) -> Question:
        """What is observed, as a question."""

    def examples(self) -> tuple[Example, ...]:
        """An easy one of each kind with its answer, the same for everybody."""

    scoring: str
    """How one answers and what an answer is worth, in sentences."""
