"""From a study to its cells: every combination once, in a stable order, with the draws that it should have."""

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.toys import RelayWorld

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.core.registry import WORLDS
from mensura.core.yaml_text import Misfit
from mensura.records.cell import Cell
from mensura.studies.conditions import conditions
from mensura.studies.expand import episodes, expand, places_of
from mensura.studies.rehearse import forecast, rehearse
from mensura.studies.study import Study, study_from_plain

pytestmark = pytest.mark.quick

TINY: dict[str, Any] = {
    "mensura": 1,
    "name": "tiny",
    "subjects": ["random", "local-search"],
    "worlds": [{"world": "lambda-star", "parameters": {"rows": 5, "cols": 5, "horizon": 20}}],
    "assessments": [{"assessment": "battery", "parameters": {"episodes": 6}}],
}

SIZE = {
    "name": "size",
    "levels": [{"label": f"{n}x{n}", "world": {"rows": n, "cols": n}} for n in (4, 5, 6)],
    "baseline": "5x5",
}
GROUP = {
    "name": "group",
    "levels": [{"label": f"{n} agents", "world": {"subjects": n}} for n in (1, 2)],
}
TIME = {
    "name": "time",
    "levels": [{"label": f"{n} iterations", "world": {"horizon": n}} for n in (10, 20, 30, 40)],
    "baseline": "20 iterations",
}


def study(**changes: Any) -> Study:
    return study_from_plain({**TINY, **changes})


def cells_of(**changes: Any) -> list[Cell]:
    return expand(study(**changes), 7)


def test_a_cell_has_all_that_a_worker_needs() -> None:
    first, second = cells_of()
    assert (first.number, second.number) == (0, 1)
    assert first.world == "lambda-star-v2"
    assert first.parameters["rows"] == 5
    assert first.parameters["generator"] == "recurrent"
    assert first.assessment_parameters == {
        "episodes": 6,
        "measure": "K",
        "spread": [2, 8],
        "tolerance": 0.0,
        "complexities": False,
        "training": 0,
    }
    assert (second.subject, second.name, second.sittings) == ("local-search", "local-search", 6)
    assert first.condition == second.condition == "lambda-star, cols 5, horizon 20, rows 5"
    assert first.summary == "any of the nine moves, drawn evenly"
    assert first.keep_training == 100


@given(st.lists(st.integers(1, 4), max_size=3), st.integers(1, 2), st.integers(1, 3))
def test_a_grid_has_the_product_of_all_levels(sizes: list[int], who: int, times: int) -> None:
    names = ("rows", "cols", "horizon")
    factors = [
        {
            "name": name,
            "levels": [{"label": f"{name} {n}", "world": {name: 10 + n}} for n in range(size)],
        }
        for name, size in zip(names, sizes, strict=False)
    ]
    cells = cells_of(
        subjects=["random", "crowd"][:who],
        factors=factors,
        repetitions=times,
        worlds=["lambda-star"],
    )
    assert len(cells) == math.prod(sizes) * who * times
    assert [cell.number for cell in cells] == list(range(len(cells)))
    assert len({cell.condition for cell in cells}) == math.prod(sizes)
    assert len({(cell.condition, cell.name, cell.repetition) for cell in cells}) == len(cells)


@pytest.mark.parametrize(
    ("design", "count"),
    [
        ("grid", 3 * 2 * 4),
        ("one-at-a-time", 1 + 2 + 1 + 3),
        ("pairs", 1 + 2 + 1 + 3 + 2 * 1 + 2 * 3 + 1 * 3),
    ],
)
def test_designs_run_each_combination_once(design: str, count: int) -> None:
    cells = cells_of(subjects=["random"], factors=[SIZE, GROUP, TIME], design=design)
    assert len(cells) == count
    assert len({tuple(cell.levels.items()) for cell in cells}) == count
    base = {"size": "5x5", "group": "1 agents", "time": "20 iterations"}
    off = [sum(cell.levels[name] != base[name] for name in base) for cell in cells]
    assert max(off) == {"grid": 3, "one-at-a-time": 1, "pairs": 2}[design]


def test_conditions_are_known_without_looking_anything_up() -> None:
    made = study(worlds=[{"world": "nowhere-v9", "name": "a"}, "other"], factors=[GROUP])
    assert [one.text for one in conditions(made)] == [
        "a, 1 agents",
        "a, 2 agents",
        "other, 1 agents",
        "other, 2 agents",
    ]


def test_the_order_of_keys_changes_no_condition() -> None:
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [turned(item) for item in value] if isinstance(value, list) else value

    plain = {**TINY, "factors": [SIZE, GROUP]}
    assert expand(study_from_plain(turned(plain)), 7) == expand(study_from_plain(plain), 7)


def test_several_assessments_are_told_apart() -> None:
    cells = cells_of(
        subjects=["random"],
        assessments=[
            {
                "assessment": "battery",
                "name": "easy",
                "parameters": {"episodes": 3, "spread": [2, 3]},
            },
            {"assessment": "battery", "parameters": {"episodes": 4, "spread": "any"}},
        ],
    )
    easy, usual = cells
    assert easy.condition.endswith(", easy")
    assert usual.condition.endswith(", battery, episodes 4, spread any")
    assert easy.assessment_parameters["spread"] == [2, 3]
    assert usual.assessment_parameters["spread"] is None


def test_repetitions_have_draws_of_their_own_and_the_first_has_the_study_s() -> None:
    cells = cells_of(subjects=["random"], repetitions=3)
    assert [cell.seed for cell in cells] == [7, key(7, "repetition", 1), key(7, "repetition", 2)]
    assert [cell.repetition for cell in cells] == [0, 1, 2]


def test_another_subject_or_world_changes_nobody_else_s_cell() -> None:
    (alone,) = cells_of(subjects=["crowd"])
    more = cells_of(subjects=["random", "crowd", "oracle"])
    assert replace(more[1], number=0) == alone


def test_training_is_the_subject_s_own_unless_the_study_says_otherwise() -> None:
    asked = {"subject": "q-learning", "name": "asked", "training": 5}
    own, told, none = cells_of(subjects=["q-learning", asked, "random"])
    assert (own.training, told.training, none.training) == (1000, 5, 0)
    assert episodes([own, told, none]) == 6 * (1001 + 6 + 1)
    battery = {"assessment": "battery", "parameters": {"episodes": 6, "training": 3}}
    both = cells_of(subjects=["q-learning", asked], assessments=[battery])
    assert [cell.training for cell in both] == [3, 5]


def test_parameters_of_a_subject_go_into_its_address() -> None:
    (cell,) = cells_of(
        subjects=[{"subject": "q-learning?gamma=0.5", "parameters": {"alpha": 0.1, "training": 4}}]
    )
    assert cell.subject == "q-learning?gamma=0.5&alpha=0.1&training=4"
    assert cell.training == 4
    for subject, sentence in (
        (
            {"subject": "q-learning?alpha=1", "parameters": {"alpha": 1}},
            "in its address and beside it",
        ),
        ({"subject": "oracle+random*4", "parameters": {"alpha": 1}}, "several parts"),
        ({"subject": "q-learning", "parameters": {"alpha": [1]}}, "it must be a number, text"),
    ):
        with pytest.raises(Misfit, match=sentence):
            cells_of(subjects=[subject])


def test_a_factor_may_be_who_acts() -> None:
    who = {"name": "who", "levels": [{"label": n, "subject": n} for n in ("crowd", "auction")]}
    made = study_from_plain(
        {name: v for name, v in {**TINY, "factors": [who]}.items() if name != "subjects"}
    )
    cells = expand(made, 7)
    assert [(cell.name, cell.levels) for cell in cells] == [
        ("crowd", {"who": "crowd"}),
        ("auction", {"who": "auction"}),
    ]
    assert len({cell.condition for cell in cells}) == 2


def test_a_preset_gives_way_to_parameters_and_levels() -> None:
    presets = {
        "name": "preset",
        "levels": [{"label": p, "preset": p} for p in ("paper", "authors-2016")],
    }
    worlds = [{"world": "lambda-star-v2", "parameters": {"stigmergy": "assign"}}]
    text, program = cells_of(subjects=["random"], worlds=worlds, factors=[presets])
    assert (text.parameters["generator"], program.parameters["generator"]) == ("recurrent", "walk")
    assert program.parameters["stigmergy"] == "assign"
    assert text.assessment_parameters["spread"] == [2, 23]
    assert program.assessment_parameters["spread"] is None


def test_limits_and_what_is_kept_reach_every_cell() -> None:
    cells = cells_of(
        limits={"seconds_per_action": 0.5, "memory_mb": 100},
        records={"training": 2, "traces": True},
    )
    for cell in cells:
        assert cell.limits.seconds_per_action == 0.5
        assert cell.limits.memory_mb == 100
        assert cell.limits.faults == 3
        assert (cell.keep_training, cell.traces) == (2, True)


def test_a_world_without_parameters_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WORLDS, "load", lambda name: RelayWorld)
    cells = cells_of(worlds=["relay"], subjects=["random"])
    assert cells[0].parameters == {}
    assert cells[0].assessment_parameters["spread"] is None
    with pytest.raises(Misfit, match="has no parameter 'rows'; it has none"):
        cells_of(worlds=[{"world": "relay", "parameters": {"rows": 5}}])
    with pytest.raises(Misfit, match="has no preset 'paper'; it has none"):
        cells_of(worlds=[{"world": "relay", "preset": "paper"}])


def test_too_many_cells_are_a_mistake() -> None:
    wide = [
        {"name": name, "levels": [{"label": f"{i}", "world": {name: i}} for i in range(200)]}
        for name in ("rows", "cols", "horizon")
    ]
    with pytest.raises(Misfit, match="8000000 combinations of levels"):
        cells_of(factors=wide)
    with pytest.raises(Misfit, match="more than 1000000 cells"):
        cells_of(factors=wide[:2], repetitions=100)


# Before it is run -------------------------------------------------------------


def test_a_complexity_out_of_reach_is_found_before_the_run() -> None:
    made = study(assessments=[{"assessment": "battery", "parameters": {"spread": [2, 99]}}])
    made_of = list(places_of(made, 7))
    with pytest.raises(Misfit, match="A complexity K of 99 is out of reach") as found:
        rehearse(made, made_of)
    assert found.value.where == ("assessments", 0)


def test_code_that_cannot_sit_down_is_found_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mute:\n    pass\n\nclass Mine:\n    def act(self, o, r):\n        return 5\n"
    )
    good = study(subjects=["random", f"{tmp_path}/mine.py:Mine"])
    rehearse(good, list(places_of(good, 7)))
    bad = study(subjects=["random", f"{tmp_path}/mine.py:Mute"])
    with pytest.raises(MensuraError, match="has no method act") as found:
        rehearse(bad, list(places_of(bad, 7)))
    assert isinstance(found.value, Misfit)
    assert found.value.where == ("subjects", 1)
    coming = forecast(list(places_of(good, 7)))
    assert coming.own_code
    assert coming.seconds > 0


def test_a_forecast_counts_what_will_be_played() -> None:
    made = study(subjects=["random", "q-learning?training=9"], factors=[GROUP], repetitions=2)
    coming = forecast(list(places_of(made, 7)))
    assert (coming.conditions, coming.subjects, coming.cells) == (2, 2, 8)
    assert coming.sittings == 6 * 8
    assert coming.episodes == 6 * 4 * (1 + 10)
    assert coming.interactions == 6 * 2 * 11 * 20 * (1 + 2)
    assert not coming.own_code


def test_a_forecast_takes_the_pace_that_a_world_tells_of_a_subject() -> None:
    world = {"world": "constraints-v1", "parameters": {"n": 4, "horizon": 10**6}}
    made = study(subjects=["awcs"], worlds=[world])
    (place,) = places_of(made, 7)
    told: Any = place.host
    least = 6 * 4 * 10**6 / told.pace(place.subject) / (os.cpu_count() or 1)
    assert forecast([place]).seconds >= least > 1
