"""What may be spent on language models, and that it is not gone beyond."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.language_model.server import Act, Server, completion, error

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete
from mensura.agents.language_model import budget as module
from mensura.agents.language_model.actions import function
from mensura.agents.language_model.budget import Budget, allow, shared
from mensura.agents.language_model.services import patience as service_module
from mensura.agents.language_model.services.openai import OpenAIService
from mensura.agents.language_model.settings import Settings
from mensura.core.players import Unanswered

TOLD: list[dict[str, Any]] = [{"role": "user", "content": "what now?"}]
TOOLS = [function(Discrete(3))]


@pytest.fixture(autouse=True)
def _own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pytest.importorskip("openai")
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    for variable in module.VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)
    yield
    allow()


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


def service(server: Server, **more: Any) -> OpenAIService:
    return OpenAIService(Settings("toy", base_url=server.url, retries=2, **more))


def ask_often(made: OpenAIService) -> None:
    for _ in range(10):
        made.complete(TOLD, TOOLS, 60.0)


def test_a_request_that_might_go_beyond_the_cost_is_not_sent(server: Server) -> None:
    # 100 tokens in and 10 out, as the server counts, cost 120 millionths here.
    allow(cost=500e-6)
    made = service(server, price_in=1, price_out=2)
    with pytest.raises(Unanswered, match=r"beyond --max-cost 0.0005: .*a cost of 0.000") as caught:
        ask_often(made)
    assert 2 <= len(server.requests) <= 4
    assert shared().spent_cost <= 500e-6
    assert "tokens" in str(caught.value)
    made.close()


def test_tokens_and_hours_have_limits_too(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    made = service(server)
    allow(tokens=500)
    with pytest.raises(Unanswered, match="--max-tokens-total 500"):
        ask_often(made)
    assert shared().spent_tokens <= 500
    allow(hours=1)
    made.complete(TOLD, TOOLS, 60.0)
    now = module.monotonic()
    monkeypatch.setattr(module, "monotonic", lambda: now + 3700)
    with pytest.raises(Unanswered, match="--max-hours 1"):
        made.complete(TOLD, TOOLS, 60.0)
    made.close()


def test_sittings_side_by_side_do_not_go_beyond_it_together(server: Server) -> None:
    together = threading.Barrier(8, timeout=30)
    allow(cost=700e-6)
    made = service(server, price_in=1, price_out=2)
    stopped = []

    def ask() -> None:
        together.wait()
        try:
            made.complete(TOLD, TOOLS, 60.0)
        except Unanswered:
            stopped.append(1)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stopped
    assert shared().spent_cost <= 700e-6
    made.close()


def test_what_the_service_refused_costs_nothing_and_what_broke_off_counts(server: Server) -> None:
    allow(cost=1)
    made = service(server, price_in=1, price_out=2)
    server.script = [Act(429, error("slow down"))]
    made.complete(TOLD, TOOLS, 60.0)
    assert shared().spent_cost == pytest.approx(120e-6)
    server.script = [Act(truncate=40)]
    made.complete(TOLD, TOOLS, 60.0)
    assert shared().spent_cost > 240e-6
    before = shared().spent_tokens
    server.answerer = lambda _: {**completion(calls=[("act", '{"action": 1}')]), "usage": None}
    made.complete(TOLD, TOOLS, 60.0)
    assert shared().spent_tokens > before  # by an estimate
    made.close()


def test_without_prices_a_limit_on_cost_is_refused_before_anything_is_sent(server: Server) -> None:
    allow(cost=1)
    made = service(server)
    with pytest.raises(Unanswered, match="--max-cost needs prices"):
        made.check(TOOLS)
    assert server.requests == []
    made.close()


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_is_more_than_nothing(wrong: float) -> None:
    for name, words in (
        ("cost", "--max-cost is"),
        ("tokens", "--max-tokens-total is"),
        ("hours", "--max-hours is"),
    ):
        with pytest.raises(MensuraError, match=words):
            allow(**{name: wrong})


def test_processes_that_are_started_inherit_it(monkeypatch: pytest.MonkeyPatch) -> None:
    allow(cost=2.5, tokens=1000)
    assert (shared().cost, shared().tokens, shared().hours) == (2.5, 1000, None)
    monkeypatch.setattr(module, "_shared", {})  # as in a process that has just been started
    assert (shared().cost, shared().tokens, shared().hours) == (2.5, 1000, None)
    monkeypatch.setenv("MENSURA_MAX_HOURS", "soon")
    with pytest.raises(MensuraError, match="MENSURA_MAX_HOURS is 'soon'"):
        shared()


@given(st.lists(st.tuples(st.integers(1, 400), st.booleans()), max_size=40))
def test_whatever_is_booked_and_settled_the_limit_holds(asked: list[tuple[int, bool]]) -> None:
    """As long as no answer takes more than it was thought to."""
    budget, open_ones = Budget(tokens=1000), []
    for tokens, at_once in asked:
        try:
            booked = budget.book("m", None, tokens)
        except Unanswered:
            continue
        if at_once:
            budget.settle(booked, None, tokens)
        else:
            open_ones.append((booked, tokens))
    for booked, tokens in open_ones:
        budget.settle(booked, None, tokens)
    assert budget.spent_tokens <= 1000
