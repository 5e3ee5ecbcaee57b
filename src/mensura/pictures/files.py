"""Files of pictures: which endings there are, and how a file is written entirely or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from mensura.agent.errors import MensuraError
from mensura.core import palette
from mensura.pictures import svg
from mensura.pictures.layout import scale_of, with_legend
from mensura.pictures.picture import Picture
from mensura.pictures.pixels import as_image
from mensura.records.results import check_writable, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FINE = 2
"""So many pixels a pixel of a page becomes in a file, so that small letters can be read in print."""


def save(picture: Picture, path: Path, width: float | None = None) -> None:
    """Draw a picture to a file, .svg, .png or .pdf, entirely or not at all; ``width`` is in pixels."""
    kind = suffix_of(path, "A picture", (".svg", ".png", ".pdf"))
    check_writable(path)
    if kind == ".svg":
        write_whole(path, svg.as_svg(picture, width=width))
        return
    whole = with_legend(picture)
    if width is None:
        width = FINE * scale_of(whole) * (whole.bounds[2] - whole.bounds[0])
    image = as_image(whole, width, legend=False)
    buffer = BytesIO()
    if kind == ".pdf":  # without dates: the same picture is the same file
        image.save(buffer, format="PDF", resolution=96.0 * FINE, creationDate=None, modDate=None)
    else:
        image.save(buffer, format="PNG", optimize=True)
    write_bytes(path, buffer.getvalue())


def draw_to(path: Path, make: Callable[[], Figure], label: str) -> None:
    """Draw a figure of Matplotlib to a file, .svg, .png or .pdf, entirely or not at all."""
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
    """A figure of Matplotlib as SVG for a page; its lines take the color of the text around it.

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
