"""Nogoods of weak-commitment search: written once, copied by those who keep them, and found by what they watch."""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, int64, rule, uint64
from mensura.worlds.constraints.kernels.links import TO, USED_HERE, VALUE, WATCH, WATCHED

# What is in use besides what links take.
POOL, RECORDS, MEMBERS, WATCHES = range(USED_HERE, USED_HERE + 4)
USES = USED_HERE + 4


class Nogoods(NamedTuple):
    """Nogoods as they were written, and the copies that agents keep."""

    first: np.ndarray
    length: np.ndarray
    code: np.ndarray
    copies: np.ndarray
    """The first copy of a record."""
    agent: np.ndarray
    value: np.ndarray
    """Of members."""
    table: np.ndarray
    """Records by code: open addressing; -1: free."""
    pool: np.ndarray
    """Copies one after another: NEXT and what follows it, then pairs of a link and the value that is wanted of it."""


NEXT, NEXT_COPY, OWNER, FORBIDS, LENGTH, FIRST = range(6)
"""Of a copy: the next on the same list, the next of the same record, whose it is, the value that it forbids its owner,
how many conditions it has, and where they begin."""


BITS = 31
"""Values with a bit of their own in WATCHED, which says of which values something is watched."""


@rule
def settle(k, a, m, w, g, x):
    """Put a copy on the list of a condition that does not hold, or on that of its value where all hold."""
    for q in range(x + FIRST, x + FIRST + 2 * g.pool[x + LENGTH], 2):
        e, wanted = g.pool[q], g.pool[q + 1]
        if w.row[e, VALUE] != wanted:
            slot = w.row[e, WATCH] + wanted
            g.pool[x + NEXT] = m.head[slot]
            m.head[slot] = x
            w.row[e, WATCHED] |= 1 << wanted % BITS
            return
    place = k.own_first[g.pool[x + OWNER]] + g.pool[x + FORBIDS]
    g.pool[x + NEXT] = m.broken[place]
    m.broken[place] = x


@rule
def still_broken(k, a, m, w, g, i, v):
    """Clear the list of copies that may be broken at a value of those that are not; the first that is left."""
    place = k.own_first[i] + v
    x = m.broken[place]
    m.broken[place] = -1
    while x >= 0:
        after = g.pool[x + NEXT]
        settle(k, a, m, w, g, x)
        x = after
    return m.broken[place]


@rule
def sort_union(a, m, w, size):
    """Members in the order of agents (Shell, 1959)."""
    gap = size // 2
    while gap > 0:
        for at in range(gap, size):
            e = m.union[at]
            place = at
            while place >= gap and w.row[m.union[place - gap], TO] > w.row[e, TO]:
                m.union[place] = m.union[place - gap]
                place -= gap
            m.union[place] = e
        gap //= 2


@rule
def written(a, m, w, g, use, size):
    """The record of a nogood, which is written once."""
    sort_union(a, m, w, size)
    code = uint64(size)
    for at in range(size):
        e = m.union[at]
        code = (code ^ uint64(w.row[e, TO])) * uint64(0x9E3779B97F4A7C15)
        code = (code ^ uint64(w.row[e, VALUE]) ^ (code >> uint64(29))) * uint64(0xBF58476D1CE4E5B9)
    mask = g.table.size - 1
    place = int64(code >> uint64(20)) & mask
    while g.table[place] >= 0:
        r = g.table[place]
        if g.code[r] == code and g.length[r] == size:
            same = True
            for at in range(size):
                q = g.first[r] + at
                e = m.union[at]
                if g.agent[q] != w.row[e, TO] or g.value[q] != w.row[e, VALUE]:
                    same = False
                    break
            if same:
                return r
        place = (place + 1) & mask
    r = use[RECORDS]
    use[RECORDS] = r + 1
    g.table[place] = r
    g.first[r] = use[MEMBERS]
    g.length[r] = size
    g.code[r] = code
    g.copies[r] = -1
    for at in range(size):
        e = m.union[at]
        g.agent[use[MEMBERS]] = w.row[e, TO]
        g.value[use[MEMBERS]] = w.row[e, VALUE]
        use[MEMBERS] += 1
    return r


@door
def rehash(g, use):
    """Find records by their codes in a table that is larger than before."""
    mask = g.table.size - 1
    for place in range(g.table.size):
        g.table[place] = -1
    for r in range(use[RECORDS]):
        place = int64(g.code[r] >> uint64(20)) & mask
        while g.table[place] >= 0:
            place = (place + 1) & mask
        g.table[place] = r
