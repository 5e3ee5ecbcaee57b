"""How large a picture is, from its first bytes: PNG, JPEG and GIF, in a folder that nobody leads out of."""

from __future__ import annotations

import struct
from pathlib import Path

LARGEST_FILE = 5_000_000
MOST_PIXELS = 4096
"""Of a side."""
PIXELS = 100.0
"""Of one unit of length, as in the original."""


def size_of_picture(folder: Path, name: str) -> tuple[float, float] | str:
    """The size of a picture in units of length; why there is none, in a word or two."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        return "fileNotFound"
    if path.stat().st_size > LARGEST_FILE:
        return "fileTooLarge"
    pixels = pixels_of(path.read_bytes())
    if pixels is None:
        return "noPicture"
    if not all(0 < side <= MOST_PIXELS for side in pixels):
        return "pictureTooLarge"
    return pixels[0] / PIXELS, pixels[1] / PIXELS


def pixels_of(data: bytes) -> tuple[int, int] | None:
    """Width and height of a picture; None where the bytes are none."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    return _jpeg(data) if data[:2] == b"\xff\xd8" else None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """The size that the frame of a JPEG names (ITU-T T.81, B.2.2)."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        at += 2 + length
    return None
