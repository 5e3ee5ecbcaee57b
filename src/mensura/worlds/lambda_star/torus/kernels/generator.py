"""How environments of Lambda Star are drawn: patterns of Good and Evil, and their complexity K."""

import numpy as np

from mensura.complexity.lempel_ziv import count
from mensura.core.compiled import below, door, draw, fold, prf, rule
from mensura.worlds.lambda_star.torus.kernels.row import (
    EVIL_SHIFT,
    EVIL_START,
    GOOD_START,
    LENGTH,
    MOVES,
    STAY,
    gap,
    wrap,
)

# Generators of patterns.
RECURRENT, WALK = range(2)

# Slots of the draws under a pattern's key.
_SLOT_LENGTH, _SLOT_GOOD, _SLOT_EVIL, _SLOT_SYMMETRY, _SLOT_MOVE = range(5)


@rule
def generate(pattern, m, n, generator, shortest, longest, key):
    """Draw the pattern of an environment; returns the length of the segment that is its essence.

    RECURRENT (section 4.2): a closed walk of Moore steps of length ``shortest`` to ``longest``, repeated
    cyclically; Evil goes the image of it under a symmetry of the torus from another cell, a different path that
    is exactly as complex. WALK (the published program): a walk over n to 2n - 1 cells, replayed there and back,
    Evil always on the cell whose number is Good's plus a third of the cells and one: the program adds the third to
    cells counted from 1 and then counts them from 1 again. On 7 x 7 that one cell keeps Evil's zone clear of Good's,
    and the published values of stigmergy and the crowd are met with it and missed by 0.07 without. Evil's moves are
    Good's: what it would do if it could be driven from its way, which a number cannot.
    """
    cells = m * n
    moves = fold(key, 0)
    good = below(prf(key, 0, _SLOT_GOOD), cells)
    pattern[GOOD_START] = good
    pattern[EVIL_SHIFT] = 0
    if generator == WALK:
        essence = n + below(prf(key, 0, _SLOT_LENGTH), n)
        length = 2 * essence
        pattern[LENGTH] = length
        pattern[EVIL_SHIFT] = cells // 3 + 1
        pattern[EVIL_START] = (good + cells // 3 + 1) % cells
        for i in range(essence - 1):
            a = 1 + below(draw(moves, i, _SLOT_MOVE), 9)
            pattern[MOVES + i] = a
            pattern[MOVES + length - 2 - i] = 10 - a
        pattern[MOVES + essence - 1] = STAY
        pattern[MOVES + length - 1] = STAY
        for i in range(length):
            pattern[MOVES + length + i] = pattern[MOVES + i]
    else:
        essence = shortest + below(prf(key, 0, _SLOT_LENGTH), longest - shortest + 1)
        length = essence
        pattern[LENGTH] = length
        other = below(prf(key, 0, _SLOT_EVIL), cells - 1)
        pattern[EVIL_START] = (good + 1 + other) % cells
        symmetry = draw(moves, 0, _SLOT_SYMMETRY)
        y = 0
        x = 0
        for i in range(length):
            left = length - 1 - i
            z = draw(moves, i, _SLOT_MOVE)
            if max(gap(y, 0, m), gap(x, 0, n)) + 1 <= left:
                a = below(z, 9)
            else:
                # Only the moves from which the walk can still close.
                ways = 0
                for c in range(9):
                    yy = wrap(y + c // 3 - 1, m)
                    xx = wrap(x + c % 3 - 1, n)
                    if max(gap(yy, 0, m), gap(xx, 0, n)) <= left:
                        ways += 1
                pick = below(z, ways)
                a = 4
                for c in range(9):
                    yy = wrap(y + c // 3 - 1, m)
                    xx = wrap(x + c % 3 - 1, n)
                    if max(gap(yy, 0, m), gap(xx, 0, n)) <= left:
                        if pick == 0:
                            a = c
                        pick -= 1
            dy = a // 3 - 1
            dx = a % 3 - 1
            y = wrap(y + dy, m)
            x = wrap(x + dx, n)
            pattern[MOVES + i] = a + 1
            if symmetry & np.uint64(1):
                dy = -dy
            if symmetry & np.uint64(2):
                dx = -dx
            if m == n and symmetry & np.uint64(4):
                swap = dy
                dy = dx
                dx = swap
            pattern[MOVES + length + i] = 3 * (dy + 1) + dx + 2
    return essence


@rule
def trace(pattern, m, n, steps, cells):
    """The cells, numbered from 0, that Good's pattern alone visits in so many steps."""
    y = pattern[GOOD_START] // n
    x = pattern[GOOD_START] % n
    s = 0
    for t in range(steps):
        cells[t] = y * n + x
        a = pattern[MOVES + s] - 1
        q = a // 3
        y = wrap(y + q - 1, m)
        x = wrap(x + (a - 3 * q) - 1, n)
        s += 1
        if s == pattern[LENGTH]:
            s = 0


# Settings of the patterns that are drawn.
ROWS, COLUMNS, HORIZON, GENERATOR, SEGMENT_ONLY, TRIES, REACTS = range(7)


@rule
def sample_one(pattern, key, low, high, settings, cells):
    """Draw a pattern whose K is within [low, high]; returns it, or -1 where none was found.

    K is counted over the segment only where SEGMENT_ONLY is set. Where REACTS is, Evil needs moves of its own. The a-th
    try draws from the a-th stream under the key.
    """
    m = settings[ROWS]
    n = settings[COLUMNS]
    horizon = settings[HORIZON]
    # K counts at most one phrase a cell of the segment and one for its repetition, so a shorter segment cannot
    # have it. A much longer one hardly ever has: such are tried only when the others were in vain.
    longest = max(horizon // 2, 1)
    shortest = 1
    usual = longest
    tries = settings[TRIES]
    if settings[SEGMENT_ONLY] == 0:
        if settings[GENERATOR] == RECURRENT and low > longest + 1:
            tries = 0
        shortest = max(1, min(low - 1, longest))
        if high < longest:
            usual = max(shortest, min(longest, 4 * high + 8))
    complexity = -1
    for a in range(tries):
        if a % 256 == 255:
            usual = min(longest, 2 * usual)
        essence = generate(pattern, m, n, settings[GENERATOR], shortest, usual, fold(key, a))
        steps = min(essence, horizon) if settings[SEGMENT_ONLY] else horizon
        trace(pattern, m, n, steps, cells)
        found = count(cells, steps)
        if low <= found and found <= high:
            complexity = found
            break
    if settings[REACTS]:
        pattern[EVIL_SHIFT] = 0
    return complexity


@door
def sample_door(patterns, keys, low, high, settings, cells, complexity):
    """Fill rows of patterns, the K of each within [low[i], high[i]]; complexity -1 where none was found."""
    for i in range(patterns.shape[0]):
        complexity[i] = sample_one(patterns[i], keys[i], low[i], high[i], settings, cells)


@door
def count_door(pattern, m, n, steps, cells):
    """K of a pattern: Lempel-Ziv 76 of so many of Good's cells."""
    trace(pattern, m, n, steps, cells)
    return count(cells, steps)
