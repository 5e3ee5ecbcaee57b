"""Who says what a balance beam will do: the torque rule, and Siegler's three simpler rules (1976)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from mensura.agent.spaces import Box, default
from mensura.agent.task import Task
from mensura.worlds.pagi.moves import PARTS


def weights_of(told: dict[str, Any]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Mass and distance of the weights on the left and on the right."""
    from mensura.worlds.pagi.kinds import KINDS

    sides: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for one in told.get("objects", ()):
        if one["kind"].startswith("weight"):
            mass = float(one.get("mass", KINDS[one["kind"]].mass))
            sides[one["x"] > 0].append((mass, abs(one["x"])))
    return sides


def _answer(difference: float) -> str:
    return "balance" if abs(difference) < 1e-6 else "left" if difference > 0 else "right"


def _weight(side: list[tuple[float, float]]) -> float:
    return sum(mass for mass, _ in side)


def _distance(side: list[tuple[float, float]]) -> float:
    """How far out the weights are: of several, the farthest."""
    return max((distance for _, distance in side), default=0.0)


def _torque(side: list[tuple[float, float]]) -> float:
    return sum(mass * distance for mass, distance in side)


def torque_rule(left: Any, right: Any, rng: np.random.Generator) -> str:
    """Rule IV: the side with the greater sum of weight times distance."""
    return _answer(_torque(left) - _torque(right))


def rule_1(left: Any, right: Any, rng: np.random.Generator) -> str:
    """Rule I: the heavier side, else balance."""
    return _answer(_weight(left) - _weight(right))


def rule_2(left: Any, right: Any, rng: np.random.Generator) -> str:
    """Rule II: the heavier side; of equal weights the one farther out."""
    by_weight = _weight(left) - _weight(right)
    return _answer(by_weight) if by_weight else _answer(_distance(left) - _distance(right))


def rule_3(left: Any, right: Any, rng: np.random.Generator) -> str:
    """Rule III: as Rule II, but where weight and distance conflict it guesses."""
    by_weight, by_distance = _weight(left) - _weight(right), _distance(left) - _distance(right)
    if by_weight * by_distance < 0:
        return ("left", "right", "balance")[int(rng.integers(3))]
    return _answer(by_weight) if by_weight else _answer(by_distance)


class _Predictor:
    """Says what a rule makes of the weights, once."""

    rule: Callable[[Any, Any, np.random.Generator], str]

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Read the weights off the task."""
        self._idle = default(task.action_space)
        self._say: Any = None
        try:
            told = json.loads(task.instructions)
        except ValueError:
            return
        words = list(told.get("words", ()))
        if isinstance(task.action_space, Box) and {"left", "right", "balance"} <= set(words):
            word = type(self).rule(*weights_of(told), rng)
            self._say = np.zeros(task.action_space.shape)
            self._say[len(PARTS) + words.index(word)] = 1.0

    def act(self, observation: Any, reward: float) -> Any:
        """Say it at once, and then nothing."""
        action, self._say = self._say, None
        return self._idle if action is None else action


class TorqueRule(_Predictor):
    """Predicts the beam by the torque rule (Siegler's Rule IV)."""

    rule = staticmethod(torque_rule)


class Rule1(_Predictor):
    """Predicts the beam by weight alone (Siegler's Rule I)."""

    rule = staticmethod(rule_1)


class Rule2(_Predictor):
    """Predicts the beam by weight, and by distance where weights are equal (Siegler's Rule II)."""

    rule = staticmethod(rule_2)


class Rule3(_Predictor):
    """Predicts the beam by weight and distance, and guesses where they conflict (Siegler's Rule III)."""

    rule = staticmethod(rule_3)
