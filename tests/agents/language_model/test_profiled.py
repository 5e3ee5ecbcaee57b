"""Profiles of language models: estimated first, every part kept, nobody asked twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, completion, error, first_action

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.agents.language_model.services import patience as service_module
from mensura.api import profile_sizes
from mensura.api.kept_profile import resume_profile
from mensura.api.profile_sizes import Size
from mensura.cli.main import main
from mensura.studies import spending

WORLD = ms.make("lambda", cells=3, actions=2, horizon=3)
TINY = Size(
    *(6, 2, 4, 2, 1, 6, 4, (0.0, 1.0), 5, False, 1, 2), operators=("action-noise",), measures="raw"
)


def lowest(request: dict[str, Any]) -> dict[str, Any]:
    """A model that does its lowest action, and answers no question as it should."""
    asked = (request.get("tools") or [{}])[0].get("function", {})
    if "action" in asked.get("parameters", {}).get("properties", {}):
        return first_action(request)
    return completion("Who knows?")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(profile_sizes, "ASKED_FULL", TINY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(lowest).running() as running:
        yield running


def model(server: Server) -> str:
    return f"openai:m?base_url={server.url}"


def asked(server: Server) -> list[str]:
    """What was asked, without whether it answers at all."""
    found = [json.dumps(one["messages"]) for one in server.requests]
    return [one for one in found if "Are you there?" not in one]


@pytest.mark.thorough
def test_every_part_is_measured_and_nobody_is_asked_twice(server: Server) -> None:
    given: dict[str, Any] = {"references": ["follower"], "seed": 1, "threads": 1}
    # Whoever cannot be reached ends it in the middle, and says nothing of the model.
    server.script = [Act()] * 60 + [Act(status=401, body=error("no"))]
    with pytest.raises(MensuraError, match="mensura study resume profile-openai"):
        ms.profile(model(server), WORLD, **given)
    before = len(asked(server))
    found = ms.profile(model(server), WORLD, **given)
    (one,) = found.profiles
    assert set(one.missing) <= {"learn rate"}, "of which too few tasks can be learned"
    assert one.table is not None
    assert one.understanding is not None
    assert one.behavior is not None
    assert one.behavior.costs.shape == (2, 3)
    assert [each.operator for each in one.breakdowns] == ["action-noise"]
    alone = len(asked(server))
    again = ms.profile(model(server), WORLD, **given)
    assert again.sentences == found.sentences
    assert resume_profile(None, found.name).to_json() == found.to_json()
    assert len(asked(server)) == alone
    with Server(lowest).running() as other:
        whole = ms.profile({model(server): model(other)}, WORLD, **given)
        assert len(asked(other)) == alone - 1, "only the question that was refused came twice"
    assert before < alone
    assert whole.profiles[0].performance.score == one.performance.score


def test_it_is_said_first_what_it_takes(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("profile", "openai:m", "--base-url", server.url, "--world", "lambda", "--seed", "1")
    monkeypatch.setattr(sys, "argv", ["mensura", *words, "--set", "horizon=30"])
    with monkeypatch.context() as few:
        few.setattr(spending, "MOST_REQUESTS", 50)
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert "openai:m is going to take about" in said
    assert "Runs of that size have to be confirmed: add --yes" in said
    assert not server.requests
    with pytest.raises(MensuraError, match="max_tokens"):
        ms.profile(model(server), WORLD, seed=1, max_tokens=1000)
    assert len(server.requests) < 20
