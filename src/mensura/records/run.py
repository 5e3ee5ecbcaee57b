"""Runs: one execution of a study in a store each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mensura.agent.keys import Key
from mensura.records.cell import Cell
from mensura.records.pools import Pool


@dataclass(frozen=True)
class NewRun:
    """What is known of a run before it begins."""

    name: str
    """How commands will call it: letters, digits, and . _ - between them."""
    title: str
    study: Mapping[str, Any]
    """The study as plain data, its seed filled in."""
    study_hash: str
    seed: Key
    cells: Sequence[Cell]
    command: str = ""
    isolation: str = ""
    """How far foreign code is isolated in it, in a few words; nothing where it has none."""
    fresh_seed: bool = False
    """Whether Mensura drew the seed for this run, so that nobody could know it beforehand."""
    pools: Sequence[Pool] = ()
    """The pools of checkpoints that its episodes start from."""


@dataclass(frozen=True)
class Run:
    """Everything about a run but its rows."""

    id: int
    name: str
    title: str
    status: str
    """running, finished, stopped or failed."""
    study: Mapping[str, Any]
    study_hash: str
    seed: Key
    command: str
    commit: str
    """Of the installed Mensura; empty where it is not known."""
    versions: Mapping[str, str]
    machine: str
    started: str
    ended: str
    """Empty while it runs."""
    seconds: float
    """Wall time over all of its stretches, up to the last commit."""
    sittings: int
    """How many there are to be."""
    fresh_seed: bool = False
    """Whether Mensura drew the seed for it, so that nobody could know it beforehand."""
