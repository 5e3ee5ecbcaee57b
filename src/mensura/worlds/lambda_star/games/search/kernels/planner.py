"""A planner for the search, compiled: it keeps track of where Good and Evil may be, predicts them, and looks ahead.

It knows the rules, that is, how far Good and Evil are felt and that they move by one cell, and sees what everybody
sees: the rewards around it. Of each object it has

- a belief, the probability of every cell. It spreads by one cell with each interaction and is then weighed by how well
  the rewards in sight fit, as in the grid filters of robots (Burgard, Fox, Hennig and Schmidt, 1996). The weight has
  heavy tails, so that an observation that is wrong or noisy counts for little and not for everything;
- a record of the cells in which it was sure to be. Patterns recur, so the record is compared with itself at every
  distance in time, and the distance at which it agreed most reliably, by the estimator of Krichevsky and Trofimov
  (1981), tells where the object will be.

What cells are expected to pay in the interactions to come then gives the best move by dynamic programming. Everything
is forgotten after an episode.
"""

import numpy as np

from mensura.core.compiled import below, draw, float64, int64, rule
from mensura.worlds.lambda_star.torus.kernels.memory import (
    COLS,
    GAME_SLOT,
    HORIZON,
    OWN_RATE,
    RANGE,
    ROWS,
)
from mensura.worlds.lambda_star.torus.kernels.row import (
    FIXED,
    MOVES_OF_ONE,
    OWN_COL,
    OWN_ROW,
    gap,
    wrap,
)

PLANNER = 101
"""A kind of mind, by a number that no other game has."""

# Parameters, in the order in which the kind lists them.
_GAMMA, _LOOKAHEAD = range(OWN_RATE, OWN_RATE + 2)

_SLOT_PLAN = GAME_SLOT + 1
_COUNT = 0
"""The place, among what a seat keeps for an episode, of how many interactions it has seen."""

_MISFIT = 0.05
"""Squared errors of rewards in sight that halve the odds, nearly: small beside those of an object in a wrong cell."""
_SURE = 0.5
"""The belief from which on the cell of an object goes into the record."""


def plan_size(cells: int, horizon: int, lookahead: int) -> int:
    """How many numbers the memory of one planner takes, at the end of its group's row."""
    return 1 + (6 + lookahead) * cells + 6 * (horizon + 1)


@rule
def misfit_of(o, sign, cy, cx, m, n, k, radius):
    """The squared errors of the rewards in sight, of this sign, if an object of that sign were on a cell."""
    y = int64(o[OWN_ROW])
    x = int64(o[OWN_COL])
    misfit = 0.0
    at = FIXED
    for h in range(2 * k + 1):
        down = gap(wrap(y + h - k, m), cy, m)
        for i in range(2 * k + 1):
            d = max(down, gap(wrap(x + i - k, n), cx, n))
            v = max(0.0, sign * o[at])
            if d <= radius:
                v -= 1.0 / (d + 1.0)
            misfit += v * v
            at += 1
    return misfit


@rule
def weigh(f, belief, o, sign, m, n, k, radius):
    """Bayes' rule: weigh the belief about an object, whose rewards have this sign, by how well those in sight fit."""
    y = int64(o[OWN_ROW])
    x = int64(o[OWN_COL])
    misfit = 0.0
    for i in range((2 * k + 1) * (2 * k + 1)):
        v = max(0.0, sign * o[FIXED + i])
        misfit += v * v
    odds = 1.0 + misfit / _MISFIT
    absent = 1.0 / (odds * odds)
    total = 0.0
    at = belief
    for cy in range(m):
        down = gap(y, cy, m)
        for cx in range(n):
            likely = absent
            if max(down, gap(x, cx, n)) <= k + radius:
                odds = 1.0 + misfit_of(o, sign, cy, cx, m, n, k, radius) / _MISFIT
                likely = 1.0 / (odds * odds)
            f[at] *= likely
            total += f[at]
            at += 1
    for c in range(belief, at):
        f[c] /= total


@rule
def note(f, belief, record, t, steps, cells):
    """Write down where an object is, if that is sure, and whether each distance in time agrees with it."""
    top = belief
    for c in range(belief + 1, belief + cells):
        if f[c] > f[top]:
            top = c
    cell = -1.0
    if f[top] > _SURE:
        cell = float64(top - belief)
        for p in range(1, t + 1):
            before = f[record + t - p]
            if before == cell:
                f[record + steps + p] += 1.0
            elif before >= 0.0:
                f[record + 2 * steps + p] += 1.0
    f[record + t] = cell


@rule
def foreseen(f, record, t, ahead, steps):
    """The cell, and how reliable that is, in which the record says that an object will be; ``t`` is its last time."""
    trust = 0.0
    cell = 0
    for p in range(ahead, min(t + ahead, steps - 1) + 1):
        before = f[record + t + ahead - p]
        hits = f[record + steps + p]
        if before >= 0.0 and hits > 0.0:
            rate = (hits + 0.5) / (hits + f[record + 2 * steps + p] + 1.0)
            if rate > trust:
                trust = rate
                cell = int64(before)
    return cell, trust


@rule
def add_around(f, field, to, spare, share, m, n):
    """The sum of each cell and the eight around it, times a share."""
    for y in range(m):
        row = field + y * n
        last = f[row + n - 1]
        here = f[row]
        for x in range(n):
            following = f[row + wrap(x + 1, n)]
            f[spare + y * n + x] = last + here + following
            last = here
            here = following
    for y in range(m):
        up = spare + wrap(y - 1, m) * n
        row = spare + y * n
        down = spare + wrap(y + 1, m) * n
        for x in range(n):
            f[to + y * n + x] = share * (f[up + x] + f[row + x] + f[down + x])


@rule
def best_around(f, field, to, spare, m, n):
    """The highest of each cell and the eight around it."""
    for y in range(m):
        row = field + y * n
        last = f[row + n - 1]
        here = f[row]
        for x in range(n):
            following = f[row + wrap(x + 1, n)]
            f[spare + y * n + x] = max(here, max(last, following))
            last = here
            here = following
    for y in range(m):
        up = spare + wrap(y - 1, m) * n
        row = spare + y * n
        down = spare + wrap(y + 1, m) * n
        for x in range(n):
            f[to + y * n + x] = max(f[row + x], max(f[up + x], f[down + x]))


@rule
def expect(f, good, evil, spare, worth, m, n, radius):
    """What each cell is expected to pay, given the beliefs about Good and Evil; each cell around it counts once."""
    for c in range(m * n):
        f[spare + c] = f[good + c] - f[evil + c]
        f[worth + c] = 0.0
    for h in range(-min(radius, (m - 1) // 2), min(radius, m // 2) + 1):
        for i in range(-min(radius, (n - 1) // 2), min(radius, n // 2) + 1):
            near = 1.0 / (max(abs(h), abs(i)) + 1.0)
            for y in range(m):
                row = spare + wrap(y + h, m) * n
                to = worth + y * n
                for x in range(n):
                    f[to + x] += near * f[row + wrap(x + i, n)]


@rule
def act(mind, j, o):
    """The move with the best expected reward, discounted, over the interactions to come; ties drawn evenly."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    cells = m * n
    steps = mind.head[HORIZON] + 1
    lookahead = int64(mind.rate[j, _LOOKAHEAD])
    f = mind.row.view(np.float64)
    first = mind.table[j]
    radius = int64(f[first])
    beliefs = first + 1
    ahead = beliefs + 2 * cells
    spare = ahead + 2 * cells
    value = spare + cells
    worth = value + cells
    records = worth + lookahead * cells
    count = int64(mind.kept[j, _COUNT])
    t = min(count, steps - 1)
    if count == 0:
        for c in range(beliefs, ahead):
            f[c] = 1.0 / cells
        for i in range(records, records + 6 * steps):
            f[i] = 0.0
    mind.kept[j, _COUNT] = count + 1.0
    # The step before the first leads from the last interaction to this one, and then it is seen where things are.
    for step in range(-1, lookahead):
        for i in range(2):
            belief = beliefs + i * cells
            to = belief if step < 0 else ahead + i * cells
            record = records + 3 * i * steps
            if step >= 0 or count > 0:
                known = t if step >= 0 else t - 1
                cell, trust = foreseen(f, record, known, max(step, 0) + 1, steps)
                source = belief if step <= 0 else to
                add_around(f, source, to, spare, (1.0 - trust) / MOVES_OF_ONE, m, n)
                f[to + cell] += trust
            if step < 0:
                weigh(f, belief, o, 1.0 - 2.0 * i, m, n, mind.head[RANGE], radius)
                note(f, belief, record, t, steps, cells)
        if step >= 0:
            expect(f, ahead, ahead + cells, spare, worth + step * cells, m, n, radius)
    for c in range(value, value + cells):
        f[c] = 0.0
    for step in range(lookahead - 1, -1, -1):
        going = worth + step * cells
        for c in range(cells):
            f[going + c] += mind.rate[j, _GAMMA] * f[value + c]
        if step > 0:
            best_around(f, going, value, spare, m, n)
    return choose(f, worth, o, m, n, draw(mind.key[j], t, _SLOT_PLAN))


@rule
def choose(f, worth, o, m, n, z):
    """The move to the best cell in reach, ties drawn evenly by 64 random bits."""
    top = -np.inf
    ties = 0
    for a in range(MOVES_OF_ONE):
        y = wrap(int64(o[OWN_ROW]) + a // 3 - 1, m)
        x = wrap(int64(o[OWN_COL]) + a % 3 - 1, n)
        v = f[worth + y * n + x]
        if v > top:
            top = v
            ties = 0
        if v == top:
            ties += 1
    left = below(z, ties)
    chosen = 0
    for a in range(MOVES_OF_ONE):
        y = wrap(int64(o[OWN_ROW]) + a // 3 - 1, m)
        x = wrap(int64(o[OWN_COL]) + a % 3 - 1, n)
        if f[worth + y * n + x] == top:
            if left == 0:
                chosen = a + 1
            left -= 1
    return chosen
