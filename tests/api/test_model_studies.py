"""Studies of language models from Python: models put in, people beside them, the page."""

from __future__ import annotations

from pathlib import Path

import pytest

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api.model_studies import people_of
from mensura.records.store import open_store

SMALL = {
    "mensura": 1,
    "name": "small",
    "seed": 3,
    "subjects": [
        "random",
        {"subject": "scripted:a", "name": "a", "parameters": {"ability": 0, "price_in": 1, "price_out": 1}},
        {"subject": "scripted:b", "name": "b", "parameters": {"ability": 1}},
    ],
    "worlds": [{"name": "Lambda", "world": "lambda-v1", "parameters": {"horizon": 6}}],
    "assessments": [{"assessment": "battery", "parameters": {"episodes": 6}}],
}  # fmt: skip


def test_models_take_the_place_of_scripted_ones() -> None:
    study = ms.Study.load("language-models").with_models(
        "org/large?price_in=1&price_out=4",
        "llama3:8b",
        "anthropic:claude",
        "scripted:mine?ability=1",
    )
    names = [one.name or one.subject for one in study.plain.subjects]
    assert names == ["random", "q-learning", "linear", "org/large", "llama3:8b", "claude", "mine"]
    assert study.plain.subjects[4].subject == "openai:llama3:8b"
    assert study.name == "language-models-org-large-llama3-8b-claude-mine"
    assert study.plain.seed == ms.Study.load("language-models").plain.seed


def test_a_study_without_scripted_models_takes_none() -> None:
    with pytest.raises(MensuraError, match="has no scripted models"):
        ms.Study.load("coverage").with_models("a")


@pytest.mark.usefixtures("words_only")
def test_the_page_is_written_from_a_result_that_is_kept(tmp_path: Path) -> None:
    study = ms.Study.from_plain(SMALL)
    result = study.run(store=tmp_path / "records.db")
    page = result.model_report(tmp_path / "models.html").read_text()
    assert "Found: Scores rise with ability: a (ability 0)" in page
    with pytest.raises(MensuraError, match="is in no store"):
        study.run().model_report(tmp_path / "other.html")


def test_only_a_run_of_people_gives_people(tmp_path: Path) -> None:
    ms.Study.from_plain(SMALL).run(store=tmp_path / "records.db")
    with open_store(tmp_path / "records.db") as records:
        samples = records.samples(records.find("small"))
        with pytest.raises(MensuraError, match="is not one of people"):
            people_of(records, "small", samples)
