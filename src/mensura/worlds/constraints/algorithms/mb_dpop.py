"""MB-DPOP: dynamic programming along a pseudo-tree in bounded memory.

Petcu and Faltings ("MB-DPOP: a new memory-bounded algorithm for distributed optimization", 2007), as remembered:
where a table would be too large, some agents of the separator are cut. Their values are then given from above, and
the table is made for one combination of them after another. Departures: which agents are cut is chosen by the number
of their values, by each agent for itself and those below it; and a table is made again when the values are known.
"""

from __future__ import annotations

from itertools import takewhile
from math import prod
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.agent_base.algorithm import Table as Shown
from mensura.worlds.constraints.agent_base.algorithm import Values, on, read, written
from mensura.worlds.constraints.algorithms.dpop import DPOP, Table

Part = tuple[list[int], Table]
"""A table with the agents of its axes."""


class MBDPOP(DPOP):
    """Dynamic programming on a pseudo-tree in bounded memory: exact; large tables are made part by part."""

    def start(self) -> None:
        """Leaves begin."""
        knows = self.knows
        above = {*knows.pseudo_parents, *([] if knows.parent is None else [knows.parent])}
        self.parts: list[Part] = []
        """What does not change: own constraints, and tables of children that cut nobody."""
        self.sizes: Values = {}
        """How many values the agents of the separator have."""
        for group in knows.groups:
            if above.issuperset(group.others):
                self.add_part([*group.others, self.seat], group.table())
                self.checks += group.checks * group.table().size
        self.separators: dict[int, list[int]] = {}
        self.cuts: dict[int, list[int]] = {}
        """Whom each child cut, where it cut somebody."""
        self.cut: list[int] = []
        self.asked: list[tuple[int, int]] = []
        """Which tables of children are still to be asked for: of whom, for which own value."""
        self.given: Values = {}
        """The values of those who are cut, for which the table is made."""
        self.chosen: Values | None = None
        """The values of the separator, once they are known."""
        if not knows.children:
            self.choose_cut()

    def add_part(self, agents: list[int], table: Table) -> None:
        """Keep a table for good."""
        self.parts.append((agents, table))
        self.sizes |= dict(zip(agents, table.shape, strict=True))

    def choose_cut(self) -> None:
        """All children told what they depend on: cut as many as needed, and begin if that is nobody."""
        self.sizes.pop(self.seat, None)
        below = {one for cut in self.cuts.values() for one in cut} - {self.seat}
        self.cut = sorted(below)
        left = sorted(self.sizes.keys() - below, key=lambda one: (self.sizes[one], -one))
        while self.size * prod(self.sizes[one] for one in left) > self.cells:
            if not left:
                raise MensuraError(
                    f"Agent {self.seat} has {self.size:,} values; mb-dpop is allowed tables of {self.cells:,} cells."
                )
            self.cut.append(left.pop())
        if self.cut:
            assert self.knows.parent is not None
            names = " ".join(f"#{one}" for one in self.cut)
            self.send(self.knows.parent, "cut", written(self.sizes), "|", names)
        else:
            self.make({})

    def inside(self) -> list[Shown]:
        """The table, once there is one, and who is cut."""
        made = super().inside() if hasattr(self, "table") else []
        return (
            [*made, Shown("cut", ("agent",), tuple((one,) for one in self.cut))]
            if self.cut
            else made
        )

    @on("cut")
    def hear_cut(self, sender: int, words: list[str]) -> None:
        """A child will make its table for given values of some."""
        bar = words.index("|")
        sizes = read(words[:bar])
        self.sizes |= sizes
        self.cuts[sender] = [int(word[1:]) for word in words[bar + 1 :]]
        self.hear_child(sender, sizes)

    def hear_child(self, child: int, sizes: Values) -> None:
        """A child told what it depends on."""
        self.separators[child] = [one for one in sizes if one != self.seat]
        if len(self.separators) == len(self.knows.children):
            self.choose_cut()

    @on("make")
    def hear_given(self, sender: int, words: list[str]) -> None:
        """The parent wants the table for some values of those who are cut."""
        self.make(read(words))

    def make(self, given: Values) -> None:
        """Make the table for these values of those who are cut, with tables of children that have to be asked."""
        self.given = given
        self.agents, self.table = [self.seat], np.array(self.knows.own)
        for agents, table in self.parts:
            self.join_given(agents, table)
        self.slices: list[Table] = []
        self.asked = [
            (child, value)
            for child, cut in self.cuts.items()
            for value in (range(self.size) if self.seat in cut else (-1,))
        ]
        self.ask()

    def join_given(self, agents: list[int], table: Table) -> None:
        """Add what a table says for the given values."""
        index: tuple[Any, ...] = tuple(self.given.get(one, slice(None)) for one in agents)
        self.join([one for one in agents if one not in self.given], table[index])

    def ask(self) -> None:
        """Ask for the next table of a child; where none is left, the own is ready."""
        if self.asked:
            child, value = self.asked[0]
            values = {**self.given, self.seat: value}
            self.send(child, "make", written({one: values[one] for one in self.cuts[child]}))
        elif self.chosen is None:
            self.pass_up()
        else:
            super().settle(self.chosen)

    @on("util")
    def hear_table(self, sender: int, words: list[str]) -> None:
        """The table of a child: once for all, or for given values."""
        named = list(takewhile(lambda word: word[0] == "#", words))
        sizes = read(named)
        table = np.array(words[len(named) :], np.float64).reshape(list(sizes.values()))
        self.learned_costs += table.size
        if sender not in self.cuts:
            self.add_part(list(sizes), table)
            self.hear_child(sender, sizes)
            return
        _, value = self.asked.pop(0)
        if value < 0:
            self.join_given(list(sizes), table)
        else:
            self.slices.append(table)
            if value == self.size - 1:
                self.join_given([self.seat, *sizes], np.stack(self.slices))
                self.slices = []
        self.ask()

    def settle(self, values: Values) -> None:
        """The values of the separator are known: make the table for them, if it is not at hand, and take the best."""
        self.chosen = values
        given = {one: values[one] for one in self.cut}
        if given == self.given:
            super().settle(values)
        else:
            self.make(given)
