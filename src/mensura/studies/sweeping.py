"""Memories are removed as soon as no sitting needs them any more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import Key
from mensura.records.batch import Batch
from mensura.studies.phases import Path
from mensura.studies.place import Place
from mensura.studies.schooling import name_of


class Sweeper:
    """Knows which cells need what a learner knew at each place of its phases."""

    def __init__(
        self,
        places: Sequence[Place],
        done: Sequence[npt.NDArray[np.bool_]] | None,
        folder: FilePath,
    ) -> None:
        self._folder = folder
        self._places = {one.cell.number: one for one in places if one.school is not None}
        self._needed: dict[tuple[str, Key, Path], list[int]] = {}
        self._open: dict[int, npt.NDArray[np.bool_]] = {}
        for at, place in enumerate(places):
            if place.school is None:
                continue
            number = place.cell.number
            played = np.zeros(place.cell.sittings, np.bool_) if done is None else done[at]
            self._open[number] = ~played
            for path in place.school.stops:
                self._needed.setdefault((*_whose(place), path), []).append(number)

    def counted(self, batch: Batch) -> None:
        """These sittings are safe; remove what only they needed."""
        place = self._places.get(batch.cell)
        if place is None or place.school is None:
            return
        self._open[batch.cell][batch.item] = False
        whole = place.school.ends[-1]
        for item in batch.item.tolist():
            for end in range(1, len(whole) + 1):
                path = whole[:end]
                cells = self._needed.get((*_whose(place), path), ())
                if not any(self._is_open(cell, item) for cell in cells):
                    (self._folder / name_of(*_whose(place), item, path)).unlink(missing_ok=True)

    def _is_open(self, cell: int, item: int) -> bool:
        waiting = self._open[cell]
        return item < len(waiting) and bool(waiting[item])


def _whose(place: Place) -> tuple[str, Key]:
    return place.cell.subject, place.cell.seed
