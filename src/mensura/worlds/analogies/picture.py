"""Structures drawn: concepts as columns with relations as arrows, or shapes in a row; and what a drawing tells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mensura.pictures.picture import Area, Disc, Line, Picture, Place, Shape, Words
from mensura.worlds.analogies.problems import VERBS
from mensura.worlds.analogies.rows import graph_of, row_of
from mensura.worlds.analogies.shapes import FORMS
from mensura.worlds.analogies.words import LINK_WORDS, VERB_WORDS

if TYPE_CHECKING:
    from mensura.texts.graphs import Graph
    from mensura.worlds.analogies.world import Read

COLUMN = 2.0
"""From one concept to the next."""
HEAD = 1.5
"""The room of their names."""
STEP = 0.72
"""From one relation to the next, below."""
LINK = 0.75
"""From one relation between relations to the next, at the right."""
ROW_STEP = 2.2
ROW_PLACES = (2.6, 6.6)


def drawn(one: Read, *, show: bool) -> Picture:
    """The first structure, and all others after it; with ``show`` lines between what corresponds."""
    return _rows(one, show) if one.is_row else _structures(one, show)


def said(one: Read) -> str:
    """The picture in a sentence."""
    if one.others:
        return f"A structure, and {len(one.others) + 1} others, one of which is analogous"
    kind = "rows of shapes" if one.is_row else "structures"
    return f"Two {kind}; asked is the counterpart of {one.names[0][one.asked]}"


# Structures


def _structures(one: Read, show: bool) -> Picture:
    shapes: list[Shape] = []
    heads: list[list[Place]] = []
    top, wide = 0.2, 0.0
    for side, (graph, names) in enumerate(zip(one.shown, one.shown_names, strict=True)):
        if one.others:
            shapes.append(
                Words("first" if side == 0 else f"{side}", (0.1, top + 0.3), 0.5, anchor="start")
            )
            top += 0.7
        at = [(1.3 + COLUMN * k, top + HEAD) for k in range(graph.concepts)]
        heads.append(at)
        bottom = top + HEAD + STEP * (_firsts(graph) + 0.6)
        for k, (x, y) in enumerate(at):
            asked = side == 0 and k == one.asked and not one.others
            if asked:
                shapes.append(Disc((x, y - 1.1), 0.22, "good"))
            shapes.append(Words(names[k], (x, y - 0.6), 0.36))
            shapes.append(Line([(x, y - 0.3), (x, bottom)], "guide", 0.03))
        arrows, right = _arrows(graph, at, min(side, 1))
        shapes += arrows
        wide = max(wide, right)
        top = bottom + 0.8
    if show:
        right_one = 1 + one.right if one.others else 1
        for k, to in enumerate(one.pairs):
            if to >= 0:
                shapes.append(
                    Line([heads[0][k], heads[right_one][to]], "subject", 0.04, dashed=True)
                )
    return Picture(shapes, (wide, top), said(one))


def _firsts(graph: Graph) -> int:
    return sum(one.label < VERBS for one in graph.relations)


def _arrows(graph: Graph, at: list[Place], side: int) -> tuple[list[Shape], float]:
    """Relations between concepts from column to column, one below the other; those between them at the right."""
    shapes: list[Shape] = []
    levels = [at[0][1] + STEP * (0.7 + k) for k in range(_firsts(graph))]
    right = at[-1][0] + COLUMN / 2
    for number, one in enumerate(graph.relations):
        if one.label < VERBS:
            y = levels[number]
            ends = [(at[n][0], y) for n in (one.first, one.second)]
            middle = ((ends[0][0] + ends[1][0]) / 2, y - 0.2)
            shapes.append(Line(ends, "ink", 0.04, arrow=True))
            shapes.append(Words(VERB_WORDS[one.label][side], middle, 0.3))
        else:
            first, second = (levels[n - graph.concepts] for n in (one.first, one.second))
            word = LINK_WORDS[one.label - VERBS][side]
            shapes.append(Line([(right, first), (right, second)], "evil", 0.05, arrow=True))
            shapes.append(
                Words(word, (right + 0.25, (first + second) / 2), 0.26, "evil", turned=90)
            )
            right += LINK
    return shapes, right + 0.2


# Rows


def _rows(one: Read, show: bool) -> Picture:
    shapes: list[Shape] = []
    places: list[dict[int, Place]] = []
    for side, graph in enumerate(one.shown):
        order, size = row_of(graph)
        at = {k: (1.4 + ROW_STEP * n, ROW_PLACES[side]) for n, k in enumerate(order)}
        places.append(at)
        for k, (x, y) in at.items():
            radius = 0.3 * 1.18 ** size[k]
            form = FORMS.get(one.shown_names[side][k])
            asked = side == 0 and k == one.asked
            role = "good" if asked else "subject"
            if form is None:  # neutral symbols are discs
                shapes.append(Disc((x, y), radius, role, 0.9, outline="ink"))
            else:
                corners = [(x + radius * u, y + radius * v) for u, v in form]
                shapes.append(Area(corners, role, 0.9, outline="ink"))
            shapes.append(Words(one.shown_names[side][k], (x, y + 1.35), 0.36))
    if show:
        for k, to in enumerate(one.pairs):
            if to >= 0:
                shapes.append(Line([places[0][k], places[1][to]], "guide", 0.04, dashed=True))
    wide = 0.6 + ROW_STEP * max(len(at) for at in places)
    return Picture(shapes, (wide, 8.6), said(one))


# What a drawing tells

_CIRCLE = re.compile(r'<circle cx="([-\d.]+)" cy="([-\d.]+)" r="([-\d.]+)"')
_TEXT = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)</text>')
_LINE = re.compile(r'(<g>)?<polyline points="([^"]+)"')
_POLYGON = re.compile(r'<polygon points="([^"]+)"')


def read_structures(svg: str) -> list[set[tuple[object, ...]]]:
    """The relations of every structure that a drawing shows, as nested tuples of labels and names."""
    texts = [((float(x), float(y)), text) for x, y, text in _TEXT.findall(svg)]
    lines = [(bool(arrow), _points(points)) for arrow, points in _LINE.findall(svg)]
    columns = [points for arrow, points in lines if not arrow]
    rooms = sorted({(points[0][1], points[1][1]) for points in columns})
    found = []
    for top, bottom in rooms:
        names = {x: _nearest(texts, (x, top)) for (x, y), _ in columns if y == top}
        arrows = [points for arrow, points in lines if arrow and top <= points[0][1] <= bottom]
        levels: dict[float, object] = {}
        for (ax, ay), (bx, by) in sorted(arrows, key=lambda one: one[0][0] == one[1][0]):
            label = _label(str(_nearest(texts, ((ax + bx) / 2, (ay + by) / 2))))
            if ax == bx:
                levels[math.inf, ax] = (label, levels[ay], levels[by])  # type: ignore[index]
            else:
                levels[ay] = (label, names[ax], names[bx])
        found.append(set(levels.values()))
    return found  # type: ignore[return-value]


def _label(word: str) -> int:
    for k, pair in enumerate((*VERB_WORDS, *LINK_WORDS)):
        if word in pair:
            return k
    raise ValueError(f"{word!r} is no relation")


def _nearest(named: Sequence[tuple[Place, object]], place: Place) -> object:
    return min(named, key=lambda one: math.dist(one[0], place))[1]


def read_rows(svg: str) -> list[tuple[Graph, list[str]]]:
    """The rows that a drawing shows, each with the names of its shapes, numbered from left to right."""
    found: list[tuple[float, float, float, str]] = []
    for one in _POLYGON.findall(svg):
        points = _points(one)
        name = next(name for name, form in FORMS.items() if _fit(points, form) is not None)
        x, y, radius = _fit(points, FORMS[name]) or (0.0, 0.0, 0.0)
        found.append((y, x, radius, name))
    texts = [(float(x), float(y), text) for x, y, text in _TEXT.findall(svg)]
    for cells in _CIRCLE.findall(svg):
        x, y, radius = map(float, cells)
        name = min((t for t in texts if t[1] > y), key=lambda t: math.hypot(t[0] - x, t[1] - y))[2]
        found.append((y, x, radius, name))
    middle = (min(one[0] for one in found) + max(one[0] for one in found)) / 2
    rows = []
    for lower in (False, True):
        row = sorted(one[1:] for one in found if (one[0] > middle) is lower)
        ranks = sorted(radius for _, radius, _ in row)
        heights = [ranks.index(radius) for _, radius, _ in row]
        rows.append((graph_of(heights, range(len(row))), [name for *_, name in row]))
    return rows


def _fit(points: Sequence[Place], form: Sequence[Place]) -> tuple[float, float, float] | None:
    """Where a form is and how large, if these are its corners."""
    if len(points) != len(form):
        return None
    px, py = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    fx, fy = (sum(f[k] for f in form) / len(form) for k in (0, 1))
    own = sum((f[0] - fx) ** 2 + (f[1] - fy) ** 2 for f in form)
    both = sum(
        (p[0] - px) * (f[0] - fx) + (p[1] - py) * (f[1] - fy)
        for p, f in zip(points, form, strict=True)
    )
    radius = both / own
    away = max(
        math.hypot(p[0] - px - radius * (f[0] - fx), p[1] - py - radius * (f[1] - fy))
        for p, f in zip(points, form, strict=True)
    )
    return (px - radius * fx, py - radius * fy, radius) if away < 0.02 * radius + 0.02 else None


def _points(text: str) -> list[Place]:
    return [(float(x), float(y)) for x, y in (one.split(",") for one in text.split())]
