"""Who is compared with whom, and what was compared, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mensura.agent.errors import MensuraError, neighbors
from mensura.records.validity import LIMIT, is_valid
from mensura.reports import units
from mensura.reports.number_words import listed, percent, some
from mensura.statistics.compare import Comparison, pairs_between, pairs_within
from mensura.statistics.replication import Replication
from mensura.statistics.sample import Sample


def valid_only(
    read: Sequence[Sequence[Sample]], subjects: Sequence[str] = ()
) -> tuple[list[list[Sample]], list[str]]:
    """The samples of runs without those that are not their subject's own, and a sentence on whose these are.

    Somebody who was named and has no valid score is refused.
    """
    invalid = list(
        dict.fromkeys(
            f"{one.label} ({percent(one.default_share)} of its actions)"
            for samples in read
            for one in samples
            if not is_valid(one.default_share) and (not subjects or one.label in subjects)
        )
    )
    if not invalid:
        return [list(samples) for samples in read], []
    why = (
        f"more than {LIMIT} of the actions were the environment's default, so the score says nothing of the subject: "
        f"{listed(invalid)}."
    )
    kept = [[one for one in samples if is_valid(one.default_share)] for samples in read]
    if subjects or not all(kept) or (len(kept) == 1 and not pairs_within(kept[0])):
        raise MensuraError(f"There are no two valid scores to compare; {why}")
    return kept, [f"Not compared, since {why}"]


def choose(
    names: Sequence[str], read: Sequence[Sequence[Sample]], subjects: Sequence[str]
) -> list[tuple[Sample, Sample]]:
    """Who is compared with whom: within one run, or between two."""
    if len(read) == 1:
        _check_known(subjects, read[0], names[0])
        pairs = [
            (one, two)
            for one, two in pairs_within(read[0])
            if not subjects
            or (len(subjects) == 1 and subjects[0] in (one.label, two.label))
            or (len(subjects) > 1 and one.label in subjects and two.label in subjects)
        ]
        if not pairs:
            raise MensuraError(
                f"The run {names[0]} has no two subjects under the same condition to compare; name a second run, or "
                "two subjects that met."
            )
        return [_in_order(pair, subjects) for pair in pairs]
    first, second = read
    if len(subjects) > 2:
        raise MensuraError(
            f"{len(subjects)} subjects were named; with two runs, give one for both or one for each."
        )
    if subjects:
        _check_known(subjects[:1], first, names[0])
        _check_known(subjects[-1:], second, names[1])
        first = [one for one in first if one.label == subjects[0]]
        second = [one for one in second if one.label == subjects[-1]]
    pairs = pairs_between(first, second)
    if not pairs:
        raise MensuraError(
            f"The runs {names[0]} and {names[1]} have no subject under the same condition in common; name one of each "
            "with --subject ONE --subject OTHER, or compare runs of the same conditions."
        )
    return [
        (
            replace(one, label=f"{one.label} in {names[0]}"),
            replace(two, label=f"{two.label} in {names[1]}"),
        )
        for one, two in pairs
    ]


def _in_order(pair: tuple[Sample, Sample], subjects: Sequence[str]) -> tuple[Sample, Sample]:
    """The subject that was named first comes first."""
    one, two = pair
    places = [subjects.index(p.label) if p.label in subjects else len(subjects) for p in pair]
    return (two, one) if places[1] < places[0] else (one, two)


def _check_known(subjects: Sequence[str], samples: Sequence[Sample], run: str) -> None:
    known = list(dict.fromkeys(one.label for one in samples))
    for name in subjects:
        if name not in known:
            raise MensuraError(
                f"There is no subject {name!r} in the run {run}; {neighbors(name, known)}"
            )


def about(
    names: Sequence[str], comparisons: Sequence[Comparison], unfinished: Sequence[str]
) -> list[str]:
    """What was compared, in sentences."""
    conditions = len({one.condition for one in comparisons})
    who = (
        f"The subjects of the run {names[0]} were compared with each other"
        if len(names) == 1
        else f"The subjects of the run {names[0]} were compared with those of {names[1]}"
    )
    sentences = [f"{who}, under {some(conditions, 'condition')}."]
    first = comparisons[0]
    runs = any(one.unit == "run" for one in comparisons)
    sentences += units.decided(
        Replication("run" if runs else "environment", first.repetitions, first.repetitions_tell)
    )
    if unfinished:
        are = "is" if len(unfinished) == 1 else "are"
        sentences.append(f"{listed(unfinished)} {are} not finished, so more scores may come.")
    return sentences
