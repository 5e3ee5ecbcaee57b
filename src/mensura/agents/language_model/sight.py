"""What a model is shown: the picture of what its seat may see, which people are shown too, as a PNG.

It is drawn when it is sent. No journal keeps it, since it is drawn again from the record; what is kept is its hash.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable
from functools import cached_property

from mensura.pictures.layout import scale_of, with_legend
from mensura.pictures.picture import Picture

PIXELS_PER_TOKEN = 750
"""How many pixels of a picture are thought to be a token, before the service has counted."""

LONGEST_SIDE = 800.0
"""Pixels of the longer side of a picture, at most."""

IN_PICTURE = "What you observe is in the picture."
"""What stands in place of an observation that is shown and not told."""


class Sight:
    """A picture for a model."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        left, top, right, bottom = with_legend(picture).bounds
        wide, high = right - left, bottom - top
        scale = min(scale_of(with_legend(picture)), LONGEST_SIDE / max(wide, high))
        self.width, self.height = (max(1, round(side * scale)) for side in (wide, high))

    @property
    def tokens(self) -> float:
        """About how many tokens it has."""
        return self.width * self.height / PIXELS_PER_TOKEN

    @cached_property
    def _bytes(self) -> bytes:
        from mensura.pictures.pixels import as_array
        from mensura.pictures.svg import png

        return png(as_array(self._picture, self.width))

    @property
    def png(self) -> str:
        """The PNG, in base64."""
        return b64encode(self._bytes).decode()

    @property
    def hash(self) -> str:
        """The BLAKE2b hash of the PNG."""
        return hashlib.blake2b(self._bytes, digest_size=16).hexdigest()

    def to_json(self) -> dict[str, int]:
        """As transcripts tell of it."""
        return {"width": self.width, "height": self.height}


class KeptSight(Sight):
    """A picture that was shown before, as it was."""

    def __init__(self, width: int, height: int, content: bytes) -> None:
        self.width, self.height = width, height
        self.__dict__["_bytes"] = content


def sight(look: Callable[[], Picture | None] | None) -> Sight | None:
    """What a seat may see at the moment; None where its world draws nothing."""
    drawn = None if look is None else look()
    return None if drawn is None else Sight(drawn)
