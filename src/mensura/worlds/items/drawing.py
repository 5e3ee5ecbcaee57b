"""Items as pictures, and read back from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mensura.pictures.picture import Area, Disc, Line, Picture, Place, Shape, Words
from mensura.worlds.items.families.family import Family, Part
from mensura.worlds.items.observations import Seen

MARGIN = 0.4
"""Around all, and between what is shown and the options."""
NUMBER = 0.6
"""The height of the numbers above what can be chosen."""
FRAME = 0.94
"""The share of its room that the frame of a part has."""
OPTION, RIGHT = "option", "the right answer"
"""What an option is called."""


def drawn(seen: Seen, right: int | None = None) -> Picture:
    """The picture of an item; the right option is marked where it may be told."""
    family = seen.family
    wide, high = family.room
    asks_next = bool(seen.shown) and family.asks_next(seen.shown)
    count = len(seen.shown) + asks_next
    columns = family.columns or max(count, 1)
    shown = [
        (MARGIN + (i % columns + 0.5) * wide, MARGIN + (i // columns + 0.5) * high)
        for i in range(count)
    ]
    top = MARGIN + -(-count // columns) * high
    below = top + MARGIN + NUMBER + high / 2
    options = [(MARGIN + (i + 0.5) * wide, below) for i in range(len(seen.options))]
    shapes: list[Shape] = []
    for place, part in zip(shown, seen.shown, strict=False):
        shapes.append(_frame(family, place, cell=len(shapes)))
        shapes += moved(family.shapes(part), place)
    if asks_next:
        shapes.append(Words("?", shown[-1], 0.6, "subject"))
    for number, (place, part) in enumerate(zip(options, seen.options, strict=True), 1):
        good = right == number - 1
        label = f"{RIGHT if good else f'{OPTION} {number}'}: {family.text(part)}"
        shapes.append(
            _frame(family, place, label, "good" if good else "ground", 0.25, action=number)
        )
        shapes.append(Words(str(number), (place[0], place[1] - (high + NUMBER) / 2), 0.35))
        shapes += moved(family.shapes(part), place)
    width = 2 * MARGIN + wide * max(min(columns, count), len(options))
    height = below + high / 2 + MARGIN if options else top + MARGIN
    return Picture(shapes, (width, height), f"An item of {family.name}")


def read_picture(family: Family, picture: Picture) -> Seen:
    """The item that a picture shows, from its shapes alone: no label is read."""
    shown: list[Part] = []
    options: list[Part] = []
    for frame in picture.shapes:
        if isinstance(frame, Area) and (frame.cell is not None or frame.action is not None):
            left, top, right, bottom = frame.bounds
            inside = [one for one in picture.shapes if one is not frame and _within(one, frame)]
            part = family.read_shapes(
                moved(inside, (-(left + right) / 2, -(top + bottom) / 2)),
            )
            (shown if frame.action is None else options).append(part)
    return Seen(family, tuple(shown), tuple(options))


def moved(shapes: Sequence[Shape], by: Place) -> list[Shape]:
    """Shapes at another place."""
    x, y = by
    out: list[Shape] = []
    for one in shapes:
        if isinstance(one, (Area, Line)):
            out.append(replace(one, points=tuple((a + x, b + y) for a, b in one.points)))
        elif isinstance(one, Disc):
            out.append(replace(one, center=(one.center[0] + x, one.center[1] + y)))
        else:
            out.append(replace(one, at=(one.at[0] + x, one.at[1] + y)))
    return out


def _frame(
    family: Family,
    at: Place,
    label: str = "",
    role: str = "ground",
    strength: float = 0.0,
    **more: Any,
) -> Area:
    """What a part stands in: a numbered cell, or an option, which can be clicked."""
    wide, high = family.room[0] * FRAME, family.room[1] * FRAME
    left, top = at[0] - wide / 2, at[1] - high / 2
    outline = "ground" if family.columns else ""
    return Area.box(left, top, wide, high, role, strength, label=label, outline=outline, **more)


def _within(shape: Shape, frame: Area) -> bool:
    """Whether the middle of a shape is inside of a frame."""
    left, top, right, bottom = shape.bounds
    x, y = (left + right) / 2, (top + bottom) / 2
    return frame.bounds[0] < x < frame.bounds[2] and frame.bounds[1] < y < frame.bounds[3]
