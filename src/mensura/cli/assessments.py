"""``mensura assessments``: how subjects can be assessed."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

from mensura.cli import options
from mensura.cli.output import Files, say, table


def assessments(json: options.Json = None) -> None:
    """List the registered assessments with what they can be told, ours and those of other packages."""
    from mensura.core.registry import ASSESSMENTS

    files = Files(json=json)
    rows: list[dict[str, Any]] = []
    for name in ASSESSMENTS.names():
        kind = ASSESSMENTS.load(name)
        rows.append(
            {
                "assessment": name,
                "about": (inspect.getdoc(kind) or "").partition("\n")[0],
                "parameters": {field.name: field.default for field in fields(kind)},
            }
        )
    table(
        "Assessments",
        [("assessment", False), ("what it is", False), ("parameters and defaults", False)],
        [
            (
                row["assessment"],
                row["about"],
                ", ".join(f"{name}={_shown(value)}" for name, value in row["parameters"].items()),
            )
            for row in rows
        ],
    )
    say("mensura assess SUBJECT --assessment timed --with interactions=1000")
    files.json(rows)


def _shown(value: Any) -> str:
    return "-" if value is None else str(value)
