"""How an interaction goes where more is asked than the paper's search: rules for every game and option alike.

A game's module gives four or five rules, of which :func:`rules_of` makes those that the doors call:

- ``prepare(r, pattern, key)``, before each episode: lay out in the row what the description drew. ``r.key`` holds the
  key for later draws.
- ``pay(r)``, after everybody has moved and ``r.deed`` tells who did the deed: write ``r.reward``, let ``r.field``
  change, count in ``r.tally``.
- ``show(r, j)``: write what seat j may know, by ``r.looks``; the only reader of hidden state. Where one is and who is
  near is shown by :func:`show_company`, in most games alike.
- ``conclude(r, out)``: write what is told of the episode to ``out``, by the places of the tally.
- ``settle(r)``, if it has to know where subjects begin: after they have taken their places.
"""

from collections.abc import Callable
from typing import Any

from mensura.core.compiled import below, fold, prf, rule
from mensura.core.doors import Rules
from mensura.worlds.lambda_star.torus.kernels.row import (
    COLS,
    COVERED,
    COVERED_HALF,
    COVERED_SUM,
    DEEDS,
    DONE,
    FIXED,
    GAME_TALLY,
    GUIDE,
    HORIZON,
    IGNORES_PLACE,
    IMPROVED,
    ITERATION,
    LEARNING,
    LEARNING_WEIGHT,
    LOOKS_ALL,
    LOOKS_DEEDS,
    LOOKS_GUIDE,
    LOOKS_OBJECTS,
    LOOKS_REWARDS,
    MOVES_OF_ONE,
    NEXT_COL,
    NEXT_ROW,
    OTHERS,
    OWN_COL,
    OWN_ROW,
    PLANES,
    RADIUS,
    RANGE,
    REWARDS,
    ROWS,
    STAY,
    SUBJECTS,
    TALLY,
    TIME,
    TRACK,
    WEIGHTED,
    gap,
    open_row,
    wrap,
)

# Slots of the draws under an episode's key: where subjects start; search has some more, games those from GAME_SLOT on.
_SLOT_START = 0
GAME_SLOT = 16

# How subjects can move.
ALL, ORTHOGONAL, DIAGONAL, SLOW, NONE = range(5)


@rule
def start(r, key):
    """Put the subjects on distinct random cells where there are enough, else on any."""
    n = r.head[COLS]
    cells = r.head[ROWS] * n
    r.head[TIME] = 0
    reach = max(r.head[ROWS], n) // 2 + 2
    for d in range(reach):
        r.near[d] = 1.0 / (d + 1) if d <= r.head[RADIUS] else 0.0
    # A draw without replacement in the order of seats: the x-th free cell, counted past the taken ones, which
    # are kept sorted in the column of actions.
    for j in range(r.head[SUBJECTS]):
        r.reward[j] = 0.0
        r.obs[j, NEXT_ROW] = -1.0
        r.obs[j, NEXT_COL] = -1.0
        z = prf(key, j, _SLOT_START)
        if j < cells:
            x = below(z, cells - j)
            i = 0
            while i < j and r.action[i] <= x:
                x += 1
                i += 1
            for h in range(j, i, -1):
                r.action[h] = r.action[h - 1]
            r.action[i] = x
        else:
            x = below(z, cells)
        r.cell[j, 0] = x // n
        r.cell[j, 1] = x % n
    for j in range(r.head[SUBJECTS]):
        r.action[j] = STAY


@rule
def clear(r, key):
    """Nothing has happened in the episode yet."""
    r.key[0] = key
    for i in range(TALLY):
        r.tally[i] = 0.0
    for j in range(r.head[SUBJECTS]):
        r.deed[j] = 0
        r.signal[j] = 0.0
    r.tally[COVERED_HALF] = -1.0
    for c in range(r.seen.size):
        r.seen[c] = -1


@rule
def move(r):
    """All move; who does the deed does it on arrival. A move that a subject cannot make is a stay."""
    m = r.head[ROWS]
    n = r.head[COLS]
    deeds = r.head[DEEDS] != 0
    for j in range(r.head[SUBJECTS]):
        a = r.action[j] - 1
        if deeds:
            deed = a // MOVES_OF_ONE
            a -= MOVES_OF_ONE * deed
            r.deed[j] = deed
        q = a // 3
        dy = q - 1
        dx = a - 3 * q - 1
        gait = r.gait[j]
        if gait != ALL:
            able = r.head[TIME] % 2 == 1  # SLOW: the iteration that was observed is even
            if gait == ORTHOGONAL:
                able = dy == 0 or dx == 0
            elif gait == DIAGONAL:
                able = dy != 0 and dx != 0
            elif gait == NONE:
                able = False
            if not able:
                dy = 0
                dx = 0
        r.cell[j, 0] = wrap(r.cell[j, 0] + dy, m)
        r.cell[j, 1] = wrap(r.cell[j, 1] + dx, n)


@rule
def look_within(r, j, k, width):
    """Note the cells that seat j sees as the first, and count them."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME]
    y = r.cell[j, 0]
    x = r.cell[j, 1]
    found = 0
    for h in range(width):
        base = wrap(y + h - k, m) * n
        for i in range(width):
            c = base + wrap(x + i - k, n)
            if r.seen[c] < 0:
                r.seen[c] = t
                found += 1
    return found


@rule
def look_around(r):
    """Note which cells are seen for the first time, where that is tracked."""
    m = r.head[ROWS]
    n = r.head[COLS]
    t = r.head[TIME]
    some_left = r.tally[COVERED] < m * n
    for j in range(r.head[SUBJECTS] if some_left else 0):
        k = r.reach[j]
        # Loops of known length in the common range.
        r.tally[COVERED] += look_within(r, j, 1, 3) if k == 1 else look_within(r, j, k, 2 * k + 1)
    if r.tally[COVERED_HALF] < 0.0 and 2.0 * r.tally[COVERED] >= m * n:
        r.tally[COVERED_HALF] = t
    if t > 0:
        r.tally[COVERED_SUM] += r.tally[COVERED]


@rule
def keep_history(r):
    """Note the mean reward of the interaction, where improvement is measured."""
    total = 0.0
    for j in range(r.head[SUBJECTS]):
        total += r.reward[j]
    r.history[r.head[TIME]] = total / r.head[SUBJECTS]


@rule
def narrow(r, j):
    """Leave nothing in a seat's planes beyond what it sees itself."""
    k = r.head[RANGE]
    own = r.reach[j]
    if own < k:
        width = 2 * k + 1
        for plane in range(PLANES + r.head[DEEDS]):
            if r.looks[j] & seen_by(plane):
                first = FIXED + plane * width * width
                for h in range(width):
                    for i in range(width):
                        if max(abs(h - k), abs(i - k)) > own:
                            r.obs[j, first + h * width + i] = 0.0


@rule
def read_part(r, j, p):
    """What seat j may read: what is always shown, then plane by plane what it looks at, then signals."""
    if p == 0:
        if r.looks[j] & IGNORES_PLACE:
            return ITERATION, ITERATION + 1
        return 0, FIXED
    width = 2 * r.head[RANGE] + 1
    size = width * width
    planes = PLANES + r.head[DEEDS]
    looked = r.looks[j] & LOOKS_ALL
    # Most minds look at nothing, or at rewards alone, which come first.
    if looked == 0:
        p += planes
    elif looked == LOOKS_REWARDS and p > 1:
        p += planes - 1
    first = FIXED + (p - 1) * size
    if p > planes:
        return FIXED + planes * size, r.obs.shape[1] if p == planes + 1 else -1
    looks = seen_by(p - 1)
    if p - 1 == OTHERS or p - 1 == DONE:
        looks = LOOKS_OBJECTS | LOOKS_DEEDS
    return first, first + size if r.looks[j] & looks else first


@rule
def seen_by(plane):
    """Which of the LOOKS shows a plane."""
    if plane == REWARDS:
        return LOOKS_REWARDS
    if plane == GUIDE:
        return LOOKS_GUIDE
    if plane == DONE:
        return LOOKS_OBJECTS | LOOKS_DEEDS
    return LOOKS_OBJECTS | LOOKS_DEEDS if plane == OTHERS else LOOKS_OBJECTS


@rule
def tell_common(r, out):
    """What is told of an episode in every game: coverage and improvement."""
    t = max(r.head[TIME], 1)
    if r.head[TRACK] != 0:
        cells = r.head[ROWS] * r.head[COLS]
        out[COVERED] = r.tally[COVERED] / cells
        out[COVERED_SUM] = r.tally[COVERED_SUM] / (t * cells)
        half = r.tally[COVERED_HALF]
        out[COVERED_HALF] = half if half >= 0.0 else r.head[HORIZON] + 1.0
    if r.head[LEARNING] != 0:
        third = max(t // 3, 1)
        first = 0.0
        last = 0.0
        total = 0.0
        for i in range(t):
            total += r.history[1 + i]
            if i < third:
                first += r.history[1 + i]
            if i >= t - third:
                last += r.history[1 + i]
        improved = (last - first) / third / 2.0
        weight = r.dial[LEARNING_WEIGHT]
        out[IMPROVED] = improved
        out[WEIGHTED] = (1.0 - weight) * total / t + weight * improved


@rule
def show_company(r, j):
    """What games other than search show alike: where one is, how many others are where, and who did the deed."""
    m = r.head[ROWS]
    n = r.head[COLS]
    k = r.head[RANGE]
    y = r.cell[j, 0]
    x = r.cell[j, 1]
    o = r.obs[j]
    o[OWN_ROW] = y
    o[OWN_COL] = x
    o[ITERATION] = r.head[TIME]
    width = 2 * k + 1
    size = width * width
    deeds = r.head[DEEDS] != 0
    if r.looks[j] & (LOOKS_OBJECTS | LOOKS_DEEDS):
        others = FIXED + OTHERS * size
        done = FIXED + DONE * size
        for i in range(size):
            o[others + i] = 0.0
            if deeds:
                o[done + i] = 0.0
        for other in range(r.head[SUBJECTS]):
            yy = r.cell[other, 0]
            xx = r.cell[other, 1]
            if other != j and gap(y, yy, m) <= k and gap(x, xx, n) <= k:
                # On a small torus a cell may be in sight more than once.
                for h in range(width):
                    if wrap(y + h - k, m) == yy:
                        for i in range(width):
                            if wrap(x + i - k, n) == xx:
                                o[others + h * width + i] += 1.0
                                if deeds:
                                    o[done + h * width + i] += r.deed[other]


@rule
def show_field(r, j, y, x):
    """What the field has for the cells around (y, x), as what they are worth to seat j."""
    if r.looks[j] & LOOKS_REWARDS:
        k = r.head[RANGE]
        if k == 1:  # the common range, with loops of known length
            show_field_within(r, j, y, x, 1, 3)
        else:
            show_field_within(r, j, y, x, k, 2 * k + 1)


@rule
def show_field_within(r, j, y, x, k, width):
    """Show the field, with the range of the observation."""
    m = r.head[ROWS]
    n = r.head[COLS]
    o = r.obs[j]
    first = wrap(x - k, n)
    at = FIXED
    for h in range(width):
        base = wrap(y + h - k, m) * n
        column = first
        for _ in range(width):
            o[at] = r.field[base + column]
            at += 1
            column += 1
            if column == n:
                column = 0


@rule
def tell_tally(r, out):
    """The usual way to conclude: what was counted."""
    for i in range(GAME_TALLY, TALLY):
        out[i] = r.tally[i]


@rule
def horizon(r):
    """How many interactions an episode has."""
    return r.head[HORIZON]


@rule
def settle_nothing(r):
    """Most games do not mind where subjects begin."""


def rules_of(
    prepare: Callable[..., Any],
    pay: Callable[..., Any],
    show: Callable[..., Any],
    conclude_game: Callable[..., Any] = tell_tally,
    settle: Callable[..., Any] = settle_nothing,
) -> Rules:
    """The rules of a game with what is common to all."""

    @rule
    def begin(r, patterns, i, key, anew):
        of_chance = fold(key, 0)
        clear(r, of_chance)
        prepare(r, patterns[i], of_chance)
        start(r, fold(key, 1))
        settle(r)
        if r.head[TRACK] != 0:
            look_around(r)

    @rule
    def observe(r, j):
        show(r, j)
        narrow(r, j)

    @rule
    def advance(r):
        r.head[TIME] += 1
        move(r)
        pay(r)
        if r.head[TRACK] != 0:
            look_around(r)
        if r.head[LEARNING] != 0:
            keep_history(r)

    @rule
    def conclude(r, out):
        tell_common(r, out)
        conclude_game(r, out)

    return Rules(open_row, horizon, begin, observe, advance, conclude, part=read_part)
