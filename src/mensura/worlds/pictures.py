"""What the pictures of all worlds share: files in three formats, SVG for pages, tints, and crowds on one cell."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from mensura.core import palette
from mensura.core.errors import MensuraError
from mensura.records.results import check_writable, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_to(path: Path, make: Callable[[], Figure], label: str) -> None:
    """Draw a figure to a file, .svg, .png or .pdf, entirely or not at all."""
    kind = suffix_of(path, "A picture", (".svg", ".png", ".pdf"))
    check_writable(path)
    if kind == ".svg":
        write_whole(path, as_svg(make, "environment", label, "white") + "\n")
        return
    with palette.extra("A picture"):
        import matplotlib.style
    buffer = BytesIO()
    with matplotlib.style.context(["default", palette.STYLE]):
        metadata = {"CreationDate": None} if kind == ".pdf" else {"Software": None}
        make().savefig(buffer, format=kind[1:], dpi=144, facecolor="white", metadata=metadata)
    write_bytes(path, buffer.getvalue())


def as_svg(make: Callable[[], Figure], name: str, label: str, background: str | None) -> str:
    """A figure as SVG for a page; its lines take the color of the text around it.

    ``name`` begins its ids, so each picture of a page needs its own. ``label`` is what a screen reader says.
    """
    with palette.extra("A picture"):
        import matplotlib.style
    buffer = StringIO()
    with matplotlib.style.context(["default", palette.STYLE]):
        make().savefig(
            buffer, format="svg", facecolor=background or "none", metadata={"Date": None}
        )
    return palette.tidy_svg(buffer.getvalue(), name, label)


def abreast(count: int) -> list[tuple[tuple[float, float], float]]:
    """A place and a size for each of so many on one cell: (down, along) from its middle, in widths of the cell.

    They stand in a square, side by side, and are smaller the more there are.
    """
    side = max(math.ceil(math.sqrt(count)), 1)
    lines = math.ceil(count / side)
    apart, scale = {1: (0.0, 1.0), 2: (0.46, 0.9)}.get(side, (0.96 / side, 1.92 / side))
    return [
        (
            (
                (i // side - (lines - 1) / 2) * apart,
                (i % side - (side - 1) / 2) * apart,
            ),
            scale,
        )
        for i in range(count)
    ]


def tint(color: str, strength: float) -> tuple[int, int, int]:
    """A color mixed with white."""
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return (
        round(255 - strength * (255 - r)),
        round(255 - strength * (255 - g)),
        round(255 - strength * (255 - b)),
    )


def suffix_of(path: Path, what: str, known: tuple[str, ...]) -> str:
    """The ending of a file's name, if it is one that can be written."""
    suffix = path.suffix.lower()
    if suffix not in known:
        names = f"{', '.join(known[:-1])} or {known[-1]}"
        raise MensuraError(f"{what} is written to a file that ends in {names}, not to {path.name}.")
    return suffix


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file entirely or not at all."""
    check_writable(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise MensuraError(f"{path} could not be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
