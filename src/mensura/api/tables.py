"""Tables as text and as HTML, and rows as data frames: how results show themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.core.visible import visible_line


class Table(NamedTuple):
    """A table of cells that are text."""

    title: str
    columns: Sequence[tuple[str, bool]]
    """Each with whether it is aligned to the right, as numbers are."""
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """The table for a terminal, without color; what is not printable is written out."""
        from rich.cells import cell_len

        lines = [[name for name, _ in self.columns], *self.rows]
        cells = [[visible_line(cell) for cell in line] for line in lines]
        widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
        drawn = []
        for line in cells:
            parts = []
            for cell, width, (_, right) in zip(line, widths, self.columns, strict=True):
                room = " " * (width - cell_len(cell))
                parts.append(room + cell if right else cell + room)
            drawn.append("  ".join(parts).rstrip())
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([visible_line(self.title), drawn[0], rule, *drawn[1:]])

    def html(self) -> str:
        """The table for a page; names may hold anything, so everything is escaped."""
        sides = ["right" if right else "left" for _, right in self.columns]
        head = "".join(
            f'<th style="text-align:{side}">{_escaped(name)}</th>'
            for (name, _), side in zip(self.columns, sides, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align:{side}">{_escaped(cell)}</td>'
                for cell, side in zip(row, sides, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        return (
            f'<table><caption style="text-align:left">{_escaped(self.title)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


class Shown:
    """What shows itself as tables and sentences: as HTML in a notebook, as text elsewhere."""

    warnings: tuple[str, ...] = ()
    """What to know before any of it is read; the first of the sentences."""

    def tables(self) -> list[Table]:
        """What is shown in tables."""
        raise NotImplementedError

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said below the tables."""
        raise NotImplementedError

    def __str__(self) -> str:
        parts = [table.text() for table in self.tables()]
        if self.sentences:
            parts.append("\n".join(map(visible_line, self.sentences)))
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        said = "".join(f"<li>{_escaped(sentence)}</li>" for sentence in self.sentences)
        tables = "".join(table.html() for table in self.tables())
        return f"<div>{tables}{f'<ul>{said}</ul>' if said else ''}</div>"


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a data frame of pandas, or of polars where pandas is not installed."""
    for library in ("pandas", "polars"):
        try:
            frames = import_module(library)
        except ModuleNotFoundError as error:
            if error.name != library:
                raise
            continue
        if library == "polars":
            return frames.DataFrame(list(rows), infer_schema_length=None)
        return frames.DataFrame(list(rows))
    raise MensuraError("A data frame needs pandas or polars: pip install 'mensura[data]'")


def _escaped(text: str) -> str:
    return escape(visible_line(text))
