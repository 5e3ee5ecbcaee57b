"""The second door: algorithms compiled leave behind what agents who act one by one do, to the bit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.constraints.problems import problems
from tests.worlds.constraints.small_problems import (
    hard_problem,
    mixed_problem,
    soft_problem,
    tree_problem,
)

from mensura.core.contract import Episode, Plan
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.sitting import sit
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.orders import ORDERS
from mensura.worlds.constraints.parameters import ranks_of
from mensura.worlds.constraints.players import PLAYERS
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.second_door import play_compiled, seated
from mensura.worlds.constraints.solving import solve
from mensura.worlds.constraints.world import Constraints

SAME = ("rewards", "interactions", "scored", "measures", "slot", "elapsed", "asked")
ALIKE = (
    *("values", "cost", "kinds", "checks", "nccc", "curve", "claimed", "messages"),
    *("nogood_checks", "learned_nogoods", "learned_costs", "moves"),
)
"""Of the states in which episodes end."""
SOFT = tuple(name for name, one in PLAYERS.items() if not one.hard)
HARD = tuple(PLAYERS)


def world_for(**options: Any) -> Constraints:
    usual = {"letters": 1 << 16, "longest": 1 << 20, "proof": 0.0, "horizon": 60}
    return Constraints(**{**usual, **options})


def both(
    problem: Problem,
    name: str,
    seed: int,
    *,
    slot: int | None = None,
    parameters: dict[str, float] | None = None,
    **options: Any,
) -> tuple[Episode, Any, Episode, Any]:
    """The same plan through both doors: episodes, and the states in which they end."""
    world = world_for(**options)
    description = world.sample(0)
    vars(description)["_network"] = Network(problem, ranks_of(problem, world.order))
    subject = world.group([(name, parameters or {}, 1)])
    who = seated(world, subject)
    assert who is not None
    plan = Plan(description, seed, interactions=slot)
    compiled = play_compiled(world, who, plan, seed + 1)
    assert compiled is not None
    environment = world.build(description)
    stepped = drive(
        play(environment, seed, world=world.id, seed=seed + 1, interactions=slot),
        subject.sit(len(problem.agents)),
    )
    return compiled.episode, compiled.state, stepped, environment.state  # type: ignore[attr-defined]


def check(problem: Problem, name: str, seed: int, **options: Any) -> None:
    compiled, ends, stepped, state = both(problem, name, seed, **options)
    assert not stepped.faults
    for field in SAME:
        assert getattr(compiled, field) == getattr(stepped, field), field
    for field in ALIKE:
        assert getattr(ends, field) == getattr(state, field), field


@pytest.mark.parametrize("name", HARD)
def test_small_problems_without_costs_go_the_same_way_by_both_doors(
    name: str, full_size: bool
) -> None:
    for seed in range(300 if full_size else 2):
        order = tuple(ORDERS)[seed % len(ORDERS)]
        check(hard_problem(seed), name, seed, order=order)
        check(mixed_problem(seed), name, seed, order=order)


@pytest.mark.parametrize("name", SOFT)
def test_small_problems_with_costs_go_the_same_way_by_both_doors(
    name: str, full_size: bool
) -> None:
    for seed in range(300 if full_size else 2):
        check(soft_problem(seed), name, seed)
        check(tree_problem(seed), name, seed)


@settings(max_examples=examples(16, 40), deadline=None)
@given(
    problem=problems(),
    name=st.sampled_from(SOFT),
    seed=st.integers(0, 1 << 40),
    horizon=st.integers(1, 12),
    slot=st.none() | st.integers(1, 30),
)
def test_whatever_has_costs_goes_the_same_way_by_both_doors(
    problem: Problem, name: str, seed: int, horizon: int, slot: int | None
) -> None:
    check(problem, name, seed, horizon=horizon, slot=slot)


@settings(max_examples=examples(16, 40), deadline=None)
@given(
    problem=problems(hard=True),
    name=st.sampled_from(HARD),
    seed=st.integers(0, 1 << 40),
    order=st.sampled_from(tuple(ORDERS)),
    horizon=st.integers(1, 40),
    slot=st.none() | st.integers(1, 60),
)
def test_whatever_is_hard_goes_the_same_way_by_both_doors(
    problem: Problem, name: str, seed: int, order: str, horizon: int, slot: int | None
) -> None:
    check(problem, name, seed, order=order, horizon=horizon, slot=slot)


@pytest.mark.bounds
@pytest.mark.parametrize("name", HARD)
def test_values_are_the_same_after_each_cycle(name: str) -> None:
    rng = np.random.default_rng(7)
    problem = FAMILIES["coloring"].problem(rng, nodes=12, colors=3, links=24)
    for horizon in range(1, 14, 3):
        check(problem, name, 3, horizon=horizon)


@pytest.mark.parametrize("name", ["abt", "awcs", "dsa", "mgm", "max-sum", "dpop"])
def test_robots_travel_as_far_by_both_doors(name: str) -> None:
    for seed in range(examples(1, 3)):
        problem = FAMILIES["exploration"].problem(np.random.default_rng(seed), n=6)
        check(problem, name, seed)
        assert both(problem, name, seed)[0].measures["distance"] >= 6


@pytest.mark.parametrize("name", ["dsa", "mgm"])
def test_rounds_end_by_both_doors(name: str) -> None:
    for rounds in (1, 2, 5):
        check(soft_problem(3), name, 1, parameters={"rounds": rounds})


@pytest.mark.parametrize(
    "options", [{"delays": "random"}, {"loss": 0.1}, {"read": "one"}, {"longest": 20}]
)
def test_what_kernels_do_not_play_is_left_to_the_loop(options: dict[str, Any]) -> None:
    world = world_for(**options)
    assert not world.compiles(world.group([("awcs", {}, 1)]))
    assert not world_for().compiles(world_for().group([("awcs", {}, 1), ("abt", {}, 1)]))


@pytest.mark.parametrize("name", ["abt", "awcs", "dsa", "mgm", "max-sum", "dpop"])
@pytest.mark.parametrize(
    "options", [{"delay": "random"}, {"delay": "heavy-tailed", "read": "one"}, {"read": "one"}]
)
def test_whether_kernels_are_allowed_changes_nothing_where_there_is_none(
    name: str, options: dict[str, Any]
) -> None:
    problem = hard_problem(3)
    assert solve(problem, name, seed=5, limit=60, **options) == solve(
        problem, name, seed=5, limit=60, compiled=False, **options
    )


@pytest.mark.parametrize("name", ["abt", "awcs", "dsa", "max-sum"])
def test_whoever_has_too_many_letters_to_write_has_the_faults_of_the_loop(name: str) -> None:
    world = Constraints(n=6, letters=3, horizon=5, proof=0.0)
    subject = world.group([(name, {}, 1)])
    plan = Plan(world.sample(1), 1)
    assert world.play_compiled(subject, plan, 2) is None
    told = sit(
        Once(plan), world, subject.sit(6), 1, 2, compiled=partial(world.play_compiled, subject)
    )
    assert told.episodes[0][1].faults


@pytest.mark.parametrize(
    ("options", "parameters"), [({"longest": 64}, {}), ({}, {"cells": 20}), ({"letters": 1}, {})]
)
def test_tables_of_dpop_that_are_too_large_have_the_faults_of_the_loop(
    options: dict[str, Any], parameters: dict[str, float]
) -> None:
    world = world_for(n=6, **options)
    subject = world.group([("dpop", parameters, 1)])
    plan = Plan(world.sample(1), 1)
    assert world.play_compiled(subject, plan, 2) is None
    told = sit(
        Once(plan), world, subject.sit(6), 1, 2, compiled=partial(world.play_compiled, subject)
    )
    assert told.episodes[0][1].faults


def test_letters_of_dpop_are_as_long_as_the_world_allows_by_both_doors() -> None:
    problem = FAMILIES["coloring"].problem(np.random.default_rng(3), nodes=8, colors=5, links=14)
    for longest in (300, 1000, 5000):
        world = world_for(longest=longest)
        description = world.sample(0)
        vars(description)["_network"] = Network(problem, ranks_of(problem, world.order))
        subject = world.group([("dpop", {}, 1)])
        if world.play_compiled(subject, Plan(description, 1), 2) is not None:
            check(problem, "dpop", 1, longest=longest)
            return
    pytest.fail("No letters were short enough.")


@dataclass(frozen=True)
class Once:
    """One episode of a plan."""

    plan: Plan

    def sitting(self, world: Any, key: int) -> Any:
        episode = yield self.plan
        return episode.mean_reward
