"""Subjects that act by commands, as clients of PAGI World do: reflexes that are stored in the body, or none of them.

In ``catch`` a hand waits on the way of the ball. With reflexes it closes as soon as its middle touches something;
without them the subject asks what the hand touches and closes it by a command, which takes as long as messages take. In
other tasks with hot things a hand goes down and is drawn back in the same two ways (section 4.3.1 of the paper).
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from mensura.agent.spaces import Text, default
from mensura.agent.task import Task
from mensura.worlds.pagi.anatomy import HAND_DRAG, HAND_MASS
from mensura.worlds.pagi.contract import STEP, STEPS
from mensura.worlds.pagi.happenings import HOT
from mensura.worlds.pagi.seat_state import Forces

ASKED = "sensorRequest,RP\nsensorRequest,R4\nsensorRequest,R2\n"


class Program:
    """A client that acts by commands: with reflexes (reflexes=1) or by asking and answering alone (reflexes=0)."""

    def __init__(self, reflexes: float = 1.0, latency: float = 0.0) -> None:
        self._reflexes, self._late = reflexes > 0.0, latency > 0.0
        self._interval = max(latency, STEP * STEPS)

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Read the task."""
        self._idle = default(task.action_space)
        self._told: dict[str, Any] = {}
        self._hand: Any = None
        self._pushes = [np.zeros(2), np.zeros(2)]
        self._begun = False
        if isinstance(task.action_space, Text):
            try:
                self._told = json.loads(task.instructions)
            except ValueError:
                return

    def act(self, observation: Any, reward: float) -> Any:
        """Commands of this interaction."""
        if not self._told:
            return self._idle
        lines = "" if self._begun or not self._reflexes else self._stored()
        self._begun = True
        answers = dict(_answers(observation))
        return lines + self._moved(answers) + ASKED

    @property
    def _catches(self) -> bool:
        return bool(self._told.get("family") == "catch")

    def _stored(self) -> str:
        """The reflexes."""
        if self._catches:
            return "setReflex,close,R4_p|=|1,addForce|RHG|1\n"
        strong = self._strongest
        return (
            f"setReflex,withdraw,R2_tmp|>|{HOT:g},addForce|RHvec|0|{strong:g};setState|hurt|1000\n"
        )

    @property
    def _strongest(self) -> float:
        return float(self._told.get("forces", {}).get("hand", Forces().hand))

    def _moved(self, answers: dict[str, list[str]]) -> str:
        """Move the hand to its place; without reflexes, also close or withdraw it by what it touched."""
        if "RP" not in answers:
            return ""
        hand = np.array([float(one) for one in answers["RP"][:2]])
        if self._catches:
            return self._close(answers) + self._push(hand)
        hot = "R2" in answers and float(answers["R2"][1]) > HOT
        if hot and not self._reflexes:
            return f"addForce,RHvec,0,{self._strongest:g}\n"
        return "" if hot else "addForce,RHvec,0,-2\n"

    def _close(self, answers: dict[str, list[str]]) -> str:
        touches = "R4" in answers and float(answers["R4"][0]) > 0
        return "addForce,RHG,1\n" if touches and not self._reflexes else ""

    def _over_head(self) -> Any:
        """Where the ball is highest, in the frame of the body."""
        from mensura.worlds.pagi.families.catch import GRAVITY, RISE

        start = float(self._told["triggers"][0]["do"][0].split()[-1])
        body = self._told.get("bodies", [[0.0, 1.14]])[0]
        return np.array([-body[0], start + GRAVITY * RISE * RISE / 2 - body[1]])

    def _push(self, hand: Any) -> str:
        """A force for one step that brings the hand to its place.

        Where the hand was is an interval old, and where messages take time, what was sent last has not arrived.
        """
        fades = math.exp(-HAND_DRAG * self._interval)
        glides = (1.0 - fades) / HAND_DRAG
        speed = np.zeros(2)
        if self._hand is not None:
            speed = (hand - self._hand) / self._interval * math.sqrt(fades)
        self._hand = hand
        for push in self._pushes[-2:] if self._late else self._pushes[-1:]:
            speed = speed + push
            hand = hand + speed * glides
            speed = speed * fades
        most = self._strongest * STEP / HAND_MASS
        wanted = np.clip(0.8 * (self._over_head() - hand) / glides, -6.0, 6.0)
        self._pushes.append(np.clip(wanted - speed, -most, most))
        x, y = self._pushes[-1] * HAND_MASS / STEP
        return f"addForce,RHvec,{x:.3f},{y:.3f}\n"


def _answers(text: str) -> list[tuple[str, list[str]]]:
    """Answers by what was asked."""
    found = []
    for line in text.splitlines():
        code, *fields = line.split(",")
        found.append((code, fields))
    return found
