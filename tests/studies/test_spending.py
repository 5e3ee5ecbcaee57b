"""What a run is going to take of language models, held against what it takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Server, completion, first_action
from tests.cli.conftest import Typed, mensura

from mensura.agent.errors import MensuraError
from mensura.agents.language_model.budget import allow
from mensura.agents.language_model.services import patience as service_module
from mensura.records.store import open_store
from mensura.studies import runs, spending
from mensura.studies.layout import Layout, lay_out
from mensura.studies.spending import Outlay, check_confirmed, outlays
from mensura.studies.study import study_from_plain
from mensura.studies.transcripts import transcript

__all__ = ["mensura"]

Type = Callable[..., Typed]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def counted(request: dict[str, Any]) -> dict[str, Any]:
        """A model whose service counts a token for three characters."""
        found = first_action(request)
        length = sum(len(str(one["content"])) for one in request["messages"])
        found["usage"] = {"prompt_tokens": length // 3, "completion_tokens": 50}
        return found

    with Server(counted).running() as running:
        yield running
    allow()


def laid_out(server: Server, subject: str = "openai:toy", **more: Any) -> Layout:
    parts = subject.split("+")
    query = f"?base_url={server.url}&retries=1&price_in=3&price_out=15{more.pop('query', '')}"
    address = "+".join(f"{one}{query}" if one.startswith("openai") else one for one in parts)
    return lay_out(
        study_from_plain(
            {
                "mensura": 1,
                "name": "money",
                "seed": 3,
                "subjects": [address],
                "worlds": [more.pop("world", "lambda-v1")],
                "assessments": [
                    {
                        "assessment": more.pop("assessment", "anytime"),
                        "parameters": more or {"interactions": 60, "sittings": 3},
                    }
                ],
            }
        )
    )


def taken(layout: Layout) -> dict[str, float]:
    with open_store("money.db") as store:
        result = runs.resume(store, runs.begin(store, layout), layout=layout)
    (one,) = result.conditions[0].subjects
    return {name: found.mean * found.count for name, found in one.measures.items()}


def test_batches_are_foretold_at_half_the_price_and_in_their_own_time(server: Server) -> None:
    (plain,) = outlays(laid_out(server).places)
    (batched,) = outlays(laid_out(server, query="&batch=true").places)
    assert plain.cost is not None
    assert batched.cost == pytest.approx(plain.cost / 2)
    assert batched.requests == plain.requests
    assert batched.hours == pytest.approx(batched.requests / 3 * 300 / 3600)
    assert str(batched).endswith("5.0 hours, with 5 minutes for each batch of answers.")
    assert str(plain).endswith("minutes.")


@pytest.mark.thorough
def test_what_is_foretold_is_about_what_is_taken(server: Server) -> None:
    layout = laid_out(server)
    (foretold,) = outlays(layout.places)
    assert server.requests == []
    found = taken(layout)
    assert foretold.requests == pytest.approx(found["requests"], rel=0.35)
    assert foretold.tokens_in == pytest.approx(found["tokens_in"], rel=0.35)
    assert foretold.cost == pytest.approx(found["cost"], rel=0.35)


@pytest.mark.thorough
def test_a_window_is_foretold_too(server: Server) -> None:
    layout = laid_out(server, query="&history=window&window=3")
    (foretold,) = outlays(layout.places)
    (longer,) = outlays(laid_out(server).places)
    found = taken(layout)
    assert foretold.tokens_in == pytest.approx(found["tokens_in"], rel=0.35)
    assert foretold.tokens_in < longer.tokens_in


@pytest.mark.thorough
def test_notes_that_nobody_has_read_yet_are_foretold_by_a_guess(server: Server) -> None:
    def noting(request: dict[str, Any]) -> dict[str, Any]:
        notes = {"action": 0, "notes": "n" * 1000}
        found = completion(calls=[("act", json.dumps(notes))])
        length = sum(len(str(one["content"])) for one in request["messages"])
        return {**found, "usage": {"prompt_tokens": length // 3, "completion_tokens": 50}}

    server.answerer = noting
    layout = laid_out(server, query="&history=notes")
    (foretold,) = outlays(layout.places)
    assert foretold.tokens_in == pytest.approx(taken(layout)["tokens_in"], rel=0.35)


@pytest.mark.thorough
def test_long_chains_are_not_rehearsed_to_their_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = laid_out(server, interactions=4000, sittings=2)
    (some,) = outlays(whole.places)
    monkeypatch.setattr(spending, "REHEARSED", 100_000)
    (all_of_it,) = outlays(whole.places)
    assert some.requests == pytest.approx(all_of_it.requests, rel=0.35)
    assert some.tokens_in == pytest.approx(all_of_it.tokens_in, rel=0.35)


def test_of_a_mixed_group_only_the_models_are_counted(server: Server) -> None:
    world = {"world": "lambda-star-v2", "parameters": {"subjects": 2, "horizon": 10}}
    battery = {"assessment": "battery", "world": world, "episodes": 2, "spread": "any"}
    (alone,) = outlays(laid_out(server, "openai:toy", **dict(battery)).places)
    (mixed,) = outlays(laid_out(server, "openai:toy+local-search", **dict(battery)).places)
    assert (alone.requests, mixed.requests) == (40, 20)
    assert outlays(laid_out(server, "local-search", **dict(battery)).places) == []


def test_in_a_mixed_group_a_model_tells_the_others_and_has_a_transcript(server: Server) -> None:
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return completion("hello") if not request.get("tools") else first_action(request)

    server.answerer = answer
    world = {"world": "lambda-star-v2", "parameters": {"subjects": 2, "horizon": 3}}
    battery = {"assessment": "battery", "world": world, "episodes": 1, "spread": "any"}
    layout = laid_out(server, "local-search+openai:toy", query="&tell=true", **battery)
    (foretold,) = outlays(layout.places)
    found = taken(layout)
    assert foretold.requests == found["requests"] == 6
    with open_store("money.db") as store:
        one = transcript(store, store.find("money"), 0)
    talked = [each for each in one.interactions if each.exchanges]
    assert [each.seat for each in talked] == [1, 1, 1]
    assert [[exchange.kind for exchange in each.exchanges] for each in talked] == [
        ["tell", "act"]
    ] * 3
    sent = [exchange.requests[0] for each in talked for exchange in each.exchanges]
    assert sent == [one["messages"] for one in server.requests if one["max_tokens"] != 16]


def outlay(requests: int, cost: float | None) -> Outlay:
    return Outlay("openai:m", requests, 1e6, 1e4, cost, 0.5)


def test_much_has_to_be_meant() -> None:
    check_confirmed([])
    check_confirmed([outlay(4000, None), outlay(100_000, 19.0)])
    for much in ([outlay(6000, None)], [outlay(10, 21.0)], [outlay(1, 11.0), outlay(1, 11.0)]):
        with pytest.raises(MensuraError, match="have to be confirmed: add --yes"):
            check_confirmed(much)


@pytest.mark.thorough
def test_the_command_says_it_asks_and_stops(server: Server, mensura: Type) -> None:
    model = f"openai:toy?base_url={server.url}&retries=1"
    prices = ("--price-in", "3", "--price-out", "15")
    ended = mensura("assess", model, "--budget", "100000", *prices)
    assert ended.status == 2
    assert "hours" in ended.err
    assert "add --yes" in ended.err
    assert server.requests == []
    few = ("--budget", "30", "--sittings", "2")
    ended = mensura("assess", model, *few, "--max-cost", "1", "--store", "a.db")
    assert ended.status == 2
    assert "--max-cost needs prices" in ended.err
    assert server.requests == []
    ended = mensura("assess", model, *few, *prices, "--max-cost", "0.02", "--name", "b")
    assert ended.status == 2
    assert "beyond --max-cost 0.02" in ended.err
    assert "mensura study resume b" in ended.err
    asked = len(server.requests)
    assert asked > 2
    ended = mensura("study", "resume", "b", "--max-tokens-total", "9000")
    assert ended.status == 2
    assert "beyond --max-tokens-total 9,000" in ended.err
    ended = mensura("study", "resume", "b")
    assert ended.status == 0, ended.err
    ended = mensura("assess", "random", "--budget", "100", "--max-hours", "1")
    assert ended.status == 2
    assert "none is assessed" in ended.err


def test_the_check_is_counted_also_where_it_came_before_all_sittings(
    server: Server, mensura: Type
) -> None:
    words = (f"openai:toy?base_url={server.url}", "--budget", "10", "--sittings", "2")
    ended = mensura("assess", *words, "--price-in", "3", "--price-out", "15", "--name", "c")
    assert ended.status == 0, ended.err
    checks = sum(one["max_tokens"] == 16 for one in server.requests)
    assert checks == 1
    told = " ".join(ended.out.split())
    assert f"took {len(server.requests) - 1} requests" in told
    assert "1 request to check that it answers" in told


def test_a_model_gets_less_by_default_and_one_seat(server: Server, mensura: Type) -> None:
    model = f"openai:toy?base_url={server.url}&retries=0"
    server.answerer = lambda _: {"nonsense": 1}
    ended = mensura("assess", model, "-w", "lambda-star", "-a", "battery")
    assert "One seat" in ended.out
    assert "about 1,000 requests" in ended.out
    ended = mensura("assess", model, "-w", "lambda-star", "-a", "battery", "-n", "2", "-e", "3")
    assert "One seat" not in ended.out
    assert "about 300 requests" in ended.out
    ended = mensura("assess", model, "random")
    assert "about 2," in ended.out
