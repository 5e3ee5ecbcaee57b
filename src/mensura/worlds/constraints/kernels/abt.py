"""Asynchronous backtracking with links that are kept (:mod:`mensura.worlds.constraints.algorithms.abt`)."""

from mensura.core.compiled import door, rule
from mensura.worlds.constraints.kernels.abt_view import (
    MAPPED,
    POOL,
    WRITTEN,
    check_constraints,
    drop,
    is_learned,
    learn,
    remove,
)
from mensura.worlds.constraints.kernels.board import (
    AGENT,
    CLAIMED,
    KINDS,
    LEARNED_NOGOODS,
    MESSAGES,
    NOGOOD_CHECKS,
    NUMBERS,
    OBSOLETE,
    TURN,
    assign,
)
from mensura.worlds.constraints.kernels.links import (
    BLOCKS,
    DONE,
    FIRST_NOGOOD,
    IS_LINK,
    LETTERS,
    LINK,
    LINKS,
    LISTED,
    NO_BLOCKS,
    NO_LETTERS,
    NO_LINKS,
    NO_ROOM_OF_ITS_OWN,
    NO_SAYINGS,
    PRIORITY,
    STAMP,
    TO,
    TOO_LONG,
    VALUE,
    end_cycle,
    in_last_block,
    keep_counters,
    map_links,
    new_pair,
    pair_neighbors,
    send,
)
from mensura.worlds.constraints.kernels.sayings import (
    REPORTED,
    SAID,
)

OK, NOGOOD, ADD_LINK = range(3)
"""Kinds of letters, in the order of the tally."""

NO_REASONS, NO_MEMBERS = range(NO_ROOM_OF_ITS_OWN, NO_ROOM_OF_ITS_OWN + 2)


# Letters


@rule
def tell(c, a, w, p, use, i, e):
    """Tell the value to one."""
    send(a, w, p, use, e, c.choice[i], 0)
    c.tally[MESSAGES] += 1
    c.tally[NUMBERS] += 1
    c.tally[KINDS + OK] += 1


@rule
def tell_all(c, a, m, w, p, use, i):
    """Tell the value to all below."""
    m.changed[i] = 0
    block = a.block[i]
    listed = in_last_block(a.degree[i])
    while block >= 0:
        for at in range(1, listed + 1):
            e = w.blocks[block, at]
            if w.row[e, IS_LINK]:
                tell(c, a, w, p, use, i, e)
        block = w.blocks[block, 0]
        listed = LISTED


@rule
def backtrack(k, c, a, m, w, p, use, i):
    """Tell the lowest of those to blame what cannot be, and forget its value until it answers."""
    use[STAMP] += 1
    size = 0
    culprit = -1
    first = k.own_first[i]
    for v in range(k.sizes[i]):
        at = m.reason[first + v]
        for q in range(at + 1, at + 1 + 2 * m.pool[at], 2):
            e = m.pool[q]
            if m.mark[e] != use[STAMP]:
                m.mark[e] = use[STAMP]
                m.union[size] = e
                size += 1
                if culprit < 0 or m.rank[w.row[e, TO]] > m.rank[w.row[culprit, TO]]:
                    culprit = e
    if size == 0:
        m.over[i] = 1
        c.tally[CLAIMED] = 1
        return
    new = 1 - c.tally[TURN] % 2
    at = use[WRITTEN]
    use[WRITTEN] = at + 1 + 2 * size
    m.members[new, at] = size
    for q in range(size):
        m.members[new, at + 1 + 2 * q] = w.row[m.union[q], TO]
        m.members[new, at + 2 + 2 * q] = w.row[m.union[q], VALUE]
    send(a, w, p, use, culprit, FIRST_NOGOOD - at, 0)
    a.named[new, w.row[culprit, TO]] += size
    c.tally[MESSAGES] += 1
    c.tally[NUMBERS] += size
    c.tally[KINDS + NOGOOD] += 1
    c.tally[NOGOOD_CHECKS] += m.gone[i]
    for q in range(size):
        e = m.union[q]
        if e == culprit or w.row[e, PRIORITY] == 0:
            w.row[e, VALUE] = -1
            drop(k, m, i, e, 0, True)


@rule
def choose(k, b, c, a, m, w, p, use, i):
    """Keep the value or take the first that is left; where none is, backtrack and choose again."""
    m.news[i] = 0
    first = k.own_first[i]
    while m.over[i] == 0:
        check_constraints(k, c, m, w, use, i)
        if m.removed[first + c.choice[i]] == 0:
            return
        if m.gone[i] < k.sizes[i]:
            v = 0
            while m.removed[first + v]:
                v += 1
            assign(k, b, c, i, v)
            m.changed[i] = 1
            return
        backtrack(k, c, a, m, w, p, use, i)


@rule
def hear_nogood(k, b, c, a, m, w, p, y, use, i, sender, at):
    """Accept it if it is still so: remove the value; else say once more what the value is."""
    now = c.tally[TURN] % 2
    size = m.members[now, at]
    value = -1
    known = True
    c.tally[NOGOOD_CHECKS] += 1
    c.tally[LEARNED_NOGOODS] += is_learned(k, m, y, i, now, at)
    for q in range(at + 1, at + 1 + 2 * size, 2):
        j = m.members[now, q]
        wanted = m.members[now, q + 1]
        if j == i:
            value = wanted
        else:
            e = record_of(a, w, use, i, j)
            told = w.row[e, VALUE]
            known = known and (w.row[e, PRIORITY] == 0 or told < 0 or told == wanted)
    if value != c.choice[i] or not known or m.over[i]:
        c.tally[OBSOLETE] += 1
        if value == c.choice[i] and w.row[sender, IS_LINK]:
            tell(c, a, w, p, use, i, sender)
        return
    for q in range(at + 1, at + 1 + 2 * size, 2):
        j = m.members[now, q]
        if j == i:
            continue
        e = a.at[j]
        learn(k, c, m, w, i, e, m.members[now, q + 1])
        if w.row[e, PRIORITY] == 0:
            w.row[e, PRIORITY] = 1
            send(a, w, p, use, e, LINK, 0)
            c.tally[MESSAGES] += 1
            c.tally[KINDS + ADD_LINK] += 1
    place = remove(k, m, use, i, value, size - 1)
    for q in range(at + 1, at + 1 + 2 * size, 2):
        if m.members[now, q] != i:
            m.pool[place] = a.at[m.members[now, q]]
            m.pool[place + 1] = m.members[now, q + 1]
            place += 2
    m.changed[i] = 1
    choose(k, b, c, a, m, w, p, use, i)


@rule
def record_of(a, w, use, i, j):
    """The record of an agent on another, which is made where there is none; its links are mapped."""
    if a.whose[j] != use[MAPPED]:
        a.at[j] = new_pair(a, w, use, i, j)
        a.whose[j] = use[MAPPED]
    return a.at[j]


@rule
def begin(k, b, c, a, m, w, p, use, i):
    """Values that are forbidden by themselves stay removed; choose, and tell."""
    for v in range(k.sizes[i]):
        if k.own[k.own_first[i] + v] > 0.0:
            remove(k, m, use, i, v, 0)
    choose(k, b, c, a, m, w, p, use, i)
    tell_all(c, a, m, w, p, use, i)


@rule
def take_turn(k, b, c, a, m, w, p, y, use, i):
    """Read all letters, then choose and tell where something is new."""
    if c.tally[TURN] == 0:
        begin(k, b, c, a, m, w, p, use, i)
    counter = c.counter[i]
    for at in range(a.first[i], a.first[i + 1]):
        counter = max(counter, a.before[w.row[p.boxes[at, 0], TO]])
    c.counter[i] = counter
    for at in range(a.first[i], a.first[i + 1]):
        e = p.boxes[at, 0]
        says = p.boxes[at, 1]
        if says >= 0:
            learn(k, c, m, w, i, e, says)
        elif says == LINK:
            w.row[e, IS_LINK] = 1
            tell(c, a, w, p, use, i, e)
        else:
            hear_nogood(k, b, c, a, m, w, p, y, use, i, e, FIRST_NOGOOD - says)
    if m.news[i]:
        choose(k, b, c, a, m, w, p, use, i)
    if m.changed[i]:
        tell_all(c, a, m, w, p, use, i)


@rule
def room_wanted(k, a, m, w, p, y, use, i, now):
    """The kind of room that the next turn of an agent may not have enough of; DONE: there is enough."""
    named = a.named[now, i]
    letters = a.first[i + 1] - a.first[i]
    most = a.degree[i] + named
    backtracks = most + letters + named
    if use[LETTERS] + 2 * letters + named + 2 * most + backtracks > p.written.shape[0]:
        return NO_LETTERS
    if use[LINKS] + 2 * named > w.row.shape[0]:
        return NO_LINKS
    if use[BLOCKS] + 2 * named > w.blocks.shape[0]:
        return NO_BLOCKS
    if 2 * (y.counts[SAID] + named) > y.table.size:
        return NO_SAYINGS
    if use[POOL] + letters + 2 * named > m.pool.size:
        return NO_REASONS
    return DONE if use[WRITTEN] + backtracks * (1 + 2 * most) <= m.members.shape[1] else NO_MEMBERS


@door
def abt(k, b, c, a, m, w, p, y, use, out, most_letters, most_named, most):
    """Play so many cycles at most; how many were played. ``out`` says what is wanted where it comes back before."""
    n = k.sizes.size
    at = out[1]
    while at < most:
        now = c.tally[TURN] % 2
        if c.tally[AGENT] == 0:
            keep_counters(c, a)
        for i in range(c.tally[AGENT], n):
            out[0] = room_wanted(k, a, m, w, p, y, use, i, now)
            if out[0] != DONE:
                c.tally[AGENT] = i
                out[1] = at
                return at
            letters, written = use[LETTERS], use[WRITTEN]
            if a.named[now, i]:
                map_links(a, w, use, i)
                use[MAPPED] = use[STAMP]
            take_turn(k, b, c, a, m, w, p, y, use, i)
            a.named[now, i] = 0
            if (
                use[LETTERS] - letters + REPORTED > most_letters
                or use[WRITTEN] - written > 2 * most_named
                or a.first[i + 1] - a.first[i] > 16 * most_letters
            ):
                out[0] = TOO_LONG
                return at
        c.tally[AGENT] = 0
        use[WRITTEN] = 0
        at += 1
        if end_cycle(b, c, a, p, use, at - 1):
            break
    out[0] = DONE
    out[1] = 0
    return at


@door
def open_abt(k, a, m, w, use):
    """Neighbors above are told of, neighbors below are told."""
    pair_neighbors(k, a, w, use)
    for e in range(use[LINKS]):
        above = m.rank[w.row[e, TO]] < m.rank[w.row[e ^ 1, TO]]
        w.row[e, PRIORITY] = 1 if above else 0
        w.row[e, IS_LINK] = 0 if above else 1
    for i in range(k.sizes.size):
        for s in range(k.group_first[i], k.group_first[i + 1]):
            mine = 1
            for o in range(k.others_first[s], k.others_first[s + 1]):
                if m.rank[k.others[o]] > m.rank[i]:
                    mine = 0
            m.mine[s] = mine
