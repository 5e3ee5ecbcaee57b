"""``mensura assessments``: how subjects can be assessed."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Annotated, Any

import typer

from mensura.cli.parameters import parameter_table, parameters_of
from mensura.terminal.options import Json
from mensura.terminal.output import Files, say, table


def assessments(
    name: Annotated[
        str | None,
        typer.Argument(
            help="The assessment to describe; without a name, all are listed.", show_default=False
        ),
    ] = None,
    json: Json = None,
) -> None:
    """List the registered assessments, ours and those of other packages, or the parameters of one of them."""
    from mensura.core.registry import ASSESSMENTS

    files = Files(json=json)
    if name is not None:
        kind = ASSESSMENTS.load(name)
        told = parameters_of(kind)
        say(inspect.getdoc(kind) or name)
        parameter_table(f"Parameters of {name}, for --with", told)
        files.json(told)
        return
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
    say(
        "mensura assess SUBJECT --assessment timed --with interactions=1000;"
        " mensura assessments timed says what each is."
    )
    files.json(rows)


def _shown(value: Any) -> str:
    return "-" if value is None else str(value)
