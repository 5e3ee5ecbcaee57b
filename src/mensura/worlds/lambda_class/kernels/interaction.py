"""The rules of Lambda, written once and compiled: behaviors, moves, trails, rewards, observations.

One environment is one row of int64 (:class:`Row` names its parts), owned by the caller. What never changes comes
first: the head with all sizes and switches, the space, the behaviors. The lists of sections 3.6.3 and 4.4 of
Insa-Cabrera (2011) are one sequence of three parts, which the switches steer:

    begin     the cycle clause, where it is due; Good and Evil drop rewards on their cells; every object decides where
              to go, on what it observes now
    observe   each seat is shown what it may know: the only function that shows hidden state to a subject
    advance   all move at once, and Good and Evil never to one cell; the subjects consume what lies on their cells,
              either before all rewards are divided (3.6.3), or after they were divided and Good and Evil dropped
              theirs where they are now (4.1.5)

A cell's reward is divided when somebody looks at it, as often as it would have been by then, so that an interaction
takes no pass over the cells and yet gives the same bits.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import (
    choice,
    draw,
    fold,
    matrix,
    rule,
    span,
    uint64,
)
from mensura.core.doors import Rules, step_doors
from mensura.worlds.lambda_class.kernels.generator import geometric
from mensura.worlds.lambda_class.kernels.rewriting import LIMIT, last_move, rewrite

# The head of a row: sizes, then switches.
(
    CELLS,
    ACTIONS,
    SUBJECTS,
    OBJECTS,
    HORIZON,
    GOOD_DROPS,
    EVIL_DROPS,
    SCRIPTS,
    MEMORIES,
    LONGEST,
    SHOWN,
    STEPS,
    MOVES,
    LEAST_MOVES,
    MOST_MOVES,
    DROPS_ON_SUBJECT,
    EATEN,
    CONSUMED_AFTER,
    SHARED,
    CYCLE,
    CYCLE_LENGTH,
    CYCLE_BOUND,
    JUNK,
    JUNK_BOUND,
    PARTIAL,
    PLACED,
) = range(26)
HEAD = 26

# How many moves Good and Evil make in an interaction: a number; one drawn each time; as many as the pattern has; as
# many, but up to one that leads nowhere.
FIXED, GEOMETRIC, WHOLE_PATTERN, WHILE_ALLOWED = range(4)

# The cycle clause.
NEVER, SWAP, RELOCATE = range(3)

DRAWN = -1
"""A number of interactions that is drawn from 1 to a bound."""

# Who is on the cells besides subjects: Good, Evil, then the other objects.
GOOD, EVIL, FIRST_OBJECT = range(3)

# A behavior: its kind, where its script begins, how long that is, and which memory it has.
KIND, SCRIPT, LENGTH, MEMORY = range(4)
BEHAVIOR = 4
RANDOM, PATTERN, STARTLED, SHY, ATTACHED, MARKOV = range(6)

# Where an object is, where it intends to go, and its place in its pattern.
CELL, AIM, POSITION = range(3)
STATE = 3

# Clocks: interactions of the episode; those of the initial junk too; when the cycle clause is due; how often it was;
# the work of the episode's responses so far, and that of the hardest of them (see `begin`).
TIME, CLOCK, CYCLE_AT, CYCLED, WORK, HARDEST = range(6)
CLOCKS = 6

# Rights of seats.
SEES_FUTURE, SEES_REWARDS = 1, 2

# An observation: the numbers named here, then the cells of the subjects, those of the objects, those that each action
# leads to, and the rewards of all cells where some seat may see them. A cell out of sight, or unknown, is -1.
OWN_CELL, ITERATION, GOOD_CELL, EVIL_CELL, GOOD_NEXT, EVIL_NEXT = range(6)
NAMED = 6

# Which arrows somebody would take, and which if there are none: to an empty cell elsewhere, or else elsewhere; to a
# cell with subjects, or else to any.
AWAY, ELSEWHERE, TO_SUBJECTS, ANYWHERE = range(4)

# Slots of the draws under an episode's key. Objects have streams of their own, by their number; the stream after the
# last of them is that of the initial junk. There the slots are moves, or seats.
_SLOT_START, _SLOT_COLLISION, _SLOT_CYCLE, _SLOT_JUNK, _SLOT_GOOD, _SLOT_EVIL = range(6)
_SLOT_NUMBER, _SLOT_MOVES = 6, 7
"""Slots of the draws of objects, each of which has iterations of its own; moves within one take slots from there on."""


class Row(NamedTuple):
    """The parts of an environment's row, as views of it; from `clock` on they change."""

    head: np.ndarray
    division: np.ndarray
    drops: np.ndarray
    rights: np.ndarray
    starts: np.ndarray
    arrows: np.ndarray
    behavior: np.ndarray
    script: np.ndarray
    clock: np.ndarray
    key: np.ndarray
    state: np.ndarray
    place: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    trail: np.ndarray
    stamp: np.ndarray
    crowd: np.ndarray
    obs: np.ndarray
    tape: np.ndarray
    memory: np.ndarray


def fixed_size(head: list[int]) -> int:
    """How many int64 of a row with this head never change."""
    objects = FIRST_OBJECT + head[OBJECTS]
    seats = head[SUBJECTS]
    drops = 1 + head[GOOD_DROPS] + head[EVIL_DROPS]
    places = seats + objects + seats
    arrows = head[CELLS] * head[ACTIONS]
    return HEAD + drops + places + arrows + BEHAVIOR * objects + head[SCRIPTS]


def row_size(head: list[int]) -> int:
    """How many int64 a row with this head takes."""
    objects = FIRST_OBJECT + head[OBJECTS]
    changing = CLOCKS + 1 + STATE * objects + 3 * head[SUBJECTS] + 3 * head[CELLS]
    shown = NAMED + head[SUBJECTS] + head[OBJECTS] + head[ACTIONS] + head[SHOWN]
    tapes = (1 + head[MEMORIES]) * (1 + head[LONGEST])
    return fixed_size(head) + changing + head[SUBJECTS] * shown + tapes


@rule
def open_row(w):
    """Name the parts of a row."""
    n_c = w[CELLS]
    n_a = w[ACTIONS]
    seats = w[SUBJECTS]
    objects = FIRST_OBJECT + w[OBJECTS]
    size = NAMED + seats + w[OBJECTS] + n_a + w[SHOWN]
    drops = w[GOOD_DROPS] + w[EVIL_DROPS]
    o = HEAD
    division = span(w, o, 1).view(np.float64)
    o += 1
    dropped = span(w, o, drops).view(np.float64)
    o += drops
    rights = span(w, o, seats)
    o += seats
    starts = span(w, o, objects + seats)
    o += objects + seats
    arrows = matrix(span(w, o, n_c * n_a), n_c, n_a)
    o += n_c * n_a
    behavior = matrix(span(w, o, BEHAVIOR * objects), objects, BEHAVIOR)
    o += BEHAVIOR * objects
    script = span(w, o, w[SCRIPTS])
    o += w[SCRIPTS]
    clock = span(w, o, CLOCKS)
    o += CLOCKS
    key = span(w, o, 1).view(np.uint64)
    o += 1
    state = matrix(span(w, o, STATE * objects), objects, STATE)
    o += STATE * objects
    place = span(w, o, seats)
    o += seats
    action = span(w, o, seats)
    o += seats
    reward = span(w, o, seats).view(np.float64)
    o += seats
    trail = span(w, o, n_c).view(np.float64)
    o += n_c
    stamp = span(w, o, n_c)
    o += n_c
    crowd = span(w, o, n_c)
    o += n_c
    obs = matrix(span(w, o, seats * size).view(np.float64), seats, size)
    o += seats * size
    longest = 1 + w[LONGEST]
    tape = span(w, o, longest)
    o += longest
    memory = matrix(span(w, o, w[MEMORIES] * longest), w[MEMORIES], longest)
    return Row(
        span(w, 0, HEAD),
        division,
        dropped,
        rights,
        starts,
        arrows,
        behavior,
        script,
        clock,
        key,
        state,
        place,
        action,
        reward,
        trail,
        stamp,
        crowd,
        obs,
        tape,
        memory,
    )


# Rewards ------------------------------------------------------------------------


@rule
def worth(r, c):
    """The reward of a cell now, after all the divisions since it was last looked at."""
    now = r.clock[CLOCK]
    value = r.trail[c]
    if value != 0.0:
        division = r.division[0]
        if division != 1.0:
            k = now - r.stamp[c]
            while k > 0 and value != 0.0:
                value /= division
                k -= 1
            value += 0.0  # no negative zeros
            r.trail[c] = value
    r.stamp[c] = now
    return value


@rule
def drop(r):
    """Good and Evil put their rewards on their cells, in place of what lies there."""
    now = r.clock[CLOCK]
    for who in range(FIRST_OBJECT):
        c = r.state[who, CELL]
        if r.head[DROPS_ON_SUBJECT] == 1 or r.crowd[c] == 0:
            if who == GOOD:
                r.trail[c] = r.drops[now % r.head[GOOD_DROPS]]
            else:
                r.trail[c] = -r.drops[r.head[GOOD_DROPS] + now % r.head[EVIL_DROPS]]
            r.stamp[c] = now


@rule
def consume(r):
    """The subjects get what lies on their cells: each all of it, or an equal share."""
    seats = r.head[SUBJECTS]
    for j in range(seats):
        c = r.place[j]
        value = worth(r, c)
        if r.head[SHARED] == 1:
            value /= r.crowd[c]
        r.reward[j] = value
    if r.head[EATEN] == 1:
        for j in range(seats):
            r.trail[r.place[j]] = 0.0


# Behaviors ----------------------------------------------------------------------


@rule
def suits(r, cell, a, wish):
    """Whether the arrow of an action leads where somebody wishes to go."""
    to = r.arrows[cell, a]
    if wish == AWAY:
        return to != cell and r.crowd[to] == 0
    if wish == ELSEWHERE:
        return to != cell
    return wish == ANYWHERE or r.crowd[to] > 0


@rule
def suiting(r, cell, wish):
    """How many actions suit a wish, or the next one where none does; and the wish that it is then."""
    n_a = r.head[ACTIONS]
    count = 0
    for a in range(n_a):
        if suits(r, cell, a, wish):
            count += 1
    if count == 0:
        wish += 1
        for a in range(n_a):
            if suits(r, cell, a, wish):
                count += 1
    return count, wish


@rule
def pick(r, cell, wish, key, t, slot):
    """One of the actions that suit, drawn evenly; where none does, one of those that suit the next wish."""
    n_a = r.head[ACTIONS]
    count, wish = suiting(r, cell, wish)
    k = choice(key, t, slot, count)
    for a in range(n_a):
        if suits(r, cell, a, wish):
            if k == 0:
                return a
            k -= 1
    return 0


@rule
def turn_of(r, i):
    """The iteration of the draws of object i in this interaction."""
    return r.clock[CLOCK] * (FIRST_OBJECT + r.head[OBJECTS]) + i


@rule
def choose(r, i, cell, k):
    """The k-th move of object i in this interaction, from a cell."""
    kind = r.behavior[i, KIND]
    script = r.behavior[i, SCRIPT]
    if kind == PATTERN:
        at = r.state[i, POSITION]
        r.state[i, POSITION] = at + 1 if at + 1 < r.behavior[i, LENGTH] else 0
        return r.script[script + at]
    if kind == STARTLED:
        startled = r.crowd[r.state[i, CELL]] > 0
        if i < FIRST_OBJECT:
            startled = r.crowd[r.state[GOOD, CELL]] > 0 or r.crowd[r.state[EVIL, CELL]] > 0
        return r.script[script + 1] if startled else r.script[script]
    if kind == RANDOM:
        return choice(r.key[0], turn_of(r, i), _SLOT_MOVES + k, r.head[ACTIONS])
    shy = kind == SHY
    if shy == (r.crowd[cell] == 0):
        return 0
    wish = AWAY if shy else TO_SUBJECTS
    return pick(r, cell, wish, r.key[0], turn_of(r, i), _SLOT_MOVES + k)


@rule
def count_moves(r, i):
    """How many moves object i makes in this interaction, at most."""
    if i >= FIRST_OBJECT:
        return 1
    moves = r.head[MOVES]
    if moves == GEOMETRIC:
        z = draw(r.key[0], turn_of(r, i), _SLOT_NUMBER)
        return geometric(z, r.head[LEAST_MOVES], r.head[MOST_MOVES])
    if moves == FIXED:
        return r.head[LEAST_MOVES]
    return r.behavior[i, LENGTH]


@rule
def write(r, i):
    """Write onto the tape what object i observes, as in section 3.6.4.

    The symbols are: actions, actions as observed, subject, Good or Evil, the objects in their order, separator.
    """
    n_a = r.head[ACTIONS]
    objects = r.head[OBJECTS]
    subject = 2 * n_a
    rewarder = subject + 1
    first = subject + 2
    own = r.state[i, CELL]
    n = 0
    for c in range(r.head[CELLS]):
        if c > 0:
            n += 1
            r.tape[n] = first + objects
        for _ in range(r.crowd[c]):
            n += 1
            r.tape[n] = subject
        if r.state[GOOD, CELL] == c or r.state[EVIL, CELL] == c:
            n += 1
            r.tape[n] = rewarder
        for k in range(objects):
            if r.state[FIRST_OBJECT + k, CELL] == c:
                n += 1
                r.tape[n] = first + k
        for a in range(n_a):
            if r.arrows[own, a] == c:
                n += 1
                r.tape[n] = n_a + a
    r.tape[0] = n


@rule
def run(r, i):
    """Where the Markov program of object i takes it: Good and Evil by the whole output, others by its last action."""
    n_a = r.head[ACTIONS]
    cell = r.state[i, CELL]
    write(r, i)
    script = r.behavior[i, SCRIPT]
    code = r.script[script : script + r.behavior[i, LENGTH]]
    memory = r.memory[r.behavior[i, MEMORY]]
    ended, steps, _ = rewrite(code, r.tape, memory, r.head[STEPS])
    r.clock[WORK] += 1 + (steps if ended < LIMIT else r.head[STEPS])
    if i >= FIRST_OBJECT:
        r.clock[WORK] += 1
        return r.arrows[cell, last_move(r.tape, ended, n_a)]
    if ended < LIMIT:
        for k in range(1, r.tape[0] + 1):
            if r.tape[k] < n_a:
                cell = r.arrows[cell, r.tape[k]]
                r.clock[WORK] += 1
    return cell


@rule
def destination(r, i):
    """Where object i intends to be after this interaction."""
    if r.behavior[i, KIND] == MARKOV:
        return run(r, i)
    cell = r.state[i, CELL]
    while_allowed = i < FIRST_OBJECT and r.head[MOVES] == WHILE_ALLOWED
    made = 0
    for k in range(count_moves(r, i)):
        a = choose(r, i, cell, k)
        to = r.arrows[cell, a]
        if while_allowed and a != 0 and to == cell:
            break
        cell = to
        made += 1
    r.clock[WORK] += 1 + made
    return cell


# An interaction -----------------------------------------------------------------


@rule
def part(r, t):
    """Put Good and Evil on different random cells."""
    n_c = r.head[CELLS]
    good = choice(r.key[0], t, _SLOT_GOOD, n_c)
    evil = choice(r.key[0], t, _SLOT_EVIL, n_c - 1)
    r.state[GOOD, CELL] = good
    r.state[EVIL, CELL] = evil + 1 if evil >= good else evil


@rule
def lap(r):
    """How many interactions pass until the cycle clause is due again."""
    if r.head[CYCLE_LENGTH] != DRAWN:
        return r.head[CYCLE_LENGTH]
    return 1 + choice(r.key[0], r.clock[CYCLED], _SLOT_CYCLE, r.head[CYCLE_BOUND])


@rule
def begin(r):
    """Begin an interaction: the cycle clause, rewards are dropped, objects decide.

    What the objects take to decide is the work of a response, the time of definition 3.4.1 in our machine: for each of
    them one for its decision, one for each rule that its Markov program applies (all that it is allowed to, where it
    has to be stopped), and one for each move that it is to make. An episode has as many responses as interactions,
    since what was decided beforehand is shown in each.
    """
    before = r.clock[WORK]
    now = r.clock[CLOCK]
    if r.head[CYCLE] != NEVER and now == r.clock[CYCLE_AT]:
        if r.head[CYCLE] == SWAP:
            good = r.state[GOOD, CELL]
            r.state[GOOD, CELL] = r.state[EVIL, CELL]
            r.state[EVIL, CELL] = good
        else:
            part(r, now)
        r.clock[CYCLED] += 1
        r.clock[CYCLE_AT] = now + lap(r)
    drop(r)
    for i in range(FIRST_OBJECT + r.head[OBJECTS]):
        r.state[i, AIM] = destination(r, i)
    r.clock[HARDEST] = max(r.clock[HARDEST], r.clock[WORK] - before)


@rule
def move(r):
    """All move at once.

    If Good and Evil would be on one cell afterwards, one of them, drawn evenly, stays where it was; if one does not
    move anyway, the other stays (4.4, and the only way in which 3.6.2 can be read then). Patterns go on all the same.
    """
    for j in range(r.head[SUBJECTS]):
        c = r.place[j]
        to = r.arrows[c, r.action[j]]
        r.crowd[c] -= 1
        r.crowd[to] += 1
        r.place[j] = to
    good = r.state[GOOD, AIM]
    evil = r.state[EVIL, AIM]
    if good == evil:
        if good == r.state[GOOD, CELL]:
            evil = r.state[EVIL, CELL]
        elif evil == r.state[EVIL, CELL]:
            good = r.state[GOOD, CELL]
        elif draw(r.key[0], r.clock[CLOCK], _SLOT_COLLISION) & uint64(1) == uint64(1):
            evil = r.state[EVIL, CELL]
        else:
            good = r.state[GOOD, CELL]
    r.state[GOOD, CELL] = good
    r.state[EVIL, CELL] = evil
    for i in range(FIRST_OBJECT, FIRST_OBJECT + r.head[OBJECTS]):
        r.state[i, CELL] = r.state[i, AIM]


@rule
def advance(r):
    """The rest of an interaction, once the subjects have chosen their actions."""
    move(r)
    after = r.head[CONSUMED_AFTER]
    r.clock[CLOCK] += after
    if after == 1:
        drop(r)
    consume(r)
    r.clock[CLOCK] += 1 - after


@rule
def start(r, key):
    """Start an episode: place everybody, let random subjects play the initial junk, and begin."""
    n_c = r.head[CELLS]
    seats = r.head[SUBJECTS]
    objects = FIRST_OBJECT + r.head[OBJECTS]
    r.key[0] = key
    for c in range(n_c):
        r.trail[c] = 0.0
        r.stamp[c] = 0
        r.crowd[c] = 0
    if r.head[PLACED] == 0:
        part(r, 0)
    for i in range(objects):
        r.state[i, POSITION] = 0
        if r.head[PLACED] == 1:
            r.state[i, CELL] = r.starts[i]
        elif i >= FIRST_OBJECT:
            r.state[i, CELL] = choice(key, i, _SLOT_START, n_c)
    for j in range(seats):
        c = r.starts[objects + j]
        if r.head[PLACED] == 0:
            c = choice(key, objects + j, _SLOT_START, n_c)
        r.place[j] = c
        r.crowd[c] += 1
    for i in range(r.head[MEMORIES]):
        r.memory[i, 0] = 0
    for i in range(CLOCKS):
        r.clock[i] = 0
    r.clock[CYCLE_AT] = lap(r)
    junk = r.head[JUNK]
    if junk == DRAWN:
        junk = 1 + choice(key, 0, _SLOT_JUNK, r.head[JUNK_BOUND])
    players = fold(key, objects)
    for k in range(junk + 1):
        if k > 0:
            for j in range(seats):
                r.action[j] = choice(players, k, j, r.head[ACTIONS])
            advance(r)
        r.clock[WORK] = 0
        r.clock[HARDEST] = 0
        begin(r)
    for j in range(seats):
        r.reward[j] = 0.0
        r.action[j] = 0


@rule
def interact(r):
    """One interaction with the actions that stand in the row, up to the next observation."""
    advance(r)
    r.clock[TIME] += 1
    if r.clock[TIME] < r.head[HORIZON]:
        begin(r)
    else:
        for i in range(FIRST_OBJECT + r.head[OBJECTS]):
            r.state[i, AIM] = -1


# Observations -------------------------------------------------------------------


@rule
def in_sight(r, own, c):
    """Whether a subject on cell `own` sees a cell: always, or where an action leads there."""
    if r.head[PARTIAL] == 0:
        return True
    for a in range(r.head[ACTIONS]):
        if r.arrows[own, a] == c:
            return True
    return False


@rule
def observe(r, j):
    """Show seat j what it may know, by its rights. The only reader of hidden state."""
    own = r.place[j]
    o = r.obs[j]
    o[OWN_CELL] = own
    o[ITERATION] = r.clock[TIME]
    good = r.state[GOOD, CELL]
    evil = r.state[EVIL, CELL]
    o[GOOD_CELL] = good if in_sight(r, own, good) else -1
    o[EVIL_CELL] = evil if in_sight(r, own, evil) else -1
    if r.rights[j] & SEES_FUTURE:
        o[GOOD_NEXT] = r.state[GOOD, AIM]
        o[EVIL_NEXT] = r.state[EVIL, AIM]
    else:
        o[GOOD_NEXT] = -1
        o[EVIL_NEXT] = -1
    at = NAMED
    for other in range(r.head[SUBJECTS]):
        c = r.place[other]
        o[at] = c if in_sight(r, own, c) else -1
        at += 1
    for i in range(r.head[OBJECTS]):
        c = r.state[FIRST_OBJECT + i, CELL]
        o[at] = c if in_sight(r, own, c) else -1
        at += 1
    for a in range(r.head[ACTIONS]):
        o[at] = r.arrows[own, a]
        at += 1
    for c in range(r.head[SHOWN]):
        o[at] = worth(r, c) if r.rights[j] & SEES_REWARDS else 0.0
        at += 1


# Sittings -----------------------------------------------------------------------


@rule
def horizon(r):
    """How many interactions an episode has."""
    return r.head[HORIZON]


@rule
def load(w, drawn, i):
    """Make the row that of an environment, whose part that never changes is rows[i], with these rights for the seats.

    The rewards of all cells are in the observations if some seat sees them.
    """
    rows, rights = drawn
    for k in range(rows.shape[1]):
        w[k] = rows[i, k]
    w[SHOWN] = 0
    for j in range(rights.size):
        if rights[j] & SEES_REWARDS:
            w[SHOWN] = w[CELLS]
    r = open_row(w)
    for j in range(rights.size):
        r.rights[j] = rights[j]


@rule
def restart(r, drawn, i, key, anew):
    """Start an episode in the row, which holds all that was drawn."""
    start(r, key)


RULES = Rules(open_row, horizon, restart, observe, interact, load=load)
STEP_DOORS = step_doors(RULES)
NOTHING_DRAWN = np.zeros(0, np.int64)
"""For the step door: the row holds it."""
