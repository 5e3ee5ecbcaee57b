"""Pictures as characters, for any terminal: what a person sees of the moment without a drawing."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence

from mensura.core import palette
from mensura.core.visible import visible_line
from mensura.pictures.picture import (
    Area,
    Bounds,
    Disc,
    Image,
    Line,
    Picture,
    Place,
    Shape,
    Words,
    column_width,
    samples,
)
from mensura.pictures.texts import NAMED

ACROSS, DOWN = 4.0, 2.0
"""Characters of a unit, where there is room."""
MOST_COLUMNS, MOST_ROWS = 96, 48
_BRIGHTNESS = "@%#*+=-:. "


def as_text(picture: Picture) -> str:
    """A picture in characters. Below it stand what signs mean, and words for which there was no place."""
    sheet = Sheet(picture.bounds)
    legend = {
        f"{palette.sign_of(samples(sample)[0].role)} {plain(words)}": None
        for sample, words in picture.legend
    }
    missing: list[str] = []
    for shape in picture.shapes:
        if isinstance(shape, Words):
            if not sheet.write(shape):
                missing.append(plain(shape.text))
            if shape.label:
                legend[f"{plain(shape.text)}: {plain(shape.label)}"] = None
            continue
        signs = list(sheet.signs(shape))
        for column, row, sign in signs:
            sheet.put(column, row, sign)
        if shape.label:
            legend[f"{palette.sign_of(shape.role)} {plain(shape.label)}".strip()] = None
    lines = [plain(line) for line in picture.title]
    lines += [sheet.text()] if sheet.text() else []
    for items in (list(legend), list(dict.fromkeys(one for one in missing if one))):
        if items:
            more = f"   and {len(items) - NAMED} more" if len(items) > NAMED else ""
            lines.append("   ".join(items[:NAMED]) + more)
    return "\n".join(lines)


def plain(text: str) -> str:
    """A text of anybody on one line, in which nothing commands a terminal."""
    return "".join(
        letter.encode("unicode_escape").decode("ascii")
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else letter
        for letter in visible_line(text)
    )


class Sheet:
    """A grid of characters that covers some bounds."""

    def __init__(self, bounds: Bounds) -> None:
        self.left, self.top, right, bottom = bounds
        width, height = right - self.left, bottom - self.top
        # Characters are about twice as high as wide; a large picture is drawn smaller.
        shrink = min(1.0, MOST_COLUMNS / (width * ACROSS), MOST_ROWS / (height * DOWN))
        self.across, self.down = ACROSS * shrink, DOWN * shrink
        self.columns = max(1, math.ceil(width * self.across - 1e-9))
        self.rows = max(1, math.ceil(height * self.down - 1e-9))
        self.cells = [[" "] * self.columns for _ in range(self.rows)]
        self.taken: set[tuple[int, int]] = set()
        """Where letters of words are."""

    def text(self) -> str:
        """What is on the sheet."""
        return "\n".join("".join(row).rstrip() for row in self.cells).strip("\n")

    def put(self, column: int, row: int, sign: str) -> None:
        """A sign in place of what was there."""
        if 0 <= column < self.columns and 0 <= row < self.rows:
            line = self.cells[row]
            if line[column] == "":  # the second half of a wide letter
                line[column - 1] = " "
            if column + 1 < self.columns and line[column + 1] == "":
                line[column + 1] = " "
            line[column] = sign
            self.taken.discard((column, row))

    def cell(self, place: Place) -> tuple[int, int]:
        """The column and the row of a place."""
        return (
            math.floor((place[0] - self.left) * self.across + 1e-9),
            math.floor((place[1] - self.top) * self.down + 1e-9),
        )

    def middle(self, column: int, row: int) -> Place:
        """The place in the middle of a cell."""
        return self.left + (column + 0.5) / self.across, self.top + (row + 0.5) / self.down

    def write(self, words: Words) -> bool:
        """Write a text, if it fits and nothing is written there already."""
        letters = plain(words.text)
        width = sum(map(column_width, letters))
        before = {"start": 0.0, "middle": width / 2, "end": float(width)}[words.anchor]
        x, row = self.cell(words.at)
        exact = (words.at[0] - self.left) * self.across - before
        first = x if words.anchor == "start" else math.floor(exact + 0.5)
        first = min(max(first, 0), max(self.columns - width, 0))
        row = min(max(row, 0), self.rows - 1)
        cells = [(column, row) for column in range(first, first + width)]
        if width > self.columns or self.taken.intersection(cells):
            return False
        column = first
        for letter in letters:
            wide = column_width(letter)
            if not wide:  # an accent on the letter before
                if column > first:
                    self.cells[row][column - 1] += letter
                continue
            for i in range(wide):
                self.put(column + i, row, letter if i == 0 else " ")
            if wide == 2:
                self.cells[row][column + 1] = ""
            column += wide
        self.taken.update(cells)
        return True

    def signs(self, shape: Shape) -> Iterator[tuple[int, int, str]]:
        """The cells of a shape, and what stands in them."""
        left, top, right, bottom = shape.bounds
        first, last = self.cell((left, top)), self.cell((right, bottom))
        inside = [
            (column, row)
            for row in range(max(first[1], 0), min(last[1] + 1, self.rows))
            for column in range(max(first[0], 0), min(last[0] + 1, self.columns))
        ]
        sign = palette.sign_of(shape.role)
        if isinstance(shape, Disc):
            yield (*self.cell(shape.center), sign)
            radius = max(abs(shape.radius), 1e-9)
            for column, row in inside:
                x, y = self.middle(column, row)
                if math.hypot(x - shape.center[0], y - shape.center[1]) < radius:
                    yield column, row, sign
        elif isinstance(shape, Area):
            if shape.strength > 0.0:
                for column, row in inside:
                    if _within(self.middle(column, row), shape.points):
                        yield column, row, sign
        elif isinstance(shape, Line):
            for start, end in zip(shape.points, shape.points[1:], strict=False):
                yield from self._stroke(start, end, sign)
            if shape.arrow and shape.head:
                yield (*self.cell(shape.head[0]), _head(shape.head))
        elif isinstance(shape, Image):
            height, width, _ = shape.pixels.shape
            for column, row in inside:
                x, y = self.middle(column, row)
                i = math.floor((x - shape.at[0]) / (shape.size[0] or 1.0) * width)
                j = math.floor((y - shape.at[1]) / (shape.size[1] or 1.0) * height)
                if 0 <= i < width and 0 <= j < height:
                    level = float(shape.pixels[j, i].mean()) / 255
                    yield column, row, _BRIGHTNESS[min(int(level * len(_BRIGHTNESS)), 9)]

    def _stroke(self, start: Place, end: Place, sign: str) -> Iterator[tuple[int, int, str]]:
        a, b = self.cell(start), self.cell(end)
        count = max(abs(b[0] - a[0]), abs(b[1] - a[1]), 1)
        across, down = abs(b[0] - a[0]), abs(b[1] - a[1])
        if sign == palette.sign_of("ink"):  # a plain line is drawn as one
            sign = "|" if across == 0 and down else "-" if down == 0 else "."
        for i in range(count + 1):
            yield (
                round(a[0] + (b[0] - a[0]) * i / count),
                round(a[1] + (b[1] - a[1]) * i / count),
                sign,
            )


def _head(head: Sequence[Place]) -> str:
    """The sign of an arrow's head, by where it points."""
    dx = head[0][0] - (head[1][0] + head[2][0]) / 2
    dy = head[0][1] - (head[1][1] + head[2][1]) / 2
    if abs(dx) >= abs(dy):
        return ">" if dx > 0 else "<"
    return "v" if dy > 0 else "^"


def _within(place: Place, corners: Sequence[Place]) -> bool:
    """Whether a place lies in a polygon: a ray from it crosses the border an odd number of times."""
    x, y = place
    odd = False
    before = corners[-1]
    for corner in corners:
        (x1, y1), (x2, y2) = before, corner
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            odd = not odd
        before = corner
    return odd
