"""Films of an episode: animated GIF and SVG of where objects were over time, their goals, and when they were locked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, cast

from mensura.core import palette
from mensura.core.contract import Environment
from mensura.core.palette import tint
from mensura.pictures.film import CAPTION, HOLD, Reel, framed_svg, moving
from mensura.worlds.framotec.drawing import Track, tracks_of
from mensura.worlds.framotec.environment import FramotecEnvironment

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, EDGE, NAME = 460.0, 12.0, 16.0
"""Pixels: of a strip, which is all of the time, around the strips, and for the name above one."""
HIGHEST, LOWEST, ALL = 64.0, 20.0, 560.0
"""Pixels of a strip, of which there are as many as objects, and of all of them together."""
DOT = 5.0


class Shot(NamedTuple):
    """What is kept of a moment."""

    shares: tuple[float, ...]
    """Where each object is on its track, from 0 to 1."""
    locked: tuple[bool, ...]
    time: float
    energy: float
    state: str
    """Solved, failed, or nothing yet."""


class Strip(NamedTuple):
    """The part of a film that belongs to one object: time goes to the right, values upwards."""

    track: Track
    top: float
    bottom: float

    def y(self, share: float) -> float:
        """How far down a value is, given as a share of the track."""
        return self.bottom - share * (self.bottom - self.top)

    def bands(self) -> Iterator[tuple[float, float]]:
        """From where to where goals are, in pixels; at least two of them."""
        for low, high in self.track.goals:
            top, bottom = self.y(self.track.share(high)), self.y(self.track.share(low))
            yield (top, bottom) if bottom - top >= 2 else (top - 1, bottom + 1)


class Film(Reel[Shot]):
    """A film of a FraMoTEC episode."""

    def _shot(self, environment: Environment) -> Shot:
        simulation = cast(FramotecEnvironment, environment).simulation
        tracks = tracks_of(self._description.task)
        return Shot(
            tuple(track.share(simulation.value(f"{track.name}.value")) for track in tracks),
            tuple(bool(simulation.value(f"{track.name}.locked")) for track in tracks),
            simulation.time,
            simulation.energy,
            "solved" if simulation.solved else "failed" if simulation.failed else "",
        )

    def _strips(self) -> list[Strip]:
        tracks = tracks_of(self._description.task)
        high = min(max(ALL / max(len(tracks), 1) - NAME, LOWEST), HIGHEST)
        strips = []
        for row, track in enumerate(tracks):
            top = EDGE + row * (high + NAME) + NAME
            strips.append(Strip(track, top, top + high))
        return strips

    def _x(self, time: float) -> float:
        return EDGE + WIDTH * time / max(self._frames[-1].time, 1e-9)

    def caption(self, i: int) -> tuple[str, str]:
        """What stands below frame i, on the left and on the right."""
        shot = self._frames[i]
        state = f", {shot.state}" if shot.state else ""
        spent = f"{shot.time:.2f} s, {shot.energy:.4g} J{state}"
        return spent, f"score so far {self._scores[i]:+.3f}"

    def _size(self) -> tuple[float, float]:
        strips = self._strips()
        return WIDTH + 2 * EDGE, (strips[-1].bottom if strips else EDGE) + EDGE

    def _locked(self, row: int, until: int) -> Iterator[tuple[float, float]]:
        """From when to when an object was locked, in pixels."""
        for one, other in pairwise(self._frames[: until + 1]):
            if other.locked[row]:
                yield self._x(one.time), self._x(other.time)

    def _locked_svg(self, row: int, strip: Strip) -> list[str]:
        high = strip.bottom - strip.top
        return [
            box_svg(left, strip.top, right - left, high, palette.BLACK, 0.25)
            for left, right in self._locked(row, len(self))
        ]

    def _path(self, row: int, strip: Strip) -> list[tuple[float, float]]:
        return [(self._x(shot.time), strip.y(shot.shares[row])) for shot in self._frames]

    # GIF

    def _colors(self) -> Iterator[tuple[int, int, int]]:
        for color in (palette.BLUE, palette.GREEN, palette.BLACK):
            for strength in range(9):
                yield tint(color, strength / 8)

    def _images(self) -> Iterator[Image]:
        from PIL import Image, ImageDraw, ImageFont

        width, height = self._size()
        font, small = ImageFont.load_default(14), ImageFont.load_default(11)
        strips = self._strips()
        paths = [self._path(row, strip) for row, strip in enumerate(strips)]
        for i in range(len(self)):
            image = Image.new("RGB", (round(width), round(height) + CAPTION), "white")
            pen = ImageDraw.Draw(image)
            for row, strip in enumerate(strips):
                at = (EDGE, strip.top - NAME / 2)
                pen.text(at, named(strip.track), fill="black", font=small, anchor="lm")
                for left, right in self._locked(row, i):
                    box = (left, strip.top, right, strip.bottom)
                    pen.rectangle(box, fill=tint(palette.BLACK, 0.25))
                for top, bottom in strip.bands():
                    box = (EDGE, top, EDGE + WIDTH, bottom)
                    pen.rectangle(box, fill=tint(palette.GREEN, 0.5))
                box = (EDGE, strip.top, EDGE + WIDTH, strip.bottom)
                pen.rectangle(box, outline=tint(palette.BLACK, 0.5))
                past = paths[row][: i + 1]
                if len(past) > 1:
                    pen.line(past, fill=palette.BLUE, width=2)
                x, y = past[-1]
                pen.ellipse((x - DOT, y - DOT, x + DOT, y + DOT), fill=palette.BLUE)
            left_text, right_text = self.caption(i)
            below = height + CAPTION / 2
            pen.text((EDGE, below), left_text, fill="black", font=font, anchor="lm")
            pen.text((width - EDGE, below), right_text, fill="black", font=font, anchor="rm")
            yield image

    # SVG

    def _svg(self, pause: float) -> str:
        turns = [*range(len(self)), *[len(self) - 1] * (HOLD - 1)]
        seconds = max(pause, 0.02) * len(turns)
        strips = self._strips()
        _, height = self._size()
        parts, past, dots = [], [], []
        for row, strip in enumerate(strips):
            past += self._locked_svg(row, strip)
            parts += ground_svg(strip)
            path = self._path(row, strip)
            past.append(line_svg(path))
            dots.append(
                moving(
                    f'<circle r="{DOT:g}" fill="{palette.BLUE}"/>',
                    [path[i] for i in turns],
                    seconds,
                )
            )
        widths = ";".join(f"{self._x(self._frames[i].time):.5g}" for i in turns)
        parts.append(
            f'<clipPath id="past"><rect width="0" height="{height:.5g}"><animate attributeName="width" '
            f'calcMode="discrete" dur="{seconds:g}s" repeatCount="indefinite" values="{widths}"/></rect></clipPath>'
        )
        parts.append(f'<g clip-path="url(#past)">{"".join(past)}</g>')
        label = f"An episode of the task {escape(self._description.task.name)}"
        captions = [self.caption(i) for i in range(len(self))]
        return framed_svg(self._size(), label, [*parts, *dots], captions, turns, seconds)


def named(track: Track) -> str:
    """An object and from where to where its strip goes."""
    return f"{track.name}, {track.low:.4g} to {track.high:.4g}"


def ground_svg(strip: Strip, ink: str = "") -> list[str]:
    """What stands behind an object's path: its name, its goals and a frame."""
    high = strip.bottom - strip.top
    return [
        f'<text x="{EDGE:g}" y="{strip.top - 4:.5g}" font-size="11"{ink}>{escape(named(strip.track))}</text>',
        *(
            box_svg(EDGE, top, WIDTH, bottom - top, palette.GREEN, 0.5)
            for top, bottom in strip.bands()
        ),
        f'<rect x="{EDGE:g}" y="{strip.top:.5g}" width="{WIDTH:g}" height="{high:.5g}" fill="none" stroke="#888"/>',
    ]


def box_svg(x: float, y: float, width: float, height: float, color: str, opacity: float) -> str:
    """A filled box."""
    return (
        f'<rect x="{x:.5g}" y="{y:.5g}" width="{width:.5g}" height="{height:.5g}" fill="{color}" '
        f'opacity="{opacity:g}"/>'
    )


def line_svg(points: Sequence[tuple[float, float]]) -> str:
    """A path through points."""
    path = "L".join(f"{x:.5g} {y:.5g}" for x, y in points)
    return f'<path d="M{path}" fill="none" stroke="{palette.BLUE}" stroke-width="2"/>'
