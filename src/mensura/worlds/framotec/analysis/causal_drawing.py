"""The causal graph of a task as a picture: layers from causes to effects, drawn as SVG without any library.

Layers follow Sugiyama, Tagawa and Toda (1981): nodes stand in the column of the longest chain of causes before them,
ordered so that few arrows cross; an arrow over several columns goes through a place of its own in each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from mensura.core import palette
from mensura.worlds.framotec.analysis.causal import CausalGraph, Edge, Kind

MOST_NODES = 60
"""Of larger graphs, so many are drawn."""
SWEEPS = 8
"""How often each layer is ordered after its neighbors."""

_LETTER, _HEIGHT, _ROW, _GAP, _MARGIN, _BEND = 7.0, 24.0, 40.0, 50.0, 14.0, 8.0
COLORS: dict[Kind, str] = {
    "controller": palette.PURPLE,
    "motor": palette.VERMILLION,
    "object": palette.BLUE,
    "transition": palette.ORANGE,
    "sensor": palette.SKY,
    "goal": palette.GREEN,
}
_DASHED = ("required", "since", "resets")


@dataclass
class _Place:
    """A node, or the place where an arrow passes through a layer."""

    name: str
    kind: Kind | None
    layer: int
    order: float = 0.0
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0


def figure_svg(graph: CausalGraph, title: str, background: str | None = None) -> str:
    """The graph as SVG; arrows of circles that lead back to causes are drawn below, dotted."""
    left = [node for node in graph.nodes if node.kind != "sensor"]
    chosen = [*left, *(node for node in graph.nodes if node.kind == "sensor")][:MOST_NODES]
    drawn = {node.name for node in chosen}
    places = {
        node.name: _Place(node.name, node.kind, graph.layers[node.name])
        for node in graph.nodes
        if node.name in drawn
    }
    edges = [edge for edge in graph.edges if {edge.cause, edge.effect} <= drawn]
    _spread_circles(graph, places)
    routes, back = _routes(places, edges)
    layers = _layers(places)
    _order(layers, routes)
    width, height = _put(layers)
    lines = [_arrow(places, route, edge) for edge, route in routes]
    below = height
    for edge in back:
        below += _BEND
        lines.append(_return(places, edge, below))
    height = below + (_MARGIN if back else 0.0)
    boxes = [_box(place) for place in places.values() if place.kind is not None]
    more = len(graph.nodes) - len(drawn)
    note = f", and {more} more parts" if more else ""
    legend, bottom, wide = _legend(
        {p.kind for p in places.values() if p.kind}, height, title + note
    )
    width = max(width, wide)
    label = quoteattr(f"Causal graph of {title}: {len(graph.nodes)} parts, {len(graph.edges)} ties")
    paint = f'<rect width="100%" height="100%" fill="{background}"/>' if background else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {bottom:.0f}" '
        f'width="{width:.0f}" height="{bottom:.0f}" font-family="sans-serif" font-size="11" role="img" '
        f"aria-label={label}>{paint}"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor"/></marker></defs>'
        f'<g fill="none" stroke="currentColor" stroke-opacity="0.6">{"".join(lines)}</g>'
        f"{''.join(boxes)}{legend}</svg>"
    )


def _spread_circles(graph: CausalGraph, places: dict[str, _Place]) -> None:
    """Give the nodes of a circle layers of their own, and move what comes after them along."""
    for circle in reversed([one for one in graph.components if len(one) > 1]):
        around = next(c for c in graph.cycles if set(c) <= set(circle))
        own = [*around, *(name for name in circle if name not in around)]
        own = _begin_with_a_cause(graph, own)
        inside = set(circle)
        for name in graph.reached_from(*circle) - inside:
            if name in places:
                places[name].layer += len(own) - 1
        for step, name in enumerate(own):
            if name in places:
                places[name].layer += step


def _begin_with_a_cause(graph: CausalGraph, circle: list[str]) -> list[str]:
    """Turn a circle round so that it begins with a node on which something outside acts."""
    inside = set(circle)
    entered = [e.effect for e in graph.edges if e.effect in inside and e.cause not in inside]
    at = circle.index(entered[0]) if entered else 0
    return circle[at:] + circle[:at]


def _routes(
    places: dict[str, _Place], edges: list[Edge]
) -> tuple[list[tuple[Edge, list[_Place]]], list[Edge]]:
    """For every arrow the places it goes through; and those that lead back."""
    routes, back = [], []
    seen: set[tuple[str, str]] = set()
    for edge in edges:
        if (edge.cause, edge.effect) in seen:
            continue
        seen.add((edge.cause, edge.effect))
        first, last = places[edge.cause], places[edge.effect]
        if last.layer <= first.layer:
            back.append(edge)
            continue
        route = [first]
        for layer in range(first.layer + 1, last.layer):
            bend = _Place(f"{edge.cause} -> {edge.effect} @{layer}", None, layer)
            places[bend.name] = bend
            route.append(bend)
        routes.append((edge, [*route, last]))
    return routes, back


def _layers(places: dict[str, _Place]) -> list[list[_Place]]:
    count = max((place.layer for place in places.values()), default=0) + 1
    layers: list[list[_Place]] = [[] for _ in range(count)]
    for place in places.values():
        place.order = len(layers[place.layer])
        layers[place.layer].append(place)
    return layers


def _order(layers: list[list[_Place]], routes: list[tuple[Edge, list[_Place]]]) -> None:
    """Order each layer by the mean place of neighbors, forth and back (the barycenter method)."""
    before: dict[str, list[_Place]] = {}
    after: dict[str, list[_Place]] = {}
    for _, route in routes:
        for one, two in pairwise(route):
            after.setdefault(one.name, []).append(two)
            before.setdefault(two.name, []).append(one)
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        for layer in layers if forth else reversed(layers):
            near = before if forth else after
            means = {
                place.name: sum(other.order for other in near[place.name]) / len(near[place.name])
                if place.name in near
                else place.order
                for place in layer
            }
            layer.sort(key=lambda place: means[place.name])
            for at, place in enumerate(layer):
                place.order = at - (len(layer) - 1) / 2


def _put(layers: list[list[_Place]]) -> tuple[float, float]:
    """Give every place its middle; the width and height of it all."""
    tallest = max(len(layer) for layer in layers)
    x = _MARGIN
    for layer in layers:
        widest = max((len(p.name) for p in layer if p.kind is not None), default=0)
        width = widest * _LETTER + 14.0 if widest else 0.0
        for at, place in enumerate(layer):
            place.width = len(place.name) * _LETTER + 14.0 if place.kind is not None else 0.0
            place.x = x + width / 2
            place.y = _MARGIN + _HEIGHT / 2 + (at + (tallest - len(layer)) / 2) * _ROW
        x += width + _GAP
    return x - _GAP + _MARGIN, 2 * _MARGIN + _HEIGHT + (tallest - 1) * _ROW


def _dash(edge: Edge) -> str:
    return ' stroke-dasharray="5 3"' if edge.why in _DASHED else ""


def _arrow(places: dict[str, _Place], route: list[_Place], edge: Edge) -> str:
    first, last = route[0], route[-1]
    x, y = first.x + first.width / 2, first.y
    path = f"M{x:.0f} {y:.0f}"
    for place in route[1:]:
        to = place.x - (place.width / 2 if place is last else 0.0)
        middle = (x + to) / 2
        path += f"C{middle:.0f} {y:.0f} {middle:.0f} {place.y:.0f} {to:.0f} {place.y:.0f}"
        x, y = to, place.y
    said = f"<title>{escape(f'{edge.cause} to {edge.effect}: {edge.why}')}</title>"
    return f'<path d="{path}"{_dash(edge)} marker-end="url(#tip)">{said}</path>'


def _return(places: dict[str, _Place], edge: Edge, below: float) -> str:
    """An arrow back, under everything."""
    first, last = places[edge.cause], places[edge.effect]
    start, end = first.y + _HEIGHT / 2, last.y + _HEIGHT / 2
    path = (
        f"M{first.x:.0f} {start:.0f}C{first.x:.0f} {below:.0f} {first.x:.0f} {below:.0f} "
        f"{(first.x + last.x) / 2:.0f} {below:.0f}S{last.x:.0f} {below:.0f} {last.x:.0f} {end:.0f}"
    )
    said = f"<title>{escape(f'{edge.cause} back to {edge.effect}: {edge.why}')}</title>"
    return f'<path d="{path}" stroke-dasharray="1 3" stroke-width="1.5" marker-end="url(#tip)">{said}</path>'


def _box(place: _Place) -> str:
    assert place.kind is not None
    x, y = place.x - place.width / 2, place.y - _HEIGHT / 2
    color = COLORS[place.kind]
    round_ = _HEIGHT / 2 if place.kind in ("goal", "controller") else 3.0
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{place.width:.1f}" height="{_HEIGHT:.0f}" rx="{round_:g}" '
        f'fill="{color}" fill-opacity="0.25" stroke="{color}"/>'
        f'<text x="{place.x:.1f}" y="{place.y + 4:.1f}" text-anchor="middle" fill="currentColor">'
        f"{escape(place.name)}</text>"
    )


def _legend(kinds: set[Kind], top: float, title: str) -> tuple[str, float, float]:
    """A line of what colors mean; where the picture ends, and how wide it has to be."""
    parts, x, y = [], _MARGIN, top + _ROW / 2
    for kind, color in COLORS.items():
        if kind in kinds:
            parts.append(
                f'<rect x="{x:.0f}" y="{y - 9:.0f}" width="11" height="11" fill="{color}" '
                f'fill-opacity="0.25" stroke="{color}"/><text x="{x + 16:.0f}" y="{y:.0f}" '
                f'fill="currentColor">{kind}</text>'
            )
            x += 28.0 + len(kind) * _LETTER
    said = f'<text x="{_MARGIN:.0f}" y="{y + 18:.0f}" fill="currentColor">{escape(title)}</text>'
    wide = max(x, 2 * _MARGIN + len(title) * _LETTER)
    return "".join(parts) + said, y + 18 + _MARGIN, wide
