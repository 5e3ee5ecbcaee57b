"""`mensura reproduce language-models`: scripted models by default, any list of models, one page, resumable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.agents.language_model.server import Act, Server, completion, error
from tests.cli.conftest import Typed

from mensura.agents.language_model.budget import allow
from mensura.agents.language_model.services import patience as service_module

Type = Callable[..., Typed]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with Server(lambda request: completion("ACTION: 1")).running() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        yield running
    allow()


@pytest.mark.thorough
def test_without_a_model_it_shows_scripted_ones_and_finds_what_is_known(mensura: Type) -> None:
    ended = mensura("reproduce", "language-models", "--episodes", "12", "--json", "table.json")
    assert ended.status == 0, ended.err
    assert ended.out.startswith("No language model is asked: these are scripted models")
    assert "All that is known of the scripted models came out." in ended.out
    assert not Path("mensura.db").exists()
    page = Path("language-models.html").read_text()
    assert "These are no language models" in page
    rows = json.loads(Path("table.json").read_text())
    scores = {row["subject"]: row["score"] for row in rows if "subject" in row}
    assert scores["scripted guesser"] < scores["scripted half"] < scores["scripted expert"]


TOY = "org/toy?price_in=1&price_out=2&answer=text"


@pytest.mark.thorough
def test_models_take_the_place_of_scripted_ones_and_the_same_command_goes_on(
    server: Server, mensura: Type
) -> None:
    typed = ("reproduce", "language-models", "--model", TOY, "--episodes", "2", "--yes")
    server.script = [Act()] * 30 + [Act(401, error("no"))]
    failed = mensura(*typed)
    assert failed.status == 2
    assert "org/toy is going to take about 120 requests" in failed.out
    assert "scripted" not in failed.out
    before = len(server.requests)
    ended = mensura(*typed)
    assert ended.status == 0, ended.err
    assert len(server.requests) - before <= 120 - 28
    assert "language-models-org-toy" in ended.out
    page = Path("language-models.html").read_text()
    assert "org/toy" in page
    assert "scripted" not in page
    asked = len(server.requests)
    assert mensura(*typed).status == 0
    assert len(server.requests) == asked


def test_what_costs_much_has_to_be_confirmed_before_the_first_request(
    server: Server, mensura: Type
) -> None:
    dear = "toy?price_in=1000&price_out=1000&answer=text"
    ended = mensura("reproduce", "language-models", "--model", dear)
    assert ended.status == 2
    assert "add --yes" in ended.err
    assert not server.requests


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("coverage", "--model", "toy"), "coverage is no study of language models"),
        (("coverage", "--yes"), "coverage is no study of language models"),
        (("language-models", "--model", "a", "--model", "a"), "The model openai:a is named twice"),
        (("language-models", "--model", "a+b"), "names several subjects"),
        (("language-models", "--max-cost", "1"), "none is assessed"),
        (("model-histories",), "asks a language model, whose answers are paid for"),
    ],
)
def test_what_cannot_be_gets_a_sentence(
    mensura: Type, words: tuple[str, ...], sentence: str
) -> None:
    ended = mensura("reproduce", *words)
    assert ended.status == 2
    assert sentence in " ".join(ended.err.split())
