"""Sittings under way: whoever looks on sees them, and Ctrl-C leaves the scores that they have by then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mensura.records.store import open_store
from mensura.studies.runs import Manner, begin, resume, run_study
from mensura.studies.stepped import Step
from mensura.studies.study import Study, study_from_plain

AGENT = """
import time

class Slow:
    def act(self, observation, reward):
        time.sleep(0.0005)
        return 0
"""


class Looking:
    """Keeps what it is told, and types Ctrl-C after so many episodes."""

    def __init__(self, until: int | None = None) -> None:
        self.until = until
        self.steps: list[Step] = []
        self.batches: list[Any] = []

    def counted(self, cell: Any, batch: Any) -> None:
        self.batches.append(batch)

    def died(self, cell: Any, job: Any, death: str) -> None:
        raise AssertionError(death)

    def stepped(self, cell: Any, step: Step) -> None:
        assert step.cell == cell.number
        self.steps.append(step)
        if len(self.steps) == self.until:
            raise KeyboardInterrupt


def study(folder: Path, interactions: int, sittings: int = 2) -> Study:
    (folder / "slow.py").write_text(AGENT)
    return study_from_plain(
        {
            "mensura": 1,
            "name": "under-way",
            "seed": 5,
            "subjects": [{"subject": f"{folder}/slow.py:Slow", "in_process": True}],
            "worlds": ["lambda"],
            "assessments": [
                {
                    "assessment": "anytime",
                    "parameters": {"interactions": interactions, "sittings": sittings},
                }
            ],
        }
    )


@pytest.mark.parametrize(
    "executor", ["threads", pytest.param("processes", marks=pytest.mark.thorough)]
)
def test_whoever_looks_on_is_told_of_episodes_in_their_order(tmp_path: Path, executor: str) -> None:
    looking = Looking()
    run_study(study(tmp_path, 400), manner=Manner(executor, 1), watcher=looking)
    assert looking.steps
    rewards = {
        (int(item), int(sequence)): reward
        for batch in looking.batches
        for item, sequence, reward in zip(
            batch.episodes.item, batch.episodes.sequence, batch.episodes.reward, strict=True
        )
    }
    seen = [(step.item, step.sequence) for step in looking.steps]
    assert seen == sorted(seen)
    assert all(rewards[step.item, step.sequence] == step.reward for step in looking.steps)
    assert all(step.slot == step.interactions for step in looking.steps)


@pytest.mark.thorough
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_ctrl_c_leaves_the_scores_of_sittings_under_way(
    tmp_path: Path, executor: str, full_size: bool
) -> None:
    looking = Looking(until=2)
    manner = Manner(executor, 2 if full_size or executor == "threads" else 1)
    result = run_study(study(tmp_path, 10**9, 4), manner=manner, watcher=looking)
    assert result.status == "stopped"
    (one,) = result.conditions[0].subjects
    assert 1 <= one.moments.count <= 2
    for batch in looking.batches:
        assert {row.item for row in batch.measures if row.name == "stopped"} == set(batch.item)


def test_a_stopped_assessment_is_kept_where_that_is_wanted_and_completed_later(
    tmp_path: Path,
) -> None:
    with open_store(str(tmp_path / "runs.db")) as store:
        run = begin(store, study(tmp_path, 2000))
        looking = Looking(until=2)
        manner = Manner("threads", 1)
        stopped = resume(store, run, manner=manner, watcher=looking, unfinished=True)
        assert (stopped.status, stopped.done) == ("stopped", 1)
        whole = resume(store, store.find(run.name), manner=manner)
        assert (whole.status, whole.done) == ("finished", 2)


def test_otherwise_a_sitting_under_way_begins_anew(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.db")) as store:
        run = begin(store, study(tmp_path, 2000))
        stopped = resume(store, run, manner=Manner("threads", 1), watcher=Looking(until=2))
        assert (stopped.status, stopped.done) == ("stopped", 0)
