"""What nogoods in letters say to those who read them, for the count of what agents learn of others' constraints.

A saying counts where it was not said to the same reader before and no constraint of its own forbids it
(:meth:`mensura.worlds.constraints.agent_base.algorithm.Algorithm.count_nogood`).
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, int64, rule, uint64

REPORTED = 6
"""Lines besides letters that an agent may write at a turn: reports, and a claim."""
SAID, STAMPED = range(2)
"""Of what is counted: sayings in the table, and the last stamp."""


class Sayings(NamedTuple):
    """Those that were said, and the one that is read."""

    table: np.ndarray
    """By code: open addressing; 0: free."""
    counts: np.ndarray
    """(SAID, STAMPED)."""
    value: np.ndarray
    """By agent, its value in the saying that is read, where ``stamp`` is the last one."""
    stamp: np.ndarray


@rule
def mixed(code):
    """A code spread over all bits (Stafford's thirteenth variant of a finalizer)."""
    code = (code ^ (code >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> uint64(27))) * uint64(0x94D049BB133111EB)
    return code ^ (code >> uint64(31))


@rule
def member_code(agent, value):
    """Of a member of a nogood; those of all members are added up, so that their order does not matter."""
    return mixed((uint64(agent) << uint64(32)) + uint64(value) + uint64(0x9E3779B97F4A7C15))


@rule
def begin_saying(y):
    """Read another one."""
    y.counts[STAMPED] += 1


@rule
def read_member(y, agent, value):
    """Of the one that is read."""
    y.value[agent] = value
    y.stamp[agent] = y.counts[STAMPED]


@rule
def is_new(y, reader, code):
    """Remember what was said to a reader; whether it was not said before."""
    code = mixed(code ^ (uint64(reader) * uint64(0xD6E8FEB86659FD93))) | uint64(1)
    mask = y.table.size - 1
    place = int64(code >> uint64(20)) & mask
    while y.table[place] != 0:
        if y.table[place] == code:
            return False
        place = (place + 1) & mask
    y.table[place] = code
    y.counts[SAID] += 1
    return True


@rule
def is_forbidden(k, y, i):
    """Whether a constraint of a reader forbids the values of the saying that is read, the own among them."""
    stamp = y.counts[STAMPED]
    own = y.value[i]
    if k.own[k.own_first[i] + own] > 0.0:
        return True
    for s in range(k.group_first[i], k.group_first[i + 1]):
        at = k.table_of[s] + k.stride[s] * own
        known = True
        for o in range(k.others_first[s], k.others_first[s + 1]):
            j = k.others[o]
            known = known and y.stamp[j] == stamp
            at += k.other_stride[o] * y.value[j]
        if known and k.table[at] > 0.0:
            return True
    return False


@door
def rehash_sayings(old, new):
    """Find sayings in a table that is larger than before."""
    mask = new.size - 1
    for at in range(old.size):
        if old[at] != 0:
            place = int64(old[at] >> uint64(20)) & mask
            while new[place] != 0:
                place = (place + 1) & mask
            new[place] = old[at]
