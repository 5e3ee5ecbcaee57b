"""How spaces and patterns are drawn, compiled: the generator of section 4.1.3 of Insa-Cabrera (2011).

What is drawn is a function of a key.

The numbers of cells and of actions are geometric with p = 1/2, from their minimum up to their maximum, where the
rest of the distribution gathers; the maximum of actions is the number of cells. Each arrow but the reflexive one gets
a sign, evenly, and a length, evenly from 0 to n_c. The sieve redraws the arrows, never the numbers, until the space is
one (3.6.1: an arrow of every cell leads elsewhere) and is connected as asked. A pattern is even draws among the
actions, and ends after each of them with the probability p_stop (4.4).
"""

from mensura.core.compiled import (
    choice,
    door,
    draw,
    fold,
    prf,
    rule,
    uint64,
    unit,
)

# Topologies.
STRONG, WEAK, UNRESTRICTED = range(3)

# Slots of the draws under a space's key; streams under it.
_SLOT_CELLS, _SLOT_ACTIONS = range(2)
_STREAM_ARROWS = 0
# Slots of the draws under the arrows' key: a sign and a length for each action.
_SLOT_SIGN, _SLOT_LENGTH = range(2)
_SLOTS = 2
# Under a pattern's key: a slot for how many moves it has, and the stream of these.
_SLOT_MOVES = 0
_STREAM_MOVES = 0


@rule
def geometric(z, low, high):
    """The number of tries until a fair coin shows heads, counted from low and at most high, out of 64 random bits."""
    n = low
    while n < high and z & uint64(1) == uint64(0):
        z = z >> uint64(1)
        n += 1
    return n


@rule
def target(cell, shift, n_c):
    """The cell so far ahead on the circle, for a shift from -n_c to n_c."""
    to = cell + shift
    if to < 0:
        return to + n_c
    if to >= n_c:
        return to - n_c
    return to


@rule
def spread(shifts, n_c, n_a, ahead, back, marks):
    """Mark the cells on paths from the first one along arrows, against them, or both; returns how many."""
    for c in range(n_c):
        marks[c] = 0
    marks[0] = 1
    count = 1
    grown = True
    while grown:
        grown = False
        for c in range(n_c):
            for a in range(1, n_a):
                to = target(c, shifts[c, a], n_c)
                if ahead and marks[c] == 1 and marks[to] == 0:
                    marks[to] = 1
                    count += 1
                    grown = True
                if back and marks[to] == 1 and marks[c] == 0:
                    marks[c] = 1
                    count += 1
                    grown = True
    return count


@rule
def connected(shifts, n_c, n_a, topology, marks):
    """Whether a space is connected as asked."""
    if topology == STRONG:
        # Most random spaces fail because nothing leads to some cell, which is soon seen.
        for c in range(n_c):
            marks[c] = 0
        entered = 0
        for c in range(n_c):
            for a in range(1, n_a):
                to = target(c, shifts[c, a], n_c)
                if to != c and marks[to] == 0:
                    marks[to] = 1
                    entered += 1
        if entered < n_c:
            return False
        return (
            spread(shifts, n_c, n_a, True, False, marks) == n_c
            and spread(shifts, n_c, n_a, False, True, marks) == n_c
        )
    if topology == WEAK:
        return spread(shifts, n_c, n_a, True, True, marks) == n_c
    return True


@rule
def draw_ring(shifts, n_c, key, marks):
    """The arrows of a strongly connected space with two actions, as the sieve would leave them.

    Such a space is one cycle through all cells. All arrows to other cells are equally likely before the sieve (a
    distance of d ahead is n_c - d behind, and lengths are even), so all cycles are equally likely after it: an even
    shuffle draws one at once, where nine cells would take the sieve ten thousand tries.
    """
    for i in range(n_c):
        marks[i] = i
    for i in range(n_c - 1, 1, -1):
        j = 1 + choice(key, i, _SLOT_LENGTH, i)
        swap = marks[i]
        marks[i] = marks[j]
        marks[j] = swap
    for i in range(n_c):
        c = marks[i]
        shift = target(marks[i + 1 if i + 1 < n_c else 0] - c, 0, n_c)
        if draw(key, i, _SLOT_SIGN) & uint64(1) == uint64(1):
            shift -= n_c
        shifts[c, 0] = 0
        shifts[c, 1] = shift


@rule
def draw_shifts(shifts, n_c, n_a, topology, key, marks, cells_drawn):
    """Fill the first n_c rows and n_a columns with a space; returns whether one was found.

    `marks` has room for n_c numbers; `cells_drawn` bounds how many cells' arrows are drawn before giving up.
    """
    if n_a == 2 and topology == STRONG:
        draw_ring(shifts, n_c, key, marks)
        return True
    t = 0
    while t < cells_drawn:
        c = 0
        while c < n_c and t < cells_drawn:
            leaves = False
            shifts[c, 0] = 0
            for a in range(1, n_a):
                shift = choice(key, t, _SLOTS * a + _SLOT_LENGTH, n_c + 1)
                if shift != 0 and shift != n_c:
                    leaves = True
                if draw(key, t, _SLOTS * a + _SLOT_SIGN) & uint64(1) == uint64(1):
                    shift = -shift
                shifts[c, a] = shift
            t += 1
            # Whether a cell is left by an arrow is its own affair: it alone is drawn again.
            if leaves:
                c += 1
        if c == n_c and connected(shifts, n_c, n_a, topology, marks):
            return True
    return False


@door
def space_door(key, settings, shifts, size, marks):
    """Draw the space of a key: size = (n_c, n_a) and shifts[:n_c, :n_a]; returns whether one was found.

    settings: least and most cells, least and most actions (most 0: as many as cells), topology, how many arrows are
    drawn at most.
    """
    n_c = geometric(prf(key, 0, _SLOT_CELLS), settings[0], settings[1])
    most = settings[3] if settings[3] > 0 else max(settings[2], n_c)
    n_a = geometric(prf(key, 0, _SLOT_ACTIONS), settings[2], most)
    size[0] = n_c
    size[1] = n_a
    stream = fold(key, _STREAM_ARROWS)
    return draw_shifts(shifts, n_c, n_a, settings[4], stream, marks, settings[5] // n_a)


@door
def moves_door(key, actions, lengths, out):
    """Fill `out` with the pattern of a key, and return how many moves it has.

    `lengths` says how likely it is to have so many or fewer, from 1 on; its last entry need not be 1.
    """
    share = unit(prf(key, 0, _SLOT_MOVES)) * lengths[lengths.size - 1]
    low = 0
    high = lengths.size - 1
    while low < high:
        middle = (low + high) // 2
        if lengths[middle] > share:
            high = middle
        else:
            low = middle + 1
    stream = fold(key, _STREAM_MOVES)
    for i in range(low + 1):
        out[i] = choice(stream, i, 0, actions)
    return low + 1
