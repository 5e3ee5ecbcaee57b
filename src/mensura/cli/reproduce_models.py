"""``mensura reproduce language-models``: what language models cost and what they are worth, on one page."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.terminal.output import Files, say, say_where, table, working

if TYPE_CHECKING:
    from mensura.agent.keys import Key
    from mensura.cli.groups import SpendingOptions
    from mensura.records.store import Store
    from mensura.reports.models_page import ModelStudy
    from mensura.studies.runs import Manner
    from mensura.studies.study import Study

FIRST_LINE = (
    "No language model is asked: these are scripted models of known ability, which show what the page tells. Name your "
    "own with --model."
)


@dataclass(frozen=True)
class StudyOfModels:
    """Which models a study of language models is about, and where it is kept."""

    panel: ClassVar[str] = "A study of language models"

    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Of `language-models`: a model, as its service calls it, with parameters as in "
            "`NAME?price_in=1&price_out=4`; may be repeated.",
            show_default="scripted models of known ability",
        ),
    ] = None
    people: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Of `language-models`: show people beside the models, from this run of the store.",
        ),
    ] = None
    run_name: Annotated[
        str,
        typer.Option(
            "--name",
            help="Of `language-models`: how the run is called in the store.",
            show_default="by the models",
        ),
    ] = ""
    store: options.StoreOption = None

    @property
    def given(self) -> bool:
        """Whether any of it was said."""
        return bool(self.model or self.people or self.run_name or self.store)


@dataclass(frozen=True)
class Outputs:
    """Where the page and the table go."""

    page: Path
    files: Files


def reproduce_models(
    study: Study,
    about: StudyOfModels,
    spending: SpendingOptions,
    seed: Key | None,
    manner: Manner,
    outputs: Outputs,
    command: Sequence[str],
) -> None:
    """Run a study of language models into a store, or go on with it, and write its page.

    The same command goes on where it was interrupted. Without a model of one's own nothing is paid for, so nothing is
    kept unless somebody says where.
    """
    from mensura.api.model_studies import model_study, with_models
    from mensura.api.progress import progress
    from mensura.api.running import go_on
    from mensura.cli.study import terminable
    from mensura.records.results import write_whole
    from mensura.reports.models_page import render_models
    from mensura.studies import runs
    from mensura.studies.layout import lay_out

    if about.model:
        study = with_models(study, about.model)
    else:
        say(FIRST_LINE)
    layout = lay_out(study, seed)
    spending.allow(layout.places)
    typed = shlex.join(command)
    with _store(about) as records:
        run = runs.begin(records, layout, name=about.run_name, command=typed)
        if about.model:
            say(f"Answers are kept in the run {run.name}; the same command goes on with it.")
        with terminable():
            played = go_on(
                records,
                run,
                manner=manner,
                watch=lambda total, done, spending: progress(total, done=done, spending=spending),
                samples=False,
                layout=layout,
            )
        if played.details.status != "finished":
            say(f"Stopped before its end; go on with:  {typed}")
            raise typer.Exit(130)
        with working("Playing episodes again to see what was learned within them"):
            found = model_study(records, records.find(run.name), people=about.people, command=typed)
    show(found)
    outputs.files.json(to_json(found))
    with working("Drawing the figures and writing the report"):
        write_whole(outputs.page, render_models(found))
    say_where("The report", outputs.page)
    if not all(one.found for one in found.checks):
        raise MensuraError(
            "What is known of the scripted models did not come out; the page says what."
        )


@contextmanager
def _store(about: StudyOfModels) -> Iterator[Store]:
    """The store: that of commands where answers are paid for or somebody names it, else one that is not kept."""
    from mensura.records.store import open_store

    if about.given:
        with open_store(about.store) as records:
            yield records
        return
    with (
        TemporaryDirectory(prefix="mensura-") as folder,
        open_store(str(Path(folder) / "models.db")) as records,
    ):
        yield records


def show(study: ModelStudy) -> None:
    """Print the scores and what came out."""
    from mensura.reports.models_page import headline, score_rows

    table(
        study.result.title,
        [
            ("subject", False),
            ("kind", False),
            ("score", True),
            ("95% interval", True),
            ("sittings", True),
            ("cost", True),
            ("requests", True),
            ("by default", True),
        ],
        [
            tuple(
                row[name]
                for name in (
                    "subject",
                    "kind",
                    "score",
                    "interval",
                    "sittings",
                    "cost",
                    "requests",
                    "default",
                )
            )
            for row in score_rows(study)
        ],
    )
    for line in headline(study)[1 if study.kinds.known else 0 :]:
        say(line)


def to_json(study: ModelStudy) -> list[dict[str, object]]:
    """What came out as plain data: a row for each subject, then one for each pair of neighbors in the order."""
    from mensura.core.usage import COST, REQUESTS
    from mensura.records.results import plain_numbers
    from mensura.reports.models_page import total_of

    gained = study.improvements
    subjects = [
        {
            "subject": one.subject,
            "kind": study.kinds.of(one.subject),
            "score": one.score.value,
            "low": one.score.low,
            "high": one.score.high,
            "valid": one.valid,
            "sittings": one.result.moments.count,
            "cost": total_of(one, COST),
            "requests": total_of(one, REQUESTS),
            "faults": one.result.faults,
            "improvement": gained[one.subject].value if one.subject in gained else None,
        }
        for one in study.standings
    ]
    pairs = [
        {
            "one": one.one,
            "two": one.two,
            "difference": one.difference.value,
            "low": one.difference.low,
            "high": one.difference.high,
            "corrected_p": one.corrected,
            "order": one.verdict,
        }
        for one in study.gaps
    ]
    return [plain_numbers(row) for row in (*subjects, *pairs)]
