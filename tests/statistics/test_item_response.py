"""The adaptive test finds what simulated persons are worth, says how well it knows, and asks where it learns most."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.heavy import optimize

from mensura.statistics.item_response import (
    Band,
    Examination,
    Person,
    Scale,
    _rising,
    calibrate,
    curve,
    cut,
    examine,
)

REFERENCES = {
    "random": Person(0.0, 0.0, 0.1),
    "steady": Person(1.5, 0.0, 0.2),
    "learner": Person(0.4, 0.8, 0.2),
    "quick learner": Person(0.8, 1.2, 0.25),
    "slow learner": Person(0.2, 0.6, 0.15),
}

DIFFICULTY = [-1.5, -0.8, -0.3, 0.3, 0.8, 1.5]


def scale(deviation: float = 0.02) -> Scale:
    size = math.sqrt(float(np.mean(np.square(DIFFICULTY))))
    bands = tuple(Band(i, i + 0.5, 1 / 6, d / size, 1.0) for i, d in enumerate(DIFFICULTY))
    return Scale(bands, REFERENCES, deviation)


def examined(person: Person, case: int, **limits: object) -> Examination:
    rng = np.random.default_rng(case)
    means = scale().expected(person)
    return examine(
        scale(),
        lambda band: float(rng.normal(means[band], person.scatter)),
        **{"error": 0.03, "most": 300, **limits},  # type: ignore[arg-type]
    )


def bounds(share: float, cases: int) -> tuple[float, float]:
    """Where a share lies in all but one of fifteen thousand such simulations."""
    slack = 4 * math.sqrt(share * (1 - share) / cases)
    return share - slack, share + slack


@given(st.floats(-3, 3), st.floats(0, 2), st.floats(-3, 3))
def test_rewards_stay_in_their_bounds_and_fall_with_difficulty(
    ability: float, sensitivity: float, difficulty: float
) -> None:
    reward = float(curve(ability, sensitivity, difficulty))
    assert -1.0 <= reward <= 1.0
    assert abs(curve(ability, sensitivity, difficulty + 0.5)) <= abs(reward)
    assert curve(0.0, sensitivity, difficulty) == 0.0
    assert curve(-ability, sensitivity, difficulty) == -reward


@settings(max_examples=50)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=80), st.integers(1, 12))
def test_bands_part_all_environments_and_keep_equal_complexities_together(
    complexity: list[int], bands: int
) -> None:
    values = np.array(complexity, float)
    members = cut(values, bands)
    assert np.sum(members, axis=0).tolist() == [1] * len(complexity)
    assert len(members) <= bands
    for own, after in pairwise(members):
        assert values[own].max() < values[after].min()


def test_a_calibration_recovers_the_persons_that_made_the_records() -> None:
    rng = np.random.default_rng(1)
    complexity = np.arange(6000) % 6
    truth = scale()
    rewards = {
        name: truth.expected(one)[complexity] + rng.normal(0, one.scatter, 6000)
        for name, one in REFERENCES.items()
    }
    found = calibrate(complexity, rewards, 6)
    assert [band.low for band in found.bands] == [0, 1, 2, 3, 4, 5]
    assert found.difficulty == pytest.approx(truth.difficulty, abs=0.1)
    assert found.deviation == pytest.approx(0.02, abs=1e-6)
    for name, one in REFERENCES.items():
        assert found.expected(found.references[name]) == pytest.approx(
            truth.expected(one), abs=0.04
        )
        assert found.references[name].scatter == pytest.approx(one.scatter, rel=0.05)
    assert Scale.from_json(found.to_json()) == found


def test_a_calibration_never_takes_the_more_complex_for_the_easier() -> None:
    rng = np.random.default_rng(2)
    complexity = rng.integers(0, 12, 150)
    rewards = {"a": rng.normal(0.3, 0.3, 150), "b": rng.normal(0.5, 0.2, 150)}
    assert (np.diff(calibrate(complexity, rewards).difficulty) >= 0).all()


@pytest.mark.parametrize(
    ("complexity", "rewards", "message"),
    [
        ([1, 1, 1], {"a": [0, 0, 0]}, "same complexity"),
        ([1, 2, 3], {"a": [0, 0]}, "one reward in each environment"),
    ],
)
def test_records_that_tell_no_difficulty_are_refused(
    complexity: list[int], rewards: dict[str, list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        calibrate(complexity, rewards)


@pytest.fixture
def cases(full_size: bool) -> int:
    """How often a person is examined."""
    return 40 if full_size else 12


@pytest.mark.thorough
@pytest.mark.parametrize(
    "person",
    [Person(0.0, 0.0, 0.1), Person(1.2, 0.0, 0.2), Person(0.5, 1.0, 0.2), Person(-0.4, 0.3, 0.2)],
    ids=["random", "steady", "learner", "worse than random"],
)
def test_intervals_of_the_expected_reward_cover_it(person: Person, cases: int) -> None:
    truth = float(scale().expected(person) @ scale().weight)
    covered = []
    for case in range(cases):
        standing = examined(person, case).standing()
        covered.append(truth in standing.expected)
        assert standing.expected.standard_error <= 0.03
        assert standing.ability.low <= standing.ability.value <= standing.ability.high
    low, _ = bounds(0.95, cases)
    assert np.mean(covered) >= low


@pytest.mark.thorough
def test_intervals_hold_the_truth_although_the_scale_is_itself_an_estimate(
    full_size: bool,
) -> None:
    """Studies with a small calibration and a long test each, so that what is left is the error of the scale."""
    studies = 200 if full_size else 6
    person = Person(0.8, 1.0, 0.05)
    means = scale().expected(person)
    truth = float(means @ scale().weight)
    alone, whole = 0, 0
    for study in range(studies):
        rng = np.random.default_rng(study)
        places = rng.random(60)
        rewards = {
            name: scale().expected(one)[(6 * places).astype(int)] + rng.normal(0, one.scatter, 60)
            for name, one in REFERENCES.items()
        }
        found = calibrate(places, rewards, 6)

        def answer(band: int) -> float:
            place = rng.uniform(found.bands[band].low, found.bands[band].high)  # noqa: B023
            return float(rng.normal(means[int(6 * place)], person.scatter))  # noqa: B023

        standing = examine(found, answer, error=1e-9, most=60).standing()
        gap = abs(standing.expected.value - truth)
        alone += gap <= 1.96 * standing.expected.standard_error
        whole += gap <= 1.96 * math.hypot(standing.expected.standard_error, standing.shared)
    assert whole / studies >= bounds(0.95, studies)[0]
    assert alone / studies < bounds(0.95, studies)[0]


def test_where_the_scale_is_known_tests_share_less_the_longer_they_are() -> None:
    person = Person(0.5, 0.5, 0.1)
    short, long = (examined(person, 1, error=1e-9, most=most) for most in (10, 60))
    assert 0.0 < long.shared_error() < short.shared_error() < 0.02
    assert long.shared_error() < long.error


@pytest.mark.thorough
def test_a_larger_calibration_has_a_smaller_error() -> None:
    rng = np.random.default_rng(5)
    errors = []
    for n in (100, 10_000):
        complexity = np.arange(n) % 6
        rewards = {
            name: scale().expected(one)[complexity] + rng.normal(0, one.scatter, n)
            for name, one in REFERENCES.items()
        }
        examination = Examination(calibrate(complexity, rewards, 6))
        for band, reward in enumerate(scale().expected(Person(0.8, 1.0, 0.1))):
            for _ in range(5):
                examination.take(band, float(reward))
        errors.append(examination.shared_error())
    assert errors[1] < errors[0] / 2


@pytest.mark.thorough
def test_a_person_of_the_model_seldom_seems_a_misfit_and_another_one_often(cases: int) -> None:
    person = Person(0.5, 0.8, 0.15)
    fits = [examined(person, case, error=0.02).standing().fit.p for case in range(cases)]
    assert np.mean(np.array(fits) < 0.05) <= bounds(0.05, cases)[1]

    def odd(case: int) -> float:
        rng = np.random.default_rng(case)
        means = [0.0, 0.7, 0.0, 0.7, 0.0, 0.7]
        examination = examine(
            scale(), lambda band: float(rng.normal(means[band], 0.15)), error=0.02, most=300
        )
        return examination.standing().fit.p

    assert np.mean([odd(case) < 0.05 for case in range(cases // 2)]) > 0.8


@pytest.mark.thorough
def test_with_many_items_the_curve_no_longer_counts() -> None:
    means = np.array([0.0, 0.7, 0.0, 0.7, 0.0, 0.7])
    rng = np.random.default_rng(3)
    examination = examine(
        scale(), lambda band: float(rng.normal(means[band], 0.1)), error=1e-9, most=800
    )
    standing = examination.standing()
    assert standing.expected.value == pytest.approx(means.mean(), abs=0.03)
    assert {band for band, _ in examination.asked} == set(range(6))


def test_the_item_with_the_most_gain_is_asked_and_each_item_lessens_the_error_on_average() -> None:
    examination = Examination(scale())
    rng = np.random.default_rng(4)
    errors = [examination.error]
    for _ in range(20):
        band = examination.next()
        assert examination.gain()[band] == examination.gain().max()
        examination.take(band, float(rng.normal(0.4, 0.2)))
        errors.append(examination.error)
    assert errors[-1] < errors[0] / 5


def test_it_stops_at_the_wanted_error_or_at_the_most_items() -> None:
    assert len(examined(Person(0.5, 0.5, 0.3), 1, error=1e-6, most=12).asked) == 12
    assert len(examined(Person(0.0, 0.0, 0.1), 1, error=10.0, least=7).asked) == 7
    loose = len(examined(Person(0.5, 0.5, 0.3), 1, error=0.06).asked)
    assert loose < len(examined(Person(0.5, 0.5, 0.3), 1, error=0.03).asked)


def test_the_order_of_items_does_not_matter() -> None:
    items = [(0, 0.9), (3, 0.1), (0, 0.7), (5, -0.1), (2, 0.3)]
    one, two = Examination(scale()), Examination(scale())
    for band, reward in items:
        one.take(band, reward)
    for band, reward in reversed(items):
        two.take(band, reward)
    assert one.standing().expected.value == pytest.approx(two.standing().expected.value, abs=1e-12)


def test_few_bands_tell_no_fit() -> None:
    examination = Examination(scale())
    examination.take(0, 0.5)
    assert math.isnan(examination.standing().fit.p)


@given(
    st.lists(st.tuples(st.floats(-4.0, 4.0), st.floats(0.01, 1.0)), min_size=1, max_size=12).map(
        np.array
    )
)
def test_what_never_falls_is_scipys_isotonic_regression(rows: np.ndarray) -> None:
    values, weights = rows.T
    theirs = optimize.isotonic_regression(values, weights=weights).x
    assert _rising(values, weights) == pytest.approx(theirs, abs=1e-9)
