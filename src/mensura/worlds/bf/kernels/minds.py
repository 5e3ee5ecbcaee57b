"""The subjects of AIQ (Legg and Veness, 2011), compiled: Random, Freq, Q(lambda) and HLQ(lambda).

A mind is one row of int64, owned by the caller: a head, and three tables of numbers by state and action. A state is
what was observed last. Before the first action it learns from the reward of 0 as if action 0 in state 0 had brought
it, as the authors' do.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import choice, door, draw, int64, rule, unit
from mensura.core.doors import Minds, doors_of
from mensura.worlds.bf.kernels.machine import RULES

RANDOM, FREQ, Q_LAMBDA, HLQ_LAMBDA, MC_AIXI = range(5)

# The head; the last five are floats.
KIND, SYMBOLS, CELLS, STATES, KEY, TIME, STATE, ACTION = range(8)
EPSILON, GAMMA, LAMBDA, ALPHA, Q0 = range(8, 13)
HEAD = 13

TINY = 1e-100
"""Counts of visits fade, but never to less."""

_EXPLORE, _ANY, _TIE = range(3)
"""Slots of the draws under a mind's key."""


class Mind(NamedTuple):
    """The parts of a mind."""

    head: np.ndarray
    rates: np.ndarray
    """The head as floats."""
    values: np.ndarray
    traces: np.ndarray
    visits: np.ndarray


def mind_size(states: int, actions: int) -> int:
    """How many numbers a mind takes."""
    return HEAD + 3 * states * actions


@rule
def open_mind(w):
    """The parts of a mind."""
    size = w[STATES] * w[SYMBOLS]
    f = w.view(np.float64)
    return Mind(
        w[:HEAD],
        f[:HEAD],
        f[HEAD : HEAD + size],
        f[HEAD + size : HEAD + 2 * size],
        f[HEAD + 2 * size : HEAD + 3 * size],
    )


@rule
def forget(mind):
    """Know nothing."""
    for i in range(mind.values.size):
        mind.values[i] = mind.rates[Q0]
        mind.traces[i] = 0.0
        mind.visits[i] = 1.0
    if mind.head[KIND] == FREQ:
        for i in range(mind.values.size):
            mind.values[i] = 0.0


@rule
def sit(mind, j, r, interactions):
    """Before a sitting."""
    forget(mind)


@rule
def begin(mind, j, key, learning):
    """Before an episode: what was learned stays, what led here does not."""
    mind.head.view(np.uint64)[KEY] = key
    mind.head[TIME] = 0
    mind.head[STATE] = 0
    mind.head[ACTION] = 0
    for i in range(mind.traces.size):
        mind.traces[i] = 0.0


@rule
def state_of(mind, o):
    """The state that an observation is."""
    state = 0
    for k in range(mind.head[CELLS] - 1, -1, -1):
        state = state * mind.head[SYMBOLS] + int64(o[k])
    return state


@rule
def value(mind, at):
    """What an action is worth: of Freq the mean of its rewards, in which a first one of 0 counts."""
    if mind.head[KIND] == FREQ:
        return mind.values[at] / mind.visits[at]
    return mind.values[at]


@rule
def best(mind, state, key, t):
    """An action of the highest value, ties drawn evenly."""
    n = mind.head[SYMBOLS]
    first = state * n
    top = value(mind, first)
    ties = 1
    for a in range(1, n):
        one = value(mind, first + a)
        if one > top:
            top = one
            ties = 1
        elif one == top:
            ties += 1
    k = choice(key, t, _TIE, ties)
    for a in range(n):
        if value(mind, first + a) == top:
            if k == 0:
                return a
            k -= 1
    return 0


@rule
def learn_q(mind, old, new, reward, ahead, greedy):
    """Q(lambda) of Watkins: traces fade, and are gone after an action that explores."""
    gamma = mind.rates[GAMMA]
    step = mind.rates[ALPHA] * (reward + gamma * mind.values[ahead] - mind.values[old])
    fade = gamma * mind.rates[LAMBDA] if greedy else 0.0
    mind.traces[old] += 1.0
    for i in range(mind.values.size):
        mind.values[i] += step * mind.traces[i]
        mind.traces[i] *= fade


@rule
def learn_hlq(mind, old, new, reward, ahead, greedy):
    """HLQ(lambda) of Hutter and Legg (2007), whose learning rate follows from counts of visits that fade."""
    gamma = mind.rates[GAMMA]
    fading = mind.rates[LAMBDA]
    error = reward + gamma * mind.values[ahead] - mind.values[old]
    mind.traces[old] += 1.0
    mind.visits[old] += 1.0
    here = mind.visits[new]
    scale = error / (here - gamma * mind.traces[new])
    fade = gamma * fading if greedy else 0.0
    for i in range(mind.values.size):
        same = 1.0 if i == new else 0.0
        rate = mind.traces[i] * (fading * here + same) / (fading * mind.visits[i] + same)
        mind.values[i] += rate * scale
        mind.traces[i] *= fade
        mind.visits[i] = fading * mind.visits[i] if mind.visits[i] > TINY else TINY


@rule
def act(mind, j, o, reward):
    """Learn from the reward of the last action, then choose the next one."""
    h = mind.head
    n = h[SYMBOLS]
    t = h[TIME]
    h[TIME] = t + 1
    key = h.view(np.uint64)[KEY]
    if h[KIND] == RANDOM:
        return choice(key, t, _ANY, n)
    state = state_of(mind, o)
    if h[KIND] == FREQ:
        state = 0
        mind.values[h[ACTION]] += reward
        mind.visits[h[ACTION]] += 1.0
    top = best(mind, state, key, t)
    a = top
    if unit(draw(key, t, _EXPLORE)) < mind.rates[EPSILON]:
        a = choice(key, t, _ANY, n)
    old = h[STATE] * n + h[ACTION]
    if h[KIND] == Q_LAMBDA:
        learn_q(mind, old, state * n + a, reward, state * n + top, a == top)
    elif h[KIND] == HLQ_LAMBDA:
        learn_hlq(mind, old, state * n + a, reward, state * n + top, a == top)
    h[STATE] = state
    h[ACTION] = a
    return a


DOORS = doors_of(RULES, Minds(open_mind, begin, act, sit=sit))


@door
def forget_door(w):
    """Know nothing."""
    forget(open_mind(w))
