"""Published values beside ours: the page of a study with published values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.reports import experiment_figures
from mensura.reports.number_words import ends, plain, signed, some, whole
from mensura.reports.page import fill
from mensura.statistics.interval import Estimate

Row = Mapping[str, Any]
"""One published value and ours: setting, subject, preset, published, doubt, measured, low, high and episodes.

``published`` is None for a subject of ours that was not in the publication."""


def render_comparison(
    title: str, source: str, notes: Sequence[str], rows: Sequence[Row], command: str = ""
) -> str:
    """One table and one figure for each setting, published values beside ours under each preset."""
    if not rows:
        raise MensuraError(
            "This comparison has no rows, so there is nothing to report; run it first."
        )
    presets = _distinct(rows, "preset")
    settings = []
    for i, name in enumerate(_distinct(rows, "setting")):
        settings.append(_setting(name, [row for row in rows if row["setting"] == name], presets, i))
    episodes = sorted({int(row["episodes"]) for row in rows})
    contents = [
        ("what", "What was run"),
        *((setting["anchor"], setting["name"]) for setting in settings),
        ("again", "How to reproduce"),
    ]
    return fill(
        "comparison.html",
        contents,
        {"settings": settings},
        title=title,
        meta=f"published and measured, {' to '.join(whole(n) for n in (episodes[0], episodes[-1])[: len(episodes)])} "
        "episodes for each of our values",
        found=list(_found(rows, presets)),
        source=source,
        notes=notes,
        again=(
            "The same version of Mensura gives the same values on any machine with this command:"
            if command
            else "The seed that the command printed gives the same values again."
        ),
        command=command,
    )


def _distinct(rows: Sequence[Row], field: str) -> list[str]:
    """The values of a field in the order in which they come."""
    return list(dict.fromkeys(str(row[field]) for row in rows))


def _setting(name: str, rows: Sequence[Row], presets: Sequence[str], i: int) -> dict[str, Any]:
    subjects = _distinct(rows, "subject")
    at = {(row["subject"], row["preset"]): row for row in rows}
    first = {row["subject"]: row for row in reversed(rows)}
    printed = {subject: _printed(first[subject]) for subject in subjects}
    shown = [preset for preset in presets if any(row["preset"] == preset for row in rows)]
    missing = Estimate(math.nan, math.nan, math.nan, 0.95, 0, math.nan)
    ours = {
        preset: [
            _estimate(at[subject, preset]) if (subject, preset) in at else missing
            for subject in subjects
        ]
        for preset in shown
    }
    return {
        "name": name,
        "anchor": f"setting-{i}",
        "presets": shown,
        "svg": experiment_figures.published(
            subjects,
            [(printed[subject], bool(first[subject]["doubt"])) for subject in subjects],
            ours,
            f"setting-{i}",
            f"Published and measured scores of {len(subjects)} subjects, {name}",
        ),
        "caption": "Published values are open diamonds, narrow where they are in doubt; ours have 95% intervals. "
        "The broken line at 0 is what acting at random is worth.",
        "rows": [
            {
                "subject": subject,
                "published": "" if math.isnan(printed[subject]) else signed(printed[subject]),
                "doubt": first[subject]["doubt"],
                "ours": [
                    {
                        "measured": signed(ours[preset][j].value),
                        "interval": ends(ours[preset][j]),
                    }
                    for preset in shown
                ],
            }
            for j, subject in enumerate(subjects)
        ],
    }


def _printed(row: Row) -> float:
    return math.nan if row["published"] is None else float(row["published"])


def _estimate(row: Row) -> Estimate:
    low, high = (float(row[end]) if row[end] is not None else math.nan for end in ("low", "high"))
    return Estimate(float(row["measured"]), low, high, 0.95, int(row["episodes"]), math.nan)


def _found(rows: Sequence[Row], presets: Sequence[str]) -> Iterator[str]:
    """How far ours are from the published values, in doubt and not, as numbers."""
    for preset in presets:
        sound = [
            row
            for row in rows
            if row["preset"] == preset and row["published"] is not None and not row["doubt"]
        ]
        if not sound:
            continue
        gaps = [abs(float(row["measured"]) - float(row["published"])) for row in sound]
        worst = sound[gaps.index(max(gaps))]
        within = sum(
            row["low"] is not None and row["low"] <= row["published"] <= row["high"]
            for row in sound
        )
        yield (
            f"Under {preset}, ours differ from the {some(len(sound), 'published value')} that are not in doubt by "
            f"{plain(sum(gaps) / len(gaps), 3)} on average and by {plain(max(gaps), 3)} at most "
            f"({worst['subject']}, {worst['setting']}); {within} of them lie within our intervals."
        )
    doubtful = {(row["setting"], row["subject"]) for row in rows if row["doubt"]}
    if doubtful:
        yield (
            f"{some(len(doubtful), 'published value')} {'is' if len(doubtful) == 1 else 'are'} in doubt, for reasons "
            "that stand beside them; a correct program gives others."
        )
