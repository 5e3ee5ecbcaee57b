"""The doors to many environments at once: rows of one block of memory that one call steps.

Made from the rules of a world as the others are (:mod:`mensura.core.doors`), so every environment of a block plays as
it would alone, to the bit. Whoever calls owns all memory: ``block`` (environments, size), ``obs`` (environments, seats,
numbers), ``rewards`` (environments, seats) and ``left`` (environments), the interactions that each episode has left; it
is 0 where none is under way, and such environments stand still. ``cut`` (environments) is true where the last one ended
by being cut off.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from mensura.core.compiled import door, fetch, rule
from mensura.core.doors import Rules

LINE = 8
"""Numbers of a line of memory, the least that a processor brings near."""
HOT = 5 * LINE
"""The beginning of a row, which every interaction needs; of the rest it needs little at a time."""
AHEAD = 4
"""So many environments ahead, the beginning of a row is asked for."""


@rule
def fetch_row(block, i, end):
    """Have the beginning of a row brought near that is needed soon."""
    if i < end:
        for n in range(0, HOT, LINE):
            fetch(block[i], n)


@rule
def end_at_horizon(r, left):
    """Episodes end after so many interactions, and none is cut off."""
    return left, False


class ManyDoors(NamedTuple):
    """A block of environments, step by step; both doors deal with those from ``first`` to ``end``."""

    reset: Callable[..., Any]
    """(block, drawn, at, first, end, keys, obs, rewards, left, cut, fits): begin an episode in each of the environments
    at[first] to at[end - 1], which ``drawn`` has under the same numbers; ``keys`` are by place in ``at``."""
    step: Callable[..., Any]
    """(block, first, end, actions, obs, rewards, left, cut, fits): one interaction of all that are under way."""


class Fits(NamedTuple):
    """How observations and actions of environments of different sizes lie within those that are shown to all."""

    kind: Any
    """(environments,): of which kind each is."""
    places: Any
    """(kinds, numbers): where each number of an observation goes; -1 behind the last."""
    blank: Any
    """(numbers,): what stands elsewhere."""
    last: Any
    """(kinds,): the last action that environments of a kind have."""
    default: Any
    """(1,): what is played for those after it."""


def many_doors(
    rules: Rules,
    showing: Callable[..., Any] | None,
    ending: Callable[..., Any] = end_at_horizon,
) -> ManyDoors:
    """The doors to blocks of environments of some rules.

    ``showing`` is a rule (r, obs): the parts of a row with another place for the observations, which `observe` then
    writes where they are wanted. Without it they are taken from the row and put where they fit. ``ending`` is a rule
    (r, left): how many interactions are left of those that would be, and whether the episode ends by being cut off.
    """
    if showing is None:
        return ManyDoors(_reset_fitting(rules), _step_fitting(rules, ending))
    return ManyDoors(_reset_showing(rules, showing), _step_showing(rules, showing, ending))


@cache
def _reset_showing(rules, showing):
    open_row, horizon_of, load = rules.open, rules.horizon, rules.load
    start, observe = rules.start, rules.observe

    @door
    def reset_showing(block, drawn, at, first, end, keys, obs, rewards, left, cut, fits):
        for k in range(first, end):
            i = at[k]
            load(block[i], drawn, i)
            r = showing(open_row(block[i]), obs[i])
            start(r, drawn, i, keys[k], True)
            left[i] = horizon_of(r)
            for j in range(r.reward.size):
                rewards[i, j] = 0.0
                observe(r, j)

    return reset_showing


@cache
def _step_showing(rules, showing, ending):
    open_row, observe, advance = rules.open, rules.observe, rules.advance

    @door
    def step_showing(block, first, end, actions, obs, rewards, left, cut, fits):
        for i in range(first, end):
            fetch_row(block, i + AHEAD, end)
            if left[i] > 0:
                r = showing(open_row(block[i]), obs[i])
                seats = r.reward.size
                for k in range(r.action.size):
                    r.action[k] = actions[i, k]
                advance(r)
                for j in range(seats):
                    rewards[i, j] = r.reward[j]
                    observe(r, j)
                left[i], cut[i] = ending(r, left[i] - 1)

    return step_showing


@cache
def _reset_fitting(rules):
    open_row, horizon_of, load = rules.open, rules.horizon, rules.load
    start, observe = rules.start, rules.observe

    @door
    def reset_fitting(block, drawn, at, first, end, keys, obs, rewards, left, cut, fits):
        for k in range(first, end):
            i = at[k]
            load(block[i], drawn, i)
            r = open_row(block[i])
            start(r, drawn, i, keys[k], True)
            left[i] = horizon_of(r)
            places = fits.places[fits.kind[i]]
            for j in range(r.reward.size):
                rewards[i, j] = 0.0
                observe(r, j)
                for n in range(fits.blank.size):
                    obs[i, j, n] = fits.blank[n]
                for n in range(r.obs.shape[1]):
                    obs[i, j, places[n]] = r.obs[j, n]

    return reset_fitting


@cache
def _step_fitting(rules, ending):
    open_row, observe, advance = rules.open, rules.observe, rules.advance

    @door
    def step_fitting(block, first, end, actions, obs, rewards, left, cut, fits):
        for i in range(first, end):
            fetch_row(block, i + AHEAD, end)
            if left[i] > 0:
                r = open_row(block[i])
                seats = r.reward.size
                kind = fits.kind[i]
                places = fits.places[kind]
                for j in range(seats):
                    a = actions[i, j]
                    r.action[j] = a if a <= fits.last[kind] else fits.default[0]
                advance(r)
                for j in range(seats):
                    rewards[i, j] = r.reward[j]
                    observe(r, j)
                    for n in range(fits.blank.size):
                        obs[i, j, n] = fits.blank[n]
                    for n in range(r.obs.shape[1]):
                        obs[i, j, places[n]] = r.obs[j, n]
                left[i], cut[i] = ending(r, left[i] - 1)

    return step_fitting
