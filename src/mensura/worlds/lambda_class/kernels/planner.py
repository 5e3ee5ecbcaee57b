"""The planner of Lambda: it learns the map, predicts where Good and Evil will be, and looks some steps ahead.

Its predictor keeps contexts of variable order, as prediction by partial matching does (Cleary and Witten, 1984): for
the last 1, 2, ... pairs of cells of Good and Evil it remembers what came next. Where PPM blends orders, it trusts the
context that was the most reliable so far by the estimator of Krichevsky and Trofimov (1981), and of several such the
longest: a pattern is deterministic given enough of its past, and soon one such context says it all. Predicted cells
are then taken for seen ones to predict the next. A context that finds no room is not learned.
"""

import numpy as np

from mensura.core.compiled import choice, int64, rule
from mensura.worlds.lambda_class.kernels.interaction import (
    EVIL_CELL,
    GOOD_CELL,
    NAMED,
    OWN_CELL,
)
from mensura.worlds.lambda_class.kernels.memory import (
    ACTIONS,
    AT_AHEAD,
    AT_FIELD,
    AT_HISTORY,
    AT_OPTIONS,
    AT_WAYS,
    BEFORE,
    CELLS,
    DEPTH,
    DIVISION,
    EATEN,
    GAIN,
    GAMMA,
    LOOKAHEAD,
    LOSS,
    OBJECTS,
    ON_SUBJECT,
    SUBJECTS,
    blend,
    enter,
    find,
)

# A context's entry: its slot, what came after it last, and how often that was as before and how often not.
_NEXT, _HITS, _MISSES = range(1, 4)

_SEED = np.uint64(0x9E3779B97F4A7C15)
_GUESS = 0.5
"""How sure it is, with nothing to go by, that Good and Evil stay where they are."""


@rule
def remember(w, symbol):
    """Learn what came after the contexts of the last interaction, then find or make those of this one."""
    depth = w[DEPTH]
    line = w[AT_HISTORY]
    nodes = line + depth + w[LOOKAHEAD]
    for d in range(depth):
        e = w[nodes + d]
        if e >= 0:
            if w[e + _NEXT] == symbol:
                w[e + _HITS] += 1
            else:
                if w[e + _NEXT] >= 0:
                    w[e + _MISSES] += 1
                w[e + _NEXT] = symbol
    for i in range(line, line + depth - 1):
        w[i] = w[i + 1]
    w[line + depth - 1] = symbol
    h = _SEED
    for d in range(depth):
        s = w[line + depth - 1 - d]
        e = -1
        if s >= 0:
            h = blend(h, s)
            e = find(w, h)
            if e < 0:
                e = enter(w, h, -1 - e)
                if e >= 0:
                    w[e + _NEXT] = -1
                    w[e + _HITS] = 0
                    w[e + _MISSES] = 0
        w[nodes + d] = e


@rule
def predict(w, f):
    """Write down the cells of Good and Evil in the interactions to come, and how sure they are."""
    depth = w[DEPTH]
    line = w[AT_HISTORY]
    sure = line + 2 * depth + w[LOOKAHEAD]
    belief = 1.0
    for k in range(w[LOOKAHEAD]):
        last = line + depth + k - 1
        symbol = w[last]
        trust = _GUESS
        best = 0.0
        h = _SEED
        for d in range(depth):
            s = w[last - d]
            if s < 0:
                break
            h = blend(h, s)
            e = find(w, h)
            if e < 0:
                break
            if w[e + _NEXT] >= 0:
                rate = (w[e + _HITS] + 1.5) / (w[e + _HITS] + w[e + _MISSES] + 2.0)
                if rate >= best:
                    best = rate
                    trust = rate
                    symbol = w[e + _NEXT]
        belief *= trust
        w[last + 1] = symbol
        f[sure + k] = belief


@rule
def put(f, at, belief, reward):
    """What is expected to lie on a cell where a reward is expected to be dropped."""
    f[at] += belief * (reward - f[at])


@rule
def drop_on(w, f, first, symbol, belief):
    """Good and Evil drop rewards on a field."""
    n = w[CELLS] + 1
    good = symbol // n
    evil = symbol - good * n
    if good < w[CELLS]:
        put(f, first + good, belief, f[GAIN])
    if evil < w[CELLS]:
        put(f, first + evil, belief, -f[LOSS])


@rule
def foresee_rewards(w, f):
    """What is expected to be found on each cell after each of the interactions to come, if one comes from elsewhere."""
    n_c = w[CELLS]
    lookahead = w[LOOKAHEAD]
    line = w[AT_HISTORY] + w[DEPTH]
    sure = line + w[DEPTH] + lookahead
    ahead = w[AT_AHEAD]
    before = w[AT_FIELD]
    field = ahead + lookahead * n_c
    share = 1.0 / f[DIVISION]
    for c in range(n_c):
        f[field + c] = f[before + c]
    for k in range(lookahead):
        found = ahead + k * n_c
        if w[BEFORE] == 1:
            for c in range(n_c):
                f[found + c] = f[field + c]
        for c in range(n_c):
            f[field + c] *= share
        if w[BEFORE] == 0 and w[ON_SUBJECT] == 0:
            for c in range(n_c):
                f[found + c] = f[field + c]
        drop_on(w, f, field, w[line + k], f[sure + k])
        if w[BEFORE] == 0 and w[ON_SUBJECT] == 1:
            for c in range(n_c):
                f[found + c] = f[field + c]


@rule
def by_staying(w, found, c, good, evil):
    """What one who stays on a cell is expected to find there: where rewards are eaten, only a new one."""
    if w[EATEN] == 1 and (w[ON_SUBJECT] == 0 or (good != c and evil != c)):
        return 0.0
    return found


@rule
def look_back(w, f, own):
    """What is best from each cell on after the first interaction to come, by dynamic programming from the last one."""
    n_c = w[CELLS]
    n_a = w[ACTIONS]
    ahead = w[AT_AHEAD]
    lookahead = w[LOOKAHEAD]
    gamma = f[GAMMA]
    value = ahead + (lookahead + 1) * n_c
    going = value + n_c
    for c in range(n_c):
        f[value + c] = 0.0
    for k in range(lookahead - 1, -1, -1):
        symbol = w[w[AT_HISTORY] + w[DEPTH] + k - w[BEFORE]]
        good = symbol // (n_c + 1)
        evil = symbol - good * (n_c + 1)
        found = ahead + k * n_c
        top = -np.inf
        for c in range(n_c):
            v = f[found + c] + gamma * f[value + c]
            f[going + c] = v
            top = max(top, v)
        if k == 0:
            stays = by_staying(w, f[found + own], own, good, evil)
            f[going + own] = stays + gamma * f[value + own]
            break
        for c in range(n_c):
            ways = w[AT_WAYS] + c * n_a
            best = top  # where it has not been, anything may be possible
            if w[ways] >= 0:
                best = by_staying(w, f[found + c], c, good, evil) + gamma * f[value + c]
                for a in range(n_a):
                    to = w[ways + a]
                    if to != c:
                        best = max(best, f[going + to])
            f[value + c] = best
    return going


@rule
def plan(w, f, o, key, t, slot):
    """The action with the best expected reward, discounted, over the interactions to come; ties drawn evenly."""
    n_c = w[CELLS]
    n_a = w[ACTIONS]
    own = int64(o[OWN_CELL])
    good = int64(o[GOOD_CELL])
    evil = int64(o[EVIL_CELL])
    ways = w[AT_WAYS] + own * n_a
    for a in range(n_a):
        w[ways + a] = int64(o[NAMED + w[SUBJECTS] + w[OBJECTS] + a])
    # What lies where, as far as it saw.
    field = w[AT_FIELD]
    for c in range(n_c):
        f[field + c] /= f[DIVISION]
    if w[EATEN] == 1:
        f[field + own] = 0.0
    if good >= 0 and (w[ON_SUBJECT] == 1 or good != own):
        f[field + good] = f[GAIN]
    if evil >= 0 and (w[ON_SUBJECT] == 1 or evil != own):
        f[field + evil] = -f[LOSS]
    # A cell out of sight is a symbol of its own.
    remember(w, (good if good >= 0 else n_c) * (n_c + 1) + (evil if evil >= 0 else n_c))
    predict(w, f)
    foresee_rewards(w, f)
    going = look_back(w, f, own)
    count = 0
    top = -np.inf
    options = w[AT_OPTIONS]
    for a in range(n_a):
        v = f[going + w[ways + a]]
        if v > top:
            top = v
            count = 0
        if v == top:
            w[options + count] = a
            count += 1
    return w[options + choice(key, t, slot, count)]
