"""``mensura demo``: all built-in subjects, a table and a report, in seconds."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from mensura.cli import options
from mensura.cli.output import Files, console, score_table


def demo(
    report: Annotated[
        Path, typer.Option("--report", "-o", help="Where the HTML report goes.")
    ] = Path("mensura-demo.html"),
    episodes: Annotated[
        int, typer.Option("--episodes", "-e", help="Environments per subject.")
    ] = 100,
    seed: options.Seed = None,
    json: options.Json = None,
) -> None:
    """Assess every built-in subject on Lambda Star, print the scores and write a report.

    Five subjects share each environment: a 10x10 torus, 50 interactions, complexity K spread over 2 to 23.
    """
    from mensura.cli.progress import progress
    from mensura.cli.reporting import check_can_report, write_report
    from mensura.core.registry import WORLDS
    from mensura.studies.runs import run_study
    from mensura.studies.study import study_from_plain

    check_can_report()
    files = Files(report=report, json=json)
    chosen = options.seed_or_fresh(seed)
    subjects = list(WORLDS.load("lambda-star").demo)
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "demo",
            "title": "The built-in subjects on Lambda Star",
            "seed": chosen,
            "subjects": subjects,
            "worlds": ["lambda-star"],
            "assessments": [{"assessment": "battery", "parameters": {"episodes": episodes}}],
        }
    )
    with progress(episodes * len(subjects)) as bar:
        result = run_study(
            study, watcher=bar, command=f"mensura demo --episodes {episodes} --seed {chosen}"
        )
    (scores,) = result.conditions
    score_table(scores)
    files.json(scores.rows())
    write_report(result, report)
    console().print(
        f"Next: assess an agent of your own with  {_typed()} assess my_agent.py:MyAgent local-search oracle",
        markup=False,
        soft_wrap=True,
    )


def _typed() -> str:
    """The command as it can be typed here again, also where it is not on the path."""
    called = Path(sys.argv[0])
    if shutil.which(called.name) or not called.exists():
        return "mensura"
    return os.path.relpath(called)
