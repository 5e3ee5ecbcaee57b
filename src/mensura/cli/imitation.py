"""``mensura imitation``: machines rehearse the imitation game before judges who are programs, or talk with you."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, console, say, say_where, table

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Rehearse the imitation game with judges who are programs, or talk with a machine.",
    epilog="Begin with `mensura imitation rehearse eliza parrot --games 20`.",
)

BY_MACHINES = "Judged by machines: this is a rehearsal, and says nothing of what people would find."


@app.command("rehearse")
def rehearse(
    machines: Annotated[
        list[str],
        typer.Argument(metavar="MACHINE...", help="Who is to be taken for a person: addresses."),
    ],
    judges: Annotated[
        list[str] | None,
        typer.Option("--judges", help="A judge; may be repeated.", show_default="skeptic"),
    ] = None,
    person: Annotated[
        str, typer.Option(help="Who stands in for the person: replay says what people wrote.")
    ] = "replay",
    games: Annotated[int, typer.Option(help="Games of each machine.", min=1)] = 40,
    preset: options.Preset = "three-party",
    exchange: Annotated[
        str, typer.Option(help="alternating: strict turns; open: whoever speaks first is heard.")
    ] = "alternating",
    seed: Seed = None,
    name: Annotated[
        str, typer.Option(help="Keep the run under this name.", show_default="made up")
    ] = "",
    store: options.StoreOption = None,
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="What language models may cost in all.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Go ahead, whatever it takes.")] = False,
    json: Json = None,
) -> None:
    """Let machines play before judges who are programs: no people are needed, and none are spoken for."""
    from mensura.api.imitation_games import games_of, machine_results
    from mensura.api.imitation_games import rehearse as played
    from mensura.records.conversation import uncounted
    from mensura.records.store import open_store

    files = Files(json=json, report=report)
    root = seed_or_fresh(seed)
    called = name or f"imitation-{root:016x}"
    played(
        machines,
        judges or ["skeptic"],
        person=person,
        games=games,
        preset=preset or "three-party",
        exchange=exchange,
        seed=root,
        name=called,
        store=store,
        progress=True,
        max_cost=max_cost,
        confirm=yes,
    )
    with open_store(store) as records:
        run = records.find(called)
        found = games_of(records, run)
    results = machine_results(found)
    show_results(results)
    for sentence in uncounted(found):
        say(sentence)
    tell_style(found)
    say(BY_MACHINES)
    say(
        f"The run is {called}, seed {root}; `mensura report {called} -o verdict.html` writes it down."
    )
    if report is not None:
        from mensura.records.results import write_whole
        from mensura.reports.imitation_page import imitation_page

        write_whole(report, imitation_page(found, results, f"Rehearsal {called}"))
        say_where("The report", report)
    files.json([plain_result(one) for one in results])


def show_results(results: Any) -> None:
    """Print how often each machine was taken for the person, and the tests by name."""
    table(
        "How often each machine was taken for the person",
        [
            ("machine", False),
            ("taken for the person", True),
            ("95% interval", True),
            ("games", True),
            ("void", True),
            ("judges", True),
            ("turing-1950", False),
            ("indistinguishable", False),
            ("games more", True),
        ],
        [
            (
                one.machine,
                f"{one.won:.0%}",
                f"[{one.low:.0%}, {one.high:.0%}]",
                str(one.games),
                str(one.void),
                str(one.identified.judges),
                *("met" if test.met else "not met" for test in one.tests),
                _more(one),
            )
            for one in results
        ],
    )
    for one in results:
        for test in one.tests:
            console().print(f"{one.machine}: {test.sentence}", soft_wrap=True)
    if any(not one.identified.over_judges for one in results):
        say("With one judge, intervals are over games: they hold for this judge alone.")


def _more(one: Any) -> str:
    """How many more games would settle turing-1950."""
    if one.tests[0].met:
        return ""
    if one.more is None:
        return "none would do"
    return str(one.more) if one.more else "more judges"


def tell_style(games: Any) -> None:
    """Say how well style alone identifies machines, where there are games enough."""
    from mensura.statistics.style import style_of

    style = style_of(games)
    if style is None:
        return
    judged = [1.0 - one.won for one in games if not one.void]
    say(
        f"Style alone, a logistic regression that knows nothing of what is said, identifies {style.right:.0%} of "
        f"{style.games} games; judges identified {sum(judged) / len(judged):.0%}. It goes mostly by "
        f"{style.weights[0][0]} and {style.weights[1][0]}."
    )


def plain_result(one: Any) -> dict[str, Any]:
    """What games of one machine show, as plain data."""
    return {
        "machine": one.machine,
        "won": one.won,
        "low": one.low,
        "high": one.high,
        "games": one.games,
        "void": one.void,
        "judges": one.identified.judges,
        "tests": {test.name: test.met for test in one.tests},
        "more_games": one.more,
        "judged_by": "machines",
    }


@app.command("as-often")
def as_often(
    machine_run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="Games in which a machine pretends (gender-machine)."),
    ],
    people_run: Annotated[
        str, typer.Argument(metavar="RUN", help="Games in which a person pretends (gender).")
    ],
    store: options.StoreOption = None,
) -> None:
    """Turing's own question: do judges err as often with a machine in the game as with people?"""
    from mensura.api.imitation_games import compared_as_often
    from mensura.records.store import open_store

    with open_store(store, create=False) as records:
        verdict = compared_as_often(records, machine_run, people_run)
    say(verdict.sentence)
    say(
        "Where judges, or who pretends, are programs, this is a rehearsal, and says nothing of what people would find."
    )


@app.command("lines")
def lines(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Games of people.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The YAML file to write.")],
    store: options.StoreOption = None,
) -> None:
    """Write what people answered as witnesses, for replay:FILE; only of games in which all have allowed it."""
    import yaml

    from mensura.api.imitation_games import games_of, lines_of
    from mensura.records.results import write_whole
    from mensura.records.store import open_store

    Files(output=output)
    if output.suffix not in (".yaml", ".yml"):
        raise MensuraError(f"Lines are written to a file that ends in .yaml, not to {output.name}.")
    with open_store(store, create=False) as records:
        games = games_of(records, records.find(run))
    found = lines_of(games)
    if not found:
        raise MensuraError(
            f"The run {run} has no game in which people answered and all of them allowed its further use."
        )
    write_whole(output, yaml.safe_dump([list(one) for one in found], allow_unicode=True))
    say(f"{len(found)} answers; whoever withdraws later is left out when the file is written anew.")
    say_where("The lines", output)


@app.command("talk")
def talk(
    machine: Annotated[str, typer.Argument(help="Whom to talk with: any address.")] = "eliza",
    seed: Seed = None,
) -> None:
    """Talk with a machine in the terminal; an empty line ends it."""
    from mensura.api.imitation_games import Talk

    one = Talk(machine, seed_or_fresh(seed))
    say("You are talking with a machine. An empty line ends it.")
    try:
        while True:
            try:
                line = input("> ").strip()
            except EOFError:
                break
            if not line:
                break
            console().print(one.answer(line) or "(silence)", soft_wrap=True)
    finally:
        one.close()
