"""How agents of weak-commitment search look at what is broken, choose values and make nogoods."""

from mensura.core.compiled import rule
from mensura.worlds.constraints.kernels.board import NOGOOD_CHECKS
from mensura.worlds.constraints.kernels.links import (
    LISTED,
    PRIORITY,
    STAMP,
    TO,
    VALUE,
    in_last_block,
)
from mensura.worlds.constraints.kernels.nogoods import FIRST, LENGTH, NEXT, still_broken

COPY = 1 << 40
"""Sets copies apart from groups where either may be meant."""


# Looking


@rule
def outranks(w, m, i, e):
    """Whether the agent of a record has a higher priority; ties by index."""
    mine = m.priority[i]
    return w.row[e, PRIORITY] > mine or (w.row[e, PRIORITY] == mine and w.row[e, TO] < i)


@rule
def copy_is_higher(w, m, g, i, x):
    """Whether all whom a copy names have a higher priority."""
    for q in range(x + FIRST, x + FIRST + 2 * g.pool[x + LENGTH], 2):
        if not outranks(w, m, i, g.pool[q]):
            return False
    return True


@rule
def group_place(k, w, s):
    """Where the costs of a group begin with the values that its others have told; -1: not all have told one."""
    at = k.table_of[s]
    for o in range(k.others_first[s], k.others_first[s + 1]):
        value = w.row[w.group_link[o], VALUE]
        if value < 0:
            return -1
        at += k.other_stride[o] * value
    return at


@rule
def group_is_higher(k, w, m, i, s):
    """Whether all others of a group have a higher priority."""
    for o in range(k.others_first[s], k.others_first[s + 1]):
        if not outranks(w, m, i, w.group_link[o]):
            return False
    return True


@rule
def is_troubled(k, c, a, m, w, g, i):
    """Whether something higher forbids the value; count the checks of looking at everything."""
    now = c.choice[i]
    troubled = k.own[k.own_first[i] + now] > 0.0
    looked = 0
    for s in range(k.group_first[i], k.group_first[i + 1]):
        at = group_place(k, w, s)
        if at >= 0:
            looked += k.parts[s]
            if not troubled and k.table[at + k.stride[s] * now] > 0.0:
                troubled = group_is_higher(k, w, m, i, s)
    c.checks[i] += looked * k.sizes[i]
    c.counter[i] += looked * k.sizes[i]
    c.tally[NOGOOD_CHECKS] += m.kept[i]
    if troubled:
        return True
    x = still_broken(k, a, m, w, g, i, now)
    while x >= 0:
        if copy_is_higher(w, m, g, i, x):
            return True
        x = g.pool[x + NEXT]
    return False


@rule
def look(k, c, a, m, w, g, i):
    """Of each value: how much is broken, and the shortest of that which is higher; of equals, the first."""
    size = k.sizes[i]
    for v in range(size):
        bad = k.own[k.own_first[i] + v] > 0.0
        m.broken_now[v] = 1 if bad else 0
        m.shortest[v] = 0 if bad else -1
        m.why[v] = -1
        m.empty[v] = 1 if bad else 0
    for s in range(k.group_first[i], k.group_first[i + 1]):
        at = group_place(k, w, s)
        if at < 0:
            continue
        length = k.others_first[s + 1] - k.others_first[s]
        higher = group_is_higher(k, w, m, i, s)
        step = k.stride[s]
        for v in range(size):
            if k.table[at + step * v] > 0.0:
                m.broken_now[v] += 1
                if higher and (m.shortest[v] < 0 or length < m.shortest[v]):
                    m.shortest[v] = length
                    m.why[v] = s
    for v in range(size):
        x = still_broken(k, a, m, w, g, i, v)
        while x >= 0:
            m.broken_now[v] += 1
            length = g.pool[x + LENGTH]
            if length == 0:
                m.empty[v] = 1
            least = m.shortest[v]
            nearer = length == least and m.why[v] >= COPY and COPY + x < m.why[v]
            if (least < 0 or length < least or nearer) and copy_is_higher(w, m, g, i, x):
                m.shortest[v] = length
                m.why[v] = COPY + x
            x = g.pool[x + NEXT]


@rule
def choose(k, m, i, any_higher):
    """The value with fewest broken: of those with nothing higher, or of all that can be under some conditions."""
    best = -1
    for v in range(k.sizes[i]):
        if not any_higher and m.shortest[v] >= 0:
            continue
        if best < 0:
            best = v
            continue
        worse = m.empty[v] if any_higher else 0
        other = m.empty[best] if any_higher else 0
        if worse < other or (worse == other and m.broken_now[v] < m.broken_now[best]):
            best = v
    return best


# Nogoods that are made


@rule
def add_to_union(a, m, w, use, size, e):
    """Take a record into a nogood that is made, once."""
    if m.mark[e] != use[STAMP]:
        m.mark[e] = use[STAMP]
        m.union[size] = e
        return size + 1
    return size


@rule
def resolvent(k, a, m, w, g, use, i):
    """The shortest reasons against all values, together; how many it names."""
    use[STAMP] += 1
    size = 0
    for v in range(k.sizes[i]):
        why = m.why[v]
        if why < 0:
            continue
        if why >= COPY:
            x = why - COPY
            for q in range(x + FIRST, x + FIRST + 2 * g.pool[x + LENGTH], 2):
                size = add_to_union(a, m, w, use, size, g.pool[q])
        else:
            for o in range(k.others_first[why], k.others_first[why + 1]):
                size = add_to_union(a, m, w, use, size, w.group_link[o])
    return size


@rule
def all_above(k, a, m, w, use, i):
    """All who told a value and outrank; none where no value can be under any conditions."""
    impossible = True
    for v in range(k.sizes[i]):
        impossible = impossible and m.shortest[v] == 0
    size = 0
    block = -1 if impossible else a.block[i]
    listed = in_last_block(a.degree[i])
    while block >= 0:
        for at in range(1, listed + 1):
            e = w.blocks[block, at]
            if w.row[e, VALUE] >= 0 and outranks(w, m, i, e):
                m.union[size] = e
                size += 1
        block = w.blocks[block, 0]
        listed = LISTED
    return size
