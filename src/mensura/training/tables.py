"""Q-learning with a table and a memory of transitions: the smallest learner that can replay."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

State = tuple[int, ...]


class Transition(NamedTuple):
    """From a state by an action to another, and what it brought."""

    state: State
    action: int
    reward: float
    following: State
    ended: bool


class ReplayQ:
    """Learns from what happens, and from as many past transitions: half of them of others, where there are any."""

    def __init__(self, actions: int, rng: np.random.Generator, *, rate: float = 0.2,
                 discount: float = 0.98, epsilon: float = 0.2, replays: int = 8) -> None:  # fmt: skip
        """``replays``: transitions that are learned from again at each interaction."""
        self.actions, self._rng = actions, rng
        self._rate, self._discount, self._epsilon = rate, discount, epsilon
        self._replays = replays
        self.table: dict[State, list[float]] = {}
        self.memory: list[Transition] = []
        self.experience: list[Transition] = []

    def values(self, state: State) -> list[float]:
        """The values of all actions."""
        found = self.table.get(state)
        if found is None:
            found = self.table[state] = [0.0] * self.actions
        return found

    def act(self, state: State, *, explores: bool) -> int:
        """The best action, one of the best where several are; now and then any."""
        rng = self._rng
        if rng.random() < (self._epsilon if explores else 0.05):
            return int(rng.integers(self.actions))
        values = self.values(state)
        highest = max(values)
        best = [action for action, value in enumerate(values) if value == highest]
        return best[0] if len(best) == 1 else best[int(rng.integers(len(best)))]

    def learn(self, one: Transition) -> None:
        """Learn from a transition, and from past ones."""
        self._update(one)
        self.memory.append(one)
        others = self.experience
        half = self._replays // 2 if others else 0
        for place in self._rng.integers(len(self.memory), size=self._replays - half).tolist():
            self._update(self.memory[place])
        if half:
            for place in self._rng.integers(len(others), size=half).tolist():
                self._update(others[place])

    def _update(self, one: Transition) -> None:
        ahead = 0.0 if one.ended else self._discount * max(self.values(one.following))
        values = self.values(one.state)
        values[one.action] += self._rate * (one.reward + ahead - values[one.action])
