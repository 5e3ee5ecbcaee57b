"""Films of episodes: an observer of the loop that keeps frames, and how they become GIF or an SVG that moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.core import palette
from mensura.core.contract import Environment, Turn
from mensura.pictures.files import suffix_of, write_bytes
from mensura.pictures.layout import scale_of, with_legend
from mensura.pictures.picture import Area, Disc, Picture
from mensura.pictures.picture import Image as Pixels
from mensura.pictures.pixels import as_image, font_of
from mensura.pictures.svg import quoted
from mensura.pictures.tracks import animated, tracks
from mensura.records.results import check_writable, write_whole

if TYPE_CHECKING:
    from PIL.Image import Image

CAPTION = 26
"""The height in pixels of the line below a film."""
HOLD = 6
"""How many pauses the last frame stays before a film begins again."""
MARGIN = 8
"""Pixels around what is filmed."""
LEAST_WIDTH = 280
"""So many pixels the line below needs."""


class Film:
    """An observer of the loop that keeps a picture of every moment, and makes a film of them.

    Nothing is drawn before :meth:`save`. A new episode begins a new film. The line below tells the iteration and the
    score so far: the mean reward per subject and iteration.
    """

    def __init__(self, picture: Callable[[Any, Turn], Picture], width: float | None = None) -> None:
        """``picture`` makes a frame of an environment and its turn; the film is ``width`` pixels wide, at least 280."""
        self._picture = picture
        self._width = width
        self._frames: list[Picture] = []
        self._scores: list[float] = []
        self._sum = 0.0
        self._actions = 0

    def __len__(self) -> int:
        """The number of frames: one more than interactions."""
        return len(self._frames)

    def started(self, environment: Environment, turn: Turn) -> None:
        """Begin with the moment after reset."""
        self._frames.clear()
        self._scores.clear()
        self._sum = 0.0
        self._actions = 0
        self._add(environment, turn)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """Add the moment after a step, and its rewards to the score."""
        self._sum += sum(turn.rewards)
        self._actions += len(actions)
        self._add(environment, turn)

    def _add(self, environment: Environment, turn: Turn) -> None:
        self._frames.append(self._picture(environment, turn))
        self._scores.append(self._sum / self._actions if self._actions else 0.0)

    def save(self, path: Path, pause: float = 0.2) -> None:
        """Write the film as a .gif, or as an .svg that moves by itself, ``pause`` seconds an interaction."""
        kind = suffix_of(path, "A film", (".gif", ".svg"))
        if not self._frames:
            raise MensuraError(
                "No episode was filmed; let the film observe one before it is saved."
            )
        if not pause >= 0.0:
            raise MensuraError(f"A pause of {pause} seconds is impossible; 0 or more are.")
        check_writable(path)
        if kind == ".gif":
            write_bytes(path, self._gif(pause))
        else:
            write_whole(path, self._svg(pause))

    def caption(self, i: int) -> tuple[str, str]:
        """What stands below frame i, on the left and on the right."""
        return f"iteration {i} of {len(self) - 1}", f"score so far {self._scores[i]:+.3f}"

    def _gif(self, pause: float) -> bytes:
        with palette.extra("A film"):
            from PIL import Image
        listed = [level for color in self._colors() for level in color]
        frames = self._images()
        if listed:
            colors = Image.new("P", (1, 1))
            colors.putpalette(listed)
            frames = (one.quantize(palette=colors, dither=Image.Dither.NONE) for one in frames)
        else:
            frames = (one.quantize(256, dither=Image.Dither.NONE) for one in frames)
        # A GIF counts in hundredths of a second, and viewers slow down what asks for less than two.
        wait = max(20, round(pause * 100) * 10)
        waits = [*[wait] * (len(self) - 1), HOLD * wait]
        buffer = BytesIO()
        next(frames).save(
            buffer,
            format="GIF",
            save_all=True,
            append_images=frames,
            duration=waits,
            loop=0,
            optimize=True,
        )
        return buffer.getvalue()

    def _sheets(self) -> list[Picture]:
        """The frames, all of one size and with one legend."""
        legend = dict.fromkeys(entry for one in self._frames for entry in one.legend)
        left, top, right, bottom = zip(*(one.bounds for one in self._frames), strict=True)
        ground = Area.box(
            min(left), min(top), max(right) - min(left), max(bottom) - min(top), "paper", 0.0
        )
        return [
            with_legend(Picture([ground, *one.shapes], one.size, one.label, tuple(legend)))
            for one in self._frames
        ]

    def _colors(self) -> Iterator[tuple[int, int, int]]:
        """The colors of all shapes with what smooth edges make of them; none where they are too many to list."""
        used = {(palette.color_of("ink"), 1.0)}
        for sheet in self._sheets():
            for shape in sheet.shapes:
                if isinstance(shape, Pixels):
                    return
                strength = shape.strength if isinstance(shape, (Area, Disc)) else 1.0
                used.add((palette.color_of(shape.role), strength))
                if isinstance(shape, (Area, Disc)) and shape.outline:
                    used.add((palette.color_of(shape.outline), 1.0))
        if len(used) > MOST_COLORS:
            return
        yield palette.rgb(palette.PAPER)
        for color, strength in sorted(used):
            for share in (1.0, 0.8, 0.6, 0.4, 0.2):
                yield palette.tint(color, strength * share)

    def _images(self) -> Iterator[Image]:
        with palette.extra("A film"):
            from PIL import Image, ImageDraw
        font = font_of(14)
        for i, sheet in enumerate(self._sheets()):
            drawn = as_image(sheet, self._width)
            image = Image.new(
                "RGB", (max(drawn.width, LEAST_WIDTH), drawn.height + CAPTION), palette.PAPER
            )
            image.paste(drawn)
            pen = ImageDraw.Draw(image)
            left, right = self.caption(i)
            base = image.height - MARGIN
            pen.text((2, base), left, palette.INK, font, anchor="ls")
            pen.text((image.width - 2, base), right, palette.INK, font, anchor="rs")
            yield image

    def _svg(self, pause: float) -> str:
        """Every shape once, moved from place to place, and out of sight while it is not there."""
        sheets = self._sheets()
        scale = scale_of(sheets[0], self._width)
        left, top, right, bottom = sheets[0].bounds
        size = max((right - left) * scale, LEAST_WIDTH), (bottom - top) * scale
        turns = [*range(len(self)), *[len(self) - 1] * (HOLD - 1)]
        seconds = max(pause, 0.02) * len(turns)
        # Where shapes move, each is best drawn once in each color; where they only change, once in all colors.
        drawn = (
            animated(tracks(sheets, scale, (left, top), filled), turns, seconds, size)
            for filled in (True, False)
        )
        parts = min(drawn, key=lambda found: sum(map(len, found)))
        captions = [self.caption(i) for i in range(len(self))]
        label = quoted(self._frames[0].label or "An episode")
        return framed_svg(size, label, parts, captions, turns, seconds)


MOST_COLORS = 50
"""So many colors, each in five strengths, a GIF has room for."""


def framed_svg(
    size: tuple[float, float],
    label: str,
    parts: Sequence[str],
    captions: Sequence[tuple[str, str]],
    turns: Sequence[int],
    seconds: float,
) -> str:
    """An animated SVG: the parts, cut at the border, and below them one caption after another by ``turns``."""
    width, height = size
    lines = "".join(
        f'<text x="0" y="{i * CAPTION}">{left}</text>'
        f'<text x="{width:.4g}" y="{i * CAPTION}" text-anchor="end">{right}</text>'
        for i, (left, right) in enumerate(captions)
    )
    offsets = ";".join(f"0,{-i * CAPTION}" for i in turns)
    full = width + 2 * MARGIN, height + 2 * MARGIN + CAPTION
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-MARGIN} {-MARGIN} {full[0]:.4g} {full[1]:.4g}" '
        f'width="{full[0]:.4g}" height="{full[1]:.4g}" font-family="sans-serif" font-size="14" role="img" '
        f'aria-label="{label}">\n'
        f'<rect x="{-MARGIN}" y="{-MARGIN}" width="100%" height="100%" fill="#fff"/>\n'
        f'<clipPath id="stage"><rect width="{width:.4g}" height="{height:.4g}"/></clipPath>\n'
        f'<clipPath id="line"><rect y="{height + 4:.4g}" width="{width:.4g}" height="{CAPTION}"/>'
        "</clipPath>\n"
        f'<g clip-path="url(#stage)">\n{chr(10).join(parts)}\n</g>\n'
        f'<g clip-path="url(#line)"><g transform="translate(0 {height + CAPTION - 4:.4g})"><g>'
        f'{lines}<animateTransform attributeName="transform" type="translate" '
        f'calcMode="discrete" dur="{seconds:g}s" repeatCount="indefinite" values="{offsets}"/>'
        "</g></g></g>\n</svg>\n"
    )
