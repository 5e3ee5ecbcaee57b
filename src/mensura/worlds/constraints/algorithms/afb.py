"""Asynchronous forward bounding: branch and bound with a token, and estimates of those ahead of it.

Gershman, Meisels and Zivan ("Asynchronous forward bounding for distributed COPs", 2009), as remembered, with the
departures of AFC here: copies go to lower neighbors alone, each estimate counts for the agent that asked for it, and
tokens that an early change of value makes obsolete are known by their counters of steps.
"""

from __future__ import annotations

import math

from mensura.worlds.constraints.agent_base.algorithm import (
    Table,
    Values,
    on,
    read,
    text_of,
    written,
)
from mensura.worlds.constraints.algorithms.afc import AFC, BAR, Steps
from mensura.worlds.constraints.algorithms.backtracking import bounds_table


class AFB(AFC):
    """Asynchronous forward bounding: exact, a token and copies of it for which those ahead say what they will cost."""

    satisfaction_only = False

    def start(self) -> None:
        """Nothing was found yet."""
        self.cost, self.bound = 0.0, math.inf
        self.found: Values = {}
        """The best assignment, whose cost is the bound."""
        self.estimates: dict[int, float] = {}
        self.over = False
        super().start()

    def is_old(self, steps: Steps) -> bool:
        """Whether something newer is known, or all is done."""
        return self.over or super().is_old(steps)

    def go_on(self) -> None:
        """Pass the token on with the next value that may be better than the best; or give it back."""
        before = self.steps[: self.knows.rank(self.seat)]
        if self.knows.after is None:
            self.close()
        else:
            for value in range(self.tried + 1, self.size):
                cost = self.cost + self.prices[value]
                if cost < self.bound:
                    self.tried = self.value = value
                    self.because("Value {} costs {} so far, less than the best known, {}.", value, cost,
                                 self.bound)  # fmt: skip
                    self.count += 1
                    self.steps = self.newest = [*before, self.count]
                    self.estimates = {}
                    words = (written({**self.view, self.seat: value}), BAR, *self.steps)
                    self.send(self.knows.after, "token", text_of(cost), *words)
                    self.send_all(self.ahead, "copy", *words)
                    return
        self.tried, self.steps = self.size, before
        self.because("No further value can be better than {}.", self.bound)
        if self.knows.before is not None:
            best = text_of(self.bound), written(self.found)
            self.send(self.knows.before, "back", *before, BAR, *best)
        elif self.bound == math.inf:
            self.claim()
        else:
            self.settle()

    def inside(self) -> list[Table]:
        """Costs, and what those ahead estimate, too."""
        rows = tuple((one, text_of(cost)) for one, cost in self.estimates.items())
        estimates = Table("estimates of those ahead", ("agent", "costs at least"), rows)
        return [*super().inside(), bounds_table(self.cost, self.bound), estimates]

    def close(self) -> None:
        """The last agent: its cheapest value is all that counts; a better assignment is told to everybody."""
        best = min(self.prices)
        if self.cost + best < self.bound:
            self.value = self.prices.index(best)
            self.bound, self.found = self.cost + best, {**self.view, self.seat: self.value}
            self.send_all(sorted(self.view), "solution", text_of(self.bound), written(self.found))

    def learn(self, bound: float, words: list[str]) -> None:
        """Take an assignment that is better than the best so far."""
        if bound < self.bound:
            self.bound, self.found = bound, read(words)
            self.learned_costs += 1

    @on("solution")
    def hear_solution(self, sender: int, words: list[str]) -> None:
        """A better assignment was found."""
        self.learn(float(words[0]), words[1:])

    @on("token")
    def forward(self, sender: int, words: list[str]) -> None:
        """The token comes with a cost, values and steps of all before."""
        bar = words.index(BAR)
        steps = list(map(int, words[bar + 1 :]))
        if self.note(steps):
            self.steps, self.cost = steps, float(words[0])
            self.learned_costs += self.cost > 0.0
            self.receive(read(words[1:bar]))
            self.go_on()

    @on("copy")
    def look_ahead(self, sender: int, words: list[str]) -> None:
        """Say what the cheapest own value would cost at least."""
        bar = words.index(BAR)
        steps = list(map(int, words[bar + 1 :]))
        if self.note(steps):
            least = min(self.prices_with(read(words[:bar])))
            self.send(sender, "estimate", text_of(least), *steps)

    @on("estimate")
    def hear_estimate(self, sender: int, words: list[str]) -> None:
        """If the values so far cannot become better than the best, take the next value at once."""
        if list(map(int, words[1:])) != self.steps or self.is_old(self.steps):
            self.obsolete += 1
            return
        self.estimates[sender] = float(words[0])
        self.learned_costs += self.estimates[sender] > 0.0
        least = self.cost + self.prices[self.value] + sum(self.estimates.values())
        if least >= self.bound:
            self.because("By the estimates of those ahead, value {} comes to {} at least, no less than the best known.",
                         self.value, least)  # fmt: skip
            self.go_on()

    @on("back")
    def backward(self, sender: int, words: list[str]) -> None:
        """Those behind are done with this value; maybe they found something better."""
        bar = words.index(BAR)
        self.learn(float(words[bar + 1]), words[bar + 2 :])
        super().backward(sender, words[:bar])

    def count_refusal(self, sender: int) -> None:
        """Those behind are done with a value, which says nothing more than the bound that comes with it."""
        self.because("Agent {} and those after it are done with value {}.", sender, self.value)

    def settle(self) -> None:
        """Take the value of the best assignment, and tell the next."""
        self.value, self.over = self.found[self.seat], True
        if self.knows.after is not None:
            self.send(self.knows.after, "best", written(self.found))

    @on("best")
    def finish(self, sender: int, words: list[str]) -> None:
        """The best assignment is known."""
        self.found = read(words)
        self.settle()
