"""The memory of a mind of Lambda: one row of int64, and a table of what it has learned, found by hashes.

The row begins with a head of numbers; the sizes in it say where everything else is (:func:`settle`), so that one row,
made for the largest of many environments, serves all of them in turn. Floats are views of the same memory.

Slots of open addressing hold hashes of 64 bits and lead to entries, which stand in the order in which they were made.
So it is the memory which was used that is cleared, and no more.
"""

import numpy as np

from mensura.agent.keys import MASK
from mensura.core.compiled import JIT, int64, rule, uint64

# Kinds of minds.
RANDOM, FOLLOWER, ORACLE, Q_LEARNING, SARSA, DOUBLE_Q, DYNA_Q, PLANNER = range(8)

# The head of a mind's row. First whole numbers: who it is, and the sizes of its environment.
(
    KIND,
    KEY,
    CELLS,
    ACTIONS,
    SUBJECTS,
    OBJECTS,
    SHOWN,
    INTERACTIONS,
    # Switches of the world: whether Good pays whoever comes to its cell with it; whether rewards are consumed before
    # the update of the cells; whether rewards are dropped on subjects, and gone once consumed; how many different
    # rewards Evil drops in turn.
    GOOD_PAYS,
    BEFORE,
    ON_SUBJECT,
    EATEN,
    DROPS,
    # Parameters that are whole numbers: how many entries it may have; how many earlier observations belong to a state;
    # how many updates dyna-q makes in its thoughts; how far the planner looks ahead and back.
    STATES,
    MEMORY,
    PLANNING,
    LOOKAHEAD,
    DEPTH,
    # Its table: slots (a power of two), room for entries, how many there are, how many numbers each has, and how many
    # pairs of a state and an action dyna-q has seen.
    SLOTS,
    ROOM,
    USED,
    WIDTH,
    PAIRS,
    # What it did last: the entry of the state, or -1, and the action.
    LAST,
    LAST_ACTION,
    # For how many slots there is room, and where the parts of the row begin. What Evil drops follows the head, then
    # come the slots; no other part ever takes their place, so that those out of use are always empty.
    SLOT_ROOM,
    AT_SLOTS,
    AT_STAMPS,
    AT_OPTIONS,
    AT_HISTORY,
    AT_WAYS,
    AT_FIELD,
    AT_AHEAD,
    AT_PAIRS,
    AT_ENTRIES,
    # Numbers that are floats: parameters; by what rewards are divided; what Good and Evil drop on average.
    ALPHA,
    GAMMA,
    EXPLORATION,
    Q0,
    OFFSET,
    DIVISION,
    GAIN,
    LOSS,
) = range(43)
HEAD = 43

_FACTOR = np.uint64(0xD6E8FEB86659FD93)


@rule
def settle(w):
    """Lay out the row for the sizes in its head; returns how many numbers it takes."""
    kind = w[KIND]
    n_c = w[CELLS]
    n_a = w[ACTIONS]
    learns = kind >= Q_LEARNING
    plans = kind == PLANNER
    room = 0
    width = 0
    if plans:
        room = min(w[STATES], min(w[STATES], w[INTERACTIONS]) * w[DEPTH])
        width = 4
    elif learns:
        states = 1
        for _ in range((2 + w[SUBJECTS] + w[OBJECTS]) * (1 + w[MEMORY])):
            if states < w[STATES]:
                states *= n_c + 1
        room = min(min(w[STATES], w[INTERACTIONS]), states)
        width = 1 + n_a
        if kind == DOUBLE_Q:
            width += n_a
        elif kind == DYNA_Q:
            width += 3 * n_a
    slots = 2
    while slots < 2 * room:
        slots *= 2
    w[ROOM] = room
    w[SLOTS] = slots if room > 0 else 0
    w[WIDTH] = width
    w[SLOT_ROOM] = max(w[SLOT_ROOM], w[SLOTS])
    o = HEAD + w[DROPS]
    w[AT_SLOTS] = o
    o += 2 * w[SLOT_ROOM]
    w[AT_STAMPS] = o
    o += n_c
    w[AT_OPTIONS] = o
    o += n_a
    w[AT_HISTORY] = o
    if plans:
        o += 2 * w[DEPTH] + 2 * w[LOOKAHEAD]
    elif learns:
        o += w[MEMORY]
    w[AT_WAYS] = o
    if plans:
        o += n_c * n_a
    w[AT_FIELD] = o
    if plans:
        o += n_c
    w[AT_AHEAD] = o
    if plans:
        o += (w[LOOKAHEAD] + 3) * n_c
    w[AT_PAIRS] = o
    if kind == DYNA_Q:
        o += room * n_a
    w[AT_ENTRIES] = o
    o += room * width
    return o


# The table ----------------------------------------------------------------------


if JIT:

    @rule
    def blend(h, value):
        """A hash with one more number in it."""
        h = (h ^ uint64(value)) * _FACTOR
        return h ^ (h >> uint64(32))

else:
    # NumPy's scalars warn where a product of 64 bits wraps: the plain twin masks instead.

    def blend(h, value):
        h = ((int(h) ^ int(value) & MASK) * int(_FACTOR)) & MASK
        return np.uint64(h ^ h >> 32)


@rule
def find(w, h):
    """Where the entry of a hash begins; where there is none, -1 less the slot that is free for it."""
    mask = w[SLOTS] - 1
    first = w[AT_SLOTS]
    hashes = w.view(np.uint64)
    i = int64(h & uint64(mask))
    while True:
        at = first + 2 * i
        if w[at + 1] == 0:
            return -1 - i
        if hashes[at] == h:
            return w[AT_ENTRIES] + (w[at + 1] - 1) * w[WIDTH]
        i = (i + 1) & mask


@rule
def enter(w, h, slot):
    """Make an entry for a hash at a free slot; -1 where the table is full. Its first number is the slot."""
    if w[USED] >= w[ROOM]:
        return -1
    at = w[AT_SLOTS] + 2 * slot
    w.view(np.uint64)[at] = h
    entry = w[AT_ENTRIES] + w[USED] * w[WIDTH]
    w[USED] += 1
    w[at + 1] = w[USED]
    w[entry] = slot
    return entry


@rule
def forget(w):
    """Everything learned is gone; in the layout in which it was learned."""
    for i in range(w[USED]):
        slot = w[w[AT_ENTRIES] + i * w[WIDTH]]
        w[w[AT_SLOTS] + 2 * slot + 1] = 0
    w[USED] = 0
    w[PAIRS] = 0


@rule
def sit_down(w, cells, actions, subjects, objects, shown, interactions):
    """Before a sitting: nothing is remembered, and the row is laid out for an environment of these sizes."""
    forget(w)
    w[CELLS] = cells
    w[ACTIONS] = actions
    w[SUBJECTS] = subjects
    w[OBJECTS] = objects
    w[SHOWN] = shown
    w[INTERACTIONS] = interactions
    size = settle(w)
    for i in range(w[AT_WAYS], w[AT_FIELD]):
        w[i] = -1
    return size


@rule
def wake_up(w, key):
    """Before an episode: what lasts for an episode only is gone."""
    w.view(np.uint64)[KEY] = key
    w[LAST] = -1
    for i in range(w[AT_STAMPS], w[AT_OPTIONS]):
        w[i] = -1
    for i in range(w[AT_HISTORY], w[AT_WAYS]):
        w[i] = -1
    for i in range(w[AT_FIELD], w[AT_PAIRS]):
        w[i] = 0


@rule
def move_house(old, new):
    """Take what was learned to a row with more room, laid out for the same environment."""
    for i in range(old[USED]):
        entry = old[AT_ENTRIES] + i * old[WIDTH]
        h = old.view(np.uint64)[old[AT_SLOTS] + 2 * old[entry]]
        to = enter(new, h, -1 - find(new, h))
        for k in range(1, old[WIDTH]):
            new[to + k] = old[entry + k]
    for i in range(old[PAIRS]):
        new[new[AT_PAIRS] + i] = old[old[AT_PAIRS] + i]
    new[PAIRS] = old[PAIRS]
    for i in range(old[AT_FIELD] - old[AT_WAYS]):
        new[new[AT_WAYS] + i] = old[old[AT_WAYS] + i]
