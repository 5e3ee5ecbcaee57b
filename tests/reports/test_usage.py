"""What subjects took that are asked over a network, in a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mensura.records.cell import Cell
from mensura.records.summary import empty
from mensura.reports.usage import used
from mensura.statistics.moments import Moments

pytestmark = pytest.mark.quick


def moments(*values: float) -> Moments:
    return Moments().add(np.array(values))


ONE = empty(
    Cell(
        0,
        "c",
        "lambda-v0",
        {},
        "anytime",
        {},
        subject="openai:m",
        name="openai:m",
        seed=1,
        sittings=2,
    )
)


def test_sums_are_told_and_the_time_of_a_request() -> None:
    result = replace(
        ONE,
        measures={
            "requests": moments(1000, 500),
            "tokens_in": moments(2e6, 1e6),
            "tokens_out": moments(10, 20),
            "cost": moments(0.5, 0.25),
            "request_seconds": moments(100, 200),
            "retries": moments(1, 0),
            "repairs": moments(0, 2),
        },
    )
    assert used([result]) == [
        "openai:m took 1,500 requests, 3,000,000 tokens in and 30 out, cost 0.75, 0.2 s a request, 1 retry, 2 repairs."
    ]


def test_what_is_not_known_is_not_told() -> None:
    some = {"requests": moments(3, 4), "tokens_in": moments(7), "tokens_out": moments(1)}
    (sentence,) = used([replace(ONE, measures=some)])
    assert "cost" not in sentence
    assert sentence.endswith("; tokens were counted in 1 of 2 episodes.")
    assert used([ONE]) == []
    assert used([replace(ONE, measures={"messages": moments(1, 2)})]) == []
