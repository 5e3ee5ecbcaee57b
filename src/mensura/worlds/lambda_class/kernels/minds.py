"""The built-in minds of Lambda, compiled: those of section 5.2 of Insa-Cabrera (2011), further learners, a planner.

A mind is one row of memory (:mod:`~mensura.worlds.lambda_class.kernels.memory`), owned by the caller. It reads its
observation and this row, nothing else, whichever door it is called through: :func:`act` with the reward of the previous
interaction, :func:`finish` after the last. All draws are by the mind's key, the iteration and a slot.
"""

import numpy as np

from mensura.core.compiled import (
    below,
    choice,
    door,
    draw,
    float64,
    int64,
    mix,
    rule,
    uint64,
    unit,
)
from mensura.worlds.lambda_class.kernels.interaction import (
    EVIL_CELL,
    EVIL_NEXT,
    GOOD_CELL,
    GOOD_NEXT,
    ITERATION,
    NAMED,
)
from mensura.worlds.lambda_class.kernels.memory import (
    ACTIONS,
    ALPHA,
    AT_ENTRIES,
    AT_HISTORY,
    AT_OPTIONS,
    AT_PAIRS,
    AT_STAMPS,
    BEFORE,
    DIVISION,
    DOUBLE_Q,
    DROPS,
    DYNA_Q,
    EXPLORATION,
    FOLLOWER,
    GAMMA,
    GOOD_PAYS,
    HEAD,
    KEY,
    KIND,
    LAST,
    LAST_ACTION,
    MEMORY,
    OBJECTS,
    OFFSET,
    ON_SUBJECT,
    ORACLE,
    PAIRS,
    PLANNER,
    PLANNING,
    Q0,
    Q_LEARNING,
    RANDOM,
    SARSA,
    SHOWN,
    SUBJECTS,
    WIDTH,
    blend,
    enter,
    find,
    move_house,
    sit_down,
)
from mensura.worlds.lambda_class.kernels.planner import plan

# Slots of the draws under a mind's key; those of dyna-q's thoughts come last.
_SLOT_ANY, _SLOT_TIE, _SLOT_EXPLORE, _SLOT_COIN, _SLOT_THOUGHT = range(5)

_SEED = np.uint64(0x2545F4914F6CDD1D)

# Minds that do not learn --------------------------------------------------------


@rule
def draw_option(w, count, key, t):
    """One of the options, drawn evenly."""
    return w[w[AT_OPTIONS] + choice(key, t, _SLOT_TIE, count)]


@rule
def follow(w, o, key, t):
    """The trivial follower of 5.2.

    To Good's cell where an action leads there, its own included; else evenly to one of the cells that actions lead to,
    which is not Evil's where that can be avoided.
    """
    n_a = w[ACTIONS]
    ways = NAMED + w[SUBJECTS] + w[OBJECTS]
    good = o[GOOD_CELL]
    for a in range(n_a):
        if o[ways + a] == good:
            return a
    evil = o[EVIL_CELL]
    stamps = w[AT_STAMPS]
    options = w[AT_OPTIONS]
    count = 0
    for a in range(n_a):
        if o[ways + a] != evil:
            c = stamps + int64(o[ways + a])
            if w[c] != t:
                w[c] = t
                w[options + count] = a
                count += 1
    if count == 0:
        return 0
    return draw_option(w, count, key, t)


@rule
def prospect(w, f, o, t, c):
    """What the oracle will find on a cell, as far as Good's and Evil's intentions tell."""
    lies = 0.0
    if w[SHOWN] > 0:
        lies = o[NAMED + w[SUBJECTS] + w[OBJECTS] + w[ACTIONS] + c]
    if w[BEFORE] == 0:
        lies /= f[DIVISION]
        if w[ON_SUBJECT] == 1 and float64(c) == o[EVIL_NEXT]:
            lies = -f[HEAD + t % w[DROPS]]
    return lies


@rule
def foresee(w, f, o, key, t):
    """The oracle of 5.2.

    To the cell where Good intends to go, if an action leads there; else to the cell with the highest reward in the next
    interaction among those that actions lead to, ties drawn evenly. In the setting of the thesis all of these are 0,
    except that of the cell where Evil intends to go.

    The first half supposes that whoever comes to Good's cell is paid there at once: rewards are dropped on subjects,
    and consumed after the update of the cells. Under other switches, those of the theory among them, one who walks with
    Good gains nothing (Good drops no reward on a subject, and the one it leaves behind is found by who comes a step
    later). There the second half is all of the oracle: it sees what lies on each cell, and goes by what the rules will
    have made of it when it gets there. How many others will share it is not foreseen.
    """
    n_a = w[ACTIONS]
    ways = NAMED + w[SUBJECTS] + w[OBJECTS]
    if w[GOOD_PAYS] == 1:
        good = o[GOOD_NEXT]
        for a in range(n_a):
            if o[ways + a] == good:
                return a
    stamps = w[AT_STAMPS]
    options = w[AT_OPTIONS]
    count = 0
    top = -np.inf
    for a in range(n_a):
        c = int64(o[ways + a])
        if w[stamps + c] != t:
            w[stamps + c] = t
            value = prospect(w, f, o, t, c)
            if value > top:
                top = value
                count = 0
            if value == top:
                w[options + count] = a
                count += 1
    return draw_option(w, count, key, t)


# Learners -----------------------------------------------------------------------


@rule
def state_of(w, o, t):
    """The hash of what is on the cells (4.6): Good, Evil, all subjects, all objects; and of earlier ones (A.5)."""
    h = _SEED
    h = blend(h, int64(o[GOOD_CELL]))
    h = blend(h, int64(o[EVIL_CELL]))
    for i in range(NAMED, NAMED + w[SUBJECTS] + w[OBJECTS]):
        h = blend(h, int64(o[i]))
    m = w[MEMORY]
    if m > 0:
        now = h
        history = w[w[AT_HISTORY] : w[AT_HISTORY] + m].view(np.uint64)
        for k in range(1, m + 1):
            h = blend(mix(h), history[(t - k) % m])  # mixed, or a hash would cancel its equal
        history[t % m] = now
    return h


@rule
def look_up(w, f, h):
    """The entry of a state, made where it is new; -1 where the table is full."""
    entry = find(w, h)
    if entry < 0:
        entry = enter(w, h, -1 - entry)
        if entry >= 0:
            n = w[WIDTH] - 1
            if w[KIND] == DYNA_Q:
                n = w[ACTIONS]
                for i in range(entry + 1 + n, entry + w[WIDTH]):
                    w[i] = 0
            for i in range(entry + 1, entry + 1 + n):
                f[i] = f[Q0]
    return entry


@rule
def highest(f, first, n):
    """The highest of some values."""
    top = f[first]
    for i in range(first + 1, first + n):
        if f[i] > top:
            top = f[i]
    return top


@rule
def best_ahead(w, f, entry):
    """The highest value of a state; the initial one where the state has no entry."""
    if entry < 0:
        return f[Q0]
    return highest(f, entry + 1, w[ACTIONS])


@rule
def nudge(w, f, at, reward, ahead):
    """Move a value towards the reward, made positive by the offset (5.2), and gamma times what lies ahead."""
    f[at] += f[ALPHA] * (reward + f[OFFSET] + f[GAMMA] * ahead - f[at])


@rule
def greedy(w, f, entry, key, t):
    """An action of the highest value, ties drawn evenly; double-q adds the values of both its tables."""
    n = w[ACTIONS]
    if entry < 0:
        return choice(key, t, _SLOT_TIE, n)
    first = entry + 1
    other = n if w[KIND] == DOUBLE_Q else 0
    top = -np.inf
    ties = 0
    for a in range(n):
        value = f[first + a] + f[first + other + a]
        if value > top:
            top = value
            ties = 1
        elif value == top:
            ties += 1
    k = choice(key, t, _SLOT_TIE, ties)
    for a in range(n):
        if f[first + a] + f[first + other + a] == top:
            if k == 0:
                return a
            k -= 1
    return 0


@rule
def choose(w, f, entry, key, t):
    """A random action once in a while (the beta of figure 4.4), else a greedy one."""
    if f[EXPLORATION] > 0.0 and unit(draw(key, t, _SLOT_EXPLORE)) < f[EXPLORATION]:
        return choice(key, t, _SLOT_ANY, w[ACTIONS])
    return greedy(w, f, entry, key, t)


@rule
def improve_one(w, f, last, entry, reward, key, t):
    """Double Q-learning (van Hasselt, 2010): a coin says which table learns, from the other's view of its choice."""
    n = w[ACTIONS]
    own = 1
    other = 1 + n
    if draw(key, t, _SLOT_COIN) & uint64(1) == uint64(1):
        own = 1 + n
        other = 1
    ahead = f[Q0]
    if entry >= 0:
        best = 0
        for a in range(1, n):
            if f[entry + own + a] > f[entry + own + best]:
                best = a
        ahead = f[entry + other + best]
    nudge(w, f, last + own + w[LAST_ACTION], reward, ahead)


@rule
def think(w, f, last, entry, reward, key, t):
    """Dyna-Q (Sutton, 1990): remember what came of the last action, then learn from memories drawn evenly.

    A state does not tell what will follow, so a memory is the mean reward and the state to which it led last.
    """
    n = w[ACTIONS]
    at = last + 1 + w[LAST_ACTION]
    if w[at + n] == 0:
        w[w[AT_PAIRS] + w[PAIRS]] = at - w[AT_ENTRIES]
        w[PAIRS] += 1
    w[at + n] = 1 if entry < 0 else 2 + entry - w[AT_ENTRIES]
    w[at + 3 * n] += 1
    f[at + 2 * n] += (reward - f[at + 2 * n]) / w[at + 3 * n]
    for k in range(w[PLANNING]):
        pair = below(draw(key, t, _SLOT_THOUGHT + k), w[PAIRS])
        at = w[AT_ENTRIES] + w[w[AT_PAIRS] + pair]
        to = w[at + n]
        known = to - 2 + w[AT_ENTRIES] if to > 1 else -1
        nudge(w, f, at, f[at + 2 * n], best_ahead(w, f, known))


@rule
def learn(w, f, o, reward, key, t):
    """Temporal differences on the state of 4.6, with Q-learning as in 5.2.

    A state that finds no room is not learned: it counts as new each time.
    """
    kind = w[KIND]
    entry = look_up(w, f, state_of(w, o, t))
    last = w[LAST]
    if kind == SARSA:
        a = choose(w, f, entry, key, t)
        if last >= 0:
            nudge(w, f, last + 1 + w[LAST_ACTION], reward, f[Q0] if entry < 0 else f[entry + 1 + a])
    else:
        if last >= 0:
            if kind == DOUBLE_Q:
                improve_one(w, f, last, entry, reward, key, t)
            else:
                nudge(w, f, last + 1 + w[LAST_ACTION], reward, best_ahead(w, f, entry))
                if kind == DYNA_Q:
                    think(w, f, last, entry, reward, key, t)
        a = choose(w, f, entry, key, t)
    w[LAST] = entry
    w[LAST_ACTION] = a
    return a


# All minds ----------------------------------------------------------------------


@rule
def act(w, o, reward):
    """The action, from 0 on, of a mind; a learner first learns from the reward of its last one."""
    kind = w[KIND]
    key = w.view(np.uint64)[KEY]
    t = int64(o[ITERATION])
    if kind == RANDOM:
        a = choice(key, t, _SLOT_ANY, w[ACTIONS])
    elif kind == FOLLOWER:
        a = follow(w, o, key, t)
    elif kind == ORACLE:
        a = foresee(w, w.view(np.float64), o, key, t)
    elif kind == PLANNER:
        a = plan(w, w.view(np.float64), o, key, t, _SLOT_TIE)
    else:
        a = learn(w, w.view(np.float64), o, reward, key, t)
    return a


@rule
def finish(w, o, reward):
    """After the last interaction: beyond the horizon every value is the initial one."""
    kind = w[KIND]
    last = w[LAST]
    if kind >= Q_LEARNING and kind != PLANNER and last >= 0:
        f = w.view(np.float64)
        if kind == DOUBLE_Q:
            improve_one(w, f, last, -1, reward, w.view(np.uint64)[KEY], int64(o[ITERATION]))
        else:
            nudge(w, f, last + 1 + w[LAST_ACTION], reward, f[Q0])


@door
def sit_door(w, cells, actions, subjects, objects, shown, interactions):
    """Before a sitting, through the step door; the row is new, and large enough."""
    sit_down(w, cells, actions, subjects, objects, shown, interactions)


@door
def move_door(old, new):
    """Go on in a row with more room."""
    move_house(old, new)
