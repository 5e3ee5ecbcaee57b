"""Metrics of effort: checks of nogoods, what agents learn of each other's constraints, and how far robots travel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds.constraints.small_problems import soft_problem

from mensura.worlds.constraints.agent_base.algorithm import Algorithm
from mensura.worlds.constraints.agent_base.knowledge import Knowledge
from mensura.worlds.constraints.formats import read_bytes
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.generators.exploration import DIRECTIONS
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.solving import environment_for, solve
from mensura.worlds.constraints.travelling import AT_HOME, distance, go, no_moves
from mensura.worlds.constraints.world import Constraints

THREE = b"""
name: three agents
objective: min
domains:
  both: {values: [1, 2]}
  two: {values: [2]}
variables:
  x0: {domain: both, initial_value: 1}
  x1: {domain: two}
  x2: {domain: both, initial_value: 1}
constraints:
  apart: {type: intention, function: "float('inf') if x0 == x2 else 0"}
  unlike: {type: intention, function: "float('inf') if x1 == x2 else 0"}
agents: [a0, a1, a2]
"""
"""The problem of the tutorial, where every letter is told."""


def three() -> Problem:
    return read_bytes(THREE, ".yaml", "three.yaml")


@pytest.mark.parametrize(
    ("name", "bits", "compiled"),
    [
        # agent 1 is told twice that it and agent 0 cannot both keep their values, agent 0 that its value cannot be
        ("abt", 2, True),
        ("abt", 2, False),
        # agents 0 and 1 are told that they cannot both keep their values
        pytest.param("awcs", 2, True, marks=pytest.mark.thorough),
        ("awcs", 2, False),
        ("dsa", 0, True),
        ("dsa", 0, False),
    ],
)
def test_a_nogood_is_one_bit_of_others_constraints_when_it_is_first_told(
    name: str, bits: int, compiled: bool
) -> None:
    found = solve(three(), name, compiled=compiled, limit=100)
    assert found.metrics["privacy_loss"] == bits


def test_numbers_that_are_told_count_by_the_costs_that_they_could_be() -> None:
    problem = soft_problem(3)
    found = solve(problem, "dpop", compiled=False)
    values = found.metrics["privacy_loss"] / math.log2(1.0 + problem.infinity)
    assert values == pytest.approx(round(values))
    assert 0 < values < found.metrics["numbers"]


def test_what_an_own_constraint_forbids_is_no_news() -> None:
    environment: Any = environment_for(three(), Constraints(proof=0.0))
    told = environment.reset(0).observations[2]["problem"]
    agent = Algorithm()
    agent.prepare()
    agent.sit_down(Knowledge(told), (0,))
    agent.count_nogood({0: 0, 2: 0})  # apart forbids it
    agent.count_nogood({2: 1, 1: 0})  # unlike does
    assert agent.learned_nogoods == 0
    agent.count_nogood({0: 1, 1: 0, 2: 0})
    agent.count_nogood({2: 0, 1: 0, 0: 1})
    agent.count_nogood({0: 99, 2: 0})
    assert agent.learned_nogoods == 2
    assert agent.written_mail() == ["learned-nogoods 2"]


@pytest.mark.parametrize("name", ["abt", "abt-do", "awcs", "disdb"])
def test_who_keeps_nogoods_checks_them_and_who_keeps_none_does_not(name: str) -> None:
    problem = FAMILIES["queens"].problem(np.random.default_rng(1), n=6)
    assert solve(problem, name, compiled=name != "awcs").metrics["nogood_checks"] > 0
    assert solve(problem, "sync-bt").metrics["nogood_checks"] == 0


def test_checks_of_nogoods_are_not_checks_of_constraints() -> None:
    environment: Any = environment_for(three(), Constraints(proof=0.0))
    environment.reset(0)
    still = [{"value": {f"x{one}": 0}, "mail": []} for one in range(3)]
    still[0]["mail"] = ["nogood-checks 7", "checks 5", "learned-costs 2", "learned-nogoods 1"]
    environment.step(still, [0.0] * 3)
    figures = environment.measures()
    assert (figures["nogood_checks"], figures["checks"], figures["nccc"]) == (7, 5, 5)
    assert figures["privacy_loss"] == 1 + 2 * math.log2(1 + three().infinity)
    assert "distance" not in figures


def test_robots_go_from_where_they_stand_to_where_their_values_lead() -> None:
    problem = FAMILIES["exploration"].problem(np.random.default_rng(1), n=2)
    environment: Any = environment_for(problem, Constraints(proof=0.0))
    environment.reset(0)
    ways = [("N", "NE"), ("N", "SW"), ("S", "SW")]
    for one, other in ways:
        chosen = [{"x0": DIRECTIONS.index(one)}, {"x1": DIRECTIONS.index(other)}]
        environment.step([{"value": value, "mail": []} for value in chosen], [0.0, 0.0])
    assert environment.measures()["distance"] == 1 + 2 + math.sqrt(2) + math.sqrt(8)


@given(st.lists(st.integers(0, 7), min_size=1, max_size=30))
def test_the_way_of_a_robot_is_no_shorter_than_straight_to_its_last_cell(ways: list[int]) -> None:
    moves, cell = no_moves(), AT_HOME
    for one in ways:
        cell = go(moves, cell, one)
    direct = no_moves()
    go(direct, AT_HOME, ways[-1])
    assert distance(moves) >= distance(direct) - 1e-9
    assert sum(moves) <= len(ways)
