"""Shapes of a film over time: which shape of a frame is which of the frame before, and how SVG moves each of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple, TypeAlias

from mensura.core import palette
from mensura.pictures.picture import Area, Disc, Picture, Place, Shape
from mensura.pictures.svg import anchor_of, element, number

Spot: TypeAlias = tuple[str, str]
"""A place in pixels, as SVG writes it."""
Paint: TypeAlias = tuple[str, str]
"""A color, and how much of what is below it covers."""


Key: TypeAlias = tuple[str, str]
"""A form, and whose it is."""


@dataclass(eq=False)
class Track:
    """A shape of a film: its form around (0, 0), and where it is in each frame, in pixels; None where it is not."""

    key: Key
    places: list[Spot | None]
    paints: list[Paint | None]
    """What it is filled with in each frame, where its form does not say it."""

    @property
    def form(self) -> str:
        """The element of SVG."""
        return self.key[0]

    @property
    def visible(self) -> bool:
        """Whether there is anything to be seen of it."""
        known = [paint for paint in self.paints if paint is not None]
        return not known or "stroke" in self.form or any(paint[1] != "0" for paint in known)


def tracks(
    frames: Sequence[Picture], scale: float, corner: Place, filled: bool = True
) -> list[Track]:
    """The shapes of all frames, each form once where that is possible, in an order that all frames agree with.

    A shape that stays where it was stays the same; of the others, the next of a form, and of a name where shapes have
    lasting ones, is taken for the next of that form before. Where one lies above other shapes in one frame and below
    them in another, it becomes two. Forms that are not ``filled`` change their colors.
    """
    names = [{_name(shape) for shape in frame.shapes} for frame in frames]
    named = len(set.union(*names)) <= 2 * max(map(len, names))  # labels may also tell of the moment
    found: list[Track] = []
    for at, frame in enumerate(frames):
        wanted = _wanted(frame, scale, corner, filled, named)
        order = {track: i for i, track in enumerate(found)}
        staying = _staying(found, order, wanted, at)
        taken = {*staying.values()}
        free: dict[Key, list[Track]] = {}
        for one in found:
            if one not in taken:
                free.setdefault(one.key, []).append(one)
        inserted: dict[int, list[Track]] = {}
        above = _above(staying, order, len(wanted), len(found))
        last = -1
        for i, shape in enumerate(wanted):
            track = staying.get(i)
            if track is None:
                able = free.get(shape.key, [])
                first = bisect_right(able, last, key=order.__getitem__)
                if first < len(able) and order[able[first]] < above[i]:
                    track = able.pop(first)
            if track is None:
                track = Track(shape.key, [None] * len(frames), [None] * len(frames))
                inserted.setdefault(last, []).append(track)  # right above the one before
            else:
                last = order[track]
            track.places[at], track.paints[at] = shape.place, shape.paint
        found = [
            *inserted.get(-1, ()),
            *(one for i, old in enumerate(found) for one in (old, *inserted.get(i, ()))),
        ]
    return [one for one in found if one.visible]


class Wanted(NamedTuple):
    """A shape of one frame."""

    key: Key
    place: Spot
    paint: Paint | None


def _name(shape: Shape) -> str:
    """Whose a shape is; what is said of cells changes, so that these have no names."""
    return shape.label if shape.cell is None else ""


def _wanted(frame: Picture, scale: float, corner: Place, filled: bool, named: bool) -> list[Wanted]:
    """The shapes of a frame that can be seen."""
    listed: list[Wanted] = []
    for shape in frame.shapes:
        if filled and isinstance(shape, Area) and not shape.strength and not shape.outline:
            continue
        x, y = anchor = anchor_of(shape)
        form = element(shape, anchor, scale, palette.color_of, bare=True, filled=filled)
        place = number((x - corner[0]) * scale), number((y - corner[1]) * scale)
        paint = None
        if not filled and isinstance(shape, (Area, Disc)):
            paint = palette.color_of(shape.role), number(shape.strength)
        listed.append(Wanted((form, _name(shape) if named else ""), place, paint))
    return listed


def _staying(
    found: Sequence[Track], order: dict[Track, int], wanted: Sequence[Wanted], at: int
) -> dict[int, Track]:
    """Which of the wanted shapes stay where they were in the frame before: as many as keep their order."""
    there: dict[tuple[Key, Spot], list[Track]] = {}
    for track in reversed(found):
        place = track.places[at - 1] if at else None
        if place is not None:
            there.setdefault((track.key, place), []).append(track)
    same = [
        (i, left.pop()) for i, one in enumerate(wanted) if (left := there.get((one.key, one.place)))
    ]
    ends: list[int] = []  # of rising sequences, by length: a place in ``same``
    before: list[int] = []
    for k, (_, track) in enumerate(same):
        length = bisect_left(ends, order[track], key=lambda j: order[same[j][1]])
        before.append(ends[length - 1] if length else -1)
        ends[length : length + 1] = [k]
    longest: dict[int, Track] = {}
    k = ends[-1] if ends else -1
    while k >= 0:
        longest[same[k][0]] = same[k][1]
        k = before[k]
    return longest


def _above(staying: dict[int, Track], order: dict[Track, int], count: int, end: int) -> list[int]:
    """For each wanted shape the order of the next one that stays."""
    above = [end] * count
    for i in reversed(range(count)):
        above[i] = order[staying[i]] if i in staying else above[i + 1] if i + 1 < count else end
    return above


def animated(
    found: Sequence[Track], turns: Sequence[int], seconds: float, size: tuple[float, float]
) -> list[str]:
    """The shapes with their places over time, those in one group that move alike."""
    away = f"{-10 * max(size):.0f}", "0"
    parts: list[str] = []
    for _, group in groupby(found, _journey):
        first, *others = group
        inside = _painted(first, turns, seconds)
        x, y = _start(first)
        for one in others:
            beside = _start(one)
            way = f"{number(beside[0] - x)},{number(beside[1] - y)}"
            shape = _painted(one, turns, seconds)
            inside += shape if way == "0,0" else f'<g transform="translate({way})">{shape}</g>'
        values = [",".join(first.places[i] or away) for i in turns]
        change = _changing(values, seconds, 'Transform attributeName="transform" type="translate"')
        parts.append(f'<g transform="translate({values[0]})">{inside}{change}</g>')
    return parts


def _start(track: Track) -> Place:
    """Where a shape is at first."""
    x, y = next(place for place in track.places if place is not None)
    return float(x), float(y)


def _journey(track: Track) -> tuple[tuple[float, float] | None, ...]:
    """Where a shape is in each frame, seen from where it is at first."""
    x, y = _start(track)
    return tuple(
        None if one is None else (round(float(one[0]) - x, 1), round(float(one[1]) - y, 1))
        for one in track.places
    )


def _painted(track: Track, turns: Sequence[int], seconds: float) -> str:
    """A shape with its colors over time."""
    known = [one for one in track.paints if one is not None]
    if not known:
        return track.form
    colors = [track.paints[i] or known[0] for i in turns]
    name = track.form[1:].split(" ", 1)[0]
    filled, changes = "", ""
    for attribute, values in zip(("fill", "fill-opacity"), zip(*colors, strict=True), strict=True):
        if attribute == "fill" or values[0] != "1":
            filled += f' {attribute}="{values[0]}"'
        changes += _changing(values, seconds, f' attributeName="{attribute}"')
    return f"{track.form[:-2]}{filled}" + (f">{changes}</{name}>" if changes else "/>")


def _changing(values: Sequence[str], seconds: float, what: str) -> str:
    """An animation through some values, one a turn; nothing where they are all the same."""
    changes = [i for i, value in enumerate(values) if i == 0 or value != values[i - 1]]
    if len(changes) == 1:
        return ""
    timed = f' keyTimes="{";".join(f"{i / len(values):.5g}" for i in changes)}"'
    chosen, evenly = ";".join(values[i] for i in changes), ";".join(values)
    shown = f'values="{evenly}"'
    if len(chosen) + len(timed) < len(evenly):
        shown = f'values="{chosen}"{timed}'
    return (
        f'<animate{what} calcMode="discrete" dur="{seconds:g}s" repeatCount="indefinite" {shown}/>'
    )
