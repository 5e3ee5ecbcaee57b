"""The minds of the commons: greedy, prudent, and a group that agrees on quotas."""

from mensura.core.compiled import below, draw, int64, rule
from mensura.worlds.lambda_star.torus.kernels.memory import (
    COLS,
    GAME_SLOT,
    OWN_RATE,
    RANGE,
    ROWS,
    SEATS,
    pick,
    step_to,
)
from mensura.worlds.lambda_star.torus.kernels.minds import minds_of
from mensura.worlds.lambda_star.torus.kernels.row import (
    FIXED,
    ITERATION,
    MOVES_OF_ONE,
    OWN_COL,
    OWN_ROW,
    STAY,
    wrap,
)

# Kinds of minds, by numbers that no other game has.
GREEDY, PRUDENT, QUOTA = range(40, 43)

_SLOT_WAY, _SLOT_ANY = range(GAME_SLOT, GAME_SLOT + 2)

# What a member of a group with quotas keeps: how many harvests it may make, what it is going to do, and how many
# members there are.
_ALLOWED, _ACTION, _MEMBERS = range(3)


@rule
def tell(mind, j, o):
    """A member of a group with quotas claims a cell; the others of this module are silent."""
    if mind.kind[j] == QUOTA:
        claim(mind, j, o)


@rule
def act(mind, j, o, reward):
    """The action of seat j."""
    kind = mind.kind[j]
    a = STAY
    if kind == GREEDY:
        a = take(mind, j, o)
    elif kind == PRUDENT:
        a = spare(mind, j, o)
    else:
        a = int64(mind.kept[j, _ACTION])
    return a


@rule
def next_to(o, k, action):
    """What the cell is worth to which a move leads."""
    step = action - 1
    return o[FIXED + (k + step // 3 - 1) * (2 * k + 1) + k + step % 3 - 1]


@rule
def take(mind, j, o):
    """Greedy: towards the richest cell in sight, harvesting on the way whenever there is something."""
    k = mind.head[RANGE]
    width = 2 * k + 1
    at = pick(o, FIXED, width * width, mind.key[j], int64(o[ITERATION]), _SLOT_WAY)
    a = step_to(at, k, width)
    return a + MOVES_OF_ONE if next_to(o, k, a) > 0.0 else a


@rule
def spare(mind, j, o):
    """Prudent: to any cell within a step whose stock is above ``level``, and harvest it; else anywhere, and do not.

    A stock s grows by s (1 - s), fastest at one half. Any such cell rather than the richest: those who see the same
    would else all harvest the same.
    """
    k = mind.head[RANGE]
    key = mind.key[j]
    t = int64(o[ITERATION])
    level = mind.rate[j, OWN_RATE]
    rich = 0
    for a in range(1, MOVES_OF_ONE + 1):
        if next_to(o, k, a) > level:
            rich += 1
    chosen = 1 + below(draw(key, t, _SLOT_ANY), MOVES_OF_ONE)
    if rich > 0:
        left = below(draw(key, t, _SLOT_WAY), rich)
        for a in range(1, MOVES_OF_ONE + 1):
            if next_to(o, k, a) > level:
                if left == 0:
                    chosen = a + MOVES_OF_ONE
                left -= 1
    return chosen


@rule
def claim(mind, j, o):
    """Quota: the group agrees that a cell bears one harvest in ``rest`` interactions, and on equal shares in that.

    Each member may make cells / (rest members) harvests in an interaction, and saves up what is less than one; it
    claims the richest cell within a step that nobody has claimed in this interaction, and harvests when it may.
    The field of claims holds the number of the interaction, from 1, in which a cell was last claimed.
    """
    k = mind.head[RANGE]
    m = mind.head[ROWS]
    n = mind.head[COLS]
    now = o[ITERATION] + 1.0
    own = mind.kept[j]
    if now == 1.0:
        for i in range(mind.head[SEATS]):
            if mind.kind[i] == QUOTA:
                own[_MEMBERS] += 1.0
        own[_ALLOWED] = mind.rank[j] / own[_MEMBERS]  # one after the other, not all at once
    allowance = m * n / (mind.rate[j, OWN_RATE] * own[_MEMBERS])
    own[_ALLOWED] = min(own[_ALLOWED] + allowance, 2.0)
    best = 0
    cell = -1
    for a in range(1, MOVES_OF_ONE + 1):
        y = wrap(int64(o[OWN_ROW]) + (a - 1) // 3 - 1, m)
        x = wrap(int64(o[OWN_COL]) + (a - 1) % 3 - 1, n)
        free = mind.fake[y * n + x] != now
        if free and (best == 0 or next_to(o, k, a) > next_to(o, k, best)):
            best = a
            cell = y * n + x
    own[_ACTION] = STAY
    if best > 0:
        mind.fake[cell] = now
        own[_ACTION] = best
        if own[_ALLOWED] >= 1.0 and next_to(o, k, best) > 0.0:
            own[_ACTION] = best + MOVES_OF_ONE
            own[_ALLOWED] -= 1.0


MINDS = minds_of(tell, act, 2 * MOVES_OF_ONE)
