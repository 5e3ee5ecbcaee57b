"""The study behind robustness: one factor for each operator, one at a time, and what its scores say of each subject."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.asks import ALARM
from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.core.withdrawing import WITHDRAWN
from mensura.records.validity import is_valid
from mensura.statistics.degradation import Breakdown, Withdrawal, degradation, noticing, recovery
from mensura.statistics.interval import mean_interval
from mensura.statistics.sample import Sample
from mensura.studies.conditions import conditions
from mensura.studies.inside import UNREADABLE, WITHDRAW
from mensura.studies.place import RANDOM
from mensura.studies.study import Study, study_from_plain

RECOVERED = "after recovery"
"""What the assessment with more training is called."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Training:
    """How much subjects train in each environment before they are assessed in it."""

    calm: int
    """Episodes without perturbations."""
    more: int = 0
    """Further episodes at the strength of the condition, of those from whom recovery is asked."""


def robustness_study(
    plain: Mapping[str, Any],
    world: Mapping[str, Any],
    operators: Sequence[str],
    strengths: Sequence[float],
    assessment: str,
    given: Mapping[str, Any],
    training: Training | None = None,
    *,
    withdraw: bool = False,
) -> Study:
    """The study of robustness under these operators, at strengths that rise from 0.

    ``plain``: name, subjects and all else of the study; ``world``: its one world, as an entry. Without ``training``
    subjects train as they ask for, under the perturbations that they are assessed under. With ``withdraw`` they may
    end an episode by one more action.
    """
    entry = dict(world)
    parameters = dict(given)
    if withdraw:
        entry["parameters"] = {**entry.get("parameters", {}), WITHDRAW: True}
    if training is not None:
        parameters["training"] = training.calm
        entry["parameters"] = {**entry.get("parameters", {}), "calm_training": training.calm}
    assessments = [{"assessment": assessment, "name": assessment, "parameters": parameters}]
    if training is not None and training.more:
        more = {**parameters, "training": training.calm + training.more}
        assessments.append({"assessment": assessment, "name": RECOVERED, "parameters": more})
    return study_from_plain(
        {
            **plain,
            "mensura": 1,
            "worlds": [{**entry, "perturb": [{name: list(strengths)} for name in operators]}],
            "assessments": assessments,
            "design": "one-at-a-time",
        }
    )


def breakdowns(study: Study, samples: Sequence[Sample]) -> list[Breakdown]:
    """What the scores of such a study say of each subject under each operator; random itself is left out."""
    found = _Scores(study, samples)
    return [
        found.breakdown(subject, operator)
        for operator in found.strengths
        for subject in found.subjects
        if subject != RANDOM
    ]


class _Scores:
    """The samples of a study of robustness by subject, operator and strength."""

    def __init__(self, study: Study, samples: Sequence[Sample]) -> None:
        self.strengths = {
            factor.name: [float(level.value or 0.0) for level in factor.levels]
            for factor in study.factors
        }
        self.subjects = list(dict.fromkeys(one.label for one in samples))
        self.recovers = len(study.assessments) > 1
        self._texts = {(one.assessment, one.levels): one.text for one in conditions(study)}
        self._factors = [factor.name for factor in study.factors]
        self._samples = {(one.condition, one.label): one for one in samples}

    def samples(self, subject: str, operator: str, assessment: int = 0) -> list[Sample]:
        """Those at rising strengths, row by row of the same environments."""
        at = self._factors.index(operator)
        none = [0] * len(self._factors)
        texts = [
            self._texts[assessment, (*none[:at], level, *none[at + 1 :])]
            for level in range(len(self.strengths[operator]))
        ]
        return [self._samples[text, subject] for text in texts]

    def breakdown(self, subject: str, operator: str) -> Breakdown:
        """All that is told of one subject under one operator."""
        strengths = self.strengths[operator]
        own, random = self.samples(subject, operator), self.samples(RANDOM, operator)
        _check_pairs([*own, *random])
        scores, chance = _table(own), _table(random)
        valid = all(is_valid(one.default_share) for one in (*own, *random))
        seed = key(0, "robustness", subject, operator)
        return Breakdown(
            subject,
            operator,
            tuple(mean_interval(column) for column in scores.T),
            tuple(mean_interval(column) for column in chance.T),
            degradation(strengths, scores, chance, seed),
            valid,
            _noticed(own, seed),
            self._recovered(subject, operator, scores, seed) if self.recovers and valid else (),
            unreadable=_unreadable(own),
            withdrawn=_withdrawn(own),
        )

    def _recovered(self, subject: str, operator: str, scores: Floats, seed: int) -> Any:
        later = self.samples(subject, operator, 1)
        _check_pairs([*self.samples(subject, operator), *later])
        after = _table(later)
        return (
            None,
            *(
                recovery(scores[:, 0], scores[:, at], after[:, at], seed)
                for at in range(1, scores.shape[1])
            ),
        )


def _noticed(samples: Sequence[Sample], seed: int) -> Any:
    """How well alarms tell perturbed episodes from clean ones; None where not every episode has one."""
    told = [one.measures.get(ALARM) for one in samples]
    known = [one for one in told if one is not None and np.isfinite(one).all()]
    if len(known) < len(told):
        return None
    return noticing(known[0], np.column_stack(known[1:]), seed)


def _unreadable(samples: Sequence[Sample]) -> tuple[int, ...]:
    """In how many environments a memory did not load after damage, at each strength; empty where none."""
    found = tuple(
        int(np.nansum(one.measures[UNREADABLE])) if UNREADABLE in one.measures else 0
        for one in samples
    )
    return found if any(found) else ()


def _withdrawn(samples: Sequence[Sample]) -> tuple[Withdrawal, ...]:
    """How often a subject withdrew and how it did where it did not, at each strength; empty where it could not."""
    if any(WITHDRAWN not in one.measures for one in samples):
        return ()
    found = []
    for one in samples:
        left = one.measures[WITHDRAWN] == 1.0
        stayed = one.score[~left]
        found.append(
            Withdrawal(float(left.mean()), float(stayed.mean()) if len(stayed) else math.nan)
        )
    return tuple(found)


def _table(samples: Sequence[Sample]) -> Floats:
    return np.column_stack([one.score for one in samples])


def _check_pairs(samples: Sequence[Sample]) -> None:
    """Raise unless row i of all samples is of the same environment.

    The number of an environment also says under which parameters it was met; relative to the first of a condition it
    tells the environment alone.
    """
    first = samples[0]
    for one in samples:
        same = len(one) == len(first) and np.array_equal(one.run, first.run)
        if not same or not np.array_equal(
            one.environment ^ one.environment[:1], first.environment ^ first.environment[:1]
        ):
            raise MensuraError(
                f"The scores of {one.label} in {one.condition!r} are of other environments than those in "
                f"{first.condition!r}, so they cannot be held against each other."
            )
