"""``mensura reproduce``: a published experiment, its values beside ours."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli.groups import SpendingOptions
from mensura.cli.reproduce_games import GamesOptions
from mensura.cli.reproduce_models import Outputs, StudyOfModels, reproduce_models
from mensura.cli.reproduce_rehearsal import is_rehearsal, reproduce_rehearsal
from mensura.cli.scores import study_table
from mensura.reports.number_words import ends, interval, signed
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Device, Format, Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, console, say_where, status, table
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from mensura.api.expectations import Stated, Wanted
    from mensura.records.results import StudyResult
    from mensura.statistics.sample import Sample
    from mensura.statistics.series import Series
    from mensura.studies.reproduce import Outcome, Row
    from mensura.studies.runs import Manner
    from mensura.studies.study import Study


@with_groups
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
    seed: Seed = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads.", show_default="all cores", min=1)
    ] = None,
    device: Device = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            "-o",
            help="Where the HTML report with the figures goes.",
            show_default="NAME.html",
        ),
    ] = None,
    json: Json = None,
    form: Format = TEXT,
    *,
    games: GamesOptions,
    models: StudyOfModels,
    spending: SpendingOptions,
) -> None:
    """Run a published experiment and print published and measured values side by side.

    Each experiment is a study file that comes with Mensura: `mensura study copy NAME` gives you a copy to change,
    and `mensura study run FILE` runs it. `language-models` is a study over any list of language models: what they cost
    and what they are worth, on one page; an interrupted one is completed by the same command. `why-what-how` and
    `checkpoint-replay-2016` state what they expect, and tell what held.
    """
    from mensura.api.assessing import are_paid
    from mensura.api.model_studies import has_scripted
    from mensura.cli.reporting import check_can_report
    from mensura.cli.study_files import shipped
    from mensura.studies import runs
    from mensura.studies.claims import digest
    from mensura.studies.files import STUDIES, open_study
    from mensura.studies.reproduce import with_episodes

    if name is None:
        shipped(json=json)
        console().print(
            f"Expectations that are stated before they are measured: {', '.join(_stated())}."
        )
        return
    if name in _stated():
        _reproduce_expectations(
            name, games.wanted(name, episodes, seed_or_fresh(seed), device), report, json
        )
        return
    games.check_not_given(name)
    study = open_study(STUDIES.load(name)).study
    place = report if report is not None else Path(f"{name}.html")
    if has_scripted(study) and not is_rehearsal(study):
        if episodes is not None:
            study = with_episodes(study, episodes)
        check_can_report()
        reproduce_models(
            study,
            models,
            spending,
            None if seed is None else seed_or_fresh(seed),
            # In one process, so that limits hold for all models together.
            runs.Manner("threads", threads),
            Outputs(place, Files(report=place, json=json)),
            ["mensura", *sys.argv[1:]],
        )
        return
    if models.given or spending != SpendingOptions():
        raise MensuraError(
            f"{name} is no study of language models: leave out --model, --people, --name, --store and what models may "
            "take."
        )
    if are_paid([one.subject for one in study.subjects]):
        raise MensuraError(
            f"{name} asks a language model, whose answers are paid for and kept. Copy it with "
            f"`mensura study copy {name} --model MODEL`, and run it with `mensura study run {name}.yaml`."
        )
    if episodes is not None:
        study = with_episodes(study, episodes)
    chosen = seed_or_fresh(seed)
    check_can_report()
    files = Files(report=place, json=json)
    given = "" if episodes is None else f" --episodes {episodes}"
    command = f"mensura reproduce {name}{given} --seed {chosen}"
    if is_rehearsal(study):
        reproduce_rehearsal(study, chosen, command, runs.Manner("threads", threads), place, files)
        return
    result, samples = _played(study, chosen, command, runs.Manner(workers=threads, device=device))
    files.json(show_study(result, samples))
    write_pages(result, place, samples)
    console().print(f"seed {chosen}, digest of the scores {digest(samples)}")


def _played(
    study: Study, seed: int, command: str, manner: Manner
) -> tuple[StudyResult, Sequence[Sample]]:
    """Run a study in a store that is not kept: figures need the scores of single sittings."""
    from mensura.api.progress import progress
    from mensura.records.store import open_store
    from mensura.studies import runs
    from mensura.studies.layout import lay_out

    with (
        TemporaryDirectory(prefix="mensura-") as folder,
        open_store(str(Path(folder) / "reproduce.db")) as records,
    ):
        layout = lay_out(study, seed)
        run = runs.begin(records, layout, command=command)
        with progress(run.sittings) as bar:
            result = runs.resume(records, run, manner=manner, watcher=bar, layout=layout)
        return result, records.samples(records.find(run.name))


def _stated() -> Mapping[str, Stated]:
    """The studies that state what they expect."""
    from mensura.api.expectations import EXPECTING
    from mensura.training.stated import EXPECTING as TRAINED

    return {**EXPECTING, **TRAINED}


def _reproduce_expectations(
    name: str, wanted: Wanted, report: Path | None, json: Path | None
) -> None:
    """Run a study that states what it expects, and tell what held."""
    from mensura.api.expectations import expectations_page
    from mensura.cli.reporting import check_can_report
    from mensura.records.results import write_whole

    check_can_report()
    stated = _stated()[name]
    if (wanted.checkpoints or wanted.train) and not stated.games:
        raise MensuraError(
            f"{name} is played on no checkpoints of others: leave out --checkpoints."
        )
    place = report if report is not None else Path(f"{name}.html")
    files = Files(report=place, json=json)
    with status("Measuring") as tell:
        found = stated.play(replace(wanted, tell=tell))
    rows = [[one.statement, one.found, one.verdict] for one in found]
    table("Expected and found", [("expected", False), ("found", False), ("verdict", False)], rows)
    seed = wanted.seed
    files.json({"name": name, "seed": seed, "expectations": [asdict(one) for one in found]})
    command = _command(name, wanted)
    write_whole(place, expectations_page(name, found, command, seed, stated.beside))
    say_where("The report", place)
    console().print(f"seed {seed}")


def _command(name: str, wanted: Wanted) -> str:
    """The command that gives the same again."""
    words = ["mensura", "reproduce", name]
    if wanted.episodes is not None:
        words += ["--episodes", str(wanted.episodes)]
    if wanted.checkpoints is not None:
        words += ["--checkpoints", str(wanted.checkpoints)]
    if wanted.train:
        words.append("--train")
    if wanted.frames is not None:
        words += ["--frames", str(wanted.frames)]
    return shlex.join([*words, "--seed", str(wanted.seed)])


def show_study(
    result: StudyResult, samples: Sequence[Sample] = (), *, figures: bool = True
) -> list[dict[str, Any]]:
    """Print what a study is about, and give it as data: published values beside ours, or factors, or scores.

    ``figures``: what the figures show that the study asks for, in their place.
    """
    from mensura.studies.figure_series import asks
    from mensura.studies.reproduce import comparison, outcomes

    rows = comparison(result)
    if figures and samples and asks(result):
        data = _show_experiment(result, samples)
    elif rows:
        _show_comparison(result, rows)
        data = [row.to_json() for row in rows]
    elif effects := outcomes(result):
        if len(effects) > 1:  # several subjects, or worlds: side by side
            study_table(result, samples)
        for outcome in effects:
            _show_outcome(outcome, alone=len(effects) == 1)
        data = [score for outcome in effects for score in outcome.to_json()]
    else:
        study_table(result, samples)
        data = [
            {"condition": condition.title, **row}
            for condition in result.conditions
            for row in condition.rows()
        ]
    for note in result.notes:
        console().print(note)
    if result.status == "stopped":
        console().print(f"Stopped early: {result.done} of {result.sittings} sittings were played.")
    return data


def write_pages(result: StudyResult, place: Path, samples: Sequence[Sample] = ()) -> list[Path]:
    """Write the page of a study with figures or statistics, of published values beside ours, or of factors.

    A second page of factors has a number in its name.
    """
    from mensura.cli.reporting import write_comparison, write_experiment, write_factors
    from mensura.studies.figure_series import asks
    from mensura.studies.reproduce import comparison, outcomes

    if samples and asks(result):
        write_experiment(result, samples, place)
        return [place]
    rows = comparison(result)
    if rows:
        write_comparison(result, rows, place)
        return [place]
    written = []
    for number, outcome in enumerate(outcomes(result), 1):
        path = place if number == 1 else place.with_stem(f"{place.stem}-{number}")
        write_factors(result, outcome, path)
        written.append(path)
    return written


def _show_experiment(result: StudyResult, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Print scores along the first factor, world by world, statistics beside the published ones, and claims."""
    from mensura.reports.attempt_tables import data as attempts_data
    from mensura.reports.difficulty_tables import KINDS, words
    from mensura.reports.difficulty_tables import data as difficulty_data
    from mensura.reports.study_figures import table_of
    from mensura.studies.figure_series import asked_figures, asked_statistics, series_of
    from mensura.studies.study import study_from_plain

    study = study_from_plain(dict(result.study))
    series = series_of(study, samples)
    data = [_estimated(one) for one in series if len(one.score)]
    kinds = {figure.kind for figure in study.figures}
    told_below = any(
        figure.kind == "curve" and not (figure.measure or figure.less or figure.against)
        for figure in study.figures
    )
    about_claims = bool(study.claims) and not kinds
    if not (told_below or about_claims or kinds == {"attempts"} or "profile" in kinds):
        _show_scores(result.title, study, series)
    for figure in asked_figures(result, samples):
        if figure.untold:
            console().print(f"{figure.title}: {figure.untold}", soft_wrap=True)
            continue
        told = table_of(figure)
        if told is not None:
            if figure.published:
                console().print(f"Published: {figure.published}", soft_wrap=True)
            table(figure.title, [(head, False) for head in told["head"]], told["rows"])
        for sentence in words(figure):
            console().print(sentence, soft_wrap=True)
        rows = attempts_data(figure) if figure.kind == "attempts" else []
        if figure.kind in KINDS:
            rows = difficulty_data(figure)
        if figure.measure:
            rows = [{"measure": figure.measure, **_estimated(one)} for one in figure.series]
        data += [{"figure": figure.title, **row} for row in rows]
    statistics = asked_statistics(result, samples)
    if statistics:
        table(
            "Statistics of samples of the published size",
            [
                ("statistic", False),
                ("of", False),
                ("worlds", False),
                ("published", True),
                ("ours, middle", True),
                ("95% of samples", True),
            ],
            [
                (
                    one.statistic,
                    one.subject,
                    ", ".join(one.worlds) or "all",
                    "" if one.published is None else f"{one.published:+.3f}",
                    signed(one.middle) if one.samples else "",
                    interval(one.low, one.high) if one.samples else "",
                )
                for one in statistics
            ],
        )
        data += [one.to_json() for one in statistics]
    return data + _show_claims(result, samples)


def _show_scores(title: str, study: Study, series: Sequence[Series]) -> None:
    """Print the scores at the baseline, or along the only factor, world by world."""
    from mensura.statistics.moments import Moments
    from mensura.studies.figure_series import chosen

    free = [factor.name for factor in study.factors] if len(study.factors) == 1 else []
    shown = [one for one in chosen(study, series, free=free) if len(one.score)]
    for world in dict.fromkeys(one.world for one in shown):
        columns: dict[str, None] = {}
        lines: dict[str, dict[str, str]] = {}
        for one in shown:
            if one.world == world:
                at = ", ".join(one.levels.values())
                columns[at] = None
                mean = Moments.of(one.score).estimate().value
                lines.setdefault(one.subject, {})[at] = f"{mean:+.3f}"
        table(
            f"{title}: {world}" + "".join(f", by {name}" for name in free),
            [("subject", False), *((column or "score", True) for column in columns)],
            [
                (subject, *(at.get(column, "") for column in columns))
                for subject, at in lines.items()
            ],
        )


def _estimated(series: Series) -> dict[str, Any]:
    """The mean of a series with its interval, as plain data."""
    from mensura.statistics.moments import Moments

    mean = Moments.of(series.score).estimate()
    return {
        "world": series.world,
        "subject": series.subject,
        "levels": dict(series.levels),
        "measured": mean.value,
        "low": mean.low,
        "high": mean.high,
        "episodes": mean.n,
    }


def _show_claims(result: StudyResult, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Print every claim with its verdict."""
    from mensura.studies.claims import claimed

    held = claimed(result, samples)
    if held:
        table(
            f"{result.title}: claims",
            [
                ("claim", False),
                ("verdict", False),
                ("shown", True),
                ("open", True),
                ("refuted", True),
            ],
            [(one.title, one.verdict, *map(str, one.count.values())) for one in held],
        )
    return [one.to_json() for one in held]


def _show_comparison(result: StudyResult, rows: list[Row]) -> None:
    for setting in dict.fromkeys(row.setting for row in rows):
        here = [row for row in rows if row.setting == setting]
        presets = list(dict.fromkeys(row.preset for row in here))
        lines = []
        for subject in dict.fromkeys(row.subject for row in here):
            ours = {row.preset: row for row in here if row.subject == subject}
            first = next(iter(ours.values()))
            lines.append(
                (
                    subject,
                    _printed(first),
                    *(_measured(ours.get(preset)) for preset in presets),
                    f"{max(row.spread for row in ours.values()):.4f}",
                )
            )
        counts = sorted({row.episodes for row in here})
        table(
            f"{result.title}: {setting}, {' to '.join(map(str, counts))} episodes",
            [
                ("subject", False),
                ("published", True),
                *((f"ours, {preset}", True) for preset in presets),
                ("spread", True),
            ],
            lines,
        )
    if any(row.off is not None for row in rows):
        console().print(
            "In brackets behind ours: how far it lies from the published value, in spreads, its standard error.",
            soft_wrap=True,
        )
    doubts = sorted({f"{row.subject}: {row.doubt}" for row in rows if row.doubt})
    if doubts:
        console().print("* published values in doubt:")
    for doubt in doubts:
        console().print(f"  {doubt}", soft_wrap=True)


def _printed(row: Row) -> str:
    return "" if row.published is None else f"{row.published:+.3f}{'*' if row.doubt else ''}"


def _measured(row: Row | None) -> str:
    if row is None:
        return ""
    off = "" if row.off is None else f" ({row.off:+.1f})"
    return f"{signed(row.measured)} {interval(row.low, row.high)}{off}"


def _show_outcome(outcome: Outcome, *, alone: bool) -> None:
    """What factors did to one subject: each ``alone``, if that is not told elsewhere, and what pairs did together."""
    of = f"{outcome.title}: " if outcome.title else ""
    for factor, scores in outcome.alone.items() if alone else ():
        table(
            f"{of}{factor}, alone",
            [("level", False), ("score", True), ("95% interval", True)],
            [
                (
                    one.levels[0],
                    signed(one.score.value),
                    ends(one.score),
                )
                for one in scores
            ],
        )
    if not outcome.effects:
        return
    table(
        f"{of}Pairs of factors: shares of the differences between cells",
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
