"""``mensura analogy ratings``: analogies that invited readers rate in the browser, and how far they agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, say, say_where, status, table

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Let invited readers rate analogies: novel, useful, challenging.",
    epilog="Begin with `mensura analogy ratings make ferry.txt=kite.txt granary.txt=archive.txt -o study.yaml`; make a "
    "study of that file in `mensura serve`.",
)

LONGEST_FILE = 500_000
"""So many characters of a study file the pages take."""


@app.command("make")
def make(
    pairs: Annotated[
        list[str],
        typer.Argument(
            metavar="PAIR...", help="Two texts (.txt, .md, .pdf), as ferry.txt=kite.txt."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The study file.")] = Path(
        "ratings.yaml"
    ),
    name: Annotated[str, typer.Option(help="What the study is called.")] = "ratings",
    places: Annotated[int, typer.Option(help="How many may take part.", min=1, max=100_000)] = 50,
    part: Annotated[
        str, typer.Option("--part", help="What of each text is read: all, or its abstract.")
    ] = "all",
    seed: Seed = None,
) -> None:
    """Write a study file: everybody reads each pair of texts with what corresponds in them, and rates it.

    Pairs come in orders that are balanced over people. `mensura serve` has a page that makes a study of the file.
    """
    from json import loads

    import yaml

    from mensura.records.results import write_whole
    from mensura.studies.expand import places_of
    from mensura.studies.files import parse_study
    from mensura.texts.evaluations.ratings import study_of
    from mensura.texts.reading import part_of
    from mensura.web.people.fitting import for_people

    Files(output=output)
    part_of("abstract", part, "")  # refuses what is unknown
    with status("Mapping"):
        made = study_of([_pair(one) for one in pairs], name, places, seed_or_fresh(seed), part)  # type: ignore[arg-type]
    text = yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=100)
    if len(text) > LONGEST_FILE:
        raise MensuraError(
            f"The study file would have {len(text)} characters, and the pages take {LONGEST_FILE}: name fewer pairs, "
            "or shorter texts."
        )
    file = parse_study(text, str(output))
    with file.located():
        list(places_of(for_people(file.study)))
    write_whole(output, text)
    for one in made["worlds"]:
        count = len(loads(one["parameters"]["analogy"])["pairs"])
        say(f"{one['name']}: {count} {'pair corresponds' if count == 1 else 'pairs correspond'}.")
    say_where("The study file", output)


def _pair(text: str) -> tuple[Path, Path]:
    source, mark, target = text.partition("=")
    if not mark or not source.strip() or not target.strip():
        raise MensuraError(f"{text}: a pair is written SOURCE=TARGET, as ferry.txt=kite.txt.")
    return Path(source.strip()), Path(target.strip())


@app.command("read")
def read(
    study: Annotated[str, typer.Argument(help="The name of the study.")],
    store: options.StoreOption = None,
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
    ] = None,
    json: Json = None,
) -> None:
    """Say how analogies were rated, how far raters agree, and what they commented.

    Everybody's ratings count, of those too who have not finished; who withdrew and who was in the pilot are left out.
    """
    from mensura.reports.analogy_ratings_page import (
        AGREEMENT,
        COMMENTS,
        MEANS,
        agreement_rows,
        comment_rows,
        found,
        mean_rows,
        ratings_page,
    )
    from mensura.texts.evaluations.ratings import agreements, means
    from mensura.web.people.rated import ratings_in

    files = Files(json=json, report=report)
    rated = ratings_in(store, study)
    if not rated.ratings:
        for sentence in rated.left_out:
            say(sentence)
        raise MensuraError(f"Nobody has rated anything in the study {study} yet.")
    agreed = agreements(rated.ratings, rated.seed)
    by_pair = means(rated.ratings)
    table("Mean ratings, 1 to 5, and of how many", MEANS, mean_rows(by_pair))
    table("Agreement: Krippendorff's alpha, interval scale", AGREEMENT, agreement_rows(agreed))
    comments = comment_rows(rated.ratings)
    if comments:
        table("Comments", COMMENTS, comments)
    for sentence in [*found(rated.ratings, agreed), *rated.left_out]:
        say(sentence)
    files.json({
        "study": study,
        "ratings": [one._asdict() for one in rated.ratings],
        "means": {
            pair: {scale: {"mean": mean, "ratings": count} for scale, (mean, count) in own.items()}
            for pair, own in by_pair.items()
        },
        "agreement": {
            one.scale: {
                "mean": one.mean,
                "alpha": None if one.alpha is None else one.alpha.value,
                "low": None if one.alpha is None else one.alpha.low,
                "high": None if one.alpha is None else one.alpha.high,
                "published": one.published,
            }
            for one in agreed
        },
        "left_out": rated.left_out,
    })  # fmt: skip
    if report is not None:
        from mensura.records.results import write_whole

        write_whole(report, ratings_page(study, rated.ratings, agreed, rated.left_out))
        say_where("The report", report)
