"""Skills of a body that acts by forces: walk, hop, reach, grip, carry, push, wait, say.

A skill is a generator that yields actions, one for each interaction, until it is done; between two of them the body
has observed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.worlds.pagi.anatomy import BODY_FRICTION, GRAVITY, HAND_MASS, MASS
from mensura.worlds.pagi.contract import STEP, STEPS
from mensura.worlds.pagi.moves import (
    BODY_X,
    JUMP,
    LEFT_GRIP,
    LEFT_X,
    PARTS,
    RIGHT_GRIP,
    RIGHT_X,
)

Action: TypeAlias = npt.NDArray[np.float64]
Skill: TypeAlias = Iterator[Action]
SECONDS = STEP * STEPS
"""Of an interaction."""
FASTEST = 6.0
FEET = (3, 4, 5)
"""The sensors of touch under the body."""


class Limbs:
    """A body as it feels itself: the last observation, and how its hands move."""

    def __init__(self, forces: dict[str, float], words: tuple[str, ...], seat: int = 0) -> None:
        self.forces, self.words, self.seat = forces, words, seat
        self.x = self.y = self.vx = self.vy = self.time = 0.0
        self.hands = np.zeros((2, 2))
        self.speeds = np.zeros((2, 2))
        self.holding = [False, False]
        self.standing = True
        self.seen: Any = None
        self._known = False
        self.load = [0.0, 0.0]
        """The mass that each hand carries, as far as it knows."""

    def observe(self, seen: Any) -> None:
        """Take in an observation."""
        self.seen = seen
        self.x, self.y = seen["place"].tolist()
        self.vx, self.vy = seen["velocity"].tolist()
        self.time = float(seen["time"][0])
        hands = np.stack([seen["left_hand"], seen["right_hand"]])
        self.speeds = (hands - self.hands) / SECONDS if self._known else np.zeros((2, 2))
        self.hands, self._known = hands, True
        self.holding = [bool(one) for one in seen["holding"]]
        self.standing = bool(seen["touch"][list(FEET), 0].any())

    # Parts of actions

    def nothing(self) -> Action:
        """An action that does nothing."""
        return np.zeros(len(PARTS) + len(self.words))

    def toward(self, x: float, fastest: float = FASTEST) -> Action:
        """Move the body toward a place."""
        return self.at_speed(max(-fastest, min(fastest, 2.5 * (x - self.x))))

    def at_speed(self, speed: float) -> Action:
        """Bring the body to a speed."""
        action = self.nothing()
        force = MASS * (speed - self.vx) / SECONDS * 0.6
        if self.standing and abs(speed) > 0.05:
            force += BODY_FRICTION * MASS * GRAVITY * (1 if speed > 0 else -1)
        action[BODY_X] = max(-1.0, min(1.0, force / self.forces["body"]))
        return action

    def reaching(
        self, action: Action, hand: int, x: float, y: float, fastest: float = 12.0
    ) -> Action:
        """Also move a hand toward a place in the frame of the body."""
        mass = HAND_MASS + self.load[hand]
        way = np.array([x, y]) - self.hands[hand]
        wanted = np.clip(4.0 * way, -fastest, fastest)
        force = mass * (wanted - self.speeds[hand]) / SECONDS * 0.8
        force[1] += self.load[hand] * GRAVITY
        at = LEFT_X if hand == 0 else RIGHT_X
        action[at : at + 2] = np.clip(force / self.forces["hand"], -1.0, 1.0)
        return action

    def gripping(self, action: Action, hand: int, grip: float = 1.0) -> Action:
        """Also close a hand, or open it."""
        action[LEFT_GRIP if hand == 0 else RIGHT_GRIP] = grip
        return action

    # Skills

    def wait(self, seconds: float) -> Skill:
        """Stay where it is."""
        until = self.time + seconds - 1e-6
        while self.time < until:
            yield self.at_speed(0.0)

    def say(self, word: str) -> Skill:
        """Say a word."""
        action = self.nothing()
        action[len(PARTS) + self.words.index(word)] = 1.0
        yield action

    def walk(
        self, x: float, near: float = 0.2, seconds: float = 12.0, fastest: float = FASTEST
    ) -> Skill:
        """Walk to a place, or as far as that goes in some time."""
        until = self.time + seconds
        while (abs(x - self.x) > near or abs(self.vx) > 1.0) and self.time < until:
            yield self.toward(x, fastest)

    def hop(self, x: float, near: float = 0.4) -> Skill:
        """Jump, and come down at a place."""
        yield from self.settle()
        action = self.toward(x)
        action[JUMP] = 1.0
        yield action
        left = self.time
        while self.time < left + 4.0:
            if self.standing and self.time > left + 0.3 and abs(self.vy) < 1.0:
                break
            yield self.toward(x)
        yield from self.walk(x, near, 1.0)

    def settle(self) -> Skill:
        """Come to rest on something."""
        until = self.time + 3.0
        while (not self.standing or abs(self.vy) > 0.5 or abs(self.vx) > 1.0) and self.time < until:
            yield self.at_speed(0.0)

    def hang(self) -> Skill:
        """Stand until the hands, which swing after a hop, hang still."""
        until = self.time + 2.0
        while np.abs(self.speeds).max() > 1.0 and self.time < until:
            yield self.at_speed(0.0)

    def push(
        self, x: float, done: Callable[[], bool], seconds: float, fastest: float = 3.0
    ) -> Skill:
        """Push what is in the way toward a place."""
        until = self.time + seconds
        while not done() and self.time < until and abs(self.x - x) > 0.3:
            yield self.toward(x, fastest)

    def reach(
        self, hand: int, x: float, y: float, seconds: float = 3.0, near: float = 0.15
    ) -> Skill:
        """Bring a hand to a place in the frame of the body."""
        until = self.time + seconds
        while np.abs(np.array([x, y]) - self.hands[hand]).max() > near and self.time < until:
            yield self.reaching(self.at_speed(0.0), hand, x, y)

    def grip(self, hand: int, x: float, y: float, load: float = 0.0, seconds: float = 3.0) -> Skill:
        """Grip what is at a place in the frame of the body."""
        yield from self.reach(hand, x, y, seconds)
        until = self.time + 1.0
        while not self.holding[hand] and self.time < until:
            yield self.gripping(self.reaching(self.at_speed(0.0), hand, x, y), hand)
        if self.holding[hand]:
            self.load[hand] = load

    def release(self, hand: int) -> Skill:
        """Open a hand."""
        self.load[hand] = 0.0
        yield self.gripping(self.at_speed(0.0), hand, -1.0)
