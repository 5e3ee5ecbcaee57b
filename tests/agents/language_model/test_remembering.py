"""A language model in phases: its conversation is what it has learned, and nobody is asked twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agents.language_model.server import Act, Server, error

from mensura.agent.errors import MensuraError
from mensura.agents.language_model.conversation import Conversation, Said
from mensura.agents.language_model.exchange import Seat
from mensura.agents.language_model.remembering import take_up, to_memory
from mensura.agents.language_model.services import patience as service_module
from mensura.agents.language_model.sight import KeptSight
from mensura.records.store import open_store
from mensura.studies.files import parse_study
from mensura.studies.layout import Layout, lay_out
from mensura.studies.runs import Manner, begin, resume
from mensura.studies.spending import outlays

STUDY = """
mensura: 1
name: school
seed: 3
subjects: [{{subject: "openai:m?base_url={url}", name: model}}]
worlds:
  - {{world: lambda, parameters: {{cells: 4, actions: 2, horizon: 4}}}}
assessments:
  - {{assessment: battery, parameters: {{episodes: 1, spread: any}}}}
phases:
  - name: first
    environment: 1
    interactions: 6
    then:
      - [{{name: left, environment: 2, interactions: 4}}]
      - [{{name: right, environment: 3, interactions: 4}}]
"""

TRAINED = 6 + 4 + 4
ASSESSED = 3 * 4


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


def laid(server: Server) -> Layout:
    return lay_out(parse_study(STUDY.format(url=server.url)).study)


def turns(server: Server) -> list[int]:
    """How many answers of the model each request held, without the one that asks whether it answers at all."""
    found = [
        sum(message["role"] == "assistant" for message in request["messages"])
        for request in server.requests
    ]
    return found[1:]


def test_what_was_said_in_training_is_there_when_it_is_assessed(
    server: Server, tmp_path: Path
) -> None:
    with open_store(tmp_path / "s.db") as store:
        layout = laid(server)
        run = begin(store, layout)
        result = resume(store, run, manner=Manner("threads", 1), layout=layout)
        measures = store.measured(run)
    assert result.status == "finished"
    assert len(turns(server)) == TRAINED + ASSESSED, "a shared beginning is asked for once"
    assert sorted(turns(server)) == sorted(
        [*range(6), *range(6, 10), *range(6, 10), *range(6, 10), *range(10, 14), *range(10, 14)]
    )
    assert [one["training [interactions]"] for one in measures] == [6, 10, 10]
    assert measures[1]["requests, in training"] == 10


@pytest.mark.thorough
def test_nobody_is_asked_twice_after_an_interruption_within_a_phase(
    server: Server, tmp_path: Path
) -> None:
    with open_store(tmp_path / "s.db") as store:
        layout = laid(server)
        run = begin(store, layout)
        server.script = [Act()] * 4 + [Act(status=401, body=error("no"))]
        with pytest.raises(MensuraError, match="mensura study resume school"):
            resume(store, run, manner=Manner("threads", 1), layout=layout)
        server.script = []
        again = resume(store, store.find("school"), manner=Manner("threads", 1))
    assert again.status == "finished"
    asked = [json.dumps(one["messages"]) for one in server.requests]
    asked = [one for one in asked if "Are you there?" not in one]
    again_asked = [one for one in set(asked) if asked.count(one) > 1]
    assert len(again_asked) == 1, "only the question that was refused"
    assert len(set(asked)) == TRAINED + ASSESSED


def test_what_phases_take_is_part_of_what_a_run_is_going_to_take(server: Server) -> None:
    (found,) = outlays(laid(server).places)
    assert found.requests == TRAINED + ASSESSED


def test_a_conversation_is_kept_whole() -> None:
    seat = Seat(Conversation(500, notes="my notes", dropped=2, characters_per_token=2.5))
    seat.conversation.picture = KeptSight(4, 3, b"png")
    seat.conversation.add("told", Said("said", '{"action": 1}'))
    seat.conversation.add("more", Said("again"))
    seat.pending.append("the end")
    other = Seat(Conversation(500))
    take_up(to_memory("m", [seat]), "m", [other])
    assert other.pending == seat.pending
    for name in ("turns", "notes", "dropped", "characters_per_token"):
        assert getattr(other.conversation, name) == getattr(seat.conversation, name), name
    shown, nothing = other.conversation.pictures
    assert nothing is None
    assert shown is not None
    assert (shown.width, shown.height, shown.png) == (4, 3, KeptSight(4, 3, b"png").png)


@pytest.mark.parametrize(
    ("memory", "sentence"),
    [
        (b"garbage", "is not one that a language model saved"),
        (b"[]", "is not one that a language model saved"),
        (to_memory("other", [Seat(Conversation(5))]), "is that of other, and this is m"),
        (to_memory("m", []), "is that of 0 seats and there are 1 now"),
    ],
)
def test_a_memory_that_is_not_its_own_is_refused(memory: bytes, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        take_up(memory, "m", [Seat(Conversation(5))])
