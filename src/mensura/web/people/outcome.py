"""What a participant is told at the end: the score with its interval and its path, beside people and programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mensura.assessments.references import reference_for_people
from mensura.core.steps import ERROR
from mensura.records.batch import Batch
from mensura.statistics.moments import Moments
from mensura.statistics.quantiles import normal
from mensura.statistics.understanding import NAMES as PROBES
from mensura.web.people.participants import Participant
from mensura.web.people.studies import People, PeopleStudy

FEWEST_OTHERS = 10
"""Of fewer people nobody is told, lest one be known by a mean."""


@dataclass(frozen=True)
class Line:
    """A score with its interval; without one, both ends are the score."""

    name: str
    score: float
    low: float
    high: float
    own: bool = False

    @property
    def told(self) -> bool:
        """Whether the interval is known."""
        return self.low < self.high


@dataclass(frozen=True)
class Outcome:
    """The participant's score, that of other people, and those of the references, the best first."""

    lines: tuple[Line, ...]
    exercises: int
    path: tuple[float, ...] = ()
    """The mean reward so far after each exercise."""
    people: int = 0
    """How many other people are told of, as one line; 0 where none are."""
    below: int = 0
    """How many of them have a lower score."""
    probes: tuple[tuple[str, float], ...] = ()
    """Where understanding was measured, what each probe found: the least is the score."""

    @property
    def own(self) -> Line:
        """The participant's."""
        return next(line for line in self.lines if line.own)


def others_of(people: People, study: PeopleStudy, one: Participant) -> list[float]:
    """The scores of all others who finished, if participants may see them and there are enough of them."""
    if not study.people.show_others or len(study.conditions) > 1:
        return []
    found = [
        other.score
        for other in people.participants(study)
        if other.number != one.number
        and other.state == "finished"
        and other.score is not None
        and not other.pilot
    ]
    return found if len(found) >= FEWEST_OTHERS else []


def outcome_of(
    study: PeopleStudy, batches: Sequence[Batch], others: Sequence[float] = ()
) -> Outcome:
    """What to tell about the sittings of somebody: the mean of their scores, beside the scores of ``others``.

    Over exercises the interval is Student's, of the mean of their rewards; an adaptive test tells its own error.
    """
    score = sum(float(batch.score[0]) for batch in batches) / len(batches)
    found = _probes(batches)
    rewards = np.concatenate([batch.episodes.reward[~batch.episodes.learning] for batch in batches])
    errors = [row.value for batch in batches for row in batch.measures if row.name == ERROR]
    low = high = score
    if len(errors) == len(batches):
        half = normal(0.975) * math.hypot(*errors) / len(errors)
        low, high = score - half, score + half
    elif len(rewards) > 1 and not found:
        around = Moments.of(rewards).estimate()
        half = (around.high - around.low) / 2.0
        low, high = score - half, score + half
    own = Line("", score, max(low, -1.0), min(high, 1.0), own=True)
    lines = [own, *(_references(study) if len(study.conditions) < 2 else [])]
    if others:
        around = Moments.of(np.asarray(others)).estimate()
        lines.append(Line("people", around.value, around.low, around.high))
    means = np.cumsum(rewards) / np.arange(1, len(rewards) + 1)
    return Outcome(
        tuple(sorted(lines, key=lambda line: -line.score)),
        len(rewards),
        () if found else tuple(means.tolist()),
        len(others),
        sum(other < score for other in others),
        tuple(found),
    )


def _probes(batches: Sequence[Batch]) -> list[tuple[str, float]]:
    """What each probe found, one examination after another; nothing of other tests."""
    return [
        (row.name, row.value) for batch in batches for row in batch.measures if row.name in PROBES
    ]


def _references(study: PeopleStudy) -> list[Line]:
    """Programs that were assessed the same way; they start anew in each environment, as in the thesis."""
    given = {"name": study.assessment, **study.parameters}
    found = reference_for_people(study.world, study.world_parameters, given)
    lines = []
    for name, moments in found.scores.items() if found is not None else ():
        around = moments.estimate()
        if math.isfinite(around.low) and math.isfinite(around.high):
            lines.append(Line(name, moments.mean, around.low, around.high))
        else:
            lines.append(Line(name, moments.mean, moments.mean, moments.mean))
    return lines
