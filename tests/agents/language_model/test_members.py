"""Language models as members of mixed collectives: what each took, was told and answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion

from mensura.core.usage import of_member
from mensura.records.results import SubjectResult
from mensura.records.store import Store, open_store
from mensura.reports.usage import by_member, used
from mensura.studies import runs
from mensura.studies.study import study_from_plain
from mensura.studies.transcripts import listed


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db") as opened:
        yield opened


def run(store: Store, server: Server, *members: str) -> Any:
    address = "+".join(
        member.replace("URL", f"base_url={server.url}&retries=0") for member in members
    )
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "members",
            "seed": 7,
            "subjects": [{"subject": address, "name": "group"}],
            "worlds": [
                {"world": "lambda-v1", "parameters": {"horizon": 4, "subjects": len(members)}}
            ],
            "assessments": [
                {"assessment": "battery", "parameters": {"episodes": 2, "spread": "any"}}
            ],
        }
    )
    begun = runs.begin(store, study)
    return begun, runs.resume(store, begun)


def total(one: SubjectResult, name: str) -> float:
    return one.measures[name].mean * one.measures[name].count


def test_each_member_has_an_account_of_its_own_beside_the_sum(server: Server, store: Store) -> None:
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request["model"] == "b" and request["max_tokens"] != 16:
            return completion("I would rather not.")
        return completion(calls=[("act", json.dumps({"action": 1}))])

    server.answerer = answer
    _, result = run(
        store, server, "openai:a?URL&price_in=1&price_out=1", "openai:b?URL&price_in=2&price_out=2"
    )
    (one,) = result.conditions[0].subjects
    first, second = (
        next(name for name in (m.member for m in by_member([one])) if f":{model}" in name)
        for model in "ab"
    )
    # Two answers and two repairs that were none, three times, in the first sitting as in the second.
    assert total(one, of_member("requests", first)) == 2 * 4
    assert total(one, of_member("requests", second)) == 2 * 3 * 2
    assert total(one, of_member("faults", first)) == 0
    assert total(one, of_member("faults", second)) == 2 * 3
    for name in ("requests", "tokens_in", "tokens_out", "cost", "repairs"):
        parts = (total(one, of_member(name, member)) for member in (first, second))
        assert total(one, name) == pytest.approx(sum(parts))
    rows = by_member([one])
    assert [(row.requests, row.tokens_in, row.faults) for row in rows] == [
        ("8", "900", "0"),
        ("12", "1,300", "6"),
    ]
    (sentence,) = used([one])
    assert sentence.startswith("group took 20 requests")
    assert f"Of these, {second} took 12 requests, 1,300 tokens in" in sentence


def test_a_transcript_counts_the_answers_of_language_models_alone(
    server: Server, store: Store
) -> None:
    begun, result = run(store, server, "openai:a?URL", "random")
    assert [(one.answers, one.faults) for one in listed(store, begun)] == [(4, 0), (4, 0)]
    (one,) = result.conditions[0].subjects
    assert [row.requests for row in by_member([one])] == ["8"]


def test_a_uniform_subject_has_no_members(server: Server, store: Store) -> None:
    _, result = run(store, server, "openai:a?URL")
    (one,) = result.conditions[0].subjects
    assert by_member([one]) == []
    assert not any(" of " in name for name in one.measures)


def test_every_member_hears_the_others_and_not_itself(server: Server, store: Store) -> None:
    heard: dict[str, set[str]] = {"a": set(), "b": set()}

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if not request.get("tools"):
            return completion(f"I am {request['model']}")
        for line in request["messages"][-1]["content"].splitlines():
            if " tells: " in line:
                heard[request["model"]].add(line)
        return completion(calls=[("act", json.dumps({"action": 1}))])

    server.answerer = answer
    run(store, server, "openai:a?URL&tell=true", "openai:b?URL&tell=true")
    assert heard == {"a": {"Seat 1 tells: I am b"}, "b": {"Seat 0 tells: I am a"}}
