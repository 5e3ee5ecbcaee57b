"""What language models may take, for whoever assesses them in Python."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agents.language_model.server import Server

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agents.language_model.budget import VARIABLES, shared


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    for variable in VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


PRICED = "price_in=1&price_out=2"


def test_an_estimate_is_a_table_and_numbers() -> None:
    found = ms.estimate({"mine": f"openai:toy?{PRICED}", "random": "random"}, budget=30, sittings=4)
    assert found.requests == 4 * 30
    assert found.cost is not None
    assert found.cost == pytest.approx(found.subjects[0].cost)
    assert found.tokens > 120 * 50
    assert found.hours > 0
    assert "requests" in str(found)
    assert "120" in str(found)
    assert "<table>" in found._repr_html_()
    assert "Answers are thought to have 50 tokens" in found.sentences[0]
    assert ms.estimate("openai:toy", budget=30, sittings=4).cost is None
    nobody = ms.estimate("random", budget=30)
    assert (nobody.requests, nobody.cost, str(nobody)) == (0, 0, "Nobody is paid for answers.")


def test_a_large_run_has_to_be_confirmed_before_the_first_request(server: Server) -> None:
    model = f"openai:toy?base_url={server.url}"
    with pytest.raises(
        MensuraError, match=r"have to be confirmed: pass confirm=True, ask for less"
    ):
        ms.assess(model, budget=100, sittings=60, seed=1, store="store.db")
    assert server.requests == []
    assert not Path("store.db").exists()


def test_what_is_confirmed_or_limited_goes_ahead(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mensura.studies.spending.MOST_REQUESTS", 5)
    model = f"openai:toy?base_url={server.url}"
    with pytest.raises(MensuraError, match="confirm=True"):
        ms.assess(model, budget=10, sittings=1, seed=1, store="store.db")
    assert ms.assess(model, budget=10, sittings=1, seed=1, store="store.db", confirm=True).finished
    again = ms.assess(model, budget=10, sittings=1, seed=2, store="store.db", max_tokens=1e6)
    assert again.finished


def test_a_limit_stops_a_run_that_the_same_call_goes_on_with(server: Server) -> None:
    model = f"openai:toy?base_url={server.url}&{PRICED}&concurrency=1"

    def assess(limit: float) -> ms.Result:
        return ms.assess(model, budget=20, sittings=2, seed=1, store="store.db", max_tokens=limit)

    with pytest.raises(MensuraError, match="might go beyond max_tokens 6,000"):
        assess(6_000)
    asked = len(server.requests)
    assert 1 < asked < 40
    assert shared().tokens is None
    assert not set(VARIABLES.values()) & set(os.environ)
    result = assess(1e6)
    assert result.finished
    assert result.details.conditions[0].subjects[0].measures["requests"].mean == 20


def test_limits_that_held_before_hold_again(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MENSURA_MAX_TOKENS", "777")
    model = f"openai:toy?base_url={server.url}"
    ms.assess(model, budget=10, sittings=1, seed=1, store="store.db", max_tokens=1e6)
    assert shared().tokens == 777


def test_limits_that_cannot_be_kept_get_a_sentence(server: Server) -> None:
    model = f"openai:toy?base_url={server.url}"
    with pytest.raises(MensuraError, match="max_cost needs prices"):
        ms.assess(model, budget=10, sittings=1, max_cost=1.0, store="store.db")
    with pytest.raises(MensuraError, match="of language models, and none is assessed"):
        ms.assess("random", budget=10, max_hours=1.0)
    with pytest.raises(MensuraError, match="max_tokens is 0; it must be more than 0"):
        ms.assess(model, budget=10, sittings=1, max_tokens=0, store="store.db")
    assert server.requests == []


def test_a_study_has_the_same(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    study = ms.Study.from_plain(
        {
            "mensura": 1,
            "name": "mine",
            "seed": 1,
            "subjects": [{"subject": "openai:toy", "parameters": {"base_url": server.url}}],
            "worlds": ["lambda"],
            "assessments": [
                {"assessment": "anytime", "parameters": {"interactions": 10, "sittings": 1}}
            ],
        }
    )
    assert study.estimate().requests == 10
    monkeypatch.setattr("mensura.studies.spending.MOST_REQUESTS", 5)
    with pytest.raises(MensuraError, match="confirm=True"):
        study.run("store.db")
    assert server.requests == []
    assert study.run("store.db", confirm=True).finished
