"""The parameters of a world or an assessment, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mensura.agent.meanings import meanings
from mensura.cli.values import hint, kinds
from mensura.core.abilities import default_of, parameters
from mensura.terminal.output import table


def parameters_of(kind: Any) -> list[dict[str, Any]]:
    """The parameters of a class with their meanings, what they may be, and their defaults."""
    told = meanings(kind)
    return [
        {
            "parameter": field.name,
            "meaning": told.get(field.name, ""),
            "type": " or ".join(kinds(hint(kind, field))),
            "default": default_of(field),
        }
        for field in parameters(kind).values()
    ]


def parameter_table(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print them."""
    table(
        title,
        [("parameter", False), ("default", False), ("what it is", False)],
        [
            (
                row["parameter"],
                typed(row["default"]),
                f"{row['meaning'].removesuffix('.')} ({row['type']})".lstrip(),
            )
            for row in rows
        ],
    )


def typed(value: Any) -> str:
    """A value as a person writes it."""
    if isinstance(value, tuple):
        return ",".join(map(typed, value)) or "none of them"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
