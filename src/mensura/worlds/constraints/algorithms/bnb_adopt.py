"""BnB-ADOPT: the frame of ADOPT with depth-first search.

Yeoh, Felner and Koenig ("BnB-ADOPT: an asynchronous branch-and-bound DCOP algorithm", 2010), as remembered, with the
departures of ADOPT here. Values carry no ids, since those of neighbors are taken from themselves alone.
"""

from __future__ import annotations

import math

from mensura.worlds.constraints.agent_base.algorithm import on, text_of
from mensura.worlds.constraints.algorithms.adopt import ADOPT, NEAR


class BnBADOPT(ADOPT):
    """Asynchronous branch and bound on a pseudo-tree: exact; a value is kept until it cannot be the best."""

    def start(self) -> None:
        """Nothing limits the search."""
        self.limit = math.inf
        """What the parent has found, minus what others cost: more is no use."""
        super().start()

    def take_threshold(self) -> None:
        """In another context nothing limits the search until the parent says so."""
        self.limit = math.inf

    @on("value")
    def hear_value(self, sender: int, words: list[str]) -> None:
        """A neighbor above has a value; the parent says what is no use."""
        super().hear_value(sender, words)
        if len(words) > 1 and not self.told_to_end:
            self.limit = float(words[1])
            self.learned_costs += self.limit < math.inf

    def finish_turn(self) -> None:
        """Keep the value until its lower bound reaches what is known, and tell everybody around."""
        if self.over or not self.news:
            return
        self.news = False
        low, high = min(self.low), min(self.high)
        done = low > high - NEAR
        limit = min(self.limit, high)
        if done:
            self.value = self.high.index(high)
            self.because("The bounds have met at {}: value {} is the best here.", high, self.value)
        elif self.low[self.value] > limit - NEAR:
            before, self.value = self.value, self.low.index(low)
            self.because("Value {} cannot become better than {}: {} has the smallest lower bound, {}.", before,
                         limit, self.value, low)  # fmt: skip
        d, children = self.value, self.knows.children
        for one in self.knows.pseudo_children:
            self.send_news(one, "value", str(d))
        for one in children:
            others = self.low[d] - self.lb[d, one]
            self.send_news(one, "value", f"{d} {text_of(limit - others)}")
        self.report(done)
