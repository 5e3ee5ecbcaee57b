"""Search with what section 6.1 of the paper asks beyond its experiment: company, reactions, and unequal subjects.

Good, and Evil where that is said, is felt only by a company: so many subjects within its radius. Good and Evil may
respond to subjects: flee from them, follow them, or tire of them. Subjects may weigh Good and Evil differently.
Without any of these it is the search of :mod:`~mensura.worlds.lambda_star.games.search.kernels.plain`, and a test says
so.
"""

import numpy as np

from mensura.core.compiled import rule
from mensura.worlds.lambda_star.games.search.kernels.plain import (
    give_way,
    guide_on,
    lay_out,
    observe,
)
from mensura.worlds.lambda_star.torus.kernels.interaction import rules_of
from mensura.worlds.lambda_star.torus.kernels.reactions import NO, TIRES, respond
from mensura.worlds.lambda_star.torus.kernels.row import (
    BLIND,
    COLS,
    COMPANY,
    COMPANY_EVIL,
    EVIL_REACTS,
    FIXED,
    GOOD_REACTS,
    GUIDES,
    HORIZON,
    LENGTH,
    LOOKS_REWARDS,
    MET,
    MOVES,
    RADIUS,
    RANGE,
    RECOVERY,
    ROWS,
    SUBJECTS,
    TIME,
    TIRING,
    UNEQUAL,
    distance,
    gap,
    toward,
    wrap,
)

# What the guide remembers where it cannot be sent ahead, and whether anybody sees where Good goes next.
_Y, _X, _RUN, _LAST_Y, _LAST_X, _FORESEEN = range(6)


@rule
def prepare(r, pattern, key):
    """Lay out the patterns; where somebody reacts, as far as nobody is near, to be corrected as it comes."""
    lay_out(r, pattern, key)
    r.strength[0] = 1.0
    r.strength[1] = 1.0
    if r.head[GOOD_REACTS] != NO or r.head[EVIL_REACTS] != NO:
        length = pattern[LENGTH]
        s = 0
        for t in range(r.head[HORIZON] + 1):
            r.moves[t, 0] = pattern[MOVES + s]
            r.moves[t, 1] = pattern[MOVES + length + s]
            s += 1
            if s == length:
                s = 0
        r.trail[_FORESEEN] = r.head[GUIDES]
        for j in range(r.head[SUBJECTS]):
            r.trail[_FORESEEN] += r.rights[j]
        if r.head[GUIDES] > 0:
            # Its first move stands; the next will follow from where Good really goes.
            r.trail[_Y] = r.guide[0, r.head[GUIDES] - 1, 0]
            r.trail[_X] = r.guide[0, r.head[GUIDES] - 1, 1]
            r.trail[_RUN] = 1
            r.trail[_LAST_Y] = toward(r.path[0, 0], r.path[1, 0], r.head[ROWS], np.uint64(0))
            r.trail[_LAST_X] = toward(r.path[0, 1], r.path[1, 1], r.head[COLS], np.uint64(0))


@rule
def count_company(r):
    """Count who is within the radius of Good and of Evil, where something depends on it."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME]
    if r.head[COMPANY] > 1 or r.head[GOOD_REACTS] == TIRES or r.head[EVIL_REACTS] == TIRES:
        r.around[0] = 0
        r.around[1] = 0
        for j in range(r.head[SUBJECTS]):
            for i in range(2):
                d = distance(
                    r.cell[j, 0], r.cell[j, 1], r.path[t, 2 * i], r.path[t, 2 * i + 1], m, n
                )
                if d <= r.head[RADIUS]:
                    r.around[i] += 1


@rule
def travel(r, t, good, evil):
    """Good and Evil make these moves from where they stand at a time."""
    m = r.head[ROWS]
    n = r.head[COLS]
    gy = r.path[t, 0]
    gx = r.path[t, 1]
    ey = r.path[t, 2]
    ex = r.path[t, 3]
    gy2 = wrap(gy + (good - 1) // 3 - 1, m)
    gx2 = wrap(gx + (good - 1) % 3 - 1, n)
    ey2 = wrap(ey + (evil - 1) // 3 - 1, m)
    ex2 = wrap(ex + (evil - 1) % 3 - 1, n)
    gy2, gx2, ey2, ex2 = give_way(gy, gx, gy2, gx2, ey, ex, ey2, ex2, r.key[0], t)
    r.path[t + 1, 0] = gy2
    r.path[t + 1, 1] = gx2
    r.path[t + 1, 2] = ey2
    r.path[t + 1, 3] = ex2


@rule
def react(r):
    """Good and Evil move, seeing where the subjects have gone.

    The cell after that is then laid out as with nobody near, if anybody sees it: a seat that sees the future, and the
    guide.
    """
    t = r.head[TIME]
    last = r.path[t - 1]
    good = respond(r, r.head[GOOD_REACTS], r.moves[t - 1, 0], last[0], last[1], 0)
    evil = respond(r, r.head[EVIL_REACTS], r.moves[t - 1, 1], last[2], last[3], 1)
    travel(r, t - 1, good, evil)
    if r.trail[_FORESEEN] != 0 and t < r.head[HORIZON]:
        travel(r, t, r.moves[t, 0], r.moves[t, 1])
    if r.head[GUIDES] > 0:
        y, x, run, last_y, last_x = guide_on(
            r,
            r.key[0],
            t,
            r.trail[_Y],
            r.trail[_X],
            r.trail[_RUN],
            r.trail[_LAST_Y],
            r.trail[_LAST_X],
        )
        r.trail[_Y] = y
        r.trail[_X] = x
        r.trail[_RUN] = run
        r.trail[_LAST_Y] = last_y
        r.trail[_LAST_X] = last_x


@rule
def pay(r):
    """Good and Evil move; rewards are read at the new positions (section 4.1.2), by those who feel them."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME]
    if r.head[GOOD_REACTS] != NO or r.head[EVIL_REACTS] != NO:
        react(r)
    gy = r.path[t, 0]
    gx = r.path[t, 1]
    ey = r.path[t, 2]
    ex = r.path[t, 3]
    good_felt = r.strength[0]
    evil_felt = r.strength[1]
    count_company(r)
    if r.head[COMPANY] > 1:
        if r.around[0] >= r.head[COMPANY]:
            r.tally[MET] += 1.0
        else:
            good_felt = 0.0
        if r.head[COMPANY_EVIL] != 0 and r.around[1] < r.head[COMPANY]:
            evil_felt = 0.0
    unequal = r.head[UNEQUAL] != 0
    for j in range(r.head[SUBJECTS]):
        y = r.cell[j, 0]
        x = r.cell[j, 1]
        good = good_felt * r.near[distance(y, x, gy, gx, m, n)]
        evil = evil_felt * r.near[distance(y, x, ey, ex, m, n)]
        r.reward[j] = felt(r, j, good, evil) if unequal else good - evil
    if r.head[GOOD_REACTS] == TIRES:
        tire(r, 0)
    if r.head[EVIL_REACTS] == TIRES:
        tire(r, 1)


@rule
def felt(r, j, good, evil):
    """What Good and Evil are worth to a subject, by its appetites; a sum beyond 1 counts as 1."""
    if r.head[UNEQUAL] != 0:
        return min(1.0, max(-1.0, r.appetite[j, 0] * good - r.appetite[j, 1] * evil))
    return good - evil


@rule
def tire(r, which):
    """An object loses strength while somebody is within its radius, and recovers else."""
    if r.around[which] > 0:
        r.strength[which] = max(0.0, r.strength[which] - r.dial[TIRING])
    else:
        r.strength[which] = min(1.0, r.strength[which] + r.dial[RECOVERY])


@rule
def show(r, j):
    """What the plain search shows; the worth of cells as they would pay now, the subject counted on its arrival."""
    looks = r.looks[j]
    special = r.head[COMPANY] > 1 or r.head[UNEQUAL] != 0
    if r.head[GOOD_REACTS] == TIRES or r.head[EVIL_REACTS] == TIRES:
        special = True
    if r.head[BLIND] != 0 and r.head[TIME] == 0:
        special = False
    if special and looks & LOOKS_REWARDS:
        r.looks[j] = looks & ~LOOKS_REWARDS
        observe(r, j)
        r.looks[j] = looks
        show_worth(r, j)
    else:
        observe(r, j)


@rule
def show_worth(r, j):
    """What the cells around seat j would be worth to it if Good, Evil and all others stayed."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME]
    k = r.head[RANGE]
    y = r.cell[j, 0]
    x = r.cell[j, 1]
    o = r.obs[j]
    gy = r.path[t, 0]
    gx = r.path[t, 1]
    ey = r.path[t, 2]
    ex = r.path[t, 3]
    to_good = distance(y, x, gy, gx, m, n)
    to_evil = distance(y, x, ey, ex, m, n)
    good_felt = r.strength[0]
    evil_felt = r.strength[1]
    if r.head[COMPANY] > 1:
        if t == 0:
            count_company(r)
        own = 1 if to_good <= r.head[RADIUS] else 0
        if r.around[0] - own + 1 < r.head[COMPANY]:
            good_felt = 0.0
        own = 1 if to_evil <= r.head[RADIUS] else 0
        if r.head[COMPANY_EVIL] != 0 and r.around[1] - own + 1 < r.head[COMPANY]:
            evil_felt = 0.0
    if to_good > k + r.head[RADIUS]:
        good_felt = 0.0
    if to_evil > k + r.head[RADIUS]:
        evil_felt = 0.0
    width = 2 * k + 1
    if good_felt == 0.0 and evil_felt == 0.0:
        for i in range(width * width):
            o[FIXED + i] = 0.0
    else:
        at = FIXED
        for h in range(width):
            yy = wrap(y + h - k, m)
            g = gap(yy, gy, m)
            e = gap(yy, ey, m)
            for i in range(width):
                xx = wrap(x + i - k, n)
                good = good_felt * r.near[max(g, gap(xx, gx, n))]
                evil = evil_felt * r.near[max(e, gap(xx, ex, n))]
                o[at] = felt(r, j, good, evil)
                at += 1


@rule
def conclude(r, out):
    """In what share of the interactions the company of Good was complete."""
    out[MET] = r.tally[MET] / max(r.head[TIME], 1)


RULES = rules_of(prepare, pay, show, conclude)
