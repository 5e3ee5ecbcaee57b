"""The leaderboard: everybody who was assessed in the same world by the same assessment, on one scale.

Scores compare where the world, all of its parameters and the assessment are the same, but for how much was played; each
such group has a table of its own. People, all participants together, stand with the programs that took the same test,
whether these start anew in each environment or not: people cannot. Runs whose seed somebody chose are left out: who
knows a seed beforehand can know the environments. Scores of one subject from several runs are taken together, unless
two runs have the same seed: then they met the same environments, and the longer one counts. A score that is not the
subject's own (:mod:`mensura.records.validity`) is shown without a place.

Only scores of subjects that were fully isolated (:mod:`mensura.records.holding`), on seeds that Mensura drew, in worlds
that generate their environments afresh (:mod:`mensura.core.abilities.content`) have places. All others stand in tables
of their own, which say why.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mensura.assessments.references import Reference, reference_for
from mensura.core.abilities import NOT_STATED, content_mark
from mensura.records.holding import NOT_RECORDED, is_fully_isolated, joined
from mensura.records.results import on_scale
from mensura.records.samples import IMMATERIAL
from mensura.records.validity import is_valid
from mensura.reports.number_words import same_score
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
    actions: int = 0
    """In assessed episodes."""
    defaults: float = math.nan
    """How many of them were the environment's default; nan where that was not recorded."""
    people: bool = False
    """Whether these are the scores of people, who are one row: nobody is named."""
    model: bool = False
    """Whether a language model was asked."""
    content: str = NOT_STATED
    """Where the environments came from, as the world said."""
    isolation: str = NOT_RECORDED
    """How the subject was held, in words."""
    fresh_seed: bool = True
    """Whether Mensura drew the seed, so that nobody could know it beforehand."""

    @property
    def is_apart(self) -> bool:
        """Whether the subject could have known its environments: it was not fully isolated, or the seed was chosen."""
        return not (self.fresh_seed and (self.people or is_fully_isolated(self.isolation)))


@dataclass(frozen=True)
class Standing:
    """A row of the leaderboard."""

    place: int | None
    """Equal scores share one; None where the score is not valid, or nothing is ranked."""
    subject: str
    kind: str
    """people, model (a language model), machine (any other program), or reference: one that was assessed beforehand,
    and comes with Mensura."""
    training: int
    score: float
    low: float | None
    """None where a single score tells nothing about its scatter."""
    high: float | None
    default_share: float | None
    """The share of its actions that were the environment's default; None where that was not recorded."""
    valid: bool
    count: int
    """How many scores it rests on: sittings, or participants."""
    runs: tuple[str, ...]
    isolation: str = ""
    """How it was held, in words; nothing of references."""


APART = (
    "Listed apart, without places: these subjects were not fully isolated, or somebody chose their seeds, so that they "
    "could have known their environments."
)


@dataclass(frozen=True)
class Board:
    """Those whose scores can be compared."""

    world: str
    parameters: Mapping[str, Any]
    assessment: str
    given: Mapping[str, Any]
    standings: tuple[Standing, ...]
    """The best first; those whose score is not valid, last."""
    content: str
    """Where the environments came from."""
    is_apart: bool
    """Whether its subjects could have known their environments."""
    is_ranked: bool
    """Whether there are places."""
    marks: tuple[str, ...]
    """Why there are none, in sentences."""


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
    return sorted(
        found, key=lambda one: (not one.is_ranked, -len(one.standings), one.world, one.assessment)
    )


def _measured(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is measured, without how much is played."""
    return {name: value for name, value in given.items() if name not in IMMATERIAL}


def _group(one: Scored) -> str:
    kind = (
        *(one.world, dict(one.parameters), one.assessment, _measured(one.given)),
        *(one.content, one.is_apart),
    )
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
    standings = [_standing(_own_scores(list(found.values()))) for found in rows.values()]
    there = {one.subject for one in standings if one.kind in ("machine", "model")}
    reference = _reference(first)
    if reference is not None:
        standings += [
            _row(name, "reference", 0, moments, (), 0.0)
            for name, moments in reference.scores.items()
            if name not in there
        ]
    mark = content_mark(first.content)
    is_ranked = not (first.is_apart or mark)
    return Board(
        first.world,
        first.parameters,
        first.assessment,
        _measured(first.given),
        tuple(_placed(standings, is_ranked)),
        first.content,
        first.is_apart,
        is_ranked,
        (*([APART] if first.is_apart else []), *([mark] if mark else [])),
    )


def _own_scores(parts: list[Scored]) -> list[Scored]:
    """Without the runs in which the default was played too often; those where there are no others."""
    return [one for one in parts if is_valid(_share(one.defaults, one.actions))] or parts


def _share(defaults: float, actions: int) -> float:
    return defaults / actions if actions else math.nan


def _placed(standings: Iterable[Standing], is_ranked: bool) -> Iterator[Standing]:
    """The best first, each with its place where there are places; equal scores share one, invalid ones have none."""
    ranked = sorted(standings, key=lambda one: (not one.valid, -one.score, one.subject))
    place, before = 0, math.nan
    for number, one in enumerate(ranked, 1):
        place = place if same_score(one.score, before) else number
        before = one.score
        yield replace(one, place=place if one.valid and is_ranked else None)


def _standing(parts: Sequence[Scored]) -> Standing:
    moments = Moments()
    for one in parts:
        moments = moments + one.moments
    kind = "people" if parts[0].people else "model" if parts[0].model else "machine"
    runs = tuple(dict.fromkeys(one.run for one in parts))
    actions = sum(one.actions for one in parts)
    share = _share(sum(one.defaults for one in parts), actions)
    row = _row(parts[0].subject, kind, parts[0].training, moments, runs, share)
    return replace(row, isolation=joined(one.isolation for one in parts))


def _row(
    subject: str,
    kind: str,
    training: int,
    moments: Moments,
    runs: tuple[str, ...],
    share: float,
) -> Standing:
    estimate = on_scale(moments.estimate(), moments)
    known = math.isfinite(estimate.low) and math.isfinite(estimate.high)
    return Standing(
        None,
        subject,
        kind,
        training,
        estimate.value,
        estimate.low if known else None,
        estimate.high if known else None,
        None if math.isnan(share) else share,
        is_valid(share),
        moments.count,
        runs,
    )
