"""The row of memory that the minds of a group share, and what every mind does with what it sees.

:class:`Mind` names the parts of the row, which is owned by the caller.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import below, draw, int64, matrix, rule
from mensura.worlds.lambda_star.torus.kernels.row import OWN_COL, OWN_ROW, toward, wrap

# The head of a group's row.
SEATS, ROWS, COLS, RANGE, TABLES, HORIZON, LEARNING, FIELDS, ACTIONS, HEARING, OVERHEARD = range(11)
"""FIELDS says whether the group has shared fields over the cells, ACTIONS how many actions there are: 9 or 18; HEARING
how far what is told carries, 0 for everywhere; OVERHEARD whether it is counted."""
HEAD = 12

FIRST_OF_GAMES = 20
"""The kinds of minds that every game knows have lower numbers; each game has numbers of its own from here on."""

# Parameters of each seat: those of search, then all of its kind in the order in which they are listed.
ALPHA, GAMMA, EPSILON, Q0, SCALE, DISCOUNT = range(6)
OWN_RATE = 6
RATES = 14

# Shared memory of the protocols with a few numbers: the highest bid so far; the best of the crowd's field.
HIGHEST_BID, CROWD_BEST = range(2)
SHARED = 2
# ... and with a few integers: targets; how many cells share the crowd's best, the first of them, and whether the
# field has changed since they were counted.
AUCTION_ROW, AUCTION_COL, RULER_ROW, RULER_COL, CROWD_TIES, CROWD_FIRST, CROWD_CHANGED = range(7)
NOTES = 7

# What a seat remembers.
LAST_STATE, LAST_ACTION, SEEN_ROW, SEEN_COL, MOVE_ROW, MOVE_COL, RUN = range(7)
MEMORY = 7
# ... and what minds of games remember, as numbers that are 0 at the start of an episode: each seat by itself,
# and all together.
KEPT = 8
COMMON = 8

# Slots of the draws under a seat's key; minds of games use those from GAME_SLOT on.
SLOT_TIE, SLOT_WAY, SLOT_EXPLORE, SLOT_ANY, SLOT_FIELD, SLOT_DEED = range(6)
GAME_SLOT = 16


class Mind(NamedTuple):
    """The parts of a group's row, as views of it."""

    row: np.ndarray
    """The whole."""
    head: np.ndarray
    kind: np.ndarray
    table: np.ndarray
    rank: np.ndarray
    child: np.ndarray
    key: np.ndarray
    rate: np.ndarray
    memory: np.ndarray
    offer: np.ndarray
    target: np.ndarray
    shared: np.ndarray
    notes: np.ndarray
    fake: np.ndarray
    crowd: np.ndarray
    value: np.ndarray
    kept: np.ndarray
    common: np.ndarray
    said: np.ndarray
    """How often each thing was told in the episode; empty where nobody counts."""
    q: np.ndarray


def mind_size(
    seats: int,
    cells: int,
    k: int,
    tables: int,
    horizon: int,
    fields: int,
    actions: int,
    overheard: int = 0,
) -> int:
    """How many int64 the row of such a group takes."""
    width = 2 * k + 1
    tabled = (tables * horizon * cells * actions + 1) // 2
    shared = SHARED + NOTES + COMMON + 2 * cells * fields
    told = (width * width + 1) * overheard
    return HEAD + seats * (9 + RATES + MEMORY + KEPT) + shared + width * width + told + tabled


@rule
def open_mind(w):
    """Name the parts of a row."""
    seats = w[SEATS]
    cells = w[ROWS] * w[COLS]
    width = 2 * w[RANGE] + 1
    fields = cells * w[FIELDS]
    o = HEAD
    kind = w[o : o + seats]
    o += seats
    table = w[o : o + seats]
    o += seats
    rank = w[o : o + seats]
    o += seats
    child = matrix(w[o : o + 2 * seats], seats, 2)
    o += 2 * seats
    key = w[o : o + seats].view(np.uint64)
    o += seats
    rate = matrix(w[o : o + RATES * seats].view(np.float64), seats, RATES)
    o += RATES * seats
    memory = matrix(w[o : o + MEMORY * seats], seats, MEMORY)
    o += MEMORY * seats
    offer = w[o : o + seats].view(np.float64)
    o += seats
    target = matrix(w[o : o + 2 * seats], seats, 2)
    o += 2 * seats
    shared = w[o : o + SHARED].view(np.float64)
    o += SHARED
    notes = w[o : o + NOTES]
    o += NOTES
    fake = w[o : o + fields].view(np.float64)
    o += fields
    crowd = w[o : o + fields].view(np.float64)
    o += fields
    value = w[o : o + width * width].view(np.float64)
    o += width * width
    kept = matrix(w[o : o + KEPT * seats].view(np.float64), seats, KEPT)
    o += KEPT * seats
    common = w[o : o + COMMON].view(np.float64)
    o += COMMON
    told = (width * width + 1) * w[OVERHEARD]
    said = w[o : o + told]
    o += told
    states = w[TABLES] * w[HORIZON] * cells
    actions = w[ACTIONS]
    q = matrix(w[o:].view(np.float32)[0 : states * actions], states, actions)
    return Mind(
        w,
        w[0:HEAD],
        kind,
        table,
        rank,
        child,
        key,
        rate,
        memory,
        offer,
        target,
        shared,
        notes,
        fake,
        crowd,
        value,
        kept,
        common,
        said,
        q,
    )


@rule
def pick(values, first, size, key, t, slot):
    """The place of the highest of some values, ties drawn evenly."""
    top = values[first]
    ties = 1
    at = 0
    for i in range(1, size):
        v = values[first + i]
        if v > top:
            top = v
            ties = 1
            at = i
        elif v == top:
            ties += 1
    if ties > 1:
        k = below(draw(key, t, slot), ties)
        if ties == size:
            at = k
        else:
            for i in range(at, size):
                if values[first + i] == top:
                    if k == 0:
                        at = i
                        break
                    k -= 1
    return at


@rule
def step_to(at, k, width):
    """The action that goes one step towards a place of the neighborhood."""
    dy = at // width - k
    dx = at - (at // width) * width - k
    return 3 * (min(max(dy, -1), 1) + 1) + min(max(dx, -1), 1) + 2


@rule
def approach(mind, o, y, x, key, t):
    """One Moore step towards a cell along the shortest toroidal way, ties drawn evenly."""
    z = draw(key, t, SLOT_WAY)
    dy = toward(int64(o[OWN_ROW]), y, mind.head[ROWS], z)
    dx = toward(int64(o[OWN_COL]), x, mind.head[COLS], z >> np.uint64(1))
    return 3 * (dy + 1) + dx + 2


@rule
def cell_at(mind, o, at, k, width):
    """The number, from 0, of the cell at a place of the neighborhood."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    h = at // width
    y = wrap(int64(o[OWN_ROW]) + h - k, m)
    x = wrap(int64(o[OWN_COL]) + at - h * width - k, n)
    return y * n + x


@rule
def gather(mind, field, o, k, width):
    """Copy what a field holds over the neighborhood."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    x0 = wrap(int64(o[OWN_COL]) - k, n)
    at = 0
    for h in range(width):
        base = wrap(int64(o[OWN_ROW]) + h - k, m) * n
        x = x0
        for _ in range(width):
            mind.value[at] = field[base + x]
            at += 1
            x += 1
            if x == n:
                x = 0
