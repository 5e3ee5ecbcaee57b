"""``mensura reproduce``: a published experiment, its values beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mensura.cli import options
from mensura.cli.output import Files, console, interval, progress, table
from mensura.core.errors import MensuraError


def reproduce(
    name: Annotated[
        str | None, typer.Argument(help="The experiment; without a name, they are listed.")
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes", "-e", help="Environments per value.", show_default="the experiment's own"
        ),
    ] = None,
    seed: options.Seed = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads.", show_default="all cores", min=1)
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            "-o",
            help="Where the HTML report with the figures goes.",
            show_default="NAME.html",
        ),
    ] = None,
    json: options.Json = None,
) -> None:
    """Run a published experiment and print published and measured values side by side."""
    from mensura.cli.reporting import check_can_report
    from mensura.core.experiments import Comparison, Factorial
    from mensura.studies.reproduce import EXPERIMENTS

    if name is None:
        rows = [
            {"name": n, "title": EXPERIMENTS.load(n).title, "source": EXPERIMENTS.load(n).source}
            for n in EXPERIMENTS.names()
        ]
        files = Files(json=json)
        table(
            "Published experiments",
            [("name", False), ("what it is", False), ("source", False)],
            [tuple(row.values()) for row in rows],
        )
        files.json(rows)
        return
    experiment: Any = EXPERIMENTS.load(name)
    if episodes is not None and episodes < 2:
        raise MensuraError(f"{episodes} episodes give no interval; at least 2 are needed.")
    count = episodes or experiment.episodes
    chosen = options.seed_or_fresh(seed)
    check_can_report()
    place = report if report is not None else Path(f"{name}.html")
    files = Files(report=place, json=json)
    if isinstance(experiment, Comparison):
        _compare(experiment, count, chosen, threads, place, files)
    elif isinstance(experiment, Factorial):
        _factorial(experiment, count, chosen, threads, place, files)
    else:
        raise MensuraError(f"The experiment {name} is of a kind that this version cannot run.")
    console().print(f"seed {chosen}")


def _compare(
    experiment: Any, episodes: int, seed: int, threads: int | None, place: Path, files: Files
) -> None:
    from mensura.cli.reporting import write_comparison
    from mensura.studies.reproduce import compare

    total = episodes * sum(len(s.published) for s in experiment.settings) * len(experiment.presets)
    rows = []
    with progress(total) as bar:
        for part in compare(experiment, episodes, seed, bar, threads):
            rows.extend(part)
    for setting in experiment.settings:
        lines = []
        for subject, published in setting.published.items():
            ours = [
                next(
                    row
                    for row in rows
                    if (row.setting, row.subject, row.preset) == (setting.name, subject, preset)
                )
                for preset in experiment.presets
            ]
            lines.append(
                (
                    subject,
                    f"{published.value:+.3f}" + ("*" if published.doubt else ""),
                    *(f"{row.measured:+.3f} {interval(row.low, row.high)}" for row in ours),
                    f"{max(row.spread for row in ours):.4f}",
                )
            )
        table(
            f"{experiment.title}: {setting.name}, {episodes} episodes",
            [
                ("subject", False),
                ("published", True),
                *((f"ours, {preset}", True) for preset in experiment.presets),
                ("spread", True),
            ],
            lines,
        )
    doubts = sorted(
        {
            f"{subject}: {published.doubt}"
            for setting in experiment.settings
            for subject, published in setting.published.items()
            if published.doubt
        }
    )
    console().print("* published by a program with known defects:", markup=False)
    for doubt in doubts:
        console().print(f"  {doubt}", markup=False, soft_wrap=True)
    for note in experiment.notes:
        console().print(note, markup=False)
    files.json([row.to_json() for row in rows])
    write_comparison(experiment, rows, place, seed)


def _factorial(
    experiment: Any, episodes: int, seed: int, threads: int | None, place: Path, files: Files
) -> None:
    from mensura.cli.reporting import write_factors
    from mensura.studies.reproduce import cells_of, factorial

    with progress(episodes * cells_of(experiment)) as bar:
        outcome = factorial(experiment, episodes, seed, bar, threads)
    for factor, cells in outcome.alone.items():
        table(
            f"{factor}, alone",
            [("level", False), ("score", True), ("95% interval", True)],
            [
                (
                    cell.levels[0],
                    f"{cell.score.value:+.3f}",
                    interval(cell.score.low, cell.score.high),
                )
                for cell in cells
            ],
        )
    table(
        "Pairs of factors: shares of the differences between cells",
        [("pair", False), ("first", True), ("second", True), ("interaction", True), ("", False)],
        [
            (
                f"{one} and {other}",
                f"{effect.rows:.0%}",
                f"{effect.columns:.0%}",
                f"{effect.interaction:.0%}",
                "beyond noise" if effect.significant else "",
            )
            for (one, other), effect in outcome.effects.items()
        ],
    )
    for note in experiment.notes:
        console().print(note, markup=False)
    data = [cell.to_json() for group in outcome.alone.values() for cell in group]
    data += [cell.to_json() for grid in outcome.pairs.values() for row in grid for cell in row]
    files.json(data)
    write_factors(experiment, outcome, place, seed)
