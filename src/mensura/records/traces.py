"""Traces: every interaction of some sittings, as a compressed columnar file (Parquet)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.records.frames import need_polars

if TYPE_CHECKING:
    import polars


def encode(columns: Mapping[str, Sequence[Any] | npt.NDArray[Any]]) -> bytes:
    """Columns of one length as the content of a Parquet file; the same columns give the same content."""
    pl = need_polars()
    content = io.BytesIO()
    frame = pl.DataFrame(
        {
            name: np.ascontiguousarray(column) if isinstance(column, np.ndarray) else list(column)
            for name, column in columns.items()
        }
    )
    frame.write_parquet(content, compression="zstd")
    return content.getvalue()


def decode(content: bytes) -> polars.DataFrame:
    """The columns that :func:`encode` wrote, as a data frame."""
    frame: polars.DataFrame = need_polars().read_parquet(io.BytesIO(content))
    return frame


def read_trace(path: Path, item: int) -> polars.DataFrame:
    """The interactions of one sitting out of a file of several."""
    try:
        frame = decode(path.read_bytes())
    except OSError as error:
        raise MensuraError(
            f"The trace {path} cannot be read: {error.strerror}; traces are kept beside the store and "
            f"move with it."
        ) from error
    if "item" not in frame.columns:
        return frame
    return frame.filter(frame["item"] == item)
