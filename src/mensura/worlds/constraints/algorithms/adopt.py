"""ADOPT: asynchronous optimization with bounds, along a pseudo-tree.

Modi, Shen, Tambe and Yokoo ("Adopt: asynchronous distributed constraint optimization with quality guarantees", 2005),
as remembered, with one departure: nobody repeats what it last told somebody. So that nothing is lost by that, an
agent keeps the last bounds of each child and the last threshold, and takes them up once its context agrees. Costs are
counted from the least that a constraint can cost, so none is negative, and what is forbidden counts as :data:`HARD`.
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

HARD = float(1 << 32)
"""A forbidden tuple: more than all finite costs of a problem together."""
NEAR = 1e-6
"""Bounds that differ by less are equal."""


class ADOPT(Algorithm):
    """Asynchronous distributed optimization: exact, many small letters, memory that grows with the domain alone."""

    def start(self) -> None:
        """Nothing is known of any child."""
        knows = self.knows
        self.above = {*knows.pseudo_parents, *([] if knows.parent is None else [knows.parent])}
        self.groups = [group for group in knows.groups if self.above.issuperset(group.others)]
        self.threshold = 0.0
        self.told_to_end = self.over = False
        self.lb = {(d, child): 0.0 for d in range(self.size) for child in knows.children}
        self.t = dict(self.lb)
        self.ub = dict.fromkeys(self.lb, math.inf)
        self.contexts: dict[tuple[int, int], Values] = {one: {} for one in self.lb}
        self.reported: dict[int, tuple[int, Values, float, float]] = {}
        """The last bounds of each child: for which value, in which context."""
        self.allowed: tuple[float, Values] = (0.0, {})
        """The last threshold, and its context."""
        self.told: dict[tuple[int, str], str] = {}
        self.measure()
        self.value = self.low.index(min(self.low))
        self.news = True

    def measure(self) -> None:
        """Own costs in the present context, and bounds of each value with what children told."""
        own = self.knows.own
        least = min(own)
        costs = [HARD if one == math.inf else one - least for one in own]
        for group in self.groups:
            if all(one in self.view for one in group.others):
                for d, cost in enumerate(self.look_up(group, self.view)):
                    costs[d] += HARD if cost == math.inf else cost - group.least
        self.local = costs
        self.bound()

    def bound(self) -> None:
        """Bounds of each value, from own costs and those of children."""
        children = self.knows.children
        self.low = [c + sum(self.lb[d, one] for one in children) for d, c in enumerate(self.local)]
        # Whoever does not know all values above cannot say that anything is enough.
        rest = 0.0 if self.above.issubset(self.view) else math.inf
        self.high = [
            c + rest + sum(self.ub[d, one] for one in children) for d, c in enumerate(self.local)
        ]
        self.threshold = min(max(self.threshold, min(self.low)), min(self.high))

    def learn(self, values: Values) -> None:
        """Take values into the context; reset what no longer holds in it, and take up what holds again."""
        if all(self.view.get(agent) == value for agent, value in values.items()):
            return
        self.view.update(values)
        for one, context in self.contexts.items():
            if any(self.view.get(agent, value) != value for agent, value in context.items()):
                self.lb[one], self.t[one], self.ub[one] = 0.0, 0.0, math.inf
                self.contexts[one] = {}
        for child in self.reported:
            self.take_up(child)
        self.measure()
        self.take_threshold()

    def take_up(self, child: int) -> None:
        """The last bounds of a child, if they hold in the context."""
        d, context, low, high = self.reported[child]
        if all(self.view.get(agent) == value for agent, value in context.items()):
            one = d, child
            self.lb[one], self.ub[one], self.contexts[one] = low, high, context
            self.t[one] = min(max(self.t[one], low), high)
        else:
            self.obsolete += 1

    def take_threshold(self) -> None:
        """The last threshold, if it holds in the context."""
        threshold, context = self.allowed
        if all(self.view.get(agent, value) == value for agent, value in context.items()):
            self.threshold = threshold
            self.bound()
        else:
            self.obsolete += 1

    @on("value")
    def hear_value(self, sender: int, words: list[str]) -> None:
        """A neighbor above has a value."""
        if not self.told_to_end:
            self.learn({sender: int(words[0])})
        self.news = True

    @on("cost")
    def hear_cost(self, sender: int, words: list[str]) -> None:
        """Bounds of a child's tree, in a context, from which values of strangers above are learned."""
        context = read(words[2:])
        d = context.pop(self.seat)
        self.reported[sender] = d, context, float(words[0]), float(words[1])
        self.learned_costs += (float(words[0]) > 0.0) + (float(words[1]) < math.inf)
        if not self.told_to_end:
            self.learn({one: value for one, value in context.items() if one not in self.above})
        self.take_up(sender)
        self.bound()
        self.news = True

    @on("threshold")
    def hear_threshold(self, sender: int, words: list[str]) -> None:
        """What the parent allows, in a context."""
        self.allowed = float(words[0]), read(words[1:])
        self.learned_costs += self.allowed[0] > 0.0
        self.take_threshold()
        self.news = True

    @on("terminate")
    def hear_end(self, sender: int, words: list[str]) -> None:
        """The parent is done."""
        self.told_to_end = True
        self.learn(read(words))
        self.news = True

    def finish_turn(self) -> None:
        """Choose a value by the bounds, and tell everybody around."""
        if self.over or not self.news:
            return
        self.news = False
        knows = self.knows
        done = self.threshold > min(self.high) - NEAR
        before = self.value
        if done:
            self.value = self.high.index(min(self.high))
            self.because("The threshold {} has reached the upper bound: value {}, which costs no more, is enough here.",
                         self.threshold, self.value)  # fmt: skip
        elif self.low[self.value] > self.threshold + NEAR:
            self.value = self.low.index(min(self.low))
            self.because("Value {} costs at least {}, more than the threshold {}: {} has the smallest lower bound, {}.",
                         before, self.low[before], self.threshold, self.value,
                         min(self.low))  # fmt: skip
        else:
            self.because("Value {} costs at least {}, within the threshold {}: it is kept.", self.value,
                         self.low[self.value], self.threshold)  # fmt: skip
        for one in (*knows.children, *knows.pseudo_children):
            self.send_news(one, "value", str(self.value))
        self.allocate()
        self.report(done)

    def report(self, done: bool) -> None:
        """End where all is known, else tell the parent the bounds."""
        knows = self.knows
        context = written({**self.view, self.seat: self.value})
        if done and (self.told_to_end or knows.parent is None):
            self.over = True
            self.send_all(knows.children, "terminate", context)
            if knows.parent is None and min(self.high) >= HARD:
                self.claim()
        elif knows.parent is not None and knows.parent in self.view:
            bounds = text_of(min(self.low)), text_of(min(self.high))
            self.send_news(knows.parent, "cost", " ".join([*bounds, written(self.view)]))

    def inside(self) -> list[Table]:
        """The context, the bounds of each value and the threshold."""
        rows = tuple(
            (d, text_of(self.local[d]), text_of(self.low[d]), text_of(self.high[d]))
            for d in range(min(self.size, MOST_ROWS))
        )
        bounds = Table("bounds", ("value", "own cost", "lower bound", "upper bound"), rows)
        return [
            *super().inside(),
            bounds,
            Table("threshold", ("threshold",), ((text_of(self.threshold),),)),
        ]

    def send_news(self, to: int, kind: str, words: str) -> None:
        """Write a letter, unless it is what the last one of its kind said."""
        if self.told.get((to, kind)) != words:
            self.told[to, kind] = words
            self.send(to, kind, words)

    def allocate(self) -> None:
        """Share the threshold out among the children for the present value."""
        d, children = self.value, self.knows.children
        missing = self.threshold - self.local[d] - sum(self.t[d, one] for one in children)
        for one in children:
            t = self.t[d, one]
            self.t[d, one] = min(max(t + missing, self.lb[d, one]), self.ub[d, one])
            missing -= self.t[d, one] - t
        for one in children:
            context = written({**self.view, self.seat: d})
            self.send_news(one, "threshold", f"{text_of(self.t[d, one])} {context}")
