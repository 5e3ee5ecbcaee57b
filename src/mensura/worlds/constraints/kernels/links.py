"""Letters in queues, and links that grow, for algorithms whose agents do not all write at once.

Links are records in pairs, one for each end, so that the other end of record e is e ^ 1. An agent's records are listed
in blocks. Letters are written one after another, and sorted by reader at the end of a cycle.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import rule
from mensura.worlds.constraints.kernels.board import ENDED, MESSAGES, close_cycle

# What is in use: records, blocks, letters, and the last stamp.
LINKS, BLOCKS, LETTERS, STAMP = range(4)
USED_HERE = 4


DONE, TOO_LONG = 0, -1
"""What a kernel goes back with, besides the kind of room that it needs."""
NO_LETTERS, NO_LINKS, NO_BLOCKS, NO_SAYINGS, NO_ROOM_OF_ITS_OWN = range(1, 6)
"""Kinds of room; those that an algorithm alone has are counted on from the last."""


class Boxes(NamedTuple):
    """What each agent has of letters and links."""

    block: np.ndarray
    """The last of the blocks that list its records of links."""
    degree: np.ndarray
    """How many records it has."""
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


class Links(NamedTuple):
    """Records of links, in pairs."""

    row: np.ndarray
    """(records, 8): TO and what follows it; the records of a pair are side by side."""
    group_link: np.ndarray
    """By other of each group: the record."""
    blocks: np.ndarray
    """(blocks, 16): the block before it, then records."""
    whom: np.ndarray
    """As ``blocks``: on whom the records are, so that whoever writes to all need not look them up."""


TO, VALUE, PRIORITY, IS_LINK, WATCH, WATCHED = range(6)
"""Of a record: on whom it is; the value that it last told, or -1; the rest is up to the algorithm."""
WIDTH = 8
LISTED = 15
"""Records in a block."""


class Post(NamedTuple):
    """(letters, 4): the record of the reader on the writer, what it says, the priority, and to whom it is.

    What it says is a value, or LINK, or FIRST_NOGOOD minus the number of a record of nogoods.
    """

    written: np.ndarray
    """In the order in which they were written."""
    boxes: np.ndarray
    """Those that are read now, by reader."""


LINK, FIRST_NOGOOD = -1, -2


# Letters


@rule
def send(a, w, p, use, link, says, priority):
    """Write a letter to whoever is at the other end of an own record."""
    send_to(a, p, use, link, w.row[link, TO], says, priority)


@rule
def send_to(a, p, use, link, to, says, priority):
    """Write a letter to whoever an own record is on."""
    at = use[LETTERS]
    use[LETTERS] = at + 1
    p.written[at, 0] = link ^ 1
    p.written[at, 1] = says
    p.written[at, 2] = priority
    p.written[at, 3] = to
    a.letters[to] += 1


@rule
def end_cycle(b, c, a, p, use, at):
    """Deliver the letters of a cycle; whether the episode is over, since somebody claims or nobody wrote."""
    silent = use[LETTERS] == 0
    deliver(a, p, use)
    over = close_cycle(b, c, at)
    if over or (silent and c.tally[MESSAGES] > 0):
        c.tally[ENDED] = 1
        return True
    return False


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
def list_record(a, w, use, i, e, j):
    """Add a record on another to those of an agent."""
    at = a.degree[i] % LISTED
    if at == 0:
        block = use[BLOCKS]
        use[BLOCKS] = block + 1
        w.blocks[block, 0] = a.block[i]
        a.block[i] = block
    w.blocks[a.block[i], 1 + at] = e
    w.whom[a.block[i], 1 + at] = j
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
        w.row[one, WATCHED] = 0
    w.row[e, TO] = j
    w.row[e + 1, TO] = i
    list_record(a, w, use, i, e, j)
    list_record(a, w, use, j, e + 1, i)
    return e


@rule
def map_links(a, w, use, i):
    """Know the records of an agent by whom they are on."""
    use[STAMP] += 1
    block = a.block[i]
    listed = in_last_block(a.degree[i])
    while block >= 0:
        for at in range(1, listed + 1):
            j = w.whom[block, at]
            a.at[j] = w.blocks[block, at]
            a.whose[j] = use[STAMP]
        block = w.blocks[block, 0]
        listed = LISTED


@rule
def pair_neighbors(k, a, w, use):
    """Records of all neighbors on each other, and of each group's others."""
    for i in range(k.sizes.size):
        for at in range(k.near_first[i], k.near_first[i + 1]):
            j = k.near[at]
            if i < j:
                new_pair(a, w, use, i, j)
    for i in range(k.sizes.size):
        map_links(a, w, use, i)
        for s in range(k.group_first[i], k.group_first[i + 1]):
            for o in range(k.others_first[s], k.others_first[s + 1]):
                w.group_link[o] = a.at[k.others[o]]


@rule
def keep_counters(c, a):
    """Letters that are read in this cycle carry the counters of the last one."""
    for i in range(a.before.size):
        a.before[i] = c.counter[i]
