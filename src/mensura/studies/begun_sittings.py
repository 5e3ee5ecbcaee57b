"""Which sittings were begun: a line before each, so that also a coordinator that was killed has left its count."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mensura.records.cell import Cell
from mensura.records.memories import FOLDER

NAME = "begun"
"""The file in the folder of a run's journals. Workers append to it; the folder is the coordinator's to make."""


def note(journals: Path | None, cell: int, first: int, count: int) -> None:
    """Write down that neighboring sittings of a cell are begun; a run goes on where that cannot be written."""
    if journals is None:
        return
    try:
        descriptor = os.open(journals / NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, f"{cell} {first} {count}\n".encode())
        finally:
            os.close(descriptor)
    except OSError:
        pass


def counts(journals: Path | None, cells: Iterable[Cell]) -> dict[int, npt.NDArray[np.int64]]:
    """How often the sittings of cells were begun so far, by the number of the cell; only of cells that were begun."""
    sittings = {cell.number: cell.sittings for cell in cells}
    found: dict[int, npt.NDArray[np.int64]] = {}
    try:
        text = "" if journals is None else (journals / NAME).read_text()
    except OSError:
        return {}
    for line in text.splitlines():
        try:
            cell, first, count = map(int, line.split())
        except ValueError:  # the disk was full
            continue
        if cell in sittings:
            if cell not in found:
                found[cell] = np.zeros(sittings[cell], np.int64)
            found[cell][first : first + count] += 1
    return found


def forget(journals: Path) -> None:
    """Remove the file of a run that is finished, its memories, and its folder."""
    shutil.rmtree(journals / FOLDER, ignore_errors=True)
    (journals / NAME).unlink(missing_ok=True)
    try:
        journals.rmdir()
    except OSError:
        pass
