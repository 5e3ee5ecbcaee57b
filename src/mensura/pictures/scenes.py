"""What the scenes of all worlds share: an environment at one moment as a page shows it, all of its state included.

A world whose view has a function ``scene(environment, past)`` is shown by it. Where its view has a class ``Past``, an
observer of the loop, ``past`` is one that has watched the episode; else it is None. A scene hides nothing: it is for
whoever studies an environment, never for a subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

from mensura.core import palette

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


@dataclass(frozen=True)
class Scene:
    """An environment at one moment."""

    svg: str
    """A picture of shapes without styles, fit to stand in a page; ``data-cell`` names what is a cell, from 0."""
    tables: tuple[Table, ...]
    controls: tuple[Controls, ...]
    """Of each seat."""
    words: tuple[str, ...] = ()
    """Behaviors and the like, in sentences."""


def picture(size: tuple[float, float], label: str, parts: Sequence[str]) -> str:
    """An SVG; its ink takes the color of the text around it."""
    width, height = size
    body = "\n".join(parts).replace(palette.INK, "currentColor")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.5g} {height:.5g}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="sans-serif" role="img" aria-label="{escape(label)}">\n{body}\n</svg>'
    )


def cell_group(cell: int, words: str, inside: str) -> str:
    """A cell of a picture, which can be pointed at."""
    return f'<g data-cell="{cell}"><title>{escape(words)}</title>{inside}</g>'


def aside(inside: str) -> str:
    """What lies over cells without being in the way of the pointer."""
    return f'<g pointer-events="none">{inside}</g>'
