"""Real runs by Ray: the same agents in actors, against the truth, and with an actor that dies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from tests.worlds.constraints.small_problems import hard_problem

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.execution.actors import run_by_ray
from mensura.worlds.constraints.execution.replay import check_log
from mensura.worlds.constraints.execution.runs import Plan
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.truth import brute_force

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.long,
    pytest.mark.skipif(find_spec("ray") is None, reason="not installed: ray"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """One Ray for all tests here."""
    import os

    from mensura.core.ray_paths import found_here, ray_job_config
    from mensura.worlds.constraints.execution.actors import SETTINGS

    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    import ray

    with found_here():
        ray.init(
            address="local",
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            job_config=ray_job_config(),
        )
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("name", ["abt", "dpop"])
def test_verdicts_of_actors_are_those_of_brute_force(ray: Any, name: str) -> None:
    for seed in range(2):
        problem = hard_problem(seed)
        run = run_by_ray(Plan(problem, name, seed=seed, logs=True), 3)
        truth = brute_force(problem)
        if truth.status == "unsatisfiable":
            assert run.verdict == "no solution"
        else:
            assert (run.ended, run.verdict) == ("quiet", "solved")
        checked = check_log(problem, run.log())
        assert (checked.assignment, checked.nccc) == (run.assignment, run.counts["nccc"])


def test_an_actor_that_dies_is_told(ray: Any) -> None:
    problem = FAMILIES["queens"].problem(np.random.default_rng(1), n=6)
    plan = Plan(problem, "dsa", turns=1 << 40, seconds=120.0)
    run = run_by_ray(plan, 2, lambda actors: ray.kill(actors[1]))
    assert (run.ended, run.verdict) == ("lost", "unfinished")
    assert "actor 1 is gone" in run.sentence


def test_an_agent_that_cannot_go_on_ends_the_run_in_a_sentence(ray: Any) -> None:
    problem = FAMILIES["queens"].problem(np.random.default_rng(1), n=6)
    with pytest.raises(MensuraError, match="dpop is allowed 10"):
        run_by_ray(Plan(problem, "dpop", {"cells": 10.0}), 2)


def test_without_ray_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MensuraError, match=r"pip install 'mensura\[cluster\]'"):
        run_by_ray(Plan(hard_problem(0), "abt"), 2)
