"""The shipped studies on distributed constraints say what they vary."""

from __future__ import annotations

import pytest

from mensura.studies.files import read_study
from mensura.worlds.constraints.experiments import PHASE_TRANSITION, YOKOO_1998
from mensura.worlds.constraints.measures import constrainedness
from mensura.worlds.constraints.solving import solve
from mensura.worlds.constraints.world import Constraints


def test_levels_of_the_phase_transition_are_the_constrainedness_of_their_problems() -> None:
    study = read_study(str(PHASE_TRANSITION))
    (factor,) = study.factors
    assert [float(one.label) for one in factor.levels] == sorted(
        float(one.label) for one in factor.levels
    )
    for entry in study.worlds:
        for level in factor.levels:
            world = Constraints(**{**entry.parameters, **level.world})
            kappa = constrainedness(world.problem(world.sample(1)))
            assert kappa == pytest.approx(level.value, abs=1e-3)
            assert level.label == f"{kappa:.2f}"


def test_problems_of_1998_have_as_many_agents_as_their_level_and_the_smallest_are_solved() -> None:
    study = read_study(str(YOKOO_1998))
    (entry,), (factor,) = study.worlds, study.factors
    for level in factor.levels:
        world = Constraints(**{**entry.parameters, **level.world})
        assert world.subjects == level.value
        assert (world.horizon, world.read, world.delays) == (1000, "all", "none")
    world = Constraints(**{**entry.parameters, **factor.levels[0].world})
    problem = world.problem(world.sample(1))
    for one in study.subjects:
        assert solve(problem, one.subject, seed=1, limit=1000).verdict == "solved"
