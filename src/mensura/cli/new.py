"""``mensura new``: a world, an agent, an assessment or a study to begin with, as a package that passes its test."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mensura.terminal.output import say, say_where


def new(
    kind: Annotated[str, typer.Argument(help="What: world, agent, assessment or study.")],
    name: Annotated[
        str, typer.Argument(help="Its name, as my-world: small letters, digits and hyphens.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where the new folder comes.", show_default="this folder"
        ),
    ] = None,
) -> None:
    """Write a package to begin with: code, a test that passes, and the line by which Mensura finds it.

    `mensura new world treasure` makes the folder `treasure`; install it with `pip install -e treasure`, and every
    command knows the world `treasure`.
    """
    from mensura.api.scaffolding import write_package

    place = write_package(kind, name, output)
    say_where(f"The {kind} {name}", place)
    for file in sorted(one for one in place.rglob("*") if one.is_file()):
        say(f"  {file.relative_to(place)}")
    say(f"Next:  pip install -e {place}  and  pytest {place}")
