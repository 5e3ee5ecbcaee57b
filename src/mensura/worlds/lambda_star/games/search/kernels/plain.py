"""The plain search of the paper: paths, observations, moves, rewards.

The pattern of Good and Evil is a row: ``length, start of Good, start of Evil, shift of Evil, moves of Good, moves of
Evil``, cells counted from 0 and moves from 1 to 9 as in section 5.1 of the paper. With a shift Evil makes no moves: it
is always on the cell whose number is Good's plus the shift. Where Good, Evil and the guide do not react to subjects,
their whole paths are laid out at the start of an episode. :func:`observe` is the only function that shows hidden state
to a subject.

What goes beyond it, options and other games, is put together in
:mod:`~mensura.worlds.lambda_star.torus.kernels.interaction`, at no cost to this.
"""

import numpy as np

from mensura.core.compiled import choice, draw, fold, rule, uint64
from mensura.core.doors import Rules
from mensura.worlds.lambda_star.torus.kernels.interaction import horizon, read_part, start
from mensura.worlds.lambda_star.torus.kernels.row import (
    BLIND,
    COLS,
    DOWN,
    EVIL,
    EVIL_SHIFT,
    EVIL_START,
    FIXED,
    GOOD,
    GOOD_START,
    GUIDE,
    GUIDES,
    HORIZON,
    ITERATION,
    LENGTH,
    LOOKS_ALL,
    LOOKS_GUIDE,
    LOOKS_OBJECTS,
    LOOKS_REWARDS,
    MOVES,
    NEXT_COL,
    NEXT_ROW,
    OTHERS,
    OWN_COL,
    OWN_ROW,
    RADIUS,
    RANGE,
    RIGHT,
    ROWS,
    SEES_FUTURE,
    SUBJECTS,
    TIME,
    gap,
    open_plain,
    pursue,
    toward,
    wrap,
)

# Slots of the draws under an episode's key; where subjects start has the first.
_SLOT_COLLISION, _SLOT_GUIDE, _SLOT_GUIDE_WAY = range(1, 4)


@rule
def give_way(gy, gx, gy2, gx2, ey, ex, ey2, ex2, key, t):
    """Where Good and Evil come to stand that would go from (gy, gx) and (ey, ex) to (gy2, gx2) and (ey2, ex2).

    They never share a cell: if both would enter one, one of them, drawn evenly, moves and the other stays; if one
    stays anyway, the mover stays too.
    """
    if gy2 == ey2 and gx2 == ex2:
        if gy2 == gy and gx2 == gx:
            ey2 = ey
            ex2 = ex
        elif ey2 == ey and ex2 == ex:
            gy2 = gy
            gx2 = gx
        elif draw(key, t, _SLOT_COLLISION) & np.uint64(1):
            ey2 = ey
            ex2 = ex
        else:
            gy2 = gy
            gx2 = gx
    return gy2, gx2, ey2, ex2


@rule
def lay_out(r, pattern, key):
    """Walk Good and Evil along their patterns to the horizon, and the guide after Good.

    A blocked one's pattern goes on all the same. (Unsigned places need no look at whether they count from the end.)
    """
    m = r.head[ROWS]
    n = r.head[COLS]
    horizon = r.head[HORIZON]
    length = pattern[LENGTH]
    gy = pattern[GOOD_START] // n
    gx = pattern[GOOD_START] % n
    ey = pattern[EVIL_START] // n
    ex = pattern[EVIL_START] % n
    s = 0
    for t in range(horizon + 1):
        r.path[t, 0] = gy
        r.path[t, 1] = gx
        r.path[t, 2] = ey
        r.path[t, 3] = ex
        a = uint64(pattern[uint64(MOVES + s)])
        gy2 = wrap(gy + DOWN[a], m)
        gx2 = wrap(gx + RIGHT[a], n)
        a = uint64(pattern[uint64(MOVES + length + s)])
        ey2 = wrap(ey + DOWN[a], m)
        ex2 = wrap(ex + RIGHT[a], n)
        gy2, gx2, ey2, ex2 = give_way(gy, gx, gy2, gx2, ey, ex, ey2, ex2, key, t)
        gy = gy2
        gx = gx2
        ey = ey2
        ex = ex2
        s += 1
        if s == length:
            s = 0
    if pattern[EVIL_SHIFT] > 0:
        shift_evil(r, pattern[EVIL_SHIFT])
    if r.head[GUIDES] > 0:
        at = choice(key, 0, _SLOT_GUIDE, m * n)
        y = at // n
        x = at % n
        run = 0
        last_y = 0
        last_x = 0
        for t in range(horizon + 1):
            y, x, run, last_y, last_x = guide_on(r, key, t, y, x, run, last_y, last_x)


@rule
def shift_evil(r, shift):
    """Put Evil on the cell whose number is Good's plus the shift, at every time, as the authors' program does.

    That shifts the number, not the torus: where Good crosses the left or right border, Evil leaps to another row.
    """
    n = r.head[COLS]
    cells = r.head[ROWS] * n
    for t in range(r.head[HORIZON] + 1):
        at = (r.path[t, 0] * n + r.path[t, 1] + shift) % cells
        r.path[t, 2] = at // n
        r.path[t, 3] = at % n


@rule
def guide_on(r, key, t, y, x, run, last_y, last_x):
    """Let the guide go after Good's next cell at a time, from (y, x); ``run`` equal moves of Good lie behind it."""
    m = r.head[ROWS]
    n = r.head[COLS]
    horizon = r.head[HORIZON]
    goal = min(t + 1, horizon)
    gy = r.path[goal, 0]
    gx = r.path[goal, 1]
    move_y = toward(r.path[t, 0], gy, m, np.uint64(0))
    move_x = toward(r.path[t, 1], gx, n, np.uint64(0))
    if move_y == last_y and move_x == last_x:
        run += 1
    else:
        run = 1
    for i in range(r.head[GUIDES]):
        z = draw(key, t * r.head[GUIDES] + i, _SLOT_GUIDE_WAY)
        a = pursue(y, x, gy, gx, move_y, move_x, run, m, n, z) - 1
        if t < horizon:
            q = a // 3
            y = wrap(y + q - 1, m)
            x = wrap(x + (a - 3 * q) - 1, n)
        r.guide[t, i, 0] = y
        r.guide[t, i, 1] = x
    return y, x, run, move_y, move_x


@rule
def show_rewards(r, o, y, x, gy, gx, ey, ex, good_near, evil_near, k, width):
    """The rewards of the cells around (y, x); an object out of reach is left out of the sum."""
    m = r.head[ROWS]
    n = r.head[COLS]
    at = FIXED
    if good_near and evil_near:
        for h in range(width):
            yy = wrap(y + h - k, m)
            g = gap(yy, gy, m)
            e = gap(yy, ey, m)
            for i in range(width):
                xx = wrap(x + i - k, n)
                o[at] = r.near[max(g, gap(xx, gx, n))] - r.near[max(e, gap(xx, ex, n))]
                at += 1
    elif good_near:
        for h in range(width):
            g = gap(wrap(y + h - k, m), gy, m)
            for i in range(width):
                o[at] = r.near[max(g, gap(wrap(x + i - k, n), gx, n))]
                at += 1
    elif evil_near:
        for h in range(width):
            e = gap(wrap(y + h - k, m), ey, m)
            for i in range(width):
                o[at] = 0.0 - r.near[max(e, gap(wrap(x + i - k, n), ex, n))]
                at += 1
    else:
        for i in range(width * width):
            o[at + i] = 0.0


@rule
def show_all_near(r, o, y, x, gy, gx, ey, ex):
    """All planes of the nine cells around (y, x), those of others and of the guide empty.

    Writes what :func:`show_rewards` and :func:`mark` would, and has no branch that could be guessed wrong.
    """
    m = r.head[ROWS]
    n = r.head[COLS]
    for h in range(3):
        yy = wrap(y + h - 1, m)
        g = gap(yy, gy, m)
        e = gap(yy, ey, m)
        good = 1.0 if g == 0 else 0.0
        evil = 1.0 if e == 0 else 0.0
        for i in range(3):
            xx = wrap(x + i - 1, n)
            to_good = gap(xx, gx, n)
            to_evil = gap(xx, ex, n)
            at = uint64(FIXED + 3 * h + i)
            o[at] = r.near[uint64(max(g, to_good))] - r.near[uint64(max(e, to_evil))]
            o[at + uint64(9 * GOOD)] = good * (1.0 if to_good == 0 else 0.0)
            o[at + uint64(9 * EVIL)] = evil * (1.0 if to_evil == 0 else 0.0)
    for i in range(9):
        o[FIXED + 9 * OTHERS + i] = 0.0
        o[FIXED + 9 * GUIDE + i] = 0.0


@rule
def show_blind_rewards(r, o, y, x, k, width):
    """The rewards around (y, x) while Good and Evil both seem to stand on cell 1, as in the authors' program.

    What they give to other cells cancels out. To its own cell the program first writes the 0.5 of Good, then the -0.5
    of Evil in its place, and adds to that as to the others: -0.5 remains.
    """
    m = r.head[ROWS]
    n = r.head[COLS]
    at = FIXED
    for h in range(width):
        yy = wrap(y + h - k, m)
        for i in range(width):
            o[at] = -0.5 if yy == 0 and wrap(x + i - k, n) == 0 else 0.0
            at += 1


@rule
def mark(o, at, y, x, cy, cx, m, n, k, width):
    """Count the cell (cy, cx) in a plane around (y, x), wherever it is shown: on a small torus in several places."""
    if gap(y, cy, m) <= k and gap(x, cx, n) <= k:
        for h in range(width):
            if wrap(y + h - k, m) == cy:
                for i in range(width):
                    if wrap(x + i - k, n) == cx:
                        o[at + h * width + i] += 1.0


@rule
def show_some(r, o, y, x, gy, gx, ey, ex, looks, blind):
    """The planes that a seat looks at, those of others and of the guide empty."""
    m = r.head[ROWS]
    n = r.head[COLS]
    k = r.head[RANGE]
    width = 2 * k + 1
    size = width * width
    if blind and looks & LOOKS_REWARDS:
        show_blind_rewards(r, o, y, x, k, width)
    elif looks & LOOKS_REWARDS:
        reach = k + r.head[RADIUS]
        good_near = max(gap(y, gy, m), gap(x, gx, n)) <= reach
        evil_near = max(gap(y, ey, m), gap(x, ex, n)) <= reach
        if k == 1:  # the common range, with loops of known length
            show_rewards(r, o, y, x, gy, gx, ey, ex, good_near, evil_near, 1, 3)
        else:
            show_rewards(r, o, y, x, gy, gx, ey, ex, good_near, evil_near, k, width)
    if looks & LOOKS_OBJECTS:
        at = FIXED + GOOD * size
        for i in range(3 * size):  # Good, Evil and others are planes one after the other
            o[at + i] = 0.0
        mark(o, at, y, x, gy, gx, m, n, k, width)
        mark(o, at + (EVIL - GOOD) * size, y, x, ey, ex, m, n, k, width)
    if looks & LOOKS_GUIDE:
        at = FIXED + GUIDE * size
        for i in range(size):
            o[at + i] = 0.0


@rule
def observe(r, j):
    """Show seat j what it may know, by its rights. The only reader of hidden state."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME]
    k = r.head[RANGE]
    y = r.cell[j, 0]
    x = r.cell[j, 1]
    o = r.obs[j]
    o[OWN_ROW] = y
    o[OWN_COL] = x
    o[ITERATION] = t
    looks = r.looks[j] & LOOKS_ALL
    if r.rights[j] & SEES_FUTURE:
        if t < r.head[HORIZON]:
            o[NEXT_ROW] = r.path[t + 1, 0]
            o[NEXT_COL] = r.path[t + 1, 1]
        else:
            o[NEXT_ROW] = -1.0
            o[NEXT_COL] = -1.0
    if looks != 0:
        width = 2 * k + 1
        size = width * width
        gy = r.path[t, 0]
        gx = r.path[t, 1]
        ey = r.path[t, 2]
        ex = r.path[t, 3]
        blind = r.head[BLIND] != 0 and t == 0
        if blind:
            gy = 0
            gx = 0
            ey = 0
            ex = 0
        if k == 1 and looks == LOOKS_ALL and not blind:  # the common case
            show_all_near(r, o, y, x, gy, gx, ey, ex)
        else:
            show_some(r, o, y, x, gy, gx, ey, ex, looks, blind)
        if looks & LOOKS_OBJECTS:
            for other in range(r.head[SUBJECTS]):
                if other != j:
                    oy = r.cell[other, 0]
                    ox = r.cell[other, 1]
                    mark(o, FIXED + OTHERS * size, y, x, oy, ox, m, n, k, width)
        guides = r.head[GUIDES]
        if looks & LOOKS_GUIDE and guides > 0:
            i = min(j, guides - 1)
            at = FIXED + GUIDE * size
            mark(o, at, y, x, r.guide[t, i, 0], r.guide[t, i, 1], m, n, k, width)


@rule
def advance(r):
    """All move; Good and Evil make their next move; rewards are read at the new positions (section 4.1.2)."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME] + 1
    r.head[TIME] = t
    gy = r.path[t, 0]
    gx = r.path[t, 1]
    ey = r.path[t, 2]
    ex = r.path[t, 3]
    for j in range(r.head[SUBJECTS]):
        a = uint64(r.action[j])
        y = wrap(r.cell[j, 0] + DOWN[a], m)
        x = wrap(r.cell[j, 1] + RIGHT[a], n)
        r.cell[j, 0] = y
        r.cell[j, 1] = x
        good = r.near[max(gap(y, gy, m), gap(x, gx, n))]
        evil = r.near[max(gap(y, ey, m), gap(x, ex, n))]
        r.reward[j] = good - evil


@rule
def start_plain(r, patterns, i, key, anew):
    """Begin the plain search: what was laid out for the same key stands, as nobody leaves a mark on it."""
    if anew:
        lay_out(r, patterns[i], fold(key, 0))
    start(r, fold(key, 1))


PLAIN = Rules(open_plain, horizon, start_plain, observe, advance, part=read_part)
"""The search of the paper."""
