"""Algorithms against the truth: brute force on small problems, in every mode and with every delay."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from tests.sizes import examples
from tests.worlds.constraints.small_problems import (
    hard_problem,
    mixed_problem,
    soft_problem,
    tree_problem,
)

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.agent_base.algorithm import Algorithm
from mensura.worlds.constraints.algorithms.aas import AAS
from mensura.worlds.constraints.algorithms.abt_do import ABTDO
from mensura.worlds.constraints.algorithms.adopt import ADOPT, NEAR
from mensura.worlds.constraints.algorithms.table import MINDS
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.solving import COMPLETE, Solution, solve
from mensura.worlds.constraints.truth import brute_force
from mensura.worlds.kit import StepEnvironment


@pytest.fixture(autouse=True)
def nothing_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among themselves algorithms understand every letter."""
    monkeypatch.setattr(Algorithm, "forgiving", False)


HARD = (
    "sync-bt",
    "abt",
    "abt-temporary",
    "disdb",
    "awcs",
    "awcs-view",
    "afc",
    "abt-do",
    "dbs",
    "aas",
)
IN_PYTHON = ("awcs", "awcs-view")
"""Whose door takes long to compile; that both doors go the same way is tested by itself."""
SOFT = ("sync-bb", "dpop", "adopt", "afb", "bnb-adopt", "mb-dpop")
MODES = (
    ("none", "all"),
    ("none", "one"),
    ("fixed", "all"),
    ("random", "all"),
    ("random", "one"),
    ("heavy-tailed", "all"),
)


def check(problem: Problem, found: Solution) -> None:
    """An algorithm's verdict is right, and so is what it says of its assignment."""
    truth = brute_force(problem)
    assert found.cost == problem.cost(found.assignment)
    if truth.status == "unsatisfiable":
        assert found.verdict == "no solution"
    else:
        assert found.verdict == "solved"
        assert problem.allowed(found.assignment)
        assert found.cost == pytest.approx(truth.value)


@pytest.mark.parametrize("name", HARD)
def test_complete_algorithms_are_right_on_small_problems(name: str, full_size: bool) -> None:
    for seed in range(1000 if full_size else len(MODES)):
        delay, read = MODES[seed % len(MODES)]
        problem = hard_problem(seed)
        options: Any = {
            "delay": delay,
            "read": read,
            "compiled": full_size or name not in IN_PYTHON,
        }
        check(problem, solve(problem, name, seed=seed, **options))


@pytest.mark.parametrize("name", HARD)
def test_complete_algorithms_take_constraints_of_three_and_agents_with_two_variables(
    name: str, full_size: bool
) -> None:
    for seed in range(1000 if full_size else len(MODES)):
        delay, read = MODES[seed % len(MODES)]
        problem = mixed_problem(seed)
        options: Any = {
            "delay": delay,
            "read": read,
            "compiled": full_size or name not in IN_PYTHON,
        }
        check(problem, solve(problem, name, seed=seed, limit=1000, **options))


@pytest.mark.parametrize("name", SOFT)
def test_exact_algorithms_find_the_optimum_of_small_problems(name: str, full_size: bool) -> None:
    for seed in range(1000 if full_size else len(MODES)):
        delay, read = MODES[seed % len(MODES)]
        problem = soft_problem(seed)
        check(problem, solve(problem, name, delay=delay, seed=seed, read=read))  # type: ignore[arg-type]


@pytest.mark.parametrize("order", ["max-cardinality", "degree", "min-width"])
def test_static_orders_change_no_verdict(order: str) -> None:
    for seed in range(examples(3, 6)):
        for name in ("abt", "sync-bt", "afc"):
            problem = hard_problem(seed)
            check(problem, solve(problem, name, delay="random", seed=seed, order=order))


def test_abt_solves_ten_queens_every_time(full_size: bool) -> None:
    problem = FAMILIES["queens"].problem(None, n=10)  # type: ignore[arg-type]
    for seed in range(40 if full_size else 3):
        assert (
            solve(problem, "abt", seed=seed, delay=("none", "random")[seed % 2]).verdict == "solved"
        )  # type: ignore[arg-type]


def test_max_sum_is_exact_on_trees(full_size: bool) -> None:
    for seed in range(100 if full_size else 4):
        problem = tree_problem(seed)
        found = solve(problem, "max-sum", delay=("none", "random")[seed % 2], seed=seed)  # type: ignore[arg-type]
        assert found.cost == brute_force(problem).value


@pytest.mark.parametrize("name", ["mgm", "mgm-2"])
@pytest.mark.parametrize("delay", ["none", "random"])
def test_maximum_gain_never_gets_worse(
    name: str, delay: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs: list[float] = []
    step = StepEnvironment.step

    def watched(self: StepEnvironment, *given: Any) -> Any:
        costs.append(self.state.cost)
        return step(self, *given)

    monkeypatch.setattr(StepEnvironment, "step", watched)
    better = 0
    for seed in range(examples(6, 12)):
        costs.clear()
        solve(soft_problem(seed), name, delay=delay, seed=seed, limit=60, compiled=False)
        if delay == "none" or name == "mgm":
            # Under delays one of a pair of MGM-2 moves before the other; in cycles both move at once.
            assert all(b <= a + 1e-6 for a, b in pairwise(costs)), seed
        assert costs[-1] <= costs[0] + 1e-6
        better += costs[-1] < costs[0]
    assert better > 3


def test_adopt_keeps_its_invariants_after_each_letter(
    monkeypatch: pytest.MonkeyPatch, full_size: bool
) -> None:
    """LB <= threshold <= UB; lb <= t <= ub; after a turn the threshold is shared out, as far as bounds allow."""
    looked = 0

    def check_bounds(agent: ADOPT) -> None:
        nonlocal looked
        looked += 1
        assert min(agent.low) - NEAR <= agent.threshold <= min(agent.high) + NEAR
        for one, t in agent.t.items():
            assert agent.lb[one] - NEAR <= t <= agent.ub[one] + NEAR

    for handler in ("hear_value", "hear_cost", "hear_threshold", "hear_end"):
        own = getattr(ADOPT, handler)

        def watched(self: ADOPT, sender: int, words: list[str], own: Any = own) -> None:
            own(self, sender, words)
            check_bounds(self)

        monkeypatch.setattr(ADOPT, handler, watched)
    finish = ADOPT.finish_turn

    def finished(self: ADOPT) -> None:
        news = self.news and not self.over
        finish(self)
        if news and self.knows.children and math.isfinite(self.threshold):
            check_bounds(self)
            shared = self.local[self.value] + sum(
                self.t[self.value, child] for child in self.knows.children
            )
            low, high = self.low[self.value], self.high[self.value]
            assert shared == pytest.approx(min(max(self.threshold, low), high))

    monkeypatch.setattr(ADOPT, "finish_turn", finished)
    for seed in range(20 if full_size else 6):
        solve(soft_problem(seed), "adopt", seed=seed, delay=("none", "random")[seed % 2])  # type: ignore[arg-type]
    assert looked > 500


@pytest.mark.parametrize("name", ["abt", "awcs", "sync-bt", "afc", "abt-do", "dbs", "aas"])
def test_algorithms_for_satisfaction_refuse_costs_in_a_sentence(name: str) -> None:
    with pytest.raises(MensuraError, match=r"allowed or forbidden; this one has costs.*\.$"):
        solve(tree_problem(1), name)


def test_dpop_refuses_a_table_beyond_its_memory_in_a_sentence() -> None:
    problem = FAMILIES["queens"].problem(None, n=6)  # type: ignore[arg-type]
    with pytest.raises(MensuraError, match=r"would have [\d,]+ cells.*dpop is allowed 1,000.*\.$"):
        solve(problem, "dpop", parameters={"cells": 1000})
    assert solve(problem, "dpop").verdict == "solved"


def test_memory_bounded_dpop_is_exact_with_little_memory(full_size: bool) -> None:
    more = 0
    for seed in range(1000 if full_size else 12):
        delay, read = MODES[seed % len(MODES)]
        problem = soft_problem(seed)
        options: Any = {"delay": delay, "seed": seed, "read": read, "limit": 1000}
        found = solve(problem, "mb-dpop", parameters={"cells": 9}, **options)
        check(problem, found)
        more += found.metrics["messages"] > solve(problem, "dpop", **options).metrics["messages"]
    assert more > 3


@pytest.mark.thorough
def test_memory_bounded_dpop_solves_what_dpop_has_no_memory_for() -> None:
    problem = FAMILIES["queens"].problem(None, n=6)  # type: ignore[arg-type]
    found = solve(problem, "mb-dpop", parameters={"cells": 1000})
    assert found.verdict == "solved"
    enough = solve(problem, "mb-dpop")
    assert enough.metrics["messages"] == 2 * 5 < found.metrics["messages"]
    with pytest.raises(
        MensuraError, match=r"^Agent \d has 6 values; mb-dpop is allowed .* 5 cells\.$"
    ):
        solve(problem, "mb-dpop", parameters={"cells": 5})


def test_the_order_of_abt_do_changes_and_larger_counters_are_newer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[tuple[int, list[int], list[int]]] = []
    take = ABTDO.take_order

    def watched(self: ABTDO) -> None:
        take(self)
        taken.append((self.seat, list(self.counters), list(self.order)))

    monkeypatch.setattr(ABTDO, "take_order", watched)
    problem = FAMILIES["queens"].problem(None, n=8)  # type: ignore[arg-type]
    assert solve(problem, "abt-do", delay="random", seed=1).verdict == "solved"
    orders = {tuple(counters): order for _, counters, order in taken}
    assert len(orders) > 3
    assert all(orders[tuple(counters)] == order for _, counters, order in taken)
    for seat in range(8):
        own = [counters for one, counters, _ in taken if one == seat]
        assert own == sorted(own)


def test_proposals_of_aas_are_products_that_do_not_overlap_and_leave_nothing_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    several = 0
    possible = AAS.possible

    def watched(self: AAS) -> Any:
        nonlocal several
        boxes = list(possible(self))
        names = [*self.sets, self.seat]
        covered = [values for box in boxes for values in product(*(box[one] for one in names))]
        sets = [*(values for _, values in self.sets.values()), range(self.size)]
        groups = [group for group in self.knows.groups if self.sets.keys() >= set(group.others)]
        allowed = {
            values
            for values in product(*sets)
            if self.knows.own[values[-1]] == 0.0
            and all(
                group.costs(tuple(values[names.index(one)] for one in group.others))[values[-1]]
                == 0.0
                for group in groups
            )
        }
        assert len(covered) == len(set(covered))
        assert set(covered) == allowed
        several += any(len(values) > 1 for box in boxes for values in box.values())
        return iter(boxes)

    monkeypatch.setattr(AAS, "possible", watched)
    for seed in range(12):
        solve(mixed_problem(seed), "aas", seed=seed, delay="random", limit=1000)
    assert several > 20


def test_dpop_writes_two_letters_for_each_agent_but_one() -> None:
    problem = tree_problem(5)
    assert solve(problem, "dpop").metrics["messages"] == 2 * (len(problem.agents) - 1)


def test_central_is_a_ceiling_without_letters() -> None:
    pytest.importorskip("ortools")
    for seed in range(4):
        problem = soft_problem(seed)
        found = solve(problem, "central", rights=tuple(f"{i}:sees_problem" for i in range(9)))
        check(problem, found)
        assert found.metrics["messages"] == 0


def test_local_search_improves_on_chance() -> None:
    problem = FAMILIES["coloring"].problem(np.random.default_rng(1))
    chance = solve(problem, "random").cost
    for name in ("dsa-a", "dsa-b", "dsa-c", "mgm", "mgm-2", "max-sum"):
        assert solve(problem, name, limit=40).cost < chance, name


def test_every_complete_algorithm_is_one() -> None:
    assert set(MINDS) >= COMPLETE == {*HARD, *SOFT, "central"}
