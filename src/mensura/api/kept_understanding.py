"""Examinations of those who are asked once, kept in a store: a study, told from the answers in its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from mensura.agent.errors import StoppedEarly
from mensura.api.assessing import changed_parameters, shown_names, subject_entry
from mensura.api.naming import AtHand, Named
from mensura.api.running import run_in_store, watching
from mensura.api.spending import Allow
from mensura.records.journal import unpack
from mensura.records.store import open_store
from mensura.statistics.understanding import Understanding
from mensura.studies.inquiry import Inquiry, Questioning
from mensura.studies.layout import lay_out
from mensura.studies.place import PlaceMaker
from mensura.studies.replay import FromJournal
from mensura.studies.runs import Manner
from mensura.studies.spending import outlays
from mensura.studies.study import Study, study_from_plain, study_hash
from mensura.studies.understanding import understand

USUAL_NAME = "understand"


def study_of(subjects: Sequence[Named], inquiry: Inquiry) -> Study:
    """What is asked, as a study; the same again has the same name, so that nobody is asked twice."""
    world = inquiry.world
    given = {
        "phenomenon": inquiry.phenomenon,
        "questions": inquiry.questions,
        "training_episodes": inquiry.training,
        "sittings": 1,
        "root": inquiry.seed,
    }
    study = study_from_plain(
        {
            "mensura": 1,
            "name": USUAL_NAME,
            "title": f"What {shown_names(subjects)} understand of {inquiry.phenomenon} in {world.id}",
            "subjects": [subject_entry(one) for one in subjects],
            "worlds": [
                {"world": world.id, "name": world.id, "parameters": changed_parameters(world)}
            ],
            "assessments": [
                {"assessment": "understand", "name": "understand", "parameters": given}
            ],
            "limits": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in asdict(inquiry.limits).items()
                if value is not None
            },
            "seed": inquiry.seed,
        }
    )
    return study.model_copy(update={"name": f"{USUAL_NAME}-{study_hash(study.to_plain())[:12]}"})


def examined_once(
    subjects: Sequence[Named],
    inquiry: Inquiry,
    at_hand: AtHand,
    store: str | Path | None,
    *,
    allow: Allow,
    progress: bool = False,
    command: str = "",
) -> tuple[dict[str, Understanding], str]:
    """What subjects understand who are asked once, by label, and the name of the run that has their answers."""
    with at_hand.lend():
        layout = lay_out(study_of(subjects, inquiry))
        found = outlays(layout.places)
    with allow(found):
        result = run_in_store(
            layout,
            store,
            manner=Manner("threads"),
            watch=watching(progress, "examinations"),
            command=command,
            fresh_seed=False,
            at_hand=at_hand,
        )
    if not result.finished:
        raise StoppedEarly(
            f"Stopped before its end; all answers are kept. Go on with:  mensura study resume {result.name}"
        )
    told = {}
    maker = PlaceMaker()
    with at_hand.lend(), open_store(store, create=False) as records:
        run = records.find(result.name)
        for cell in records.cells(run):
            place = maker.place(cell)
            pages = [unpack(page) for page in records.journal(run, cell.number, 0)]
            how = Questioning(player=FromJournal(pages, place))
            told[cell.name] = understand(
                cell.name, place.subject, inquiry, inquiry.examination(), questioning=how
            )
    return told, result.name
