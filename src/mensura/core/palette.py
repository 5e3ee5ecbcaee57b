"""What all drawings share: colors that everyone can tell apart, markers for print, and tidy SVG.

Worlds draw environments and reports draw figures, and neither may import the other; so that both look the same,
the choices stand here, as plain data and text. No drawing library is imported in this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from mensura.agent.errors import MensuraError, neighbors

# The colors of Okabe and Ito (2008), which people with any color vision can tell apart.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"

GOOD = BLUE
EVIL = VERMILLION
GUIDE = PURPLE

SERIES = ((BLUE, "o"), (VERMILLION, "s"), (GREEN, "^"), (PURPLE, "v"), (ORANGE, "P"), (SKY, "X"))
"""A color and a marker for each of a few series: in print the marker tells them apart. Yellow is left out, since
it cannot be seen on white, and so are black and diamonds, which stand for published values."""

SHADES = "viridis"
"""The color map of heat maps: even in lightness, for any color vision and for gray print."""

AGES = ("#a6dba0", "#d9c36a", "#d9822b", "#a02010", "#5a0000")
"""From early, light green, to late, dark red: ever darker, so that gray print and any color vision tell them apart."""

INK = "#010203"
"""Lines and letters of a figure. In SVG it becomes the color of the surrounding text, in light and dark."""

PAPER = "#FFFFFF"
"""What everything is drawn on, in files."""

VIRIDIS = (
    "#440154", "#482878", "#3E4989", "#31688E", "#26828E", "#1F9E89", "#35B779", "#6ECE58", "#B5DE2B", "#FDE725",
)  # fmt: skip
"""Ten even steps of the color map of heat maps, for what is drawn without Matplotlib."""

ROLES: dict[str, tuple[str, str]] = {
    "ink": (INK, "#"),
    "paper": (PAPER, " "),
    "ground": ("#BBBBBB", "."),
    "good": (GOOD, "+"),
    "evil": (EVIL, "-"),
    "guide": (GUIDE, "?"),
    "subject": (GREEN, "o"),
    "other": (ORANGE, "x"),
    "mark": (YELLOW, "*"),
    "stock": (GREEN, "%"),
    **{
        f"series-{i}": (color, sign)
        for i, ((color, _), sign) in enumerate(zip(SERIES, "abcdef", strict=True))
    },
}
"""What a shape of a picture stands for: its color, and its sign where there are characters only."""

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.labelsize": 11.0,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 12.0,
    "figure.facecolor": "none",
    "figure.dpi": 72.0,  # in SVG a point is then a pixel
    "font.family": "DejaVu Sans",  # comes with Matplotlib, so layouts are the same everywhere
    "font.size": 11.0,
    "grid.alpha": 0.18,
    "grid.color": INK,
    "hatch.color": INK,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 11.0,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",  # letters stay letters: small, searchable, read aloud
    "svg.hashsalt": "mensura",  # the same figure is the same text
    "text.color": INK,
    "text.parse_math": False,  # names come from users and may hold any sign
    "xtick.color": INK,
    "ytick.color": INK,
}
"""Settings for ``matplotlib.style.context``, over its default, under which a figure is drawn and saved."""

_LIBRARIES = {"jinja2", "markupsafe", "matplotlib", "PIL"}
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_DIGITS = re.compile(r"-?\d+\.\d{3,}")
_SPACE = re.compile(r"\s+")
_SHADE_SIGNS = ".:-=+*%@"


def color_of(role: str) -> str:
    """The color of a role. ``shade-0`` to ``shade-1``, as shade-0.35, are the colors of a heat map."""
    if role in ROLES:
        return ROLES[role][0]
    return between(VIRIDIS, _shade(role))


def sign_of(role: str) -> str:
    """The character that stands for a role in text."""
    if role in ROLES:
        return ROLES[role][1]
    return _SHADE_SIGNS[round(_shade(role) * (len(_SHADE_SIGNS) - 1))]


def _shade(role: str) -> float:
    """How far along the color map a role lies."""
    kind, _, number = role.partition("-")
    try:
        value = float(number) if kind == "shade" else -1.0
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise MensuraError(
            f"{role!r} is no role of a shape; {neighbors(role, [*ROLES, 'shade-0', 'shade-0.5', 'shade-1'])}"
        )
    return value


def between(colors: Sequence[str], share: float) -> str:
    """The color at a share from 0 to 1 of the way along some colors."""
    place = share * (len(colors) - 1)
    first = min(int(place), len(colors) - 2)
    mixed = (
        round(a + (b - a) * (place - first))
        for a, b in zip(rgb(colors[first]), rgb(colors[first + 1]), strict=True)
    )
    return "#{:02X}{:02X}{:02X}".format(*mixed)


def rgb(color: str) -> tuple[int, int, int]:
    """The red, green and blue of a color as "#RRGGBB", from 0 to 255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def tint(color: str, strength: float) -> tuple[int, int, int]:
    """A color mixed with white."""
    r, g, b = rgb(color)
    return (
        round(255 - strength * (255 - r)),
        round(255 - strength * (255 - g)),
        round(255 - strength * (255 - b)),
    )


@contextmanager
def extra(what: str) -> Iterator[None]:
    """Import drawing libraries inside of this; where one is missing, a sentence says how to get it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        raise MensuraError(
            f"{what} needs the extra report: pip install 'mensura[report]'"
        ) from error


def tidy_svg(text: str, name: str, label: str) -> str:
    """An SVG of Matplotlib, fit to stand beside others in one page.

    Metadata and unused ids go, and those that stay begin with ``name``, so that two figures of a page never share
    one. Coordinates are cut to hundredths of a pixel; ink becomes the color of the text around; the family of
    letters becomes a generic one; a screen reader says ``label``.
    """
    root = ElementTree.fromstring(text)
    for part in [*root.iter()]:
        for child in [*part]:
            if child.tag in (f"{_SVG}metadata", f"{_SVG}style"):
                part.remove(child)
    used = {
        match
        for part in root.iter()
        for attribute, value in part.attrib.items()
        for match in ([value[1:]] if attribute == _LINK else _REFERENCE.findall(value))
    }
    for part in root.iter():
        part.tag = part.tag.removeprefix(_SVG)
        part.attrib = {
            "href" if attribute == _LINK else attribute: _tidy(attribute, value, name)
            for attribute, value in part.attrib.items()
            if (attribute != "id" or value in used) and not value.startswith("rotate(-0 ")
        }
        if part.tag != "text":
            part.text = part.text.strip() or None if part.text else None
        part.tail = None
    width, height = (f"{float(value):.0f}" for value in root.attrib["viewBox"].split()[2:])
    root.attrib = {
        "xmlns": _SVG[1:-1],
        "viewBox": f"0 0 {width} {height}",
        "width": width,
        "height": height,
        "stroke-linejoin": "round",
        "role": "img",
        "aria-label": label,
    }
    return ElementTree.tostring(root, encoding="unicode")


def _tidy(attribute: str, value: str, name: str) -> str:
    if attribute == "id":
        return f"{name}-{value}"
    if attribute == _LINK:
        return f"#{name}-{value[1:]}" if value.startswith("#") else value
    value = _REFERENCE.sub(rf"url(#{name}-\1)", value)
    value = _DIGITS.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), value)
    value = _SPACE.sub(" ", value).strip()
    return value.replace("'DejaVu Sans'", "sans-serif").replace(INK, "currentColor")
