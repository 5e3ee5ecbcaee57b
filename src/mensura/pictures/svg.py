"""Pictures as SVG, written by hand: no library, no style, no script, no font."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import to_plain
from mensura.core import palette
from mensura.core.visible import visible
from mensura.pictures.layout import scale_of, with_legend
from mensura.pictures.picture import Area, Disc, Image, Line, Picture, Place, Shape, Words

_NO_XML = re.compile("[\ufffe\uffff]")


def as_svg(
    picture: Picture, *, page: bool = False, width: float | None = None, legend: bool = True
) -> str:
    """A picture as SVG: for a file, on white; or for a page, where ink is the color of the text around it.

    A label becomes a ``<title>``; an action and a cell become ``data-action`` and ``data-cell`` (JSON), and a shape
    with an action can be focused by keyboard, so that a page has only to listen. Where there are such, other shapes are
    not in the way of the pointer. ``width`` is in pixels.
    """
    whole = with_legend(picture) if legend else picture
    scale = scale_of(whole, width)
    left, top, right, bottom = whole.bounds
    size = f"{number((right - left) * scale)} {number((bottom - top) * scale)}"
    wide, high = size.split()
    acting = any(shape.action is not None for shape in picture.shapes)
    ground = "" if page else f'<rect width="100%" height="100%" fill="{palette.PAPER}"/>\n'
    color = page_color if page else palette.color_of
    pointed = any(shape.action is not None or shape.cell is not None for shape in picture.shapes)
    body = "\n".join(
        element(shape, (left, top), scale, color, pointed=pointed) for shape in whole.shapes
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{wide}" height="{high}" '
        f'font-family="sans-serif" role="{"group" if acting else "img"}" '
        f'aria-label="{quoted(picture.label or "An environment")}">\n{ground}{body}\n</svg>\n'
    )


def page_color(role: str) -> str:
    """The color of a role in a page, which may be light or dark."""
    return {"ink": "currentColor", "paper": "Canvas"}.get(role) or palette.color_of(role)


def element(
    shape: Shape,
    origin: Place,
    scale: float,
    color: Callable[[str], str],
    bare: bool = False,
    pointed: bool = False,
    filled: bool = True,
) -> str:
    """A shape as an element of SVG, seen from ``origin``; a ``bare`` one has its form alone.

    ``pointed``: one that is neither a cell nor an action lets the pointer through to those. Areas and discs that are
    not ``filled`` are to be filled by whoever asked.
    """
    name, attributes, inside = _form(shape, origin, scale, color, filled)
    if not bare:
        if pointed and shape.action is None and shape.cell is None:
            attributes += ' pointer-events="none"'
        attributes += _interaction(shape)
        inside = (f"<title>{quoted(shape.label)}</title>" if shape.label else "") + inside
    return f"<{name}{attributes}>{inside}</{name}>" if inside else f"<{name}{attributes}/>"


def _interaction(shape: Shape) -> str:
    """What lets a page point at a shape."""
    found = ""
    if shape.cell is not None:
        found += f' data-cell="{int(shape.cell)}"'
    if shape.action is not None:
        spoken = (
            shape.label
            or (shape.text if isinstance(shape, Words) else "")
            or f"action {_json(shape.action)}"
        )
        found += (
            f' data-action="{quoted(_json(shape.action))}" tabindex="0" role="button" '
            f'aria-label="{quoted(spoken)}"'
        )
    return found


def _json(action: Any) -> str:
    try:
        return json.dumps(to_plain(action))
    except (TypeError, ValueError) as error:
        raise MensuraError(
            f"The action {action!r} of a shape is nothing that JSON can write: numbers, texts, lists and mappings are."
        ) from error


def _form(
    shape: Shape, origin: Place, scale: float, color: Callable[[str], str], filled: bool
) -> tuple[str, str, str]:
    """The name, the attributes and the inside of a shape's element."""

    def place(point: Place) -> tuple[str, str]:
        return number((point[0] - origin[0]) * scale), number((point[1] - origin[1]) * scale)

    def path(points: Any) -> str:
        return " ".join(",".join(place(point)) for point in points)

    if isinstance(shape, Words):
        x, y = place(shape.at)
        turn = f' transform="rotate({number(shape.turned)} {x} {y})"' if shape.turned else ""
        anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
        return (
            "text",
            f' x="{x}" y="{y}" dy=".35em" font-size="{number(shape.size * scale)}"{anchor} '
            f'fill="{color(shape.role)}"{turn}',
            quoted(shape.line),
        )
    if isinstance(shape, Disc):
        x, y = place(shape.center)
        form = f' cx="{x}" cy="{y}" r="{number(abs(shape.radius) * scale)}"'
        return "circle", form + _fill(shape, scale, color, filled), ""
    if isinstance(shape, Area):
        return "polygon", f' points="{path(shape.points)}"' + _fill(shape, scale, color, filled), ""
    if isinstance(shape, Line):
        width = shape.width * scale
        dash = (
            f' stroke-dasharray="{number(3 * width)} {number(2 * width)}"' if shape.dashed else ""
        )
        line = (
            f' points="{path(shape.points)}" fill="none" stroke="{color(shape.role)}" '
            f'stroke-width="{number(width)}" stroke-linejoin="round"{dash}'
        )
        if not shape.arrow or not shape.head:
            return "polyline", line, ""
        head = f'<polygon points="{path(shape.head)}" fill="{color(shape.role)}"/>'
        return "g", "", f"<polyline{line}/>{head}"
    x, y = place(shape.at)
    wide, high = (number(side * scale) for side in shape.size)
    data = base64.b64encode(png(shape.pixels)).decode()
    return (
        "image",
        f' x="{x}" y="{y}" width="{wide}" height="{high}" preserveAspectRatio="none" '
        f'image-rendering="pixelated" href="data:image/png;base64,{data}"',
        "",
    )


def _fill(
    shape: Area | Disc, scale: float, color: Callable[[str], str], filled: bool = True
) -> str:
    clear = "" if shape.strength == 1.0 else f' fill-opacity="{number(shape.strength)}"'
    line = ""
    if shape.outline:
        line = f' stroke="{color(shape.outline)}" stroke-width="{number(shape.width * scale)}"'
    return f' fill="{color(shape.role)}"{clear}{line}' if filled else line


def anchor_of(shape: Shape) -> Place:
    """The place of a shape: where it goes if it only moves."""
    if isinstance(shape, Disc):
        return shape.center
    if isinstance(shape, (Words, Image)):
        return shape.at
    return shape.points[0]


def number(value: float) -> str:
    """A number as short as hundredths of a pixel allow."""
    rounded = round(float(value), 2) + 0.0  # never -0
    return f"{rounded:.2f}".rstrip("0").rstrip(".")


def quoted(text: str) -> str:
    """A text of anybody, fit to stand in SVG and in its attributes."""
    return escape(_NO_XML.sub("\ufffd", visible(text)))


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Pixels as a PNG."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with its filter: 0, none
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
