"""The fitness landscape (section 6.2 of the paper): a cell pays what it is worth, and few are worth much.

The values of cells, and which of them lie in the basin of the best, come with the description; what subjects have
stood on is marked as they go. A drifting landscape is carried as a whole over the torus, in one of eight directions
drawn for the episode. One that reacts is carried so that its summit flees from subjects or follows them, or its cells
tire of them. :mod:`~mensura.worlds.lambda_star.games.landscape.kernels.terrain` draws landscapes.
"""

import numpy as np

from mensura.core.compiled import below, draw, int64, rule
from mensura.worlds.lambda_star.torus.kernels.interaction import (
    GAME_SLOT,
    rules_of,
    show_company,
    show_field,
)
from mensura.worlds.lambda_star.torus.kernels.reactions import FLEES, FOLLOWS, NO, TIRES, respond
from mensura.worlds.lambda_star.torus.kernels.row import (
    COLS,
    GAME_DIAL,
    GAME_TALLY,
    HORIZON,
    RECOVERY,
    ROWS,
    STAY,
    SUBJECTS,
    TIME,
    TIRING,
    wrap,
)

# Planes of the field: what cells are worth now, the basin of the best, what somebody has stood on; then, where cells
# tire, how high they are and how strong.
PLANES_OF_FIELD = 5

# Steps of the landscape in an interaction, and how it reacts.
DRIFT, REACTS = range(GAME_DIAL, GAME_DIAL + 2)

# The tally: moves onto new cells and time in the best basin by thirds of the episode, the best values so far added
# up, when the best cell was first stood on; then the best so far, how far the landscape has been carried, and where
# its summit was drawn.
NEW = GAME_TALLY
IN_BASIN = GAME_TALLY + 3
BEST_SUM, FOUND, BEST, DRIFTED_ROW, DRIFTED_COL, SUMMIT_ROW, SUMMIT_COL = range(
    GAME_TALLY + 6, GAME_TALLY + 13
)


@rule
def prepare(r, pattern, key):
    """Lay the landscape out; nobody has stood anywhere."""
    cells = r.head[ROWS] * r.head[COLS]
    f = pattern.view(np.float64)
    for i in range(2 * cells):
        r.field[i] = f[i]
    for i in range(2 * cells, 3 * cells):
        r.field[i] = 0.0
    r.tally[BEST] = -1.0
    r.tally[FOUND] = r.head[HORIZON] + 1.0
    reacts = int64(r.dial[REACTS])
    if reacts == TIRES:
        for i in range(cells):
            r.field[3 * cells + i] = f[i]
            r.field[4 * cells + i] = 1.0
    elif reacts != NO:
        top = 0
        for i in range(cells):
            if f[i] > f[top]:
                top = i
        r.tally[SUMMIT_ROW] = top // r.head[COLS]
        r.tally[SUMMIT_COL] = top % r.head[COLS]


@rule
def carry(r):
    """The landscape makes its steps of this interaction, all in the direction that the episode's key draws."""
    drift = r.dial[DRIFT]
    if drift > 0.0:
        t = r.head[TIME]
        # A hair's breadth against rounding: a tenth of a step makes a step in ten interactions.
        steps = int64(drift * t + 1e-9) - int64(drift * (t - 1) + 1e-9)
        if steps > 0:
            way = below(draw(r.key[0], 0, GAME_SLOT), 8)
            shift(r, way + way // 4)  # the fifth of nine is to stay
    reacts = int64(r.dial[REACTS])
    if reacts == FLEES or reacts == FOLLOWS:
        y = wrap(int64(r.tally[SUMMIT_ROW] + r.tally[DRIFTED_ROW]), r.head[ROWS])
        x = wrap(int64(r.tally[SUMMIT_COL] + r.tally[DRIFTED_COL]), r.head[COLS])
        shift(r, respond(r, reacts, STAY, y, x, 0) - 1)


@rule
def shift(r, way):
    """Carry the landscape one step, one of nine from 0 on."""
    r.tally[DRIFTED_ROW] = wrap(int64(r.tally[DRIFTED_ROW]) + way // 3 - 1, r.head[ROWS])
    r.tally[DRIFTED_COL] = wrap(int64(r.tally[DRIFTED_COL]) + way % 3 - 1, r.head[COLS])


@rule
def tire(r):
    """Cells on which somebody stands lose strength, and so what they are worth; the others recover."""
    m = r.head[ROWS]
    n = r.head[COLS]
    cells = m * n
    dy = int64(r.tally[DRIFTED_ROW])
    dx = int64(r.tally[DRIFTED_COL])
    strength = r.field[4 * cells : 5 * cells]
    for j in range(r.head[SUBJECTS]):
        at = wrap(r.cell[j, 0] - dy, m) * n + wrap(r.cell[j, 1] - dx, n)
        # Several on a cell tire it as one does.
        first = True
        for i in range(j):
            if r.cell[i, 0] == r.cell[j, 0] and r.cell[i, 1] == r.cell[j, 1]:
                first = False
        if first:
            strength[at] -= r.dial[TIRING] + r.dial[RECOVERY]
    for i in range(cells):
        strength[i] = min(1.0, max(0.0, strength[i] + r.dial[RECOVERY]))
        r.field[i] = strength[i] * r.field[3 * cells + i]


@rule
def settle(r):
    """The cells where subjects begin are not new to them."""
    n = r.head[COLS]
    visited = 2 * r.head[ROWS] * n
    for j in range(r.head[SUBJECTS]):
        r.field[visited + r.cell[j, 0] * n + r.cell[j, 1]] = 1.0


@rule
def pay(r):
    """Everybody gets what its cell is worth."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME]
    carry(r)
    dy = int64(r.tally[DRIFTED_ROW])
    dx = int64(r.tally[DRIFTED_COL])
    basin = m * n
    visited = 2 * basin
    best = r.tally[BEST]
    new = 0.0
    inside = 0.0
    for j in range(r.head[SUBJECTS]):
        y = r.cell[j, 0]
        x = r.cell[j, 1]
        here = visited + y * n + x
        new += 1.0 - r.field[here]
        r.field[here] = 1.0
        at = wrap(y - dy, m) * n + wrap(x - dx, n)
        worth = r.field[at]
        inside += r.field[basin + at]
        r.reward[j] = worth
        best = max(best, worth)
    third = (t - 1) * 3 // r.head[HORIZON]
    r.tally[NEW + third] += new
    r.tally[IN_BASIN + third] += inside
    if best == 1.0 and r.tally[BEST] < 1.0:
        r.tally[FOUND] = t
    r.tally[BEST] = best
    r.tally[BEST_SUM] += best
    if int64(r.dial[REACTS]) == TIRES:
        tire(r)


@rule
def show(r, j):
    """What the cells in sight are worth, where the landscape has drifted to."""
    show_company(r, j)
    y = wrap(r.cell[j, 0] - int64(r.tally[DRIFTED_ROW]), r.head[ROWS])
    x = wrap(r.cell[j, 1] - int64(r.tally[DRIFTED_COL]), r.head[COLS])
    show_field(r, j, y, x)


@rule
def conclude(r, out):
    """Counts as shares; a third without interactions has 0."""
    t = r.head[TIME]
    horizon = r.head[HORIZON]
    for third in range(3):
        first = (third * horizon + 2) // 3
        last = ((third + 1) * horizon + 2) // 3
        moves = float(max(min(t, last) - first, 0) * r.head[SUBJECTS])
        out[NEW + third] = r.tally[NEW + third] / moves if moves > 0.0 else 0.0
        out[IN_BASIN + third] = r.tally[IN_BASIN + third] / moves if moves > 0.0 else 0.0
    out[BEST_SUM] = r.tally[BEST_SUM] / t if t > 0 else 0.0
    out[FOUND] = r.tally[FOUND]


RULES = rules_of(prepare, pay, show, conclude, settle)
