"""What growth does to the least time and energy: predicted, and measured in the simulation."""

from __future__ import annotations

import numpy as np
import pytest
from tests.pages import DOCS, cells
from tests.worlds.framotec.sizes import sized

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis import growth
from mensura.worlds.framotec.analysis.growth import (
    Growth,
    grow,
    with_dimension,
    with_place,
    with_stop,
)
from mensura.worlds.framotec.paper import car_race, locking_plotter, steered_mover


@pytest.mark.thorough
def test_what_is_predicted_of_a_race_is_measured(full_size: bool) -> None:
    rows = {row.what: row for row in grow(sized(car_race(), full_size, 0.005))}
    compare(rows)
    assert "to stand still there" in rows


@pytest.mark.slow
def test_what_is_predicted_of_a_lock_is_measured() -> None:
    compare({row.what: row for row in grow(locking_plotter())})


def compare(rows: dict[str, Growth]) -> None:
    for row in rows.values():
        assert row.predicted_time * (1.0 - 1e-9) <= row.measured_time <= 1.01 * row.predicted_time
        assert row.predicted_energy * (1.0 - 1e-9) <= row.measured_energy
        assert row.measured_energy <= 1.02 * row.predicted_energy
    base: Growth = rows["as it is"]
    assert rows["a dimension beside"].measured_energy > 1.9 * base.measured_energy - 20.0
    assert rows["a place on the way"].predicted_energy == base.predicted_energy
    if "to stand still there" in rows:
        assert rows["to stand still there"].predicted_time > base.predicted_time


def test_the_page_on_analysis_has_what_is_predicted_and_measured(
    monkeypatch: pytest.MonkeyPatch, full_size: bool
) -> None:
    if not full_size:  # what schedules were seen to take is left out
        monkeypatch.setattr(growth, "measured", lambda task: (np.nan, np.nan))
    rows = {row.what: row for row in grow(car_race())}
    page = (DOCS / "worlds" / "framotec-analysis.md").read_text(encoding="utf-8")
    table = [cells(line) for line in page.splitlines() if line.startswith("|")]
    shown = [row for row in table if len(row) == 6 and row[0] == "`car-race`"]
    assert {row[1] for row in shown} == set(rows)
    for _, what, *numbers in shown:
        row = rows[what]
        expected = [
            row.predicted_time,
            row.measured_time,
            row.predicted_energy,
            row.measured_energy,
        ]
        for number, found in zip(numbers, expected, strict=True):
            assert np.isnan(found) or float(number) == pytest.approx(found, rel=1e-3)
        # The page itself bears out what it says of the predictions.
        time, quickest, energy, cheapest = map(float, numbers)
        assert time * (1.0 - 1e-3) <= quickest <= 1.01 * time
        assert energy * (1.0 - 1e-3) <= cheapest <= 1.02 * energy


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
