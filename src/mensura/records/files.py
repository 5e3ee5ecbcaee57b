"""Files beside the database, named by what they hold: written before a row refers to them, removed after."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import get_ident


def hash_of(content: bytes) -> bytes:
    """The name of a content."""
    return hashlib.blake2b(content, digest_size=16).digest()


def place_of(folder: Path, name: bytes, suffix: str = ".parquet") -> Path:
    """Where a content is: ab/abcdef.parquet, so that no folder grows too large."""
    text = name.hex()
    return folder / text[:2] / (text + suffix)


def write_safely(path: Path, content: bytes) -> None:
    """Write a file, safe on disk when this returns: all of it or nothing."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        with suppress(OSError):  # where nothing can be written, what went wrong first is told
            part.unlink(missing_ok=True)


def keep(folder: Path, contents: Iterable[bytes]) -> dict[bytes, bytes]:
    """Bring contents to the disk, whole or not at all; the name of each."""
    names = {}
    folders = set()
    for content in contents:
        names[content] = hash_of(content)
        path = place_of(folder, names[content])
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_safely(path, content)
        folders.add(path.parent)
    for one in folders:
        _sync(one)
    return names


def _sync(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(folder: Path, names: Iterable[bytes]) -> None:
    """Remove contents, and folders that become empty."""
    for name in names:
        path = place_of(folder, name)
        path.unlink(missing_ok=True)
        try:
            path.parent.rmdir()
        except OSError:
            pass
