"""Rows as files to take away: CSV as it comes, and Parquet where polars is installed.

A cell of CSV that begins like a formula is one to a spreadsheet; it gets an apostrophe before it. Numbers stay numbers.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import IO, Any

from mensura.records.frames import need_polars

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What spreadsheets take a cell for a formula by (OWASP, CSV injection)."""

AT_A_TIME = 2000
"""So many rows are in memory."""


def plain_rows(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type]
) -> Iterator[list[Any]]:
    """Rows as lists of numbers and texts, in the order of the columns; None where a row has nothing."""
    for row in rows:
        yield [_plain(row.get(name), kind) for name, kind in columns.items()]


def _plain(value: Any, kind: type) -> Any:
    if value is None:
        return None
    if kind is str:
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return kind(value)


def first_ready(rows: Iterator[list[Any]]) -> Iterator[list[Any]]:
    """The same rows with the first one found already: what is wrong is told before an answer begins."""
    first = next(rows, None)
    return iter(()) if first is None else chain([first], rows)


def csv_text(
    names: Sequence[str], rows: Iterable[Sequence[Any]], *, tabs: bool = False
) -> Iterator[str]:
    """Lines of CSV, or with tabs between cells, some at a time."""
    yield _lines([list(names)], tabs)
    for some in _some(rows):
        yield _lines([[_safe(cell) for cell in row] for row in some], tabs)


def _some(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """The rows, some at a time."""
    coming = iter(rows)
    while some := list(islice(coming, AT_A_TIME)):
        yield some


def _lines(rows: Iterable[Sequence[Any]], tabs: bool) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter="\t" if tabs else ",").writerows(rows)
    return text.getvalue()


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULAS) else cell


def parquet_file(columns: Mapping[str, type], rows: Iterator[list[Any]]) -> IO[bytes]:
    """A file that is gone once it is closed, at its beginning."""
    pl = need_polars()
    from polars.io.plugins import register_io_source

    kinds = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    schema = {name: kinds[kind] for name, kind in columns.items()}

    def frames(
        wanted: list[str] | None, predicate: Any, limit: int | None, size: int | None
    ) -> Iterator[Any]:
        for some in _some(rows):
            yield pl.DataFrame([list(row) for row in some], schema=schema, orient="row")

    file = tempfile.NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115
    try:
        register_io_source(frames, schema=schema).sink_parquet(file.name, compression="zstd")
    except BaseException:
        file.close()
        raise
    return file


def in_pieces(file: IO[bytes]) -> Iterator[bytes]:
    """A file piece by piece; it is closed at its end."""
    with file:
        while piece := file.read(1 << 16):
            yield piece
