"""Local search in rounds: DSA in its five forms, MGM and MGM-2; and two baselines.

DSA is that of Zhang, Wang, Xing and Wittenburg ("Distributed stochastic search and distributed breakout", 2005), MGM
and MGM-2 those of Maheswaran, Pearce and Tambe ("Distributed Algorithms for DCOP", 2004), all as remembered.
"""

from __future__ import annotations

import math
from typing import Any

from mensura.worlds.constraints.agent_base.algorithm import OPEN, Algorithm
from mensura.worlds.constraints.algorithms.rounds import Heard, Rounds

TIE = 1e-9
"""Costs that differ by less are equal."""


class Drawing(Algorithm):
    """Draws its values once and is silent."""

    proxy = "any"

    def start(self) -> None:
        """Any value."""
        self.value = self.one_of(self.size, 0)

    def prepare(self, most: int = 1 << 30, longest: int = 1 << 30) -> None:
        """Nothing was picked."""
        super().prepare(most, longest)
        self.picked = 0

    def pick(self, observation: Any) -> int:
        """Any value that is open."""
        values: list[int] = observation[OPEN]
        self.picked += 1
        return values[self.one_of(len(values), self.picked)]


class Greedy(Rounds):
    """Tells its value once, then takes the one that is best as things stood."""

    patient = False
    proxy = "values"

    def open_round(self) -> None:
        """Tell its value."""
        self.write_all(self.value)

    def close_round(self, heard: Heard) -> None:
        """Take the best."""
        if self.round == 1:
            costs = self.costs({one: int(words[0]) for one, words in heard.items()})
            self.value = costs.index(min(costs))
            self.because("Value {} costs least as things stood: {}.", self.value, min(costs))


class DSA(Rounds):
    """Distributed stochastic search: everybody moves to its best value, with a probability."""

    patient = False
    proxy = "values"

    def __init__(self, form: str = "b", p: float = 0.7, rounds: float = 0) -> None:
        self.form, self.p, self.rounds = form, p, int(rounds)

    def open_round(self) -> None:
        """Tell its value."""
        self.least = min(self.knows.own) + math.fsum(one.least for one in self.knows.groups)
        self.write_all(self.value)

    def close_round(self, heard: Heard) -> None:
        """Maybe move, and tell."""
        self.view.update({one: int(words[0]) for one, words in heard.items()})
        costs = self.costs(self.view)
        best = min(costs)
        gain = costs[self.value] - best
        ties = [at for at, cost in enumerate(costs) if cost <= best + TIE]
        others = [one for one in ties if one != self.value]
        if gain > TIE:
            move = self.form in "de" or self.chance(self.round) < self.p
        else:
            conflict = costs[self.value] > self.least + TIE
            still = self.form in "ce" or (self.form in "bd" and conflict)
            move = still and self.chance(self.round) < self.p
        if not others:
            self.because("No other value is as good as {}.", self.value)
        elif not move:
            self.because("Another value would gain {}, but it does not move this time.", gain)
        if move and others:
            self.because("Another value gains {}: it moves.", gain)
            self.value = others[self.one_of(len(others), self.round, 1)]
        if not self.rounds or self.round < self.rounds:
            self.write_all(self.value)


class MGM(Rounds):
    """Maximum gain: of all neighbors only the one with the largest gain moves, so that costs never rise."""

    proxy = "gains"

    def __init__(self, rounds: float = 0) -> None:
        self.rounds = int(rounds)

    def open_round(self) -> None:
        """Tell its value."""
        self.write_all(self.value)

    def close_round(self, heard: Heard) -> None:
        """Values and gains in turn; no letter more once nobody around gains."""
        if self.round % 2:
            self.view = {one: int(words[0]) for one, words in heard.items()}
            costs = self.costs(self.view)
            self.best = costs.index(min(costs))
            self.gain = costs[self.value] - costs[self.best]
            self.because(
                "Value {} would gain {}; all neighbors are told that.",
                self.best,
                self.gain,
            )
            self.write_all(repr(self.gain))
        else:
            self.learned_costs += len(heard)
            rivals = [(-float(words[0]), one) for one, words in heard.items()]
            if self.gain > TIE and (-self.gain, self.seat) < min(rivals):
                self.value = self.best
                self.because(
                    "Nobody around gains more than {}: it moves to {}.",
                    self.gain,
                    self.value,
                )
            else:
                self.because("It gains nothing, or a neighbor comes first: it stays.")
            if not self.rounds or self.round < 2 * self.rounds:
                self.write_all(self.value)
