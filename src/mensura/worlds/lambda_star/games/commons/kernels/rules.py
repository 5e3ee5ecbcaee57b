"""The tragedy of the commons (Hardin, 1968; section 6.3 of the paper): a stock on the cells that all may harvest.

Each cell has a stock s from 0 to 1. In an interaction everybody moves; each who harvests on a cell takes the share
``bite`` of what is there, one after the other, and they divide what they took evenly; then stocks regrow:

- by ``renewal`` s (1 - s) where s is at least ``threshold`` and not 0 (the logistic growth of Verhulst, with the
  threshold of Allee where there is one);
- else by ``spread`` times the mean stock of the eight neighbors: not at all where ``spread`` is 0.

The reward is what one took, in units of what one gets from a full cell by oneself: from 0 to 1.
"""

import numpy as np

from mensura.core.compiled import door, int64, prf, rule, unit
from mensura.worlds.lambda_star.torus.kernels.interaction import rules_of, show_company, show_field
from mensura.worlds.lambda_star.torus.kernels.row import (
    COLS,
    GAME_DIAL,
    GAME_TALLY,
    HORIZON,
    ROWS,
    SUBJECTS,
    TIME,
    wrap,
)

LONGEST_REST = 10_000
"""How long a cell may rest between harvests in the reckoning of what is sustainable."""
COLLAPSED = 0.1
"""Below this share of the capacity of all cells the commons counts as collapsed."""

# Planes of the field: stocks, and a second for what happens to them within an interaction.
PLANES_OF_FIELD = 2

GROWTH, BITE, THRESHOLD, SPREAD, SUSTAINABLE = range(GAME_DIAL, GAME_DIAL + 5)

# The tally: all that was harvested, when the commons collapsed, the stock now; inequality has a place to be told.
HARVESTED, COLLAPSE, STOCK, INEQUALITY = range(GAME_TALLY, GAME_TALLY + 4)


@rule
def all_stocks(r):
    """What is left on all cells together."""
    total = 0.0
    for i in range(r.head[ROWS] * r.head[COLS]):
        total += r.field[i]
    return total


@rule
def prepare(r, pattern, key):
    """Lay the stocks out."""
    cells = r.head[ROWS] * r.head[COLS]
    f = pattern.view(np.float64)
    for i in range(cells):
        r.field[i] = f[i]
    r.tally[STOCK] = all_stocks(r)
    r.tally[COLLAPSE] = r.head[HORIZON] + 1.0


@rule
def harvest(r):
    """Who harvests takes its part; what each took in all is kept where other games keep signals.

    So many harvests on a cell leave (1 - bite)**so many of its stock. The second plane counts them, then holds what
    each of them gets, as a negative number.
    """
    n = r.head[COLS]
    cells = r.head[ROWS] * n
    bite = r.dial[BITE]
    seats = r.head[SUBJECTS]
    taken = 0.0
    for j in range(seats):
        r.reward[j] = 0.0
        if r.deed[j] != 0:
            r.field[cells + r.cell[j, 0] * n + r.cell[j, 1]] = 0.0
    for j in range(seats):
        if r.deed[j] != 0:
            r.field[cells + r.cell[j, 0] * n + r.cell[j, 1]] += 1.0
    for j in range(seats):
        if r.deed[j] != 0:
            at = r.cell[j, 0] * n + r.cell[j, 1]
            many = r.field[cells + at]
            if many > 0.0:
                stock = r.field[at]
                kept = 1.0
                for _ in range(int64(many)):
                    kept *= 1.0 - bite
                share = 1.0
                if many > 1.0:
                    share = min((1.0 - kept) / (many * bite), 1.0)
                r.field[at] = stock * kept
                r.field[cells + at] = -stock * share
            r.reward[j] = -r.field[cells + at]
            r.signal[j] += bite * r.reward[j]
            taken += bite * r.reward[j]
    r.tally[HARVESTED] += taken
    r.tally[STOCK] -= taken


@rule
def regrow(r):
    """Stocks grow, each by itself or from its neighbors."""
    m = r.head[ROWS]
    n = r.head[COLS]
    cells = m * n
    growth = r.dial[GROWTH]
    threshold = r.dial[THRESHOLD]
    spread = r.dial[SPREAD]
    if spread > 0.0:
        for i in range(cells):
            r.field[cells + i] = r.field[i]
        for i in range(cells):
            s = r.field[i]
            if s < threshold or s == 0.0:
                y = i // n
                x = i % n
                around = -s
                for h in range(3):
                    base = cells + wrap(y + h - 1, m) * n
                    for k in range(3):
                        around += r.field[base + wrap(x + k - 1, n)]
                s = min(s + spread * around / 8.0, 1.0)
            else:
                s += growth * s * (1.0 - s)
            r.field[i] = s
    else:
        stocks = r.field[0:cells]
        for i in range(cells):
            s = stocks[i]
            stocks[i] = s + (growth * s * (1.0 - s) if s >= threshold else 0.0)


@rule
def pay(r):
    """Harvest, then regrowth.

    Stocks are counted only where they may have collapsed: else they lose no more than what is harvested.
    """
    harvest(r)
    regrow(r)
    least = COLLAPSED * r.head[ROWS] * r.head[COLS]
    if r.tally[STOCK] < least * (1.0 + 1e-9) and r.tally[COLLAPSE] > r.head[HORIZON]:
        r.tally[STOCK] = all_stocks(r)
        if r.tally[STOCK] < least:
            r.tally[COLLAPSE] = r.head[TIME]


@rule
def show(r, j):
    """What a harvest would yield on the cells in sight."""
    show_company(r, j)
    show_field(r, j, r.cell[j, 0], r.cell[j, 1])


@rule
def conclude(r, out):
    """What was harvested, when it collapsed, what is left, and how unequal harvests were.

    The Gini coefficient: the mean difference of two subjects over twice the mean.
    """
    seats = r.head[SUBJECTS]
    sustained = r.dial[SUSTAINABLE] * r.head[TIME]
    out[HARVESTED] = r.tally[HARVESTED] / sustained if sustained > 0.0 else 0.0
    out[COLLAPSE] = r.tally[COLLAPSE]
    out[STOCK] = all_stocks(r) / (r.head[ROWS] * r.head[COLS])
    apart = 0.0
    for j in range(seats):
        for i in range(j):
            apart += abs(r.signal[j] - r.signal[i])
    total = r.tally[HARVESTED]
    out[INEQUALITY] = apart / (seats * total) if total > 0.0 else 0.0


RULES = rules_of(prepare, pay, show, conclude)


@rule
def settled(rest, growth, bite, threshold, spread, used):
    """The stock before each harvest at which cells settle that are harvested once every ``rest`` interactions.

    From full cells on, round after round until nothing changes. Where stocks spread, the neighbors of a cell are taken
    to hold the mean of all cells, of which the share ``used`` is harvested and the others are full.
    """
    stock = 1.0
    mean = 1.0
    for _ in range(2000):
        s = (1.0 - bite) * stock
        if spread == 0.0 and (s < threshold or s < 1e-9):  # it never comes back, or goes on to 0
            return 0.0
        total = 0.0
        for _ in range(rest):
            if s >= threshold and s > 0.0:
                s += growth * s * (1.0 - s)
            else:
                s = min(s + spread * mean, 1.0)
            total += s
        mean = used * total / rest + (1.0 - used)
        done = abs(s - stock) < 1e-12
        stock = s
        if done:
            break
    return stock


@rule
def best_rotation(cells, subjects, growth, bite, threshold, spread):
    """The most that can be harvested in an interaction for ever, each cell once every T interactions.

    So many subjects make so many harvests in an interaction, which reach min(cells, subjects T) cells. Before each
    harvest a cell holds x(T), such that what is left, (1 - bite) x, regrows to x in T steps. The best T gives the max
    over T of min(cells, subjects T) bite x(T) / T. Where stocks do not spread it is never more than cells renewal / 4,
    the maximum sustained yield of Schaefer (1954), nor than subjects bite.
    """
    best = 0.0
    for rest in range(1, LONGEST_REST + 1):
        reached = min(cells, subjects * rest)
        # No longer rest can bring more than full cells each time.
        if reached == cells and reached * bite / rest <= best:
            break
        x = settled(rest, growth, bite, threshold, spread, reached / cells)
        best = max(best, reached * bite * x / rest)
    return best


@door
def rotation_door(cells, subjects, growth, bite, threshold, spread):
    """The sustainable maximum."""
    return best_rotation(cells, subjects, growth, bite, threshold, spread)


@door
def sample_door(rows, keys, initial):
    """Draw the stocks of commons: evenly from ``initial`` to 1, cell by cell."""
    for item in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            rows[item, i] = initial + (1.0 - initial) * unit(prf(keys[item], i, 0))
