"""What language models were sent and answered, word for word."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, completion, error, first_action
from tests.cli.conftest import Typed as Ended

from mensura.agents.language_model.prompts import Prompts
from mensura.agents.language_model.services import patience as service_module
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.study import study_from_plain
from mensura.studies.transcripts import listed, search, transcript

Typed = Callable[..., tuple[int, str]]


@pytest.fixture
def typed(mensura: Callable[..., Ended]) -> Typed:
    """Type a command; its exit status, and all that it says."""

    def run(*words: str) -> tuple[int, str]:
        ended = mensura(*words)
        return ended.status, " ".join(f"{ended.out} {ended.err}".split())

    return run


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    with Server().running() as running:
        yield running


def played(server: Server, answer: str = "tool", **more: Any) -> None:
    """A run of a model and a random subject: two sittings of each, of four interactions."""
    parameters = {"base_url": server.url, "retries": 1, "answer": answer, "concurrency": 1, **more}
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "models",
            "seed": 7,
            "subjects": ["random", {"subject": "openai:toy", "parameters": parameters}],
            "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 4}}],
            "assessments": [
                {"assessment": "battery", "parameters": {"episodes": 2, "spread": "any"}}
            ],
        }
    )
    with open_store("mensura.db") as store:
        runs.resume(store, runs.begin(store, study), manner=runs.Manner("threads", 1))


def asked(server: Server) -> list[dict[str, Any]]:
    return [one["messages"] for one in server.requests if one["max_tokens"] != 16]


@pytest.mark.parametrize("answer", ["tool", pytest.param("text", marks=pytest.mark.thorough)])
def test_messages_are_exactly_those_that_were_sent(server: Server, answer: str) -> None:
    wrong = iter([False, True, False, False, False, False, True, False])

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        # Of some answers the first is no action: the request that asks to repair it is another one.
        last = request["messages"][-1]["content"]
        if request["max_tokens"] != 16 and "There is no call" not in last and "no line" not in last:
            bad = completion("I am not sure, [red]really[/red]", message={"reasoning": "hm"})
            return bad if next(wrong, False) else first_action(request)
        return first_action(request)

    server.answerer = reply
    played(server, answer)
    with open_store("mensura.db") as store:
        run = store.find("models")
        rows = listed(store, run)
        read = [transcript(store, run, row.number) for row in rows]
    assert [row.number for row in rows] == [2, 3]
    assert all(one.identical for one in read)
    sent = [
        messages
        for one in read
        for each in one.interactions
        for exchange in each.exchanges
        for messages in exchange.requests
    ]
    assert sent == asked(server)
    assert sum(row.repaired for row in rows) >= 1
    assert sum(row.answers for row in rows) == 8
    assert [match.where for match in search(read, "NOT SURE")].count("first answer") >= 1


@pytest.mark.parametrize("history", [pytest.param("window", marks=pytest.mark.thorough), "notes"])
def test_a_shorter_history_is_shown_as_it_was_sent(server: Server, history: str) -> None:
    def reply(request: dict[str, Any]) -> dict[str, Any]:
        if history != "notes" or request["max_tokens"] == 16:
            return first_action(request)
        last = request["messages"][-1]["content"]
        arguments = {"action": 0, "notes": f"I was told {len(last)} characters."}
        return completion(calls=[("act", json.dumps(arguments))])

    server.answerer = reply
    played(server, history=history, window=2)
    with open_store("mensura.db") as store:
        run = store.find("models")
        read = [transcript(store, run, row.number) for row in listed(store, run)]
    sent = [
        messages
        for one in read
        for each in one.interactions
        for exchange in each.exchanges
        for messages in exchange.requests
    ]
    assert sent == asked(server)
    assert {len(messages) for messages in sent} == ({2, 4} if history == "notes" else {2, 4, 6})
    found = search(read, "I was told")
    assert {match.where for match in found} == ({"answer", "told"} if history == "notes" else set())


def test_a_request_that_was_too_long_is_shown_as_it_was_taken(server: Server) -> None:
    server.script = [Act()] * 4 + [Act(400, error("x", "context_length_exceeded"))]
    played(server)
    with open_store("mensura.db") as store:
        one = transcript(store, store.find("models"), 2)
    sent = [exchange.requests[0] for each in one.interactions for exchange in each.exchanges]
    taken = asked(server)
    del taken[4 - (len(server.requests) - len(taken))]  # the one that was refused
    assert sent == taken[:4]


def test_they_are_listed_shown_searched_and_written(server: Server, typed: Typed) -> None:
    bad = iter([completion("left or right?")])

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        good = first_action(request)
        return good if request["max_tokens"] == 16 else next(bad, good)

    server.answerer = reply
    played(server, price_in=1, price_out=2)
    status, said = typed("transcript", "models")
    assert status == 0
    assert "openai:toy" in said
    assert "random" not in said
    status, said = typed("transcript", "models", "2", "--first", "2")
    assert status == 0
    for words in ("first answer: left or right?", "There is no call", "finish tool_calls"):
        assert words in said
    assert "and 2 interactions more" in said
    assert said.count("system:") == 1
    _, full = typed("transcript", "models", "2", "--full")
    assert full.count("system:") >= 5
    _, found = typed("transcript", "models", "--search", "or right")
    assert "first answer" in found
    _, found = typed("transcript", "models", "--search", "nobody says this")
    assert "was not said" in found
    status, said = typed("transcript", "models", "-o", "said.jsonl", "--json", "said.json")
    lines = [json.loads(line) for line in Path("said.jsonl").read_text().splitlines()]
    assert len(lines) == 8
    assert json.loads(Path("said.json").read_text()) == lines
    assert lines[0]["exchanges"][0]["requests"][0] == asked(server)[0]
    assert {"reward", "action", "seconds", "subject", "number"} <= lines[0].keys()


def test_prompts_are_kept_and_told_as_they_were(
    server: Server, typed: Typed, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("Play. {rules}\n{instructions}\n{answer}", encoding="utf-8")
    played(server, prompt=str(mine))
    mine.write_text("Play badly. {rules} {instructions} {answer}", encoding="utf-8")
    status, said = typed("transcript", "models", "2", "--prompts", "--json", "prompts.json")
    assert status == 0, said
    assert "Play. {rules}" in said
    (kept,) = json.loads(Path("prompts.json").read_text()).values()
    with open_store("mensura.db") as store:
        run = store.find("models")
        (subject,) = {cell.subject for cell in store.cells(run) if cell.ask_once}
        read = [transcript(store, run, number) for number in (2, 3)]
    assert f"prompt_hash={Prompts(kept).hash}" in subject
    # What was sent is told with the prompts of then, not of now.
    sent = [
        exchange.requests[0] for one in read for i in one.interactions for exchange in i.exchanges
    ]
    assert sent == asked(server)
    status, said = typed("transcript", "models", "0", "--prompts")
    assert status == 2
    assert "not one of a language model" in said


def test_what_has_no_transcript_is_told_in_a_sentence(server: Server, typed: Typed) -> None:
    played(server)
    status, said = typed("transcript", "models", "0")
    assert status == 2
    assert "random is not a language model" in said
    status, said = typed("transcript", "models", "99")
    assert status == 2
    assert "has no sitting 99" in said
    words = "assess random --assessment battery --episodes 2 --name own --store mensura.db"
    assert typed(*words.split())[0] == 0
    status, said = typed("transcript", "own")
    assert status == 2
    assert "no language model has finished a sitting" in said


def test_halves_of_characters_are_written_out(server: Server, typed: Typed) -> None:
    def reply(request: dict[str, Any]) -> dict[str, Any]:
        good = first_action(request)
        good["choices"][0]["message"]["reasoning"] = "half \ud800 of it"
        return good

    server.answerer = reply
    played(server)
    status, said = typed("transcript", "models", "2")
    assert status == 0
    assert r"half \ud800 of it" in said
    assert typed("transcript", "models", "-o", "said.jsonl", "--json", "said.json")[0] == 0
    line = json.loads(Path("said.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert line["exchanges"][0]["answer"]["reasoning"] == r"half \ud800 of it"


def test_only_steps_that_are_wanted_come_with_requests_and_pictures(server: Server) -> None:
    played(server)
    with open_store("mensura.db") as store:
        run = store.find("models")
        one = transcript(store, run, 2, whole=range(1, 3), pictures=True)
        plain = transcript(store, run, 2)
    assert [each.step for each in one.interactions] == [0, 1, 2, 3]
    assert [bool(each.exchanges[0].requests) for each in one.interactions] == [False, True, True, False]  # fmt: skip
    assert [each.picture[:4] for each in one.interactions] == ["", "<svg", "<svg", ""]
    assert one.interactions[1].exchanges == plain.interactions[1].exchanges
    assert len(one.prompts) == 1


def test_where_inspect_is_missing_a_sentence_says_so(
    server: Server, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(server)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    for name in ("mensura.adapters.inspect", "mensura.adapters.inspect_log", "inspect_ai.log"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("said.eval", "said.json"):
        status, said = typed("transcript", "models", "-o", name)
        assert status == 2
        assert 'need the extra "inspect" (inspect_ai' in said
        assert not Path(name).exists()
