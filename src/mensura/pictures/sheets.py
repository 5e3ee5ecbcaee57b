"""Contact sheets: many small pictures side by side, each with a line below it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from mensura.agent.errors import MensuraError
from mensura.core import palette

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH, LINE, GAP = 120, 16, 8
MOST = 10_000
"""So many pictures are on a sheet at most."""


def contact_sheet(pictures: Sequence[bytes | None], labels: Sequence[str]) -> bytes:
    """A sheet as PNG; an empty place stands for a picture that there is none of."""
    with palette.extra("A picture"):
        from PIL import Image, ImageDraw
    if len(pictures) > MOST:
        raise MensuraError(
            f"{len(pictures)} pictures are too many for a sheet; {MOST} are the most."
        )
    shown = [None if one is None else _small(one) for one in pictures]
    height = max((one.height for one in shown if one is not None), default=0)
    across = max(1, min(len(pictures), math.ceil(math.sqrt(1.5 * len(pictures)))))
    down = -(-len(pictures) // across)
    size = GAP + across * (WIDTH + GAP), GAP + down * (height + LINE + GAP)
    sheet = Image.new("RGB", size, palette.PAPER)
    pen = ImageDraw.Draw(sheet)
    for at, (picture, label) in enumerate(zip(shown, labels, strict=True)):
        left = GAP + at % across * (WIDTH + GAP)
        top = GAP + at // across * (height + LINE + GAP)
        if picture is not None:
            sheet.paste(picture, (left + (WIDTH - picture.width) // 2, top))
        pen.text((left, top + height + 2), label, fill=palette.INK)
    out = BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


def _small(picture: bytes) -> Image:
    """A picture that was kept as PNG, no larger than its place."""
    from PIL import Image as Images

    try:
        with Images.open(BytesIO(picture), formats=["PNG"]) as small:
            if max(small.size) > 4 * WIDTH:
                raise MensuraError("A picture of this pool is too large.")
            shown = small.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise MensuraError(f"A picture of this pool is none ({error}).") from None
    shown.thumbnail((WIDTH, WIDTH))
    return shown
