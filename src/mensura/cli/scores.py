"""The tables of scores that commands print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mensura.terminal.output import console, say, table

if TYPE_CHECKING:
    from mensura.core.account import Unit
    from mensura.records.results import RunResult, StudyResult, SubjectResult
    from mensura.reports.levels import Effect
    from mensura.reports.standing import Parts
    from mensura.statistics.replication import Replication
    from mensura.statistics.sample import Sample

ROOM_FOR_WORDS = 20
"""A table of scores says what subjects are where there is room for so many characters."""


def score_table(
    result: RunResult,
    parts: Parts | None = None,
    replication: Replication | None = None,
    samples: Sequence[Sample] = (),
    *,
    tell: bool = True,
) -> None:
    """Print the scores of a run, best first, with their intervals and the unit of these.

    ``parts`` and ``replication`` are those of its study, where it is one of several conditions; else ``samples`` tell
    them. ``tell`` says in words what the intervals take as replicated, and whose scores are not valid.
    """
    from mensura.api.results import labelled, ranking
    from mensura.reports import units
    from mensura.reports.number_words import score_of, share_by_default
    from mensura.reports.protocols import account_for, unit_of
    from mensura.reports.standing import scored
    from mensura.reports.usage import used
    from mensura.statistics.replication import replication_of

    replication = replication or replication_of(samples)
    parts = parts or scored([result], samples, replication)
    known = {
        subject: part.score for (title, subject), part in parts.items() if title == result.title
    }
    ranked = ranking(one for one in result.subjects if one.subject in known)
    unit = unit_of(result.assessment)
    sittings = unit.many
    behind = units.behind((error for _, error in known.values()), unit)
    trained = any(one.training for one in ranked)
    headings = ["subject", "score", "95% interval", "spread"]
    headings += ["training", sittings] if trained else [sittings]
    if any(one.observed_spread for one in ranked):
        headings[3] = "spread (observed)"
    rows = [
        [
            labelled(one),
            score_of(one),
            units.around(known[one.subject][0], replication),
            spread(one),
            *([str(one.training)] if trained else []),
            str(one.moments.count),
        ]
        for one in ranked
    ]
    for name in account_for(result.assessment).beside:
        if any(name in one.measures for one in ranked):
            headings.append(name)
            for row, one in zip(rows, ranked, strict=True):
                row.append(_measured(one, name))
    if any(one.faults or one.default_share > 0.0 for one in ranked):
        headings += ["faults", "by default"]
        for row, one in zip(rows, ranked, strict=True):
            row += [str(one.faults), share_by_default(one.default_share)]
    columns = list(zip(headings, *rows, strict=True))
    taken = sum(max(len(cell) for cell in column) + 3 for column in columns) + 1
    room = console().width - taken - 3
    if room >= ROOM_FOR_WORDS:
        headings.append("what it is")
        for row, one in zip(rows, ranked, strict=True):
            about = one.summary
            row.append(about if len(about) <= room else about[: room - 1] + "…")
    for sentence in result.warnings if tell else ():
        say(sentence)
    table(
        f"Scores on {result.world}: {unit.measured}, from -1 to 1, with intervals over {behind}",
        [(name, name not in ("subject", "what it is")) for name in headings],
        rows,
    )
    _company_table(result)
    for one in ranked:
        for example in one.fault_examples:
            console().print(f"fault of {one.subject}: {example}")
    if tell:
        for sentence in units.decided(replication):
            say(sentence)
        tell_invalid(ranked)
    for sentence in used(ranked):
        say(sentence)
    for note in result.notes:
        console().print(note)


def _measured(subject: SubjectResult, name: str) -> str:
    """The mean of a measure over sittings, with its interval where there are enough of them."""
    from mensura.core.account import FEWEST

    moments = subject.measures.get(name)
    if moments is None or not moments.count:
        return ""
    if moments.count < FEWEST:
        return f"{moments.mean:.4g}"
    estimate = moments.estimate()
    return f"{moments.mean:.4g} [{estimate.low:.4g}, {estimate.high:.4g}]"


def _company_table(result: RunResult) -> None:
    """Print rewards alone, in company and the gain, where subjects were assessed so."""
    from mensura.reports import company
    from mensura.reports.standing import measured, standings
    from mensura.statistics.replication import Replication

    lines = company.rows(company.found(standings(measured([result], []))), Replication())
    if lines:
        table(
            f"Alone and in company on {result.world}: mean reward per agent and iteration, with 95% intervals",
            [("subject", False), ("alone", True), ("in company", True), ("gain", True)],
            [[line["subject"], *(" ".join(cell) for cell in line["cells"])] for line in lines],
        )


TABLES = 3
"""The scores of so many conditions are printed in a table each; of more, in one."""


def study_table(result: StudyResult, samples: Sequence[Sample] = ()) -> None:
    """Print the scores of a study: subjects by the levels of each factor, and a table for each condition or for many.

    Where there is one factor and nothing else, its table says all. Single scores, as far as they are there, tell the
    unit of the intervals.
    """
    from mensura.reports import units
    from mensura.reports.levels import effects
    from mensura.reports.standing import scored
    from mensura.statistics.replication import replication_of

    for sentence in result.warnings:
        say(sentence)
    played = [
        replace(condition, subjects=tuple(one for one in condition.subjects if one.moments.count))
        for condition in result.conditions
    ]
    samples = samples or result.samples
    replication = replication_of(samples)
    parts = scored(played, samples, replication)
    levels = [*result.levels, *({} for _ in played[len(result.levels) :])]
    valid = {at: part for at, part in parts.items() if part.result.valid}
    found = effects(played, levels, valid)
    errors, unit = [part.score[1] for part in parts.values()], _unit_of(played)
    for effect in found:
        _factor_table(effect, replication, units.behind(errors, unit))
    played = [condition for condition in played if condition.subjects]
    alone = len(found) == 1 and len(found[0].labels) == len(result.conditions)
    if not alone:
        _condition_tables(played, parts, replication, len(result.conditions) > 1)
    for sentence in units.decided(replication):
        say(sentence)
    tell_invalid([one for condition in played for one in condition.subjects])
    if alone or len(played) > TABLES:  # else they stand below each table
        for note in dict.fromkeys(note for condition in played for note in condition.notes):
            console().print(note)


def _factor_table(effect: Effect, replication: Replication, behind: str) -> None:
    """Print subjects by the levels of a factor, with the units behind each interval of a condition."""
    from mensura.reports import units
    from mensura.reports.number_words import signed, some

    over = f", each the mean over {some(effect.settings, 'setting')}" if effect.settings > 1 else ""
    table(
        f"Scores by {effect.factor}{over}, with 95% intervals over {behind} each",
        [("subject", False), *((label, True) for label in effect.labels)],
        [
            [
                name,
                *(
                    "" if one is None else f"{signed(one.value)} {units.around(one, replication)}"
                    for one in scores
                ),
            ]
            for name, scores in effect.scores.items()
        ],
    )


def _condition_tables(
    played: Sequence[RunResult], parts: Parts, replication: Replication, several: bool
) -> None:
    from mensura.api.results import labelled
    from mensura.reports import units
    from mensura.reports.number_words import score_of, share_by_default

    if len(played) <= TABLES:
        for condition in played:
            if several:
                console().print(condition.title, style="bold")
            score_table(condition, parts, replication, tell=False)
        return
    known = {at: part.score for at, part in parts.items()}
    behind = units.behind((error for _, error in known.values()), _unit_of(played))
    table(
        f"Scores: {_unit_of(played).measured}, from -1 to 1, with intervals over {behind} each",
        [
            ("condition", False),
            ("subject", False),
            ("score", True),
            ("95% interval", True),
            (_unit_of(played).many, True),
            ("faults", True),
            ("by default", True),
        ],
        [
            (
                condition.title if place == 0 else "",
                labelled(one),
                score_of(one),
                units.around(known[condition.title, one.subject][0], replication),
                str(one.moments.count),
                str(one.faults),
                share_by_default(one.default_share),
            )
            for condition in played
            for place, one in enumerate(condition.subjects)
        ],
    )


def tell_invalid(subjects: Sequence[SubjectResult]) -> None:
    """Say whose scores are not their own, if there are such."""
    from mensura.api.results import invalid_scores

    sentence = invalid_scores(subjects)
    if sentence:
        say(sentence)


def spread(one: SubjectResult) -> str:
    """The standard deviation between identical experiments: predicted, and observed if there are some."""
    if not one.valid:
        return "none"
    if one.moments.count < 2:
        return "?"
    observed = one.observed_spread
    predicted = f"{one.spread.value:.4f}"
    return predicted if observed is None else f"{predicted} ({observed.value:.4f})"


def _unit_of(played: Sequence[RunResult]) -> Unit:
    """What sittings of several conditions are called."""
    from mensura.reports.protocols import common_unit

    return common_unit(played)
