"""Understanding from Python: tables, pages and data of what was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion
from tests.reports.reading import check

import mensura as ms
from mensura.agent import Probes
from mensura.agent.errors import MensuraError
from mensura.api.naming import Named
from mensura.api.understanding import understand_named
from mensura.records.store import open_store
from mensura.studies.replay import replay
from mensura.studies.spending import Outlay


class Mine(Probes):
    """Predicts that all stays as it is."""

    def act(self, observation: Any, reward: float) -> int:
        return 5

    def probes(self) -> Probes:
        return self

    def predict(self, question: Any) -> Any:
        if question["answer"] == "probability":
            return 0.5
        if question["kind"] == "when":
            return question["never"]
        return question["start"][question["variable"]["name"]]


@pytest.fixture(scope="module")
def found() -> ms.Understood:
    return ms.understand(["oracle-model", Mine], "lambda-star", "good", questions=3, seed=1)


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_to_the_bit(found: ms.Understood) -> None:
    again = ms.understand(["oracle-model", Mine], "lambda-star", "good", questions=3, seed=1)
    assert again.to_json() == found.to_json()
    assert again.seed == found.seed == 1


def test_what_was_found_is_shown(found: ms.Understood) -> None:
    text = str(found)
    assert "Understanding of good in lambda-star-v2" in text
    assert "not measured" in text
    assert any(
        "has 1.00 at predict, achieve, explain and recreate" in one for one in found.sentences
    )
    data = json.loads(json.dumps(found.to_json()))
    oracle, mine = data["understandings"]
    assert oracle["minimum"] == 1.0
    assert mine["explain"]["value"] is None
    assert mine["explain"]["why"] == "its probes have no explain()"


def test_a_page_has_a_bar_for_each_probe(found: ms.Understood, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page = check(found.report(tmp_path / "u.html").read_text(encoding="utf-8"))
    head, *rows = page.tables["understanding-table"]
    assert head[:6] == ["subject", "predict", "achieve", "explain", "recreate", "minimum"]
    assert [row[0] for row in rows] == ["oracle-model", "Mine"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"phenomenon": "goood"}, "no phenomenon 'goood'; did you mean good"),
        ({"questions": 0}, "0 questions of each kind are impossible; 1 to 50 are"),
        ({"training": -1}, "-1 episodes of training are impossible"),
        ({"world": "echo"}, "offers no phenomena"),
        ({"subjects": "oracle-modell"}, "There is no subject 'oracle-modell'"),
    ],
)
def test_bad_input_is_one_sentence(given: dict[str, Any], why: str) -> None:
    usual = {"subjects": "oracle-model", "world": "lambda-star", "phenomenon": None}
    with pytest.raises(MensuraError, match=why):
        ms.understand(**{**usual, **given}, seed=1)


def test_what_a_model_takes_is_told_before_it_is_asked_and_has_limits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    with Server(lambda request: completion('{"answer": 1}')).running() as server:
        model = f"openai:toy?base_url={server.url}&price_in=1&price_out=1"
        told: list[str] = []

        def allow(found: Sequence[Outlay]) -> AbstractContextManager[None]:
            assert not server.requests, "nobody was asked so far"
            told.extend(map(str, found))
            return nullcontext()

        who = [Named("toy", model), Named("random", "random")]
        world = ms.make("lambda", cells=3, actions=2)
        found = understand_named(who, world, "good", questions=1, training=0, seed=1, allow=allow)
        (sentence,) = told
        asked = len(server.requests)
        questions = sum("Answer" in str(one["messages"][-1]) for one in server.requests)
        assert sentence.startswith(f"toy is going to take about {questions} requests")
        with pytest.raises(MensuraError, match="max_cost"):
            ms.understand(model, world, "good", questions=1, seed=1, max_cost=1e-9)
        assert len(server.requests) == asked
        again = understand_named(who, world, "good", questions=1, training=0, seed=1)
        assert len(server.requests) == asked, "all answers are kept"
        assert again.understandings == found.understandings
        with open_store(create=False) as store:
            played = replay(store, store.find(again.name), 0)
        assert played.identical
        assert played.from_journal
        assert len(server.requests) == asked
        with pytest.raises(MensuraError, match="are of language models, and none is assessed"):
            ms.understand("random", world, "good", questions=1, seed=1, max_cost=1.0)


@pytest.mark.thorough
def test_what_nobody_is_asked_is_not_estimated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With and without a tool only those play who are not paid for it."""
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.chdir(tmp_path)
    told: list[Outlay] = []

    def allow(found: Sequence[Outlay]) -> AbstractContextManager[None]:
        told.extend(found)
        raise MensuraError("enough")

    world = ms.make("framotec", task="locking-plotter")
    who = [Named("toy", "openai:toy")]
    with pytest.raises(MensuraError, match="enough"):
        understand_named(who, world, "plot_it", questions=1, training=0, seed=1, allow=allow)
    assert told[0].requests < 20
