"""Synchronous backtracking: one token with a partial assignment goes along the static order.

SyncBT and SyncBB are those of Yokoo et al. (1998) and Hirayama and Yokoo ("Distributed Partial Constraint Satisfaction
Problem", 1997), as remembered.
"""

from __future__ import annotations

import math

from mensura.worlds.constraints.agent_base.algorithm import (
    MOST_ROWS,
    Algorithm,
    Table,
    Values,
    on,
    read,
    text_of,
    written,
)
from mensura.worlds.constraints.agent_base.knowledge import Numbers


class Token(Algorithm):
    """What both have: the values before this agent, and what own values cost with them, beyond the least they can."""

    def start(self) -> None:
        """The first in the order begins."""
        self.tried = self.size
        self.prices: Numbers = []
        if self.knows.before is None:
            self.receive({})
            self.go_on()

    def receive(self, values: Values) -> None:
        """Another assignment of those before: all own values are to be tried."""
        self.view, self.tried = values, -1
        self.prices = self.prices_with(values)

    def inside(self) -> list[Table]:
        """The values before it, and what its own cost with them and were tried."""
        rows = []
        for value, price in enumerate(self.prices[:MOST_ROWS]):
            state = "taken" if value == self.value and value <= self.tried < self.size else "tried"
            if price == math.inf:
                state = "forbidden by those before"
            elif value > self.tried:
                state = "to be tried"
            rows.append((value, text_of(price), state))
        own = Table(
            "own values", ("value", "cost with those before", "in this search"), tuple(rows)
        )
        return [*super().inside(), own] if rows else super().inside()

    def prices_with(self, values: Values) -> Numbers:
        """What each own value costs with those of others, beyond the least it can."""
        own = self.knows.own
        least = min(own)
        prices = [one - least if one < math.inf else one for one in own]
        for group in self.knows.groups:
            if all(one in values for one in group.others):
                for at, cost in enumerate(self.look_up(group, values)):
                    prices[at] += cost - group.least if cost < math.inf else cost
        return prices

    def go_on(self) -> None:
        """Try the next value, or give the token back."""


def bounds_table(cost: float, bound: float) -> Table:
    """What those before cost, and the best assignment that is known."""
    rows = (("of those before", text_of(cost)), ("of the best assignment known", text_of(bound)))
    return Table("costs", ("which", "cost"), rows)


class SyncBT(Token):
    """Synchronous backtracking: complete, one letter at a time."""

    satisfaction_only = True

    def go_on(self) -> None:
        """Pass the token on with the next value that fits, or give it back."""
        for value in range(self.tried + 1, self.size):
            if self.prices[value] == 0.0:
                self.tried = self.value = value
                self.because(
                    "Value {} is the next that fits those before: the token goes on.", value
                )
                if self.knows.after is not None:
                    self.send(self.knows.after, "token", written({**self.view, self.seat: value}))
                return
        self.tried = self.size
        self.because(
            "No value is left with those before: the token goes back, or there is no solution."
        )
        if self.knows.before is None:
            self.claim()
        else:
            self.send(self.knows.before, "back")

    @on("token")
    def forward(self, sender: int, words: list[str]) -> None:
        """The token comes with values of all before."""
        self.receive(read(words))
        self.go_on()

    @on("back")
    def backward(self, sender: int, words: list[str]) -> None:
        """Those behind have no value left."""
        self.count_nogood({**self.view, self.seat: self.value})
        self.go_on()


class SyncBB(Token):
    """Synchronous branch and bound: the token has the cost so far and the best that was found."""

    def start(self) -> None:
        """Nothing was found yet."""
        self.cost, self.bound = 0.0, math.inf
        self.found: Values = {}
        super().start()

    def go_on(self) -> None:
        """Pass the token on with the next value that may be better than the best, or give it back."""
        if self.knows.after is None:
            self.close()
            return
        for value in range(self.tried + 1, self.size):
            cost = self.cost + self.prices[value]
            if cost < self.bound:
                self.tried = self.value = value
                self.because("Value {} costs {} so far, less than the best known, {}.", value, cost,
                             self.bound)  # fmt: skip
                here = written({**self.view, self.seat: value})
                self.send(self.knows.after, "token", text_of(cost), text_of(self.bound), here)
                return
        self.back()

    def inside(self) -> list[Table]:
        """The cost so far and the best that was found, too."""
        return [*super().inside(), bounds_table(self.cost, self.bound)]

    def close(self) -> None:
        """The last agent: its cheapest value is all that counts."""
        best = min(self.prices)
        if self.cost + best < self.bound:
            self.value = self.prices.index(best)
            self.bound, self.found = self.cost + best, {**self.view, self.seat: self.value}
        self.back()

    def back(self) -> None:
        """All own values were tried."""
        self.because("No further value can be better than {}: the token goes back.", self.bound)
        self.tried = self.size
        if self.knows.before is not None:
            self.send(self.knows.before, "back", text_of(self.bound), written(self.found))
        elif self.bound == math.inf:
            self.claim()
        else:
            self.settle()

    def settle(self) -> None:
        """Take the value of the best assignment, and tell the next."""
        self.value = self.found[self.seat]
        if self.knows.after is not None:
            self.send(self.knows.after, "best", written(self.found))

    @on("token")
    def forward(self, sender: int, words: list[str]) -> None:
        """The token comes with a cost, the best cost, and values of all before."""
        self.learned_costs += float(words[1]) < self.bound
        self.cost, self.bound = float(words[0]), float(words[1])
        self.learned_costs += self.cost > 0.0
        self.found = {}
        self.receive(read(words[2:]))
        self.go_on()

    @on("back")
    def backward(self, sender: int, words: list[str]) -> None:
        """Those behind are done with this value; maybe they found something better."""
        bound = float(words[0])
        if bound < self.bound:
            self.bound, self.found = bound, read(words[1:])
            self.learned_costs += 1
        self.go_on()

    @on("best")
    def finish(self, sender: int, words: list[str]) -> None:
        """The best assignment is known."""
        self.found = read(words)
        self.settle()
