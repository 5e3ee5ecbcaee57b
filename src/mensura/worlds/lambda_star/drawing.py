"""Pictures of a Lambda Star environment, like figure 2 of the paper."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.complexity.entropy import search_space_entropy
from mensura.core import palette
from mensura.pictures import files
from mensura.pictures.layout import abreast
from mensura.worlds.lambda_star import field_drawing
from mensura.worlds.lambda_star.environment import Description, LambdaStarEnvironment
from mensura.worlds.lambda_star.generator import pattern_complexity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Cell: TypeAlias = tuple[int, int]
"""Row and column, from 0."""

GRID_LINES = 60
"""Up to so many rows and columns a drawing has lines between cells."""
BEYOND = 0.75
"""How much of a step over the border is drawn on either side, before the border cuts it at one half."""


def rewards_of(
    d: Description,
    good: Cell,
    evil: Cell,
    rows: npt.NDArray[Any],
    cols: npt.NDArray[Any],
    strength: tuple[float, float] = (1.0, 1.0),
) -> npt.NDArray[np.float64]:
    """What the cells at these rows and columns are worth (section 4.1.2): (len(rows), len(cols)).

    ``strength`` is that of Good and Evil, where they tire.
    """

    def felt(at: Cell) -> npt.NDArray[np.float64]:
        down, along = np.abs(rows - at[0]), np.abs(cols - at[1])
        down, along = np.minimum(down, d.rows - down), np.minimum(along, d.cols - along)
        distance = np.maximum(down[:, None], along[None, :])
        return np.where(distance <= d.radius, 1.0 / (distance + 1.0), 0.0)

    return strength[0] * felt(good) - strength[1] * felt(evil)


def worth_of(
    environment: LambdaStarEnvironment, rows: npt.NDArray[Any], cols: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """What the cells at these rows and columns are worth now, whatever the task: (len(rows), len(cols))."""
    worth = environment.worth()
    if worth is not None:
        return np.asarray(worth[np.ix_(rows, cols)])
    at = environment.positions()
    strength = tiredness(environment)
    return rewards_of(environment.description, at["good"], at["evil"], rows, cols, strength)


def tiredness(environment: LambdaStarEnvironment) -> tuple[float, float]:
    """How strong Good and Evil are now: 1 where they do not tire."""
    d = environment.description
    good, evil = environment.parts.strength.tolist() if d.wide else (1.0, 1.0)
    return good, evil


def complexity_of(environment: LambdaStarEnvironment) -> int:
    """K: the Lempel-Ziv 76 complexity of Good's cells over the whole horizon, as in the paper's text."""
    d = environment.description
    return pattern_complexity(d.pattern(), d.rows, d.cols, d.horizon)


def draw(environment: LambdaStarEnvironment, path: Path) -> None:
    """Draw the environment to a file, .svg, .png or .pdf, in the manner of figure 2 of the paper."""
    files.draw_to(path, lambda: _figure(environment), _label(environment.description))


def figure_svg(
    environment: LambdaStarEnvironment, name: str = "environment", background: str | None = None
) -> str:
    """The picture as SVG for a page; its lines take the color of the text around it.

    ``name`` begins its ids: give each picture of a page its own.
    """
    label = _label(environment.description)
    return files.as_svg(lambda: _figure(environment), name, label, background)


def _label(d: Description) -> str:
    """What a screen reader says."""
    if d.task in field_drawing.NAMES:
        worth = field_drawing.NAMES[d.task]
        return (
            f"A torus of {d.rows} by {d.cols} cells with their {worth} as colors, a bar that says which color is how "
            f"much, and stars for {d.subjects} subjects"
        )
    if d.task != "search":
        return f"A torus of {d.rows} by {d.cols} cells with what they are worth, and {d.subjects} numbered subjects"
    return (
        f"A torus of {d.rows} by {d.cols} cells with the paths of Good and Evil, the cells that pay and those "
        f"that cost, and {d.subjects} numbered subjects"
    )


def _figure(environment: LambdaStarEnvironment) -> Figure:
    from matplotlib.figure import Figure

    d = environment.description
    if d.task in field_drawing.NAMES:
        return field_drawing.figure(environment)
    at = environment.positions()
    width, height = picture_size(d, 400.0)
    full_width, full_height = width + 40, height + 104
    figure = Figure(figsize=(full_width / 72, full_height / 72))
    axes = figure.add_axes(
        (28 / full_width, 70 / full_height, width / full_width, height / full_height)
    )
    frame(axes, d, width, height)
    if d.track:
        _first_seen(axes, environment)
    _zones(axes, d, worth_of(environment, np.arange(d.rows), np.arange(d.cols)))
    path = environment.parts.path
    if "flees" in (reacts := (d.good_reacts, d.evil_reacts)) or "follows" in reacts:
        path = path[: environment.iteration + 1]  # what comes depends on the subjects
    line = max(0.7, min(1.8, 40 / max(d.rows, d.cols)))
    objects: tuple[tuple[str, str, Any, float], ...] = (
        ("good", palette.GOOD, "-", 0.09),
        ("evil", palette.EVIL, (0, (3, 1.6)), -0.09),
    )
    for name, color, style, shift in objects if d.task == "search" else ():
        first = 0 if name == "good" else 2
        for points in segments(path[:, first : first + 2], d.rows, d.cols):
            axes.plot(
                points[:, 1] + shift,
                points[:, 0] + shift,
                color=color,
                linestyle=style,
                linewidth=line,
                alpha=0.85,
                zorder=2,
            )
    _people(axes, d, at)
    what: str = d.task
    if d.task == "search":
        entropy = search_space_entropy(d.rows, d.cols)
        what = f"K = {complexity_of(environment)}, H = {entropy:.2f} bits"
    figure.text(
        28 / full_width,
        1 - 20 / full_height,
        f"{d.rows}x{d.cols} torus, {what}, iteration {environment.iteration} of {d.horizon}",
        fontsize=12,
    )
    handles = _handles(d, at["guide"] is not None)
    figure.legend(
        handles=handles if d.task == "search" else handles[2:],
        loc="lower left",
        bbox_to_anchor=(14 / full_width, 0.0),
        ncols=3 if width > 300 else 2,
        columnspacing=1.4,
        handlelength=2.2,
    )
    return figure


def segments(path: npt.NDArray[np.int64], rows: int, cols: int) -> list[npt.NDArray[np.float64]]:
    """The path of an object as lines of (row, column) points, cut where it goes over a border.

    A step over a border leaves on one side and comes in on the other, each a little beyond the border, where the
    drawing is cut. A pattern repeats itself and may return: what was drawn before, either way, is left out.
    """
    lines: list[npt.NDArray[np.float64]] = []
    run: list[tuple[float, float]] = []
    seen: set[tuple[Cell, Cell]] = set()

    def finish() -> None:
        if len(run) > 1:
            lines.append(np.array(run))
        run.clear()

    for a, b in pairwise((y, x) for y, x in path.tolist()):
        step = _short(b[0] - a[0], rows), _short(b[1] - a[1], cols)
        edge = min((a, b), (b, a))
        if edge in seen or step == (0, 0):
            finish()
            continue
        seen.add(edge)
        if not run:
            run.append((a[0], a[1]))
        if (a[0] + step[0], a[1] + step[1]) == b:
            run.append((b[0], b[1]))
            continue
        run.append((a[0] + BEYOND * step[0], a[1] + BEYOND * step[1]))
        finish()
        run.extend([(b[0] - BEYOND * step[0], b[1] - BEYOND * step[1]), (b[0], b[1])])
    finish()
    return lines


def _short(step: int, size: int) -> int:
    """A step over the border as the short step that it is."""
    return step - size if 2 * step > size else step + size if 2 * step < -size else step


def picture_size(d: Description, largest: float) -> tuple[float, float]:
    """The size of the grid in pixels: square cells, unless the grid is a mere strip."""
    unit = largest / max(d.rows, d.cols)
    return max(unit * d.cols, largest * 0.4), max(unit * d.rows, largest * 0.1)


def frame(axes: Axes, d: Description, width: float, height: float) -> None:
    """The grid with its rulers, their numbers far enough apart."""
    axes.set_xlim(-0.5, d.cols - 0.5)
    axes.set_ylim(d.rows - 0.5, -0.5)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_linestyle((0, (1, 2)))
    for axis, size, pixels in ((axes.xaxis, d.cols, width), (axes.yaxis, d.rows, height)):
        axis.set_ticks(range(0, size, max(1, math.ceil(20 * size / pixels))))
        if max(d.rows, d.cols) <= GRID_LINES:
            axis.set_ticks(np.arange(0.5, size - 1.0).tolist(), minor=True)
    axes.tick_params(which="both", length=0, labelsize=9)
    axes.grid(which="minor", linewidth=0.6)


def _zones(axes: Axes, d: Description, worth: npt.NDArray[np.float64]) -> None:
    """The cells that pay and those that cost, shaded by how much, with their worth where it can be read."""
    from matplotlib.patches import Rectangle

    readable = max(d.rows, d.cols) <= 14
    cells = np.argwhere(worth != 0.0).tolist()
    if len(cells) > 2000:  # an image rather than thousands of shapes
        shades = np.zeros((d.rows, d.cols, 4))
        for sign, color in ((1, palette.GOOD), (-1, palette.EVIL)):
            tint = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
            shades[sign * worth > 0, :3] = tint
        shades[..., 3] = np.where(worth != 0.0, 0.08 + 0.42 * np.abs(worth), 0.0)
        axes.imshow(shades, interpolation="nearest", aspect="auto", zorder=1)
        return
    for y, x in cells:
        value = float(worth[y, x])
        axes.add_patch(
            Rectangle(
                (x - 0.5, y - 0.5),
                1.0,
                1.0,
                facecolor=palette.GOOD if value > 0 else palette.EVIL,
                alpha=min(0.5, 0.12 + 0.3 * abs(value)),
                linewidth=0,
                zorder=1,
            )
        )
        if readable:
            axes.text(
                x - 0.45,
                y - 0.45,
                f"{value:+.2g}".replace("-", "\N{MINUS SIGN}"),
                fontsize=max(5.0, min(8.0, 80 / max(d.rows, d.cols))),
                ha="left",
                va="top",
                zorder=6,
            )


def _first_seen(axes: Axes, environment: LambdaStarEnvironment) -> None:
    """When each cell was first seen, the later the darker; a cross where nobody looked."""
    d = environment.description
    seen = np.array(environment.parts.seen).reshape(d.rows, d.cols)
    shades = np.zeros((d.rows, d.cols, 4))
    shades[..., 3] = np.where(seen < 0, 0.0, 0.06 + 0.4 * seen / max(d.horizon, 1))
    axes.imshow(shades, interpolation="nearest", aspect="auto", zorder=0.5)
    down, along = np.nonzero(seen < 0)
    size = min(8.0, 120 / max(d.rows, d.cols))
    axes.plot(along, down, "x", color=palette.INK, markersize=size, linestyle="none", zorder=1.5)


def _people(axes: Axes, d: Description, at: Mapping[str, Any]) -> None:
    """Good, Evil, the guide, and the subjects by number."""
    size = min(30.0, max(7.0, 0.72 * 400 / max(d.rows, d.cols)))
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": min(1.5, size / 12)}
    if at["good"] is not None:
        (gy, gx), (ey, ex) = at["good"], at["evil"]
        axes.plot(gx, gy, "o", color=palette.GOOD, markersize=size, zorder=4, **edge)
        axes.plot(ex, ey, "s", color=palette.EVIL, markersize=size * 0.86, zorder=4, **edge)
    if at["guide"] is not None:
        axes.plot(
            at["guide"][1],
            at["guide"][0],
            "^",
            color=palette.GUIDE,
            markersize=size * 0.8,
            zorder=4.5,
            **edge,
        )
    for seat, ((y, x), scale) in enumerate(side_by_side(at["subjects"])):
        axes.plot(
            x,
            y,
            "o",
            color=palette.YELLOW if seat in at.get("did", ()) else "white",
            markersize=size * 0.62 * scale,
            markeredgecolor="black",
            markeredgewidth=min(1.2, size / 14),
            zorder=5,
        )
        if size * scale > 13:
            axes.text(
                x,
                y,
                str(seat),
                fontsize=size * scale * (0.36 if seat < 10 else 0.29),
                ha="center",
                va="center_baseline",
                color="black",
                zorder=7,
            )


def side_by_side(subjects: Sequence[Cell]) -> list[tuple[tuple[float, float], float]]:
    """A place and a size for each subject: smaller, and side by side, on a shared cell."""
    sharing: dict[Cell, list[int]] = defaultdict(list)
    for seat, cell in enumerate(subjects):
        sharing[cell].append(seat)
    places = [((0.0, 0.0), 1.0)] * len(subjects)
    for (y, x), seats in sharing.items():
        for seat, ((down, along), scale) in zip(seats, abreast(len(seats)), strict=True):
            places[seat] = (y + down, x + along), scale
    return places


def _handles(d: Description, guided: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Line2D([], [], color=palette.GOOD, marker="o", markersize=8, label="Good and its path"),
        Line2D(
            [],
            [],
            color=palette.EVIL,
            marker="s",
            markersize=7,
            linestyle=(0, (3, 1.6)),
            label="Evil and its path",
        ),
        Patch(facecolor=palette.GOOD, alpha=0.3, label="pays"),
        Patch(facecolor=palette.EVIL, alpha=0.3, label="costs"),
        *(
            [
                Patch(facecolor="black", alpha=0.3, label="seen (dark: late)"),
                Line2D([], [], linestyle="none", marker="x", color=palette.INK, label="never seen"),
            ]
            if d.track
            else []
        ),
        Line2D(
            [],
            [],
            linestyle="none",
            marker="o",
            markersize=8,
            markerfacecolor="white",
            markeredgecolor="black",
            label="subjects" if d.subjects > 1 else "subject",
        ),
    ]
    if d.question.deed:
        handles.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker="o",
                markersize=8,
                markerfacecolor=palette.YELLOW,
                markeredgecolor="black",
                label=f"did it last: {d.question.deed}",
            )
        )
    if guided:
        handles.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker="^",
                markersize=8,
                color=palette.GUIDE,
                label="guide",
            )
        )
    return handles
