"""The score of a subject and its interval: by the scatter of sittings, and by the error that they share."""

from __future__ import annotations

import math

import pytest

from mensura.core.steps import SHARED
from mensura.records.results import SubjectResult
from mensura.statistics.moments import Moments

pytestmark = pytest.mark.quick

SCORES = [0.30, 0.34, 0.36, 0.40] * 5
PLAIN = SubjectResult("one", moments=Moments.of(SCORES))


def sharing(error: float) -> SubjectResult:
    return SubjectResult(
        "one", moments=Moments.of(SCORES), measures={SHARED: Moments.of([error] * 20)}
    )


def test_an_error_that_all_sittings_share_is_part_of_the_interval() -> None:
    plain, score = PLAIN.score, sharing(0.02).score
    assert score.value == plain.value
    assert score.standard_error == pytest.approx(math.hypot(plain.standard_error, 0.02))
    assert score.low < plain.low < plain.high < score.high
    assert sharing(0.0).score.low == pytest.approx(plain.low)


def test_more_sittings_do_not_lessen_it() -> None:
    many = SubjectResult(
        "one", moments=Moments.of(SCORES * 500), measures={SHARED: Moments.of([0.02])}
    )
    assert many.score.standard_error == pytest.approx(0.02, rel=0.01)


def test_of_one_sitting_the_scatter_is_unknown_all_the_same() -> None:
    one = SubjectResult("one", moments=Moments.of([0.3]), measures={SHARED: Moments.of([0.02])})
    assert one.score.low == -math.inf
