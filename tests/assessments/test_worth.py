"""What the score is worth: the shipped study at a small size, and what does not depend on order, machine or door."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.assessments.experiments import WHAT_THE_SCORE_IS_WORTH
from mensura.records.results import StudyResult
from mensura.records.store import open_store
from mensura.reports.experiment import render_experiment
from mensura.statistics.sample import Sample
from mensura.studies import runs
from mensura.studies.claims import claimed, digest
from mensura.studies.expand import expand
from mensura.studies.files import read_study
from mensura.studies.place import Place
from mensura.studies.reproduce import with_episodes
from mensura.studies.stepped import step
from mensura.studies.study import Study, study_from_plain
from mensura.worlds.lambda_class.measures import complexity
from mensura.worlds.lambda_class.paper import mu_1, mu_2, mu_3

SLOW = (
    "prior of description_length",
    "prior of kt",
    "prior of kt_max",
    "prior of zlib_space_pattern",
)
"""Complexities whose lowest strata are long to find."""


def small(study: Study, environments: int = 12) -> Study:
    """The shipped study with few sittings, a thousandth of the time, and without what is slow to begin."""
    plain = with_episodes(study, 3).to_plain()
    plain["assessments"] = [one for one in plain["assessments"] if one["name"] not in SLOW]
    for one in plain["assessments"]:
        parameters = one["parameters"]
        if "interactions" in parameters:
            parameters["interactions"] = max(20, parameters["interactions"] // 1000)
        if one["assessment"] == "universal":
            parameters |= {"strata": 3, "environments": 12}
        elif "environments" in parameters:
            parameters["environments"] = min(environments, parameters["environments"])
    for claim in plain["claims"]:
        if "assessments" in claim:
            claim["assessments"] = [one for one in claim["assessments"] if one not in SLOW]
    return study_from_plain(plain)


def played(study: Study, folder: Path, **manner: Any) -> tuple[StudyResult, list[Sample]]:
    with open_store(str(folder / f"{len(list(folder.iterdir()))}.db")) as store:
        run = runs.begin(store, study, seed=2011)
        result = runs.resume(store, run, manner=runs.Manner(**manner))
        return result, store.samples(store.find(run.name))


@pytest.mark.slow
def test_the_study_runs_at_a_small_size_and_every_claim_gets_its_verdict(tmp_path: Path) -> None:
    study = small(read_study(WHAT_THE_SCORE_IS_WORTH))
    result, samples = played(study, tmp_path, workers=2)
    held = claimed(result, samples)
    assert [one.title for one in held] == [one.title for one in study.claims]
    told = {one.title: one for one in held}
    # Of three sittings little can be concluded, and a random subject cannot be told from 0.
    assert told["Random subjects score 0"].verdict != "does not hold"
    assert len(told["Random subjects score 0"].findings) > 20
    assert told["Reference machines agree on subjects"].findings[0].estimate.n == 15
    assert told["The score orders the reference subjects"].count["does not hold"] == 0
    page = render_experiment(result, [], [], (), held, digest(samples))
    for one in held:
        assert f"{one.title}: {one.verdict}" in page


def test_the_study_has_the_environments_of_the_thesis() -> None:
    cells = {cell.condition: cell for cell in expand(read_study(WHAT_THE_SCORE_IS_WORTH), 1)}
    for name, mu in (("mu_1", mu_1), ("mu_2", mu_2), ("mu_3", mu_3)):
        world = Place.of(cells[f"{name}, told by lempel_ziv"]).world
        assert world.sample(5) == mu(horizon=1000)


# Nothing depends on who computes ------------------------------------------------------


REFERENCES = ["random", "follower", "q-learning", "planner", "oracle"]

GOLDEN = {
    False: {
        "random": 0.003036585473585741,
        "follower": 0.13024224309322494,
        "q-learning": 0.42909450898979906,
        "planner": 0.6979397395179294,
        "oracle": 0.8770329137765805,
    },
    True: {
        "random": 0.002575256527477215,
        "follower": 0.15653644645648507,
        "q-learning": 0.40905674097656686,
        "planner": 0.7106847947661246,
        "oracle": 0.8706565705845579,
    },
}
"""The mean of two chains of 20,000 interactions with the seed 2011, as any machine gives it: with the budget kept, and
with a last slot that is whole, as printed."""


def anytime(overrun: bool = False, **changes: Any) -> Study:
    return study_from_plain(
        {
            "mensura": 1,
            "name": "anytime",
            "subjects": REFERENCES,
            "worlds": ["lambda-v1"],
            "assessments": [
                {
                    "assessment": "anytime",
                    "parameters": {"interactions": 20_000, "sittings": 2, "overrun": overrun},
                },
                {"assessment": "battery", "parameters": {"episodes": 4, "spread": "any"}},
            ],
            **changes,
        }
    )


@pytest.mark.thorough
@pytest.mark.parametrize("overrun", [False, True])
def test_scores_in_virtual_time_are_those_of_any_machine(tmp_path: Path, overrun: bool) -> None:
    result, _ = played(anytime(overrun), tmp_path, workers=1)
    found = {one.subject: one.score.value for one in result.conditions[0].subjects}
    assert found == GOLDEN[overrun]


@pytest.mark.thorough
def test_workers_executors_and_doors_change_no_bit(tmp_path: Path) -> None:
    small = {
        "assessments": [
            {"assessment": "anytime", "parameters": {"interactions": 1000, "sittings": 2}},
            {"assessment": "battery", "parameters": {"episodes": 4, "spread": "any"}},
        ]
    }
    wanted = digest(played(anytime(**small), tmp_path, workers=1)[1])
    assert digest(played(anytime(**small), tmp_path, workers=3)[1]) == wanted
    assert digest(played(anytime(**small), tmp_path, executor="processes", workers=2)[1]) == wanted
    # Where every interaction is kept, subjects go through the step door.
    stepped = anytime(**small, records={"traces": True})
    assert not any(Place.of(cell).by_plans for cell in expand(stepped, 1))
    assert digest(played(stepped, tmp_path, workers=1)[1]) == wanted


_CELL = next(
    cell
    for cell in expand(anytime(), 5)
    if cell.assessment == "battery" and cell.name == "q-learning"
)


@settings(max_examples=20)
@given(st.permutations(range(4)))
def test_a_battery_does_not_depend_on_the_order_of_its_environments(order: list[int]) -> None:
    place = Place.of(_CELL)
    scores = {item: step(place, item).score for item in order}
    assert [scores[item] for item in range(4)] == [step(place, item).score for item in range(4)]


@pytest.mark.slow
def test_memory_matters_to_who_has_one(tmp_path: Path) -> None:
    """In four environments of one size in a row: a random subject has none, Q-learning has."""
    given = {"environments": 4, "interactions": 200, "sittings": 2}
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "memory",
            "subjects": ["random", "q-learning"],
            "worlds": [{"world": "lambda-v1", "parameters": {"cells": 4, "actions": 3}}],
            "assessments": [
                {"assessment": "timed", "name": memory, "parameters": {**given, "memory": memory}}
                for memory in ("fresh", "continuous")
            ],
        }
    )
    result, _ = played(study, tmp_path, workers=1)
    fresh, continuous = ([one.score.value for one in c.subjects] for c in result.conditions)
    assert fresh[0] == continuous[0]
    assert fresh[1] != continuous[1]


# The page --------------------------------------------------------------------------


def test_the_page_tells_of_every_claim() -> None:
    page = (Path(__file__).parents[2] / "docs" / "worth.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([^|]+?) \| \**(holds|holds within error|does not hold)\** \|", page, re.M
    )
    study = read_study(WHAT_THE_SCORE_IS_WORTH)
    assert [title for title, _ in rows] == [claim.title for claim in study.claims]
    assert "mensura reproduce what-the-score-is-worth --seed 2011" in page


def test_the_page_tells_the_complexities_of_the_three_environments() -> None:
    page = (Path(__file__).parents[2] / "docs" / "worth.md").read_text(encoding="utf-8")
    found = dict(re.findall(r"^\| `(\w+)`[^|]* \| [\d,]+ \| (.*) \|$", page, re.M))
    assert len(found) == 4
    for measure, cells in found.items():
        told = [f"{complexity(mu(horizon=1000), measure):,.0f}" for mu in (mu_1, mu_2, mu_3)]
        assert cells.split(" | ") == told
