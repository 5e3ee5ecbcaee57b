"""The shipped studies on distributed constraints say what they vary."""

from __future__ import annotations

import pytest

from mensura.studies.files import read_study
from mensura.worlds.constraints.experiments import (
    ASYNCHRONY,
    DISCSP_NETLOGO_2016,
    PHASE_TRANSITION,
    YOKOO_1998,
)
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
        assert world.subjects == int(level.label.split()[0])
        assert (world.horizon, world.read, world.delays) == (1000, "all", "none")
    world = Constraints(**{**entry.parameters, **factor.levels[0].world})
    problem = world.problem(world.sample(1))
    for one in study.subjects:
        compiled = not one.subject.startswith("awcs")  # which would take longest to compile
        found = solve(problem, one.subject, seed=1, limit=1000, compiled=compiled)
        assert found.verdict == "solved"


def test_networks_of_2016_have_the_published_sizes_and_the_constrainedness_of_their_levels() -> (
    None
):
    study = read_study(str(DISCSP_NETLOGO_2016))
    (entry,), (agents, levels) = study.worlds, study.factors
    for level in agents.levels:
        world = Constraints(**{**entry.parameters, **level.world})
        assert (world.subjects, world.m, world.md, world.t) == (level.value, 10, 4, 0.4)
        assert world.compiles(world.group([("awcs", {}, 1)]))
    for level in levels.levels:
        world = Constraints(**{**entry.parameters, **level.world})
        kappa = constrainedness(world.problem(world.sample(1)))
        assert kappa == pytest.approx(level.value, abs=0.04)


@pytest.mark.thorough
def test_easy_networks_of_2016_are_solved() -> None:
    study = read_study(str(DISCSP_NETLOGO_2016))
    world = Constraints(**{**study.worlds[0].parameters, "t": 0.2})
    found = solve(world.problem(world.sample(1)), "awcs", seed=1, limit=1000)
    assert found.verdict == "solved"


def test_asynchrony_varies_nothing_but_delays() -> None:
    study = read_study(str(ASYNCHRONY))
    (factor,) = study.factors
    assert [level.world for level in factor.levels] == [
        {"delays": one} for one in ("none", "fixed", "random", "heavy-tailed")
    ]
