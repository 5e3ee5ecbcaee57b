"""Pluralistic ignorance (section 6.3 of the paper): everybody believes something, and sees what others say.

Each subject believes yes or no, privately, and in each interaction says no or, as the deed, yes. It is paid for saying
what most of those near it say (conformity), what it believes (honesty), and what is so (truth), by weights; it sees
what those in sight said last, never what they believe. Most may then say what few believe, each taking the others at
their word (Katz and Allport, 1931; Miller and McFarland, 1987).
"""

import numpy as np

from mensura.core.compiled import door, draw, fold, rule, unit
from mensura.worlds.lambda_star.torus.kernels.interaction import GAME_SLOT, rules_of, show_company
from mensura.worlds.lambda_star.torus.kernels.row import (
    COLS,
    FIXED,
    GAME_DIAL,
    GAME_TALLY,
    HORIZON,
    LOOKS_REWARDS,
    PLANES,
    RADIUS,
    RANGE,
    ROWS,
    SUBJECTS,
    TIME,
    distance,
)

CONFORMITY, TRUTH, OPENING = range(GAME_DIAL, GAME_DIAL + 3)
"""The weights of conformity and of truth, honesty having the rest; what is said before the first interaction."""
FAIR, MISLEADING, RANDOM = range(3)
"""At first everybody has said what it believes, what the minority believes, or whatever a coin said."""

MARGIN = 0.1
"""Pluralistic ignorance is detected where more than half and this of the last third's voices are the minority's."""

# What is drawn: what is so, then what each subject believes; 1 for yes and -1 for no.
STATE, BELIEFS = 0, 1

# The tally: what is told, and then what is needed for that.
IGNORANCE, LATE, REVERSED, MISPERCEIVED, FALSIFIED, DETECTED, PERCEIVERS, LATE_TIMES, SO = range(
    GAME_TALLY, GAME_TALLY + 9
)


@rule
def sign_of(x):
    """1, 0 or -1. A GPU's compiler has no sign of NumPy's."""
    if x > 0.0:
        return 1.0
    return -1.0 if x < 0.0 else 0.0


@rule
def majority(r):
    """What most believe, 1 or -1; 0 if as many believe either."""
    total = 0.0
    for j in range(r.head[SUBJECTS]):
        total += r.signal[j]
    return sign_of(total)


@rule
def prepare(r, pattern, key):
    """Let everybody believe what was drawn, and have said something."""
    drawn = pattern.view(np.float64)
    r.tally[SO] = drawn[STATE]
    for j in range(r.head[SUBJECTS]):
        r.signal[j] = drawn[BELIEFS + j]
    most = majority(r)
    opening = r.dial[OPENING]
    for j in range(r.head[SUBJECTS]):
        if opening == MISLEADING and most != 0.0:
            r.deed[j] = 1 if most < 0.0 else 0
        elif opening == RANDOM:
            r.deed[j] = 1 if unit(draw(key, j, GAME_SLOT)) < 0.5 else 0
        else:
            r.deed[j] = 1 if r.signal[j] > 0.0 else 0


@rule
def pay(r):
    """Pay for conformity, honesty and truth, and count how far what is said departs from what is believed."""
    m = r.head[ROWS]
    n = r.head[COLS]
    seats = r.head[SUBJECTS]
    radius = r.head[RADIUS]
    conformity = r.dial[CONFORMITY]
    truth = r.dial[TRUTH]
    honesty = 1.0 - conformity - truth
    so = r.tally[SO]
    total = 0.0
    balance = 0.0
    missed = 0.0
    perceivers = 0.0
    for j in range(seats):
        said = 2.0 * r.deed[j] - 1.0
        near = 0.0
        seen = 0
        heard = 0.0
        for other in range(seats):
            if other != j:
                d = distance(r.cell[j, 0], r.cell[j, 1], r.cell[other, 0], r.cell[other, 1], m, n)
                if d <= r.reach[j]:
                    voice = 2.0 * r.deed[other] - 1.0
                    seen += 1
                    heard += voice
                    if d <= radius:
                        near += voice
        paid = conformity * said * sign_of(near) + honesty * said * r.signal[j] + truth * said * so
        # A hair's breadth against rounding.
        r.reward[j] = min(max(paid, -1.0), 1.0)
        if said != r.signal[j]:
            r.tally[FALSIFIED] += 1.0
        total += said
        balance += r.signal[j]
        if seen > 0:
            missed -= heard / seen
            perceivers += 1.0
    most = sign_of(balance)
    # Twice a share less one is a mean of voices, so half a difference of means is one of shares.
    departed = 0.5 * most * (balance - total) / seats
    r.tally[IGNORANCE] += departed
    if most * total < 0.0:
        r.tally[REVERSED] += 1.0
    r.tally[MISPERCEIVED] += 0.5 * most * (missed + perceivers * balance / seats)
    r.tally[PERCEIVERS] += perceivers
    if (r.head[TIME] - 1) * 3 // r.head[HORIZON] == 2:
        r.tally[LATE] += departed
        r.tally[LATE_TIMES] += 1.0


@rule
def show(r, j):
    """A cell is worth nothing by itself; a subject knows what it believes."""
    show_company(r, j)
    width = 2 * r.head[RANGE] + 1
    size = width * width
    if r.looks[j] & LOOKS_REWARDS:
        for i in range(size):
            r.obs[j, FIXED + i] = 0.0
    r.obs[j, FIXED + (PLANES + 1) * size] = r.signal[j]


@rule
def conclude(r, out):
    """Counts as shares and sums as means; nan, for not told, where there is no majority or no time yet."""
    t = r.head[TIME]
    seats = r.head[SUBJECTS]
    out[IGNORANCE] = np.nan
    out[LATE] = np.nan
    out[REVERSED] = np.nan
    out[MISPERCEIVED] = np.nan
    out[DETECTED] = np.nan
    out[FALSIFIED] = r.tally[FALSIFIED] / (t * seats) if t > 0 else np.nan
    most = majority(r)
    if most != 0.0 and t > 0:
        out[IGNORANCE] = r.tally[IGNORANCE] / t
        out[REVERSED] = r.tally[REVERSED] / t
        if r.tally[PERCEIVERS] > 0.0:
            out[MISPERCEIVED] = r.tally[MISPERCEIVED] / r.tally[PERCEIVERS]
        if r.tally[LATE_TIMES] > 0.0:
            late = r.tally[LATE] / r.tally[LATE_TIMES]
            balance = 0.0
            for j in range(seats):
                balance += r.signal[j]
            out[LATE] = late
            believed = 0.5 + 0.5 * most * balance / seats
            out[DETECTED] = 1.0 if believed - late < 0.5 - MARGIN else 0.0


RULES = rules_of(prepare, pay, show, conclude)


@rule
def draw_beliefs(row, seats, accuracy, state, key):
    """Draw what is so, unless it is given, and what each believes: what is so with this probability.

    Returns how many are in the minority.
    """
    so = float(state)
    if state == 0:
        so = 1.0 if unit(draw(key, 0, 0)) < 0.5 else -1.0
    row[STATE] = so
    right = 0
    for j in range(seats):
        if unit(draw(key, j, 1)) < accuracy:
            row[BELIEFS + j] = so
            right += 1
        else:
            row[BELIEFS + j] = -so
    return min(right, seats - right)


@door
def sample_door(rows, keys, low, high, accuracy, state, tries, dissent):
    """Fill rows of beliefs, the number in the minority within [low[i], high[i]]; -1 where none was found."""
    seats = rows.shape[1] - BELIEFS
    for i in range(rows.shape[0]):
        dissent[i] = -1.0
        for a in range(tries):
            found = draw_beliefs(rows[i], seats, accuracy, state, fold(keys[i], a))
            if low[i] <= found and found <= high[i]:
                dissent[i] = found
                break
