"""What subjects took that are asked over a network, in a sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mensura.records.cell import Cell
from mensura.records.results import SubjectResult
from mensura.records.summary import empty
from mensura.reports.usage import against_cost, used
from mensura.statistics.moments import Moments

pytestmark = pytest.mark.quick


def moments(*values: float) -> Moments:
    return Moments().add(np.array(values))


ONE = empty(
    Cell(
        0,
        "c",
        "lambda-v1",
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


def costing(name: str, cost: float, *scores: float) -> SubjectResult:
    measures = {"requests": moments(1, 1), "cost": moments(cost / 2, cost / 2)}
    return replace(ONE, subject=name, measures=measures, moments=moments(*scores))


def test_who_is_on_the_front_of_score_against_cost() -> None:
    some = [
        costing("dear", 4, 0.5, 0.7),
        costing("cheap", 1, 0.1, 0.3),
        costing("worse", 2, 0.0, 0.2),
        costing("as good", 5, 0.5, 0.7),
        replace(ONE, subject="random", moments=moments(0, 0)),
    ]
    bargains = against_cost(some)
    assert [(one.subject, one.cost, one.score, one.on_front) for one in bargains] == [
        ("cheap", "1", "+0.200", True),
        ("worse", "2", "+0.100", False),
        ("dear", "4", "+0.600", True),
        ("as good", "5", "+0.600", False),
    ]
    assert used(some)[-1] == (
        "Score against cost: cheap and dear are on the front; of the others somebody scored at least as much for less."
    )
    assert used(some[:2])[-1].endswith("all are on the front; whoever scored more cost more.")
    assert used(some[1:3])[-1].startswith(
        "Score against cost: cheap is on the front; of the other "
    )


def test_score_and_cost_are_compared_where_several_valid_subjects_have_both() -> None:
    faulty = replace(costing("faulty", 1, 0.9, 0.9), actions=10, defaults=10.0)
    assert against_cost([costing("one", 4, 0.5, 0.7), faulty]) == []
    assert len(used([costing("one", 4, 0.5, 0.7)])) == 1


def test_equals_are_both_on_the_front() -> None:
    same = [costing("a", 1, 0.1, 0.3), costing("b", 1, 0.1, 0.3)]
    assert [one.on_front for one in against_cost(same)] == [True, True]
