"""Transfer kept in a store: run as a study, so that it can be stopped and go on, and read back from its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, StoppedEarly
from mensura.api.assessing import changed_parameters, subject_entry
from mensura.api.naming import AtHand, Named
from mensura.api.running import run_in_store, watching
from mensura.api.spending import Allow
from mensura.studies.family_file import family_text
from mensura.studies.layout import lay_out
from mensura.studies.learner_sittings import read_back
from mensura.studies.place import PlaceMaker
from mensura.studies.runs import Manner
from mensura.studies.spending import outlays
from mensura.studies.study import Study, study_from_plain, study_hash
from mensura.studies.transfer import Transferred, TransferStudy

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store

USUAL_NAME = "transfer"


def study_of(
    wanted: TransferStudy, subject: Named, seed: int | None, level: float | None, name: str
) -> Study:
    """What is measured, as a study; the same again has the same name, so that it goes on where it was stopped."""
    world = wanted.tasks[0].world
    given: dict[str, Any] = {
        "family": family_text(wanted.tasks),
        "interactions": wanted.interactions,
        "measures": wanted.measures,
        "learners": wanted.learners,
        "test_episodes": wanted.episodes,
        "one_way": wanted.pairs is not None,
        **({"curves_only": True} if wanted.curves_only else {}),
        **({} if level is None else {"level": float(level)}),
    }
    plain = {
        "mensura": 1,
        "name": name or USUAL_NAME,
        "title": f"Learning of {subject.label} in {len(wanted.tasks)} tasks"
        if wanted.curves_only
        else f"Transfer of {subject.label} among {len(wanted.tasks)} tasks",
        "subjects": [subject_entry(subject)],
        "worlds": [{"world": world.id, "name": world.id, "parameters": changed_parameters(world)}],
        "assessments": [{"assessment": "transfer", "name": "transfer", "parameters": given}],
        "limits": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(wanted.limits).items()
            if value is not None
        },
        **({} if seed is None else {"seed": seed}),
    }
    study = study_from_plain(plain)
    if name:
        return study
    return study.model_copy(update={"name": f"{USUAL_NAME}-{study_hash(study.to_plain())[:12]}"})


def run_kept(
    study: Study,
    at_hand: AtHand,
    store: str | Path | None,
    *,
    threads: int | None,
    progress: bool,
    command: str,
    allow: Allow,
) -> tuple[Transferred, str]:
    """Run it into a store, or go on with it; what was found, and the name of the run.

    ``allow``: what language models may take.
    """
    from mensura.records.store import open_store

    with at_hand.lend():
        layout = lay_out(study)
        found = outlays(layout.places)
    with allow(found):
        result = run_in_store(
            layout,
            store,
            manner=Manner("threads", threads),
            watch=watching(progress, "learners"),
            command=command,
            at_hand=at_hand,
        )
    if not result.finished:
        raise StoppedEarly(
            f"Stopped before its end; what was learned is kept. Go on with:  mensura study resume {result.name}"
        )
    with at_hand.lend(), open_store(store, create=False) as records:
        (one,) = transferred(records, records.find(result.name))
    return one, result.name


def transferred(records: Store, run: Run) -> Sequence[Transferred]:
    """What was found in each cell of transfer of a run, from its records; a cell without any learner is refused."""
    maker = PlaceMaker()
    found = []
    for cell in records.cells(run):
        if cell.assessment != "transfer":
            continue
        batches = [one for one in records.batches(run, cell.number) if len(one)]
        if not batches:
            raise MensuraError(
                f"No learner of {cell.name} is done in the run {run.name} yet; go on with:  mensura study resume "
                f"{run.name}"
            )
        found.append(read_back(maker.place(cell), run.seed, batches))
    return found


def is_transfer(records: Store, run: Run) -> bool:
    """Whether transfer is all that a run is about, and not learning curves alone."""
    return all(
        cell.assessment == "transfer" and not cell.assessment_parameters.get("curves_only")
        for cell in records.cells(run)
    )
