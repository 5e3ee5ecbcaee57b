"""The running summary of a cell: sittings in any order in, one result out, to the bit the same for any order.

Sums of floating-point numbers depend on their order and grouping. So sittings are put back into the order of
their items and added in chunks of a fixed size, whoever played them, and however they were cut into batches.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from mensura.core.steps import STEPS
from mensura.records.batch import Batch, PrintedRow
from mensura.records.faults import FaultGroup, grouped
from mensura.records.paths import SITTINGS, first, paths_of
from mensura.records.results import SubjectResult
from mensura.records.task_attempts import attempted_in, first_attempted
from mensura.statistics.moments import Moments, rounded

CHUNK = 4096
"""So many sittings are added at a time."""

PRINTED = 3
"""What a subject printed is kept of so many sittings."""


class Tally:
    """Adds up batches of one cell."""

    def __init__(self, empty: SubjectResult) -> None:
        self._result = empty
        self._pieces: dict[int, _Piece] = {}
        self._next = 0
        self._open: list[_Piece] = []
        self._held = 0
        self._faults: list[FaultGroup] = []
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
        return replace(result, fault_groups=tuple(self._faults))

    def _sums(self, batch: Batch) -> None:
        """What needs no order: whole numbers, and seconds, which are never twice the same."""
        result = self._result
        if batch.faults:
            self._faults = grouped(self._faults, batch.faults)
        assessed = ~batch.episodes.learning
        kept = result.paths
        last = kept[-1].item if len(kept) == SITTINGS else None
        self._result = replace(
            result,
            interactions=result.interactions + int(batch.interactions.sum()),
            seconds=result.seconds + float(batch.wall.sum()),
            cpu=result.cpu + float(np.nansum(batch.cpu)),
            faults=result.faults + int(batch.fault_count.sum()),
            asked=result.asked + float(batch.asked.sum()),
            actions=result.actions + int(batch.episodes.interactions[assessed].sum()),
            defaults=result.defaults + float(batch.episodes.defaults[assessed].sum()),
            printed=first_printed([*result.printed, *batch.printed]),
            lost=result.lost + int(batch.lost.sum()),
            paths=first([*kept, *paths_of(batch, last)]),
            attempts=first_attempted([*result.attempts, *attempted_in(batch)]),
        )

    def _close_chunks(self) -> None:
        whole = _join(self._open)
        full = len(whole.score) // CHUNK * CHUNK
        for at in range(0, full, CHUNK):
            self._result = _added(self._result, whole.cut(at, at + CHUNK))
        rest = whole.cut(full, len(whole.score))
        self._open = [rest] if len(rest.score) else []
        self._held = len(rest.score)


def first_printed(rows: Sequence[PrintedRow]) -> tuple[PrintedRow, ...]:
    """What was printed in the first of these sittings."""
    return tuple(sorted(rows)[:PRINTED])


class _Piece:
    """Neighboring sittings with what is summed of them."""

    def __init__(
        self,
        first: int,
        score: npt.NDArray[np.float64],
        met: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]],
        curve: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]],
        measures: Mapping[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]],
    ) -> None:
        self.first = first
        self.score = score
        self.met = met
        """Item, complexity and what was got there, of each environment that was met."""
        self.curve = curve
        """Item, sequence and reward of the episodes of sittings whose training was kept."""
        self.measures = measures
        """Item and value, by name."""

    def cut(self, start: int, stop: int) -> _Piece:
        """The sittings from start to stop of it."""
        low, high = self.first + start, self.first + stop
        return _Piece(
            low,
            self.score[start:stop],
            _within(self.met, low, high),
            _within(self.curve, low, high),
            {name: _within(rows, low, high) for name, rows in self.measures.items()},
        )


Columns = TypeVar("Columns", bound=tuple[npt.NDArray[Any], ...])


def _within(columns: Columns, low: int, high: int) -> Columns:
    """The rows of the items from low to high, which is not one of them; items are the first column."""
    item = columns[0]
    inside = (item >= low) & (item < high)
    return tuple(column[inside] for column in columns)  # type: ignore[return-value]


def _pieces(batch: Batch) -> list[_Piece]:
    episodes = batch.episodes
    met = _met(batch)
    trained = np.isin(episodes.item, episodes.item[episodes.learning])
    curve = episodes.item[trained], episodes.sequence[trained], episodes.reward[trained]
    measures: dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = {}
    training = set(
        zip(
            episodes.item[episodes.learning].tolist(),
            episodes.sequence[episodes.learning].tolist(),
            strict=True,
        )
    )
    told = [one for one in batch.measures if (one.item, one.sequence) not in training]
    for name in sorted({one.name for one in told} - STEPS):
        rows = sorted((one.item, one.sequence, one.value) for one in told if one.name == name)
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
        low, high = int(batch.item[start]), int(batch.item[stop - 1]) + 1
        pieces.append(
            _Piece(
                low,
                batch.score[start:stop],
                _within(met, low, high),
                _within(curve, low, high),
                {name: _within(rows, low, high) for name, rows in measures.items()},
            )
        )
    return pieces


def _met(
    batch: Batch,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Item, complexity and what was got there, of each environment that was met, in the order of sittings.

    In the one environment of a sitting it got its score; in each of several, the reward there. Who met none has a
    score, and a complexity that is not known.
    """
    episodes = batch.episodes
    assessed = np.flatnonzero(~episodes.learning)
    place = np.searchsorted(batch.item, episodes.item[assessed])
    count = np.bincount(place, minlength=len(batch))
    got = np.where(count[place] == 1, batch.score[place], episodes.reward[assessed])
    none = np.flatnonzero(count == 0)
    item = np.concatenate([episodes.item[assessed], batch.item[none]])
    order = np.argsort(item, kind="stable")
    return (
        item[order],
        np.concatenate([episodes.complexity[assessed], np.full(len(none), np.nan)])[order],
        np.concatenate([got, batch.score[none]])[order],
    )


def _join(pieces: list[_Piece]) -> _Piece:
    """Pieces one after another; only the items of the first stay where they are if there are gaps."""
    if len(pieces) == 1:
        return pieces[0]
    shifts = []
    at = pieces[0].first
    for piece in pieces:
        shifts.append(at - piece.first)
        at += len(piece.score)
    names = sorted({name for piece in pieces for name in piece.measures})
    return _Piece(
        pieces[0].first,
        np.concatenate([piece.score for piece in pieces]),
        _after_one_another([piece.met for piece in pieces], shifts),
        _after_one_another([piece.curve for piece in pieces], shifts),
        {
            name: _after_one_another(
                [piece.measures[name] for piece in pieces if name in piece.measures],
                [
                    shift
                    for shift, piece in zip(shifts, pieces, strict=True)
                    if name in piece.measures
                ],
            )
            for name in names
        },
    )


def _after_one_another(parts: Sequence[Columns], shifts: Sequence[int]) -> Columns:
    """Columns joined, the items of each part shifted."""
    shifted = [(part[0] + shift, *part[1:]) for part, shift in zip(parts, shifts, strict=True)]
    return tuple(map(np.concatenate, zip(*shifted, strict=True)))  # type: ignore[return-value]


def _added(result: SubjectResult, chunk: _Piece) -> SubjectResult:
    _, complexity, got = chunk.met
    known = np.where(np.isnan(complexity), -1.0, rounded(complexity))
    measures = dict(result.measures)
    for name, (_, value) in chunk.measures.items():
        measures[name] = measures.get(name, Moments()).add(value)
    return replace(
        result,
        moments=result.moments.add(chunk.score),
        by_complexity=result.by_complexity.add(known, got),
        histogram=result.histogram.add(chunk.score),
        learning=result.learning.add(chunk.curve[1], chunk.curve[2]),
        measures=measures,
    )
