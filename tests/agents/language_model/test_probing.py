"""A language model that is asked about what it met: over a real connection, with a schema, and read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion, first_action
from tests.agents.language_model.test_player import KEY, LIMITS, ToyWorld, subject
from tests.agents.toy import Toy

from mensura.agent.asks import PROBES, Ask
from mensura.agent.task import Task
from mensura.core.players import probes_of, told_measures

QUESTION = {"text": "After how many actions?", "start": {"x": 1.0}, "answer": "number"}
GIVEN: dict[str, Any] = {
    "predict": 3.5,
    "plan": [1, 2],
    "explain": {"causes": [{"cause": "a", "effect": "b", "sign": 1}], "without": [True]},
    "model": "a -> b",
}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def answering(request: dict[str, Any]) -> dict[str, Any]:
    """Answers each probe as it is given, by a call or in words, and acts otherwise."""
    if "After how many" not in json.dumps(request["messages"][-1]):
        return first_action(request)
    tools = request.get("tools")
    if not tools:
        return completion('Well, {"answer": 3.5}')
    schema = tools[0]["function"]["parameters"]["properties"]["answer"]
    kind = {"number": "predict", "array": "plan", "object": "explain", "string": "model"}
    return completion(calls=[("answer", json.dumps({"answer": GIVEN[kind[schema["type"]]]}))])


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(answering).running() as running:
        yield running


def seated(server: Server, more: str = "") -> Any:
    player = subject(server, more).sit(1)
    toy = Toy()
    spaces = toy.spaces(0)
    task = Task(ToyWorld.id, toy.seats[0], 1, *spaces, toy.horizon, limits=LIMITS)
    player.answer([Ask("begin", 0, task=task, key=1)])
    return player


@pytest.mark.parametrize("kind", PROBES)
def test_a_model_answers_through_a_schema(server: Server, kind: Any) -> None:
    player = seated(server)
    assert probes_of(player) == set(PROBES)
    (answer,) = player.answer([Ask(kind, 0, question=QUESTION, deadline=60.0)])
    assert answer.fault is None
    assert answer.value == GIVEN[kind]
    assert told_measures(player)["requests"] == 1


def test_a_model_that_answers_in_words_is_read_too(server: Server) -> None:
    player = seated(server, "&answer=text")
    (answer,) = player.answer([Ask("predict", 0, question=QUESTION, deadline=60.0)])
    assert answer.value == 3.5


def test_what_is_no_answer_is_a_fault_of_that_answer(server: Server) -> None:
    player = seated(server)
    server.answerer = lambda request: completion("I would rather not say.")
    (answer,) = player.answer([Ask("predict", 0, question=QUESTION, deadline=60.0)])
    assert answer.fault is not None
    assert "has no answer as a JSON object" in answer.fault[1]


def test_questions_are_not_remembered(server: Server) -> None:
    player = seated(server)
    for _ in range(2):
        player.answer([Ask("predict", 0, question=QUESTION, deadline=60.0)])
    first, second = server.requests[-2:]
    assert first["messages"] == second["messages"]
