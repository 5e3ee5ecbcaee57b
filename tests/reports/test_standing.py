"""Where subjects stand: the score and its interval in a report are those of the result."""

from __future__ import annotations

import pytest
from tests.statistics.samples import sample

from mensura.core.steps import SHARED
from mensura.records.results import RunResult, SubjectResult
from mensura.reports.standing import measured, standings
from mensura.statistics.moments import Moments

pytestmark = pytest.mark.quick

SCORES = [0.30, 0.34, 0.36, 0.40] * 5


@pytest.mark.parametrize("with_samples", [False, True])
def test_an_error_that_all_sittings_share_is_part_of_the_interval(with_samples: bool) -> None:
    one = SubjectResult("one", moments=Moments.of(SCORES), measures={SHARED: Moments.of([0.02])})
    condition = RunResult("all", "lambda-v1", {}, {"name": "adaptive"}, 1, (one,))
    samples = [sample(SCORES, label="one", condition="all")] if with_samples else []
    (standing,) = standings(measured([condition], samples))
    assert standing.score.standard_error == pytest.approx(one.score.standard_error)
    assert standing.units == len(SCORES)
    if standing.middle is not None:
        assert standing.middle.standard_error > 0.02
