"""Films of an episode: animated GIF and SVG of the objects on their tracks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, NamedTuple, cast

from mensura.core import palette
from mensura.core.contract import Environment
from mensura.worlds.films import CAPTION, HOLD, Reel, framed_svg, moving
from mensura.worlds.framotec.drawing import Track, tracks_of
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.pictures import tint

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, ROW, EDGE = 420.0, 34.0, 12.0
"""Pixels: of a track, from one track to the next, and around them."""


class Shot(NamedTuple):
    """What is kept of a moment."""

    shares: tuple[float, ...]
    """Where each object is on its track, from 0 to 1."""
    time: float
    energy: float


class Film(Reel[Shot]):
    """A film of a FraMoTEC episode."""

    def _shot(self, environment: Environment) -> Shot:
        simulation = cast(FramotecEnvironment, environment).simulation
        shares = tuple(
            track.share(simulation.value(f"{track.name}.value")) for track in self._tracks()
        )
        return Shot(shares, simulation.time, simulation.energy)

    def _tracks(self) -> list[Track]:
        return tracks_of(self._description.task)

    def caption(self, i: int) -> tuple[str, str]:
        """What stands below frame i, on the left and on the right."""
        shot = self._frames[i]
        return f"{shot.time:.2f} s, {shot.energy:.4g} J", f"score so far {self._scores[i]:+.3f}"

    def _size(self) -> tuple[float, float]:
        return WIDTH + 2 * EDGE, ROW * len(self._tracks()) + EDGE

    # GIF

    def _colors(self) -> Iterator[tuple[int, int, int]]:
        for color in (palette.BLUE, palette.GREEN, palette.BLACK):
            for strength in range(9):
                yield tint(color, strength / 8)

    def _images(self) -> Iterator[Image]:
        from PIL import Image, ImageDraw, ImageFont

        width, height = self._size()
        font = ImageFont.load_default(14)
        for i, shot in enumerate(self._frames):
            image = Image.new("RGB", (round(width), round(height) + CAPTION), "white")
            pen = ImageDraw.Draw(image)
            for row, track in enumerate(self._tracks()):
                y = EDGE + ROW * (row + 0.6)
                pen.text((EDGE, y - 18), track.name, fill="black", font=font, anchor="lm")
                for low, high in track.goals:
                    ends = EDGE + WIDTH * track.share(low), EDGE + WIDTH * track.share(high)
                    pen.rectangle((ends[0], y - 6, ends[1], y + 6), fill=tint(palette.GREEN, 0.5))
                pen.line((EDGE, y, EDGE + WIDTH, y), fill="black")
                x = EDGE + WIDTH * shot.shares[row]
                pen.ellipse((x - 6, y - 6, x + 6, y + 6), fill=palette.BLUE)
            left, right = self.caption(i)
            bottom = height + CAPTION / 2
            pen.text((EDGE, bottom), left, fill="black", font=font, anchor="lm")
            pen.text((width - EDGE, bottom), right, fill="black", font=font, anchor="rm")
            yield image

    # SVG

    def _svg(self, pause: float) -> str:
        turns = [*range(len(self)), *[len(self) - 1] * (HOLD - 1)]
        seconds = max(pause, 0.02) * len(turns)
        parts = []
        for row, track in enumerate(self._tracks()):
            y = EDGE + ROW * (row + 0.6)
            parts.append(
                f'<text x="{EDGE}" y="{y - 12:.4g}" font-size="12">{escape(track.name)}</text>'
            )
            for low, high in track.goals:
                left, right = (EDGE + WIDTH * track.share(end) for end in (low, high))
                parts.append(
                    f'<rect x="{left:.5g}" y="{y - 6:.4g}" width="{right - left:.5g}" height="12" '
                    f'fill="{palette.GREEN}" opacity="0.5"/>'
                )
            parts.append(f'<path d="M{EDGE} {y:.4g}h{WIDTH}" stroke="#000"/>')
            places = [(EDGE + WIDTH * self._frames[i].shares[row], y) for i in turns]
            dot = f'<circle r="6" fill="{palette.BLUE}"/>'
            parts.append(moving(dot, places, seconds))
        label = f"An episode of the task {escape(self._description.task.name)}"
        captions = [self.caption(i) for i in range(len(self))]
        return framed_svg(self._size(), label, parts, captions, turns, seconds)
