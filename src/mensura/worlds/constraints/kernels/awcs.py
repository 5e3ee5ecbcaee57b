"""Asynchronous weak-commitment search (:mod:`mensura.worlds.constraints.algorithms.awcs`), with queues of letters.

Links are records in pairs, one for each end, so that the other end of record e is e ^ 1; an agent's records are a list.
A nogood is written once, however many have it, and each reader keeps a copy with the links of its conditions. A copy is
either on the list of one of its conditions that does not hold (a watched assignment), or on the list of its value, as
one that may be broken: so a letter touches only nogoods that watch what it tells.

A kernel allocates nothing. Before each turn it compares what the turn may take at most with the room that is left, and
goes back to the caller for more; it goes on where it was.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, int64, rule, uint64
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

OK, NOGOOD, ADD_LINK = range(3)
"""Kinds of letters, in the order of the tally."""

DONE, TOO_LONG = 0, -1
"""What a kernel goes back with, besides the kind of room that it needs."""
NO_LETTERS, NO_LINKS, NO_COPIES, NO_RECORDS, NO_MEMBERS, NO_WATCHES, NO_BLOCKS = range(1, 8)

# What is in use of each kind of room.
LINKS, POOL, RECORDS, MEMBERS, WATCHES, LETTERS, BLOCKS, STAMP = range(8)
USES = 8


class Agents(NamedTuple):
    """What each agent has: -1 where there is nothing."""

    priority: np.ndarray
    highest: np.ndarray
    """The largest priority that it knows of another; -1: none."""
    over: np.ndarray
    sent: np.ndarray
    """The nogood that it told last."""
    block: np.ndarray
    """The last of the blocks that list its records of links."""
    degree: np.ndarray
    """How many records it has."""
    linked: np.ndarray
    """How many of them are links."""
    broken: np.ndarray
    """By value (``own_first``): the first of the copies that may be broken."""
    first: np.ndarray
    """Where its letters begin among those that are read now, and where the last one's end."""
    letters: np.ndarray
    """How many letters were written to it since."""
    named: np.ndarray
    """(2, agents): how many members the nogoods have that it reads now or next."""
    at: np.ndarray
    """By agent, the record of whoever acts now; where ``whose`` is the stamp."""
    whose: np.ndarray
    before: np.ndarray
    """What the counters were when the letters that are read now were written."""
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


class Links(NamedTuple):
    """Records of links, in pairs."""

    row: np.ndarray
    """(records, 8): TO and what follows it; the records of a pair are side by side."""
    mark: np.ndarray
    group_link: np.ndarray
    """By other of each group: the record."""
    blocks: np.ndarray
    """(blocks, 16): the block before it, then records."""
    head: np.ndarray
    """The lists of copies that watch an assignment."""


TO, VALUE, PRIORITY, IS_LINK, WATCH = range(5)
"""Of a record: on whom it is; the value that it last told, or -1, and its priority; whether it is a link; where its
lists of copies begin in ``head``, one for each value, or -1."""
WIDTH = 8
LISTED = 15
"""Records in a block."""


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


class Post(NamedTuple):
    """(letters, 4): the record of the reader on the writer, what it says, the priority, and to whom it is.

    What it says is a value, or LINK, or FIRST_NOGOOD minus the number of a record of nogoods.
    """

    written: np.ndarray
    """In the order in which they were written."""
    boxes: np.ndarray
    """Those that are read now, by reader."""


LINK, FIRST_NOGOOD = -1, -2
COPY = 1 << 40
"""Sets copies apart from groups where either may be meant."""


# Letters


@rule
def send(a, w, p, use, link, says, priority):
    """Write a letter to whoever is at the other end of an own record."""
    at = use[LETTERS]
    use[LETTERS] = at + 1
    to = w.row[link, TO]
    p.written[at, 0] = link ^ 1
    p.written[at, 1] = says
    p.written[at, 2] = priority
    p.written[at, 3] = to
    a.letters[to] += 1


@rule
def tell(c, a, w, p, use, i, link):
    """Tell value and priority to one."""
    send(a, w, p, use, link, c.choice[i], a.priority[i])
    c.tally[MESSAGES] += 1
    c.tally[KINDS + OK] += 1
    c.tally[NUMBERS] += 2


@rule
def tell_all(c, a, w, p, use, i):
    """Tell value and priority to all links."""
    value, priority = c.choice[i], a.priority[i]
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


@rule
def deliver(a, p, use):
    """Put all letters that were written into the boxes of their readers, in the order in which they were written."""
    n = a.letters.size
    place = 0
    for i in range(n):
        count = a.letters[i]
        a.letters[i] = place
        a.first[i] = place
        place += count
    a.first[n] = place
    for at in range(use[LETTERS]):
        to = p.written[at, 3]
        place = a.letters[to]
        a.letters[to] = place + 1
        for q in range(3):
            p.boxes[place, q] = p.written[at, q]
    for i in range(n):
        a.letters[i] = 0
    use[LETTERS] = 0


# Links


@rule
def in_last_block(degree):
    """How many records are in the last block of so many."""
    return (degree - 1) % LISTED + 1


@rule
def list_record(a, w, use, i, e):
    """Add a record to those of an agent."""
    at = a.degree[i] % LISTED
    if at == 0:
        block = use[BLOCKS]
        use[BLOCKS] = block + 1
        w.blocks[block, 0] = a.block[i]
        a.block[i] = block
    w.blocks[a.block[i], 1 + at] = e
    a.degree[i] += 1


@rule
def new_pair(a, w, use, i, j):
    """Records of two agents on each other; that of the first."""
    e = use[LINKS]
    use[LINKS] = e + 2
    for one in (e, e + 1):
        w.row[one, VALUE] = -1
        w.row[one, PRIORITY] = 0
        w.row[one, IS_LINK] = 0
        w.row[one, WATCH] = -1
        w.mark[one] = -1
    w.row[e, TO] = j
    w.row[e + 1, TO] = i
    list_record(a, w, use, i, e)
    list_record(a, w, use, j, e + 1)
    return e


@rule
def link_to(a, w, i, e):
    """From now on whoever this record is on is told the value."""
    if w.row[e, IS_LINK] == 0:
        w.row[e, IS_LINK] = 1
        a.linked[i] += 1


@rule
def map_links(a, w, use, i):
    """Know the records of an agent by whom they are on."""
    use[STAMP] += 1
    block = a.block[i]
    listed = in_last_block(a.degree[i])
    while block >= 0:
        for at in range(1, listed + 1):
            e = w.blocks[block, at]
            a.at[w.row[e, TO]] = e
            a.whose[w.row[e, TO]] = use[STAMP]
        block = w.blocks[block, 0]
        listed = LISTED


# Nogoods that are kept


@rule
def settle(k, a, w, g, x):
    """Put a copy on the list of a condition that does not hold, or on that of its value where all hold."""
    for q in range(x + FIRST, x + FIRST + 2 * g.pool[x + LENGTH], 2):
        e, wanted = g.pool[q], g.pool[q + 1]
        if w.row[e, VALUE] != wanted:
            slot = w.row[e, WATCH] + wanted
            g.pool[x + NEXT] = w.head[slot]
            w.head[slot] = x
            return
    place = k.own_first[g.pool[x + OWNER]] + g.pool[x + FORBIDS]
    g.pool[x + NEXT] = a.broken[place]
    a.broken[place] = x


@rule
def hear_value(k, a, w, g, i, e, value, priority):
    """Somebody's value and priority: copies that watched for it look for something else to watch."""
    w.row[e, PRIORITY] = priority
    a.highest[i] = max(a.highest[i], priority)
    link_to(a, w, i, e)
    if w.row[e, VALUE] == value:
        return
    w.row[e, VALUE] = value
    if w.row[e, WATCH] >= 0:
        slot = w.row[e, WATCH] + value
        x = w.head[slot]
        w.head[slot] = -1
        while x >= 0:
            after = g.pool[x + NEXT]
            settle(k, a, w, g, x)
            x = after


@rule
def keep(k, c, a, w, g, p, use, i, r):
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
                w.head[use[WATCHES] + v] = -1
            use[WATCHES] += k.sizes[j]
        if w.row[e, IS_LINK] == 0:
            link_to(a, w, i, e)
            send(a, w, p, use, e, LINK, 0)
            c.tally[MESSAGES] += 1
            c.tally[KINDS + ADD_LINK] += 1
            tell(c, a, w, p, use, i, e)
        g.pool[end] = e
        g.pool[end + 1] = g.value[q]
        end += 2
    use[POOL] = end
    settle(k, a, w, g, x)


@rule
def still_broken(k, a, w, g, i, v):
    """Clear the list of copies that may be broken at a value of those that are not; the first that is left."""
    place = k.own_first[i] + v
    x = a.broken[place]
    a.broken[place] = -1
    while x >= 0:
        after = g.pool[x + NEXT]
        settle(k, a, w, g, x)
        x = after
    return a.broken[place]


# Looking


@rule
def outranks(w, a, i, e):
    """Whether the agent of a record has a higher priority; ties by index."""
    mine = a.priority[i]
    return w.row[e, PRIORITY] > mine or (w.row[e, PRIORITY] == mine and w.row[e, TO] < i)


@rule
def copy_is_higher(w, a, g, i, x):
    """Whether all whom a copy names have a higher priority."""
    for q in range(x + FIRST, x + FIRST + 2 * g.pool[x + LENGTH], 2):
        if not outranks(w, a, i, g.pool[q]):
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
def group_is_higher(k, w, a, i, s):
    """Whether all others of a group have a higher priority."""
    for o in range(k.others_first[s], k.others_first[s + 1]):
        if not outranks(w, a, i, w.group_link[o]):
            return False
    return True


@rule
def is_troubled(k, c, a, w, g, i):
    """Whether something higher forbids the value; count the checks of looking at everything."""
    now = c.choice[i]
    troubled = k.own[k.own_first[i] + now] > 0.0
    looked = 0
    for s in range(k.group_first[i], k.group_first[i + 1]):
        at = group_place(k, w, s)
        if at >= 0:
            looked += k.parts[s]
            if not troubled and k.table[at + k.stride[s] * now] > 0.0:
                troubled = group_is_higher(k, w, a, i, s)
    c.checks[i] += looked * k.sizes[i]
    c.counter[i] += looked * k.sizes[i]
    if troubled:
        return True
    x = still_broken(k, a, w, g, i, now)
    while x >= 0:
        if copy_is_higher(w, a, g, i, x):
            return True
        x = g.pool[x + NEXT]
    return False


@rule
def look(k, c, a, w, g, i):
    """Of each value: how much is broken, and the shortest of that which is higher; of equals, the first."""
    size = k.sizes[i]
    for v in range(size):
        bad = k.own[k.own_first[i] + v] > 0.0
        a.broken_now[v] = 1 if bad else 0
        a.shortest[v] = 0 if bad else -1
        a.why[v] = -1
        a.empty[v] = 1 if bad else 0
    for s in range(k.group_first[i], k.group_first[i + 1]):
        at = group_place(k, w, s)
        if at < 0:
            continue
        length = k.others_first[s + 1] - k.others_first[s]
        higher = group_is_higher(k, w, a, i, s)
        step = k.stride[s]
        for v in range(size):
            if k.table[at + step * v] > 0.0:
                a.broken_now[v] += 1
                if higher and (a.shortest[v] < 0 or length < a.shortest[v]):
                    a.shortest[v] = length
                    a.why[v] = s
    for v in range(size):
        x = still_broken(k, a, w, g, i, v)
        while x >= 0:
            a.broken_now[v] += 1
            length = g.pool[x + LENGTH]
            if length == 0:
                a.empty[v] = 1
            least = a.shortest[v]
            nearer = length == least and a.why[v] >= COPY and COPY + x < a.why[v]
            if (least < 0 or length < least or nearer) and copy_is_higher(w, a, g, i, x):
                a.shortest[v] = length
                a.why[v] = COPY + x
            x = g.pool[x + NEXT]


@rule
def choose(k, a, i, any_higher):
    """The value with fewest broken: of those with nothing higher, or of all that can be under some conditions."""
    best = -1
    for v in range(k.sizes[i]):
        if not any_higher and a.shortest[v] >= 0:
            continue
        if best < 0:
            best = v
            continue
        worse = a.empty[v] if any_higher else 0
        other = a.empty[best] if any_higher else 0
        if worse < other or (worse == other and a.broken_now[v] < a.broken_now[best]):
            best = v
    return best


# Nogoods that are made


@rule
def add_to_union(a, w, use, size, e):
    """Take a record into a nogood that is made, once."""
    if w.mark[e] != use[STAMP]:
        w.mark[e] = use[STAMP]
        a.union[size] = e
        return size + 1
    return size


@rule
def resolvent(k, a, w, g, use, i):
    """The shortest reasons against all values, together; how many it names."""
    use[STAMP] += 1
    size = 0
    for v in range(k.sizes[i]):
        why = a.why[v]
        if why < 0:
            continue
        if why >= COPY:
            x = why - COPY
            for q in range(x + FIRST, x + FIRST + 2 * g.pool[x + LENGTH], 2):
                size = add_to_union(a, w, use, size, g.pool[q])
        else:
            for o in range(k.others_first[why], k.others_first[why + 1]):
                size = add_to_union(a, w, use, size, w.group_link[o])
    return size


@rule
def all_above(k, a, w, use, i):
    """All who told a value and outrank; none where no value can be under any conditions."""
    impossible = True
    for v in range(k.sizes[i]):
        impossible = impossible and a.shortest[v] == 0
    size = 0
    block = -1 if impossible else a.block[i]
    listed = in_last_block(a.degree[i])
    while block >= 0:
        for at in range(1, listed + 1):
            e = w.blocks[block, at]
            if w.row[e, VALUE] >= 0 and outranks(w, a, i, e):
                a.union[size] = e
                size += 1
        block = w.blocks[block, 0]
        listed = LISTED
    return size


@rule
def sort_union(a, w, size):
    """Members in the order of agents (Shell, 1959)."""
    gap = size // 2
    while gap > 0:
        for at in range(gap, size):
            e = a.union[at]
            place = at
            while place >= gap and w.row[a.union[place - gap], TO] > w.row[e, TO]:
                a.union[place] = a.union[place - gap]
                place -= gap
            a.union[place] = e
        gap //= 2


@rule
def written(a, w, g, use, size):
    """The record of a nogood, which is written once."""
    sort_union(a, w, size)
    code = uint64(size)
    for at in range(size):
        e = a.union[at]
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
                e = a.union[at]
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
        e = a.union[at]
        g.agent[use[MEMBERS]] = w.row[e, TO]
        g.value[use[MEMBERS]] = w.row[e, VALUE]
        use[MEMBERS] += 1
    return r


@rule
def backtrack(k, c, a, w, g, p, use, i, by_view):
    """Tell all who are to blame what cannot be, and rise above them; false where that was just told, or nobody is."""
    size = all_above(k, a, w, use, i) if by_view else resolvent(k, a, w, g, use, i)
    if size == 0:
        a.over[i] = 1
        c.tally[CLAIMED] = 1
        return False
    r = written(a, w, g, use, size)
    if r == a.sent[i]:
        return False
    a.sent[i] = r
    new = 1 - c.tally[TURN] % 2
    for at in range(size):
        e = a.union[at]
        send(a, w, p, use, e, FIRST_NOGOOD - r, 0)
        a.named[new, w.row[e, TO]] += size
    c.tally[MESSAGES] += size
    c.tally[KINDS + NOGOOD] += size
    c.tally[NUMBERS] += size * size
    a.priority[i] = 1 + a.highest[i]
    return True


# Turns


@rule
def read_letters(k, c, a, w, g, p, use, i, longest):
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
            hear_value(k, a, w, g, i, e, says, p.boxes[at, 2])
            fresh = True
        elif says == LINK:
            link_to(a, w, i, e)
            tell(c, a, w, p, use, i, e)
        else:
            r = FIRST_NOGOOD - says
            if longest == 0 or g.length[r] - 1 <= longest:
                keep(k, c, a, w, g, p, use, i, r)
            fresh = True
    c.counter[i] = counter
    a.named[now, i] = 0
    return fresh


@rule
def take_turn(k, b, c, a, w, g, p, use, i, by_view, longest):
    """Read, then look once at everything where something is new."""
    if c.tally[TURN] == 0:
        begin(k, b, c, a, w, p, use, i)
    fresh = read_letters(k, c, a, w, g, p, use, i, longest)
    if a.over[i] or not (fresh or a.linked[i] == 0):
        return
    if not is_troubled(k, c, a, w, g, i):
        return
    look(k, c, a, w, g, i)
    new = choose(k, a, i, False)
    if new < 0:
        if not backtrack(k, c, a, w, g, p, use, i, by_view):
            return
        new = choose(k, a, i, True)
    assign(k, b, c, i, new)
    tell_all(c, a, w, p, use, i)


@rule
def begin(k, b, c, a, w, p, use, i):
    """A value that is forbidden by itself is none to begin with, where there is another; tell it."""
    first = k.own_first[i]
    if k.own[first + c.choice[i]] > 0.0:
        for v in range(k.sizes[i]):
            if k.own[first + v] == 0.0:
                assign(k, b, c, i, v)
                break
    tell_all(c, a, w, p, use, i)


@rule
def room_wanted(k, a, w, g, p, use, i, now):
    """The kind of room that the next turn of an agent may not have enough of; DONE: there is enough."""
    named = a.named[now, i]
    letters = a.first[i + 1] - a.first[i]
    most = a.degree[i] + named
    if use[LETTERS] + letters + 2 * named + 2 * most > p.written.shape[0]:
        return NO_LETTERS
    if use[LINKS] + 2 * named > w.mark.size:
        return NO_LINKS
    if use[POOL] + FIRST * letters + 2 * named > g.pool.size:
        return NO_COPIES
    if use[RECORDS] + 2 > g.first.size or 2 * (use[RECORDS] + 2) > g.table.size:
        return NO_RECORDS
    if use[MEMBERS] + most > g.agent.size:
        return NO_MEMBERS
    if use[BLOCKS] + 2 * named > w.blocks.shape[0]:
        return NO_BLOCKS
    return DONE if use[WATCHES] + named * a.broken_now.size <= w.head.size else NO_WATCHES


@door
def awcs(k, b, c, a, w, g, p, use, out, by_view, longest, most_letters, most_named, most):
    """Play so many cycles at most; how many were played. ``out`` says what is wanted where it comes back before."""
    n = k.sizes.size
    at = out[1]
    out[0] = DONE
    while at < most:
        now = c.tally[TURN] % 2
        if c.tally[AGENT] == 0:
            for i in range(n):
                a.before[i] = c.counter[i]
        for i in range(c.tally[AGENT], n):
            out[0] = room_wanted(k, a, w, g, p, use, i, now)
            if out[0] != DONE:
                c.tally[AGENT] = i
                out[1] = at
                return at
            written_before = use[LETTERS]
            if a.first[i + 1] - a.first[i] > 16 * most_letters:
                out[0] = TOO_LONG
                return at
            sent = a.sent[i]
            take_turn(k, b, c, a, w, g, p, use, i, by_view, longest)
            if use[LETTERS] - written_before + 2 > most_letters or (
                a.sent[i] != sent and g.length[a.sent[i]] > most_named
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


@door
def link_neighbors(k, a, w, use):
    """Records of all neighbors on each other, and of each group's others."""
    for i in range(k.sizes.size):
        for at in range(k.near_first[i], k.near_first[i + 1]):
            j = k.near[at]
            if i < j:
                e = new_pair(a, w, use, i, j)
                link_to(a, w, i, e)
                link_to(a, w, j, e + 1)
    for i in range(k.sizes.size):
        map_links(a, w, use, i)
        for s in range(k.group_first[i], k.group_first[i + 1]):
            for o in range(k.others_first[s], k.others_first[s + 1]):
                w.group_link[o] = a.at[k.others[o]]
