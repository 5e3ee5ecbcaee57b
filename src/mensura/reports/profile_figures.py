"""The figures of a profile that no other page has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mensura.core import palette
from mensura.reports.drawing import Drawing, drawn, mark_zero, name_rows, reach
from mensura.reports.number_words import number, short, signed
from mensura.statistics.generalization import Generalization
from mensura.statistics.strengths import Point
from mensura.statistics.subject_profile import Behavior, Forgotten, Performance, Shared

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 30


def points_figure(points: list[Point], name: str, subject: str) -> Drawing:
    """All points with their intervals, the surest advantage first."""
    found = sorted(points, key=lambda one: (-one.probability, -one.estimate.value))[:MOST_POINTS]

    def paint(axes: Axes) -> None:
        mark_zero(axes)
        axes.errorbar(
            [one.estimate.value for one in found],
            range(len(found)),
            xerr=reach([one.estimate for one in found]),
            fmt="o",
            color=palette.BLUE,
            markersize=4,
        )
        name_rows(axes, [one.name for one in found], 48)
        axes.set_xlabel("better by [its own unit]")
        axes.grid(axis="x")

    said = "; ".join(f"{one.name} {signed(one.estimate.value)}" for one in found)
    return drawn(720, 70 + 22 * len(found), name, f"Points of {short(subject)}: {said}", paint)


def performance_figure(found: Performance, name: str, subject: str) -> Drawing:
    """Performance in each environment, from the worst to the best, beside random and the best reference."""
    order = found.own.argsort(kind="stable")
    at = range(1, len(order) + 1)

    def paint(axes: Axes) -> None:
        axes.plot(at, found.chance[order], ".", color=palette.INK, alpha=0.4, label="random")
        if found.best_name:
            axes.plot(
                at,
                found.best[order],
                "^",
                color=palette.VERMILLION,
                markersize=3,
                alpha=0.6,
                label=short(found.best_name, 18),
            )
        axes.plot(at, found.own[order], color=palette.BLUE, label=short(subject, 18))
        axes.set_xlabel("environment, by the subject's performance")
        axes.set_ylabel("performance")
        axes.grid()
        axes.figure.legend(loc="outside right upper")

    label = f"Performance of {short(subject)} in {len(order)} environments, mean {signed(found.score.value)}"
    return drawn(560, 260, name, label, paint)


def split_figure(found: Shared, name: str, subject: str) -> Drawing:
    """What a budget brings that is shared with another task."""

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.errorbar(
            found.shares,
            [one.value for one in found.gained],
            yerr=reach(found.gained),
            marker="o",
            color=palette.BLUE,
        )
        axes.set_xticks(found.shares, [f"{share:.0%}" for share in found.shares])
        axes.set_xlabel("share of the budget in the other task")
        axes.set_ylabel("gained in the task")
        axes.grid()

    said = ", ".join(
        f"{signed(one.value)} at {share:.0%}"
        for share, one in zip(found.shares, found.gained, strict=True)
    )
    return drawn(340, 230, name, f"Split budget of {short(subject)}: {said}", paint)


def forgetting_figure(found: list[Forgotten], name: str, subject: str) -> Drawing:
    """What is lost of each task, beside the control."""

    def paint(axes: Axes) -> None:
        mark_zero(axes)
        for shift, label, color, marker, values in (
            (-0.15, "after another task", palette.BLUE, "o", [one.lost for one in found]),
            (
                0.15,
                "after more of the same",
                palette.VERMILLION,
                "^",
                [one.control for one in found],
            ),
        ):
            axes.errorbar(
                [one.value for one in values],
                [i + shift for i in range(len(found))],
                xerr=reach(values),
                fmt=marker,
                color=color,
                markersize=4,
                label=label,
            )
        name_rows(axes, [f"task {one.task}" for one in found])
        axes.set_xlabel("lost of performance")
        axes.grid(axis="x")
        axes.figure.legend(loc="outside upper center", ncols=2)

    said = ", ".join(f"{signed(one.lost.value)} of task {one.task}" for one in found)
    return drawn(360, 90 + 30 * len(found), name, f"Forgetting of {short(subject)}: {said}", paint)


def generalization_figure(found: Generalization, name: str, subject: str) -> Drawing:
    """Raw transfer against distance, with the falling fit."""

    def paint(axes: Axes) -> None:
        axes.plot(found.distance, found.transfer, "o", color=palette.BLUE, markersize=4)
        axes.plot(found.distance, found.fit, color=palette.VERMILLION, drawstyle="steps-mid")
        axes.set_xlabel("distance of the tested task from the trained one")
        axes.set_ylabel("performance in it")
        axes.grid()

    label = (
        f"Transfer of {short(subject)} by distance: correlation of ranks "
        f"{signed(found.correlation.value)}, from {number(float(found.fit[0]), 2)} to "
        f"{number(float(found.fit[-1]), 2)} along the fit"
    )
    return drawn(340, 230, name, label, paint)


def behavior_figure(found: Behavior, name: str, subject: str) -> Drawing:
    """What actions cost along an episode."""
    means = found.costs.mean(axis=0)
    exact = found.kind == "optimum"

    def paint(axes: Axes) -> None:
        axes.plot(range(1, len(means) + 1), means, color=palette.BLUE)
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel("interaction")
        axes.set_ylabel("cost of the action [reward]" if exact else "distance to the schedule")
        axes.grid()

    what = "cost of" if exact else "distance to a known schedule of"
    label = f"Mean {what} {short(subject)}'s actions along an episode, {signed(found.mean_cost.value)} in all"
    return drawn(560, 220, name, label, paint)
