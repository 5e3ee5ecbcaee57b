"""What agents of weak-commitment search tell, hear and keep."""

from mensura.core.compiled import rule
from mensura.worlds.constraints.kernels.board import KINDS, MESSAGES, NUMBERS
from mensura.worlds.constraints.kernels.links import (
    IS_LINK,
    LETTERS,
    LINK,
    LISTED,
    PRIORITY,
    STAMP,
    TO,
    VALUE,
    WATCH,
    WATCHED,
    in_last_block,
    new_pair,
    send,
    send_to,
)
from mensura.worlds.constraints.kernels.nogoods import (
    BITS,
    FIRST,
    FORBIDS,
    LENGTH,
    NEXT,
    NEXT_COPY,
    OWNER,
    POOL,
    WATCHES,
    settle,
)

OK, NOGOOD, ADD_LINK = range(3)
"""Kinds of letters, in the order of the tally."""


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
    all_linked = m.linked[i] == a.degree[i]
    block = a.block[i]
    listed = in_last_block(a.degree[i])
    while block >= 0:
        for at in range(1, listed + 1):
            e = w.blocks[block, at]
            if all_linked or w.row[e, IS_LINK]:
                send_to(a, p, use, e, w.whom[block, at], value, priority)
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
    if w.row[e, WATCHED] & (1 << value % BITS):
        if k.sizes[w.row[e, TO]] <= BITS:
            w.row[e, WATCHED] ^= 1 << value
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
    m.kept[i] += 1
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
