"""Asynchronous weak-commitment search (:mod:`mensura.worlds.constraints.algorithms.awcs`), with queues of letters.

A nogood is written once, however many have it, and each reader keeps a copy with the links of its conditions. A copy is
either on the list of one of its conditions that does not hold (a watched assignment), or on the list of its value, as
one that may be broken: so a letter touches only nogoods that watch what it tells.

A kernel allocates nothing. Before each turn it compares what the turn may take at most with the room that is left, and
goes back to the caller for more; it goes on where it was.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, rule
from mensura.worlds.constraints.kernels.board import (
    AGENT,
    CLAIMED,
    ENDED,
    KINDS,
    MESSAGES,
    NUMBERS,
    TURN,
    assign,
    close_cycle,
)
from mensura.worlds.constraints.kernels.links import (
    BLOCKS,
    FIRST_NOGOOD,
    IS_LINK,
    LETTERS,
    LINK,
    LINKS,
    LISTED,
    PRIORITY,
    STAMP,
    TO,
    VALUE,
    WATCH,
    deliver,
    in_last_block,
    keep_counters,
    map_links,
    new_pair,
    pair_neighbors,
    send,
)
from mensura.worlds.constraints.kernels.nogoods import (
    FIRST,
    FORBIDS,
    LENGTH,
    MEMBERS,
    NEXT,
    NEXT_COPY,
    OWNER,
    POOL,
    RECORDS,
    WATCHES,
    settle,
    still_broken,
    written,
)

OK, NOGOOD, ADD_LINK = range(3)
"""Kinds of letters, in the order of the tally."""

DONE, TOO_LONG = 0, -1
"""What a kernel goes back with, besides the kind of room that it needs."""
NO_LETTERS, NO_LINKS, NO_COPIES, NO_RECORDS, NO_MEMBERS, NO_WATCHES, NO_BLOCKS = range(1, 8)


class Agents(NamedTuple):
    """What each agent has: -1 where there is nothing."""

    priority: np.ndarray
    highest: np.ndarray
    """The largest priority that it knows of another; -1: none."""
    over: np.ndarray
    sent: np.ndarray
    """The nogood that it told last."""
    linked: np.ndarray
    """How many links it has."""
    broken: np.ndarray
    """By value (``own_first``): the first of the copies that may be broken."""
    broken_now: np.ndarray
    """Of values, while somebody chooses: how many are broken."""
    shortest: np.ndarray
    """Of values: the length of the shortest that is broken and higher; -1: none."""
    why: np.ndarray
    """Of values: which that is: a group, or a copy from ``COPY`` on."""
    empty: np.ndarray
    """Of values: whether it cannot be under any conditions."""
    union: np.ndarray
    """The links of a nogood that is made."""
    mark: np.ndarray
    """By record: the stamp of the nogood that it was last taken into."""
    head: np.ndarray
    """Lists of copies that watch an assignment of a record, from its WATCH on one for each value."""


COPY = 1 << 40
"""Sets copies apart from groups where either may be meant."""


# Letters


@rule
def tell(c, a, m, w, p, use, i, link):
    """Tell value and priority to one."""
    send(a, w, p, use, link, c.choice[i], m.priority[i])
    c.tally[MESSAGES] += 1
    c.tally[KINDS + OK] += 1
    c.tally[NUMBERS] += 2


@rule
def tell_all(c, a, m, w, p, use, i):
    """Tell value and priority to all links."""
    value, priority = c.choice[i], m.priority[i]
    before = use[LETTERS]
    block = a.block[i]
    listed = in_last_block(a.degree[i])
    while block >= 0:
        for at in range(1, listed + 1):
            e = w.blocks[block, at]
            if w.row[e, IS_LINK]:
                send(a, w, p, use, e, value, priority)
        block = w.blocks[block, 0]
        listed = LISTED
    sent = use[LETTERS] - before
    c.tally[MESSAGES] += sent
    c.tally[KINDS + OK] += sent
    c.tally[NUMBERS] += 2 * sent


# Nogoods that are kept


@rule
def link_to(a, m, w, i, e):
    """From now on whoever this record is on is told the value."""
    if w.row[e, IS_LINK] == 0:
        w.row[e, IS_LINK] = 1
        m.linked[i] += 1


@rule
def hear_value(k, a, m, w, g, i, e, value, priority):
    """Somebody's value and priority: copies that watched for it look for something else to watch."""
    w.row[e, PRIORITY] = priority
    m.highest[i] = max(m.highest[i], priority)
    link_to(a, m, w, i, e)
    if w.row[e, VALUE] == value:
        return
    w.row[e, VALUE] = value
    if w.row[e, WATCH] >= 0:
        slot = w.row[e, WATCH] + value
        x = m.head[slot]
        m.head[slot] = -1
        while x >= 0:
            after = g.pool[x + NEXT]
            settle(k, a, m, w, g, x)
            x = after


@rule
def keep(k, c, a, m, w, g, p, use, i, r):
    """Keep a nogood that is not kept yet, and ask those for their values whom nobody asked before."""
    x = g.copies[r]
    while x >= 0:
        if g.pool[x + OWNER] == i:
            return
        x = g.pool[x + NEXT_COPY]
    x = use[POOL]
    g.pool[x + OWNER] = i
    g.pool[x + NEXT_COPY] = g.copies[r]
    g.pool[x + LENGTH] = g.length[r] - 1
    g.copies[r] = x
    end = x + FIRST
    for q in range(g.first[r], g.first[r] + g.length[r]):
        j = g.agent[q]
        if j == i:
            g.pool[x + FORBIDS] = g.value[q]
            continue
        if a.whose[j] != use[STAMP]:
            a.at[j] = new_pair(a, w, use, i, j)
            a.whose[j] = use[STAMP]
        e = a.at[j]
        if w.row[e, WATCH] < 0:
            w.row[e, WATCH] = use[WATCHES]
            for v in range(k.sizes[j]):
                m.head[use[WATCHES] + v] = -1
            use[WATCHES] += k.sizes[j]
        if w.row[e, IS_LINK] == 0:
            link_to(a, m, w, i, e)
            send(a, w, p, use, e, LINK, 0)
            c.tally[MESSAGES] += 1
            c.tally[KINDS + ADD_LINK] += 1
            tell(c, a, m, w, p, use, i, e)
        g.pool[end] = e
        g.pool[end + 1] = g.value[q]
        end += 2
    use[POOL] = end
    settle(k, a, m, w, g, x)


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


@rule
def backtrack(k, c, a, m, w, g, p, use, i, by_view):
    """Tell all who are to blame what cannot be, and rise above them; false where that was just told, or nobody is."""
    size = all_above(k, a, m, w, use, i) if by_view else resolvent(k, a, m, w, g, use, i)
    if size == 0:
        m.over[i] = 1
        c.tally[CLAIMED] = 1
        return False
    r = written(a, m, w, g, use, size)
    if r == m.sent[i]:
        return False
    m.sent[i] = r
    new = 1 - c.tally[TURN] % 2
    for at in range(size):
        e = m.union[at]
        send(a, w, p, use, e, FIRST_NOGOOD - r, 0)
        a.named[new, w.row[e, TO]] += size
    c.tally[MESSAGES] += size
    c.tally[KINDS + NOGOOD] += size
    c.tally[NUMBERS] += size * size
    m.priority[i] = 1 + m.highest[i]
    return True


# Turns


@rule
def read_letters(k, c, a, m, w, g, p, use, i, longest):
    """Read all letters; whether something is new."""
    now = c.tally[TURN] % 2
    fresh = False
    counter = c.counter[i]
    if a.named[now, i] > 0:
        map_links(a, w, use, i)
    for at in range(a.first[i], a.first[i + 1]):
        e = p.boxes[at, 0]
        counter = max(counter, a.before[w.row[e, TO]])
        says = p.boxes[at, 1]
        if says >= 0:
            hear_value(k, a, m, w, g, i, e, says, p.boxes[at, 2])
            fresh = True
        elif says == LINK:
            link_to(a, m, w, i, e)
            tell(c, a, m, w, p, use, i, e)
        else:
            r = FIRST_NOGOOD - says
            if longest == 0 or g.length[r] - 1 <= longest:
                keep(k, c, a, m, w, g, p, use, i, r)
            fresh = True
    c.counter[i] = counter
    a.named[now, i] = 0
    return fresh


@rule
def take_turn(k, b, c, a, m, w, g, p, use, i, by_view, longest):
    """Read, then look once at everything where something is new."""
    if c.tally[TURN] == 0:
        begin(k, b, c, a, m, w, p, use, i)
    fresh = read_letters(k, c, a, m, w, g, p, use, i, longest)
    if m.over[i] or not (fresh or m.linked[i] == 0):
        return
    if not is_troubled(k, c, a, m, w, g, i):
        return
    look(k, c, a, m, w, g, i)
    new = choose(k, m, i, False)
    if new < 0:
        if not backtrack(k, c, a, m, w, g, p, use, i, by_view):
            return
        new = choose(k, m, i, True)
    assign(k, b, c, i, new)
    tell_all(c, a, m, w, p, use, i)


@rule
def begin(k, b, c, a, m, w, p, use, i):
    """A value that is forbidden by itself is none to begin with, where there is another; tell it."""
    first = k.own_first[i]
    if k.own[first + c.choice[i]] > 0.0:
        for v in range(k.sizes[i]):
            if k.own[first + v] == 0.0:
                assign(k, b, c, i, v)
                break
    tell_all(c, a, m, w, p, use, i)


@rule
def room_wanted(k, a, m, w, g, p, use, i, now):
    """The kind of room that the next turn of an agent may not have enough of; DONE: there is enough."""
    named = a.named[now, i]
    letters = a.first[i + 1] - a.first[i]
    most = a.degree[i] + named
    if use[LETTERS] + letters + 2 * named + 2 * most > p.written.shape[0]:
        return NO_LETTERS
    if use[LINKS] + 2 * named > w.row.shape[0]:
        return NO_LINKS
    if use[POOL] + FIRST * letters + 2 * named > g.pool.size:
        return NO_COPIES
    if use[RECORDS] + 2 > g.first.size or 2 * (use[RECORDS] + 2) > g.table.size:
        return NO_RECORDS
    if use[MEMBERS] + most > g.agent.size:
        return NO_MEMBERS
    if use[BLOCKS] + 2 * named > w.blocks.shape[0]:
        return NO_BLOCKS
    return DONE if use[WATCHES] + named * m.broken_now.size <= m.head.size else NO_WATCHES


@door
def awcs(k, b, c, a, m, w, g, p, use, out, by_view, longest, most_letters, most_named, most):
    """Play so many cycles at most; how many were played. ``out`` says what is wanted where it comes back before."""
    n = k.sizes.size
    at = out[1]
    out[0] = DONE
    while at < most:
        now = c.tally[TURN] % 2
        if c.tally[AGENT] == 0:
            keep_counters(c, a)
        for i in range(c.tally[AGENT], n):
            out[0] = room_wanted(k, a, m, w, g, p, use, i, now)
            if out[0] != DONE:
                c.tally[AGENT] = i
                out[1] = at
                return at
            written_before = use[LETTERS]
            if a.first[i + 1] - a.first[i] > 16 * most_letters:
                out[0] = TOO_LONG
                return at
            sent = m.sent[i]
            take_turn(k, b, c, a, m, w, g, p, use, i, by_view, longest)
            if use[LETTERS] - written_before + 2 > most_letters or (
                m.sent[i] != sent and g.length[m.sent[i]] > most_named
            ):
                out[0] = TOO_LONG
                return at
        c.tally[AGENT] = 0
        silent = use[LETTERS] == 0
        deliver(a, p, use)
        over = close_cycle(b, c, at)
        at += 1
        if over or (silent and c.tally[MESSAGES] > 0):
            c.tally[ENDED] = 1
            break
    out[1] = 0
    return at


@door
def link_neighbors(k, a, m, w, use):
    """Everybody begins with links to all neighbors."""
    pair_neighbors(k, a, w, use)
    for e in range(use[LINKS]):
        w.row[e, IS_LINK] = 1
        w.row[e, PRIORITY] = 0
        w.row[e, WATCH] = -1
        m.linked[w.row[e ^ 1, TO]] += 1
