"""Films of an episode: animated GIF and SVG, drawn without a plotting library."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from mensura.core import palette
from mensura.core.contract import Environment, Turn
from mensura.core.errors import MensuraError
from mensura.records.results import check_writable, write_whole
from mensura.worlds.lambda_star.environment import Description, LambdaStarEnvironment

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

from mensura.worlds.lambda_star.drawing import (
    GRID_LINES,
    Cell,
    picture_size,
    rewards_of,
    side_by_side,
    suffix_of,
    write_bytes,
)

CAPTION = 26
"""The height in pixels of the line below a film."""
HOLD = 6
"""How many pauses the last frame stays before a film begins again."""
FILM = 400.0
"""The longer side of the grid of a film, in pixels."""


class Film:
    """An observer of the loop that keeps where everybody was, and makes a film of it.

    A frame is one small array of positions; nothing is drawn before :meth:`save`. A new episode begins a new film.
    """

    def __init__(self) -> None:
        self._description: Description | None = None
        self._frames: list[npt.NDArray[np.int32]] = []
        self._scores: list[float] = []
        self._sum = 0.0

    def __len__(self) -> int:
        """The number of frames: one more than interactions."""
        return len(self._frames)

    def started(self, environment: Environment, turn: Turn) -> None:
        """Begin with the positions after reset."""
        self._description = cast(LambdaStarEnvironment, environment).description
        self._frames.clear()
        self._scores.clear()
        self._sum = 0.0
        self._shoot(environment)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """Add the positions after a step, and its rewards to the score."""
        self._sum += sum(turn.rewards)
        self._shoot(environment)

    def _shoot(self, environment: Environment) -> None:
        at = cast(LambdaStarEnvironment, environment).positions()
        guide = at["guide"] or (-1, -1)
        self._frames.append(np.array([at["good"], at["evil"], guide, *at["subjects"]], np.int32))
        played = (len(self._frames) - 1) * len(at["subjects"])
        self._scores.append(self._sum / played if played else 0.0)

    def save(self, path: Path, pause: float = 0.2) -> None:
        """Write the film as a .gif, or as an .svg that moves by itself, ``pause`` seconds a frame.

        The line below tells the iteration and the score so far: the mean reward per subject and iteration.
        """
        kind = suffix_of(path, "A film", (".gif", ".svg"))
        if self._description is None:
            raise MensuraError(
                "No episode was filmed; let the film observe one before it is saved."
            )
        if not pause >= 0.0:
            raise MensuraError(f"A pause of {pause} seconds is impossible; 0 or more are.")
        check_writable(path)
        if kind == ".gif":
            write_bytes(path, self._gif(self._description, pause))
        else:
            write_whole(path, self._svg(self._description, pause))

    def _caption(self, i: int) -> tuple[str, str]:
        return f"iteration {i} of {len(self) - 1}", f"score so far {self._scores[i]:+.3f}"

    # GIF

    def _gif(self, d: Description, pause: float) -> bytes:
        """Drawn at twice the size and made smaller, for smooth edges in few colors."""
        with palette.extra("A film"):
            from PIL import Image
        stage = _Stage(d)
        colors = Image.new("P", (1, 1))
        colors.putpalette(
            [
                level
                for color in (palette.GOOD, palette.EVIL, palette.GUIDE, palette.BLACK)
                for strength in (*np.linspace(0.0, 1.0, 9).tolist(), 0.42, 0.27)
                for level in _tint(color, strength)
            ]
        )
        frames = (
            stage.image(positions, self._caption(i)).quantize(
                palette=colors, dither=Image.Dither.NONE
            )
            for i, positions in enumerate(self._frames)
        )
        # A GIF counts in hundredths of a second, and viewers slow down what asks for less than two.
        wait = max(20, round(pause * 100) * 10)
        buffer = BytesIO()
        next(frames).save(
            buffer,
            format="GIF",
            save_all=True,
            append_images=frames,
            duration=[wait] * (len(self) - 1) + [HOLD * wait],
            loop=0,
            optimize=True,
        )
        return buffer.getvalue()

    # SVG

    def _svg(self, d: Description, pause: float) -> str:
        """Shapes that jump from cell to cell by SMIL: no script, no font, no image."""
        width, height = picture_size(d, FILM)
        sx, sy = width / d.cols, height / d.rows
        unit = max(6.0, min(sx, sy))
        turns = [*range(len(self)), *[len(self) - 1] * (HOLD - 1)]
        seconds = max(pause, 0.02) * len(turns)

        def moving(inside: str, places: Sequence[tuple[float, float]]) -> str:
            values = [f"{(x + 0.5) * sx:.4g},{(y + 0.5) * sy:.4g}" for y, x in places]
            return (
                f'<g transform="translate({values[0]})">{inside}<animateTransform '
                f'attributeName="transform" type="translate" calcMode="discrete" dur="{seconds:g}s" '
                f'repeatCount="indefinite" values="{";".join(values[i] for i in turns)}"/></g>'
            )

        def path_of(row: int) -> list[tuple[float, float]]:
            return [(float(y), float(x)) for y, x in (frame[row] for frame in self._frames)]

        good, evil = path_of(0), path_of(1)
        parts = [
            moving(_zone(d, "good", sx, sy, width, height), good),
            moving(_zone(d, "evil", sx, sy, width, height), evil),
            _grid_svg(d, sx, sy, width, height),
            moving(f'<circle r="{unit * 0.4:.4g}" fill="{palette.GOOD}"/>', good),
            moving(
                f'<rect x="{-unit * 0.36:.4g}" y="{-unit * 0.36:.4g}" width="{unit * 0.72:.4g}" '
                f'height="{unit * 0.72:.4g}" fill="{palette.EVIL}"/>',
                evil,
            ),
        ]
        if d.guides:
            side = unit * 0.34
            parts.append(
                moving(
                    f'<path d="M0 {-side:.4g}L{side:.4g} {side:.4g}H{-side:.4g}Z" '
                    f'fill="{palette.GUIDE}" stroke="#fff"/>',
                    path_of(2),
                )
            )
        shared = [side_by_side([(y, x) for y, x in f[3:].tolist()]) for f in self._frames]
        for seat in range(d.subjects):
            label = (
                f'<text y="{unit * 0.115:.4g}" font-size="{unit * 0.32:.4g}" text-anchor="middle">'
                f"{seat}</text>"
                if unit > 18
                else ""
            )
            token = f'<circle r="{unit * 0.24:.4g}" fill="#fff" stroke="#000"/>{label}'
            sizes = [f"{frame[seat][1]:g}" for frame in shared]
            if len(set(sizes)) > 1:
                token = (
                    f'<g transform="scale({sizes[0]})">{token}<animateTransform '
                    f'attributeName="transform" type="scale" calcMode="discrete" dur="{seconds:g}s" '
                    f'repeatCount="indefinite" values="{";".join(sizes[i] for i in turns)}"/></g>'
                )
            parts.append(moving(token, [frame[seat][0] for frame in shared]))
        captions = "".join(
            f'<text x="0" y="{i * CAPTION}">{left}</text>'
            f'<text x="{width:.4g}" y="{i * CAPTION}" text-anchor="end">{right}</text>'
            for i, (left, right) in enumerate(map(self._caption, range(len(self))))
        )
        offsets = ";".join(f"0,{-i * CAPTION}" for i in turns)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {width + 16:.4g} '
            f'{height + 16 + CAPTION:.4g}" width="{width + 16:.4g}" height="{height + 16 + CAPTION:.4g}" '
            f'font-family="sans-serif" font-size="14" role="img" aria-label="An episode of {d.subjects} '
            f'subjects on a torus of {d.rows} by {d.cols} cells">\n'
            f'<rect x="-8" y="-8" width="100%" height="100%" fill="#fff"/>\n'
            f'<clipPath id="torus"><rect width="{width:.4g}" height="{height:.4g}"/></clipPath>\n'
            f'<clipPath id="line"><rect y="{height + 4:.4g}" width="{width:.4g}" height="{CAPTION}"/>'
            "</clipPath>\n"
            f'<g clip-path="url(#torus)">\n{chr(10).join(parts)}\n</g>\n'
            f'<g clip-path="url(#line)"><g transform="translate(0 {height + CAPTION - 4:.4g})"><g>'
            f'{captions}<animateTransform attributeName="transform" type="translate" '
            f'calcMode="discrete" dur="{seconds:g}s" repeatCount="indefinite" values="{offsets}"/>'
            "</g></g></g>\n</svg>\n"
        )


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

    def image(self, positions: npt.NDArray[np.int32], caption: tuple[str, str]) -> Image:
        """One frame."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (2 * self.width, 2 * self.height), "white")
        pen = ImageDraw.Draw(image)
        good, evil, guide, *subjects = ((int(y), int(x)) for y, x in positions)
        self._ground(pen, good, evil)
        u = self.unit
        x, y = self._middle(good)
        pen.ellipse((x - 0.4 * u, y - 0.4 * u, x + 0.4 * u, y + 0.4 * u), fill=palette.GOOD)
        x, y = self._middle(evil)
        pen.rectangle((x - 0.36 * u, y - 0.36 * u, x + 0.36 * u, y + 0.36 * u), fill=palette.EVIL)
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
            half = 0.24 * u * scale
            box = x - half, y - half, x + half, y + half
            pen.ellipse(box, fill="white", outline="black", width=2)
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

    def _ground(self, pen: ImageDraw, good: Cell, evil: Cell) -> None:
        """Cells that pay and cost, and the lines between cells."""
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
                fill=_tint(palette.GOOD if value > 0 else palette.EVIL, 0.12 + 0.3 * abs(value)),
            )
        right, bottom = 16 + d.cols * sx, 16 + d.rows * sy
        if max(d.rows, d.cols) <= GRID_LINES:
            for i in range(1, d.cols):
                pen.line((16 + i * sx, 16, 16 + i * sx, bottom), fill="#cccccc", width=2)
            for i in range(1, d.rows):
                pen.line((16, 16 + i * sy, right, 16 + i * sy), fill="#cccccc", width=2)
        pen.rectangle((16, 16, right, bottom), outline="#999999", width=2)


def _tint(color: str, strength: float) -> tuple[int, int, int]:
    """A color mixed with white."""
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return (
        round(255 - strength * (255 - r)),
        round(255 - strength * (255 - g)),
        round(255 - strength * (255 - b)),
    )
