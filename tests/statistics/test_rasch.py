"""People and machines on one item-response scale."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mensura.statistics import rasch as module
from mensura.statistics.rasch import Rasch, rasch

MACHINES = {"weak": -2.5, "middle": -1.0, "mean": 0.0}


def simulated(
    rng: Any, people: int = 30, items: int = 40, each: int = 25
) -> tuple[Rasch, dict[int, float]]:
    """People differ by 0.8, and items by 1 about a difficulty of -2: people get most of them right."""
    able = dict(enumerate(rng.normal(0.0, 0.8, people).tolist()))
    everybody: dict[Any, float] = {**able, **MACHINES}
    hard = rng.normal(-2.0, 1.0, items)
    asked: list[tuple[Any, int]] = [
        (who, k) for who in able for k in rng.choice(items, each, replace=False).tolist()
    ]
    asked += [(name, k) for name in MACHINES for k in range(items)]
    chance = [(everybody[who], hard[k]) for who, k in asked]
    right = [rng.random() < 1.0 / (1.0 + math.exp(b - a)) for a, b in chance]
    found = rasch([w for w, _ in asked], [k for _, k in asked], right, frozenset(MACHINES))
    assert found is not None
    return found, able


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WARM_UP", 400)
    monkeypatch.setattr(module, "DRAWS", 800)


@pytest.mark.thorough
def test_intervals_of_people_and_machines_cover_their_abilities() -> None:
    rng = np.random.default_rng(1)
    of_people, of_machines = [], []
    for _ in range(20):
        found, able = simulated(rng)
        of_people += [truth in found.people[who] for who, truth in able.items()]
        of_machines += [truth in found.machines[name] for name, truth in MACHINES.items()]
    assert 0.90 < np.mean(of_people) < 0.98
    assert np.mean(of_machines) > 0.88


def test_a_fit_is_a_function_of_the_answers_and_orders_who_answered() -> None:
    one, two = (simulated(np.random.default_rng(2), 10, 12, 8)[0] for _ in range(2))
    assert one == two
    first, able = simulated(np.random.default_rng(2))
    values = [first.machines[name].value for name in MACHINES]
    assert values == sorted(values)
    fitted = [first.people[who].value for who in able]
    assert np.corrcoef(fitted, list(able.values()))[0, 1] > 0.6
    assert abs(np.mean(fitted)) < 0.3, "the mean of people is 0"


def test_a_machine_without_any_error_has_a_finite_ability() -> None:
    who = [name for name in ("a", "b", "machine") for _ in range(6)]
    items = [*range(6)] * 3
    right = [True, False, True, True, True, False] * 2 + [True] * 6
    found = rasch(who, items, right, frozenset({"machine"}))
    assert found is not None
    assert 0.0 < found.machines["machine"].value < found.machines["machine"].high < 20.0


def test_one_person_makes_no_scale() -> None:
    assert rasch(["a", "a", "m", "m"], [0, 1, 0, 1], [True] * 4, frozenset({"m"})) is None
    assert rasch(["a", "b"], [0, 0], [True, False], frozenset()) is None
