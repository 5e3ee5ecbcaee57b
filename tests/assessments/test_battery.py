"""A battery chooses the same environments one by one and in bulk, and names its complexity."""

from __future__ import annotations

import pytest

from mensura.assessments.battery import Battery
from mensura.core.abilities import (
    measure_of,
)
from mensura.core.errors import MensuraError
from mensura.core.keys import fold
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "battery",
    [
        Battery(6),
        Battery(6, spread=(4, 9)),
        Battery(6, measure="combined", spread=(50, 60), tolerance=5),
    ],
)
def test_both_ways_of_choosing_agree(battery: Battery) -> None:
    world = LambdaStar(rows=6, cols=6, subjects=2, horizon=20)
    items = battery.items(7, 0, 6)
    measure = measure_of(battery, world)
    sampled = world.sample_many(items.keys, measure, items.low, items.high)
    for i in range(6):
        plan = next(battery.sitting(world, fold(7, i)))
        assert plan.environment == items.keys[i]
        assert plan.key == items.resets[i]
        assert plan.description == world.describe(sampled.rows[i])
        assert sampled.complexity[i] == pytest.approx(world.complexity(plan.description, measure))
        assert items.low[i] <= sampled.complexity[i] <= items.high[i]


def test_the_complexity_is_the_worlds_first_unless_named() -> None:
    assert measure_of(Battery(), LambdaStar()) == "K"
    assert measure_of(Battery(measure="H"), LambdaStar()) == "H"


def test_a_tolerance_below_nothing_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"tolerance of complexity is -1; it is a number"):
        Battery(tolerance=-1)
