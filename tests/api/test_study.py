"""``ms.Study``: read, checked, run, resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mensura as ms
from mensura.studies import runs

STUDY = """
mensura: 1
name: tiny
title: A tiny study
seed: 11
worlds: [{world: echo, parameters: {horizon: 6}}]
subjects: [random, q-learning]
assessments: [{assessment: battery, parameters: {episodes: 5}}]
"""


@pytest.fixture
def study(tmp_path: Path) -> ms.Study:
    (tmp_path / "tiny.yaml").write_text(STUDY)
    return ms.Study.load(tmp_path / "tiny.yaml")


def test_a_study_is_read_checked_and_run(study: ms.Study) -> None:
    assert repr(study) == "<Study tiny: A tiny study>"
    coming = study.check()
    assert (coming.subjects, coming.sittings) == (2, 10)
    result = study.run()
    assert result.seed == 11
    assert {one.label for one in result.scores} == {"random", "q-learning"}
    assert result.store == ""


def test_a_run_in_a_store_is_resumed_by_its_name(
    study: ms.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "records.db"
    conducted = runs.conduct

    def interrupted(places: Any, executor: Any, sink: Any, **more: Any) -> None:
        def once(batches: Any) -> None:
            sink(batches)
            raise KeyboardInterrupt

        conducted(places, executor, once, **more)

    monkeypatch.setattr(runs, "conduct", interrupted)
    stopped = study.run(store=store, progress=True, executor="threads", workers=1)
    assert not stopped.finished
    assert "stopped before its end" in str(stopped)
    monkeypatch.setattr(runs, "conduct", conducted)
    finished = study.run(store=store, executor="threads")
    assert finished.finished
    assert finished.scores == study.run().scores
    assert ms.load("tiny", store).scores == finished.scores
    with pytest.raises(ms.MensuraError, match="The run tiny already exists"):
        study.run(store=store, seed=12)
    assert study.run(store=store, seed=12, name="other").name == "other"


def test_plain_data_and_back(study: ms.Study) -> None:
    assert ms.Study.from_plain(study.to_plain()).to_plain() == study.to_plain()
    with pytest.raises(ms.MensuraError, match="There is no world 'ecco'; did you mean echo"):
        ms.Study.from_plain({**study.to_plain(), "worlds": ["ecco"]})


def test_a_bad_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(STUDY.replace("episodes: 5", "episode: 5"))
    with pytest.raises(ms.MensuraError, match=r"bad\.yaml, line 8"):
        ms.Study.load(tmp_path / "bad.yaml")
