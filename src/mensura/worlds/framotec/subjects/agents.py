"""The subjects of FraMoTEC: the learner and the hand-written controllers of the paper, and further ones, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mensura.agent.in_process import Agents
from mensura.core.group import Kind, Member, Members, Range, make_member
from mensura.worlds.framotec.subjects.controllers import Coasting, Optimal, Pid, Plotter, Selector
from mensura.worlds.framotec.subjects.learners import Sarsa, TileCoding

SARSA, TILE_CODING, PID, PLOTTER, SELECTOR, COASTING, OPTIMAL = range(7)

_LEARNING = {
    "alpha": 0.5,
    "gamma": 0.99,
    "epsilon": 0.0,
    "q0": 0.0,
    "bins": 15.0,
    "fineness": 1.0,
    "levels": 3.0,
    "velocity": 1.0,
    "training": 0.0,
}
"""The paper tells none of these; they are ours. Bins are those of a reading between its bounds, fineness is that of
what has none, as a velocity, near 0. Levels are 3 or 5 powers of a motor, where the world lets a learner choose;
velocity is whether it sees that of the first object (6.1)."""

KINDS: dict[str, Kind] = {
    "sarsa": Kind(
        SARSA,
        "learns values of readings and a velocity in a table, as in section 6.1 of the FraMoTEC paper",
        _LEARNING,
    ),
    "tile-coding": Kind(
        TILE_CODING,
        "learns likewise in tables that overlap, so that neighbors learn from each other",
        {**_LEARNING, "bins": 10.0, "tilings": 8.0},
    ),
    "pid": Kind(
        PID,
        "power by the distance to the goal, its sum and its change; knows the task",
        {"kp": 2.0, "ki": 0.0, "kd": 0.5},
    ),
    "plotter": Kind(
        PLOTTER,
        "full power towards the goal, as in section 6.3 of the FraMoTEC paper; knows the task",
    ),
    "selector": Kind(
        SELECTOR,
        "helps the farthest of N objects, as in section 6.4 of the FraMoTEC paper; knows the task",
    ),
    "coasting": Kind(
        COASTING, "full power, then rolls as far as it needs; knows the task", {"trust": 0.1}
    ),
    "optimal": Kind(
        OPTIMAL,
        "plays the best schedule for a time between the least and the cheapest; knows the task",
        {"leisure": 0.5},
    ),
}

_RANGES = {
    "alpha": Range(0.0, 1.0),
    "gamma": Range(0.0, 1.0),
    "epsilon": Range(0.0, 1.0),
    "q0": Range(-1e6, 1e6),
    "bins": Range(1, 1e6, whole=True),
    "fineness": Range(0.01, 1e6),
    "levels": Range(3, 5, whole=True),
    "velocity": Range(0, 1, whole=True),
    "tilings": Range(1, 1000, whole=True),
    "training": Range(0, 1e6, whole=True),
    "kp": Range(-1e6, 1e6),
    "ki": Range(-1e6, 1e6),
    "kd": Range(-1e6, 1e6),
    "trust": Range(0.0, 1.0),
    "leisure": Range(0.0, 1.0),
}

_MINDS: Mapping[int, Callable[[Member], Any]] = {
    SARSA: Sarsa,
    TILE_CODING: TileCoding,
    PID: Pid,
    PLOTTER: Plotter,
    SELECTOR: Selector,
    COASTING: Coasting,
    OPTIMAL: Optimal,
}
_KNOWING = (PID, PLOTTER, SELECTOR, COASTING, OPTIMAL)


def member(name: str, parameters: Mapping[str, Any]) -> Member:
    """A mind by name; unknown names and parameters and values out of range get a sentence."""
    return make_member("FraMoTEC", KINDS, _RANGES, name, parameters)


@dataclass(frozen=True)
class Group(Members):
    """A subject of built-in controllers, one for each seat."""

    def knowing(self, seats: int) -> tuple[int, ...]:
        """The seats that need the right to know the task."""
        return tuple(j for j, one in enumerate(self.seated(seats)) if one.code in _KNOWING)

    def velocity_seen(self, seats: int) -> tuple[int, ...]:
        """The seats that need the right to see a velocity."""
        return tuple(j for j, one in enumerate(self.seated(seats)) if one.rate("velocity"))

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """Seat the minds for one sitting."""
        return Agents(self._minds(seats), partial(self._minds, seats), memory)

    def _minds(self, seats: int) -> list[Any]:
        return [_MINDS[one.code](one) for one in self.seated(seats)]
