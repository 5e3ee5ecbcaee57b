"""A battery chooses the same environments one by one and in bulk, and names its complexity."""

from __future__ import annotations

from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.assessments.battery import Battery
from mensura.core.abilities import (
    measure_of,
)
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.study import study_from_plain
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


def test_all_complexities_are_told_where_that_is_wanted() -> None:
    world = LambdaStar(rows=6, cols=6, subjects=2, horizon=20)
    plain, told = (next(Battery(1, complexities=yes).sitting(world, 7)) for yes in (False, True))
    assert plain.description == told.description
    assert plain.measures == {}
    assert told.measures == {
        f"complexity {name}": world.complexity(told.description, name) for name in world.measures
    }


def test_what_tells_all_complexities_is_played_step_by_step_with_the_same_scores(
    tmp_path: Path,
) -> None:
    scores = []
    for number, more in enumerate(({}, {"complexities": True})):
        study = study_from_plain(
            {
                "mensura": 1,
                "name": "told",
                "subjects": ["oracle"],
                "worlds": [{"world": "lambda-star-v2", "parameters": {"rows": 6, "cols": 6}}],
                "assessments": [{"assessment": "battery", "parameters": {"episodes": 3, **more}}],
            }
        )
        with open_store(str(tmp_path / f"{number}.db")) as store:
            run = runs.begin(store, study, seed=1)
            runs.resume(store, run)
            (sample,) = store.samples(store.find(run.name))
            scores.append(sample.score.tolist())
            assert ("complexity K" in sample.measures) == bool(more)
    assert scores[0] == scores[1]
