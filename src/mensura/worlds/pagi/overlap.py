"""Whether objects of a task overlap at the beginning."""

from __future__ import annotations

from itertools import combinations

from mensura.core.yaml_text import Misfit
from mensura.worlds.pagi.setup import Setup

ALLOWED = 0.15
"""How deep things may be in each other."""


def check_overlap(setup: Setup) -> None:
    """Raise where two solid objects overlap of which one can move, or one and a body; the engine would part them."""
    if not setup.is_concrete:
        return
    room = setup.build(0, "paper")
    places = {one.get("name"): k for k, one in enumerate(setup.objects)}
    solid = [one for one in room.items.values() if one.solid]
    shapes = {one.number: next(iter(room.bodies.of[one.number].shapes)) for one in solid}
    joined = {frozenset(pair) for pair in room.bodies.kits} | {
        frozenset(pair) for pair in room.bodies.ropes
    }
    for one, other in combinations(solid, 2):
        if (one.fixed and other.fixed) or frozenset((one.number, other.number)) in joined:
            continue
        if _depth(shapes[one.number], shapes[other.number]) > ALLOWED:
            k = places.get(other.name, places.get(one.name, 0))
            raise Misfit(
                ("objects", k),
                f"{one.name} and {other.name} overlap; move one of them.",
            )
    for seat, figure in enumerate(room.bodies.figures):
        body = next(iter(figure.body.shapes))
        for one in solid:
            if _depth(body, shapes[one.number]) > ALLOWED:
                raise Misfit(
                    ("objects", places.get(one.name, 0)),
                    f"{one.name} overlaps the body of seat {seat + 1}.",
                )


def _depth(one: object, other: object) -> float:
    """How deep one shape is in another; 0 where they do not meet."""
    import pymunk

    assert isinstance(one, pymunk.Shape)
    assert isinstance(other, pymunk.Shape)
    one.cache_bb()
    other.cache_bb()
    if not one.bb.intersects(other.bb):
        return 0.0
    try:
        return max((-point.distance for point in one.shapes_collide(other).points), default=0.0)
    except AssertionError:  # the library asserts that they meet
        return 0.0
