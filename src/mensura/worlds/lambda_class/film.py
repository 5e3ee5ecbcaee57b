"""Films of a Lambda episode: everybody moves along the arrows, as animated GIF or SVG, without a plotting library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mensura.core import palette
from mensura.core.contract import Environment
from mensura.core.palette import tint
from mensura.pictures.film import CAPTION, HOLD, MARGIN, Reel, framed_svg, moving
from mensura.worlds.lambda_class.drawing import (
    GRAY,
    Area,
    Disc,
    Line,
    Place,
    Shape,
    Token,
    arrow_shapes,
    cell_shapes,
    layout_of,
    reward_color,
    svg_shape,
    token_places,
    token_shapes,
    tokens,
)
from mensura.worlds.lambda_class.environment import Description, LambdaEnvironment
from mensura.worlds.lambda_class.layout import Layout, Points

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

STEPS = 4
"""How many images show one interaction of a film: those under way, and the one at its end."""
SMOOTH = 250
"""Films of more interactions jump from cell to cell, or they would be too large."""
LARGEST = 640.0
"""The longer side of a film, in pixels, at most."""
REST = 0.4
"""The share of a pause that everybody stands still."""


class Frame(NamedTuple):
    """Where everybody is and what lies on the cells."""

    cells: npt.NDArray[np.int32]
    """Of Good, Evil, the objects and the subjects."""
    rewards: npt.NDArray[np.float32]


class Film(Reel[Frame]):
    """A film of a Lambda episode."""

    def _shot(self, environment: Environment) -> Frame:
        own = cast(LambdaEnvironment, environment)
        at = own.positions()
        cells = [at["good"], at["evil"], *at["objects"], *at["subjects"]]
        return Frame(np.array(cells, np.int32), np.array(own.cell_rewards(), np.float32))

    @property
    def _steps(self) -> int:
        return STEPS if len(self) <= SMOOTH + 1 else 1

    def _everybody(self, frame: Frame) -> list[Token]:
        d: Description = self._description
        good, evil, *others = frame.cells.tolist()
        objects, subjects = others[: len(d.objects)], others[len(d.objects) :]
        return tokens({"good": good, "evil": evil, "objects": objects, "subjects": subjects})

    def _ways(self, laid: Layout) -> Iterator[list[list[tuple[Place, float]]]]:
        """For each frame the places and sizes of everybody on the way there, and there at last."""
        before: list[Token] | None = None
        stood: list[tuple[Place, float]] = []
        for frame in self._frames:
            everybody = self._everybody(frame)
            there = token_places(laid, everybody)
            scenes = [there]
            if before is not None and self._steps > 1:
                scenes = [
                    [
                        _under_way(laid, a.cell, b.cell, start, end, k / self._steps)
                        for a, b, start, end in zip(before, everybody, stood, there, strict=True)
                    ]
                    for k in range(1, self._steps)
                ]
                scenes.append(there)
            yield scenes
            before, stood = everybody, there

    # GIF

    def _colors(self) -> Iterator[tuple[int, int, int]]:
        for color in (palette.GOOD, palette.EVIL, palette.GUIDE, palette.BLACK, GRAY):
            for strength in (*np.linspace(0.0, 1.0, 9).tolist(), 0.4, 0.25, 0.175, 0.1375):
                yield tint(color, strength)

    def _shares(self) -> list[float]:
        if self._steps == 1:
            return [1.0] * len(self)
        under_way = [(1 - REST) / (STEPS - 1)] * (STEPS - 1)
        return [1.0, *(share for _ in range(len(self) - 1) for share in (*under_way, REST))]

    def _images(self) -> Iterator[Image]:
        """Drawn at twice the size and made smaller, for smooth edges in few colors."""
        laid = layout_of(self._description)
        stage = _Stage(laid)
        rewards = self._frames[0].rewards
        for i, (frame, scenes) in enumerate(zip(self._frames, self._ways(laid), strict=True)):
            everybody = self._everybody(frame)
            for scene in scenes:
                arrived = scene is scenes[-1]
                rewards = frame.rewards if arrived else rewards
                shapes = list(cell_shapes(laid, [float(value) for value in rewards]))
                for token, (at, size) in zip(everybody, scene, strict=True):
                    shapes += token_shapes(token, at, size)
                yield stage.image(shapes, self.caption(i if arrived else i - 1))

    # SVG

    def _svg(self, pause: float) -> str:
        """Cells change their colors and everybody glides; rewards are colors only."""
        d: Description = self._description
        laid = layout_of(d)
        scale = min(1.0, LARGEST / max(laid.width, laid.height))
        turns = [*range(len(self)), *[len(self) - 1] * (HOLD - 1)]
        seconds = max(pause, 0.02) * len(turns)
        ways = list(self._ways(laid))
        parts = [*map(svg_shape, arrow_shapes(laid))]
        parts += self._svg_cells(laid, turns, seconds)
        for who, token in enumerate(self._everybody(self._frames[0])):
            inside = "".join(map(svg_shape, token_shapes(token, (0.0, 0.0), laid.radius * 0.42)))
            # Whoever arrives does so when the caption changes; the last value closes the circle of time.
            scenes = [scene[who][0] for frame in ways for scene in frame]
            scenes += [scenes[-1]] * (self._steps * len(turns) - len(scenes))
            if self._steps > 1:
                parts.append(moving(inside, [*scenes, scenes[-1]], seconds, "linear"))
            else:
                parts.append(moving(inside, scenes, seconds))
        label = f"An episode of {d.subjects} subjects on {d.space.cells} cells"
        captions = [self.caption(i) for i in range(len(self))]
        body = [f'<g transform="scale({scale:.4g})">', *parts, "</g>"]
        size = max(scale * laid.width, 300.0), scale * laid.height
        return framed_svg(size, label, body, captions, turns, seconds)

    def _svg_cells(self, laid: Layout, turns: Sequence[int], seconds: float) -> Iterator[str]:
        shapes = list(cell_shapes(laid, [0.0] * len(laid.cells)))
        discs = (shape for shape in shapes if isinstance(shape, Disc))
        for cell, disc in enumerate(discs):
            colors = [reward_color(float(frame.rewards[cell])) for frame in self._frames]
            change = "" if len({*colors}) == 1 else _changing([colors[i] for i in turns], seconds)
            first = svg_shape(replace(disc, fill=colors[0]))
            yield first.replace("/>", f">{change}</circle>")
        yield from (svg_shape(shape) for shape in shapes if not isinstance(shape, Disc))


def _under_way(
    laid: Layout,
    source: int,
    target: int,
    start: tuple[Place, float],
    end: tuple[Place, float],
    share: float,
) -> tuple[Place, float]:
    """Between two places: along the arrow, shifted by where somebody stands within a cell."""
    (x0, y0), size0 = start
    (x1, y1), size1 = end
    size = size0 + share * (size1 - size0)
    if source == target:
        return (x0 + share * (x1 - x0), y0 + share * (y1 - y0)), size
    x, y = laid.way(source, target, STEPS)[round(share * STEPS) - 1].tolist()
    out, into = laid.cells[source], laid.cells[target]
    x += (1 - share) * (x0 - float(out[0])) + share * (x1 - float(into[0]))
    y += (1 - share) * (y0 - float(out[1])) + share * (y1 - float(into[1]))
    return (x, y), size


def _changing(colors: Sequence[str], seconds: float) -> str:
    return (
        f'<animate attributeName="fill" calcMode="discrete" dur="{seconds:g}s" '
        f'repeatCount="indefinite" values="{";".join(colors)}"/>'
    )


def _fewer(points: Points) -> Points:
    """As many points as a line needs to look round: Pillow rounds the ends of pieces, so that short ones leave gaps."""
    if len(points) < 3:
        return points
    way = np.diff(points, axis=0)
    turned = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    kept = [0]
    for i in range(1, len(points) - 1):
        if abs(turned[i] - turned[kept[-1]]) > 0.3:
            kept.append(i)
    return points[[*kept, len(points) - 1]]


class _Stage:
    """Draws the images of one film with Pillow, at twice their size."""

    def __init__(self, laid: Layout) -> None:
        from PIL import Image, ImageDraw, ImageFont

        self.scale = 2 * min(1.0, LARGEST / max(laid.width, laid.height))
        width = max(laid.width * self.scale / 2, 300.0)
        self.left = MARGIN * 2 + (width * 2 - laid.width * self.scale) / 2
        self.width = round(width) + 2 * MARGIN
        self.height = round(laid.height * self.scale / 2) + 2 * MARGIN + CAPTION
        self._load = ImageFont.load_default
        self._font = self._load(28)
        self._fonts: dict[int, Any] = {}
        self._ground = Image.new("RGB", (2 * self.width, 2 * self.height), "white")
        pen = ImageDraw.Draw(self._ground)
        for shape in arrow_shapes(laid):
            self._draw(pen, shape)

    def image(self, shapes: Sequence[Shape], caption: tuple[str, str]) -> Image:
        """One image: the arrows, these shapes over them, and the line below."""
        from PIL import ImageDraw

        image = self._ground.copy()
        pen = ImageDraw.Draw(image)
        for shape in shapes:
            self._draw(pen, shape)
        bottom = 2 * self.height - CAPTION
        pen.text((16, bottom), caption[0], fill="black", font=self._font, anchor="lm")
        right = 2 * self.width - 16
        pen.text((right, bottom), caption[1], fill="black", font=self._font, anchor="rm")
        return image.reduce(2)

    def _at(self, x: float, y: float) -> Place:
        return self.left + self.scale * x, 2 * MARGIN + self.scale * y

    def _draw(self, pen: ImageDraw, shape: Shape) -> None:
        k = self.scale
        if isinstance(shape, Line):
            points = [self._at(x, y) for x, y in _fewer(shape.points).tolist()]
            # A little wider than in print, since thin curves fade when they are made smaller.
            pen.line(points, shape.color, max(2, round(1.4 * k * shape.width)), joint="curve")
        elif isinstance(shape, Area):
            points = [self._at(x, y) for x, y in shape.points.tolist()]
            pen.polygon(points, fill=shape.fill, outline=shape.edge)
        elif isinstance(shape, Disc):
            (x, y), r = self._at(*shape.at), k * shape.radius
            width = max(1, round(k * shape.width))
            pen.ellipse((x - r, y - r, x + r, y + r), shape.fill, shape.edge, width)
        else:
            size = max(8, round(k * shape.size))
            font = self._fonts.setdefault(size, self._load(size))
            text = shape.text.replace("\N{MINUS SIGN}", "-").replace("\N{RIGHTWARDS ARROW}", ">")
            pen.text(self._at(*shape.at), text, fill=shape.color, font=font, anchor="mm")
