"""A learner that needs no network: it tries whole habits, and keeps what the best of them had in common."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.agent.memory import sealed, unsealed
from mensura.agent.spaces import Discrete, Record, default
from mensura.agent.task import Task
from mensura.worlds.pagi.moves import moves

MOVES = ("nothing", "left", "right", "jump")
HELD = 2
"""Interactions for which a move is held."""
FEET, AHEAD, BEHIND = [3, 4, 5], [1, 2], [6, 7]
"""Sensors of touch: below the body, to its right, to its left."""
STATES = 2 * 2 * 2 * 3
TRIALS, BEST = 20, 5
"""After so many trials, what it does shifts to what was done in the best of them."""
SHIFT = 0.7
SOON = 0.99
"""What a reward is worth an interaction later."""
LIVES = 5
"""So many were trained alike, each with draws of its own."""
NOT_SAVED = "The memory is not one that the trier saved; begin anew, without it."


class Trier:
    """Learns by trial which move to make by what it feels: whether it stands, what is beside it, how it moves.

    The cross-entropy method (Rubinstein 1999): a habit, a move for each state, is drawn for every episode.
    """

    def __init__(self, practice: float = 0.0) -> None:
        self._practice = int(practice)
        """Episodes at low obstacles that it has behind it when it begins."""
        self.chances = np.full((STATES, len(MOVES)), 1.0 / len(MOVES))
        """Of each move, by what is felt."""
        self._trials: list[tuple[float, list[int]]] = []
        """What the last habits that were tried brought."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Draw a habit; before the first episode, one of the lives that had such practice."""
        episodes, self._practice = self._practice, 0
        if episodes:
            self.chances = practiced(episodes, int(rng.integers(LIVES)))
        self._idle = default(task.action_space)
        known, space = moves(()), task.action_space
        self._plays = (
            isinstance(space, Discrete)
            and space.n >= len(known)
            and isinstance(task.observation_space, Record)
        )
        self._codes = [known.index(one) for one in MOVES]
        self._learns = task.learning
        below = rng.random((STATES, 1)) > np.cumsum(self.chances, axis=1)
        self._habit: list[int] = np.minimum(below.sum(axis=1), len(MOVES) - 1).tolist()
        self._move, self._left, self._earned, self._worth = 0, 0, 0.0, 1.0

    def act(self, observation: Any, reward: float) -> Any:
        """Go on with a move, or make the one that the habit has for what is felt."""
        if not self._plays:
            return self._idle
        self._earn(reward)
        if self._left == 0:
            self._move, self._left = self._habit[_state(observation)], HELD
        self._left -= 1
        return self._codes[self._move]

    def end(self, observation: Any, reward: float, terminated: bool) -> None:
        """Remember what the habit brought; after some of them, learn from the best."""
        if not self._plays or not self._learns:
            return
        self._earn(reward)
        self._trials.append((self._earned, self._habit))
        if len(self._trials) < TRIALS:
            return
        # Of equal ones the first: a sort keeps their order.
        best = sorted(self._trials, key=lambda one: -one[0])[:BEST]
        done = np.eye(len(MOVES))[np.array([habit for _, habit in best])].mean(axis=0)
        self.chances = (1.0 - SHIFT) * self.chances + SHIFT * done
        self._trials = []

    def _earn(self, reward: float) -> None:
        self._earned += self._worth * reward
        self._worth *= SOON

    def save(self) -> bytes:
        """All that it knows."""
        told = {"trier": self.chances.tolist(), "trials": self._trials}
        return sealed(json.dumps(told).encode())

    def load(self, memory: bytes) -> None:
        """Know what was saved."""
        try:
            told = json.loads(unsealed(memory))
            chances = np.array(told["trier"], np.float64)
            trials = [
                (float(earned), [int(one) for one in habit]) for earned, habit in told["trials"]
            ]
        except MALFORMED as error:
            raise MensuraError(NOT_SAVED) from error
        whole = all(
            len(habit) == STATES and {*habit} <= set(range(len(MOVES))) for _, habit in trials
        )
        if chances.shape != self.chances.shape or not whole or not (chances >= 0.0).all():
            raise MensuraError(NOT_SAVED)
        self.chances, self._trials = chances, trials


@lru_cache(maxsize=64)
def practiced(episodes: int, life: int) -> npt.NDArray[np.float64]:
    """The chances of moves after so many episodes, each at another low obstacle."""
    from mensura.worlds.pagi.world import Pagi

    rng, one = np.random.default_rng(life), Trier()
    world = Pagi(task="obstacle-gap", grade=1, actions="discrete", sees="nothing", ends=True)
    for _ in range(episodes):
        environment = world.build(world.sample(int(rng.integers(1 << 62))))
        turn = environment.reset(0)
        spaces = environment.spaces(0)
        one.begin(Task(world.id, environment.seats[0], 1, *spaces, None, learning=True), rng)
        while turn.ended is None:
            action = one.act(turn.observations[0], turn.rewards[0])
            turn = environment.step([action], [0.0])
        one.end(turn.observations[0], turn.rewards[0], turn.ended == "terminated")
    return one.chances


def _state(seen: Any) -> int:
    """What the body feels, as a number."""
    touches = seen["touch"][:, 0]
    stands, ahead, behind = (bool(touches[some].any()) for some in (FEET, AHEAD, BEHIND))
    speed = float(seen["velocity"][0])
    way = 0 if speed < -1.0 else 1 if speed < 1.0 else 2
    return ((stands * 2 + ahead) * 2 + behind) * 3 + way
