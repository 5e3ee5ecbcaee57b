"""A problem ready for kernels: what each agent knows of it, and what an assignment costs, as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from mensura.worlds.constraints.agent_base.knowledge import MOST_VALUES, Knowledge
from mensura.worlds.constraints.flat import Flat, Real, Whole, starts
from mensura.worlds.constraints.kernels.board import Known, Ledger
from mensura.worlds.constraints.knowledge import told_of
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.problem import Problem

MOST_CELLS = 50_000_000
"""Of the tables that agents know. Beyond, a problem is left to agents who act one by one."""


@dataclass(frozen=True)
class Arrays:
    """What never changes in an episode."""

    problem: Problem
    plain: bool
    """Whether each agent has one variable and each constraint is the only one between two of them."""
    ranks: Whole
    """The place of each agent in the static order."""
    known: Known
    least: Real
    """Below this no value of an agent costs anything, whatever the others do."""

    def ledger(self, values: Sequence[int]) -> Ledger:
        """What these values of all variables cost, ready to be changed."""
        problem, flat = self.problem, self.problem.flat
        variables = problem.variables
        infinity = problem.infinity
        prices = [[infinity if math.isinf(c) else c for c in one.costs] for one in variables]
        paid = flat.paid(values, problem.counted)
        own = [each[value] for each, value in zip(prices, values, strict=True) if each]
        total = np.array([math.fsum([*paid.tolist(), *own])])
        current = np.array(values, np.int64)
        whole = np.zeros(0, np.int64)
        if self.plain:
            none = (np.zeros(0), *[whole] * 4, np.zeros(0), *[whole] * 6, np.zeros(0))
            return Ledger(np.ones(1, np.int64), current, total, *none)
        touching_first, touching = _listed(problem.constraints_of)
        owned_first, owned = _listed(problem.variables_of)
        return Ledger(
            np.zeros(1, np.int64),
            current,
            total,
            paid,
            owned_first,
            owned,
            np.array([len(one.values) for one in variables], np.int64),
            starts(np.array([len(one) for one in prices], np.int64)),
            np.array(list(chain.from_iterable(prices)), np.float64),
            touching_first,
            touching,
            flat.scope_first,
            flat.scope,
            flat.stride,
            flat.table_of,
            problem.counted,
        )

    def values(self, ledger: Ledger, choice: Whole) -> list[int]:
        """The values of all variables at the end of an episode."""
        values = ledger.values
        if self.plain:
            values[[own[0] for own in self.problem.variables_of]] = choice
        found: list[int] = values.tolist()
        return found

    def choice(self, values: Sequence[int]) -> Whole:
        """The number of each agent's combination of values."""
        problem = self.problem
        if self.plain:
            return np.array(values, np.int64)[[own[0] for own in problem.variables_of]]
        found = np.zeros(len(problem.agents), np.int64)
        for agent, own in enumerate(problem.variables_of):
            for v in own:
                found[agent] = found[agent] * len(problem.variables[v].values) + values[v]
        return found


def arrays_of(network: Network) -> Arrays | None:
    """A problem as arrays; None where its agents would have tables that are too large."""
    problem = network.problem
    return _plain(network) if _is_plain(problem) else _any(network)


def _is_plain(problem: Problem) -> bool:
    """Whether each agent has one variable and each constraint is the only one between two of them."""
    flat = problem.flat
    if any(len(own) != 1 for own in problem.variables_of):
        return False
    if len(flat.scope) != 2 * len(flat.table_of) or (np.diff(flat.scope_first) != 2).any():
        return False
    ends = flat.scope.reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    codes = low * len(problem.variables) + high
    return bool((low < high).all()) and len(np.unique(codes)) == len(codes)


def _plain(network: Network) -> Arrays:
    """Both ends of each constraint look up its own table."""
    problem, ranks = network.problem, np.array(network.ranks, np.int64)
    flat: Flat = problem.flat
    count = len(problem.agents)
    agent_of = np.array([one.agent for one in problem.variables], np.int64)
    ends = agent_of[flat.scope].reshape(-1, 2)
    strides = flat.stride.reshape(-1, 2)
    agent, other = ends.ravel(), ends[:, ::-1].ravel()
    order = np.argsort(agent, kind="stable")  # of each agent, in the order of constraints
    near_order = np.lexsort((other, agent))
    degrees = np.bincount(agent, minlength=count)
    sizes = np.array([len(problem.variables[own[0]].values) for own in problem.variables_of])
    own = np.zeros(int(sizes.sum()))
    own_first = starts(sizes.astype(np.int64))
    for variable in problem.variables:
        if variable.costs:
            first = own_first[variable.agent]
            own[first : first + len(variable.costs)] = variable.costs
    counted = np.where(np.isinf(own), problem.infinity, own)
    first = starts(degrees.astype(np.int64))
    constraint = np.repeat(np.arange(len(ends)), 2)[order]
    least = flat.least[flat.relation_of][constraint]
    groups = len(order)
    known = Known(
        sizes.astype(np.int64),
        own_first,
        counted,
        first,
        other[near_order],
        first,
        flat.table_of[constraint],
        strides.ravel()[order],
        np.ones(groups, np.int64),
        sizes * degrees,
        np.arange(groups + 1, dtype=np.int64),
        other[order],
        strides[:, ::-1].ravel()[order],
        problem.counted,
    )
    return Arrays(problem, True, ranks, known, _least(own, own_first, least, first))


def _least(own: Real, own_first: Whole, least: Real, first: Whole) -> Real:
    """Of each agent, the lowest of its own costs and what its groups cost at least."""
    if not own.any() and not least.any():
        return np.zeros(len(first) - 1)
    floors = least.tolist()
    return np.array(
        [
            float(own[own_first[i] : own_first[i + 1]].min())
            + math.fsum(floors[first[i] : first[i + 1]])
            for i in range(len(first) - 1)
        ]
    )


def _any(network: Network) -> Arrays | None:
    """Each agent's groups as it knows them itself, each with a table of its own."""
    problem, ranks = network.problem, np.array(network.ranks, np.int64)
    sizes = [
        math.prod(len(problem.variables[v].values) for v in own) for own in problem.variables_of
    ]
    if max(sizes) > MOST_VALUES:
        return None
    agents = range(len(problem.agents))
    cells = 0
    tables, everybody = [], []
    for seat in agents:
        told = told_of(
            problem, seat, place=network.places[seat], ranks=network.ranks, synchronous=True
        )
        one = Knowledge(told)
        for group in one.groups:
            cells += math.prod(len(one.domains[other]) for other in (*group.others, seat))
        if cells > MOST_CELLS:
            return None
        everybody.append(one)
        tables += [group.table() for group in one.groups]
    groups = [group for one in everybody for group in one.groups]
    flat = np.concatenate([one.ravel() for one in tables]) if tables else np.zeros(0)
    own = np.array(list(chain.from_iterable(one.own for one in everybody)))
    own_first = starts(np.array([one.size for one in everybody], np.int64))
    first = starts(np.array([len(one.groups) for one in everybody], np.int64))
    near_first, near = _listed([one.neighbors for one in everybody])
    others_first, others = _listed([group.others for group in groups])
    strides = [one.strides[axis] // 8 for one in tables for axis in range(one.ndim - 1)]
    known = Known(
        np.diff(own_first),
        own_first,
        np.where(np.isinf(own), problem.infinity, own),
        near_first,
        near,
        first,
        starts(np.array([one.size for one in tables], np.int64))[:-1],
        np.ones(len(groups), np.int64),
        np.array([group.checks for group in groups], np.int64),
        np.array([sum(group.checks for group in one.groups) * one.size for one in everybody]),
        others_first,
        others,
        np.array(strides, np.int64),
        np.where(np.isinf(flat), problem.infinity, flat),
    )
    least = np.array([group.least for group in groups])
    return Arrays(problem, False, ranks, known, _least(own, own_first, least, first))


def _listed(rows: Sequence[Sequence[int]]) -> tuple[Whole, Whole]:
    """Lists one after another: where each begins, and all of them."""
    first = starts(np.array([len(one) for one in rows], np.int64))
    return first, np.fromiter(chain.from_iterable(rows), np.int64, int(first[-1]))
