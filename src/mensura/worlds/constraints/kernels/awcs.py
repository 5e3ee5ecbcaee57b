"""Asynchronous weak-commitment search (:mod:`mensura.worlds.constraints.algorithms.awcs`), with queues of letters.

A nogood is written once, however many have it, and each reader keeps a copy with the links of its conditions. A copy is
either on the list of one of its conditions that does not hold (a watched assignment), or on the list of its value, as
one that may be broken: so a letter touches only nogoods that watch what it tells.

A kernel allocates nothing. Before each turn it compares what the turn may take at most with the room that is left, and
goes back to the caller for more; it goes on where it was.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, rule, uint64
from mensura.worlds.constraints.kernels.awcs_choice import (
    all_above,
    choose,
    is_troubled,
    look,
    resolvent,
)
from mensura.worlds.constraints.kernels.awcs_mail import (
    NOGOOD,
    hear_value,
    keep,
    link_to,
    tell,
    tell_all,
)
from mensura.worlds.constraints.kernels.board import (
    AGENT,
    CLAIMED,
    KINDS,
    LEARNED_NOGOODS,
    MESSAGES,
    NUMBERS,
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
    NO_BLOCKS,
    NO_LETTERS,
    NO_LINKS,
    NO_ROOM_OF_ITS_OWN,
    NO_SAYINGS,
    PRIORITY,
    TO,
    TOO_LONG,
    WATCH,
    end_cycle,
    keep_counters,
    map_links,
    pair_neighbors,
    send,
)
from mensura.worlds.constraints.kernels.nogoods import (
    FIRST,
    MEMBERS,
    POOL,
    RECORDS,
    WATCHES,
    written,
)
from mensura.worlds.constraints.kernels.sayings import (
    REPORTED,
    SAID,
    begin_saying,
    is_forbidden,
    is_new,
    read_member,
)

NO_COPIES, NO_RECORDS, NO_MEMBERS, NO_WATCHES = range(NO_ROOM_OF_ITS_OWN, NO_ROOM_OF_ITS_OWN + 4)


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
    kept: np.ndarray
    """How many nogoods it keeps."""
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
def is_learned(k, y, g, i, r):
    """Whether a nogood says something new of constraints of others; written once, it is known by its number."""
    if not is_new(y, i, uint64(r)):
        return False
    begin_saying(y)
    for q in range(g.first[r], g.first[r] + g.length[r]):
        read_member(y, g.agent[q], g.value[q])
    return not is_forbidden(k, y, i)


@rule
def read_letters(k, c, a, m, w, g, p, y, use, i, longest):
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
            c.tally[LEARNED_NOGOODS] += is_learned(k, y, g, i, r)
            if longest == 0 or g.length[r] - 1 <= longest:
                keep(k, c, a, m, w, g, p, use, i, r)
            fresh = True
    c.counter[i] = counter
    a.named[now, i] = 0
    return fresh


@rule
def take_turn(k, b, c, a, m, w, g, p, y, use, i, by_view, longest):
    """Read, then look once at everything where something is new."""
    if c.tally[TURN] == 0:
        begin(k, b, c, a, m, w, p, use, i)
    fresh = read_letters(k, c, a, m, w, g, p, y, use, i, longest)
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
def room_wanted(k, a, m, w, g, p, y, use, i, now):
    """The kind of room that the next turn of an agent may not have enough of; DONE: there is enough."""
    named = a.named[now, i]
    letters = a.first[i + 1] - a.first[i]
    most = a.degree[i] + named
    if use[LETTERS] + letters + 2 * named + 2 * most > p.written.shape[0]:
        return NO_LETTERS
    if use[LINKS] + 2 * named > w.row.shape[0]:
        return NO_LINKS
    if 2 * (y.counts[SAID] + named) > y.table.size:
        return NO_SAYINGS
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
def awcs(k, b, c, a, m, w, g, p, y, use, out, by_view, longest, most_letters, most_named, most):
    """Play so many cycles at most; how many were played. ``out`` says what is wanted where it comes back before."""
    n = k.sizes.size
    at = out[1]
    out[0] = DONE
    while at < most:
        now = c.tally[TURN] % 2
        if c.tally[AGENT] == 0:
            keep_counters(c, a)
        for i in range(c.tally[AGENT], n):
            out[0] = room_wanted(k, a, m, w, g, p, y, use, i, now)
            if out[0] != DONE:
                c.tally[AGENT] = i
                out[1] = at
                return at
            written_before = use[LETTERS]
            if a.first[i + 1] - a.first[i] > 16 * most_letters:
                out[0] = TOO_LONG
                return at
            sent = m.sent[i]
            take_turn(k, b, c, a, m, w, g, p, y, use, i, by_view, longest)
            if use[LETTERS] - written_before + REPORTED > most_letters or (
                m.sent[i] != sent and g.length[m.sent[i]] > most_named
            ):
                out[0] = TOO_LONG
                return at
        c.tally[AGENT] = 0
        at += 1
        if end_cycle(b, c, a, p, use, at - 1):
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
