"""Observations in words: what a world has to say for subjects who read, and how numbers are written for them.

A world has words if it has a method ``words()`` that returns a module, or anything else, with the functions of
:class:`Words`. They are given what every subject is given and nothing else, so that no reader knows more than others.
"""

from __future__ import annotations

from typing import Any, Protocol

from mensura.agent.task import Task

DIGITS = 6
"""The significant digits of a number in words."""


class Words(Protocol):
    """A world as text, a function of what any subject is told."""

    def rules(self, task: Task) -> str:
        """What the seat finds itself in, and what its actions are; said once before an episode."""

    def observation(self, task: Task, observation: Any) -> str:
        """What the seat observes: all of it, each number to so many digits."""


def is_read_beside(words: Words) -> bool:
    """Whether people read what their seat observes beside its picture, since the picture does not tell it all."""
    return bool(getattr(words, "beside_picture", False))


def number(value: float) -> str:
    """A number to six significant digits, whole ones without a point.

    >>> number(3.0), number(1 / 3), number(-0.0)
    ('3', '0.333333', '0')
    """
    return f"{float(value) + 0.0:.{DIGITS}g}"


def counted(count: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "cell"), counted(2, "cell")
    ('1 cell', '2 cells')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"
