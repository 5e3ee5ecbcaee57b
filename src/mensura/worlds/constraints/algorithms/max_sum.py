"""Max-Sum: messages on the factor graph, whose factors are all constraints that the same agents share.

Farinelli, Rogers, Petcu and Jennings ("Decentralised Coordination of Low-Power Embedded Devices Using the Max-Sum
Algorithm", 2008), as remembered, for costs, so that sums are minimized. All members of a factor know it, so each
computes for itself what the factor says, and only what variables say is sent.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import prf, unit
from mensura.worlds.constraints.agent_base.algorithm import MOST_ROWS, Table
from mensura.worlds.constraints.algorithms.rounds import Heard, Rounds

NOISE = 1e-4
"""Of unary costs, which breaks ties."""

Row = npt.NDArray[np.float64]


def _mean(row: Row) -> float:
    """Added up from the first to the last, as a kernel does it: NumPy's own mean rounds otherwise."""
    total = 0.0
    for one in row.tolist():
        total += one
    return total / len(row)


class MaxSum(Rounds):
    """Max-Sum with damping: exact on trees, no guarantee elsewhere."""

    def __init__(self, damping: float = 0.5, rounds: float = 50) -> None:
        self.damping, self.rounds = damping, int(rounds)

    def open_round(self) -> None:
        """Nothing was heard yet."""
        knows = self.knows
        self.tables = [
            np.where(np.isinf(g.table()), knows.infinity, g.table()) for g in knows.groups
        ]
        own = np.array(knows.own)
        self.unary = np.where(np.isinf(own), knows.infinity, own)
        noise = np.array([unit(prf(self.key, value, 0)) for value in range(self.size)])
        self.unary = self.unary + NOISE * noise
        self.said = [np.zeros(self.size) for _ in knows.groups]
        self.heard = [
            {one: np.zeros(len(knows.domains[one])) for one in group.others}
            for group in knows.groups
        ]
        self.speak()

    def speak(self) -> None:
        """Tell everybody what this variable says to the factors that they share."""
        replies = [self.reply(at) for at in range(len(self.tables))]
        total = self.unary + sum(replies, np.zeros(self.size))
        self.value = int(total.argmin())
        self.because("By what all factors say, value {} costs least.", self.value)
        if self.rounds and self.round > self.rounds:
            return
        for at, reply in enumerate(replies):
            new = total - reply
            new = new - _mean(new)
            self.said[at] = self.damping * self.said[at] + (1.0 - self.damping) * new
        for one in self.neighbors:
            self.write(
                one, *(repr(n) for at in self.shared_with(one) for n in self.said[at].tolist())
            )

    def inside(self) -> list[Table]:
        """What each factor says to this variable, of each value."""
        if not self.neighbors:
            return super().inside()
        before = self.checks
        replies = [self.reply(at) for at in range(len(self.tables))]
        self.checks = before
        columns = ("value", "own cost", *(f"with {sorted(g.others)}" for g in self.knows.groups))
        rows: list[tuple[str | int, ...]] = [
            (value, f"{self.unary[value]:.6g}", *(f"{one[value]:.6g}" for one in replies))
            for value in range(min(self.size, MOST_ROWS))
        ]
        return [Table("what factors say that values cost", columns, tuple(rows))]

    def shared_with(self, one: int) -> list[int]:
        """The factors that it shares with somebody, in an order that both know."""
        groups = self.knows.groups
        shared = [at for at, group in enumerate(groups) if one in group.others]
        return sorted(shared, key=lambda at: sorted([*groups[at].others, self.seat]))

    def reply(self, at: int) -> Row:
        """What a factor says to this variable: the best over the others' values."""
        group, table = self.knows.groups[at], self.tables[at]
        self.checks += table.size
        axes = len(group.others)
        for axis, one in enumerate(group.others):
            shape = [1] * (axes + 1)
            shape[axis] = -1
            table = table + self.heard[at][one].reshape(shape)
        found: Row = table.min(axis=tuple(range(axes)))
        return found

    def close_round(self, heard: Heard) -> None:
        """What the others say to the shared factors."""
        for one, words in heard.items():
            self.learned_costs += len(words)
            size = len(self.knows.domains[one])
            for place, at in enumerate(self.shared_with(one)):
                part = words[place * size : (place + 1) * size]
                self.heard[at][one] = np.array(part, np.float64)
        self.speak()
