"""What company does, where subjects were assessed alone and in company: both rewards and the gain, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mensura.core.steps import ALONE, GAIN
from mensura.records.results import SubjectResult, on_scale
from mensura.reports import units
from mensura.reports.number_words import FEWEST, ends, listed, signed
from mensura.reports.standing import Standing
from mensura.statistics.clusters import Error, design_of
from mensura.statistics.interval import Estimate
from mensura.statistics.multiple import corrected
from mensura.statistics.replication import Replication
from mensura.statistics.sample import Sample


@dataclass(frozen=True)
class Company:
    """One subject alone and in company, in the same environments."""

    subject: str
    valid: bool
    alone: Estimate
    together: Estimate
    """Its score."""
    gain: Estimate
    error: Error
    """Of the gain."""


def found(
    standings: Sequence[Standing],
    samples: Sequence[Sample] = (),
    replication: Replication | None = None,
) -> list[Company]:
    """Every subject that was assessed alone and in company.

    Single scores, where they are there, tell the errors by the unit that the study takes as replicated.
    """
    replication = replication or Replication()
    own = {one.label: one for one in samples if one.label in {s.subject for s in standings}}
    one_condition = len(own) == len(samples)
    told = []
    for one in standings:
        if not {ALONE, GAIN} <= set(one.result.measures):
            continue
        sample = own.get(one.subject) if one_condition else None
        alone, _ = _known(one.result, ALONE, sample, replication)
        gain, error = _known(one.result, GAIN, sample, replication)
        alone = on_scale(alone, one.result.measures[ALONE])
        if not one.valid:
            alone = gain = one.score
        told.append(Company(one.label, one.valid, alone, one.score, gain, error))
    return told


def _known(
    result: SubjectResult, name: str, sample: Sample | None, replication: Replication
) -> tuple[Estimate, Error]:
    moments = result.measures[name]
    values = None if sample is None else sample.measures.get(name)
    if sample is not None and values is not None and np.isfinite(values).all():
        error = design_of(sample).error_of_mean(values, replication.of(result.subject))
        return error.around(moments.mean, moments.count), error
    variance = moments.variance / moments.count if moments.count > 1 else math.nan
    return moments.estimate(), Error(variance, moments.count - 1, "environment", moments.count)


def words(told: Sequence[Company]) -> Iterator[str]:
    """Who gains and who loses by company, with what they scored alone and in company."""
    enough = [one for one in told if one.valid and one.gain.n >= FEWEST]
    known = [one for one in enough if math.isfinite(one.gain.low)]
    beyond = corrected([one.error.probability(one.gain.value) for one in known]).tolist()
    sure = [one for one, p in zip(known, beyond, strict=True) if p <= 0.05]
    kinds = {
        "Company helps": [one for one in sure if one.gain.value > 0.0],
        "Company costs": [one for one in sure if one.gain.value < 0.0],
        "No gain or loss by company beyond noise:": [one for one in known if one not in sure],
    }
    for begin, some_of in kinds.items():
        if some_of:
            yield f"{begin} {listed([_numbers(one) for one in some_of])}."


def _numbers(one: Company) -> str:
    return (
        f"{one.subject} (alone {signed(one.alone.value)} {ends(one.alone)}, in company "
        f"{signed(one.together.value)} {ends(one.together)}, gain {signed(one.gain.value)} {ends(one.gain)})"
    )


def rows(told: Sequence[Company], replication: Replication) -> list[dict[str, Any]]:
    """The three numbers of each subject with their intervals, as cells of a table."""
    return [
        {
            "subject": one.subject,
            "cells": [
                (signed(number.value), units.around(number, replication))
                for number in (one.alone, one.together, one.gain)
            ],
        }
        for one in told
    ]
