"""Readable tables as data frames of polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.records.tables import Chunk, Field, readable

if TYPE_CHECKING:
    import polars


def need_polars() -> Any:
    """The library of data frames, or a sentence on how to get it."""
    try:
        import polars
    except ImportError:
        raise MensuraError(
            "Data frames and Parquet files need polars: install mensura[data]."
        ) from None
    return polars


def schema_of(table: str) -> dict[str, Any]:
    """The types of the columns of a readable table."""
    pl = need_polars()
    kinds = {
        "text": pl.String,
        "integer": pl.Int64,
        "key": pl.UInt64,
        "number": pl.Float64,
        "flag": pl.Boolean,
    }
    return {field.name: kinds[field.kind] for field in readable(table).fields}


def frames(table: str, chunks: Iterable[Chunk]) -> Iterator[polars.DataFrame]:
    """Chunks of a readable table as data frames, one each."""
    pl = need_polars()
    types = schema_of(table)
    fields = readable(table).fields
    for chunk in chunks:
        yield pl.DataFrame(
            [_series(pl, chunk, field, types[field.name]) for field in fields], schema=types
        )


def frame_of(table: str, chunks: Iterable[Chunk]) -> polars.DataFrame:
    """All chunks of a readable table as one data frame."""
    pl = need_polars()
    frame: polars.DataFrame = pl.concat(
        [pl.DataFrame(schema=schema_of(table)), *frames(table, chunks)], rechunk=True
    )
    return frame


def _series(pl: Any, chunk: Chunk, field: Field, kind: Any) -> Any:
    if field.name in chunk.shared:
        value = pl.Series(field.name, [chunk.shared[field.name]], dtype=kind)
        return value.new_from_index(0, chunk.length)
    column = chunk.columns[field.name]
    if field.kind == "number":
        column = np.array(column, np.float64)
        return pl.Series(field.name, column, dtype=kind, nan_to_null=True)
    # A column of a list holds None where a row of an earlier version has no value.
    if field.kind == "integer" and (isinstance(column, np.ndarray) or None not in column):
        column = np.asarray(column, np.int64)
    return pl.Series(field.name, column, dtype=kind)
