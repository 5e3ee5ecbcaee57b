"""``mensura demo``: the anytime test of all built-in subjects, a table and a report, in seconds."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from mensura.cli import options
from mensura.cli.assess import BUDGET
from mensura.cli.scores import score_table
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, console


def demo(
    report: Annotated[
        Path, typer.Option("--report", "-o", help="Where the HTML report goes.")
    ] = Path("mensura-demo.html"),
    budget: Annotated[
        int, typer.Option("--budget", "-b", help="Interactions of each chain.")
    ] = BUDGET,
    sittings: Annotated[
        int, typer.Option("--sittings", "-s", help="Independent chains of each subject.")
    ] = 20,
    seed: Seed = None,
    json: Json = None,
) -> None:
    """Assess every built-in subject of Lambda by the anytime test, print the scores and write a report.

    Each chain begins in the simplest environments; complexity follows reward and time grows, until 10,000 interactions
    are used up. The report shows the path that each subject took.
    """
    from mensura.api.progress import progress
    from mensura.cli.reporting import check_can_report, write_report
    from mensura.core.registry import WORLDS
    from mensura.studies.runs import run_study
    from mensura.studies.study import study_from_plain

    check_can_report()
    files = Files(report=report, json=json)
    chosen = seed_or_fresh(seed)
    subjects = list(WORLDS.load(options.DEFAULT_WORLD).demo)
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "demo",
            "title": "The anytime test of the built-in subjects on Lambda",
            "seed": chosen,
            "subjects": subjects,
            "worlds": [options.DEFAULT_WORLD],
            "assessments": [
                {
                    "assessment": "anytime",
                    "parameters": {"interactions": budget, "sittings": sittings},
                }
            ],
        }
    )
    command = f"mensura demo --budget {budget} --sittings {sittings} --seed {chosen}"
    with progress(sittings * len(subjects), unit="chains") as bar:
        result = run_study(study, watcher=bar, command=command)
    (scores,) = result.conditions
    score_table(scores)
    files.json(scores.rows())
    write_report(result, report)
    console().print(
        f"Next: assess an agent of your own with  {_typed()} assess my_agent.py:MyAgent --report mine.html",
        soft_wrap=True,
    )


def _typed() -> str:
    """The command as it can be typed here again, also where it is not on the path."""
    called = Path(sys.argv[0])
    if shutil.which(called.name) or not called.exists():
        return "mensura"
    return os.path.relpath(called)
