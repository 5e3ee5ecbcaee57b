"""Rules of a whole environment of FraMoTEC in one row: actions, readings and rewards around the physics of `kernel`.

They are for vectors, in which environments are rows of one block of memory (:mod:`mensura.core.many_doors`), and do
what :class:`~mensura.worlds.framotec.environment.FramotecEnvironment` does for one seat by the clock "interactions", to
the bit: a test plays both. A row of int64 has all that a task is, its program and its start among them, and then what
changes.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import int64, matrix, rule, span
from mensura.core.doors import Rules
from mensura.worlds.framotec.play.kernels import kernel

# The head of a row: sizes, then switches. LEVELS is 0 where any power can be set; ENDS is 1 where an episode is over as
# soon as its task is solved or failed.
(
    PROGRAM,
    ROW,
    MOTORS,
    LEVELS,
    SENSORS,
    SHOWN,
    GOALS,
    CHANNELS,
    HORIZON,
    STRIDE,
    VELOCITY,
    REWARDS,
    ENDS,
    FIXED,
) = range(14)
HEAD = 14

# What rewards are, as FramotecEnvironment says.
DISTANCE, SCORE, FROM_CHANNELS = range(3)

WRONG = -1
"""In place of the interactions that are left: the task has gone wrong, as the physics' row says."""


class Row(NamedTuple):
    """The parts of an environment's row, as views of it; from `state` on they change."""

    head: np.ndarray
    program: np.ndarray
    begin: np.ndarray
    """The state at the task's start."""
    slots: np.ndarray
    """Where in the state each motor is asked for power."""
    most: np.ndarray
    """The most that each motor gives."""
    levels: np.ndarray
    """The shares of that among which actions choose, where they are numbered."""
    low: np.ndarray
    high: np.ndarray
    """The bounds of readings, time, energy and velocity."""
    distances: np.ndarray
    """Where in the state the distance of each goal stands."""
    satisfied: np.ndarray
    """Where it stands whether each goal is satisfied."""
    scales: np.ndarray
    """How far each goal can be."""
    channels: np.ndarray
    """The sensors that are rewards."""
    state: np.ndarray
    """The physics' row."""
    seen: np.ndarray
    """Readings, time, energy and velocity as they are."""
    shares: np.ndarray
    """What rewards are the sum of."""
    action: np.ndarray
    reward: np.ndarray
    obs: np.ndarray


def row_size(head: list[int]) -> int:
    """How many int64 a row with this head takes."""
    seen = head[SENSORS] + 3
    shares = max(head[GOALS], head[CHANNELS])
    acted = 1 if head[LEVELS] else head[MOTORS]
    return head[FIXED] + head[ROW] + seen + shares + acted + 1 + head[SHOWN]


@rule
def open_row(w):
    """Name the parts of a row."""
    size = w[ROW]
    motors = w[MOTORS]
    levels = w[LEVELS]
    seen = w[SENSORS] + 3
    goals = w[GOALS]
    channels = w[CHANNELS]
    o = HEAD
    program = span(w, o, w[PROGRAM])
    o += w[PROGRAM]
    begin = span(w, o, size).view(np.float64)
    o += size
    slots = span(w, o, motors)
    o += motors
    most = span(w, o, motors).view(np.float64)
    o += motors
    shares_of_most = span(w, o, levels).view(np.float64)
    o += levels
    low = span(w, o, seen).view(np.float64)
    o += seen
    high = span(w, o, seen).view(np.float64)
    o += seen
    distances = span(w, o, goals)
    o += goals
    satisfied = span(w, o, goals)
    o += goals
    scales = span(w, o, goals).view(np.float64)
    o += goals
    rewarding = span(w, o, channels)
    o += channels
    state = span(w, o, size).view(np.float64)
    o += size
    readings = span(w, o, seen).view(np.float64)
    o += seen
    summed = max(goals, channels)
    shares = span(w, o, summed).view(np.float64)
    o += summed
    acted = 1 if levels > 0 else motors
    action = span(w, o, acted).view(np.float64)
    o += acted
    reward = span(w, o, 1).view(np.float64)
    o += 1
    obs = matrix(span(w, o, w[SHOWN]).view(np.float64), 1, w[SHOWN])
    return Row(
        span(w, 0, HEAD),
        program,
        begin,
        slots,
        most,
        shares_of_most,
        low,
        high,
        distances,
        satisfied,
        scales,
        rewarding,
        state,
        readings,
        shares,
        action,
        reward,
        obs,
    )


@rule
def show_row(r, obs):
    """The parts of a row with another place for the observations."""
    return Row(
        r.head,
        r.program,
        r.begin,
        r.slots,
        r.most,
        r.levels,
        r.low,
        r.high,
        r.distances,
        r.satisfied,
        r.scales,
        r.channels,
        r.state,
        r.seen,
        r.shares,
        r.action,
        r.reward,
        obs,
    )


@rule
def load(w, drawn, i):
    """Make the row that of an environment, whose part that never changes is drawn[i]."""
    for k in range(drawn[i, FIXED]):
        w[k] = drawn[i, k]


@rule
def horizon(r):
    """How many interactions an episode has at most."""
    return r.head[HORIZON]


@rule
def look(r):
    """Read all sensors."""
    sensors = r.head[SENSORS]
    for k in range(sensors):
        r.seen[k] = kernel.sense(r.program, r.state, k)
    r.seen[sensors] = r.state[kernel.TIME]
    r.seen[sensors + 1] = r.state[kernel.ENERGY]
    r.seen[sensors + 2] = r.state[r.head[VELOCITY]]


@rule
def start(r, drawn, i, key, anew):
    """Start an episode; the key draws the noise of transitions and sensors."""
    for k in range(r.state.size):
        r.state[k] = r.begin[k]
    kernel.start(r.program, r.state, key)
    r.reward[0] = 0.0
    look(r)


@rule
def observe(r, j):
    """What the seat reads, within its bounds."""
    for k in range(r.head[SHOWN]):
        x = r.seen[k]
        if x < r.low[k]:
            x = r.low[k]
        if x > r.high[k]:
            x = r.high[k]
        r.obs[0, k] = x


@rule
def set_motors(r):
    """Ask the motors for what the action says: all for a share of their most, or one for a level of it."""
    levels = r.head[LEVELS]
    if levels > 0:
        action = int64(r.action[0])
        motor = action // levels
        r.state[r.slots[motor]] = r.levels[action - motor * levels] * r.most[motor]
    else:
        for k in range(r.head[MOTORS]):
            r.state[r.slots[k]] = r.action[k] * r.most[k]


@rule
def added_up(numbers, count):
    """Their sum in the order in which NumPy adds up to 128 numbers: by eights, side by side."""
    total = 0.0
    done = 0
    if count >= 8:
        a = numbers[0]
        b = numbers[1]
        c = numbers[2]
        d = numbers[3]
        e = numbers[4]
        f = numbers[5]
        g = numbers[6]
        h = numbers[7]
        done = 8
        while done + 8 <= count:
            a += numbers[done]
            b += numbers[done + 1]
            c += numbers[done + 2]
            d += numbers[done + 3]
            e += numbers[done + 4]
            f += numbers[done + 5]
            g += numbers[done + 6]
            h += numbers[done + 7]
            done += 8
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for k in range(done, count):
        total += numbers[k]
    return total


@rule
def pay(r):
    """The reward of an interaction."""
    state = r.state
    goals = r.head[GOALS]
    if r.head[REWARDS] == FROM_CHANNELS:
        for k in range(r.channels.size):
            r.shares[k] = r.seen[r.channels[k]]
        return min(max(added_up(r.shares, r.channels.size), -1.0), 1.0)
    if state[kernel.SOLVED_AT] >= 0.0:
        return 1.0
    if state[kernel.FAILED_AT] >= 0.0:
        return -1.0
    if goals == 0:
        return 0.0
    for k in range(goals):
        share = min(state[r.distances[k]] / r.scales[k], 1.0)
        if r.head[REWARDS] == DISTANCE and state[r.satisfied[k]] != 0.0:
            share = 0.0
        r.shares[k] = share
    return -added_up(r.shares, goals) / goals


@rule
def advance(r):
    """Set the motors, run to the next action, read and reward."""
    set_motors(r)
    kernel.tick(r.program, r.state, r.head[STRIDE])
    look(r)
    r.reward[0] = pay(r)


@rule
def ending(r, left):
    """How many interactions are left, and whether the episode is cut off with its task neither solved nor failed."""
    over = r.state[kernel.SOLVED_AT] >= 0.0 or r.state[kernel.FAILED_AT] >= 0.0
    if r.state[kernel.ERROR] != 0.0:
        return WRONG, False
    if over and r.head[ENDS] == 1:
        return 0, False
    return left, left == 0 and not over


RULES = Rules(open_row, horizon, start, observe, advance, load=load)
