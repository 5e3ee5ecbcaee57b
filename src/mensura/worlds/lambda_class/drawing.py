"""Pictures of a Lambda environment, like figures 4.1 and 5.1 of the thesis: cells, arrows, and who is where.

What is drawn is first a list of plain shapes, which pictures and films share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mensura.core import palette
from mensura.pictures import files
from mensura.pictures.layout import abreast
from mensura.worlds.lambda_class.behaviors import Behavior, Markov, Pattern, Startled
from mensura.worlds.lambda_class.environment import Description, LambdaEnvironment
from mensura.worlds.lambda_class.layout import DRAWN, LETTER, Layout, Points, layout
from mensura.worlds.lambda_class.world import Lambda

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NARROWEST = 380.0
"""The least width of a picture, in pixels, so that its words have room."""
MANY = 30
"""From so many cells on arrows are thin and gray."""
GRAY = "#808080"
PI = "π"
"""A subject that is alone. It is drawn by lines, since not every font has it."""

Place: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: Points
    color: str
    width: float


@dataclass(frozen=True)
class Area:
    """A filled polygon."""

    points: Points
    fill: str
    edge: str | None = None


@dataclass(frozen=True)
class Disc:
    """A filled circle."""

    at: Place
    radius: float
    fill: str
    edge: str
    width: float = 1.0


@dataclass(frozen=True)
class Words:
    """A short text, centered."""

    at: Place
    text: str
    size: float
    color: str
    monospaced: bool = False
    """In letters that differ well, as l and 1 do not in others."""


Shape: TypeAlias = Line | Area | Disc | Words


# Shapes -------------------------------------------------------------------------


def layout_of(d: Description) -> Layout:
    """The layout of an environment's space, its arrows labeled as its actions are called."""
    return layout(d.space, d.action_names)


def arrow_shapes(laid: Layout) -> Iterator[Shape]:
    """All arrows, with the labels of their actions."""
    head = min(9.0, 0.34 * laid.radius + 1)
    many = len(laid.cells) > MANY
    color = GRAY if many else palette.INK
    for arrow in laid.arrows:
        for points in arrow.lines():
            yield Line(points, color, 0.6 if many else 1.0)
        yield Area(arrow.head(head), color)
        if arrow.label:
            named = arrow.label[0].isalpha()
            size = 8.0 if many else 10.0
            yield Words(arrow.label_at, arrow.label, size, palette.INK, monospaced=named)


def cell_shapes(laid: Layout, rewards: Sequence[float]) -> Iterator[Shape]:
    """The cells with their numbers, in the color of the reward there, and with the reward if it is not 0, 1 or -1."""
    r = laid.radius
    if len(laid.cells) > DRAWN:
        yield Line(np.concatenate([laid.cells, laid.cells[:1]]), palette.INK, 1.0)
    for cell, ((x, y), reward) in enumerate(zip(laid.cells.tolist(), rewards, strict=True)):
        if len(laid.cells) > DRAWN and reward == 0:
            continue
        yield Disc((x, y), r, reward_color(reward), palette.INK, 1.2 if laid.legible else 0.6)
        if not laid.legible:
            continue
        yield Words((x, y - 0.7 * r), str(cell + 1), max(7.0, 0.32 * r), palette.BLACK)
        if abs(reward) not in (0.0, 1.0) and r > 20:
            yield Words((x, y + 0.76 * r), reward_text(reward), max(6.0, 0.26 * r), palette.BLACK)


def reward_text(value: float) -> str:
    """A reward in few signs."""
    text = f"{value:+.2g}" if abs(value) >= 0.01 else f"{value:+.0e}".replace("e-0", "e-")
    return text.replace("-", "\N{MINUS SIGN}")


def reward_color(value: float) -> str:
    """The color of a cell with such a reward."""
    if value == 0:
        return "#ffffff"
    color = palette.GOOD if value > 0 else palette.EVIL
    return "#{:02x}{:02x}{:02x}".format(*palette.tint(color, 0.1 + 0.3 * min(1.0, abs(value))))


@dataclass(frozen=True)
class Token:
    """Somebody on a cell."""

    kind: str
    """good, evil, object or subject"""
    label: str
    cell: int


def tokens(at: Mapping[str, Any]) -> list[Token]:
    """Everybody, in the order of Good, Evil, objects and subjects."""
    subjects = at["subjects"]
    return [
        Token("good", "", at["good"]),
        Token("evil", "", at["evil"]),
        *(Token("object", str(i), cell) for i, cell in enumerate(at["objects"], 1)),
        *(
            Token("subject", PI if len(subjects) == 1 else str(seat), cell)
            for seat, cell in enumerate(subjects)
        ),
    ]


def token_places(laid: Layout, everybody: Sequence[Token]) -> list[tuple[Place, float]]:
    """Where everybody stands, side by side on a shared cell, and how large: half the width, in pixels."""
    sharing: dict[int, list[int]] = {}
    for i, token in enumerate(everybody):
        sharing.setdefault(token.cell, []).append(i)
    places: list[tuple[Place, float]] = [((0.0, 0.0), 1.0)] * len(everybody)
    r = laid.radius
    for cell, there in sharing.items():
        x, y = laid.cells[cell].tolist()
        if not laid.legible:
            size, spread, lower = (0.8, 0.0, 0.0) if len(there) == 1 else (0.5, 2.0, 0.0)
        else:  # below the number of the cell
            size, spread, lower = _ROOM[min(len(there), len(_ROOM) - 1)]
        beside = abreast(len(there))
        if len(there) >= len(_ROOM):
            size *= beside[0][1] / abreast(len(_ROOM) - 1)[0][1]
        for i, ((down, along), _) in zip(there, beside, strict=True):
            places[i] = (x + spread * r * along, y + (lower + spread * down) * r), r * size
    return places


_ROOM = (
    (0.0, 0.0, 0.0),
    (0.46, 0.0, 0.1),
    (0.36, 1.6, 0.1),
    *((0.3, 1.34, 0.15),) * 2,
    *((0.21, 1.36, 0.14),) * 5,
)
"""How large so many tokens on a cell are, how far they stand apart, and how far below its middle; over its radius.

More of them are smaller by as much as there are more side by side.
"""


def token_shapes(token: Token, at: Place, size: float) -> Iterator[Shape]:
    """Somebody: Good is a disc with a plus, Evil a square with a minus, objects are triangles, subjects rings."""
    x, y = at
    if token.kind == "good":
        yield Disc(at, size, palette.GOOD, "#ffffff", 1.0)
    elif token.kind == "evil":
        s = 0.88 * size
        corners = [(x - s, y - s), (x + s, y - s), (x + s, y + s), (x - s, y + s)]
        yield Area(np.array(corners), palette.EVIL, "#ffffff")
    if token.kind in ("good", "evil"):
        long, thick = 0.52 * size, max(1.0, 0.26 * size)
        yield Line(np.array([(x - long, y), (x + long, y)]), "#ffffff", thick)
        if token.kind == "good":
            yield Line(np.array([(x, y - long), (x, y + long)]), "#ffffff", thick)
        return
    if token.kind == "object":
        top, bottom = y - 1.12 * size, y + 0.8 * size
        corners = [(x, top), (x + 1.12 * size, bottom), (x - 1.12 * size, bottom)]
        yield Area(np.array(corners), palette.GUIDE, palette.BLACK)
        at = (x, y + 0.22 * size)
    else:
        yield Disc(at, 0.88 * size, "#ffffff", palette.BLACK, 1.3)
    if token.label == PI:
        thick = max(0.8, 0.14 * size)
        for x0, y0, x1, y1 in (
            (-0.5, -0.32, 0.5, -0.32),
            (-0.2, -0.32, -0.2, 0.46),
            (0.22, -0.32, 0.22, 0.46),
        ):
            ends = [(x + x0 * size, y + y0 * size), (x + x1 * size, y + y1 * size)]
            yield Line(np.array(ends), palette.BLACK, thick)
    elif size > 4.5:
        smaller = 0.62 if token.kind == "object" else 1.0
        letters = smaller * (1.2, 1.2, 0.95)[min(len(token.label), 2)]
        yield Words(at, token.label, size * letters, palette.BLACK)


def svg_shape(shape: Shape) -> str:
    """A shape as SVG writes it."""
    if isinstance(shape, Line):
        points = " ".join(f"{x:.4g},{y:.4g}" for x, y in shape.points.tolist())
        return (
            f'<polyline points="{points}" fill="none" stroke="{shape.color}" '
            f'stroke-width="{shape.width:.3g}"/>'
        )
    if isinstance(shape, Area):
        points = " ".join(f"{x:.4g},{y:.4g}" for x, y in shape.points.tolist())
        edge = f' stroke="{shape.edge}"' if shape.edge else ""
        return f'<polygon points="{points}" fill="{shape.fill}"{edge}/>'
    x, y = shape.at
    if isinstance(shape, Disc):
        return (
            f'<circle cx="{x:.4g}" cy="{y:.4g}" r="{shape.radius:.4g}" fill="{shape.fill}" '
            f'stroke="{shape.edge}" stroke-width="{shape.width:.3g}"/>'
        )
    family = ' font-family="monospace"' if shape.monospaced else ""
    return (
        f'<text x="{x:.4g}" y="{y + 0.36 * shape.size:.4g}" font-size="{shape.size:.3g}" '
        f'text-anchor="middle" fill="{shape.color}"{family}>{escape(shape.text)}</text>'
    )


# Words --------------------------------------------------------------------------


def complexity_of(environment: LambdaEnvironment) -> float | None:
    """The first complexity of the environment, that of chapter 5; None where Good and Evil follow no pattern."""
    d = environment.description
    if not isinstance(d.good_and_evil, Pattern):
        return None
    return Lambda().complexity(d, next(iter(Lambda.measures)))


def behavior_words(behavior: Behavior, room: int = 60) -> str:
    """A behavior in so many letters at most, a pattern as the thesis writes it, cut where there is no room."""
    if isinstance(behavior, Pattern):
        joint = "" if max(behavior.moves) < 10 else " "
        words = f"pattern {joint.join(map(str, behavior.moves[:room]))}"
        if len(words) <= room and len(behavior.moves) <= room:
            return words
        end = f"... ({len(behavior.moves)} actions)"
        return words[: max(room - len(end), 9)] + end
    if isinstance(behavior, Markov):
        rules = len(behavior.program.rules)
        return f"a Markov program of {rules} rule{'' if rules == 1 else 's'}"
    if isinstance(behavior, Startled):
        return f"action {behavior.calm}, and {behavior.startled} while a subject is there"
    return type(behavior).__name__.lower()


def captions(environment: LambdaEnvironment, room: int) -> Iterator[str]:
    """What stands above a picture, in lines of up to so many letters."""
    d = environment.description
    n_c, n_a = d.space.cells, d.space.actions
    yield f"{n_c} cells, {n_a} actions, iteration {environment.iteration} of {d.horizon}"
    yield f"Good and Evil: {behavior_words(d.good_and_evil, max(8, room - 15))}"
    for i, behavior in enumerate(d.objects[:3], 1):
        yield f"Object {i}: {behavior_words(behavior, max(8, room - 15))}"
    if len(d.objects) > 3:
        yield f"and {len(d.objects) - 3} more objects"
    complexity = complexity_of(environment)
    if complexity is not None:
        yield f"{next(iter(Lambda.measures))} = {complexity:g}"
    if n_c > DRAWN:
        yield "Too many cells to draw: only those are seen where something is."
    elif not layout_of(d).legible:
        yield "Too many cells to show their numbers and actions."


# Pictures -----------------------------------------------------------------------


def draw(environment: LambdaEnvironment, path: Path) -> None:
    """Draw the environment to a file, .svg, .png or .pdf, in the manner of figures 4.1 and 5.1."""
    files.draw_to(path, lambda: _figure(environment), _spoken(environment.description))


def figure_svg(
    environment: LambdaEnvironment, name: str = "environment", background: str | None = None
) -> str:
    """The picture as SVG for a page; its lines take the color of the text around it.

    ``name`` begins its ids: give each picture of a page its own.
    """
    label = _spoken(environment.description)
    return files.as_svg(lambda: _figure(environment), name, label, background)


def _spoken(d: Description) -> str:
    """What a screen reader says."""
    return (
        f"A graph of {d.space.cells} numbered cells with arrows for {d.space.actions} actions, Good, Evil, "
        f"{len(d.objects)} other objects and {d.subjects} subjects on them"
    )


def _figure(environment: LambdaEnvironment) -> Figure:
    from matplotlib.figure import Figure

    d = environment.description
    laid = layout_of(d)
    width = max(laid.width, NARROWEST) + 16
    above = list(captions(environment, int(width / LETTER)))
    top, bottom = 8 + 15 * len(above), 46
    height = laid.height + top + bottom
    figure = Figure(figsize=(width / 72, height / 72))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    left = (width - laid.width) / 2
    axes.set_xlim(-left, width - left)
    axes.set_ylim(height - top, -top)
    everybody = tokens(environment.positions())
    shapes = [*arrow_shapes(laid), *cell_shapes(laid, environment.cell_rewards())]
    for token, (at, size) in zip(everybody, token_places(laid, everybody), strict=True):
        shapes += token_shapes(token, at, size)
    for layer, shape in enumerate(shapes):
        _add(axes, shape, 2 + layer * 1e-5)
    for i, line in enumerate(above):
        figure.text(12 / width, 1 - (15 + 15 * i) / height, line, fontsize=12 if i == 0 else 10)
    figure.legend(
        handles=_handles(d),
        loc="lower left",
        bbox_to_anchor=(4 / width, 0.0),
        ncols=3,
        columnspacing=1.2,
        handlelength=1.6,
        fontsize=10,
    )
    return figure


def _add(axes: Axes, shape: Shape, layer: float) -> None:
    """A shape in a picture, whose unit is the pixel."""
    from matplotlib.patches import Circle, Polygon

    if isinstance(shape, Line):
        x, y = shape.points.T
        axes.plot(
            x, y, color=shape.color, linewidth=shape.width, zorder=layer, solid_capstyle="butt"
        )
    elif isinstance(shape, Area):
        edge = shape.edge or "none"
        axes.add_patch(
            Polygon(shape.points, facecolor=shape.fill, edgecolor=edge, linewidth=0.8, zorder=layer)
        )
    elif isinstance(shape, Disc):
        axes.add_patch(
            Circle(
                shape.at,
                shape.radius,
                facecolor=shape.fill,
                edgecolor=shape.edge,
                linewidth=shape.width,
                zorder=layer,
            )
        )
    else:
        axes.text(
            *shape.at,
            shape.text,
            fontsize=shape.size,
            color=shape.color,
            family="monospace" if shape.monospaced else None,
            ha="center",
            va="center_baseline" if len(shape.text) < 3 else "center",
            zorder=layer,
        )


def _handles(d: Description) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def mark(marker: str, color: str, label: str, edge: str, size: float) -> Line2D:
        return Line2D(
            [],
            [],
            linestyle="none",
            marker=marker,
            markersize=size,
            markerfacecolor=color,
            markeredgecolor=edge,
            label=label,
        )

    handles: list[Any] = [
        mark("o", palette.GOOD, "Good (+)", "white", 10),
        mark("s", palette.EVIL, "Evil (\N{MINUS SIGN})", "white", 9),
        mark("o", "white", "subjects, by seat" if d.subjects > 1 else "subject", "black", 9),
    ]
    if d.objects:
        handles.append(mark("^", palette.GUIDE, "other objects", "black", 9))
    return [
        *handles,
        Patch(facecolor=reward_color(1.0), edgecolor=palette.INK, linewidth=0.6, label="pays"),
        Patch(facecolor=reward_color(-1.0), edgecolor=palette.INK, linewidth=0.6, label="costs"),
    ]
