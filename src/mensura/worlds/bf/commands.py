"""``mensura bf``: programs of the universal machine by hand."""

from __future__ import annotations

from typing import Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.options import Json
from mensura.terminal.output import Files, console, say, table

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Run programs of the world bf by hand.",
    epilog="Begin with `mensura bf run ',.#' --actions 0142`.",
)

Program = Annotated[
    str, typer.Argument(metavar="PROGRAM", help="Instructions < > + - , . % [ ] and # at the end.")
]
Symbols = Annotated[int, typer.Option(help="How many symbols there are.", min=2, max=62)]
Cells = Annotated[int, typer.Option(help="How many of them are observed at a time.", min=1, max=16)]

REACH = 6
"""Cells of the work tape to each side of the pointer that are shown."""


@app.callback()
def _several() -> None:
    """Keep ``run`` a command of its own."""


@app.command("run")
def run(
    program: Program,
    actions: Annotated[
        str, typer.Option("--actions", "-a", help="Actions, one symbol each.")
    ] = "0123401234",
    symbols: Symbols = 5,
    cells: Cells = 1,
    seed: Annotated[int, typer.Option(help="What % draws from.")] = 0,
    json: Json = None,
) -> None:
    """Run a program on some actions and show what it writes, how long it takes, and its tape."""
    from mensura.worlds.bf.environment import BFEnvironment
    from mensura.worlds.bf.programs import SYMBOLS
    from mensura.worlds.bf.world import BF

    chosen = [SYMBOLS.find(one) for one in actions]
    for place, (letter, action) in enumerate(zip(actions, chosen, strict=True), 1):
        if not 0 <= action < symbols:
            raise MensuraError(
                f"Action {place} is {letter!r}; with {symbols} symbols actions are 0 to {SYMBOLS[symbols - 1]}."
            )
    if not chosen:
        raise MensuraError("There is no action to run the program on; give some by --actions.")
    if not program:
        raise MensuraError("The program is empty; the shortest one is #.")
    world = BF(symbols=symbols, cells=cells, program=program, horizon=len(chosen))
    one = world.upright(world.sample(0))
    environment = BFEnvironment(one)
    environment.reset(seed)
    rows, data = [], []
    for action in chosen:
        turn = environment.step([action])
        steps = environment.steps
        written = environment.outputs()
        tape = "".join(SYMBOLS[symbol] for symbol in environment.tape(REACH))
        marked = f"{tape[:REACH]}({tape[REACH]}){tape[REACH + 1 :]}"
        reward = float(turn.rewards[0])
        seen = " ".join(SYMBOLS[symbol] for symbol in written[1:])
        void = " (the limit)" if steps >= world.limit else ""
        rows.append([SYMBOLS[action], f"{reward:+.2f}", seen, f"{steps}{void}", marked])
        data.append({"action": action, "reward": reward, "observed": written[1:], "steps": steps})
    columns = [("action", False), ("reward", True), ("observed", False), ("steps", True)]
    table(program, [*columns, ("tape around the pointer", False)], rows)
    console().print(
        f"length {len(program)}, kt {world.complexity(one, 'kt'):.2f}, stratum {world.stratum(one)}"
    )
    files = Files(json=json)
    files.json(data)
    say("Rewards are negated in half of the environments that are drawn.")
