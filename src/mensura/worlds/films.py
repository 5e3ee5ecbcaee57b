"""What the films of all worlds share: an observer of the loop that keeps frames, and how they become GIF or SVG."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mensura.core import palette
from mensura.core.contract import Environment, Turn
from mensura.core.errors import MensuraError
from mensura.records.results import check_writable, write_whole
from mensura.worlds.pictures import suffix_of, write_bytes

if TYPE_CHECKING:
    from PIL.Image import Image

CAPTION = 26
"""The height in pixels of the line below a film."""
HOLD = 6
"""How many pauses the last frame stays before a film begins again."""
MARGIN = 8
"""Pixels around what is filmed."""

Frame = TypeVar("Frame")


class Reel(ABC, Generic[Frame]):
    """An observer of the loop that keeps where everybody was, and makes a film of it.

    A frame is small; nothing is drawn before :meth:`save`. A new episode begins a new film. The line below tells the
    iteration and the score so far: the mean reward per subject and iteration.
    """

    def __init__(self) -> None:
        self._description: Any = None
        self._frames: list[Frame] = []
        self._scores: list[float] = []
        self._sum = 0.0

    def __len__(self) -> int:
        """The number of frames: one more than interactions."""
        return len(self._frames)

    def started(self, environment: Environment, turn: Turn) -> None:
        """Begin with the positions after reset."""
        self._description = environment.description
        self._frames.clear()
        self._scores.clear()
        self._sum = 0.0
        self._add(environment)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """Add the positions after a step, and its rewards to the score."""
        self._sum += sum(turn.rewards)
        self._add(environment)

    def _add(self, environment: Environment) -> None:
        self._frames.append(self._shot(environment))
        played = (len(self._frames) - 1) * len(environment.seats)
        self._scores.append(self._sum / played if played else 0.0)

    def save(self, path: Path, pause: float = 0.2) -> None:
        """Write the film as a .gif, or as an .svg that moves by itself, ``pause`` seconds an interaction."""
        kind = suffix_of(path, "A film", (".gif", ".svg"))
        if self._description is None:
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
        colors = Image.new("P", (1, 1))
        colors.putpalette([level for color in self._colors() for level in color])
        frames = (
            image.quantize(palette=colors, dither=Image.Dither.NONE) for image in self._images()
        )
        # A GIF counts in hundredths of a second, and viewers slow down what asks for less than two.
        waits = [max(20, round(pause * share * 100) * 10) for share in self._shares()]
        waits[-1] = HOLD * max(20, round(pause * 100) * 10)
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

    # What a world adds

    @abstractmethod
    def _shot(self, environment: Environment) -> Frame:
        """What has to be kept of an environment to draw it later."""

    @abstractmethod
    def _colors(self) -> Iterable[tuple[int, int, int]]:
        """The up to 256 colors of a GIF."""

    def _shares(self) -> Sequence[float]:
        """The share of a pause that each image of a GIF stays."""
        return [1.0] * len(self)

    @abstractmethod
    def _images(self) -> Iterator[Image]:
        """The images of a GIF, as many as there are shares."""

    @abstractmethod
    def _svg(self, pause: float) -> str:
        """The whole film as an SVG."""


def moving(
    inside: str, places: Sequence[tuple[float, float]], seconds: float, mode: str = "discrete"
) -> str:
    """Shapes that SMIL moves from place to place, (x, y) in pixels: no script, no font, no image."""
    values = [f"{x:.4g},{y:.4g}" for x, y in places]
    return (
        f'<g transform="translate({values[0]})">{inside}<animateTransform '
        f'attributeName="transform" type="translate" calcMode="{mode}" dur="{seconds:g}s" '
        f'repeatCount="indefinite" values="{";".join(values)}"/></g>'
    )


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
