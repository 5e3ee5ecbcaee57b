"""The tables of scores that commands print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mensura.terminal.output import console, say, table

if TYPE_CHECKING:
    from mensura.records.results import RunResult, StudyResult, SubjectResult

ROOM_FOR_WORDS = 20
"""A table of scores says what subjects are where there is room for so many characters."""


def score_table(result: RunResult) -> None:
    """Print the scores of a run, best first, with their intervals."""
    from mensura.api.results import labelled, ranking
    from mensura.reports.protocols import unit_of
    from mensura.reports.usage import used
    from mensura.reports.words import ends, share_by_default, signed

    ranked = ranking(result.subjects)
    sittings = unit_of(result.assessment).many
    trained = any(one.training for one in ranked)
    headings = ["subject", "score", "95% interval", "spread"]
    headings += ["training", sittings] if trained else [sittings]
    if any(one.observed_spread for one in ranked):
        headings[3] = "spread (observed)"
    rows = [
        [
            labelled(one),
            signed(one.score.value),
            ends(one.score),
            spread(one),
            *([str(one.training)] if trained else []),
            str(one.moments.count),
        ]
        for one in ranked
    ]
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
    table(
        f"Scores on {result.world}: mean reward per subject and iteration, from -1 to 1",
        [(name, name not in ("subject", "what it is")) for name in headings],
        rows,
    )
    for one in ranked:
        for example in one.fault_examples:
            console().print(f"fault of {one.subject}: {example}")
    tell_invalid(ranked)
    for sentence in used(ranked):
        say(sentence)
    for note in result.notes:
        console().print(note)


TABLES = 3
"""The scores of so many conditions are printed in a table each; of more, in one."""


def study_table(result: StudyResult) -> None:
    """Print the scores of a study: a table for each condition, or one for many."""
    played = [
        replace(condition, subjects=tuple(one for one in condition.subjects if one.moments.count))
        for condition in result.conditions
    ]
    played = [condition for condition in played if condition.subjects]
    if len(played) <= TABLES:
        for condition in played:
            if len(result.conditions) > 1:
                console().print(condition.title, style="bold")
            score_table(condition)
        return
    from mensura.api.results import labelled
    from mensura.reports.protocols import common_unit
    from mensura.reports.words import ends, share_by_default, signed

    table(
        "Scores: mean reward per subject and iteration, from -1 to 1",
        [
            ("condition", False),
            ("subject", False),
            ("score", True),
            ("95% interval", True),
            (common_unit(played).many, True),
            ("faults", True),
            ("by default", True),
        ],
        [
            (
                condition.title if place == 0 else "",
                labelled(one),
                signed(one.score.value),
                ends(one.score),
                str(one.moments.count),
                str(one.faults),
                share_by_default(one.default_share),
            )
            for condition in played
            for place, one in enumerate(condition.subjects)
        ],
    )
    tell_invalid([one for condition in played for one in condition.subjects])


def tell_invalid(subjects: Sequence[SubjectResult]) -> None:
    """Say whose scores are not their own, if there are such."""
    from mensura.api.results import invalid_scores

    sentence = invalid_scores(subjects)
    if sentence:
        say(sentence)


def spread(one: SubjectResult) -> str:
    """The standard deviation between identical experiments: predicted, and observed if there are some."""
    if one.moments.count < 2:
        return "?"
    observed = one.observed_spread
    predicted = f"{one.spread.value:.4f}"
    return predicted if observed is None else f"{predicted} ({observed.value:.4f})"
