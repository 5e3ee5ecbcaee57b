"""Checkpoints from files of others, as states of an environment of a world that can read them."""

from __future__ import annotations

from dataclasses import dataclass

from mensura.core.contract import Description


@dataclass(frozen=True)
class ImportedCheckpoint:
    """One state, and what the file says about it."""

    snapshot: bytes
    episode: str
    interaction: int
    score: float


@dataclass(frozen=True)
class Imported:
    """What a file held."""

    description: Description
    checkpoints: tuple[ImportedCheckpoint, ...]
    left_out: tuple[str, ...]
    """What could not be used, and why."""
