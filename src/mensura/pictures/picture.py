"""A picture as data: a few shapes with roles, from which every rendering is made.

::

    Picture([Area.box(0, 0, 4, 3, "ground", 0.3), Disc((1, 1), 0.4, "subject", label="you")], size=(4, 3))

Places are (x, y) in units of the picture's own, to the right and down from its upper left corner. A shape says what it
*is* by its role (``mensura.core.palette.ROLES``: ink, paper, ground, good, evil, guide, subject, other, mark, stock,
series-0 to series-5, and shade-0 to shade-1 for heat maps); how that looks is up to the rendering: text
(:mod:`.text`), SVG (:mod:`.svg`), pixels (:mod:`.pixels`), films (:mod:`.film`). No drawing library is imported here.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core import palette
from mensura.core.visible import visible_line

Place: TypeAlias = tuple[float, float]
"""To the right and down, in units."""
Bounds: TypeAlias = tuple[float, float, float, float]
"""The left, top, right and bottom of something."""

FARTHEST = 1e6
"""No place of a picture is farther from its corner, in units."""
LETTER = 0.6
"""The width of an ordinary letter in heights of letters."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What every shape has beside its form."""

    label: str = ""
    """What the shape is, in words: a tooltip, and what a screen reader says."""
    action: Any = None
    """The action that a click on the shape means, for the seat that the picture was made for."""
    cell: int | None = None
    """The number of the cell that it is, for pages that point at cells."""


@dataclass(frozen=True)
class Line(Mark):
    """An open line through some places."""

    points: Sequence[Place]
    role: str = "ink"
    width: float = 0.05
    dashed: bool = False
    arrow: bool = False
    """Whether its end has a head."""

    @property
    def bounds(self) -> Bounds:
        """What it covers."""
        corners = [*self.points, *(self.head if self.arrow else ())]
        return _around(corners, self.width / 2)

    @property
    def head(self) -> tuple[Place, ...]:
        """The corners of the arrow's head: its tip first; none where the line has no direction."""
        for before in reversed(self.points[:-1]):
            x, y = self.points[-1]
            dx, dy = x - before[0], y - before[1]
            long = math.hypot(dx, dy)
            if long > 0.0:
                size = min(max(4.0 * self.width, 0.15), long)
                u, v = dx / long * size, dy / long * size
                return (x, y), (x - u - v / 2, y - v + u / 2), (x - u + v / 2, y - v - u / 2)
        return ()


@dataclass(frozen=True)
class Area(Mark):
    """A polygon; ``strength`` from 0 to 1 is how much of its color covers what is below."""

    points: Sequence[Place]
    role: str = "ground"
    strength: float = 1.0
    outline: str = ""
    """The role of a line around it; "": none."""
    width: float = 0.03
    """Of that line."""

    @classmethod
    def box(cls, x: float, y: float, width: float, height: float, role: str = "ground",
            strength: float = 1.0, **more: Any) -> Area:  # fmt: skip
        """A rectangle from its upper left corner."""
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        return cls(corners, role, strength, **more)

    @property
    def bounds(self) -> Bounds:
        """What it covers."""
        return _around(self.points, self.width / 2 if self.outline else 0.0)


@dataclass(frozen=True)
class Disc(Mark):
    """A disc; ``strength`` from 0 to 1 is how much of its color covers what is below."""

    center: Place
    radius: float = 0.4
    role: str = "subject"
    strength: float = 1.0
    outline: str = ""
    """The role of a line around it; "": none."""
    width: float = 0.03
    """Of that line."""

    @property
    def bounds(self) -> Bounds:
        """What it covers."""
        return _around([self.center], abs(self.radius) + (self.width / 2 if self.outline else 0.0))


@dataclass(frozen=True)
class Words(Mark):
    """A line of text; ``size`` is the height of its letters in units."""

    text: str
    at: Place
    size: float = 0.4
    role: str = "ink"
    anchor: Literal["start", "middle", "end"] = "middle"
    """Which part of the text is at its place."""
    turned: float = 0.0
    """By how many degrees it is turned around its place, with the clock."""

    @property
    def line(self) -> str:
        """The text as it is drawn: nothing invisible in it, and no end of a line."""
        return visible_line(self.text)

    @property
    def span(self) -> tuple[float, float]:
        """Where the text begins and ends, seen from its place, were it not turned."""
        width = columns(self.line) * LETTER * self.size
        before = {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return -before, width - before

    @property
    def bounds(self) -> Bounds:
        """What it covers, about."""
        angle = math.radians(self.turned)
        cosine, sine = math.cos(angle), math.sin(angle)
        corners = [
            (self.at[0] + x * cosine - y * sine, self.at[1] + x * sine + y * cosine)
            for x in self.span
            for y in (-self.size * 0.6, self.size * 0.6)
        ]
        return _around(corners, 0.0)


@dataclass(frozen=True, eq=False)
class Image(Mark):
    """Pixels, of shape (height, width, 3) and type uint8, in a rectangle from its upper left corner."""

    role: ClassVar[str] = "ink"

    pixels: npt.NDArray[np.uint8]
    at: Place = (0.0, 0.0)
    size: Place = (1.0, 1.0)

    @property
    def bounds(self) -> Bounds:
        """What it covers."""
        return _around([self.at, (self.at[0] + self.size[0], self.at[1] + self.size[1])], 0.0)


Shape: TypeAlias = Line | Area | Disc | Words | Image
Sample: TypeAlias = str | tuple[Shape, ...]
"""What a legend explains: a role, or shapes as they are in the picture, around (0, 0) and about one unit large."""


@dataclass(frozen=True)
class Picture:
    """Shapes one above the other, on a sheet of some units.

    Shapes may stick out: renderings make the sheet as large as is needed, so that nothing is cut off.
    """

    shapes: Sequence[Shape] = ()
    size: Place = (10.0, 6.0)
    label: str = ""
    """The picture in a sentence: what a screen reader says."""
    legend: Sequence[tuple[Sample, str]] = ()
    """What roles or shapes mean, as (role or shapes, words); drawn below."""
    title: Sequence[str] = ()
    """Lines above it: what the environment is, and when. Films, which tell the time below, leave them out."""
    bounds: Bounds = field(init=False)
    """What has to be drawn: the sheet, and what sticks out of it."""

    def __post_init__(self) -> None:
        """Raise with a sentence where something cannot be drawn."""
        sheet = (0.0, 0.0, *self.size)
        covered = [_checked(shape) for shape in self.shapes]
        if not all(0.0 < side <= FARTHEST for side in self.size):
            raise MensuraError(f"The size of a picture is {self.size}; both sides are above 0.")
        for sample, _ in self.legend:
            for shape in samples(sample):
                _checked(shape)
        left, top, right, bottom = zip(sheet, *covered, strict=True)
        object.__setattr__(self, "bounds", (min(left), min(top), max(right), max(bottom)))


def samples(sample: Sample) -> tuple[Shape, ...]:
    """The shapes that stand in a legend: of a role a disc of its color."""
    if isinstance(sample, str):
        return (Disc((0.0, 0.0), 0.4, sample, outline="ink", width=0.06),)
    return sample


def _checked(shape: Shape) -> Bounds:
    """The bounds of a shape that can be drawn."""
    name = type(shape).__name__
    palette.color_of(shape.role)
    if isinstance(shape, (Area, Disc)):
        if shape.outline:
            palette.color_of(shape.outline)
        if not 0.0 <= shape.strength <= 1.0:
            raise MensuraError(f"The strength of {name} is {shape.strength}; it is from 0 to 1.")
    if isinstance(shape, (Line, Area)) and not len(shape.points):
        raise MensuraError(f"{name} has no points; it needs at least one.")
    if isinstance(shape, Image):
        pixels = shape.pixels
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
            raise MensuraError(
                f"The pixels of Image are {pixels.dtype} of shape {pixels.shape}; they are uint8 of (height, width, 3)."
            )
    bounds = shape.bounds
    if not all(abs(side) <= FARTHEST for side in bounds):  # nan is not either
        raise MensuraError(
            f"{name} reaches from {bounds[:2]} to {bounds[2:]}; places are numbers up to {FARTHEST:g}."
        )
    return bounds


def _around(points: Iterable[Place], margin: float) -> Bounds:
    """The bounds of some places and what lies so near to them."""
    x, y = zip(*points, strict=True)
    return (
        float(min(x) - margin),
        float(min(y) - margin),
        float(max(x) + margin),
        float(max(y) + margin),
    )


def columns(text: str) -> int:
    """How many ordinary letters a text is wide: those of East Asia count twice, accents of their own not at all."""
    return sum(column_width(letter) for letter in text)


def column_width(letter: str) -> int:
    """How many columns of a terminal a character takes."""
    if letter.isascii():
        return 1
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
