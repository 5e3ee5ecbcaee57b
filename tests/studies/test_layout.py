"""Tests of studies laid out: nothing is made twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mensura as ms
from mensura.core.registry import WORLDS
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.layout import lay_out
from mensura.studies.study import study_from_plain

ECHO = type(ms.make("echo"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every Echo that is made from now on."""
    worlds: list[Any] = []
    before = ECHO.__init__

    def noted(self: Any, *args: Any, **given: Any) -> None:
        before(self, *args, **given)
        worlds.append(self)

    monkeypatch.setattr(ECHO, "__init__", noted)
    return worlds


def plain(**changes: Any) -> dict[str, Any]:
    return {
        "mensura": 1,
        "name": "twice",
        "subjects": ["random", {"subject": "random", "name": "another"}],
        "worlds": ["echo"],
        "assessments": [
            {"assessment": "battery", "parameters": {"episodes": 3}},
            {"assessment": "battery", "parameters": {"episodes": 4}},
        ],
        **changes,
    }


def test_whoever_assesses_makes_the_world_once(made: list[Any]) -> None:
    ms.assess("random", "echo", "battery", episodes=3, seed=1)
    assert len(made) == 1


def test_a_world_that_is_handed_over_is_not_made_again(made: list[Any]) -> None:
    world = ms.make("echo")
    ms.assess("random", world, "battery", episodes=3, seed=1)
    assert made == [world]


def test_a_run_in_a_store_is_played_with_what_it_was_begun_with(
    made: list[Any], tmp_path: Path
) -> None:
    layout = lay_out(study_from_plain(plain()), 1)
    assert layout.sittings == 2 * (3 + 4)
    with open_store(str(tmp_path / "runs.db")) as store:
        run = runs.begin(store, layout)
        assert store.cells(run) == layout.cells
        runs.resume(store, run, layout=layout)
    assert len(made) == 1


def test_a_run_that_is_resumed_makes_each_world_once(made: list[Any], tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.db")) as store:
        run = runs.begin(store, study_from_plain(plain(seed=1)))
        made.clear()
        runs.resume(store, run)
    assert len(made) == 1


def test_a_seed_that_is_given_is_taken_and_else_one_is_drawn() -> None:
    study = study_from_plain(plain(seed=5))
    assert (lay_out(study).seed, lay_out(study).fresh) == (5, False)
    assert lay_out(study, 6).seed == 6
    free = study_from_plain(plain())
    assert lay_out(free).fresh
    assert lay_out(free).seed != lay_out(free).seed


def test_places_have_what_their_cells_say() -> None:
    layout = lay_out(study_from_plain(plain()), 1)
    assert [place.assessment.sittings for place in layout.places] == [3, 3, 4, 4]
    assert [cell.assessment_parameters["episodes"] for cell in layout.cells] == [3, 3, 4, 4]
    assert {place.world for place in layout.places} == {WORLDS.load("echo")()}
