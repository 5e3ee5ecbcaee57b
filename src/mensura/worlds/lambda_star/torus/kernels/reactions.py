"""How what is in an environment responds to subjects: it flees from them, follows them, or tires of them.

Section 6.1 of the paper asks for environments that respond to what subjects do; the rules are ours.
"""

import numpy as np

from mensura.core.compiled import below, draw, int64, rule
from mensura.worlds.lambda_star.torus.kernels.interaction import GAME_SLOT
from mensura.worlds.lambda_star.torus.kernels.row import (
    COLS,
    ROWS,
    SENSE,
    SUBJECTS,
    TIME,
    distance,
    gap,
    wrap,
)

NO, FLEES, FOLLOWS, TIRES = range(4)

# Slots of the draws under an episode's key: whom an object notices, and which way it goes, for two objects.
_SLOT_WHOM, _SLOT_WAY = GAME_SLOT, GAME_SLOT + 2


@rule
def respond(r, how, a, y, x, slot):
    """The move, from 1 to 9, of an object on (y, x) whose pattern makes the move ``a``.

    One that flees or follows turns to the nearest subject within its sense, ties drawn evenly, and takes the Moore
    step that leads farthest from it or nearest to it, ties drawn evenly.
    """
    if how == FLEES or how == FOLLOWS:
        m = r.head[ROWS]
        n = r.head[COLS]
        t = r.head[TIME]
        best = r.head[SENSE] + 1
        ties = 0
        whom = 0
        for j in range(r.head[SUBJECTS]):
            d = distance(r.cell[j, 0], r.cell[j, 1], y, x, m, n)
            if d < best:
                best = d
                ties = 1
                whom = j
            elif d == best and ties > 0:
                ties += 1
        if ties > 1:
            left = below(draw(r.key[0], t, _SLOT_WHOM + slot), ties)
            for j in range(whom, r.head[SUBJECTS]):
                if distance(r.cell[j, 0], r.cell[j, 1], y, x, m, n) == best:
                    if left == 0:
                        whom = j
                        break
                    left -= 1
        if ties > 0:
            z = draw(r.key[0], t, _SLOT_WAY + slot)
            a = way(how, y, x, r.cell[whom, 0], r.cell[whom, 1], m, n, z)
    return a


_SETS = np.arange(512)[:, None] >> np.arange(9) & 1
"""All sets of Moore steps, as nine bits each."""
_COUNT = _SETS.sum(axis=1)
_NTH = np.zeros((512, 9), np.int64)
"""The steps of each set from the first on, by their numbers from 1 to 9."""
for _i, _members in enumerate(_SETS):
    _NTH[_i, : _COUNT[_i]] = np.flatnonzero(_members) + 1


@rule
def way(how, y, x, sy, sx, m, n, z):
    """The Moore step from (y, x), from 1 to 9, that leads farthest from (sy, sx) or nearest to it; z draws among ties.

    A distance is the larger of those of rows and of columns, so that three of each tell all nine.
    """
    up = gap(wrap(y - 1, m), sy, m)
    level = gap(y, sy, m)
    down = gap(wrap(y + 1, m), sy, m)
    left = gap(wrap(x - 1, n), sx, n)
    here = gap(x, sx, n)
    right = gap(wrap(x + 1, n), sx, n)
    if how == FLEES:
        top = max(max(up, level, down), max(left, here, right))
    else:
        top = max(min(up, level, down), min(left, here, right))
    # The steps to a row, from left to right, as three bits; of those to a row at a distance of d.
    if how == FLEES:
        some = int64(left == top) | int64(here == top) << 1 | int64(right == top) << 2
        rows = (
            (7 if up == top else some)
            | (7 if level == top else some) << 3
            | (7 if down == top else some) << 6
        )
    else:
        some = int64(left <= top) | int64(here <= top) << 1 | int64(right <= top) << 2
        rows = (
            (some if up <= top else 0)
            | (some if level <= top else 0) << 3
            | (some if down <= top else 0) << 6
        )
    return _NTH[rows, below(z, _COUNT[rows])]
