"""The studies over any language model: copied for one, run, and reported with scores against costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion
from tests.cli.conftest import Typed, mensura

from mensura.agents.language_model.budget import allow
from mensura.agents.language_model.experiments import MODEL_HISTORIES, PROMPT_STYLES
from mensura.agents.language_model.prompts import styles
from mensura.agents.language_model.services import patience as service_module
from mensura.agents.language_model.settings import History
from mensura.studies.files import read_study

__all__ = ["mensura"]

Type = Callable[..., Typed]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def counted(request: dict[str, Any]) -> dict[str, Any]:
        length = sum(len(str(one["content"])) for one in request["messages"])
        said = completion("NOTES: one\nACTION: 0")
        return {**said, "usage": {"prompt_tokens": length // 3, "completion_tokens": 9}}

    with Server(counted).running() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        yield running
    allow()


def test_every_history_and_every_style_is_in_its_study() -> None:
    histories = [one.parameters.get("history") for one in read_study(MODEL_HISTORIES).subjects]
    assert set(histories) - {None} == set(History.__args__)  # type: ignore[attr-defined]
    prompts = [one.parameters.get("prompt") for one in read_study(PROMPT_STYLES).subjects]
    assert sorted(filter(None, prompts)) == styles()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["model-histories", "prompt-styles"])
def test_a_study_over_any_model_is_copied_for_one_run_and_reported(
    server: Server, mensura: Type, name: str
) -> None:
    ended = mensura("study", "copy", name, "--model", "org/toy")
    assert ended.status == 0, ended.err
    file = Path(f"{name}.yaml")
    text = file.read_text()
    assert "openai:MODEL" not in text
    for was, now in (
        ("horizon: 40", "horizon: 12"),
        ("horizon: 20", "horizon: 4"),
        ("episodes: 20", "episodes: 2"),
        ("{answer: text", "{price_in: 1, price_out: 2, answer: text"),
    ):
        text = text.replace(was, now)
    file.write_text(text)
    ended = mensura("study", "run", str(file), "--store", "mensura.db")
    assert ended.status == 0, ended.err
    assert {one["model"] for one in server.requests} == {"org/toy"}
    ended = mensura("report", name, "--store", "mensura.db", "-o", "report.html")
    assert ended.status == 0, ended.err
    page = Path("report.html").read_text(encoding="utf-8")
    assert '<table id="cost-table">' in page
    assert "Score against cost" in page


def test_reproduce_sends_paid_studies_elsewhere(server: Server, mensura: Type) -> None:
    ended = mensura("reproduce", "prompt-styles")
    assert ended.status == 2
    assert "mensura study copy prompt-styles --model MODEL" in " ".join(ended.err.split())
    assert server.requests == []


def test_only_a_study_over_any_model_is_copied_for_one(server: Server, mensura: Type) -> None:
    ended = mensura("study", "copy", "lambda-star-2016", "--model", "m")
    assert ended.status == 2
    assert "leave out --model" in ended.err
    ended = mensura("study", "copy", "prompt-styles", "--model", 'a"b')
    assert ended.status == 2
    assert "is not the name of a model" in ended.err
    ended = mensura("study", "copy", "prompt-styles", "--model", "openai:m", "-o", "-")
    assert '"openai:m"' in ended.out
    assert "openai:openai" not in ended.out
