"""Minds that go where nobody of their group has been, compiled: for the question of coverage."""

from mensura.core.compiled import choice, int64, rule
from mensura.worlds.lambda_star.torus.kernels.memory import (
    COLS,
    GAME_SLOT,
    RANGE,
    ROWS,
    approach,
)
from mensura.worlds.lambda_star.torus.kernels.row import ITERATION, OWN_COL, OWN_ROW, gap, wrap

DISPERSAL = 100
"""A kind of mind, by a number that no other game has."""

_SLOT_CELL = GAME_SLOT


@rule
def tell(mind, j, o):
    """Mark the cells in sight with the time at which they were last seen, counted from 1."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    k = mind.head[RANGE]
    for h in range(2 * k + 1):
        base = wrap(int64(o[OWN_ROW]) + h - k, m) * n
        for i in range(2 * k + 1):
            mind.fake[base + wrap(int64(o[OWN_COL]) + i - k, n)] = o[ITERATION] + 1.0


@rule
def act(mind, j, o, reward):
    """One step towards the nearest of the cells that were seen longest ago, or never; ties drawn evenly."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    y = int64(o[OWN_ROW])
    x = int64(o[OWN_COL])
    t = int64(o[ITERATION])
    oldest = mind.fake[0]
    for c in range(1, m * n):
        oldest = min(oldest, mind.fake[c])
    nearest = m + n
    ties = 0
    for cy in range(m):
        down = gap(y, cy, m)
        for cx in range(n):
            if mind.fake[cy * n + cx] == oldest:
                d = max(down, gap(x, cx, n))
                if d < nearest:
                    nearest = d
                    ties = 1
                elif d == nearest:
                    ties += 1
    left = choice(mind.key[j], t, _SLOT_CELL, ties)
    goal_y = y
    goal_x = x
    for cy in range(m):
        down = gap(y, cy, m)
        for cx in range(n):
            if mind.fake[cy * n + cx] == oldest and max(down, gap(x, cx, n)) == nearest:
                if left == 0:
                    goal_y = cy
                    goal_x = cx
                left -= 1
    return approach(mind, o, goal_y, goal_x, mind.key[j], t)
