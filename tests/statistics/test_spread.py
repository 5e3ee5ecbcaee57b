"""The spread between identical experiments: predicted from one, observed over many."""

import math

import numpy as np
import pytest
from tests.heavy import stats

from mensura.agent.keys import fold
from mensura.statistics import Moments, observed_spread, predicted_spread

pytestmark = pytest.mark.quick


def experiment(number: int, episodes: int = 200) -> np.ndarray:
    return np.random.default_rng(fold(3, number)).uniform(-1, 1, episodes)


def test_prediction_and_observation_agree() -> None:
    observed = observed_spread([experiment(i).mean() for i in range(400)])
    predicted = predicted_spread(experiment(0))
    truth = 1 / math.sqrt(3 * 200)
    assert truth in observed
    assert truth in predicted
    assert max(observed.low, predicted.low) < min(observed.high, predicted.high)


def test_the_prediction_for_more_episodes_shrinks_with_their_root() -> None:
    one, four = predicted_spread(experiment(0)), predicted_spread(experiment(0), episodes=800)
    assert four.value == pytest.approx(one.value / 2)
    assert four.high == pytest.approx(one.high / 2)
    assert four.n == 200


def test_moments_serve_as_well_as_scores() -> None:
    scores = experiment(1)
    assert predicted_spread(Moments.of(scores)) == predicted_spread(scores)


def test_the_interval_is_that_of_chi_square() -> None:
    scores = np.random.default_rng(4).normal(size=12)
    found, s = observed_spread(scores, level=0.9), scores.std(ddof=1)
    assert found.value == pytest.approx(s)
    assert found.low == pytest.approx(s * math.sqrt(11 / stats.chi2.ppf(0.95, 11)))
    assert found.high == pytest.approx(s * math.sqrt(11 / stats.chi2.ppf(0.05, 11)))


def test_one_repetition_shows_no_spread() -> None:
    alone = observed_spread([0.5])
    assert math.isnan(alone.value)
    assert (alone.low, alone.high) == (0.0, math.inf)


def test_an_experiment_has_episodes() -> None:
    with pytest.raises(ValueError, match="at least one episode, not 0"):
        predicted_spread([0.1, 0.2], episodes=0)
