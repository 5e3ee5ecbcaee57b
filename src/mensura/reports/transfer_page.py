"""What was found of transfer, as tables for a terminal and as a page with a heat map and learning curves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mensura.core import palette
from mensura.reports.drawing import Drawing, drawn, look_of, shaded, slant
from mensura.reports.number_words import interval, number, short, signed, some
from mensura.reports.page import fill
from mensura.statistics.interval import Estimate
from mensura.statistics.transfer import TimeTransfer, at_equal_distance, raw_transfer
from mensura.statistics.transfer_table import Pair, TransferTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Columns = Sequence[tuple[str, bool]]
Sheet = tuple[str, Columns, Sequence[Sequence[str]]]
"""A title, columns with whether they hold numbers, and rows."""

FULL = 4
"""So many tasks have their intervals in the matrix; of more, half their width."""

MARKS = {1: "+", 0: "", -1: "-"}
"""After a cell: training there surely helps at once, or surely harms."""

DEFINITIONS = (
    "Performance P is the mean reward in [-1, 1] of some episodes. It is measured on a copy of what the learner knows, "
    "which is thrown away afterwards, so measuring trains nobody. All cells of a learner share their test episodes; "
    "intervals are over learners.",
    "Raw transfer: performance in Y after training in X. Jump-start: that minus the performance of a newborn in Y. "
    "Loss: performance in X minus that in Y, both after training in X. Regret: performance in Y after training in Y "
    "minus that after training in X.",
    "Gain: performance in Y after X and then Y, minus that after Y alone. Forgetting: performance in X before training "
    "in Y minus that after it; its control trains in X in the place of Y.",
    "Training-time transfer: interactions in Y until the level is reached at two checkpoints in a row, without X minus "
    "with X; composite: minus the interactions in X. At least, at most: some learners did not reach the level.",
    "Split: a share of the same budget is spent in X, compared with all of it in Y; the best share is the one with "
    "which learners do best in Y, of those that were tried, none and all included. Parallel: X and Y by turns, "
    "compared with half the budget in Y. Knowledge transfer: bits that training in Y adds to the compressed memory up "
    "to the level, without X minus with X.",
    "The measures are those of Bieger et al. (2016), section 4.2, with signs and missing terms settled.",
)
"""The words of the page."""


def value_of(one: Estimate | None) -> str:
    """An estimate with its interval, in a cell."""
    if one is None:
        return "undefined"
    return f"{signed(one.value)} {interval(one.low, one.high)}"


def brief(one: Estimate) -> str:
    """The same where there is less room: with half the width of the interval."""
    half = f" \u00b1{one.half_width:.2f}" if math.isfinite(one.half_width) else ""
    return f"{signed(one.value, 2)}{half}"


def bits_of(one: Estimate | None) -> str:
    """The same of whole numbers."""
    if one is None:
        return "undefined"
    ends = f" [{one.low:+,.0f}, {one.high:+,.0f}]" if math.isfinite(one.low) else ""
    return f"{one.value:+,.0f}{ends}"


def time_of(one: TimeTransfer) -> str:
    """Interactions that are saved."""
    if one.estimate is None or one.bound == "undefined":
        return "undefined"
    return f"{one.bound} {bits_of(one.estimate)}".strip()


def matrix_sheet(table: TransferTable) -> Sheet:
    """Raw transfer: rows were trained in, columns tested."""
    margins = table.margins()
    shown = value_of if len(table.tasks) <= FULL else brief
    rows = [
        [
            table.tasks[x],
            *(f"{shown(one)} {MARKS[table.sure(x, y)]}".rstrip() for y, one in enumerate(row)),
            shown(margins.rows[x]),
        ]
        for x, row in enumerate(table.matrix())
    ]
    rows.append(["mean of the others", *map(shown, margins.columns), ""])
    newborn = [shown(raw_transfer(table.newborn[:, y])) for y in range(len(table.tasks))]
    rows.append(["untrained", *newborn, ""])
    return (
        f"{table.subject}: performance in the task of a column after {table.interactions:,} interactions in a row's",
        [
            ("trained in", False),
            *((name, True) for name in table.tasks),
            ("mean of the others", True),
        ],
        rows,
    )


def measure_sheets(pairs: Sequence[Pair]) -> Iterator[Sheet]:
    """A row for each pair of tasks; where there is one pair only, a row for each of its measures."""
    if len(pairs) == 1:
        pair = pairs[0]
        rows = [
            [name, bits_of(one) if "[bits]" in name else value_of(one)]
            for name, one in pair.measures.items()
        ]
        rows += [[f"{name} [interactions]", time_of(one)] for name, one in pair.times.items()]
        if pair.best_share is not None:
            rows.append(["split, best share in X", f"{pair.best_share:.0%}"])
        about = f", times and bits at the level {pair.level:.3f}" if pair.times else ""
        yield f"From {pair.x} to {pair.y}{about}", [("measure", False), ("value", True)], rows
        return
    names = list(pairs[0].measures)
    columns = [("from", False), ("to", False), *((name, True) for name in names)]
    columns += [(f"{name} [interactions]", True) for name in pairs[0].times]
    columns += [] if pairs[0].best_share is None else [("split, best share in X", True)]
    yield (
        "Measures of transfer",
        columns,
        [
            [
                one.x,
                one.y,
                *(
                    bits_of(v) if "[bits]" in name else value_of(v)
                    for name, v in one.measures.items()
                ),
                *map(time_of, one.times.values()),
                *([] if one.best_share is None else [f"{one.best_share:.0%}"]),
            ]
            for one in pairs
        ],
    )


def sentences(table: TransferTable) -> list[str]:
    """What the matrix says."""
    many = len(table.tasks)
    off = [(x, y) for x in range(many) for y in range(many) if x != y]
    helped = sum(table.sure(x, y) > 0 for x, y in off)
    harmed = sum(table.sure(x, y) < 0 for x, y in off)
    said = [
        f"Of {len(off)} transfers to another task {helped} surely help at once (+) and {harmed} surely harm (-), "
        f"by 95% intervals over {some(table.learners, 'learner')}."
    ]
    if table.learners < 2:
        said = ["One learner tells nothing about others: take at least 2 for intervals."]
    if many == 2:
        return said
    rows = table.margins().rows
    best = max(range(many), key=lambda x: rows[x].value)
    said.append(
        f"In the others, learners do best after training in {table.tasks[best]}: {value_of(rows[best])} on average."
    )
    if np.isfinite(table.apart).all() and table.apart.any():
        level = np.nanmean(at_equal_distance(table.raw.mean(axis=0), table.apart), axis=1)
        said.append(
            f"With what distance explains taken out, it is after {table.tasks[int(np.argmax(level))]}: "
            f"{float(level.max()):+.3f}."
        )
    return said


# Figures ---------------------------------------------------------------------------------


def heat_map(table: TransferTable, name: str = "matrix") -> Drawing:
    """Raw transfer as shades; cells that are sure have a sign."""
    values = table.raw.mean(axis=0)
    low, high = float(values.min()), float(values.max())
    lack = max(0.3 - (high - low), 0.0) / 2
    many = len(table.tasks)
    texts = [
        [
            f"{number(float(values[x, y]), 2)} {MARKS[table.sure(x, y)]}".rstrip()
            for y in range(many)
        ]
        for x in range(many)
    ]

    def paint(axes: Axes) -> None:
        shaded(axes, values, (low - lack, high + lack), texts, 9.5)
        axes.set_xticks(range(many), [short(task, 22) for task in table.tasks])
        axes.set_yticks(range(many), [short(task, 30) for task in table.tasks])
        slant(axes)
        axes.set_xlabel("tested in")
        axes.set_ylabel("trained in")

    label = f"Performance after training in each of {many} tasks, tested in each of them"
    return drawn(min(900, 240 + 52 * many), 150 + 26 * many, name, label, paint)


def learning_curves(table: TransferTable, name: str = "curves") -> Drawing:
    """Performance in each task by the interactions of training in it."""
    # On the logarithmic axis no training stands where half of the first checkpoint would.
    at = [max(one, table.checkpoints[1] / 2) for one in table.checkpoints]

    def paint(axes: Axes) -> None:
        axes.set_xscale("log", base=2)
        for x, task in enumerate(table.tasks):
            color, line = look_of(x)
            points = table.curve(x)
            if table.learners > 1:
                axes.fill_between(
                    at,
                    [one.low for one in points],
                    [one.high for one in points],
                    color=color,
                    alpha=0.15,
                    linewidth=0,
                )
            axes.plot(
                at,
                [one.value for one in points],
                color=color,
                linestyle=line,
                marker=palette.SERIES[x % len(palette.SERIES)][1],
                markersize=4,
                label=short(task, 20),
            )
        axes.set_xticks(at, [f"{one:,}" for one in table.checkpoints])
        axes.minorticks_off()
        if len(at) > 8:
            slant(axes)
        axes.set_xlabel("training in the task [interactions]")
        axes.set_ylabel("performance in it [mean reward]")
        axes.grid()
        axes.figure.legend(loc="outside right upper")

    label = f"Learning curves in {len(table.tasks)} tasks"
    return drawn(640, 320, name, label, paint)


class Found(NamedTuple):
    """What was found of one subject in one family."""

    table: TransferTable
    pairs: Sequence[Pair]
    about: Sequence[str]
    """What readers should know of how it was measured."""


def render_transfer(found: Sequence[Found], command: str, seed: int) -> str:
    """The page; several subjects, or families, stand one after another."""
    sections, contents = [], []
    for at, one in enumerate(found):
        mark = f"-{at + 1}" if len(found) > 1 else ""
        of = f" of {one.table.subject}" if mark else ""
        shown = [matrix_sheet(one.table), *measure_sheets(one.pairs)]
        sheets = [
            {"anchor": f"table-{i}{mark}", "title": title, "columns": columns, "rows": rows}
            for i, (title, columns, rows) in enumerate(shown)
        ]
        sections.append(
            {
                "mark": mark,
                "of": of,
                "found": [*sentences(one.table), *one.about],
                "sheets": sheets,
                "svg": heat_map(one.table),
                "panels": [{"svg": learning_curves(one.table)}],
            }
        )
        contents += [
            (f"matrix{mark}", f"Raw transfer{of}"),
            (f"curves{mark}", f"Learning curves{of}"),
            *((str(sheet["anchor"]), short(str(sheet["title"]), 60)) for sheet in sheets),
        ]
    first = found[0].table
    words: dict[str, Any] = {
        "title": f"Transfer: {', '.join(dict.fromkeys(one.table.subject for one in found))}",
        "meta": f"{some(len(first.tasks), 'task')}, {some(first.learners, 'learner')}, "
        f"{first.interactions:,} interactions of training, seed {seed}",
        "definitions": DEFINITIONS,
        "command": command,
        "again": f"The seed {seed} gives the same numbers again.",
    }
    contents += [("words", "What is measured"), ("again", "How to reproduce")]
    return fill("transfer.html", contents, {"sections": sections}, **words)
