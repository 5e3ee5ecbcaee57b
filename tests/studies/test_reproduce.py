"""Tables out of results: published values beside ours, and what factors do, for any study with them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.records.results import RunResult, StudyResult, SubjectResult
from mensura.statistics.moments import Moments
from mensura.studies.expand import expand
from mensura.studies.reproduce import comparison, outcomes, with_episodes
from mensura.studies.study import Study, study_from_plain

pytestmark = pytest.mark.quick

PLAIN: dict[str, Any] = {
    "mensura": 1,
    "name": "made-up",
    "title": "Made up",
    "subjects": ["random", "crowd", "oracle"],
    "worlds": [
        {"world": "lambda-star-v2", "name": "small", "parameters": {"rows": 5, "cols": 5}},
        {"world": "lambda-star-v2", "name": "large", "parameters": {"rows": 9, "cols": 9}},
    ],
}
PRESET = {
    "name": "preset",
    "levels": [{"label": one, "preset": one} for one in ("authors-2016", "paper")],
}
SIZE = {
    "name": "size",
    "axis": "side [cells]",
    "levels": [{"label": f"{n}x{n}", "value": n, "world": {"rows": n, "cols": n}} for n in (4, 6)],
}
AGENTS = {
    "name": "agents",
    "levels": [{"label": f"{n}", "value": n, "world": {"subjects": n}} for n in (1, 2, 3)],
    "baseline": "2",
}
Scores = Callable[[str, dict[str, str], str], float | None]


def result_of(plain: dict[str, Any], score: Scores) -> StudyResult:
    """A result in which each subject scores what the function says, give or take 0.1; None has no score."""
    study = study_from_plain(plain)
    found: dict[str, RunResult] = {}
    levels = {}
    for cell in expand(study, 3):
        mean = score(cell.condition, dict(cell.levels), cell.name)
        values = [] if mean is None else [mean - 0.1, mean + 0.1] * 5
        one = SubjectResult(
            cell.name, training=cell.training, moments=Moments().add(np.array(values))
        )
        here = found.setdefault(
            cell.condition, RunResult(cell.condition, cell.world, cell.parameters, {}, seed=3)
        )
        found[cell.condition] = replace(here, subjects=(*here.subjects, one))
        levels[cell.condition] = cell.levels
    return StudyResult(
        name="made-up",
        title=study.title,
        status="finished",
        conditions=tuple(found.values()),
        study=study.to_plain(),
        seed=3,
        levels=tuple(levels.values()),
    )


def test_published_values_stand_beside_ours_under_each_level() -> None:
    published = [
        {"world": "small", "values": {"crowd": 0.5, "random": 0.0}, "doubts": {"crowd": "a slip"}}
    ]
    plain = {**PLAIN, "factors": [PRESET], "published": published}
    rows = comparison(
        result_of(
            plain, lambda condition, levels, name: {"random": 0.0, "crowd": 0.4}.get(name, 0.9)
        )
    )
    assert [(row.setting, row.preset, row.subject) for row in rows] == [
        ("small", preset, subject)
        for preset in ("authors-2016", "paper")
        for subject in ("random", "crowd", "oracle")
    ]
    crowd = rows[1]
    assert crowd.name == "crowd, small, authors-2016"
    assert (crowd.published, crowd.doubt) == (0.5, "a slip")
    assert crowd.measured == pytest.approx(0.4)
    assert crowd.low < crowd.measured < crowd.high
    assert crowd.episodes == 10
    assert crowd.settings == {
        "rows": 5,
        "cols": 5,
        "preset": "authors-2016",
        "training": 0,
        "seed": 3,
    }
    assert rows[2].published is None


def test_a_row_says_how_far_it_is_off_in_its_standard_errors() -> None:
    plain = {**PLAIN, "published": [{"world": "small", "values": {"random": 0.5, "crowd": 0.4}}]}
    rows = {row.subject: row for row in comparison(result_of(plain, lambda *_: 0.5))}
    assert rows["random"].off == pytest.approx(0.0)
    assert rows["crowd"].off == pytest.approx(0.1 / rows["crowd"].spread)
    assert rows["oracle"].off is None
    assert rows["crowd"].to_json()["off"] == rows["crowd"].off
    assert replace(rows["crowd"], spread=0.0).off is None


def test_values_of_one_level_stand_in_a_table_of_their_own() -> None:
    published = [{"levels": {"preset": "paper"}, "values": {"crowd": 0.5}}]
    plain = {**PLAIN, "factors": [PRESET], "published": published}
    rows = comparison(result_of(plain, lambda *_: 0.5))
    assert {row.setting for row in rows} == {"small, paper", "large, paper"}
    assert {row.preset for row in rows} == {"lambda-star-v2"}


def test_a_study_without_published_values_or_factors_has_no_such_tables() -> None:
    result = result_of(PLAIN, lambda *_: 0.5)
    assert comparison(result) == []
    assert outcomes(result) == []


def test_a_subject_that_played_nothing_has_no_row() -> None:
    plain = {**PLAIN, "published": [{"values": {"crowd": 0.5}}]}
    result = result_of(plain, lambda condition, levels, name: None if name == "oracle" else 0.1)
    assert {row.subject for row in comparison(result)} == {"random", "crowd"}


def additive(condition: str, levels: dict[str, str], name: str) -> float:
    return {"4x4": 0.1, "6x6": 0.3}[levels["size"]] + 0.1 * int(levels["agents"])


@pytest.mark.parametrize("design", ["grid", "pairs"])
def test_factors_are_told_alone_and_in_pairs(design: str) -> None:
    plain = {
        **PLAIN,
        "subjects": ["crowd"],
        "worlds": ["lambda-star-v2"],
        "factors": [SIZE, AGENTS],
        "design": design,
    }
    (outcome,) = outcomes(result_of(plain, additive))
    assert outcome.title == ""
    assert [one.score.value for one in outcome.alone["size"]] == pytest.approx([0.3, 0.5])
    assert [one.score.value for one in outcome.alone["agents"]] == pytest.approx([0.2, 0.3, 0.4])
    grid = outcome.pairs["size", "agents"]
    assert [[one.levels for one in row] for row in grid] == [
        [(size, agents) for agents in "123"] for size in ("4x4", "6x6")
    ]
    effect = outcome.effects["size", "agents"]
    assert not effect.significant
    assert effect.rows + effect.columns == pytest.approx(1.0)
    data = outcome.to_json()
    assert len(data) == 2 + 3 + 6
    assert data[0]["name"] == "size: 4x4"
    assert data[-1]["levels"] == {"size": "6x6", "agents": "3"}


def test_one_at_a_time_has_no_pairs() -> None:
    plain = {
        **PLAIN,
        "subjects": ["crowd"],
        "worlds": ["lambda-star-v2"],
        "factors": [SIZE, AGENTS],
        "design": "one-at-a-time",
    }
    (outcome,) = outcomes(result_of(plain, additive))
    assert set(outcome.alone) == {"size", "agents"}
    assert not outcome.pairs


def test_each_subject_and_world_has_an_outcome_of_its_own() -> None:
    plain = {**PLAIN, "factors": [AGENTS]}
    result = result_of(plain, lambda condition, levels, name: 0.1 * int(levels["agents"]))
    found = outcomes(result)
    assert [one.title for one in found] == [
        f"{world}, {subject}"
        for world in ("small", "large")
        for subject in ("random", "crowd", "oracle")
    ]
    assert found[0].to_json()[0]["of"] == "small, random"


def test_who_acts_may_be_a_factor() -> None:
    who = {"name": "who", "levels": [{"label": n, "subject": n} for n in ("crowd", "oracle")]}
    plain = {**PLAIN, "worlds": ["lambda-star-v2"], "factors": [who, AGENTS]}
    del plain["subjects"]
    (outcome,) = outcomes(
        result_of(plain, lambda condition, levels, name: 0.9 if name == "oracle" else 0.2)
    )
    assert [one.score.value for one in outcome.alone["who"]] == pytest.approx([0.2, 0.9])


def test_a_run_that_was_stopped_has_what_is_whole() -> None:
    plain = {
        **PLAIN,
        "subjects": ["crowd"],
        "worlds": ["lambda-star-v2"],
        "factors": [SIZE, AGENTS],
    }
    (outcome,) = outcomes(
        result_of(
            plain,
            lambda condition, levels, name: None if levels["agents"] == "3" else 0.1,
        )
    )
    assert list(outcome.alone) == ["size"]
    assert not outcome.pairs


def test_episodes_can_be_set_from_outside() -> None:
    study: Study = with_episodes(study_from_plain(PLAIN), 12)
    assert {cell.sittings for cell in expand(study, 1)} == {12}
    with pytest.raises(MensuraError, match="1 episodes give no interval"):
        with_episodes(study, 1)
