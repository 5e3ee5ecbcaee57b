"""Both structures drawn: concepts around a circle, relations as arrows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mensura.pictures.picture import Disc, Line, Picture, Shape, Words
from mensura.worlds.analogies.problems import VERBS
from mensura.worlds.analogies.words import LINK_WORDS, VERB_WORDS

if TYPE_CHECKING:
    from mensura.texts.graphs import Graph
    from mensura.worlds.analogies.world import Read

RADIUS = 3.0
WIDTH, HEIGHT = 18.0, 9.6


def drawn(one: Read, *, show: bool) -> Picture:
    """The first on the left, the second on the right; with ``show`` lines between what corresponds."""
    shapes: list[Shape] = []
    places = []
    for side, (graph, left) in enumerate(((one.base, 4.4), (one.target, 13.6))):
        at = _places(graph, left)
        places.append(at)
        shapes += _arrows(graph, at, side)
    if show:
        for k, to in enumerate(one.pairs):
            if to >= 0:
                shapes.append(Line([places[0][k], places[1][to]], "guide", 0.04, dashed=True))
    for side, at in enumerate(places):
        for k, place in enumerate(at):
            asked = side == 0 and k == one.asked
            shapes.append(Disc(place, 0.42, "good" if asked else "subject", 0.9))
            shapes.append(Words(one.names[side][k], (place[0], place[1] + 0.75), 0.42))
    said = f"Two structures; asked is the counterpart of {one.names[0][one.asked]}"
    return Picture(shapes, (WIDTH, HEIGHT), said)


def _places(graph: Graph, left: float) -> list[tuple[float, float]]:
    return [
        (
            left + RADIUS * math.sin(2 * math.pi * k / graph.concepts),
            4.4 - RADIUS * math.cos(2 * math.pi * k / graph.concepts),
        )
        for k in range(graph.concepts)
    ]


def _arrows(graph: Graph, at: list[tuple[float, float]], side: int) -> list[Shape]:
    shapes: list[Shape] = []
    middles: list[tuple[float, float]] = []
    for one in graph.relations:
        ends = [
            at[n] if n < graph.concepts else middles[n - graph.concepts]
            for n in (one.first, one.second)
        ]
        (ax, ay), (bx, by) = ends
        length = math.hypot(bx - ax, by - ay) or 1.0
        # A little to the right of the way, so that two relations between the same two are two arrows.
        dx, dy = -0.28 * (by - ay) / length, 0.28 * (bx - ax) / length
        middle = ((ax + bx) / 2 + dx, (ay + by) / 2 + dy)
        middles.append(middle)
        first = one.label < VERBS
        word = VERB_WORDS[one.label][side] if first else LINK_WORDS[one.label - VERBS][side]
        tip = (bx - 0.45 * (bx - ax) / length, by - 0.45 * (by - ay) / length)
        shapes.append(
            Line(
                [ends[0], middle, tip],
                "ink" if first else "evil",
                0.04,
                dashed=not first,
                arrow=True,
            )
        )
        shapes.append(Words(word, middle, 0.3, "ink" if first else "evil"))
    return shapes
