"""Pictures in pixels, drawn by Pillow: an RGB array, PNG and PDF."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mensura.core import palette
from mensura.pictures.layout import scale_of, with_legend
from mensura.pictures.picture import Area, Disc, Line, Picture, Place, Words
from mensura.pictures.picture import Image as Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

_IN_FONT = str.maketrans({"\N{MINUS SIGN}": "-", "\N{RIGHTWARDS ARROW}": ">"})
"""Signs that the font of Pillow lacks, and what stands for them."""
FINER = 2
"""So many times larger everything is drawn first, so that edges come out smooth."""


def as_array(picture: Picture, width: float | None = None) -> npt.NDArray[np.uint8]:
    """A picture as an array of shape (height, width, 3), as Gymnasium's ``rgb_array`` wants it."""
    return np.array(as_image(picture, width), np.uint8)


def as_image(picture: Picture, width: float | None = None, legend: bool = True) -> Image:
    """A picture as an image of Pillow, on white."""
    with palette.extra("A picture"):
        from PIL import Image, ImageDraw
    whole = with_legend(picture) if legend else picture
    scale = scale_of(whole, width) * FINER
    left, top, right, bottom = whole.bounds
    size = [
        FINER * max(1, round((b - a) * scale / FINER)) for a, b in ((left, right), (top, bottom))
    ]
    sheet = Image.new("RGB", (size[0], size[1]), palette.PAPER)
    pen = ImageDraw.Draw(sheet, "RGBA")  # colors that let through what is below

    def place(point: Place) -> tuple[float, float]:
        return (point[0] - left) * scale, (point[1] - top) * scale

    for shape in whole.shapes:
        if isinstance(shape, Words):
            _write(sheet, pen, shape, place(shape.at), scale)
        elif isinstance(shape, Disc):
            (x, y), r = place(shape.center), abs(shape.radius) * scale
            box = (x - r, y - r, x + r, y + r)
            pen.ellipse(box, _color(shape.role, shape.strength))
            if shape.outline:
                half = shape.width * scale / 2
                wide = max(1, round(2 * half))
                box = (x - r - half, y - r - half, x + r + half, y + r + half)
                pen.ellipse(box, None, _color(shape.outline), wide)
        elif isinstance(shape, Area):
            points = [place(point) for point in shape.points]
            if len(points) > 2:
                pen.polygon(points, _color(shape.role, shape.strength))
            if shape.outline:
                closed = [*points, points[0]]
                pen.line(closed, _color(shape.outline), max(1, round(shape.width * scale)), "curve")
        elif isinstance(shape, Line):
            _stroke(pen, shape, [place(point) for point in shape.points], scale)
            if shape.arrow and shape.head:
                pen.polygon([place(point) for point in shape.head], _color(shape.role))
        elif isinstance(shape, Pixels):
            first = [round(side) for side in place(shape.at)]
            end = place((shape.at[0] + shape.size[0], shape.at[1] + shape.size[1]))
            wide, high = (max(1, round(b) - a) for a, b in zip(first, end, strict=True))
            image = Image.fromarray(np.ascontiguousarray(shape.pixels))
            sheet.paste(image.resize((wide, high), Image.Resampling.NEAREST), (first[0], first[1]))
    return sheet.reduce(FINER)


def _color(role: str, strength: float = 1.0) -> tuple[int, int, int, int]:
    return (*palette.rgb(palette.color_of(role)), round(255 * strength))


def _stroke(pen: Any, shape: Line, points: list[tuple[float, float]], scale: float) -> None:
    """A line, whole or in dashes."""
    width = max(1, round(shape.width * scale))
    color = _color(shape.role)
    if not shape.dashed:
        pen.line(points, color, width, "curve")
        return
    dash, period = 3.0 * width, 5.0 * width
    gone = 0.0  # along the line
    for (x1, y1), (x2, y2) in pairwise(points):
        long = float(np.hypot(x2 - x1, y2 - y1))
        at = -(gone % period)
        while at < long:
            begin, end = max(at, 0.0), min(at + dash, long)
            if end > begin:
                ends = [
                    (x1 + (x2 - x1) * s / long, y1 + (y2 - y1) * s / long) for s in (begin, end)
                ]
                pen.line(ends, color, width)
            at += period
        gone += long


def _write(sheet: Image, pen: Any, words: Words, at: tuple[float, float], scale: float) -> None:
    """A text, turned where it is."""
    from PIL import Image, ImageDraw

    text = words.line.translate(_IN_FONT)
    font = font_of(max(1.0, words.size * scale))
    anchor = {"start": "l", "middle": "m", "end": "r"}[words.anchor] + "m"
    if not words.turned:
        pen.text(at, text, _color(words.role), font, anchor=anchor)
        return
    box = ImageDraw.Draw(sheet).textbbox((0, 0), text, font, anchor=anchor)
    reach = int(max(map(abs, box))) + 2
    if reach > 4 * max(sheet.size):
        return  # more of it would be outside than one could see
    mask = Image.new("L", (2 * reach, 2 * reach))
    ImageDraw.Draw(mask).text((reach, reach), text, 255, font, anchor=anchor)
    mask = mask.rotate(-words.turned, Image.Resampling.BICUBIC)
    corner = round(at[0]) - reach, round(at[1]) - reach
    sheet.paste(_color(words.role)[:3], corner, mask)


@lru_cache(64)
def font_of(size: float) -> Any:
    """The font that comes with Pillow, so that pictures look the same everywhere."""
    with palette.extra("A picture"):
        from PIL import ImageFont
    return ImageFont.load_default(round(size, 1))
