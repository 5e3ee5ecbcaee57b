"""Rewards interaction by interaction: those that were recorded, from the journal or from the subject itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.study import study_from_plain
from mensura.studies.within_episode import courses_of


def test_rewards_average_to_the_recorded_scores(tmp_path: Path) -> None:
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "courses",
            "seed": 5,
            "subjects": ["random", {"subject": "scripted:half", "parameters": {"ability": 0.5}}],
            "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 6}}],
            "assessments": [{"assessment": "battery", "parameters": {"episodes": 3}}],
        }
    )
    with open_store(str(tmp_path / "records.db")) as store:
        run = runs.begin(store, study)
        runs.resume(store, run)
        courses = courses_of(store, run)
        scores = {one.label: one.score for one in store.samples(run)}
    assert [one.subject for one in courses] == list(scores)
    for one in courses:
        assert [len(rewards) for rewards in one.rewards] == [6, 6, 6]
        assert np.allclose([rewards.mean() for rewards in one.rewards], scores[one.subject])
