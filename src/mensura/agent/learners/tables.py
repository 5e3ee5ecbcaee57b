"""Q-learning and SARSA with a table over whole observations, for every world.

They are cousins of the learners that worlds have of their own, which come first under the same name:

- FraMoTEC's ``sarsa`` is the same rule wherever all numbers are whole, have a bin each, and none is a clock: with equal
  parameters and draws it does the same. Real numbers it does not code the change of; it has a right to see a velocity.
- Lambda's ``q-learning`` has the same state in an environment with one subject, once the clock is known (after three
  observations). It values what lies beyond the end at ``q0`` and not as the last state, and adds an offset to rewards.
- Lambda Star's learners have another state, the cell and the time, learn in training only, and round to 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from mensura.agent.learners.data import floats_of, hashes_of, text_of, text_of_hashes
from mensura.agent.learners.learner import Learner


@dataclass(kw_only=True, eq=False)
class QLearning(Learner):
    """Q-learning (Watkins, 1989) with a table over whole observations, in any world."""

    name: ClassVar[str] = "q-learning"
    table: ClassVar[str] = "values"

    @property
    def newborn_value(self) -> float:
        """The value of whatever was never tried."""
        return float(self.q0)

    def _forget(self) -> None:
        self._new = [float(self.q0)] * self._choices.count
        self._table: dict[bytes, list[float]] = {}

    def _state(self) -> list[float]:
        """The entry of the state, made where it is new."""
        at = self._reader.state()
        entry = self._table.get(at)
        if entry is None:
            entry = self._table[at] = self._new.copy()
        return entry

    def _values(self, state: list[float]) -> list[float]:
        return state

    def _learn(self, state: list[float], choice: int, target: float) -> None:
        state[choice] += self.alpha * (target - state[choice])

    def _to_json(self) -> dict[str, Any]:
        numbers = [value for entry in self._table.values() for value in entry]
        return {"states": text_of_hashes(list(self._table)), "values": text_of(numbers)}

    def _from_json(self, data: Any) -> None:
        states, values = hashes_of(data["states"]), floats_of(data["values"])
        count = self._choices.count
        if len(values) != count * len(states):
            raise ValueError
        self._table = {state: values[i * count : (i + 1) * count] for i, state in enumerate(states)}


@dataclass(kw_only=True, eq=False)
class Sarsa(QLearning):
    """SARSA (Rummery and Niranjan, 1994) with a table over whole observations, in any world."""

    name: ClassVar[str] = "sarsa"
    on_policy: ClassVar[bool] = True
