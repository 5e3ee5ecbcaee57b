"""``mensura winograd``: sets of Winograd schemas checked, made, read from published files, and calibrated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, say, say_where, table

if TYPE_CHECKING:
    from mensura.worlds.items.winograd.schema import SchemaSet

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Check, make, read and calibrate sets of Winograd schemas.",
    epilog="Begin with `mensura winograd make --pairs 20 -o fresh.yaml`.",
)

SetFile = Annotated[
    str,
    typer.Argument(
        metavar="SET",
        help="A YAML file of schemas, a set that comes with Mensura (winograd-150), or a published file: the text of "
        "WSC273 or DPR, or the XML of the WSC collection.",
    ),
]
PublishedSets = Annotated[
    list[Path] | None,
    typer.Option(
        "--published",
        help="A published set with which no five words in a row may be shared; may be repeated.",
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Write the set to this .yaml file.")]


@app.command("check")
def check(name: SetFile, published: PublishedSets = None, json: Json = None) -> None:
    """Run every test on a set of schemas and name the lines that fail."""
    from mensura.worlds.items.winograd.checks import TESTS, check_set

    files = Files(json=json)
    found, left_out = _read(name)
    checked = check_set(found, [_read(str(one))[0] for one in published or ()])
    for line, sentence in left_out:
        say(f"{name}, line {line}: left out. {sentence}")
    for one in checked.findings:
        where = f"{name}, line {one.line}" if one.line else name
        say(f"{where}: {one.test}. {one.sentence}")
    failed = {one.test for one in checked.findings}
    asked = [test for test in TESTS if test != "published" or published]
    table(
        f"{found.name}: {len(found.schemas)} pairs, {found.calibration}",
        [("test", False), ("what is asked", False), ("failed", True)],
        [
            (test, TESTS[test], str(sum(one.test == test for one in checked.findings)))
            for test in asked
        ],
    )
    say(
        "Partial input is tested by a table of associations and by counts within the set, not by embeddings."
    )
    for scorer in checked.scorers:
        say(
            f"Partial input: {scorer.name} get {scorer.right:.1%} of {scorer.halves} halves right, and have a "
            f"preference in {scorer.preferring}."
        )
    if checked.unknown:
        say(
            f"{checked.unknown} schemas have a name, or a word that WordNet does not know, as a candidate; that their "
            "candidates are of one kind was not tested."
        )
    if found.calibration != "calibrated":
        say(
            "Whether people agree on the answers was not tested: that takes people (`mensura winograd calibrate`)."
        )
    files.json(
        {
            "set": found.name,
            "pairs": len(found.schemas),
            "calibration": found.calibration,
            "left_out": [{"line": line, "why": why} for line, why in left_out],
            "findings": [vars(one) for one in checked.findings],
            "partial_input": [vars(one) for one in checked.scorers],
            "unknown_kinds": checked.unknown,
        }
    )
    if failed:
        raise typer.Exit(1)


@app.command("make")
def make(
    output: Output,
    pairs: Annotated[int, typer.Option(help="How many pairs.", min=1)] = 200,
    depth: Annotated[
        int | None,
        typer.Option(help="How many facts have to be combined, 1 to 3.", show_default="any"),
    ] = None,
    published: PublishedSets = None,
    seed: Seed = None,
) -> None:
    """Make fresh pairs from our frames, with candidates of one kind."""
    from mensura.records.results import write_whole
    from mensura.worlds.items.winograd.files import set_text
    from mensura.worlds.items.winograd.frames import frames
    from mensura.worlds.items.winograd.making import make_set

    Files(output=output)
    _check_yaml(output)
    root = seed_or_fresh(seed)
    made = make_set(
        pairs, root, depth, [_read(str(one))[0] for one in published or ()], output.stem
    )
    write_whole(output, set_text(made))
    used = len({one.frame for one in made.schemas})
    known = sum(depth is None or one.depth == depth for one in frames())
    say(
        f"{len(made.schemas)} pairs from {used} of {known} frames, seed {root}; they are {made.calibration}."
    )
    if not published:
        say(
            "No published set was named, so it was not tested whether five words in a row are those of one."
        )
    say_where("The set", output)


@app.command("read")
def read(name: SetFile, output: Output) -> None:
    """Write a published set as a YAML file, halves matched to pairs."""
    from mensura.records.results import write_whole
    from mensura.worlds.items.winograd.files import set_text

    Files(output=output)
    _check_yaml(output)
    found, left_out = _read(name)
    for line, sentence in left_out:
        say(f"{name}, line {line}: left out. {sentence}")
    write_whole(output, set_text(found))
    say(f"{len(found.schemas)} pairs; {len(left_out)} entries were left out.")
    say_where("The set", output)


@app.command("calibrate")
def calibrate(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A study of people on a set.")],
    output: Output,
    dropped: Annotated[
        Path | None,
        typer.Option(
            help="Write what was dropped, and why, to this JSON file.",
            show_default="beside the set",
        ),
    ] = None,
    subject: Annotated[str, typer.Option(help="Whose answers count.")] = "people",
    by: Annotated[
        str,
        typer.Option(
            help="A question of the study by which people describe themselves: agreement by group.",
            show_default="not by group",
        ),
    ] = "",
    store: Annotated[
        Path | None, typer.Option(help="The store.", show_default="that of this folder")
    ] = None,
) -> None:
    """Keep the pairs on which people agree, and write down why the others were dropped."""
    from mensura.records.results import write_json, write_whole
    from mensura.worlds.items.winograd.calibration import (
        AGREEMENT,
        FEWEST,
        agreement_by_group,
        kept,
        verdicts,
    )
    from mensura.worlds.items.winograd.files import set_text
    from mensura.worlds.items.winograd.kept_answers import answers_in

    beside = dropped or output.with_suffix(".dropped.json")
    Files(output=output, dropped=beside)
    _check_yaml(output)
    read_answers = answers_in(run, subject, store, by)
    found, answers, people = read_answers[:3]
    judged = verdicts(len(found.schemas), answers)
    stay = kept(found, judged)
    groups = agreement_by_group(read_answers.by_group, read_answers.members)
    lost = [
        {"pair": one.schema + 1, "sentence": found.schemas[one.schema].sentence, "why": one.why}
        for one in judged
        if not one.stays
    ]
    say(
        f"{people} sittings; a half stays if at least {FEWEST} people answered it and the lower 95% bound of agreement "
        f"is at least {AGREEMENT:.2f}, a pair if both halves do."
    )
    say(f"{len(stay.schemas)} of {len(found.schemas)} pairs stay; {len(lost)} are dropped.")
    if groups:
        table(
            f"Agreement by group ({by})",
            [
                ("group", False),
                ("people", True),
                ("answers", True),
                ("agree", True),
                ("both", True),
            ],
            [
                (
                    one.group,
                    str(one.people),
                    str(one.answers),
                    f"{one.agree:.0%}",
                    f"{one.both:.0%}",
                )
                for one in groups
            ],
        )
    write_json(
        beside, {"set": found.name, "dropped": lost, "groups": [vars(one) for one in groups]}
    )
    say_where("Why pairs were dropped", beside)
    if not stay.schemas:
        raise MensuraError("No pair stays, so no set was written.")
    write_whole(output, set_text(stay))
    say_where("The set", output)


@app.command("scale")
def scale(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="A study of people on a set, and runs of machines on the same."
        ),
    ],
    subject: Annotated[str, typer.Option(help="How people are called in these runs.")] = "people",
    store: Annotated[
        Path | None, typer.Option(help="The store.", show_default="that of this folder")
    ] = None,
    json: Json = None,
) -> None:
    """Put people and machines who answered one set on one item-response scale."""
    from mensura.worlds.items.winograd.common_scale import common_scale

    files = Files(json=json)
    found = common_scale(runs, subject, store)
    fit = found.fit
    order = sorted(fit.people, key=lambda one: fit.people[one].value)
    shown = {
        "person, least able": order[0],
        "person, in the middle": order[len(order) // 2],
        "person, most able": order[-1],
    }
    rows = [(name, fit.people[one], found.right[one]) for name, one in shown.items()]
    rows += [(str(one), known, found.right[one]) for one, known in fit.machines.items()]
    table(
        f"{found.schemas.name}: ability, in log-odds of a right answer; the mean of people is 0",
        [
            ("who", False),
            ("ability", True),
            ("95% interval", True),
            ("right", True),
            ("answers", True),
        ],
        [
            (
                name,
                f"{one.value:+.2f}",
                f"[{one.low:+.2f}, {one.high:+.2f}]",
                f"{share:.0%}",
                str(one.n),
            )
            for name, one, share in sorted(rows, key=lambda row: -row[1].value)
        ],
    )
    say(
        f"{len(fit.people)} people, whose abilities have a standard deviation of {fit.spread.value:.2f} "
        f"[{fit.spread.low:.2f}, {fit.spread.high:.2f}], and {len(fit.machines)} machines; {fit.answers} answers to "
        f"{len(fit.items)} halves, by Rasch's model. Guessing has an ability, too: that of who gets as much right."
    )
    files.json(found.to_json())


def _read(name: str) -> tuple[SchemaSet, tuple[tuple[int, str], ...]]:
    from mensura.worlds.items.winograd.files import parse_set, samples, text_of
    from mensura.worlds.items.winograd.readers import read_any

    if name in samples():
        return parse_set(text_of(name), name), ()
    found = read_any(Path(name).expanduser())
    return found.found, found.left_out


def _check_yaml(path: Path) -> None:
    if path.suffix not in (".yaml", ".yml"):
        raise MensuraError(f"A set is written to a file that ends in .yaml, not to {path.name}.")
