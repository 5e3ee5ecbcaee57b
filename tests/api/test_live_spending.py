"""What progress tells of the money, tokens and requests of language models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from mensura.agents.language_model.budget import Budget, allow
from mensura.api.live_spending import Spending
from mensura.api.progress import Events, Lines, Pace
from mensura.core.usage import Taken
from mensura.records.batch import Batch, Episodes, MeasureRow
from mensura.records.cell import Cell

pytestmark = pytest.mark.quick

CELL = Cell(0, "c", "lambda-v1", {}, "battery", {}, "openai:m", "m", seed=1, sittings=4)


@pytest.fixture(autouse=True)
def _no_limits() -> Iterator[None]:
    allow()
    yield
    allow()


def batch(cost: float | None, requests: float = 20.0) -> Batch:
    """One sitting that took so much."""
    whole, real = np.zeros(1, np.int64), np.zeros(1)
    flags = np.zeros(1, np.bool_)
    episodes = Episodes(
        whole, whole, flags, whole.astype(np.uint64), real, real, whole, real, real, whole, real
    )
    told = {"requests": requests, "tokens_in": 900.0, "tokens_out": 100.0, "cost": cost}
    rows = [MeasureRow(0, 0, name, value) for name, value in told.items() if value is not None]
    return Batch(
        0, whole, real, whole, flags, whole, real, real, whole, real, episodes, measures=tuple(rows)
    )  # fmt: skip


def asked(budget: Budget, cost: float | None, times: int) -> None:
    for _ in range(times):
        budget.settle(budget.book("m", cost, 100), cost, 120)


def test_nothing_is_told_where_nobody_was_asked() -> None:
    spending = Spending()
    assert not spending.is_known
    assert str(spending) == ""


def test_requests_of_this_process_count_as_soon_as_they_are_answered() -> None:
    spending = Spending()
    asked(allow(), 0.01, 30)
    assert str(spending) == "0.3 spent, 3600 tokens, 30 requests/min"
    spending.counted(batch(0.2))  # of the same requests
    assert spending.now.requests == 30


def test_where_others_compute_it_is_known_with_what_comes_back() -> None:
    spending = Spending()
    spending.counted(batch(0.25))
    spending.counted(batch(0.25))
    assert str(spending) == "0.5 spent, 2000 tokens, 40 requests/min"


def test_a_resumed_run_begins_with_what_was_spent() -> None:
    spending = Spending(Taken(1000, 2e6, 3.5, 0), Taken(10, 1000, 0.1, 0))
    assert str(spending) == "3.6 spent, 2.0M tokens, 0 requests/min"
    spending.counted(batch(0.1, 10))  # the sitting that was under way
    assert spending.now.cost == pytest.approx(3.6)


def test_the_share_of_a_limit_is_told() -> None:
    spending = Spending()
    asked(allow(2.0, 10_000), 0.01, 20)
    assert str(spending) == (
        "0.2 spent, 10% of --max-cost, 24% of --max-tokens-total, 2400 tokens, 20 requests/min"
    )


def test_an_unknown_cost_is_called_unknown() -> None:
    spending = Spending()
    asked(allow(), None, 3)
    assert str(spending).startswith("cost unknown, 360 tokens")
    assert spending.to_json()["cost"] is None
    mixed = Spending(Taken(10, 100, 0.5, 4))
    assert str(mixed).startswith("0.5 spent and more at an unknown price")


def test_lines_and_events_tell_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pace, "due", lambda self, interval: True)
    Lines(Pace(4)).counted(CELL, batch(0.25))
    assert ", 0.25 spent, 1000 tokens, 20 requests/min, now m" in capsys.readouterr().err
    Events(Pace(4)).counted(CELL, batch(None))
    assert '"spent": {"requests": 20, "tokens": 1000, "cost": null' in capsys.readouterr().out
