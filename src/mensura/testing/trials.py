"""A world on trial: episodes of a random subject, written down so that they can be compared to the last bit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.keys import Key, fold, key
from mensura.agent.spaces import to_plain
from mensura.core.contract import Description, Environment, Turn, World

ROOT: Key = key(0, "mensura.testing")
"""The checks draw the same environments every time, so that what they find can be found again."""


@dataclass(frozen=True)
class Trial:
    """A world on trial, and how hard it is tried."""

    world: World
    episodes: int
    balance: int
    turns: int
    descriptions: tuple[Description, ...]

    def key(self, *names: str | int) -> Key:
        """A key of the trial's own."""
        return key(ROOT, *names)

    def environments(self) -> Iterator[tuple[int, Environment]]:
        """The environments of the trial, new ones each time, with their numbers."""
        for number, description in enumerate(self.descriptions):
            yield number, self.world.build(description)


class Endless(Exception):
    """An episode went on beyond all patience."""


class Shown(NamedTuple):
    """A turn as text, so that equal means equal to the last bit, and later changes do not reach it."""

    due: str
    observations: str
    rewards: str
    end: str


def shown(turn: Turn) -> Shown:
    """A turn in text."""
    return Shown(
        repr(tuple(turn.due)),
        json.dumps([in_short(observation) for observation in turn.observations], default=repr),
        json.dumps([to_plain(reward) for reward in turn.rewards], default=repr),
        repr(turn.ended),
    )


LARGE = 1000
"""Of an array of more numbers, as a screen is, its digest will do."""


def in_short(observation: Any) -> Any:
    """An observation as plain data, or what tells it apart from all others."""
    if isinstance(observation, np.ndarray) and observation.size > LARGE:
        digest = hashlib.blake2b(observation.tobytes()).hexdigest()
        return [str(observation.dtype), observation.shape, digest]
    return to_plain(observation)


@dataclass
class History:
    """An episode as it was played."""

    turns: list[Turn]
    texts: list[Shown]
    """The turns as they were shown at the time."""
    actions: list[list[Any]]
    """What led to each turn; nothing did to the first."""


def random_actions(environment: Environment, turn: Turn, rng: np.random.Generator) -> list[Any]:
    """A legal action for each seat that is due: drawn from the space, or the default where that fails."""
    chosen = []
    for seat in turn.due:
        space = environment.spaces(seat)[1]
        for _ in range(20):
            action = space.sample(rng)
            if environment.legal(seat, action):
                break
        else:
            action = environment.default(seat)
        chosen.append(action)
    return chosen


def turns_of(
    trial: Trial, environment: Environment, reset: Key, limit: int | None = None
) -> Iterator[tuple[list[Any], Turn]]:
    """A random subject's episode turn by turn, with the actions that led to each; at most ``limit`` of these."""
    rng = np.random.Generator(np.random.PCG64(fold(reset, 1)))
    turn = environment.reset(reset)
    yield [], turn
    count = 0
    while turn.ended is None and count != limit:
        actions = random_actions(environment, turn, rng)
        turn = environment.step(actions, [0.0] * len(actions))
        yield actions, turn
        count += 1
        if count > trial.turns:
            raise Endless


def played(trial: Trial, environment: Environment, reset: Key, limit: int | None = None) -> History:
    """A random subject's episode, or the first ``limit`` interactions of it, written down."""
    history = History([], [], [])
    for actions, turn in turns_of(trial, environment, reset, limit):
        history.turns.append(turn)
        history.texts.append(shown(turn))
        history.actions.append(actions)
    return history


def difference(
    environment: Environment, history: History, at: int = 0, turn: Turn | None = None
) -> str:
    """Play a history on from its turn ``at``; where the environment goes another way, or nothing.

    ``turn`` is that turn as the environment shows it now, where that is to be compared too.
    """
    for number in range(at, len(history.texts)):
        if number > at:
            actions = history.actions[number]
            turn = environment.step(actions, [0.0] * len(actions))
        if turn is None:
            continue
        for name, one, other in zip(Shown._fields, shown(turn), history.texts[number], strict=True):
            if one != other:
                return f"other {name} at turn {number}"
    return ""
