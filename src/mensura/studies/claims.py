"""The claims of a study, held against its samples; see :mod:`mensura.statistics.claims` for what a verdict means."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from mensura.records.results import StudyResult
from mensura.records.validity import is_valid
from mensura.statistics import claims
from mensura.statistics.claims import Claim, Part
from mensura.statistics.interval import Estimate
from mensura.statistics.sample import Sample
from mensura.studies.conditions import Condition, assessment_name, conditions
from mensura.studies.entries import ClaimEntry
from mensura.studies.study import Study, study_from_plain

AXES = ("subjects", "worlds", "assessments")
Point = tuple[float, Estimate]


@dataclass(frozen=True)
class Cut:
    """The sample of one subject in one world by one assessment, with factors at their baselines."""

    subjects: str
    worlds: str
    assessments: str
    sample: Sample

    def at(self, axis: str) -> str:
        """Its name along an axis."""
        name: str = getattr(self, axis)
        return name


def claimed(result: StudyResult, samples: Sequence[Sample]) -> list[Claim]:
    """Every claim of a study with its findings; none where the study makes none."""
    if not result.study.get("claims"):
        return []
    study = study_from_plain(dict(result.study))
    cuts = list(_cuts(study, samples))
    invalid = list(dict.fromkeys(s.label for s in samples if not is_valid(s.default_share)))
    held = [_KINDS[entry.kind](study, entry, _chosen(entry, cuts)) for entry in study.claims]
    return [
        _without(claim, [name for name in invalid if name in (entry.subjects or invalid)])
        for claim, entry in zip(held, study.claims, strict=True)
    ]


def _without(claim: Claim, names: Sequence[str]) -> Claim:
    """A claim that says on whom it was not tried, since they have no valid score."""
    if not names:
        return claim
    text = f"{claim.text} (Not tried on {', '.join(names)}: no valid score.)"
    return replace(claim, text=text, left_out=tuple(names))


def digest(samples: Sequence[Sample]) -> str:
    """A fingerprint of all scores to the last bit, whoever computed them and in which order."""
    whole = hashlib.blake2b(digest_size=8)
    for sample in sorted(samples, key=lambda one: (one.condition, one.label)):
        order = np.lexsort((sample.score, sample.environment, sample.run))
        whole.update(f"{sample.condition}\n{sample.label}\n".encode())
        whole.update(sample.score[order].astype("<f8").tobytes())
    return whole.hexdigest()


def _cuts(study: Study, samples: Sequence[Sample]) -> Iterator[Cut]:
    by_text: dict[str, list[Sample]] = {}
    for sample in samples:
        by_text.setdefault(sample.condition, []).append(sample)
    base = tuple(factor.base for factor in study.factors)
    for condition in conditions(study):
        if condition.levels == base:
            yield from _of_condition(condition, by_text.get(condition.text, ()))


def _of_condition(condition: Condition, samples: Sequence[Sample]) -> Iterator[Cut]:
    world, assessment = condition.names
    for sample in samples:
        if len(sample) and is_valid(sample.default_share):
            yield Cut(sample.label, world, assessment, sample)


def _chosen(entry: ClaimEntry, cuts: Sequence[Cut]) -> list[Cut]:
    """The cuts that a claim is about, in the order of its names."""
    found = [
        cut for cut in cuts if all(cut.at(a) in (getattr(entry, a) or (cut.at(a),)) for a in AXES)
    ]
    for axis in reversed(AXES):
        names = list(getattr(entry, axis))
        if names:
            found.sort(key=lambda cut: names.index(cut.at(axis)))
    return found


def _name(cuts: Sequence[Cut], cut: Cut, without: Sequence[str] = ()) -> str:
    """What tells a cut from the others of its claim."""
    telling = [
        cut.at(axis)
        for axis in AXES
        if axis not in without and len({one.at(axis) for one in cuts}) > 1
    ]
    return ", ".join(telling)


def _groups(cuts: Sequence[Cut], along: str) -> Iterator[tuple[str, dict[str, Cut]]]:
    """The cuts along an axis, for each combination of the other two, with what that is called."""
    groups: dict[tuple[str, ...], dict[str, Cut]] = {}
    for cut in cuts:
        at = tuple(cut.at(axis) for axis in AXES if axis != along)
        groups.setdefault(at, {})[cut.at(along)] = cut
    for own in groups.values():
        yield _name(cuts, next(iter(own.values())), [along]), own


def _numbered(sample: Sample) -> Sample:
    """The sample with sittings known by their number, since those of one number begin with the same draws."""
    number = np.zeros(len(sample), np.uint64)
    for run in np.unique(sample.run):
        own = sample.run == run
        number[own] = np.arange(own.sum(), dtype=np.uint64)
    return replace(sample, environment=number)


def _joined(*words: str) -> str:
    return ", ".join(word for word in words if word)


# The kinds of claims -------------------------------------------------------------


def _zero(study: Study, entry: ClaimEntry, cuts: Sequence[Cut]) -> Claim:
    named = [(_name(cuts, cut) or cut.subjects, cut.sample) for cut in cuts]
    found = claims.zeros(named, entry.by_complexity, entry.within)
    return Claim(entry.title, entry.claim, found, "score")


def _successive(entry: ClaimEntry, cuts: Sequence[Cut]) -> list[Part]:
    """Each minus the one before it, along the axis of a claim."""
    pairs = []
    for name, own in _groups(cuts, entry.along):
        names = [one for one in getattr(entry, entry.along) if one in own]
        held = pairwise(names)
        for low, high in (
            held if entry.against == "neighbors" else ((names[0], n) for n in names[1:])
        ):
            two = own[low].sample, own[high].sample
            if entry.along == "assessments":
                two = _numbered(two[0]), _numbered(two[1])
            if entry.of == "complexity":
                two = claims.of_complexity(two[0]), claims.of_complexity(two[1])
            if all(np.isfinite(one.score).all() for one in two):
                pairs.append((_joined(f"{high} minus {low}", name), *two))
    return claims.differences(pairs)


def _order(study: Study, entry: ClaimEntry, cuts: Sequence[Cut]) -> Claim:
    found = claims.above(_successive(entry, cuts))
    return Claim(entry.title, entry.claim, found, f"difference of {entry.of}s")


def _same(study: Study, entry: ClaimEntry, cuts: Sequence[Cut]) -> Claim:
    found = claims.near(_successive(entry, cuts), entry.within or math.nan)
    return Claim(entry.title, entry.claim, found, f"difference of {entry.of}s")


def _agree(study: Study, entry: ClaimEntry, cuts: Sequence[Cut]) -> Claim:
    parts = _over_subjects(cuts) if entry.over == "subjects" else _over_environments(entry, cuts)
    what = "correlation of ranks"
    return Claim(entry.title, entry.claim, claims.above(list(parts)), what)


def _over_subjects(cuts: Sequence[Cut]) -> Iterator[Part]:
    """Each pair of conditions, over the subjects that both have."""
    places: dict[tuple[str, str], dict[str, Cut]] = {}
    for cut in cuts:
        places.setdefault((cut.worlds, cut.assessments), {})[cut.subjects] = cut
    for one, two in combinations(places.values(), 2):
        common = [name for name in one if name in two]
        if len(common) >= 2:
            names = [_name(cuts, own[common[0]], ["subjects"]) for own in (one, two)]
            means = [
                [float(own[name].sample.score.mean()) for name in common] for own in (one, two)
            ]
            yield claims.agreement(" and ".join(names), *means)


def _over_environments(entry: ClaimEntry, cuts: Sequence[Cut]) -> Iterator[Part]:
    """Each pair of assessments of a subject in a world, over environments that are met in sittings of one number.

    Of complexity, that by one measure with that by the other; else scores with complexity, which should fall, so that
    its sign is turned.
    """
    for name, own in _groups(cuts, "assessments"):
        if entry.of == "score":
            for assessment, cut in own.items():
                known = np.isfinite(cut.sample.complexity)
                ease = -cut.sample.complexity[known]
                yield claims.agreement(
                    _joined(assessment, name), ease.tolist(), cut.sample.score[known].tolist()
                )
            continue
        for (one, a), (two, b) in combinations(own.items(), 2):
            n = min(len(a.sample), len(b.sample))
            pairs = np.array([a.sample.complexity[:n], b.sample.complexity[:n]])
            pairs = pairs[:, np.isfinite(pairs).all(axis=0)]
            if pairs.shape[1] >= 2:
                yield claims.agreement(
                    _joined(f"{one} and {two}", name), pairs[0].tolist(), pairs[1].tolist()
                )


def _settles(study: Study, entry: ClaimEntry, cuts: Sequence[Cut]) -> Claim:
    values = _values(study, entry.parameter or "")
    curves: dict[str, Sequence[Point]] = {}
    pairs = []
    for name, own in _groups(cuts, "assessments"):
        rising = sorted((one for one in own if one in values), key=lambda one: values[one])
        curves[name or "all"] = [(values[one], claims.mean_of(own[one].sample)) for one in rising]
        if len(rising) > 1:
            before, last = (_numbered(own[one].sample) for one in rising[-2:])
            pairs.append((_joined(name, f"{rising[-1]} minus {rising[-2]}"), before, last))
    found = claims.near(claims.differences(pairs), entry.within or math.nan)
    return Claim(
        entry.title,
        entry.claim,
        found,
        "difference of scores",
        curves,
        entry.parameter or "",
        "score",
    )


def _error(study: Study, entry: ClaimEntry, cuts: Sequence[Cut]) -> Claim:
    curves: dict[str, Sequence[Point]] = {}
    if entry.parameter is None:
        for cut in cuts:
            curves[_name(cuts, cut) or cut.subjects] = claims.errors_of_blocks(cut.sample.score)
    else:
        values = _values(study, entry.parameter)
        for name, own in _groups(cuts, "assessments"):
            rising = sorted((one for one in own if one in values), key=lambda one: values[one])
            curves[name or "all"] = [
                (values[one], claims.spread(own[one].sample.score)) for one in rising
            ]
    parts = [claims.power_law(name, points) for name, points in curves.items()]
    found = claims.above(parts, -1) if entry.rate is None else claims.equal(parts, entry.rate)
    return Claim(
        entry.title,
        entry.claim,
        found,
        "exponent",
        curves,
        entry.parameter or "sittings",
        "standard deviation",
    )


def _values(study: Study, parameter: str) -> Mapping[str, float]:
    """The value of a parameter in each assessment that is given one."""
    found: dict[str, float] = {}
    for one in study.assessments:
        value: Any = one.parameters.get(parameter)
        if isinstance(value, int | float):
            found[assessment_name(one)] = float(value)
    return found


_KINDS = {
    "zero": _zero,
    "order": _order,
    "same": _same,
    "agree": _agree,
    "settles": _settles,
    "error": _error,
}
