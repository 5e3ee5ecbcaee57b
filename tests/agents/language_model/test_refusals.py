"""A model that refuses everything has no score, but a reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api.leaderboard_entry import entries_of
from mensura.records.store import open_store

REFUSED = {
    "field": completion(message={"refusal": "I cannot help with that."}),
    "filter": completion("", finish_reason="content_filter"),
}
ACTED = completion(calls=[("act", '{"action": 1}')])


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


def assessed(server: Server, answer: Any) -> ms.Result:
    server.answerer = lambda request: ACTED if request["max_tokens"] == 16 else answer(request)
    return ms.assess(
        {"model": f"openai:toy?base_url={server.url}&retries=0", "random": "random"},
        budget=20,
        sittings=5,
        seed=3,
        store="store.db",
        name="refusing",
    )


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize("how", [pytest.param("filter", marks=pytest.mark.thorough), "field"])
def test_who_refuses_everything_has_no_score_but_a_reason(server: Server, how: str) -> None:
    result = assessed(server, lambda _: REFUSED[how])
    # Three questions a chain, each with a repair.
    reason = "refused 30 of 30"
    (score,) = (one for one in result.scores if one.label == "model")
    assert math.isnan(score.score)
    assert not score.valid
    (row,) = (one for one in result.rows() if one["subject"] == "model")
    assert row["reason"] == reason
    assert (
        next(one for one in result.to_json()["scores"] if one["subject"] == "model")["score"]
        is None
    )
    assert [one.label for one in result.scores] == ["random", "model"]
    line = next(line for line in str(result).splitlines() if "model" in line)
    assert reason in line
    assert "none" in line
    assert f"No score: model {reason}." in result.sentences[0]
    result.report("report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    assert f"No score: model {reason}." in page
    assert f"model ({reason})" in page
    with open_store("store.db") as store:
        run = replace(store.find("refusing"), fresh_seed=True)
        with pytest.raises(
            MensuraError, match=f"model has no score in the run refusing: it {reason}"
        ):
            entries_of(store, run, ["model"])


def test_some_refusals_are_faults_as_before(server: Server) -> None:
    turns = iter(range(10**6))
    result = assessed(server, lambda _: REFUSED["field"] if next(turns) % 10 == 4 else ACTED)
    (one,) = (one for one in result.details.conditions[0].subjects if one.subject == "model")
    assert one.reason == ""
    assert one.measures["refusals"].mean > 0
    assert math.isfinite(one.score.value)
    assert any("of its answers were refusals" in sentence for sentence in result.sentences)


def test_who_answers_nothing_that_can_be_used_is_told_so(server: Server) -> None:
    result = assessed(server, lambda _: completion("Well."))
    (one,) = (one for one in result.details.conditions[0].subjects if one.subject == "model")
    assert one.reason == ""
    assert not one.valid
    assert (
        "Nothing that was answered could be used: model (15 faults in 15 questions)."
        in result.sentences[0]
    )
    assert json.dumps(result.to_json())
