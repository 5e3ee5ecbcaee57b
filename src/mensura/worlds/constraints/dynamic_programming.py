"""DPOP played as a whole: all tables at once, and from them who writes what in which cycle.

It is :mod:`mensura.worlds.constraints.algorithms.dpop` without letters as text. Tables are NumPy's, as there, since
that is where the time goes where they are large.
"""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mensura.worlds.constraints.agent_base.algorithm import text_of
from mensura.worlds.constraints.agent_base.knowledge import Knowledge
from mensura.worlds.constraints.algorithms.dpop import Table, added
from mensura.worlds.constraints.flat import Whole, starts
from mensura.worlds.constraints.kernels import dpop
from mensura.worlds.constraints.knowledge import told_of
from mensura.worlds.constraints.network import Network
from mensura.worlds.constraints.playing import LONGEST_NUMBER, Playing, named_most

MOST_AXES = 32
"""NumPy's tables have no more."""


class Joined(NamedTuple):
    """What an agent begins with."""

    agents: list[int]
    """The axes: this agent, then those above it."""
    table: Table
    checks: int


class TooLarge(Exception):
    """A table or a letter is larger than is allowed, so that this is left to agents who say so."""


class DPOP:
    """Dynamic programming along the pseudo-tree."""

    kinds: ClassVar[tuple[str, ...]] = ("util", "value")

    def __init__(self, playing: Playing) -> None:
        self.p = playing
        self.cells = int(playing.parameters["cells"])
        self.schedule: dpop.Schedule | None = None

    def play(self, most: int) -> int:
        """Whoever has larger tables, or more or longer letters to write than is allowed, is not played here."""
        p = self.p
        if self.schedule is None:
            try:
                self.schedule = self._schedule()
            except TooLarge:
                return -1
        played: int = dpop.dpop(p.arrays.known, p.ledger, p.course, self.schedule, most)
        return played

    def _schedule(self) -> dpop.Schedule:
        network = self.p.network
        places = network.places
        count = network.count
        if max(2, *(len(one.children) for one in places)) > self.p.letters:
            raise TooLarge
        begun = _begun(network, self.p.arrays.plain, self.cells)
        agents = [one.agents for one in begun]
        tables = [one.table for one in begun]
        up_at = np.zeros(count, np.int64)
        upward = sorted(range(count), key=lambda one: -places[one].depth)
        for one in upward:
            # in the order in which letters arrive, since that is the order in which costs are added up
            children = sorted(places[one].children, key=lambda child: (up_at[child], child))
            for child in children:
                up_at[one] = max(up_at[one], up_at[child] + 1)
                below = tables[child].min(axis=0)
                self._check_letter(agents[child][1:], below)
                _check(agents[one], tables[one], agents[child][1:], below, self.cells)
                agents[one], tables[one] = added(agents[one], tables[one], agents[child][1:], below)
        best, settles_at, hopeless = self._settle(upward[::-1], agents, tables, up_at)
        separators = [sum(len(agents[child]) - 1 for child in place.children) for place in places]
        roots = np.array([place.parent is None for place in places])
        last = int(max(up_at.max(), settles_at.max()))
        up_first, up = _by_cycle(np.where(roots, -1, up_at), last)
        settle_first, settle = _by_cycle(settles_at, last)
        return dpop.Schedule(
            parent=np.array([-1 if one.parent is None else one.parent for one in places]),
            children=np.array([len(one.children) for one in places]),
            checks=np.array([one.checks for one in begun], np.int64),
            words_up=np.array(
                [
                    len(axes) - 1 + table.size // table.shape[0]
                    for axes, table in zip(agents, tables, strict=True)
                ]
            ),
            cells_up=np.array([table.size // table.shape[0] for table in tables]),
            words_down=np.array(separators),
            best=best,
            hopeless=hopeless,
            up_first=up_first,
            up=up,
            settle_first=settle_first,
            settle=settle,
            stamp=np.zeros((2, count), np.int64),
        )

    def _settle(
        self, downward: list[int], agents: list[list[int]], tables: list[Table], up_at: Whole
    ) -> tuple[Whole, Whole, Whole]:
        """The best value of each agent, in which cycle it takes it (-1: never), and whether all are forbidden."""
        places = self.p.network.places
        count = len(places)
        best, settles_at = np.zeros(count, np.int64), np.full(count, -1)
        hopeless = np.zeros(count, np.int64)
        for one in downward:
            parent = places[one].parent
            if parent is None:
                settles_at[one] = up_at[one]
            elif settles_at[parent] < 0 or hopeless[parent]:
                continue
            else:
                settles_at[one] = settles_at[parent] + 1
            index: tuple[Any, ...] = (slice(None), *(best[other] for other in agents[one][1:]))
            costs = tables[one][index]
            best[one] = costs.argmin()
            hopeless[one] = costs[best[one]] == np.inf
        return best, settles_at, hopeless

    def _check_letter(self, separator: list[int], table: Table) -> None:
        """A table as a letter is not too long, nor are the values of those whom it depends on."""
        p = self.p
        if len(separator) > named_most(p):
            raise TooLarge
        most = 32 + LONGEST_NUMBER * (len(separator) + table.size)
        if most <= p.longest:
            return
        if 2 * table.size > p.longest:
            raise TooLarge
        told = sum(len(text_of(cost)) + 1 for cost in table.ravel().tolist())
        if 32 + LONGEST_NUMBER * len(separator) + told > p.longest:
            raise TooLarge


def _by_cycle(at: Whole, last: int) -> tuple[Whole, Whole]:
    """Where the agents of each cycle begin, and all agents by cycle and seat; -1: never."""
    never = int((at < 0).sum())
    order = np.argsort(at, kind="stable")[never:]
    return starts(np.bincount(at[order], minlength=last + 1).astype(np.int64)), order


def _check(axes: list[int], table: Table, others: list[int], more: Table, cells: int) -> None:
    """The sum of two tables is not too large."""
    new = [size for one, size in zip(others, more.shape, strict=True) if one not in axes]
    if table.size * prod(new) > cells or len(axes) + len(new) > MOST_AXES:
        raise TooLarge


def _begun(network: Network, plain: bool, cells: int) -> list[Joined]:
    """What each agent costs with those above it."""
    if not plain:
        return [_joined_by_knowledge(network, seat, cells) for seat in range(network.count)]
    problem, places = network.problem, network.places
    found = []
    for seat, (variable,) in enumerate(problem.variables_of):
        one = problem.variables[variable]
        axes, table, checks = [seat], np.zeros(len(one.values)), 0
        if one.costs:
            table += one.costs
        above = {places[seat].parent, *places[seat].pseudo_parents}
        for c in problem.constraints_of[variable]:
            constraint = problem.constraints[c]
            costs = problem.relations[constraint.relation].costs
            first, second = (problem.variables[v].agent for v in constraint.scope)
            other = second if first == seat else first
            if other in above:
                _check(axes, table, [first, second], costs, cells)
                axes, table = added(axes, table, [first, second], costs)
                checks += costs.size
        found.append(Joined(axes, table, checks))
    return found


def _joined_by_knowledge(network: Network, seat: int, cells: int) -> Joined:
    """The same, where agents have several variables or constraints more or fewer ends than two."""
    place = network.places[seat]
    told = told_of(network.problem, seat, place=place, ranks=network.ranks, synchronous=True)
    knows = Knowledge(told)
    above = {place.parent, *place.pseudo_parents}
    axes, table, checks = [seat], np.array(knows.own), 0
    for group in knows.groups:
        if above.issuperset(group.others):
            more, others = group.table(), [*group.others, seat]
            checks += group.checks * more.size
            _check(axes, table, others, more, cells)
            axes, table = added(axes, table, others, more)
    return Joined(axes, table, checks)
