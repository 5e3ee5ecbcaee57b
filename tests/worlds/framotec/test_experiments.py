"""The published experiments: the shipped study in small, figure by figure."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.records.store import open_store
from mensura.reports.attempt_tables import table
from mensura.reports.experiment import render_experiment
from mensura.studies import runs
from mensura.studies.figure_series import _frontier, asked_figures
from mensura.studies.files import read_study
from mensura.studies.study import Study
from mensura.worlds.framotec.analysis import pareto
from mensura.worlds.framotec.analysis.frontier import frontier_of
from mensura.worlds.framotec.experiments import FRAMOTEC_2016
from mensura.worlds.framotec.paper import car_race, n_dimensional
from mensura.worlds.framotec.world import Framotec


@pytest.fixture
def fronts(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A stand-in that tells the same front of every task, and keeps whose it was asked for."""
    asked: list[Any] = []

    def front(task: Any) -> Any:
        asked.append(task)
        if task.name == "steered mover":
            raise MensuraError("It has none.")
        return SimpleNamespace(
            times=np.array([6.6, 9.0]),
            energies=np.array([1320.0, 750.0]),
            watts=200.0,
            how="Made up.",
        )

    monkeypatch.setattr(pareto, "front", front)
    _frontier.cache_clear()
    yield asked  # type: ignore[misc]
    _frontier.cache_clear()


def small(study: Study) -> Study:
    return study.model_copy(
        update={
            "assessments": tuple(
                entry.model_copy(
                    update={
                        "parameters": {
                            **entry.parameters,
                            "sittings": 2,
                            "attempts": 5,
                            "training": 3,
                        }
                    }
                )
                for entry in study.assessments
            )
        }
    )


@pytest.mark.slow
def test_every_figure_of_the_paper_is_drawn(
    tmp_path: Path, fronts: list[Any], full_size: bool
) -> None:
    with open_store(str(tmp_path / "runs.db")) as store:
        run = runs.begin(store, small(read_study(FRAMOTEC_2016)), seed=3)
        result = runs.resume(store, run, manner=runs.Manner(workers=1))
        samples = store.samples(store.find(run.name))
        again = store.result(store.find(run.name))
    figures = asked_figures(result, samples)
    shown = {
        figure.title.partition(":")[0]: [(one.subject, one.world) for one in figure.attempts]
        for figure in figures
    }
    assert shown["Figure 1"] == [("sarsa", "car race")]
    assert shown["Figure 2"] == [("sarsa", "locking plotter")]
    assert shown["Figure 3"] == [("plotter", "locking plotter")]
    assert shown["Figures 4 and 5"] == [
        ("selector", "10 dimensions"),
        ("selector", "20 dimensions"),
    ]
    by_hand = figures[2].attempts[0]
    assert by_hand.solved.all()
    assert by_hand.solved.shape == (2, 5)
    assert table(figures[4])["rows"][2][0] == "selector: ratio"
    assert {task.integrator for task in fronts} == {"work-energy"}
    # The hand-written controllers are not trained.
    assert [one.training for one in figures[3].attempts] == [3, 0]
    # One of the six shows what a drawing makes of attempts.
    page = render_experiment(result, figures if full_size else figures[4:5], ())
    assert "not double" in page
    assert [one.attempts[0].solved.tolist() for one in asked_figures(again, samples)] == [
        one.attempts[0].solved.tolist() for one in figures
    ]


def test_the_front_of_a_family_is_that_of_its_middle(fronts: list[Any]) -> None:
    told = frontier_of(n_dimensional(3))
    assert told is not None
    assert [one.value for one in fronts[0].objects] == [3.0] * 3
    assert told.how == "Made up. It is that of the middle of all ranges."
    assert told.energy_limit == n_dimensional(3).limits.energy
    race = frontier_of(car_race())
    assert race is not None
    assert race.how == "Made up."
    assert Framotec(task="steered-mover").frontier() is None


def test_the_middle_of_a_concrete_task_is_the_task() -> None:
    assert car_race().middle == car_race()
    assert n_dimensional(4).middle.concrete
