"""What growth does to the least time and energy: predicted, and measured in the simulation."""

from __future__ import annotations

import pytest

from mensura.core.errors import MensuraError
from mensura.worlds.framotec.growth import Growth, grow, with_dimension, with_place, with_stop
from mensura.worlds.framotec.paper import car_race, locking_plotter, steered_mover
from mensura.worlds.framotec.task import Task


@pytest.mark.parametrize(
    "task",
    [car_race(), pytest.param(locking_plotter(), marks=pytest.mark.slow)],
    ids=["race", "lock"],
)
def test_what_is_predicted_is_measured(task: Task) -> None:
    rows = {row.what: row for row in grow(task)}
    for row in rows.values():
        assert row.predicted_time * (1.0 - 1e-9) <= row.measured_time <= 1.01 * row.predicted_time
        assert row.predicted_energy * (1.0 - 1e-9) <= row.measured_energy
        assert row.measured_energy <= 1.02 * row.predicted_energy
    base: Growth = rows["as it is"]
    assert rows["a dimension beside"].measured_energy > 1.9 * base.measured_energy - 20.0
    assert rows["a place on the way"].predicted_energy == base.predicted_energy
    if "to stand still there" in rows:
        assert rows["to stand still there"].predicted_time > base.predicted_time


def test_growth_is_in_the_task() -> None:
    wide = with_dimension(car_race(), last=True)
    assert [one.name for one in wide.objects] == ["position", "position_2"]
    assert wide.goals[-1].prerequisites == ("there",)
    assert len(with_dimension(wide).goals) == 3
    assert with_place(car_race()).goals[0].value == 60.0
    assert with_stop(car_race()).goals[-1].prerequisites == ("still",)


def test_what_cannot_be_predicted_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match="transitions set the power of motors"):
        grow(steered_mover().middle)
