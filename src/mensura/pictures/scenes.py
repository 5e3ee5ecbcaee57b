"""What the research view shows of an environment beside its picture: tables of the state, and what seats can do.

Nothing is hidden in it: it is for whoever studies an environment, never for a subject.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = str | float | int | bool | None


@dataclass(frozen=True)
class Table:
    """A part of the state, as a table."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class Choice:
    """An action that a seat has."""

    action: Any
    name: str
    cell: int | None = None
    """Where it leads, as pictures number cells, from 0; None where there are no cells."""
    key: str = ""
    """The key that takes it on pages, as browsers call keys, as KeyW; none where it has no key of its own."""
    held: tuple[str, ...] = ()
    """What is held to do it, where an environment has a pace: of up, down, left, right and fire."""


@dataclass(frozen=True)
class Knob:
    """A number that a seat sets: one entry of an action that is an array."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Controls:
    """What a seat can do: one of some choices, or all of some knobs."""

    choices: tuple[Choice, ...] = ()
    knobs: tuple[Knob, ...] = ()
