"""The row of memory that an environment of Lambda Star is: the names of its parts, and the geometry of the torus.

One environment is one row of int64 (:class:`Row` names its parts), owned by the caller. Parts that only some games or
options need take no room elsewhere. Games have the rules that move it.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import cube, matrix, rule, span

# The head of an environment's row: what never changes, then the time.
(
    ROWS,
    COLS,
    SUBJECTS,
    HORIZON,
    RANGE,
    RADIUS,
    GUIDES,
    BLIND,
    OBJECTS,
    DEEDS,
    SIGNALS,
    FIELDS,
    COMPANY,
    COMPANY_EVIL,
    GOOD_REACTS,
    EVIL_REACTS,
    SENSE,
    TRACK,
    LEARNING,
    UNEQUAL,
    TIME,
) = range(21)
"""OBJECTS is 1 where Good and Evil are; the plain search, in which they always are, does not ask."""
HEAD = 24

# What a seat's observation holds beyond its position and the iteration. A policy that looks at less is spared
# the work; through the step door everything is shown.
LOOKS_REWARDS, LOOKS_OBJECTS, LOOKS_GUIDE, LOOKS_DEEDS = 1, 2, 4, 8
LOOKS_ALL = 15
IGNORES_PLACE = 16
"""Set for a mind that does not read where it is, nor what comes: the iteration is all that it reads of what is always
shown."""
SEES_FUTURE = 1

# An observation: row and column of the subject, iteration, row and column of Good's next cell (-1 where the
# seat has no right to it), then planes over the cells of the neighborhood. Games with deeds have one more plane,
# games with signals one more number at the end.
OWN_ROW, OWN_COL, ITERATION, NEXT_ROW, NEXT_COL = range(5)
FIXED = 5
REWARDS, GOOD, EVIL, OTHERS, GUIDE, DONE = range(6)
PLANES = 5

MOVES_OF_ONE = 9
"""How many moves there are; with deeds as many actions again."""
STAY = 5
DOWN = np.array([0, -1, -1, -1, 0, 0, 0, 1, 1, 1])
RIGHT = np.array([0, -1, 0, 1, -1, 0, 1, -1, 0, 1])
"""How many rows down, and how many columns to the right, each move leads; moves are counted from 1."""

# A pattern's row.
LENGTH, GOOD_START, EVIL_START, EVIL_SHIFT = range(4)
MOVES = 4

# What is counted over an episode, and told by its measures: common to all games, then each game's own.
MET, COVERED, COVERED_SUM, COVERED_HALF, IMPROVED, WEIGHTED, SAID = range(7)
GAME_TALLY = 7
TALLY = 24

# Numbers that the game and the options set: common to all, then each game's own.
TIRING, RECOVERY, LEARNING_WEIGHT = range(3)
GAME_DIAL = 4
DIALS = 16


class Plain(NamedTuple):
    """The parts that the plain search needs. Fewer parts make quicker code, by a few hundredths."""

    head: np.ndarray
    rights: np.ndarray
    looks: np.ndarray
    reward: np.ndarray
    action: np.ndarray
    cell: np.ndarray
    near: np.ndarray
    obs: np.ndarray
    path: np.ndarray
    guide: np.ndarray


class Row(NamedTuple):
    """The parts of an environment's row, as views of it."""

    head: np.ndarray
    rights: np.ndarray
    looks: np.ndarray
    reward: np.ndarray
    action: np.ndarray
    cell: np.ndarray
    near: np.ndarray
    obs: np.ndarray
    path: np.ndarray
    guide: np.ndarray
    deed: np.ndarray
    """Whether each subject did the deed in the last interaction, 0 or 1."""
    signal: np.ndarray
    """What each subject is told privately; 0 where the game tells nothing."""
    reach: np.ndarray
    """How far each subject sees."""
    gait: np.ndarray
    """How each subject can move."""
    appetite: np.ndarray
    """What Good and Evil weigh for each subject."""
    key: np.ndarray
    """The key of the draws of this episode, where rules go on drawing during it."""
    dial: np.ndarray
    """Numbers that the game and the options set."""
    tally: np.ndarray
    """What is counted over the episode."""
    strength: np.ndarray
    """How strong Good and Evil are, from 0 to 1."""
    around: np.ndarray
    """How many subjects are within the radius of Good and of Evil, where that is asked."""
    trail: np.ndarray
    """Where the guide is and what it remembers, where it has to find its way as it goes."""
    moves: np.ndarray
    """The moves of the patterns of Good and Evil at each time, where they react: (horizon + 1, 2)."""
    field: np.ndarray
    """So many numbers for each cell, where the game has such: one plane after the other."""
    seen: np.ndarray
    """When each cell was first seen, -1 for never, where that is tracked."""
    history: np.ndarray
    """The mean reward of each interaction, where improvement is measured."""


def row_size(
    rows: int,
    cols: int,
    subjects: int,
    horizon: int,
    k: int,
    guides: int = 0,
    *,
    objects: bool = True,
    deeds: bool = False,
    signals: bool = False,
    field: int = 0,
    reacts: bool = False,
    track: bool = False,
    learning: bool = False,
) -> int:
    """How many int64 the row of such an environment takes."""
    size = FIXED + (PLANES + deeds) * (2 * k + 1) ** 2 + signals
    seat = 12 + size
    steps = horizon + 1
    return (
        HEAD
        + subjects * seat
        + max(rows, cols) // 2
        + 2
        + 1
        + DIALS
        + TALLY
        + 4
        + 6
        + steps * ((4 + 2 * guides) * objects + 2 * reacts + learning)
        + rows * cols * (field + track)
    )


@rule
def open_row(w):
    """Name the parts of a row. Python calls this too, so it calls no other rule."""
    seats = w[SUBJECTS]
    width = 2 * w[RANGE] + 1
    size = FIXED + (PLANES + w[DEEDS]) * width * width + w[SIGNALS]
    reach = max(w[ROWS], w[COLS]) // 2 + 2
    cells = w[ROWS] * w[COLS]
    steps = w[HORIZON] + 1
    o = HEAD
    rights = span(w, o, seats)
    o += seats
    looks = span(w, o, seats)
    o += seats
    reward = span(w, o, seats).view(np.float64)
    o += seats
    action = span(w, o, seats)
    o += seats
    cell = matrix(span(w, o, 2 * seats), seats, 2)
    o += 2 * seats
    near = span(w, o, reach).view(np.float64)
    o += reach
    obs = matrix(span(w, o, seats * size).view(np.float64), seats, size)
    o += seats * size
    # Only search has Good and Evil.
    walked = steps * w[OBJECTS]
    path = matrix(span(w, o, 4 * walked), walked, 4)
    o += 4 * walked
    guides = w[GUIDES]
    guide = cube(span(w, o, 2 * guides * walked), walked, guides, 2)
    o += 2 * guides * walked
    deed = span(w, o, seats)
    o += seats
    signal = span(w, o, seats).view(np.float64)
    o += seats
    own = span(w, o, seats)
    o += seats
    gait = span(w, o, seats)
    o += seats
    appetite = matrix(span(w, o, 2 * seats).view(np.float64), seats, 2)
    o += 2 * seats
    key = span(w, o, 1).view(np.uint64)
    o += 1
    dial = span(w, o, DIALS).view(np.float64)
    o += DIALS
    tally = span(w, o, TALLY).view(np.float64)
    o += TALLY
    strength = span(w, o, 2).view(np.float64)
    o += 2
    around = span(w, o, 2)
    o += 2
    trail = span(w, o, 6)
    o += 6
    reacting = steps if w[GOOD_REACTS] + w[EVIL_REACTS] > 0 else 0
    moves = matrix(span(w, o, 2 * reacting), reacting, 2)
    o += 2 * reacting
    n = cells * w[FIELDS]
    field = span(w, o, n).view(np.float64)
    o += n
    n = cells * w[TRACK]
    seen = span(w, o, n)
    o += n
    n = steps * w[LEARNING]
    history = span(w, o, n).view(np.float64)
    return Row(
        span(w, 0, HEAD),
        rights,
        looks,
        reward,
        action,
        cell,
        near,
        obs,
        path,
        guide,
        deed,
        signal,
        own,
        gait,
        appetite,
        key,
        dial,
        tally,
        strength,
        around,
        trail,
        moves,
        field,
        seen,
        history,
    )


@rule
def open_plain(w):
    """Name the parts of a row that the plain search needs: the first of them, whose sizes are simpler there.

    Python calls this too, so it calls no other rule.
    """
    seats = w[SUBJECTS]
    width = 2 * w[RANGE] + 1
    size = FIXED + PLANES * width * width
    reach = max(w[ROWS], w[COLS]) // 2 + 2
    o = HEAD
    rights = span(w, o, seats)
    o += seats
    looks = span(w, o, seats)
    o += seats
    reward = span(w, o, seats).view(np.float64)
    o += seats
    action = span(w, o, seats)
    o += seats
    cell = matrix(span(w, o, 2 * seats), seats, 2)
    o += 2 * seats
    near = span(w, o, reach).view(np.float64)
    o += reach
    obs = matrix(span(w, o, seats * size).view(np.float64), seats, size)
    o += seats * size
    steps = w[HORIZON] + 1
    path = matrix(span(w, o, 4 * steps), steps, 4)
    o += 4 * steps
    guides = w[GUIDES]
    guide = cube(span(w, o, 2 * guides * steps), steps, guides, 2)
    return Plain(span(w, 0, HEAD), rights, looks, reward, action, cell, near, obs, path, guide)


@rule
def show_plain(r, obs):
    """The parts of a row with another place for the observations."""
    return Plain(
        r.head, r.rights, r.looks, r.reward, r.action, r.cell, r.near, obs, r.path, r.guide
    )


@rule
def show_row(r, obs):
    """The parts of a row with another place for the observations."""
    return Row(
        r.head,
        r.rights,
        r.looks,
        r.reward,
        r.action,
        r.cell,
        r.near,
        obs,
        r.path,
        r.guide,
        r.deed,
        r.signal,
        r.reach,
        r.gait,
        r.appetite,
        r.key,
        r.dial,
        r.tally,
        r.strength,
        r.around,
        r.trail,
        r.moves,
        r.field,
        r.seen,
        r.history,
    )


@rule
def wrap(x, n):
    """A coordinate at most n beyond the border, brought back onto the torus."""
    if x < 0:
        return x + n
    if x >= n:
        return x - n
    return x


@rule
def gap(a, b, n):
    """Toroidal difference of two coordinates."""
    d = abs(a - b)
    return min(d, n - d)


@rule
def distance(y, x, gy, gx, m, n):
    """The toroidal Moore distance of two cells."""
    return max(gap(y, gy, m), gap(x, gx, n))


@rule
def toward(a, b, n, z):
    """One step from a to b the short way round; where both ways are as short, a bit of z decides."""
    d = b - a
    if d == 0:
        return 0
    if d < 0:
        d += n
    if 2 * d < n:
        return 1
    if 2 * d > n:
        return -1
    return 1 if (z & np.uint64(1)) else -1


@rule
def pursue(y, x, gy, gx, move_y, move_x, run, m, n, z):
    """The oracle's move from (y, x) towards Good's next cell (gy, gx), an action from 1 to 9.

    Section 5.2.1 of the paper: where a constant pattern (``run`` equal moves in a row) carries Good away, the
    oracle goes the other way round to intercept it.
    """
    dy = toward(y, gy, m, z)
    dx = toward(x, gx, n, z >> np.uint64(1))
    if run >= 3:
        if move_y != 0 and dy == move_y and gap(y, gy, m) > 1:
            dy = -move_y
        if move_x != 0 and dx == move_x and gap(x, gx, n) > 1:
            dx = -move_x
    return 3 * (dy + 1) + dx + 2
