"""The path of sittings in a report: from one environment to the next, as figures, sentences and a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.records.paths import SITTINGS, SittingPath, Step
from mensura.reports import sitting_figures
from mensura.reports.number_words import short, signed, some, whole
from mensura.reports.protocols import Unit
from mensura.reports.protocols import paths as paths_of
from mensura.reports.standing import Standing

LONG = 12
"""A table with more steps than this is folded, and so are those of several subjects."""


def words(
    standings: Sequence[Standing], assessment: Mapping[str, Any], unit: Unit
) -> Iterator[str]:
    """What the figures show."""
    with_paths = [one for one in standings if one.result.paths]
    if not with_paths:
        return
    most = max(len(one.result.paths) for one in with_paths)
    cut = " the first" if most == SITTINGS else ""
    yield (
        f"From one environment of {_one(unit)} to the next, for{cut} {unit.count(most)} of each subject: the first is "
        "bold, the others are thin. Above stands the complexity of the environment, below the score after it; dots are "
        "the rewards in single environments of the first. The panels share their axes of complexity and score."
    )
    if told := paths_of(assessment):
        yield told


def panels(
    standings: Sequence[Standing], measure: str, unit: Unit, prefix: str = ""
) -> list[dict[str, Any]]:
    """A figure of the paths of each subject, all on the same axes."""
    shown = [one for one in standings if one.result.paths]
    steps = [step for one in shown for path in one.result.paths for step in path.steps]
    complexities = [
        value for step in steps for value in (step.complexity, step.wanted) if value is not None
    ]
    if not complexities:
        return []
    scores = [0.0, *(step.score for step in steps if step.score is not None)]
    scores += [step.reward for one in shown for step in one.result.paths[0].steps]
    margin = 0.05 * (max(scores) - min(scores) or 1.0)
    return [
        {
            "name": one.label,
            "svg": sitting_figures.path(
                one.result.paths,
                (min(complexities), max(complexities)),
                (min(scores) - margin, max(scores) + margin),
                measure,
                unit.one,
                f"{prefix}path-{i}",
                f"Complexity and running score of {short(one.subject)} from one environment to the next",
            ),
            "caption": _caption(one.result.paths[0], unit),
        }
        for i, one in enumerate(shown)
    ]


def _caption(path: SittingPath, unit: Unit) -> str:
    known = [step.complexity for step in path.steps if step.complexity is not None]
    missed = sum(step.elsewhere for step in path.steps)
    parts = [f"The first {unit.one}: {some(path.length, 'environment')}"]
    if path.length > len(path.steps):
        parts.append(f"of which the first {len(path.steps)} are shown")
    if known and min(known) == max(known):
        parts.append(f"complexity {_short(known[0])} throughout")
    elif known:
        parts.append(
            f"complexity from {_short(min(known))} to {_short(max(known))}, at last {_short(known[-1])}"
        )
    if missed:
        parts.append(f"{some(missed, 'time')} not available as wanted")
    last = path.steps[-1].score
    if last is not None:
        parts.append(f"score {signed(last)}")
    return ", ".join(parts) + "."


def tables(
    standings: Sequence[Standing], assessment: Mapping[str, Any], unit: Unit
) -> list[dict[str, Any]]:
    """The first sitting of each subject step by step, as rows of cells under their headings."""
    found = []
    clock = "s" if assessment.get("seconds") is not None else "interactions"
    for one in standings:
        if not one.result.paths:
            continue
        path = one.result.paths[0]
        columns = [column for column in _COLUMNS if any(column[1](step) for step in path.steps)]
        found.append(
            {
                "title": f"{one.label}: the first {unit.one}, step by step "
                f"({some(path.length, 'environment')})",
                "open": len(path.steps) <= LONG and len(standings) == 1,
                "head": [heading.format(clock=clock) for heading, _ in columns],
                "rows": [[cell(step) for _, cell in columns] for step in path.steps],
            }
        )
    return found


def _one(unit: Unit) -> str:
    return f"{'an' if unit.one[0] in 'aeiou' else 'a'} {unit.one}"


def _short(value: float | None) -> str:
    if value is None or math.isnan(value):
        return ""
    return whole(value) if abs(value) >= 1000 else f"{value:.3g}"


def _wanted(step: Step) -> str:
    if step.wanted is None:
        return ""
    instead = f" (asked for {_short(step.used)})" if step.elsewhere else ""
    return f"{_short(step.wanted)}{instead}"


_COLUMNS = (
    ("environment", lambda step: str(step.sequence + 1)),
    ("complexity wanted", _wanted),
    ("complexity", lambda step: _short(step.complexity)),
    ("slot [{clock}]", lambda step: _short(step.slot)),
    ("interactions", lambda step: whole(step.interactions)),
    ("reward", lambda step: signed(step.reward)),
    ("score after it", lambda step: "" if step.score is None else signed(step.score)),
    ("standard error", lambda step: "" if step.error is None else f"{step.error:.3f}"),
)
"""Columns that are empty throughout are left out."""
