"""How fitness landscapes are drawn, compiled: peaks over a torus, many local optima and one global one, 0 on average.

Before it is scaled, a landscape is the highest of several cones, as in the moving peaks of Branke (1999): the cell c
has g(c) = max over peaks p of h_p - s_p d(c, p), d the Euclidean distance on the torus. Whoever stands on the side of a
cone has a neighbor that is nearer to its summit and higher, so that the local optima are exactly the summits, as long
as none is swallowed by another cone; summits and heights are drawn so that none is.

Scaling keeps the order of cells, and so their optima: a share of the cells is below 0, the global optimum is 1, and the
values of all cells add up to 0 to the bit, since they are whole multiples of 2**-32.
"""

import math

import numpy as np

from mensura.core.compiled import (
    below,
    door,
    fold,
    int64,
    prf,
    rule,
    unit,
)
from mensura.worlds.lambda_star.torus.kernels.row import gap, wrap

UNITS = 2.0**32
"""Values are whole multiples of 1 over this, so that they add up exactly."""
HIGHEST_OTHER = 0.95
"""How high local optima may be, before scaling, beside a global one of 1."""
TRIES = 2000
"""How many landscapes are drawn before a wanted complexity counts as out of reach."""


OPTIMA, RUGGEDNESS = range(2)
"""The complexities, by number."""

# Slots of the draws under a landscape's key: those of each peak follow one another.
_SLOT_PEAKS, _SLOT_WIDTH, _SLOT_HEIGHT, _SLOT_PLACE = range(4)
_PLACES = 64
"""How many cells are tried for a peak."""

# A peak: row and column of its summit, its height, and how much it loses with each cell of distance.
_ROW, _COL, _HEIGHT, _SLOPE = range(4)
PEAK = 4


@rule
def far(y, x, yy, xx, m, n):
    """The Euclidean distance of two cells on the torus."""
    dy = gap(y, yy, m)
    dx = gap(x, xx, n)
    return math.sqrt(float(dy * dy + dx * dx))


@rule
def raise_peaks(g, peaks, count, width, m, n, key):
    """Draw so many peaks and what they make of the cells; false where no room was found for one.

    The first is the global optimum. A further one must overtop the cells around it, and must leave every summit so
    far higher than its neighbors.
    """
    for i in range(m * n):
        g[i] = -np.inf
    for p in range(count):
        slope = 1.0 / (width * (0.6 + 0.8 * unit(prf(key, p, _SLOT_WIDTH))))
        placed = False
        y = 0
        x = 0
        height = 1.0
        for a in range(_PLACES):
            cell = below(prf(key, p, _SLOT_PLACE + a), m * n)
            y = cell // n
            x = cell % n
            if p == 0:
                placed = True
                break
            low = -np.inf
            for h in range(3):
                for i in range(3):
                    low = max(low, g[wrap(y + h - 1, m) * n + wrap(x + i - 1, n)])
            high = HIGHEST_OTHER
            for q in range(p):
                # The neighbor of that summit which is nearest to this one is one step nearer in row and column.
                dy = max(gap(y, int64(peaks[q, _ROW]), m) - 1, 0)
                dx = max(gap(x, int64(peaks[q, _COL]), n) - 1, 0)
                near = math.sqrt(float(dy * dy + dx * dx))
                high = min(high, peaks[q, _HEIGHT] + slope * near)
            if high - low > 0.02:
                height = low + (0.1 + 0.85 * unit(prf(key, p, _SLOT_HEIGHT))) * (high - low)
                placed = True
                break
        if not placed:
            return False
        peaks[p, _ROW] = y
        peaks[p, _COL] = x
        peaks[p, _HEIGHT] = height
        peaks[p, _SLOPE] = slope
        for i in range(m * n):
            g[i] = max(g[i], height - slope * far(i // n, i % n, y, x, m, n))
    return True


@rule
def scale(g, f, cells, share):
    """Give the cells values that add up to 0, about the given share of them below it; false where that fails.

    Above the level where that share ends, values rise to 1, linearly or, where that would be too much for the
    valleys, as an even power; below, they fall linearly to what makes up for it, -1 at most.
    """
    low = g[0]
    high = g[0]
    for i in range(cells):
        low = min(low, g[i])
        high = max(high, g[i])
    wanted = min(max(int64(share * cells + 0.5), 1), cells - 1)
    under = low
    level = high
    for _ in range(60):
        middle = 0.5 * (under + level)
        count = 0
        for i in range(cells):
            if g[i] < middle:
                count += 1
        if count < wanted:
            under = middle
        else:
            level = middle
    # Halfway between the cells on both sides of it, so that neither are next to 0.
    under = low
    over = high
    for i in range(cells):
        if g[i] < level:
            under = max(under, g[i])
        else:
            over = min(over, g[i])
    level = 0.5 * (under + over)
    valleys = 0.0
    for i in range(cells):
        if g[i] < level:
            valleys += (level - g[i]) / (level - low)
    if not level < high:
        return False
    hills = 0.0
    for power in range(7):
        hills = 0.0
        for i in range(cells):
            if g[i] >= level:
                v = (g[i] - level) / (high - level)
                for _ in range(power):
                    v *= v
                f[i] = max(np.rint(v * UNITS), 1.0)
                hills += f[i]
        if hills <= valleys * UNITS:
            break
    if hills > valleys * UNITS:
        return False
    depth = hills / valleys
    left = hills
    for i in range(cells):
        if g[i] < level:
            f[i] = -max(np.rint(depth * (level - g[i]) / (level - low)), 1.0)
            left += f[i]
    # What rounding left over goes to the valleys, a unit a cell.
    step = -1.0 if left > 0.0 else 1.0
    while left != 0.0:
        before = left
        for i in range(cells):
            if left != 0.0 and f[i] < 0.0 and f[i] + step < 0.0 and f[i] + step >= -UNITS:
                f[i] += step
                left += step
        if left == before:
            return False
    for i in range(cells):
        f[i] /= UNITS
    return True


@rule
def uphill(f, m, n, cell):
    """The highest of the neighbors of a cell if it is higher than the cell, the first of several; else the cell."""
    y = cell // n
    x = cell % n
    best = cell
    for h in range(3):
        for i in range(3):
            other = wrap(y + h - 1, m) * n + wrap(x + i - 1, n)
            if f[other] > f[best]:
                best = other
    return best


@rule
def count_optima(f, m, n):
    """How many cells have no higher neighbor among the eight around them."""
    count = 0
    for i in range(m * n):
        if uphill(f, m, n, i) == i:
            count += 1
    return count


@rule
def ruggedness(f, m, n):
    """1 - rho(1) in whole per cent, rho the autocorrelation of the values that a random walk meets (Weinberger, 1990).

    The walk goes to one of the eight neighbors at each step, and is on every cell of a torus equally often, so that
    rho(1) = sum over cells of (f - mean)(mean of f over the neighbors - mean) / sum of (f - mean)**2. The
    correlation length is -1 / ln rho(1).
    """
    cells = m * n
    mean = 0.0
    for i in range(cells):
        mean += f[i]
    mean /= cells
    both = 0.0
    own = 0.0
    for i in range(cells):
        y = i // n
        x = i % n
        around = -f[i]
        for h in range(3):
            for k in range(3):
                around += f[wrap(y + h - 1, m) * n + wrap(x + k - 1, n)]
        both += (f[i] - mean) * (around / 8.0 - mean)
        own += (f[i] - mean) * (f[i] - mean)
    return np.rint(100.0 * (1.0 - both / own)) if own > 0.0 else 0.0


@rule
def mark_basin(f, basin, m, n):
    """Mark the cells from which steepest ascent leads to the highest cell, the first of several."""
    cells = m * n
    top = 0
    for i in range(cells):
        if f[i] > f[top]:
            top = i
    for i in range(cells):
        at = i
        higher = uphill(f, m, n, at)
        while higher != at:
            at = higher
            higher = uphill(f, m, n, at)
        basin[i] = 1.0 if at == top else 0.0


@rule
def one_summit(f, cells):
    """Whether exactly one cell is worth 1."""
    count = 0
    for i in range(cells):
        if f[i] == 1.0:
            count += 1
    return count == 1


@door
def sample_door(rows, keys, measure, low, high, settings, g, peaks, complexity):
    """Fill rows with landscapes and basins; complexity -1 where none within [low[i], high[i]] was found.

    settings: rows, columns, peaks, width of peaks, share of the cells below 0, most peaks. Where a number of optima
    is wanted, so many peaks are drawn; where a ruggedness is wanted, any number of them until it is met.
    """
    m = int64(settings[0])
    n = int64(settings[1])
    cells = m * n
    most = int64(settings[5])
    for item in range(rows.shape[0]):
        f = rows[item, 0:cells]
        complexity[item] = -1.0
        free = np.isinf(low[item]) and np.isinf(high[item])
        fewest = int64(settings[2])
        largest = fewest
        if not free:
            fewest = 1
            largest = most
            if measure == OPTIMA:
                fewest = int64(math.ceil(max(low[item], 1.0)))
                largest = int64(math.floor(min(high[item], float(most))))
        if largest >= fewest:
            for a in range(TRIES):
                key = fold(keys[item], a)
                count = fewest + below(prf(key, 0, _SLOT_PEAKS), largest - fewest + 1)
                if not raise_peaks(g, peaks, count, settings[3], m, n, key):
                    continue
                if not scale(g, f, cells, settings[4]):
                    continue
                if count_optima(f, m, n) != count or not one_summit(f, cells):
                    continue
                found = float(count) if measure == OPTIMA else ruggedness(f, m, n)
                if free or (low[item] <= found and found <= high[item]):
                    complexity[item] = found
                    mark_basin(f, rows[item, cells : 2 * cells], m, n)
                    break


@door
def optima_door(f, m, n):
    """How many local optima a landscape has."""
    return count_optima(f, m, n)


@door
def ruggedness_door(f, m, n):
    """The ruggedness of a landscape."""
    return ruggedness(f, m, n)


@door
def basin_door(f, basin, m, n):
    """Mark the basin of the global optimum."""
    mark_basin(f, basin, m, n)
