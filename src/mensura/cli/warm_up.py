"""``mensura warm-up``: compile everything now, so that no later command has to."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.core.registry import WORLDS
from mensura.terminal.output import complain, say, status


def warm_up(
    worlds: Annotated[
        list[str] | None,
        typer.Argument(
            help="Which worlds: `mensura worlds list`.", metavar="[WORLD ...]", show_default="all"
        ),
    ] = None,
    preset: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this preset; may be repeated, and takes one world.", show_default="all"
        ),
    ] = None,
) -> None:
    """Compile all that commands would compile when they first need it; it is kept for the next time.

    It takes minutes once, and seconds when all is there already. A new version of Mensura or of Numba compiles anew.
    """
    from mensura.agent.errors import neighbors
    from mensura.core.abilities import presets
    from mensura.studies.warming import warm_up as warm

    names = list(dict.fromkeys(worlds or WORLDS.names()))
    if preset and len(names) != 1:
        raise MensuraError(
            "--preset belongs to one world; name it, as: mensura warm-up lambda-star"
        )
    for one in preset or ():
        known = presets(WORLDS.load(names[0]))
        if one not in known:
            raise MensuraError(f"{one!r} is no preset of {names[0]}; {neighbors(one, list(known))}")
    begun = perf_counter()
    with status("Compiling") as tell:
        for name in names:
            try:
                for about in warm(name, preset or ()):
                    tell(f"Compiling for {about}")
            except MensuraError as error:
                if worlds:
                    raise
                complain(
                    f"mensura: {error}"
                )  # one world that cannot be made keeps nobody from the others
    say(f"Compiled: {', '.join(names)}, in {perf_counter() - begun:.0f} s.")
