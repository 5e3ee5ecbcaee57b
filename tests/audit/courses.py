"""Episodes by the contract's own loop, which all doors are held against: their views' rows, rewards and ends."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from tests.audit.places import world_of

from mensura.adapters.conversion import from_gymnasium, to_gymnasium
from mensura.adapters.episodes import Episodes
from mensura.agent.fitting import is_row, row_of
from mensura.agent.spaces import Discrete, Record, Several, Space, Text
from mensura.core.abilities import largest_spaces
from mensura.core.contract import Ended, Turn

SEEDS = (5, 6)
EPISODES = 2
MOST = 14
"""Turns of an episode that are played."""
TRIES = 20
LONGEST = 8
"""Characters of a text that is played."""


class Shown(NamedTuple):
    """A turn as views show it."""

    due: tuple[int, ...]
    observations: list[Any]
    rewards: list[float]
    """As the seats are told of them."""
    ended: Ended | None


class Course(NamedTuple):
    """An episode: what was shown, and the actions between as views have them; the last of these is missing."""

    shown: list[Shown]
    actions: list[list[Any]]

    @property
    def ended(self) -> bool:
        """Whether it came to its end."""
        return self.shown[-1].ended is not None


@lru_cache(maxsize=16)
def courses(world: str, wrapper: str, strength: float, seed: int) -> list[Course]:
    """The first episodes of a seed: of a wrapper of strength 0, what the world itself does."""
    if strength == 0.0:
        wrapper = "none"
    made = world_of(world, wrapper, strength)
    return played(made, seed, None)


def played(world: Any, seed: int, actions: list[list[list[Any]]] | None) -> list[Course]:
    """The first episodes of a seed by the contract's own loop, at random or with these actions of the view."""
    episodes = Episodes(world)
    episodes.seed(seed)
    courses: list[Course] = []
    for number in range(EPISODES):
        start = episodes.next()
        courses.append(
            _episode(
                world,
                start.environment,
                start.reset,
                np.random.default_rng([seed, number]),
                None if actions is None else actions[number],
            )
        )
    return courses


def _episode(
    world: Any, environment: Any, reset: Any, rng: Any, choices: list[list[Any]] | None
) -> Course:
    spaces = [environment.spaces(seat.index) for seat in environment.seats]
    turn = environment.reset(reset)
    turns, actions = [_shown(world, spaces, turn)], []
    while turn.ended is None and len(actions) < MOST:
        if choices is None:
            chosen = [_chosen(environment, seat, rng) for seat in turn.due]
        else:
            chosen = [
                _of_view(spaces[seat][1], choice)
                for seat, choice in zip(turn.due, choices[len(actions)], strict=True)
            ]
        actions.append(
            [
                _in_view(spaces[seat][1], choice)
                for seat, choice in zip(turn.due, chosen, strict=True)
            ]
        )
        turn = environment.step(chosen, [0.0] * len(chosen))
        turns.append(_shown(world, spaces, turn))
    return Course(turns, actions)


def _chosen(environment: Any, seat: int, rng: Any) -> Any:
    """An action at random; the default one where none that is legal is found."""
    space = _in_short(environment.spaces(seat)[1])
    for _ in range(TRIES):
        action = space.sample(rng)
        if environment.legal(seat, action):
            return action
    return environment.default(seat)


def _in_short(space: Space) -> Space:
    """With texts and lists that are short: those drawn of all take long to draw and to perturb."""
    if isinstance(space, Text):
        return Text(min(space.longest, LONGEST), space.characters)
    if isinstance(space, Several):
        return Several(_in_short(space.space), min(space.most, 2))
    if isinstance(space, Record) and not space.flat:
        return Record(tuple((name, _in_short(field)) for name, field in space.fields))
    return space


def _in_view(space: Space, action: Any) -> Any:
    """Counted from 0, or whatever has a structure of its own."""
    return int(action) - space.start if isinstance(space, Discrete) else to_gymnasium(space, action)


def _of_view(space: Space, action: Any) -> Any:
    if isinstance(space, Discrete):
        return action + space.start
    return from_gymnasium(space, action)


def _shown(world: Any, spaces: list[tuple[Space, Space]], turn: Turn) -> Shown:
    seen = [
        as_shown(world, spaces[seat][0], observation)
        for seat, observation in zip(turn.due, turn.observations, strict=True)
    ]
    return Shown(
        tuple(turn.due),
        seen,
        [float(reward) for reward in turn.shown_rewards],
        turn.ended,
    )


def as_shown(world: Any, space: Space, value: Any) -> Any:
    """An observation as views document it: a row of its fields, in a blank one where environments differ in size."""
    largest = largest_spaces(world)
    if largest is None:
        return row_of(value) if is_row(space) else to_gymnasium(space, value)
    room, blank, _ = largest
    assert isinstance(room, Record)
    whole = blank.copy()
    for name in whole.dtype.names:
        part = np.asarray(value[name])
        if part.shape:
            whole[name][tuple(map(slice, part.shape))] = part
        else:
            whole[name] = part
    return row_of(whole[()])


def same(value: Any, other: Any) -> bool:
    """Whether two values of a view are the same, to the bit."""
    if isinstance(value, dict):
        return set(value) == set(other) and all(same(value[name], other[name]) for name in value)
    if isinstance(value, tuple | list):
        return len(value) == len(other) and all(map(same, value, other))
    if isinstance(value, str):
        return bool(value == other)
    return np.array_equal(np.asarray(value), np.asarray(other), equal_nan=True)
