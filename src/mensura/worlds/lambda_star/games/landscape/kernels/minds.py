"""The minds of fitness landscapes: hill climbing with restarts, simulated annealing, a swarm of particles.

None of them can jump. What is a new candidate elsewhere is a walk here, paid step by step.
"""

import math

from mensura.core.compiled import (
    below,
    choice,
    draw,
    int64,
    rule,
    unit,
)
from mensura.worlds.lambda_star.torus.kernels.memory import (
    COLS,
    GAME_SLOT,
    HORIZON,
    OWN_RATE,
    RANGE,
    ROWS,
    approach,
    cell_at,
    pick,
    step_to,
)
from mensura.worlds.lambda_star.torus.kernels.minds import minds_of
from mensura.worlds.lambda_star.torus.kernels.row import (
    FIXED,
    ITERATION,
    OWN_COL,
    OWN_ROW,
    STAY,
    gap,
    wrap,
)

# Kinds of minds, by numbers that no other game has.
HILL_CLIMBING, ANNEALING, SWARM = range(20, 23)

# Slots of the draws.
_SLOT_GOAL, _SLOT_WAY, _SLOT_LUCK, _SLOT_OWN, _SLOT_ALL, _SLOT_ALONG = range(
    GAME_SLOT, GAME_SLOT + 6
)

# What a hill climber keeps: what it is doing, how often it has begun anew, where it walks, its best summit.
_DOING, _BEGUN, _GOAL_ROW, _GOAL_COL, _TOP, _TOP_ROW, _TOP_COL = range(7)
_CLIMBING, _WALKING, _RETURNING, _SETTLED = range(4)

# What a particle keeps: its velocity and the best cell it has seen; the swarm keeps the best of all.
_SPEED_ROW, _SPEED_COL, _OWN_BEST, _OWN_BEST_ROW, _OWN_BEST_COL, _SET_OUT = range(6)
_BEST, _BEST_ROW, _BEST_COL, _KNOWN = range(4)


@rule
def tell(mind, j, o):
    """A particle tells its swarm the best cell in sight; the others of this module are silent."""
    if mind.kind[j] == SWARM:
        k = mind.head[RANGE]
        width = 2 * k + 1
        n = mind.head[COLS]
        key = mind.key[j]
        own = mind.kept[j]
        common = mind.common
        # The swarm's best may have changed where the landscape drifts: whoever sees it says so.
        if common[_KNOWN] != 0.0:
            look_again(mind, o, common, _BEST, k, width)
        if own[_SET_OUT] != 0.0:
            look_again(mind, o, own, _OWN_BEST, k, width)
        at = pick(o, FIXED, width * width, key, int64(o[ITERATION]), _SLOT_GOAL)
        cell = cell_at(mind, o, at, k, width)
        seen = o[FIXED + at]
        if own[_SET_OUT] == 0.0 or seen > own[_OWN_BEST]:
            own[_OWN_BEST] = seen
            own[_OWN_BEST_ROW] = cell // n
            own[_OWN_BEST_COL] = cell % n
        if common[_KNOWN] == 0.0 or seen > common[_BEST]:
            common[_BEST] = seen
            common[_BEST_ROW] = cell // n
            common[_BEST_COL] = cell % n
            common[_KNOWN] = 1.0


@rule
def look_again(mind, o, memory, first, k, width):
    """If the cell at ``first + 1`` of a memory is in sight, remember what it is worth now."""
    y = int64(memory[first + 1])
    x = int64(memory[first + 2])
    m = mind.head[ROWS]
    n = mind.head[COLS]
    if gap(y, int64(o[OWN_ROW]), m) <= k and gap(x, int64(o[OWN_COL]), n) <= k:
        for h in range(width):
            if wrap(int64(o[OWN_ROW]) + h - k, m) == y:
                for i in range(width):
                    if wrap(int64(o[OWN_COL]) + i - k, n) == x:
                        memory[first] = o[FIXED + h * width + i]


@rule
def act(mind, j, o, reward):
    """The action of seat j."""
    kind = mind.kind[j]
    a = STAY
    if kind == HILL_CLIMBING:
        a = climb(mind, j, o)
    elif kind == ANNEALING:
        a = anneal(mind, j, o)
    else:
        a = fly(mind, j, o)
    return a


@rule
def climb(mind, j, o):
    """Hill climbing: up as long as something higher is in sight; from a summit below 1 to a random cell, then up again.

    After so many restarts it goes back to the best summit it has met, and follows that if it drifts.
    """
    k = mind.head[RANGE]
    width = 2 * k + 1
    size = width * width
    key = mind.key[j]
    t = int64(o[ITERATION])
    own = mind.kept[j]
    m = mind.head[ROWS]
    n = mind.head[COLS]
    y = int64(o[OWN_ROW])
    x = int64(o[OWN_COL])
    at_goal = y == int64(own[_GOAL_ROW]) and x == int64(own[_GOAL_COL])
    if own[_DOING] == _WALKING and at_goal:
        own[_DOING] = _CLIMBING
    if own[_DOING] == _RETURNING and at_goal:
        own[_DOING] = _SETTLED
    at = pick(o, FIXED, size, key, t, _SLOT_WAY)
    here = o[FIXED + size // 2]
    if own[_DOING] == _CLIMBING and o[FIXED + at] <= here:
        if own[_BEGUN] == 0.0 or here > own[_TOP]:
            own[_TOP] = here
            own[_TOP_ROW] = y
            own[_TOP_COL] = x
        if here >= 1.0:
            own[_DOING] = _SETTLED
        elif own[_BEGUN] < mind.rate[j, OWN_RATE]:
            goal = choice(key, t, _SLOT_GOAL, m * n)
            own[_DOING] = _WALKING
            own[_GOAL_ROW] = goal // n
            own[_GOAL_COL] = goal % n
        else:
            own[_DOING] = _RETURNING
            own[_GOAL_ROW] = own[_TOP_ROW]
            own[_GOAL_COL] = own[_TOP_COL]
        own[_BEGUN] += 1.0
    if own[_DOING] == _WALKING or own[_DOING] == _RETURNING:
        return approach(mind, o, int64(own[_GOAL_ROW]), int64(own[_GOAL_COL]), key, t)
    if o[FIXED + at] <= here:
        return STAY
    return step_to(at, k, width)


@rule
def anneal(mind, j, o):
    """Simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983) by the rule of Metropolis.

    One of the eight neighbors is drawn and taken if it is no lower, else with probability exp(-loss / T). T falls
    geometrically over the horizon from ``temperature`` to ``final``.
    """
    key = mind.key[j]
    t = int64(o[ITERATION])
    hot = mind.rate[j, OWN_RATE]
    cold = mind.rate[j, OWN_RATE + 1]
    k = mind.head[RANGE]
    width = 2 * k + 1
    middle = FIXED + (width * width) // 2
    way = below(draw(key, t, _SLOT_WAY), 8)
    way += way // 4  # the fifth of nine is to stay
    there = o[middle + (way // 3 - 1) * width + way % 3 - 1]
    loss = o[middle] - there
    a = STAY
    if loss <= 0.0:
        a = way + 1
    elif hot > 0.0 and cold > 0.0:
        temperature = hot * math.exp(math.log(cold / hot) * t / mind.head[HORIZON])
        if unit(draw(key, t, _SLOT_LUCK)) < math.exp(-loss / temperature):
            a = way + 1
    return a


@rule
def offset(a, b, n):
    """The difference from a to b the short way round the torus."""
    d = b - a
    if 2 * d > n:
        d -= n
    elif 2 * d < -n:
        d += n
    return float(d)


@rule
def fly(mind, j, o):
    """Particle swarm (Kennedy and Eberhart, 1995) with inertia (Shi and Eberhart, 1998), on the cells of a torus.

    v = inertia v + own r1 (own best - x) + social r2 (swarm's best - x), along each axis; a particle goes one step
    where |v| is at least one half, v staying within the range of a step or two.
    """
    key = mind.key[j]
    t = int64(o[ITERATION])
    own = mind.kept[j]
    common = mind.common
    y = int64(o[OWN_ROW])
    x = int64(o[OWN_COL])
    if own[_SET_OUT] == 0.0:
        own[_SET_OUT] = 1.0
        own[_SPEED_ROW] = 4.0 * unit(draw(key, t, _SLOT_WAY)) - 2.0
        own[_SPEED_COL] = 4.0 * unit(draw(key, t, _SLOT_ALONG)) - 2.0
    inertia = mind.rate[j, OWN_RATE]
    self_trust = mind.rate[j, OWN_RATE + 1] * unit(draw(key, t, _SLOT_OWN))
    social = mind.rate[j, OWN_RATE + 2] * unit(draw(key, t, _SLOT_ALL))
    down = inertia * own[_SPEED_ROW]
    down += self_trust * offset(y, int64(own[_OWN_BEST_ROW]), mind.head[ROWS])
    down += social * offset(y, int64(common[_BEST_ROW]), mind.head[ROWS])
    along = inertia * own[_SPEED_COL]
    along += self_trust * offset(x, int64(own[_OWN_BEST_COL]), mind.head[COLS])
    along += social * offset(x, int64(common[_BEST_COL]), mind.head[COLS])
    down = min(max(down, -2.0), 2.0)
    along = min(max(along, -2.0), 2.0)
    own[_SPEED_ROW] = down
    own[_SPEED_COL] = along
    return 3 * (stride(down) + 1) + stride(along) + 2


@rule
def stride(speed):
    """The step, -1, 0 or 1, that a speed makes."""
    if speed >= 0.5:
        return 1
    if speed <= -0.5:
        return -1
    return 0


MINDS = minds_of(tell, act)
