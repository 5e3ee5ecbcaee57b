"""Q(lambda) with values that are sums over many small features, for every world.

A number has a feature for its code where that is not its usual one. The state as a whole has one, or one for each
tiling where it has bins; so have the state with the one before, and the state with the clock. What is coarse is learned
in a few interactions and known everywhere; what is fine corrects it where it has been. So nothing has to be selected.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any, ClassVar

from mensura.agent.learners.data import (
    floats_of,
    hashes_of,
    text_of,
    text_of_hashes,
    whole,
)
from mensura.agent.learners.learner import Learner
from mensura.agent.learners.reading import hash_of
from mensura.agent.parameters import number

NOTHING_BEFORE = bytes(8)
FAINTEST, LONGEST = 0.05, 100
"""A trace ends where it has become as faint as that, or so long."""


@dataclass(kw_only=True, eq=False)
class Linear(Learner):
    """Q(lambda) with linear values over single numbers and whole observations, in any world."""

    trace: float = number(0.8, 0.0, 1.0)
    """The lambda of Q(lambda): how much of what is learned goes to the action before, and on to those before it."""
    tilings: int = number(4, 1, 100)
    """How many grids of bins, shifted against each other, real numbers are cut by."""

    name: ClassVar[str] = "linear"
    table: ClassVar[str] = "weights"

    @property
    def newborn_value(self) -> float:
        """The weight of a feature that was never seen."""
        return 0.0

    def _forget(self) -> None:
        self._singles: dict[tuple[int, float], int] = {}
        self._wholes: dict[bytes, int] = {}
        self._weights: list[float] = []
        self._nothing = [0.0] * self._choices.count
        fading = self.gamma * self.trace
        longest = 1 if fading <= 0.0 else LONGEST
        if 0.0 < fading < 1.0:
            longest = min(LONGEST, max(1, math.ceil(math.log(FAINTEST) / math.log(fading))))
        self._fading = fading
        self._traces: deque[set[int]] = deque(maxlen=longest)
        self._before = NOTHING_BEFORE

    def begin(self, task: Any, rng: Any) -> None:
        """Get ready for an episode."""
        super().begin(task, rng)
        self._traces.clear()
        self._before = NOTHING_BEFORE

    def _state(self) -> list[int]:
        """Where the weights of the active features begin."""
        reader = self._reader
        at = [self._place(self._singles, one) for one in reader.unusual()]
        state = reader.state()
        wholes = [state, hash_of(state + self._before)]
        if reader.has_real:
            wholes += [reader.state(i, self.tilings) for i in range(1, self.tilings)]
        moment = reader.moment(state)
        if moment is not None:
            wholes.append(moment)
        self._before = state
        return at + [self._place(self._wholes, one) for one in wholes]

    def _place(self, known: dict[Any, int], feature: Any) -> int:
        at = known.get(feature)
        if at is None:
            at = known[feature] = len(self._weights)
            self._weights += self._nothing
        return at

    def _values(self, state: list[int]) -> list[float]:
        count, weights, base = self._choices.count, self._weights, self.q0
        columns = zip(*[weights[at : at + count] for at in state], strict=True)
        return [base + sum(column) for column in columns]

    def _learn(self, state: list[int], choice: int, target: float) -> None:
        weights = self._weights
        places = {at + choice for at in state}
        step = target - self.q0
        for at in state:
            step -= weights[at + choice]
        step *= self.alpha / len(state)
        # Replacing traces: what was active again is learned once, as of the last time.
        self._traces.appendleft(places)
        seen: set[int] = set()
        for one in self._traces:
            for at in one - seen:
                weights[at] += step
            seen |= one
            step *= self._fading

    def _to_json(self) -> dict[str, Any]:
        count = self._choices.count
        return {
            "numbers": [number for number, _ in self._singles],
            "codes": text_of([code for _, code in self._singles]),
            "wholes": text_of_hashes(list(self._wholes)),
            "rows": [at // count for own in (self._singles, self._wholes) for at in own.values()],
            "weights": text_of(self._weights),
        }

    def _from_json(self, data: Any) -> None:
        count = self._choices.count
        numbers = [whole(one) for one in data["numbers"]]
        singles = list(zip(numbers, floats_of(data["codes"]), strict=True))
        wholes = hashes_of(data["wholes"])
        rows = [whole(one) for one in data["rows"]]
        weights = floats_of(data["weights"])
        if sorted(rows) != list(range(len(singles) + len(wholes))) or len(weights) != count * len(
            rows
        ):
            raise ValueError
        at = [row * count for row in rows]
        self._singles = dict(zip(singles, at[: len(singles)], strict=True))
        self._wholes = dict(zip(wholes, at[len(singles) :], strict=True))
        self._weights = weights
