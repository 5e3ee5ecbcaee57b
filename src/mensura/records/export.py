"""Readable tables as Parquet or CSV files, a few thousand rows in memory at a time."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.records.encoding import or_none
from mensura.records.tables import READABLE, Chunk, Field

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store

Format: TypeAlias = Literal["parquet", "csv"]


def export(
    store: Store, runs: Run | Sequence[Run], folder: str | Path, format: Format = "parquet"
) -> list[Path]:
    """Write the readable tables of runs to a folder, one file each; all of them or none.

    Files of earlier exports are replaced. CSV needs no further library and reads back with every digit; what is
    missing is an empty field.
    """
    writers = {"parquet": _write_parquet, "csv": _write_csv}
    if format not in writers:
        raise MensuraError(f"Exports are written as {' or '.join(writers)}, not as {format!r}.")
    chosen = list(runs) if isinstance(runs, Sequence) else [runs]
    folder = Path(folder)
    made = _make(folder)
    paths = [folder / f"{table}.{format}" for table in READABLE]
    parts = [path.with_name(f".{path.name}.{os.getpid()}.part") for path in paths]
    try:
        for table, part in zip(READABLE, parts, strict=True):
            writers[format](part, table, store.chunks(table, chosen))
        for part, path in zip(parts, paths, strict=True):
            part.replace(path)
    except BaseException as error:
        for part in parts:
            part.unlink(missing_ok=True)
        if made:
            folder.rmdir()
        if isinstance(error, OSError):
            raise MensuraError(f"The export to {folder} failed: {error.strerror}.") from error
        raise
    return paths


def _make(folder: Path) -> bool:
    """Make the folder where it is not there; whether it had to be made."""
    if folder.is_dir():
        return False
    try:
        folder.mkdir()
    except FileExistsError:
        raise MensuraError(f"{folder} is a file; name a folder for the export.") from None
    except OSError as error:
        raise MensuraError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    return True


def _write_parquet(path: Path, table: str, chunks: Iterator[Chunk]) -> None:
    from mensura.records.frames import frames, need_polars, schema_of

    need_polars()
    from polars.io.plugins import register_io_source

    def rows(columns: list[str] | None, predicate: Any, limit: int | None, size: int | None) -> Any:
        assert columns is None
        assert predicate is None
        return frames(table, chunks)

    source = register_io_source(rows, schema=schema_of(table))
    source.sink_parquet(path, compression="zstd", row_group_size=1 << 17)


def _write_csv(path: Path, table: str, chunks: Iterable[Chunk]) -> None:
    fields = READABLE[table].fields
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([field.name for field in fields])
        for chunk in chunks:
            writer.writerows(zip(*(_texts(chunk, field) for field in fields), strict=True))


def _texts(chunk: Chunk, field: Field) -> Sequence[Any]:
    """A column as the writer takes it: every digit of a number, nothing where it is missing, true or false."""
    if field.name in chunk.shared:
        return [chunk.shared[field.name]] * chunk.length
    column = chunk.columns[field.name]
    if field.kind == "number":
        return or_none(np.array(column, np.float64))
    if field.kind == "flag":
        return ["true" if flag else "false" for flag in column]
    return column.tolist() if isinstance(column, np.ndarray) else column
