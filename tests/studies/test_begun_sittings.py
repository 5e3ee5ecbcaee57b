"""Sittings that were begun are counted, also those of coordinators that ended before they could commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.lease import Lease
from mensura.records.store import open_store
from mensura.studies import begun_sittings
from mensura.studies.runs import Manner, begin, resume
from mensura.studies.study import study_from_plain

STUDY = {
    "mensura": 1,
    "name": "small",
    "seed": 7,
    "worlds": [{"world": "lambda-star", "parameters": {"rows": 4, "cols": 4, "horizon": 3}}],
    "assessments": [{"assessment": "battery", "parameters": {"episodes": 5}}],
}


class Killed(BaseException):
    """The coordinator is no more, in the midst of it."""


COMPILED = {"subject": "random"}
STEPPED = {"subject": "mensura.agent.random:RandomAgent", "in_process": True}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("executor", "subject", "kills"),
    [("threads", COMPILED, 2), ("threads", STEPPED, 20), ("processes", STEPPED, 1)],
)
def test_attempts_tell_how_often_a_sitting_was_begun_over_all_lives_of_a_run(
    executor: str,
    subject: dict[str, Any],
    kills: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def commit(lease: Lease, batches: list[Batch]) -> None:
        raise Killed

    with open_store(tmp_path / "store.db") as store:
        run = begin(store, study_from_plain({**STUDY, "subjects": [subject]}))
        for _ in range(kills):
            with monkeypatch.context() as patch:
                patch.setattr(Lease, "commit", commit)
                with pytest.raises(Killed):
                    resume(store, store.find(run.name), manner=Manner(executor, 1))
        before = begun_sittings.counts(store.journals(run), store.cells(run))[0]
        resume(store, store.find(run.name), manner=Manner(executor, 1))
        (batch,) = store.batches(run, 0)
        assert batch.attempts.tolist() == (before + 1).tolist()
        assert before.max() == kills
        assert not store.journals(run).exists()


def test_a_line_that_was_cut_off_counts_for_nobody(tmp_path: Path) -> None:
    cell = Cell.__new__(Cell)
    object.__setattr__(cell, "number", 3)
    object.__setattr__(cell, "sittings", 4)
    begun_sittings.note(tmp_path, 3, 1, 2)
    begun_sittings.note(tmp_path, 3, 2, 1)
    with (tmp_path / begun_sittings.NAME).open("a") as file:
        file.write("9 0 1\n3 1")
    found = begun_sittings.counts(tmp_path, [cell])
    assert found[3].tolist() == [0, 1, 2, 0]
    assert list(found) == [3]
    assert begun_sittings.counts(None, [cell]) == {}
    begun_sittings.note(
        tmp_path / "elsewhere", 3, 1, 2
    )  # as on a machine of a cluster that has not the folder
    assert not (tmp_path / "elsewhere").exists()
