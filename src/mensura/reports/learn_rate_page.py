"""The learn rate as tables for a terminal, and as a page with times by complexity and learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.reports.drawing import Drawing, drawn, look_of
from mensura.reports.number_words import interval, signed, some
from mensura.reports.page import fill
from mensura.reports.transfer_page import Sheet, learning_curves
from mensura.statistics.interval import Estimate
from mensura.statistics.learn_rate import LearnRate, Times
from mensura.statistics.transfer import Floats
from mensura.statistics.transfer_table import TransferTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CURVES = 8
"""More tasks than that have no figure of learning curves, as nobody could tell them apart."""

DEFINITIONS = (
    "The learn rate r is that of log T = -r + b c + d log s + noise over tasks of complexity c and size s. T is the "
    "number of interactions of training until performance, the mean reward in [-1, 1], is at the level at two "
    "checkpoints in a row. The higher r is, the sooner the level is reached in tasks of the same complexity.",
    "Times that were not seen to end are censored: they are known to be longer than the training (Tobin's regression, "
    "1958). Who was at the level before training needed one interaction or less.",
    "Intervals are of 95%, over tasks drawn anew with all their learners. For the check tasks are left out, a part at "
    "a time, and their times told from the others; an error of 0.1 in log T is about 10% of the time.",
    "Where no level is given it is halfway from newborns to the trained in each task, and tasks are left out in which "
    "the trained are not surely better than newborns.",
    "Section 4.2 of Bieger et al. (2016) asks for it and gives no formula; the model and the level are ours.",
)


def _told(one: Estimate | None, lacking: str) -> str:
    return lacking if one is None else f"{signed(one.value)} {interval(one.low, one.high)}"


def rate_sheet(subject: str, measure: str, rate: LearnRate, level: float | None) -> Sheet:
    """What was fitted, and how well it tells times of tasks that were left out."""
    held = rate.held_out
    rows = [
        ["learn rate r", _told(rate.rate, "")],
        [f"b, by {measure}", _told(rate.by_complexity, "all tasks have the same")],
        ["d, by log size", _told(rate.by_size, "the same of all tasks, or unknown")],
        ["noise in log T", f"{rate.noise:.3f}"],
        ["times that were not seen to end", f"{rate.censored:.0%}"],
        ["error of log T in held-out tasks", f"{held.error:.3f}"],
        ["the same of the mean time", f"{held.error_of_mean:.3f}"],
        ["held-out times in their 90% interval", f"{held.coverage:.0%}"],
    ]
    return (
        f"{subject}: log T = -r + b c + d log s, T to {level_in_words(level)}",
        [("what", False), ("value", True)],
        rows,
    )


def level_in_words(level: float | None) -> str:
    """The performance that is reached."""
    if level is None:
        return "halfway from newborns to the trained in each task"
    return f"the level {level:+.3f}"


def task_sheet(table: TransferTable, times: Times, levels: Floats, told: Floats) -> Sheet:
    """A row for each task."""
    rows = []
    for x, name in enumerate(table.tasks):
        seen = times.reached[x]
        middle = float(np.exp(np.log(np.maximum(times.times[x], 1.0)).mean()))
        rows.append(
            [
                name,
                f"{times.complexity[x]:g}",
                "" if np.isnan(times.size[x]) else f"{times.size[x]:g}",
                f"{levels[x]:+.3f}",
                f"{int(seen.sum())} of {len(seen)}",
                f"{'' if seen.all() else 'over '}{middle:,.0f}",
                "left out" if np.isnan(told[x]) else f"{np.exp(told[x]):,.0f}",
            ]
        )
    names = ("task", "complexity", "size", "level", "learners there", "T", "T by the model")
    return "Tasks", [(name, i > 0) for i, name in enumerate(names)], rows


def sentences(
    subject: str, rate: LearnRate | None, level: float | None, used: int, tasks: int, learners: int
) -> list[str]:
    """What was found, in words; ``used`` of the tasks are those that a rate can be of."""
    left_out = (
        f"In {tasks - used} of {some(tasks, 'task')} the trained are not surely better than newborns, so there is no "
        "way to go, and these are left out."
    )
    if rate is None and used < tasks:
        return [left_out, "Too few are left for a learn rate: train longer, or by more learners."]
    if rate is None:
        return [
            f"No learner of {subject} reached {level_in_words(level)} in any task, so nothing is known of its learn "
            "rate; train longer, or take a lower level."
        ]
    held = rate.held_out
    better = held.error < held.error_of_mean
    said = [
        f"The learn rate of {subject} is {_told(rate.rate, '')}, over {some(rate.tasks, 'task')} with "
        f"{some(learners, 'learner')} each.",
        f"In held-out tasks the model tells log T with an error of {held.error:.3f}, "
        f"{'less than' if better else 'no better than'} that of the mean time, {held.error_of_mean:.3f}; "
        f"{held.coverage:.0%} of the times are in their 90% intervals.",
    ]
    if not better:
        said.append("So complexity does not tell here how long learning takes.")
    if used < tasks:
        said.append(left_out)
    return said


def times_figure(times: Times, told: Floats, measure: str, budget: int) -> Drawing:
    """Times by complexity, with what the model tells."""
    color, _ = look_of(0)
    line, _ = look_of(1)

    def paint(axes: Axes) -> None:
        axes.set_yscale("log", base=2)
        at = np.repeat(times.complexity, times.times.shape[1])
        flat, seen = np.maximum(times.times.ravel(), 1.0), times.reached.ravel()
        axes.plot(at[seen], flat[seen], "o", color=color, markersize=4, label="reached")
        axes.plot(at[~seen], flat[~seen], "^", color=color, mfc="none", label="not reached by then")
        if np.isfinite(told).any():
            axes.plot(times.complexity, np.exp(told), "x", color=line, label="told by the model")
        axes.set_xlabel(measure)
        axes.set_ylabel("training until the level [interactions]")
        axes.grid()
        axes.figure.legend(loc="outside right upper")

    label = f"Interactions until the level in {len(times.complexity)} tasks by complexity, up to {budget:,}"
    return drawn(640, 340, "times", label, paint)


def render_learn_rate(
    table: TransferTable,
    times: Times,
    told: Floats,
    measure: str,
    sheets: Sequence[Sheet],
    found: Sequence[str],
    command: str,
    seed: int,
) -> str:
    """The page."""
    shown: list[dict[str, Any]] = [
        {"anchor": f"table-{i}", "title": title, "columns": columns, "rows": rows}
        for i, (title, columns, rows) in enumerate(sheets)
    ]
    pictures = [
        ("times", "Times by complexity", times_figure(times, told, measure, table.interactions))
    ]
    if len(table.tasks) <= MOST_CURVES:
        pictures.append(("curves", "Learning curves", learning_curves(table)))
    contents = [
        *((anchor, title) for anchor, title, _ in pictures),
        *((str(one["anchor"]), str(one["title"])) for one in shown),
        ("words", "What is measured"),
        ("again", "How to reproduce"),
    ]
    return fill(
        "learn_rate.html",
        contents,
        {"pictures": [{"anchor": a, "title": t, "svg": svg} for a, t, svg in pictures]},
        title=f"Learn rate: {table.subject}",
        meta=f"{some(len(table.tasks), 'task')}, {some(table.learners, 'learner')} each, "
        f"{table.interactions:,} interactions of training, seed {seed}",
        found=list(found),
        sheets=shown,
        definitions=DEFINITIONS,
        command=command,
        again=f"The seed {seed} gives the same numbers again.",
    )
