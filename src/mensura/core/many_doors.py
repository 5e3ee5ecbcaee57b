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
    each: "EachOne"
    """What they do with each environment, for other doors."""


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


class EachOne(NamedTuple):
    """The rules by which one environment of a block is begun and stepped, whoever goes through the block."""

    begin: Callable[..., Any]
    """(block, drawn, i, key, obs, rewards, left, fits): begin an episode in environment i."""
    step: Callable[..., Any]
    """(block, i, actions, obs, rewards, left, cut, fits): one interaction of environment i, if it is under way."""


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
    each = each_one(rules, showing, ending)
    return ManyDoors(_reset_door(each.begin), _step_door(each.step), each)


@cache
def _reset_door(begin):
    @door
    def reset_many(block, drawn, at, first, end, keys, obs, rewards, left, cut, fits):
        for k in range(first, end):
            begin(block, drawn, at[k], keys[k], obs, rewards, left, fits)

    return reset_many


@cache
def _step_door(step):
    @door
    def step_many(block, first, end, actions, obs, rewards, left, cut, fits):
        for i in range(first, end):
            fetch_row(block, i + AHEAD, end)
            step(block, i, actions, obs, rewards, left, cut, fits)

    return step_many


@cache
def each_one(rules, showing, ending):
    """The rules for one environment of a block, as :func:`many_doors` has them."""
    open_row, horizon_of, load = rules.open, rules.horizon, rules.load
    start, observe, advance = rules.start, rules.observe, rules.advance
    take, place = (take_any, leave) if showing is not None else (take_fitting, place_fitting)
    shown = showing if showing is not None else leave_parts

    @rule
    def begin(block, drawn, i, key, obs, rewards, left, fits):
        load(block[i], drawn, i)
        r = shown(open_row(block[i]), obs[i])
        start(r, drawn, i, key, True)
        left[i] = horizon_of(r)
        for j in range(r.reward.size):
            rewards[i, j] = 0.0
            observe(r, j)
            place(r, i, j, obs, fits)

    @rule
    def step(block, i, actions, obs, rewards, left, cut, fits):
        if left[i] > 0:
            r = shown(open_row(block[i]), obs[i])
            for k in range(r.action.size):
                r.action[k] = take(i, actions[i, k], fits)
            advance(r)
            for j in range(r.reward.size):
                rewards[i, j] = r.reward[j]
                observe(r, j)
                place(r, i, j, obs, fits)
            left[i], cut[i] = ending(r, left[i] - 1)

    return EachOne(begin, step)


@rule
def leave_parts(r, obs):
    """Observations are written into the row."""
    return r


@rule
def leave(r, i, j, obs, fits):
    """Observations are where they are wanted."""


@rule
def take_any(i, action, fits):
    """All environments have the same actions."""
    return action


@rule
def place_fitting(r, i, j, obs, fits):
    """Put an observation where it fits into what is shown to all."""
    places = fits.places[fits.kind[i]]
    for n in range(fits.blank.size):
        obs[i, j, n] = fits.blank[n]
    for n in range(r.obs.shape[1]):
        obs[i, j, places[n]] = r.obs[j, n]


@rule
def take_fitting(i, action, fits):
    """The action, or the default one where this environment has none of that number."""
    return action if action <= fits.last[fits.kind[i]] else fits.default[0]
