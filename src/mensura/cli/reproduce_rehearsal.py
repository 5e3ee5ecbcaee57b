"""``mensura reproduce imitation-rehearsal``: games before judges who are programs, and their report."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from mensura.cli.imitation import BY_MACHINES, plain_result, show_results, tell_style
from mensura.terminal.output import Files, console, say, say_where

if TYPE_CHECKING:
    from mensura.agent.keys import Key
    from mensura.studies.runs import Manner
    from mensura.studies.study import Study


def is_rehearsal(study: Study) -> bool:
    """Whether all that is played are games of imitation, of which machines are not to be ranked by their scores."""
    from mensura.api.imitation_games import WORLD

    return all(one.world == WORLD for one in study.worlds) and all(
        one.assessment == "games" for one in study.assessments
    )


def reproduce_rehearsal(
    study: Study, seed: Key, command: str, manner: Manner, page: Path, files: Files
) -> None:
    """Play the games in a store that is not kept, tell who was taken for the person, and write the report."""
    from mensura.agent.errors import MensuraError
    from mensura.api.imitation_games import games_of, imitation_page_of, machine_results
    from mensura.api.progress import progress
    from mensura.records.results import write_whole
    from mensura.records.store import open_store
    from mensura.studies import runs
    from mensura.studies.layout import lay_out

    with (
        TemporaryDirectory(prefix="mensura-") as folder,
        open_store(str(Path(folder) / "rehearsal.db")) as records,
    ):
        layout = lay_out(study, seed)
        run = runs.begin(records, layout, command=command)
        with progress(run.sittings) as bar:
            runs.resume(records, run, manner=manner, watcher=bar, layout=layout)
        run = records.find(run.name)
        games = games_of(records, run)
        report = imitation_page_of(records, run)
    if report is None:
        raise MensuraError(f"No game of {study.name} came to its end, so there is no report.")
    results = machine_results(games)
    show_results(results)
    tell_style(games)
    for note in study.notes:
        console().print(note, soft_wrap=True)
    say(BY_MACHINES)
    files.json([plain_result(one) for one in results])
    write_whole(page, report())
    say_where("The report", page)
    console().print(f"seed {seed}")
