"""The leaderboard: everybody who was assessed in the same world by the same assessment, on one scale.

Scores compare where the world, all of its parameters and the assessment are the same, but for how much was played; each
such group has a table of its own. People, all participants together, stand with the programs that took the same test,
whether these start anew in each environment or not: people cannot. Runs whose seed somebody chose are left out: who
knows a seed beforehand can know the environments. Scores of one subject from several runs are taken together, unless
two runs have the same seed: then they met the same environments, and the longer one counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mensura.assessments.references import AMOUNTS, Reference, reference_for
from mensura.statistics.moments import Moments


@dataclass(frozen=True)
class Scored:
    """What a subject scored in one cell of a run."""

    run: str
    world: str
    parameters: Mapping[str, Any]
    assessment: str
    given: Mapping[str, Any]
    """The parameters of the assessment."""
    subject: str
    training: int
    seed: int
    moments: Moments
    people: bool = False
    """Whether these are the scores of people, who are one row: nobody is named."""


@dataclass(frozen=True)
class Standing:
    """A row of the leaderboard."""

    subject: str
    kind: str
    """people, machine, or reference: one that was assessed beforehand, and comes with Mensura."""
    training: int
    score: float
    low: float | None
    """None where a single score tells nothing about its scatter."""
    high: float | None
    count: int
    """How many scores it rests on: sittings, or participants."""
    runs: tuple[str, ...]


@dataclass(frozen=True)
class Board:
    """Those whose scores can be compared."""

    world: str
    parameters: Mapping[str, Any]
    assessment: str
    given: Mapping[str, Any]
    standings: tuple[Standing, ...]
    """The best first."""


def boards(scored: Iterable[Scored]) -> list[Board]:
    """All groups, those with most subjects first."""
    groups: dict[str, list[Scored]] = {}
    played = [one for one in scored if one.moments.count]
    for one in played:
        if not one.people:
            groups.setdefault(_group(one), []).append(one)
    machines = set(groups)
    for one in played:
        if one.people:
            for other in _beside(one, machines):
                groups.setdefault(_group(other), []).append(other)
    found = [_board(group) for group in groups.values()]
    return sorted(found, key=lambda one: (-len(one.standings), one.world, one.assessment))


def _measured(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is measured, without how much is played."""
    return {name: value for name, value in given.items() if name not in AMOUNTS}


def _group(one: Scored) -> str:
    kind = (one.world, dict(one.parameters), one.assessment, _measured(one.given))
    return json.dumps(kind, sort_keys=True, default=str)


def _beside(one: Scored, machines: set[str]) -> list[Scored]:
    """Scores of people as they stand beside programs that took the same test.

    People cannot forget, so that programs that start anew in each environment, as in the thesis, took the same test as
    those that go on with what they know. Where no program took it they stand alone.
    """
    given = one.given
    memories = ["fresh", given["memory"]] if "memory" in given else []
    others = [replace(one, given={**given, "memory": memory}) for memory in memories] or [one]
    return [other for other in others if _group(other) in machines or _reference(other)] or [one]


def _reference(one: Scored) -> Reference | None:
    return reference_for(
        one.world, one.parameters, {"name": one.assessment, **_measured(one.given)}
    )


def _board(group: Sequence[Scored]) -> Board:
    first = group[0]
    rows: dict[tuple[bool, str, int], dict[int, Scored]] = {}
    for one in group:
        own = rows.setdefault((one.people, one.subject, one.training), {})
        if one.seed not in own or own[one.seed].moments.count < one.moments.count:
            own[one.seed] = one
    standings = [_standing(list(own.values())) for own in rows.values()]
    there = {one.subject for one in standings if one.kind == "machine"}
    reference = _reference(first)
    if reference is not None:
        standings += [
            _row(name, "reference", 0, moments, ())
            for name, moments in reference.scores.items()
            if name not in there
        ]
    return Board(
        first.world,
        first.parameters,
        first.assessment,
        _measured(first.given),
        tuple(sorted(standings, key=lambda one: (-one.score, one.subject))),
    )


def _standing(parts: Sequence[Scored]) -> Standing:
    moments = Moments()
    for one in parts:
        moments = moments + one.moments
    kind = "people" if parts[0].people else "machine"
    runs = tuple(dict.fromkeys(one.run for one in parts))
    return _row(parts[0].subject, kind, parts[0].training, moments, runs)


def _row(
    subject: str, kind: str, training: int, moments: Moments, runs: tuple[str, ...]
) -> Standing:
    estimate = moments.estimate()
    known = math.isfinite(estimate.low) and math.isfinite(estimate.high)
    return Standing(
        subject,
        kind,
        training,
        estimate.value,
        estimate.low if known else None,
        estimate.high if known else None,
        moments.count,
        runs,
    )
