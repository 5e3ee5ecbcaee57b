"""Random judges and random witnesses: what was put in is found, and shrunk sensitivities lie between judges and all."""

from __future__ import annotations

import numpy as np
import pytest

from mensura.statistics.crossed_logistic import crossed_logistic
from mensura.statistics.identification import sensitivities, sensitivity
from mensura.statistics.mixed_logistic import mixed_logistic


def games(
    judges: int, witnesses: int, spread: float, other: float, seed: int = 1
) -> tuple[list[float], list[str], list[int], list[int]]:
    """Every judge meets every witness, with one of two machines."""
    rng = np.random.default_rng(seed)
    of_judge, of_witness = (
        spread * rng.standard_normal(judges),
        other * rng.standard_normal(witnesses),
    )
    right, machines, judge, witness = [], [], [], []
    for i in range(judges):
        for j in range(witnesses):
            machine = "ab"[(i + j) % 2]
            odds = (0.8 if machine == "a" else -0.4) + of_judge[i] + of_witness[j]
            right.append(float(rng.random() < 1.0 / (1.0 + np.exp(-odds))))
            machines.append(machine)
            judge.append(i)
            witness.append(j)
    return right, machines, judge, witness


@pytest.mark.thorough
def test_both_spreads_are_found() -> None:
    found = crossed_logistic(*games(30, 20, 1.0, 0.8, 3))
    assert found is not None
    assert 0.6 < found.judges < 1.4
    assert 0.3 < found.witnesses < 1.4
    assert found.right["a"].value > found.right["b"].value
    assert all(one.low < one.value < one.high for one in found.right.values())


def test_where_witnesses_are_alike_it_agrees_with_the_model_of_judges_alone() -> None:
    right, machines, judge, witness = games(20, 8, 0.8, 0.0)
    crossed = crossed_logistic(right, machines, judge, witness)
    alone = mixed_logistic(right, machines, judge)
    assert crossed is not None
    assert alone is not None
    for name in "ab":
        assert crossed.right[name].value == pytest.approx(alone.right[name].value, abs=0.02)
    assert crossed.judges == pytest.approx(alone.spread, abs=0.15)


@pytest.mark.parametrize("witnesses", [[0] * 12, list(range(12)), [0, 1] * 6])
def test_where_witnesses_tell_nothing_there_is_nothing(witnesses: list[int]) -> None:
    assert crossed_logistic([1.0, 0.0] * 6, ["a"] * 12, [0, 1, 2, 3] * 3, witnesses) is None


def test_sensitivities_are_drawn_towards_all_the_more_the_fewer_games_there_are() -> None:
    counts = [(9, 10, 1, 10), (5, 10, 5, 10), (2, 2, 0, 2), (90, 100, 10, 100)]
    alone = [sensitivity(*one) for one in counts]
    shrunk = sensitivities(counts)
    moved = [abs(a.d_prime - b.d_prime) for a, b in zip(alone, shrunk, strict=True)]
    assert moved[2] > moved[0] > moved[3]
    assert sensitivities(counts[:1]) == alone[:1]
    same = sensitivities([(8, 10, 2, 10)] * 3)
    assert len({round(one.d_prime, 9) for one in same}) == 1
