"""Options that commands share, ours and those of worlds, and how a seed is read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mensura.terminal.paper import want

if TYPE_CHECKING:
    from mensura.agent.keys import Key

Format = Annotated[
    str,
    typer.Option(
        "--format",
        callback=want,
        help="How tables are written: text, or for a paper latex (with the package booktabs) or markdown; all else "
        "goes to standard error then.",
    ),
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Also write the table as JSON to this file.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        help="The root of all draws; the same seed gives the same result.", show_default="fresh"
    ),
]


Device = Annotated[
    str | None,
    typer.Option(
        help="Where whole sittings of built-in subjects are played: cpu or gpu (mensura[gpu]). It changes no result.",
        show_default="as the study says, or cpu",
    ),
]


def seed_or_fresh(seed: int | None) -> Key:
    """The seed given, checked, or one that nobody could foresee."""
    from mensura.agent.keys import seed_or_fresh as checked

    return checked(seed)
