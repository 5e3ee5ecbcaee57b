"""Studies that state what they expect: verdicts follow from intervals, what fails stays, and the page says so."""

from __future__ import annotations

import pytest

from mensura.api.expectations import (
    SMALL,
    Expectation,
    TwoTables,
    _above_zero,
    _below_zero,
    _forgetting,
    _noise,
    expectations_page,
)
from mensura.statistics.interval import Estimate


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, 8, 0.1)


@pytest.mark.parametrize(
    ("one", "above", "below"),
    [
        (estimate(0.5, 0.1, 0.9), "held", "failed"),
        (estimate(-0.5, -0.9, -0.1), "failed", "held"),
        (estimate(0.1, -0.1, 0.3), "open", "open"),
        (estimate(0.0, 0.0, 0.0), "failed", "open"),
    ],
)
def test_a_verdict_is_sure_or_open(one: Estimate, above: str, below: str) -> None:
    assert (_above_zero(one), _below_zero(one)) == (above, below)


@pytest.mark.thorough
def test_the_expectations_of_noise_and_forgetting_are_measured() -> None:
    never, later = _noise(1, SMALL)
    assert never.verdict in ("held", "failed")
    assert later.statement.startswith("On Lambda the planner")
    one, two = _forgetting(1, SMALL)
    assert "[" in one.found
    assert (two.verdict, two.found) == ("held", "+0.000 [+0.000, +0.000]")


def test_two_tables_are_kept_and_come_back() -> None:
    learner = TwoTables()
    again = TwoTables()
    again.load(learner.save())
    assert again.save() == learner.save()


def test_the_page_tells_what_failed() -> None:
    found = [Expectation("A <b>.", "by c", "d", "failed"), Expectation("E.", "by f", "g", "held")]
    page = expectations_page("why", found, "mensura reproduce why", 7, "Nothing was published")
    assert "2 expectations: 1 held, 1 failed, 0 open" in page
    assert "A &lt;b&gt;." in page
    assert "the seed 7" in page
