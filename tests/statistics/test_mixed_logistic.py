"""The logistic model with random judges: it finds what simulated judges were made with."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.test_identification import studies

from mensura.statistics.identification import identified
from mensura.statistics.mixed_logistic import mixed_logistic


def test_it_finds_the_share_and_the_spread_of_judges() -> None:
    (one,) = studies(1, 300, 12, 0.65, 1.0, 5)
    judges = np.repeat(np.arange(300), 12).tolist()
    found = mixed_logistic(one.ravel().tolist(), ["eliza"] * 3600, judges)
    assert found is not None
    assert 0.65 in found.right["eliza"]
    assert found.spread == pytest.approx(1.0, abs=0.2)
    beside = identified(one.ravel().tolist(), judges).estimate
    assert found.right["eliza"].value == pytest.approx(beside.value, abs=0.01)
    assert found.right["eliza"].half_width == pytest.approx(beside.half_width, rel=0.15)


def test_judges_who_do_not_differ_have_no_spread() -> None:
    (one,) = studies(1, 60, 10, 0.5, 0.0, 7)
    found = mixed_logistic(one.ravel().tolist(), ["m"] * 600, np.repeat(np.arange(60), 10).tolist())
    assert found is not None
    assert found.spread < 0.4
    assert 0.5 in found.right["m"]


def test_machines_have_shares_of_their_own() -> None:
    (low,) = studies(1, 100, 4, 0.4, 0.8, 1)
    (high,) = studies(1, 100, 4, 0.8, 0.8, 2)
    right = [*low.ravel().tolist(), *high.ravel().tolist()]
    machines = ["low"] * 400 + ["high"] * 400
    judges = [*np.repeat(np.arange(100), 4), *np.repeat(np.arange(100, 200), 4)]
    found = mixed_logistic(right, machines, judges)
    assert found is not None
    assert 0.4 in found.right["low"]
    assert 0.8 in found.right["high"]


@pytest.mark.thorough
def test_it_agrees_with_a_fit_of_statsmodels_where_judges_do_not_differ() -> None:
    statsmodels = pytest.importorskip("statsmodels.api")
    (one,) = studies(1, 80, 5, 0.6, 0.0, 3)
    y = one.ravel()
    fitted = statsmodels.GLM(y, np.ones((400, 1)), family=statsmodels.families.Binomial()).fit()
    share = 1.0 / (1.0 + np.exp(-float(fitted.params[0])))
    found = mixed_logistic(y.tolist(), ["m"] * 400, np.repeat(np.arange(80), 5).tolist())
    assert found is not None
    assert found.right["m"].value == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("right", [[1.0] * 20, [1.0, 0.0]])
def test_where_nothing_can_be_fitted_there_is_nothing(right: list[float]) -> None:
    assert mixed_logistic(right, ["m"] * len(right), list(range(len(right)))) is None
    assert mixed_logistic([1.0] * 20, ["m"] * 20, [number % 5 for number in range(20)]) is None
