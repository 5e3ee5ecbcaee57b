"""Films of an episode: animated GIF and SVG, drawn without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mensura.core import palette
from mensura.core.contract import Environment
from mensura.pictures.film import CAPTION, HOLD, Reel, framed_svg, moving
from mensura.worlds.lambda_star.environment import Description, LambdaStarEnvironment

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

from mensura.core.palette import tint
from mensura.worlds.lambda_star.drawing import (
    GRID_LINES,
    Cell,
    picture_size,
    rewards_of,
    side_by_side,
    worth_of,
)
from mensura.worlds.lambda_star.field_drawing import NAMES

STAR = [
    (r * math.sin(i * math.pi / 5), -r * math.cos(i * math.pi / 5))
    for i, r in enumerate((0.42, 0.17) * 5)
]
"""The corners of a star, as parts of the side of a cell: who searches a field, as in figure 5 of the paper."""
FILM = 400.0
"""The longer side of the grid of a film, in pixels."""


class Shot(NamedTuple):
    """One frame."""

    places: npt.NDArray[np.int32]
    """Of Good, Evil, the guide, (-1, -1) where absent, and each subject."""
    worth: npt.NDArray[np.float32] | None
    """What each cell is worth, where that is not told by where Good and Evil stand."""
    did: frozenset[int] = frozenset()
    """The seats that did the deed last, where there is one."""


class Film(Reel[Shot]):
    """A film of a Lambda Star episode; a frame is one small array of positions, and what cells are worth if need be."""

    def _shot(self, environment: Environment) -> Shot:
        here = cast(LambdaStarEnvironment, environment)
        at, d = here.positions(), here.description
        objects = [at[name] or (-1, -1) for name in ("good", "evil", "guide")]
        worth = None
        if d.task != "search" or "tires" in (d.good_reacts, d.evil_reacts):
            worth = worth_of(here, np.arange(d.rows), np.arange(d.cols)).astype(np.float32)
        places = np.array([*objects, *at["subjects"]], np.int32)
        return Shot(places, worth, frozenset(at.get("did", ())))

    # GIF

    def _colors(self) -> Iterator[tuple[int, int, int]]:
        did = [palette.YELLOW] if any(frame.did for frame in self._frames) else []
        for color in (palette.GOOD, palette.EVIL, palette.GUIDE, palette.BLACK, *did):
            for strength in (*np.linspace(0.0, 1.0, 9).tolist(), 0.42, 0.27):
                yield tint(color, strength)
        if any(frame.worth is not None for frame in self._frames):
            for steps in range(9):
                yield _shade(steps / 8 or 1e-9)
                yield _shade(-steps / 8 or -1e-9)

    def _images(self) -> Iterator[Image]:
        """Drawn at twice the size and made smaller, for smooth edges in few colors."""
        stage = _Stage(self._description)
        for i, shot in enumerate(self._frames):
            yield stage.image(shot, self.caption(i))

    # SVG

    def _svg(self, pause: float) -> str:
        """Everybody jumps from cell to cell."""
        d: Description = self._description
        width, height = picture_size(d, FILM)
        sx, sy = width / d.cols, height / d.rows
        unit = max(6.0, min(sx, sy))
        turns = [*range(len(self)), *[len(self) - 1] * (HOLD - 1)]
        seconds = max(pause, 0.02) * len(turns)

        def placed(inside: str, places: Sequence[tuple[float, float]]) -> str:
            middles = [((x + 0.5) * sx, (y + 0.5) * sy) for y, x in places]
            return moving(inside, [middles[i] for i in turns], seconds)

        def path_of(row: int) -> list[tuple[float, float]]:
            return [(float(y), float(x)) for y, x in (frame.places[row] for frame in self._frames)]

        good, evil = path_of(0), path_of(1)
        grounds = [frame.worth for frame in self._frames if frame.worth is not None]
        if grounds:
            parts = [_ground_svg(grounds, turns, seconds, sx, sy)]
        else:
            parts = [
                placed(_zone(d, "good", sx, sy, width, height), good),
                placed(_zone(d, "evil", sx, sy, width, height), evil),
            ]
        parts.append(_grid_svg(d, sx, sy, width, height))
        if good[0][0] >= 0:
            parts += [
                placed(f'<circle r="{unit * 0.4:.4g}" fill="{palette.GOOD}"/>', good),
                placed(
                    f'<rect x="{-unit * 0.36:.4g}" y="{-unit * 0.36:.4g}" width="{unit * 0.72:.4g}" '
                    f'height="{unit * 0.72:.4g}" fill="{palette.EVIL}"/>',
                    evil,
                ),
            ]
        if d.guides:
            side = unit * 0.34
            parts.append(
                placed(
                    f'<path d="M0 {-side:.4g}L{side:.4g} {side:.4g}H{-side:.4g}Z" '
                    f'fill="{palette.GUIDE}" stroke="#fff"/>',
                    path_of(2),
                )
            )
        shared = [side_by_side([(y, x) for y, x in f.places[3:].tolist()]) for f in self._frames]
        for seat in range(d.subjects):
            label = (
                f'<text y="{unit * 0.115:.4g}" font-size="{unit * 0.32:.4g}" text-anchor="middle">'
                f"{seat}</text>"
                if unit > 18
                else ""
            )
            fills = [palette.YELLOW if seat in frame.did else "#fff" for frame in self._frames]
            changing = (
                f'<animate attributeName="fill" calcMode="discrete" dur="{seconds:g}s" '
                f'repeatCount="indefinite" values="{";".join(fills[i] for i in turns)}"/>'
                if len(set(fills)) > 1
                else ""
            )
            token = (
                f'<circle r="{unit * 0.24:.4g}" fill="{fills[0]}" stroke="#000">{changing}</circle>{label}'
                if changing or fills[0] != "#fff"
                else f'<circle r="{unit * 0.24:.4g}" fill="#fff" stroke="#000"/>{label}'
            )
            if d.task in NAMES:
                corners = " ".join(f"{x * unit:.4g},{y * unit:.4g}" for x, y in STAR)
                token = (
                    f'<polygon points="{corners}" fill="#000" stroke="#fff" stroke-width="0.5"/>'
                )
            sizes = [f"{frame[seat][1]:g}" for frame in shared]
            if len(set(sizes)) > 1:
                token = (
                    f'<g transform="scale({sizes[0]})">{token}<animateTransform '
                    f'attributeName="transform" type="scale" calcMode="discrete" dur="{seconds:g}s" '
                    f'repeatCount="indefinite" values="{";".join(sizes[i] for i in turns)}"/></g>'
                )
            parts.append(placed(token, [frame[seat][0] for frame in shared]))
        label = f"An episode of {d.subjects} subjects on a torus of {d.rows} by {d.cols} cells"
        captions = [self.caption(i) for i in range(len(self))]
        return framed_svg((width, height), label, parts, captions, turns, seconds)


def _zone(d: Description, which: str, sx: float, sy: float, width: float, height: float) -> str:
    """What is felt of an object around it, once for each side of the torus it may hang over."""
    color = palette.GOOD if which == "good" else palette.EVIL
    shapes = []
    for reach in range(min(d.radius, max(d.rows, d.cols) // 2), -1, -1):
        # Rings lie upon one another: the nearer to the object, the darker.
        across, down = min((2 * reach + 1) * sx, width), min((2 * reach + 1) * sy, height)
        opacity = 0.2 / (reach + 1)
        shapes += [
            f'<rect x="{-across / 2 + i * width:.4g}" y="{-down / 2 + j * height:.4g}" '
            f'width="{across:.4g}" height="{down:.4g}" opacity="{opacity:.2g}"/>'
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
        ]
    return f'<g fill="{color}">{"".join(shapes)}</g>'


def _ground_svg(
    grounds: Sequence[npt.NDArray[np.float32]],
    turns: Sequence[int],
    seconds: float,
    sx: float,
    sy: float,
) -> str:
    """Cells that pay and cost, each with its color at every turn where that changes."""
    cells = []
    colors = [_shades(worth) for worth in grounds]
    for y, row in enumerate(colors[0]):
        for x, first in enumerate(row):
            own = [colors[i][y][x] for i in turns]
            if set(own) == {"none"}:
                continue
            changing = (
                f'<animate attributeName="fill" calcMode="discrete" dur="{seconds:g}s" '
                f'repeatCount="indefinite" values="{";".join(own)}"/>'
                if len(set(own)) > 1
                else ""
            )
            cells.append(
                f'<rect x="{x * sx:.4g}" y="{y * sy:.4g}" width="{sx:.4g}" height="{sy:.4g}" fill="{first}">'
                f"{changing}</rect>"
            )
    return f"<g>{''.join(cells)}</g>"


def _shades(worth: npt.NDArray[np.float32]) -> list[list[str]]:
    """The color of each cell: none where it is worth nothing."""
    return [["none" if v == 0.0 else _hex(_shade(v)) for v in row] for row in worth.tolist()]


def _hex(color: tuple[int, int, int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)


def _shade(value: float) -> tuple[int, int, int]:
    """The color of what a cell is worth, in a few steps."""
    steps = round(8 * min(1.0, abs(value))) / 8
    return tint(palette.GOOD if value > 0 else palette.EVIL, 0.12 + 0.5 * steps)


def _grid_svg(d: Description, sx: float, sy: float, width: float, height: float) -> str:
    lines = f"M0 0H{width:.4g}V{height:.4g}H0Z"
    if max(d.rows, d.cols) <= GRID_LINES:
        lines += "".join(f"M{x * sx:.4g} 0V{height:.4g}" for x in range(1, d.cols))
        lines += "".join(f"M0 {y * sy:.4g}H{width:.4g}" for y in range(1, d.rows))
    return f'<path d="{lines}" fill="none" stroke="#bbb"/>'


class _Stage:
    """Draws frames of one film with Pillow, at twice their size."""

    def __init__(self, d: Description) -> None:
        from PIL import ImageFont

        width, height = picture_size(d, FILM)
        self.d = d
        self.sx, self.sy = 2 * width / d.cols, 2 * height / d.rows
        self.unit = max(12.0, min(self.sx, self.sy))
        self.width, self.height = round(width) + 16, round(height) + 16 + CAPTION
        self._font = ImageFont.load_default(28)
        self._numbers = {
            scale: ImageFont.load_default(max(12, round(self.unit * 0.3 * scale)))
            for scale in (1.0, 0.9, 0.64)
        }

    def image(self, shot: Shot, caption: tuple[str, str]) -> Image:
        """One frame."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (2 * self.width, 2 * self.height), "white")
        pen = ImageDraw.Draw(image)
        good, evil, guide, *subjects = ((int(y), int(x)) for y, x in shot.places)
        if shot.worth is None:
            self._zones(pen, good, evil)
        else:
            self._cells(pen, shot.worth)
        self._lines(pen)
        u = self.unit
        if good[0] >= 0:
            x, y = self._middle(good)
            pen.ellipse((x - 0.4 * u, y - 0.4 * u, x + 0.4 * u, y + 0.4 * u), fill=palette.GOOD)
            x, y = self._middle(evil)
            box = x - 0.36 * u, y - 0.36 * u, x + 0.36 * u, y + 0.36 * u
            pen.rectangle(box, fill=palette.EVIL)
        if guide[0] >= 0:
            x, y = self._middle(guide)
            corners = [
                (x, y - 0.34 * u),
                (x + 0.34 * u, y + 0.34 * u),
                (x - 0.34 * u, y + 0.34 * u),
            ]
            pen.polygon(corners, fill=palette.GUIDE, outline="white")
        for seat, (place, scale) in enumerate(side_by_side(subjects)):
            x, y = self._middle(place)
            if self.d.task in NAMES:
                corners = [(x + dx * u * scale, y + dy * u * scale) for dx, dy in STAR]
                pen.polygon(corners, fill="black", outline="white")
                continue
            half = 0.24 * u * scale
            box = x - half, y - half, x + half, y + half
            fill = palette.YELLOW if seat in shot.did else "white"
            pen.ellipse(box, fill=fill, outline="black", width=2)
            if u > 36:
                font = self._numbers[scale]
                pen.text((x, y), str(seat), fill="black", font=font, anchor="mm")
        bottom = 2 * self.height - CAPTION
        pen.text((16, bottom), caption[0], fill="black", font=self._font, anchor="lm")
        pen.text(
            (2 * self.width - 16, bottom), caption[1], fill="black", font=self._font, anchor="rm"
        )
        return image.reduce(2)

    def _middle(self, cell: tuple[float, float]) -> tuple[float, float]:
        return 16 + (cell[1] + 0.5) * self.sx, 16 + (cell[0] + 0.5) * self.sy

    def _cells(self, pen: ImageDraw, worth: npt.NDArray[np.float32]) -> None:
        """Cells that pay and cost, wherever they are."""
        sx, sy = self.sx, self.sy
        for y, x in np.argwhere(worth != 0.0).tolist():
            pen.rectangle(
                (16 + x * sx, 16 + y * sy, 16 + (x + 1) * sx, 16 + (y + 1) * sy),
                fill=_shade(float(worth[y, x])),
            )

    def _zones(self, pen: ImageDraw, good: Cell, evil: Cell) -> None:
        """Cells around Good and Evil that pay and cost."""
        d, sx, sy = self.d, self.sx, self.sy
        rows, cols = (
            np.array(sorted({(at[i] + step) % size for at in (good, evil) for step in reach}))
            for i, size in enumerate((d.rows, d.cols))
            for reach in (range(-min(d.radius, size), min(d.radius, size) + 1),)
        )
        worth = rewards_of(d, good, evil, rows, cols)
        for i, j in np.argwhere(worth != 0.0).tolist():
            y, x, value = int(rows[i]), int(cols[j]), float(worth[i, j])
            pen.rectangle(
                (16 + x * sx, 16 + y * sy, 16 + (x + 1) * sx, 16 + (y + 1) * sy),
                fill=tint(palette.GOOD if value > 0 else palette.EVIL, 0.12 + 0.3 * abs(value)),
            )

    def _lines(self, pen: ImageDraw) -> None:
        """The lines between cells, and around all."""
        d, sx, sy = self.d, self.sx, self.sy
        right, bottom = 16 + d.cols * sx, 16 + d.rows * sy
        if max(d.rows, d.cols) <= GRID_LINES:
            for i in range(1, d.cols):
                pen.line((16 + i * sx, 16, 16 + i * sx, bottom), fill="#cccccc", width=2)
            for i in range(1, d.rows):
                pen.line((16, 16 + i * sy, right, 16 + i * sy), fill="#cccccc", width=2)
        pen.rectangle((16, 16, right, bottom), outline="#999999", width=2)
