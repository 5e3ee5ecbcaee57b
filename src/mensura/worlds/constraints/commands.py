"""``mensura constraints``: problems of distributed constraints as a whole: families, solving a file, and real runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mensura.terminal.options import Json
from mensura.terminal.output import Files, say, table
from mensura.worlds.constraints.execution.commands import check_log, host, run

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Solve problems of distributed constraints in files, also by agents in several processes or on several "
    "machines, and list the families of problems.",
    epilog="Begin with `mensura tasks make coloring --world constraints -o p.yaml` and "
    "`mensura constraints solve p.yaml`.",
)

SHOWN = 40
"""Variables that are printed; all are in the JSON file."""


@app.command("solve")
def solve(
    file: Annotated[
        Path, typer.Argument(help="A problem: .yaml (pyDCOP), .xml (XCSP, XDisCSP), .col (DIMACS).")
    ],
    solver: Annotated[
        str,
        typer.Option(
            "--with", help="Who solves it: central (CP-SAT), brute, or an algorithm, as dpop."
        ),
    ] = "central",
    seconds: Annotated[
        float,
        typer.Option(
            help="Effort that the solver may take, in about seconds of one core.", min=0.01
        ),
    ] = 10.0,
    colors: Annotated[
        int | None,
        typer.Option(help="Colors of a DIMACS graph.", show_default="what it says, or 3", min=1),
    ] = None,
    json: Json = None,
) -> None:
    """Solve the problem in a file, and say what is proven."""
    from mensura.worlds.constraints.formats import read_problem
    from mensura.worlds.constraints.solvers import solve_with

    files = Files(json=json)
    problem = read_problem(file, colors=colors)
    outcome = solve_with(solver, problem, seconds)
    values: dict[str, object] = {}
    cost = None
    if outcome.assignment is not None:
        cost = (-1.0 if problem.maximize else 1.0) * problem.cost(outcome.assignment)
        rows = [
            (one.name, str(one.values[index]), problem.agents[one.agent])
            for one, index in zip(problem.variables, outcome.assignment, strict=True)
        ]
        values = {
            one.name: one.values[index]
            for one, index in zip(problem.variables, outcome.assignment, strict=True)
        }
        table(problem.name, [("variable", False), ("value", False), ("agent", False)], rows[:SHOWN])
        if len(rows) > SHOWN:
            say(f"{len(rows) - SHOWN} more variables are not shown; --json writes all.")
    if outcome.effort:
        table(
            f"What {solver} took",
            [("of", False), ("how many", True)],
            [
                (name, f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.1f}")
                for name, amount in outcome.effort.items()
            ],
        )
    say(outcome.sentence)
    files.json(
        {
            "problem": problem.name,
            "solver": solver,
            "values": values if outcome.assignment is not None else None,
            "utility" if problem.maximize else "cost": cost,
            "sentence": outcome.sentence,
            "effort": outcome.effort or None,
        }
    )


@app.command("explain")
def explain(
    file: Annotated[
        Path, typer.Argument(help="A problem: .yaml (pyDCOP), .xml (XCSP, XDisCSP), .col (DIMACS).")
    ],
    solver: Annotated[str, typer.Option("--with", help="The algorithm, as abt.")] = "abt",
    seed: Annotated[
        int, typer.Option(help="The root of all draws; the same seed tells the same.", min=0)
    ] = 0,
    turns: Annotated[int, typer.Option(help="Turns that are told at most.", min=1)] = 40,
    colors: Annotated[
        int | None,
        typer.Option(help="Colors of a DIMACS graph.", show_default="what it says, or 3", min=1),
    ] = None,
) -> None:
    """Tell turn by turn which letters the agents of an algorithm write, and why they act so."""
    from mensura.worlds.constraints.formats import read_problem
    from mensura.worlds.constraints.telling import told

    for line in told(read_problem(file, colors=colors), solver, seed, turns):
        say(line)


app.command("run")(run)
app.command("host")(host)
app.command("check-log")(check_log)


@app.command("families")
def families(json: Json = None) -> None:
    """List the families of problems and their parameters: `mensura tasks make FAMILY --world constraints --set n=9`."""
    from mensura.worlds.constraints.generators import FAMILIES

    files = Files(json=json)
    rows = [
        (family.name if first else "", name, str(one.default) or "-", one.help)
        for family in FAMILIES.values()
        for first, (name, one) in zip(
            (True, *[False] * 99), family.parameters.items(), strict=False
        )
    ]
    table(
        "Families of problems",
        [("family", False), ("parameter", False), ("default", True), ("what it is", False)],
        rows,
    )
    files.json(
        {
            family.name: {
                "what": family.help,
                "parameters": {
                    name: {"default": one.default, "what": one.help}
                    for name, one in family.parameters.items()
                },
            }
            for family in FAMILIES.values()
        }
    )
