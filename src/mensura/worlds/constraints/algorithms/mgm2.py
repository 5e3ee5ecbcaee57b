"""MGM-2: maximum gain where two neighbors may move together.

Maheswaran, Pearce and Tambe ("Distributed Algorithms for DCOP: A Graphical-Game-Based Approach", 2004), as remembered.
"""

from __future__ import annotations

from mensura.worlds.constraints.agent_base.algorithm import Values
from mensura.worlds.constraints.algorithms.local_search import TIE
from mensura.worlds.constraints.algorithms.rounds import Heard, Rounds

NONE = "-"
"""Nothing to say in this round."""


class MGM2(Rounds):
    """Maximum gain with pairs: neighbors may agree to move together; costs never rise."""

    def __init__(self, q: float = 0.5, rounds: float = 0) -> None:
        self.q, self.rounds = q, int(rounds)

    def open_round(self) -> None:
        """Tell its value."""
        self.write_all(self.value)

    def close_round(self, heard: Heard) -> None:
        """Values, offers, answers, gains, and whether to go, in turn."""
        steps = (self.go, self.offer, self.answer, self.tell_gain, self.ask_partner)
        steps[self.round % 5](heard)

    def offer(self, heard: Heard) -> None:
        """Some make an offer to a neighbor: what each pair of values would cost them."""
        self.view = {one: int(words[0]) for one, words in heard.items()}
        self.partner: int | None = None
        self.move, self.joint = self.value, 0.0
        self.offers_to: int | None = None
        if self.chance(self.round) < self.q:
            self.offers_to = self.neighbors[self.one_of(len(self.neighbors), self.round, 1)]
        for one in self.neighbors:
            if one != self.offers_to:
                self.write(one, NONE)
                continue
            costs = [
                self.costs({**self.view, one: theirs})
                for theirs in range(len(self.knows.domains[one]))
            ]
            self.write(one, *(repr(cost) for each in costs for cost in each))

    def answer(self, heard: Heard) -> None:
        """Who made no offer accepts the best one that gains."""
        best: tuple[float, int, int, int] | None = None
        offers = {one: words for one, words in heard.items() if words[0] != NONE}
        self.learned_costs += sum(map(len, offers.values()))
        for one, words in offers.items() if self.offers_to is None else ():
            found = self.best_of(one, [float(word) for word in words])
            if found[0] > TIE and (best is None or found[0] > best[0]):
                best = found
        for one in self.neighbors:
            if best is not None and one == best[1]:
                self.partner, self.joint, self.move = one, best[0], best[3]
                self.write(one, repr(best[0]), best[2])
            else:
                self.write(one, NONE)

    def best_of(self, one: int, costs: list[float]) -> tuple[float, int, int, int]:
        """The largest joint gain of an offer: the gain, who offered, its value and the own."""
        rest: Values = {other: at for other, at in self.view.items() if other != one}
        own = self.costs(rest)
        theirs = len(costs) // self.size
        now = costs[self.value * theirs + self.view[one]] + own[self.value]
        prices = [
            (costs[mine * theirs + its] + own[mine], mine, its)
            for mine in range(self.size)
            for its in range(theirs)
        ]
        price, mine, its = min(prices)
        return now - price, one, its, mine

    def tell_gain(self, heard: Heard) -> None:
        """All tell what they would gain, alone or as a pair; a pair has one name."""
        to = self.offers_to
        if to is not None and heard[to][0] != NONE:
            self.partner, self.joint, self.move = to, float(heard[to][0]), int(heard[to][1])
            self.learned_costs += 1
        if self.partner is None:
            costs = self.costs(self.view)
            self.move = costs.index(min(costs))
            self.joint = costs[self.value] - costs[self.move]
        self.name = self.seat if self.partner is None else min(self.seat, self.partner)
        self.write_all(repr(self.joint), self.name)

    def ask_partner(self, heard: Heard) -> None:
        """Whoever gains most around it would go; a pair goes if both would."""
        self.learned_costs += len(heard)
        rivals = [
            (-float(words[0]), int(words[1])) for one, words in heard.items() if one != self.partner
        ]
        mine = (-self.joint, self.name)
        self.would = self.joint > TIE and all(mine < one for one in rivals)
        for one in self.neighbors:
            self.write(one, int(self.would) if one == self.partner else NONE)

    def go(self, heard: Heard) -> None:
        """Move, and tell the value."""
        agreed = self.partner is None or heard[self.partner][0] == "1"
        if self.would and agreed:
            self.value = self.move
            self.because("Nobody around gains more than {}{}: it moves to {}.", self.joint,
                         "" if self.partner is None else f" with agent {self.partner}", self.value)  # fmt: skip
        if not self.rounds or self.round < 5 * self.rounds:
            self.write_all(self.value)
