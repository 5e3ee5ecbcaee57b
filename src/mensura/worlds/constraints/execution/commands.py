"""``mensura constraints run``, ``host`` and ``check-log``: real runs of a problem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.options import Json
from mensura.terminal.output import Files, say, say_where, table

if TYPE_CHECKING:
    from mensura.worlds.constraints.execution.runs import Plan, Run

SHOWN = 40
"""Variables that are printed; all are in the JSON file."""
SHORTEST_TOKEN = 16
SHOWN_AS = {
    "numbers": "numbers in them",
    "checks": "constraint checks",
    "nogood_checks": "checks of learned nogoods",
    "learned_nogoods": "nogoods that were told for the first time",
    "learned_costs": "costs and bounds that were told",
    "obsolete": "obsolete messages",
    "undelivered": "lines that were not sent",
    "unread": "messages that were not read",
    "nccc": "non-concurrent constraint checks",
}
"""What is counted, in words."""

Problem = Annotated[
    Path, typer.Argument(help="A problem: .yaml (pyDCOP), .xml (XCSP, XDisCSP), .col (DIMACS).")
]
Colors = Annotated[
    int | None,
    typer.Option(help="Colors of a DIMACS graph.", show_default="what it says, or 3", min=1),
]


def run(
    file: Problem,
    algorithm: Annotated[
        str, typer.Option("--with", help="The algorithm whose agents solve it, as abt.")
    ] = "abt",
    processes: Annotated[
        int, typer.Option(help="Processes of this machine that agents are dealt to.", min=1)
    ] = 2,
    hosts: Annotated[
        str,
        typer.Option(
            help="Hosts in place of processes, as a:7000,b:7000; each is a `mensura constraints host`."
        ),
    ] = "",
    token_file: Annotated[
        Path | None, typer.Option(help="The file with the token that all hosts know.")
    ] = None,
    actors: Annotated[
        int,
        typer.Option(
            help="Actors of Ray in place of processes, for thousands of agents (`mensura[cluster]`).",
            min=0,
            show_default="none",
        ),
    ] = 0,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter of the algorithm, as rounds=50; may be repeated."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            help="The root of first values and of agents' draws.", min=0, max=(1 << 64) - 1
        ),
    ] = 0,
    order: Annotated[str, typer.Option(help="The static order of agents.")] = "index",
    turns: Annotated[
        int,
        typer.Option(
            help="Turns of an agent at most.",
            min=0,
            show_default="1,000,000; 200 of algorithms that are not complete",
        ),
    ] = 0,
    seconds: Annotated[float, typer.Option(help="Seconds that it may take.", min=0.01)] = 60.0,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Write all turns and letters there, for `mensura constraints check-log`."
        ),
    ] = None,
    colors: Colors = None,
    json: Json = None,
) -> None:
    """Solve a problem by agents in processes or on hosts, who write to each other directly.

    Nobody sees the whole: the coordinator seats agents, starts them and collects their values. A run ends when all
    letters are read, when an agent claims that there is no solution, when a host is lost, or when its time is over.
    """
    from mensura.worlds.constraints.execution.actors import run_by_ray
    from mensura.worlds.constraints.execution.coordinator import run_on_hosts
    from mensura.worlds.constraints.execution.logs import write_log
    from mensura.worlds.constraints.execution.processes import run_in_processes
    from mensura.worlds.constraints.execution.runs import Plan
    from mensura.worlds.constraints.execution.wire import address_of
    from mensura.worlds.constraints.formats import read_problem
    from mensura.worlds.constraints.orders import ORDERS

    files = Files(json=json, log=log)
    if order not in ORDERS:
        raise MensuraError(f"There is no order {order!r}; there are {', '.join(ORDERS)}.")
    plan = Plan(
        read_problem(file, colors=colors),
        algorithm,
        _numbers(given or []),
        seed,
        order,
        turns,
        seconds,
        log is not None,
    )
    if hosts and actors:
        raise MensuraError("--hosts and --actors were both given; a run has one of them.")
    if hosts:
        addresses = [address_of(one.strip()) for one in hosts.split(",")]
        if token_file is None:
            raise MensuraError("--hosts needs --token-file, a file with the token of the hosts.")
        outcome = run_on_hosts(plan, addresses, read_token(token_file))
    elif actors:
        outcome = run_by_ray(plan, actors)
    else:
        outcome = run_in_processes(plan, processes)
    if log is not None:
        write_log(log, outcome.log())
    _show(plan, outcome)
    if log is not None:
        say_where("The log", log)
    files.json(_plain(plan, outcome))


def _numbers(given: list[str]) -> dict[str, float]:
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            equals = ""
        if not equals:
            raise MensuraError(f"--set {one} is no parameter; one is NAME=NUMBER, as rounds=50.")
    return found


def _values(plan: Plan, outcome: Run) -> dict[str, object] | None:
    if outcome.assignment is None or outcome.verdict == "no solution":
        return None
    pairs = zip(plan.problem.variables, outcome.assignment, strict=True)
    return {one.name: one.values[value] for one, value in pairs}


def _show(plan: Plan, outcome: Run) -> None:
    problem, values = plan.problem, _values(plan, outcome)
    if values is not None:
        rows = [
            (one.name, str(values[one.name]), problem.agents[one.agent])
            for one in problem.variables
        ]
        table(problem.name, [("variable", False), ("value", False), ("agent", False)], rows[:SHOWN])
        if len(rows) > SHOWN:
            say(f"{len(rows) - SHOWN} more variables are not shown; --json writes all.")
    table(
        f"What {plan.algorithm} took",
        [("of", False), ("how many", True)],
        [(SHOWN_AS.get(name, name), f"{count:,}") for name, count in outcome.counts.items()],
    )
    say(outcome.sentence)


def _plain(plan: Plan, outcome: Run) -> dict[str, object]:
    problem = plan.problem
    cost = None
    if outcome.assignment is not None:
        cost = (-1.0 if problem.maximize else 1.0) * problem.cost(outcome.assignment)
    return {
        "problem": problem.name,
        "algorithm": plan.algorithm,
        "verdict": outcome.verdict,
        "ended": outcome.ended,
        "values": _values(plan, outcome),
        "utility" if problem.maximize else "cost": cost,
        "sentence": outcome.sentence,
        "counts": dict(outcome.counts),
    }


def host(
    listen: Annotated[
        str, typer.Option(help="Where it listens; port 0: any that is free.")
    ] = "127.0.0.1:0",
    token_file: Annotated[
        Path, typer.Option(help="The file with the token; where there is none, one is made.")
    ] = Path("token"),
    known_as: Annotated[
        str,
        typer.Option(
            help="The address by which other hosts reach it.",
            show_default="that which `run --hosts` names",
        ),
    ] = "",
    once: Annotated[bool, typer.Option("--once", help="Serve one run, then leave.")] = False,
) -> None:
    """Lend this machine to runs: listen for a coordinator, and let agents of it play here, one run after another.

    Only who knows the token can speak to it. What is sent is not encrypted.
    """
    import asyncio

    from mensura.worlds.constraints.execution.host import Host
    from mensura.worlds.constraints.execution.wire import address_of, shown

    address = address_of(listen)
    other = address_of(known_as) if known_as else None
    token = read_token(token_file, make=True)

    async def serve() -> None:
        one = Host(token, other)
        say(f"Listening on {shown(await one.listen(address))}; the token is in {token_file}.")
        try:
            while True:
                await one.served.wait()
                one.served.clear()
                say("A run is over.")
                if once:
                    return
        finally:
            await one.close()

    asyncio.run(serve())


def read_token(path: Path, make: bool = False) -> str:
    """The token in a file; with ``make``, one that is written there where there is none."""
    import os
    import secrets

    try:
        if make and not path.exists():
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(f"{secrets.token_hex(32)}\n")
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "a token has no letters beyond ASCII"
        raise MensuraError(f"The token file {path} cannot be used: {why}.") from error
    if len(token) < SHORTEST_TOKEN:
        raise MensuraError(
            f"The token in {path} has {len(token)} characters; it needs at least {SHORTEST_TOKEN}."
        )
    return token


def check_log(
    file: Problem,
    log: Annotated[Path, typer.Argument(help="What `mensura constraints run --log` wrote.")],
    page: Annotated[
        Path | None,
        typer.Option(help="Write a page there to step through the run, letter by letter."),
    ] = None,
    colors: Colors = None,
) -> None:
    """Play the log of a real run again: the same agents, shown the same letters, have to write the same."""
    from mensura.records.results import write_whole
    from mensura.worlds.constraints.execution.logs import read_log
    from mensura.worlds.constraints.execution.replay import check_log
    from mensura.worlds.constraints.formats import read_problem

    Files(page=page)
    problem = read_problem(file, colors=colors)
    checked = check_log(problem, read_log(log))
    if checked.left_out:
        say(
            f"{checked.left_out:,} turns follow from turns that are not in the log, and were not played again."
        )
    cost = (-1.0 if problem.maximize else 1.0) * problem.cost(checked.assignment)
    what = "utility" if problem.maximize else "cost"
    say(
        f"The log is right: {checked.turns:,} turns, played again by the simulator in the order of their clocks, gave "
        f"the same values, letters and counters; {what} {cost:.12g} after the last, {checked.nccc:,} non-concurrent "
        "constraint checks."
    )
    if page is not None:
        write_whole(page, checked.trace.page())
        say_where("The page", page)
