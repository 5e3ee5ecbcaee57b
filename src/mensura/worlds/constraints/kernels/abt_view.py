"""What agents of asynchronous backtracking have: their view, and the values that they have removed with the reasons.

Of a record of a link, PRIORITY says whether the other is above and tells its value, IS_LINK whether it is below and is
told. An agent has one nogood for each value that it has removed: its length and pairs of a record and a value, in a
part of the pool that is replaced by a longer one where it is too short.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import rule, uint64
from mensura.worlds.constraints.kernels.board import NOGOOD_CHECKS
from mensura.worlds.constraints.kernels.links import USED_HERE, VALUE
from mensura.worlds.constraints.kernels.sayings import (
    begin_saying,
    is_forbidden,
    is_new,
    member_code,
    read_member,
)

# What is in use besides what links take: the pool of reasons, and members of nogoods that were written in this cycle.
# And the stamp under which the links of whoever acts are mapped.
POOL, WRITTEN, MAPPED = range(USED_HERE, USED_HERE + 3)
USES = USED_HERE + 3


class Agents(NamedTuple):
    """What each agent has."""

    rank: np.ndarray
    mine: np.ndarray
    """By group: whether all its others rank above, so that it is checked here."""
    over: np.ndarray
    changed: np.ndarray
    news: np.ndarray
    removed: np.ndarray
    """By value (``own_first``): whether it is removed."""
    gone: np.ndarray
    """How many values are removed."""
    reason: np.ndarray
    """By value: where in the pool the reason is."""
    room: np.ndarray
    """By value: how many pairs it may have there."""
    pool: np.ndarray
    members: np.ndarray
    """(2, ...): nogoods in letters of now and next: the length, then agents and values."""
    union: np.ndarray
    mark: np.ndarray
    """By record: the stamp of the nogood that it was last taken into."""


# The view, and what is removed


@rule
def drop(k, m, i, e, value, all_values):
    """Forget the reasons that name a record with another value than this, or with any."""
    first = k.own_first[i]
    for v in range(k.sizes[i]):
        if m.removed[first + v]:
            at = m.reason[first + v]
            for q in range(at + 1, at + 1 + 2 * m.pool[at], 2):
                if m.pool[q] == e and (all_values or m.pool[q + 1] != value):
                    m.removed[first + v] = 0
                    m.gone[i] -= 1
                    break


@rule
def learn(k, c, m, w, i, e, value):
    """Take a value into the view; whatever it contradicts is forgotten."""
    if w.row[e, VALUE] != value:
        w.row[e, VALUE] = value
        m.news[i] = 1
        c.tally[NOGOOD_CHECKS] += m.gone[i]
        drop(k, m, i, e, value, False)


@rule
def remove(k, m, use, i, v, pairs):
    """Mark a value as removed; where its reason of so many pairs may be written."""
    place = k.own_first[i] + v
    if m.removed[place] == 0:
        m.removed[place] = 1
        m.gone[i] += 1
    if m.room[place] < pairs:
        m.reason[place] = use[POOL]
        m.room[place] = pairs
        use[POOL] += 1 + 2 * pairs
    m.pool[m.reason[place]] = pairs
    return m.reason[place] + 1


@rule
def check_constraints(k, c, m, w, use, i):
    """Remove the values that constraints with agents above forbid."""
    size = k.sizes[i]
    for s in range(k.group_first[i], k.group_first[i + 1]):
        if m.mine[s] == 0 or m.gone[i] == size:
            continue
        at = k.table_of[s]
        known = True
        for o in range(k.others_first[s], k.others_first[s + 1]):
            value = w.row[w.group_link[o], VALUE]
            known = known and value >= 0
            at += k.other_stride[o] * value
        if not known:
            continue
        c.checks[i] += k.parts[s] * size
        c.counter[i] += k.parts[s] * size
        for v in range(size):
            if m.removed[k.own_first[i] + v] == 0 and k.table[at + k.stride[s] * v] > 0.0:
                q = remove(k, m, use, i, v, k.others_first[s + 1] - k.others_first[s])
                for o in range(k.others_first[s], k.others_first[s + 1]):
                    m.pool[q] = w.group_link[o]
                    m.pool[q + 1] = w.row[w.group_link[o], VALUE]
                    q += 2


@rule
def is_learned(k, m, y, i, now, at):
    """Whether a nogood says something new of constraints of others."""
    begin_saying(y)
    code = uint64(0)
    for q in range(at + 1, at + 1 + 2 * m.members[now, at], 2):
        j, value = m.members[now, q], m.members[now, q + 1]
        code += member_code(j, value)
        read_member(y, j, value)
    return is_new(y, i, code) and not is_forbidden(k, y, i)
