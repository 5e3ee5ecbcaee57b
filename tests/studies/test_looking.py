"""Episodes looked at after the fact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mensura.records.store import Store, open_store
from mensura.studies import runs
from mensura.studies.replay import replay
from mensura.studies.study import study_from_plain

AGENT = """
class Mine:
    def begin(self, task, rng):
        self.count = 0
    def act(self, observation, reward):
        self.count += 1
        return "left" if self.count >= 3 else 0
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    with open_store("store.db") as records:
        yield records


def played(records: Store, subject: str, world: str, **parameters: Any) -> Any:
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "one",
            "title": "one",
            "seed": 7,
            "subjects": [{"subject": subject, "in_process": True}],
            "worlds": [{"world": world, "parameters": parameters}],
            "assessments": [
                {"assessment": "battery", "parameters": {"episodes": 2, "spread": "any"}}
            ],
        }
    )
    run = runs.begin(records, study)
    runs.resume(records, run)
    return run


@pytest.mark.thorough
@pytest.mark.parametrize("subject", ["q-learning", "random"])
def test_what_is_seen_of_a_compiled_subject_adds_up_to_what_was_recorded(
    store: Store, subject: str
) -> None:
    run = played(store, subject, "lambda-star-v2", rows=5, cols=5, subjects=2, horizon=6)
    one = replay(store, run, 1, look=True)
    assert one.identical
    steps = [each for each in one.interactions if each.sequence == len(one.episodes) - 1]
    assert [(each.interaction, each.seat) for each in steps] == [
        (time, seat) for time in range(6) for seat in range(2)
    ]
    assert sum(each.reward for each in steps) / 12 == pytest.approx(one.recorded)
    assert all(each.answer == each.action for each in steps)
    assert not replay(store, run, 1).interactions


def test_an_answer_that_could_not_be_played_stands_beside_what_was(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    run = played(store, "agent.py:Mine", "echo-v1")
    one = replay(store, run, 0, look=True)
    assert one.from_journal
    assert one.identical
    third = one.interactions[2]
    assert third.fault is not None
    assert third.action != third.answer
    assert [each.answer for each in one.interactions[:2]] == [0, 0]
    assert [each.asked for each in one.interactions[:6]] == [True] * 5 + [False]
