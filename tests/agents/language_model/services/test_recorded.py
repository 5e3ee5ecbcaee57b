"""Exchanges with services, as files: the real SDK asks a server on loopback, which answers as recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server

from mensura.agent.spaces import Discrete
from mensura.agents.language_model.actions import function
from mensura.agents.language_model.services import patience, service_of
from mensura.agents.language_model.services.patience import PatientService
from mensura.agents.language_model.services.reply import TooLongError
from mensura.agents.language_model.settings import Settings
from mensura.core.players import Unanswered

FOLDER = Path(__file__).with_name("recordings")
FILES = {f"{file.parent.name}/{file.stem}": file for file in sorted(FOLDER.glob("*/*.json"))}
KEYS = {"anthropic": "sk-ant-test-0123456789abcdef", "gemini": "AIzaTest0123456789abcdef"}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEYS["anthropic"])
    monkeypatch.setenv("GEMINI_API_KEY", KEYS["gemini"])


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILES[name].read_text(encoding="utf-8"))
    return found


def served(server: Server, name: str) -> tuple[PatientService, dict[str, Any]]:
    """The service of a recording, whose server answers as recorded."""
    scheme, told = name.partition("/")[0], recorded(name)
    model = {"anthropic": "claude-toy", "gemini": "gemini-toy"}[scheme]
    settings = Settings(model, scheme, base_url=server.root, retries=1, **told["settings"])
    response = told["response"]
    server.script = [Act(response["status"], response["body"], response["headers"])]
    made = service_of(settings)
    assert isinstance(made, PatientService)
    return made, told


def ask(service: PatientService, told: dict[str, Any]) -> Any:
    tools = [function(Discrete(3))] if told["tools"] else []
    return service.complete(told["messages"], tools, 60.0)


def test_there_are_recordings_of_every_service_with_an_sdk_of_its_own() -> None:
    assert {name.partition("/")[0] for name in FILES} == set(KEYS)
    for name in FILES:
        assert ("reply" in recorded(name)) != ("failure" in recorded(name)), name


@pytest.mark.parametrize("name", [name for name in FILES if "reply" in recorded(name)])
def test_an_exchange_is_as_recorded(server: Server, name: str) -> None:
    service, told = served(server, name)
    reply = asdict(ask(service, told))
    assert server.paths == [told["request"]["path"]]
    assert server.requests == [told["request"]["body"]]
    reply["calls"] = [list(call) for call in reply["calls"]]
    assert {field: reply[field] for field in told["reply"]} == told["reply"]
    assert KEYS[service.settings.scheme] in str(server.headers[0])
    service.close()


@pytest.mark.parametrize("name", [name for name in FILES if "failure" in recorded(name)])
def test_a_failure_is_what_it_is_said_to_be(server: Server, name: str) -> None:
    service, told = served(server, name)
    failure = told["failure"]
    if failure["kind"] == "passing":
        server.script.append(server.script[0])
        with pytest.raises(Unanswered, match=failure["words"]):
            ask(service, told)
        assert len(server.requests) == 2
        assert server.times[1] - server.times[0] >= failure.get("after", 0.0) - 0.01
    elif failure["kind"] == "too long":
        with pytest.raises(TooLongError):
            ask(service, told)
    else:
        with pytest.raises(Unanswered, match=failure["words"]) as caught:
            ask(service, told)
        assert len(server.requests) == 1
        assert not any(key in str(caught.value) for key in KEYS.values())
    assert server.requests[0] == told["request"]["body"]
    service.close()
