"""What is known of scripted models, held against what was found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reports.studies import condition

from mensura.reports.known_abilities import Known, checks
from mensura.reports.standing import Standing, scored, standings
from mensura.statistics.interval import Estimate
from mensura.statistics.replication import replication_of

pytestmark = pytest.mark.quick


def stood(**means: float) -> list[Standing]:
    run, samples = condition("x", means)
    return standings(scored([run], samples, replication_of(samples)))


def gain(value: float, reach: float = 0.05) -> Estimate:
    return Estimate(value, value - reach, value + reach, 0.95, 20, reach / 2)


KNOWN = {"low": Known(0.0), "half": Known(0.5), "high": Known(0.9)}


def test_the_order_of_abilities_has_to_come_out() -> None:
    (right,) = checks(KNOWN, stood(low=0.0, half=0.3, high=0.7), {})
    assert right.found
    (wrong,) = checks(KNOWN, stood(low=0.4, half=0.3, high=0.7), {})
    assert not wrong.found
    assert wrong.words.startswith("Scores rise with ability: low (ability 0) +0.379")


def test_of_one_model_there_is_no_order() -> None:
    assert list(checks({"low": Known(0.0)}, stood(low=0.1), {})) == []
    assert list(checks({}, [], {})) == []


def test_who_learns_has_to_improve_and_by_more_than_an_equal_who_does_not() -> None:
    known = {"half": Known(0.5), "learner": Known(0.5, rises=True)}
    gains = {"half": gain(0.1), "learner": gain(0.4)}
    (right,) = checks(known, [], gains)
    assert right.found
    (less,) = checks(known, [], {**gains, "half": gain(0.5)})
    assert not less.found
    (doubtful,) = checks(known, [], {**gains, "learner": gain(0.4, 0.6)})
    assert not doubtful.found


@pytest.mark.parametrize(("faults", "found"), [(200, True), (230, True), (400, False), (0, False)])
def test_refusals_have_to_be_as_many_as_is_known(faults: int, found: bool) -> None:
    (one,) = stood(no=0.5)
    one = replace(one, result=replace(one.result, faults=faults, asked=1000.0))
    (check,) = checks({"no": Known(0.9, refuses=0.2)}, [one], {})
    assert check.found is found
