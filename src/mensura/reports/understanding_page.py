"""The page of understanding: a bar for each probe of each subject, with their minimum, and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mensura.core import palette
from mensura.reports.drawing import Drawing, drawn
from mensura.reports.number_words import short, some
from mensura.reports.page import fill
from mensura.reports.understanding_words import (
    GLOSSARY,
    measures_table,
    parts_table,
    told,
    value_of,
)
from mensura.statistics.understanding import Understanding

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def render_understanding(
    found: Sequence[Understanding],
    world: str,
    happens: str,
    seed: int,
    command: str = "",
    warnings: Sequence[str] = (),
) -> str:
    """The page; ``happens`` says when the phenomenon does."""
    phenomenon = found[0].phenomenon
    columns, rows = measures_table(found)
    part_columns, part_rows = parts_table(found)
    contents = [
        ("what", "What was asked"),
        ("probes", "The four probes"),
        ("parts", "What they are made of"),
        ("again", "How to reproduce"),
        ("words", "The words"),
    ]
    words: dict[str, Any] = {
        "title": f"Understanding of {phenomenon} in {world}",
        "meta": f"{some(len(found), 'subject')}, seed {seed}",
        "warnings": list(warnings),
        "found": list(told(found)),
        "about": [
            f"{phenomenon} happens when {happens}. All subjects were asked the same: {_asked(found[0])}."
        ],
        "faults": [f"{one.subject}, {fault}" for one in found for fault in one.faults[:10]],
        "columns": columns,
        "rows": rows,
        "part_columns": part_columns,
        "part_rows": part_rows,
        "again": f"The seed {seed} gives the same numbers again.",
        "command": command,
        "glossary": GLOSSARY,
    }
    panels = [
        {"name": one.subject, "svg": bars(one, f"probes-{at}"), "caption": caption(one)}
        for at, one in enumerate(found)
    ]
    return fill("understanding.html", contents, {"panels": panels}, **words)


def _asked(one: Understanding) -> str:
    counts = {name: probe.asked for name, probe in one.probes.items() if probe.asked}
    return ", ".join(f"{count} for {name}" for name, count in counts.items()) or "nothing"


def caption(one: Understanding) -> str:
    """The minimum of the probes."""
    return "Nothing was measured." if one.minimum is None else f"Minimum {value_of(one.minimum)}."


def bars(one: Understanding, name: str) -> Drawing:
    """A bar for each probe; the line is their minimum."""
    probes = one.probes

    def paint(axes: Axes) -> None:
        at = range(len(probes))
        heights = [probe.value or 0.0 for probe in probes.values()]
        axes.bar(at, heights, color=palette.BLUE, width=0.6)
        for place, probe in zip(at, probes.values(), strict=True):
            text = value_of(probe)
            axes.text(
                place,
                (probe.value or 0.0) + 0.02,
                text.replace(" ", "\n"),
                ha="center",
                va="bottom",
                fontsize=8,
            )
        if one.minimum is not None:
            axes.axhline(one.minimum, color=palette.VERMILLION, linewidth=1.0)
        axes.set_xticks(list(at), list(probes))
        axes.set_ylim(0.0, 1.2)
        axes.set_ylabel("share of what can be had")

    said = ", ".join(f"{probe} {value_of(value)}" for probe, value in probes.items())
    return drawn(300, 220, name, f"Probes of {short(one.subject)}: {said}", paint)
