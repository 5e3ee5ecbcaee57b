"""Published experiments as data: what was run, under which settings, and the values that were printed.

A world's ``paper.py`` holds these; ``mensura reproduce NAME`` runs them through the ordinary runner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Published:
    """A number as it was published."""

    value: float
    doubt: str = ""
    """Why a correct program would give another one, where that is known."""


@dataclass(frozen=True)
class Setting:
    """One row of a published table: a world and the subjects that were measured in it."""

    name: str
    parameters: Mapping[str, Any]
    """Of the world."""
    published: Mapping[str, Published]
    """By subject, in the order of the publication; the subjects are those that are run."""


@dataclass(frozen=True)
class Comparison:
    """Published values beside ours, under one or more presets of a world."""

    name: str
    title: str
    source: str
    world: str
    presets: tuple[str, ...]
    settings: tuple[Setting, ...]
    episodes: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Level:
    """One value of a factor: what it changes, and how it is called."""

    label: str
    value: float | None = None
    """Where it stands on an axis; None for a level without a number."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Changes of the world."""
    subject: str | None = None
    """The subject, where the factor is who acts."""
    spread: tuple[int, int] | None = None
    """The range of complexity, where the factor is that."""


@dataclass(frozen=True)
class Factor:
    """Something that may matter, with its levels; one of them is the baseline."""

    name: str
    axis: str
    """The label of an axis, with its unit."""
    levels: tuple[Level, ...]
    baseline: int
    """The place of the level that holds while other factors vary."""


@dataclass(frozen=True)
class Factorial:
    """Controlled experiments: each factor alone, and each pair of factors crossed."""

    name: str
    title: str
    source: str
    world: str
    factors: tuple[Factor, ...]
    episodes: int
    notes: tuple[str, ...] = ()
