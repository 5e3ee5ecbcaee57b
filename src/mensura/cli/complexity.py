"""``mensura complexity``: the cheapest programs that print a series of letters, and what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.options import Format, Json
from mensura.terminal.output import Files, say, status, table
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from mensura.complexity.c_test.judgment import Judgment
    from mensura.complexity.c_test.search import Candidate, Explanation


def complexity(
    series: Annotated[
        list[str],
        typer.Argument(help="Its letters, as in 'a a z c y e x'; one may be left out (_)."),
    ],
    length: Annotated[
        int, typer.Option(help="Try programs of up to so many instructions.", show_default=True)
    ] = 10,
    seconds: Annotated[
        float, typer.Option(help="Stop after this time, and say how far it got.")
    ] = 60.0,
    machine: Annotated[
        str,
        typer.Option(
            help="Another reading of the machine: start=LETTER of the registers, short=DISTANCE and medium=DISTANCE of "
            "the jumps LOOPS and LOOPM, reads for an instruction that reads the last letter; several with commas.",
            show_default="start=a,short=4,medium=7",
        ),
    ] = "",
    json: Json = None,
    form: Format = TEXT,
) -> None:
    """Tell the complexity of a series of letters by the C-test's machine, and what comes next.

    Kt is the length of the cheapest program that prints the series, in instructions, plus log2 of its steps; k is the
    published scale. Rivals are programs for another letter that cost at most 2 more.
    """
    from mensura.complexity.c_test.judgment import judge
    from mensura.complexity.c_test.machine import read_machine
    from mensura.complexity.c_test.search import explain

    files = Files(json=json)
    try:
        with status("Trying programs") as tell:

            def progress(tried: int, spent: float) -> None:
                tell(f"Trying programs of {tried} instructions ({spent:.0f} s)")

            found = explain(
                " ".join(series),
                length=length,
                seconds=seconds,
                machine=read_machine(machine),
                progress=progress,
            )
            judged = judge(found, progress=progress)
    except ValueError as error:
        raise MensuraError(str(error)) from None
    _show(found, judged)
    files.json(_plain(found, judged))


def _show(found: Explanation, judged: Judgment) -> None:
    from mensura.complexity.c_test.instructions import LETTERS, letters_text

    blank = found.ask < len(found.series)
    if found.candidates:
        best = found.candidates[0]
        table(
            f"{found.text}: {'the blank' if blank else 'what comes next'}",
            [("letter", False), ("Kt", True), ("more", True), ("k", True), ("program", False)],
            [
                [
                    LETTERS[one.letter] if one.letter is not None else "",
                    f"{one.kt:.2f}",
                    f"{one.kt - best.kt:.2f}",
                    _k(one),
                    one.text,
                ]
                for one in found.candidates
            ],
        )
    if found.cheapest is None:
        say("No program was found that prints this series.")
    else:
        say(f"Kt {found.cheapest.kt:.2f}, k {_k(found.cheapest)}: {found.cheapest.text}")
        more = found.continuation(6)
        say(f"It goes on: {letters_text(more)}" if more else "It ends after the series.")
    failed = judged.failed
    if failed is None:
        say("Unquestionable: all four conditions hold.")
    elif failed.holds is None:
        say(f"Whether it is unquestionable was not settled ({failed.name}): {failed.sentence}.")
    else:
        say(f"Not unquestionable ({failed.name}): {failed.sentence}.")
    why = "" if found.finished else "; the time was up"
    say(
        f"All programs up to length {found.length} were tried{why}. Any other costs at least {found.bound:.2f}. "
        f"Programs that take more than {found.steps} steps do not count."
    )


def _k(one: Candidate) -> str:
    return "-" if one.k is None else str(one.k)


def _plain(found: Explanation, judged: Judgment) -> dict[str, Any]:
    """All of it as data."""
    from mensura.complexity.c_test.instructions import LETTERS, letters_text

    def plain(one: Candidate) -> dict[str, Any]:
        return {
            "letter": None if one.letter is None else LETTERS[one.letter],
            "program": one.text,
            "length": len(one.program),
            "steps": one.steps,
            "kt": one.kt,
            "k": one.k,
        }

    return {
        "series": found.text,
        "asked_place": found.ask,
        "machine": {
            "start": found.machine.start,
            "short": found.machine.short,
            "medium": found.machine.medium,
            "reads": found.machine.reads,
        },
        "kt": found.kt,
        "k": None if found.cheapest is None else found.cheapest.k,
        "cheapest": None if found.cheapest is None else plain(found.cheapest),
        "continuation": letters_text(found.continuation(6)),
        "letters": [plain(one) for one in found.candidates],
        "margin": found.margin,
        "unquestionable": judged.unquestionable,
        "conditions": [
            {"name": one.name, "holds": one.holds, "found": one.sentence}
            for one in judged.conditions
        ],
        "tried_length": found.length,
        "tried_steps": found.steps,
        "finished": found.finished,
        "others_cost_at_least": found.bound,
    }
