"""The running summary of a cell: sittings in any order in, one result out, to the bit the same for any order.

Sums of floating-point numbers depend on their order and grouping. So sittings are put back into the order of
their items and added in chunks of a fixed size, whoever played them, and however they were cut into batches.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mensura.records.batch import Batch, FaultRow
from mensura.records.results import SubjectResult
from mensura.statistics.moments import Moments, rounded

CHUNK = 4096
"""So many sittings are added at a time."""

EXAMPLES = 5
"""So many faults of a subject are shown."""


class Tally:
    """Adds up batches of one cell."""

    def __init__(self, empty: SubjectResult) -> None:
        self._result = empty
        self._pieces: dict[int, _Piece] = {}
        self._next = 0
        self._open: list[_Piece] = []
        self._held = 0
        self._faults: list[FaultRow] = []
        self.done = 0
        """Sittings that came in, in order or not."""

    def add(self, batch: Batch) -> None:
        """Add the sittings of a batch."""
        self.done += len(batch)
        self._sums(batch)
        for piece in _pieces(batch):
            self._pieces[piece.first] = piece
        while self._next in self._pieces:
            piece = self._pieces.pop(self._next)
            self._next += len(piece.score)
            self._held += len(piece.score)
            self._open.append(piece)
        if self._held >= CHUNK:
            self._close_chunks()

    def result(self) -> SubjectResult:
        """What came in so far; sittings that others are still missing before are counted last."""
        rest = [*self._open, *(self._pieces[first] for first in sorted(self._pieces))]
        result = self._result
        if rest:
            whole = _join(rest)
            for at in range(0, len(whole.score), CHUNK):
                result = _added(result, whole.cut(at, at + CHUNK))
        examples = tuple(
            f"item {one.item}, seat {one.seat}, interaction {one.interaction}: {one.kind}: {one.detail}"
            for one in sorted(self._faults)[:EXAMPLES]
        )
        return replace(result, fault_examples=examples)

    def _sums(self, batch: Batch) -> None:
        """What needs no order: whole numbers, and seconds, which are never twice the same."""
        result = self._result
        self._faults = sorted([*self._faults, *batch.faults])[:EXAMPLES]
        self._result = replace(
            result,
            interactions=result.interactions + int(batch.interactions.sum()),
            seconds=result.seconds + float(batch.wall.sum()),
            cpu=result.cpu + float(np.nansum(batch.cpu)),
            faults=result.faults + int(batch.fault_count.sum()),
            lost=result.lost + int(batch.lost.sum()),
        )

    def _close_chunks(self) -> None:
        whole = _join(self._open)
        full = len(whole.score) // CHUNK * CHUNK
        for at in range(0, full, CHUNK):
            self._result = _added(self._result, whole.cut(at, at + CHUNK))
        rest = whole.cut(full, len(whole.score))
        self._open = [rest] if len(rest.score) else []
        self._held = len(rest.score)


class _Piece:
    """Neighboring sittings with what is summed of them."""

    def __init__(
        self,
        first: int,
        score: npt.NDArray[np.float64],
        complexity: npt.NDArray[np.float64],
        curve: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]],
        measures: Mapping[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]],
    ) -> None:
        self.first = first
        self.score = score
        self.complexity = complexity
        self.curve = curve
        """Item, sequence and reward of the episodes of sittings whose training was kept."""
        self.measures = measures
        """Item and value, by name."""

    def cut(self, start: int, stop: int) -> _Piece:
        """The sittings from start to stop of it."""
        low, high = self.first + start, self.first + stop
        item = self.curve[0]
        inside = (item >= low) & (item < high)
        return _Piece(
            low,
            self.score[start:stop],
            self.complexity[start:stop],
            (item[inside], self.curve[1][inside], self.curve[2][inside]),
            {
                name: (at[(at >= low) & (at < high)], value[(at >= low) & (at < high)])
                for name, (at, value) in self.measures.items()
            },
        )


def _pieces(batch: Batch) -> list[_Piece]:
    episodes = batch.episodes
    assessed = np.flatnonzero(~episodes.learning)
    # The last assessed episode of each sitting tells its complexity.
    place = np.searchsorted(batch.item, episodes.item[assessed])
    complexity = np.full(len(batch), np.nan)
    complexity[place] = episodes.complexity[assessed]
    trained = np.isin(episodes.item, episodes.item[episodes.learning])
    curve = episodes.item[trained], episodes.sequence[trained], episodes.reward[trained]
    measures: dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = {}
    for name in sorted({one.name for one in batch.measures}):
        rows = sorted(
            (one.item, one.sequence, one.value) for one in batch.measures if one.name == name
        )
        measures[name] = (
            np.array([row[0] for row in rows], np.int64),
            np.array([row[2] for row in rows], np.float64),
        )
    breaks = np.flatnonzero(np.diff(batch.item) != 1) + 1
    edges = [0, *breaks.tolist(), len(batch)]
    pieces = []
    for start, stop in itertools.pairwise(edges):
        if start == stop:
            continue
        low, high = int(batch.item[start]), int(batch.item[stop - 1])
        inside = (curve[0] >= low) & (curve[0] <= high)
        pieces.append(
            _Piece(
                low,
                batch.score[start:stop],
                complexity[start:stop],
                (curve[0][inside], curve[1][inside], curve[2][inside]),
                {
                    name: (at[(at >= low) & (at <= high)], value[(at >= low) & (at <= high)])
                    for name, (at, value) in measures.items()
                },
            )
        )
    return pieces


def _join(pieces: list[_Piece]) -> _Piece:
    """Pieces one after another; only the items of the first stay where they are if there are gaps."""
    if len(pieces) == 1:
        return pieces[0]
    items: list[npt.NDArray[np.int64]] = []
    measures: dict[str, list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]] = {}
    at = pieces[0].first
    for piece in pieces:
        items.append(piece.curve[0] - piece.first + at)
        for name, (item, value) in piece.measures.items():
            measures.setdefault(name, []).append((item - piece.first + at, value))
        at += len(piece.score)
    return _Piece(
        pieces[0].first,
        np.concatenate([piece.score for piece in pieces]),
        np.concatenate([piece.complexity for piece in pieces]),
        (
            np.concatenate(items),
            np.concatenate([piece.curve[1] for piece in pieces]),
            np.concatenate([piece.curve[2] for piece in pieces]),
        ),
        {
            name: (
                np.concatenate([item for item, _ in rows]),
                np.concatenate([value for _, value in rows]),
            )
            for name, rows in measures.items()
        },
    )


def _added(result: SubjectResult, chunk: _Piece) -> SubjectResult:
    known = np.where(np.isnan(chunk.complexity), -1.0, rounded(chunk.complexity)).astype(np.int64)
    measures = dict(result.measures)
    for name, (_, value) in chunk.measures.items():
        measures[name] = measures.get(name, Moments()).add(value)
    return replace(
        result,
        moments=result.moments.add(chunk.score),
        by_complexity=result.by_complexity.add(known, chunk.score),
        histogram=result.histogram.add(chunk.score),
        learning=result.learning.add(chunk.curve[1], chunk.curve[2]),
        measures=measures,
    )
