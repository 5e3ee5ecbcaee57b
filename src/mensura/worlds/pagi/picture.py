"""The room as a picture, and what a seat senses of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mensura.pictures.picture import Area, Disc, Image, Line, Picture, Shape, Words
from mensura.worlds.pagi.anatomy import RADIUS, SHOULDERS, WRIST
from mensura.worlds.pagi.contract import Field
from mensura.worlds.pagi.happenings import HOT
from mensura.worlds.pagi.outlines import ROPE_WIDTH
from mensura.worlds.pagi.senses import BODY_SENSORS, HAND_SENSORS
from mensura.worlds.pagi.setup import Setup
from mensura.worlds.pagi.setup_reading import from_canonical

if TYPE_CHECKING:
    from mensura.worlds.pagi.environment import PagiEnvironment
    from mensura.worlds.pagi.items import Item

WIDTH, HEIGHT = 20.0, 12.0
"""Of a picture."""
MARGIN = 4.0
SMALLEST = 30.0
"""A picture shows at least so much of a room."""
Placing: TypeAlias = Callable[[float, float], tuple[float, float]]
Within: TypeAlias = Callable[[float, float], bool]
LARGE = ("ground", "ledge")
"""Kinds that a picture may cut off."""


@lru_cache(maxsize=64)
def _window_of(text: str) -> tuple[float, float, float]:
    return _window(from_canonical(text))


def _window(setup: Setup) -> tuple[float, float, float]:
    """Where the upper left corner of a picture is in the room, and how large a unit of the room is in it."""
    xs, ys = [x for x, _ in setup.bodies], [y for _, y in setup.bodies]
    for one in setup.objects:
        if one["kind"] not in LARGE and not isinstance(one.get("x", 0), dict):
            xs.append(float(one.get("x", 0.0)))
            ys.append(float(one.get("y", 0.0)))
    left, right = min(xs) - MARGIN, max(xs) + MARGIN
    bottom, top = min(*ys, 0.0) - MARGIN / 2, max(ys) + MARGIN
    span = max(right - left, SMALLEST, (top - bottom) * WIDTH / HEIGHT)
    middle = (left + right) / 2
    return middle - span / 2, bottom + span * HEIGHT / WIDTH, WIDTH / span


def _role(item: Item) -> str:
    """The color of an item by what it means."""
    if item.temperature > HOT or item.endorphins < 0:
        return "evil"
    if item.endorphins > 0:
        return "good"
    if item.role == "soldier":
        return "guide" if item.on else "other"
    if item.role in ("kit", "large kit"):
        return "series-1"
    if item.role in ("lever", "button", "switch", "outlet", "key", "dispenser"):
        return "mark"
    if item.role in ("beam", "pivoted wall"):
        return "series-2"
    if item.fixed:
        return "ground"
    return "series-3"


def moment(environment: PagiEnvironment) -> Picture:
    """All of the room, the bodies with their hands, and what is said."""
    room, setup = environment.room, environment.setup
    left, top, unit = _window_of(setup.canonical)

    def place(x: float, y: float) -> tuple[float, float]:
        """A place of the room in the picture, not beyond its edges."""
        px, py = (x - left) * unit, (top - y) * unit
        return min(max(px, 0.0), WIDTH), min(max(py, 0.0), HEIGHT)

    def is_in(x: float, y: float) -> bool:
        return left <= x <= left + WIDTH / unit and top - HEIGHT / unit <= y <= top

    shapes: list[Shape] = [Area.box(0, 0, WIDTH, HEIGHT, "paper")]
    for item in room.items.values():
        if item.seen:
            shapes += _drawn(environment, item, place, is_in, unit)
    for one, other in room.bodies.ropes:
        ends = [room.bodies.of[end].position for end in (one, other)]
        if all(is_in(*end) for end in ends):
            shapes.append(Line([place(*end) for end in ends], "ink", ROPE_WIDTH * unit))
    for body in room.bodies.water:
        if is_in(*body.position):
            shapes.append(Disc(place(*body.position), room.water_radius * unit, "series-0", 0.6))
    for seat in range(len(room.seats)):
        shapes += _figure(environment, seat, place, is_in, unit)
    for bubble in room.bubbles:
        x, y = _bubble_place(environment, bubble.owner)
        if is_in(x + bubble.x, y + bubble.y):
            shapes.append(Words(bubble.text[:40], place(x + bubble.x, y + bubble.y), 0.4))
    said = "solved" if room.solved else "failed" if environment.over else f"{room.seconds:.1f} s"
    return Picture(shapes, (WIDTH, HEIGHT), f"PAGI World, {setup.name}: {said}")


def _drawn(
    environment: PagiEnvironment, item: Item, place: Placing, is_in: Within, unit: float
) -> list[Shape]:
    body = environment.room.bodies.of[item.number]
    x, y = body.position
    role, label = _role(item), item.name
    if item.outline == "disc":
        if not is_in(x, y):
            return []
        return [Disc(place(x, y), item.width / 2 * unit, role, 0.9, label=label, outline="ink")]
    corners = [body.local_to_world(corner) for corner in item.corners]
    points = [place(*corner) for corner in corners]
    if len({one[0] for one in points}) < 2 or len({one[1] for one in points}) < 2:
        return []  # beyond the edges
    strength = 0.9 if item.solid else 0.3
    return [Area(points, role, strength, label=label, outline="ink")]


def _figure(
    environment: PagiEnvironment, seat: int, place: Placing, is_in: Within, unit: float
) -> list[Shape]:
    figure = environment.room.bodies.figures[seat]
    x, y = figure.body.position
    if not is_in(x, y):
        return []
    role = "subject" if seat == 0 else "other"
    name = environment.room.names_of_seats[seat]
    shapes: list[Shape] = [Disc(place(x, y), RADIUS * unit, role, label=name, outline="ink")]
    up = figure.body.local_to_world((0.0, RADIUS))
    shapes.append(Line([place(x, y), place(*up)], "ink", 0.06))
    for side, shoulder in SHOULDERS.items():
        hand = figure.hands[side]
        start = figure.body.local_to_world(shoulder)
        end = hand.body.local_to_world(WRIST)
        shapes.append(Line([place(*start), place(*end)], role, 0.05, dashed=True))
        grips = "ink" if hand.grip is not None else ""
        middle = place(*hand.body.position)
        shapes.append(
            Disc(middle, 0.5 * unit, role, 0.7, label=f"{side} hand", outline=grips, width=0.08)
        )
    return shapes


def _bubble_place(environment: PagiEnvironment, owner: int | None) -> tuple[float, float]:
    bodies = environment.room.bodies
    if owner is None:
        return 0.0, 0.0
    body = bodies.of[owner] if owner >= 0 else bodies.figures[-1 - owner].body
    return body.position.x, body.position.y


def sensed(environment: PagiEnvironment, seat: int) -> Picture:
    """What a seat senses: both visual fields, its own body with what it touches, and where it is."""
    room = environment.room
    if environment.description.actions == "commands":
        lines = environment.answers(seat).splitlines()[-16:]
        words = [
            Words(line[:70], (0.4, 0.8 + 0.7 * k), 0.4, anchor="start")
            for k, line in enumerate(lines)
        ]
        return Picture(words, (WIDTH, HEIGHT), f"The last answers to seat {seat}")
    shapes: list[Shape] = [Area.box(0, 0, WIDTH, HEIGHT, "paper")]
    shown: tuple[tuple[str, Field, float, float, float], ...] = (
        ("periphery", "P", 0.2, 0.5, 9.6),
        ("vision", "V", 10.2, 0.5, 9.6),
    )
    names = environment.spaces(seat)[0].dtype.names or ()  # type: ignore[union-attr]
    for name, field, x, y, width in shown:
        if name in names:
            looks = room.senses.looks(seat, field)[::-1, :, :3]
            pixels = np.ascontiguousarray((255 * np.clip(looks, 0.0, 1.0)).astype(np.uint8))
            height = width * looks.shape[0] / looks.shape[1]
            shapes.append(Image(pixels, (x, y), (width, height), label=name))
    shapes += _touching(environment, seat)
    x, y = room.place(seat)
    vx, vy = room.velocity(seat)
    angle = math.degrees(room.rotation(seat))
    told = f"at ({x:.1f}, {y:.1f}), speed ({vx:.1f}, {vy:.1f}), turned by {angle:.0f} degrees, {room.seconds:.1f} s"
    shapes.append(Words(told, (7.5, 11.2), 0.4, anchor="start"))
    if environment.setup.words:
        heard = [
            f"seat {who}: {text}" if who >= 0 else text for who, text in environment.heard(seat)
        ]
        shapes.append(Words("heard: " + "; ".join(heard)[:60], (7.5, 10.4), 0.4, anchor="start"))
    return Picture(shapes, (WIDTH, HEIGHT), f"What seat {seat} senses")


def _touching(environment: PagiEnvironment, seat: int) -> list[Shape]:
    """The body and its hands with their sensors, large and filled where they touch."""
    touched = environment.room.senses.touched(seat)
    middles = [(3.5, 9.7), (1.2, 9.7), (5.8, 9.7)]
    shapes: list[Shape] = [
        Disc(middles[0], 0.9, "subject", 0.3),
        *(Disc(one, 0.5, "subject", 0.3) for one in middles[1:]),
    ]
    at = 0
    for middle, sensors, scale in zip(
        middles, (BODY_SENSORS, HAND_SENSORS, HAND_SENSORS), (0.9, 0.8, 0.8), strict=True
    ):
        for x, y in sensors.tolist():
            touches, temperature = touched[at, 0] > 0, touched[at, 1]
            role = "evil" if temperature > HOT else "ink" if touches else "ground"
            place = (middle[0] + x * scale, middle[1] - y * scale)
            shapes.append(Disc(place, 0.14 if touches else 0.08, role))
            at += 1
    return shapes
