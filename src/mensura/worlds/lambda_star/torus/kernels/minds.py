"""The built-in minds of Lambda Star, compiled: isolated subjects and the members of collectives.

The minds of a group share one row of int64 (:class:`Mind` names its parts), owned by the caller. A mind reads its
observation and this memory, nothing else, whichever door it is called through: :func:`tell` before anybody acts,
:func:`act` with the reward of the previous interaction (learning comes first), :func:`finish` after the last.
Members of one protocol share its memory; other members of a mixed collective do not see it. The minds that every game
knows are here; a game has its own beside them, and :func:`minds_of` puts both together.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mensura.core.compiled import (
    below,
    choice,
    door,
    draw,
    int64,
    rule,
    unit,
)
from mensura.core.doors import Minds
from mensura.worlds.lambda_star.torus.kernels.hearing import (
    follow_bids,
    follow_field,
    hears,
    hears_the_first,
    overhear,
    said_entropy,
    speak_from,
)
from mensura.worlds.lambda_star.torus.kernels.memory import (
    ALPHA,
    AUCTION_COL,
    AUCTION_ROW,
    COLS,
    COMMON,
    CROWD_BEST,
    CROWD_CHANGED,
    CROWD_FIRST,
    CROWD_TIES,
    DISCOUNT,
    EPSILON,
    FIRST_OF_GAMES,
    GAMMA,
    HEARING,
    HIGHEST_BID,
    HORIZON,
    KEPT,
    LAST_ACTION,
    LAST_STATE,
    LEARNING,
    MOVE_COL,
    MOVE_ROW,
    Q0,
    RANGE,
    ROWS,
    RULER_COL,
    RULER_ROW,
    RUN,
    SCALE,
    SEATS,
    SEEN_COL,
    SEEN_ROW,
    SLOT_ANY,
    SLOT_DEED,
    SLOT_EXPLORE,
    SLOT_FIELD,
    SLOT_TIE,
    SLOT_WAY,
    approach,
    cell_at,
    gather,
    open_mind,
    pick,
    step_to,
)
from mensura.worlds.lambda_star.torus.kernels.row import (
    FIXED,
    GUIDE,
    IGNORES_PLACE,
    ITERATION,
    LOOKS_GUIDE,
    LOOKS_REWARDS,
    MOVES_OF_ONE,
    NEXT_COL,
    NEXT_ROW,
    OWN_COL,
    OWN_ROW,
    SAID,
    STAY,
    pursue,
    toward,
    wrap,
)

# Kinds of minds.
(
    RANDOM,
    LOCAL_SEARCH,
    ORACLE,
    Q_LEARNING,
    SARSA,
    STIGMERGY,
    STIGMERGY_BLEND,
    CROWD,
    AUCTION,
    AUTOCRACY,
    HIERARCHY,
    IMITATION,
) = range(12)

LOOKS = {
    RANDOM: IGNORES_PLACE,
    LOCAL_SEARCH: LOOKS_REWARDS | IGNORES_PLACE,
    ORACLE: 0,
    Q_LEARNING: 0,
    SARSA: 0,
    IMITATION: LOOKS_REWARDS | LOOKS_GUIDE,
}
"""What each kind looks at; the rewards of its neighborhood unless it stands here."""

SPEAKING = frozenset({STIGMERGY, STIGMERGY_BLEND, CROWD, AUCTION, AUTOCRACY, HIERARCHY})
LEARNING_KINDS = frozenset({Q_LEARNING, SARSA})


@rule
def forget(mind):
    """Before a sitting: everything learned is gone."""
    seats = mind.head[SEATS]
    states = mind.head[HORIZON] * mind.head[ROWS] * mind.head[COLS]
    for j in range(seats):
        if mind.kind[j] == Q_LEARNING or mind.kind[j] == SARSA:
            first = mind.table[j] * states
            value = np.float32(mind.rate[j, Q0])
            for i in range(first, first + states):
                for a in range(mind.q.shape[1]):
                    mind.q[i, a] = value


@rule
def sit(mind, j, r, interactions):
    """Before a sitting; the first seat does it for the group."""
    if j == 0:
        forget(mind)


@rule
def begin(mind, j, key, learning):
    """Before an episode; the first seat clears what the group remembered of the last one."""
    if j == 0:
        mind.head[LEARNING] = 1 if learning else 0
        clear(mind)
    mind.key[j] = key


@rule
def clear(mind):
    """What lasts for an episode only is gone."""
    for i in range(mind.fake.size):
        mind.fake[i] = 0.0
        mind.crowd[i] = 0.0
    mind.shared[HIGHEST_BID] = -np.inf
    mind.notes[CROWD_CHANGED] = 1
    for j in range(mind.head[SEATS]):
        mind.memory[j, LAST_STATE] = -1
        mind.memory[j, SEEN_ROW] = -1
        mind.memory[j, RUN] = 0
        mind.offer[j] = -np.inf
        for i in range(KEPT):
            mind.kept[j, i] = 0.0
    for i in range(COMMON):
        mind.common[i] = 0.0
    for i in range(mind.said.size):
        mind.said[i] = 0


@rule
def spread(mind, o, fake, blend, k, width):
    """Assign real plus fake rewards to the field of stigmergy over the neighborhood, or blend them in."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    x0 = wrap(int64(o[OWN_COL]) - k, n)
    at = FIXED
    for h in range(width):
        base = wrap(int64(o[OWN_ROW]) + h - k, m) * n
        x = x0
        for _ in range(width):
            c = base + x
            v = o[at] + fake
            mind.fake[c] = (mind.fake[c] + v) / 3.0 if blend else v
            at += 1
            x += 1
            if x == n:
                x = 0


@rule
def average(mind, o, k, width):
    """Let the crowd's field meet what is seen halfway, wherever a reward is seen."""
    m = mind.head[ROWS]
    n = mind.head[COLS]
    x0 = wrap(int64(o[OWN_COL]) - k, n)
    at = FIXED
    for h in range(width):
        base = wrap(int64(o[OWN_ROW]) + h - k, m) * n
        x = x0
        for _ in range(width):
            v = o[at]
            if v != 0.0:
                mind.crowd[base + x] = (mind.crowd[base + x] + v) / 2.0
                mind.notes[CROWD_CHANGED] = 1
            at += 1
            x += 1
            if x == n:
                x = 0


@rule
def make_offer(mind, j, o, key, t, k, width):
    """What seat j would do by local search: the reward it sees and the cell it would go to."""
    at = pick(o, FIXED, width * width, key, t, SLOT_TIE)
    cell = cell_at(mind, o, at, k, width)
    mind.offer[j] = o[FIXED + at]
    mind.target[j, 0] = cell // mind.head[COLS]
    mind.target[j, 1] = cell % mind.head[COLS]


@rule
def count_crowd(mind):
    """Find the best of the crowd's field again, if it has changed."""
    if mind.notes[CROWD_CHANGED] != 0:
        top = mind.crowd[0]
        ties = 1
        first = 0
        for i in range(1, mind.crowd.size):
            v = mind.crowd[i]
            if v > top:
                top = v
                ties = 1
                first = i
            elif v == top:
                ties += 1
        mind.shared[CROWD_BEST] = top
        mind.notes[CROWD_TIES] = ties
        mind.notes[CROWD_FIRST] = first
        mind.notes[CROWD_CHANGED] = 0


@rule
def tell(mind, j, o):
    """What seat j makes known to its protocol before anybody acts."""
    k = mind.head[RANGE]
    if k == 1:  # the common range, with loops of known length
        tell_within(mind, j, o, 1, 3)
    else:
        tell_within(mind, j, o, k, 2 * k + 1)


@rule
def tell_within(mind, j, o, k, width):
    """Tell, with the range of the observation."""
    kind = mind.kind[j]
    if kind >= STIGMERGY and kind <= HIERARCHY:
        key = mind.key[j]
        t = int64(o[ITERATION])
        size = width * width
        if mind.head[HEARING] > 0:
            speak_from(mind, j, o)
        if mind.said.size > 0 and (kind != AUTOCRACY or mind.rank[j] == 0):
            overhear(mind, o, size)
        if kind == STIGMERGY or kind == STIGMERGY_BLEND:
            low = o[FIXED]
            high = low
            for i in range(1, size):
                low = min(low, o[FIXED + i])
                high = max(high, o[FIXED + i])
            if kind == STIGMERGY:
                # Algorithm 2: a field that is 0 at the start of each iteration, so the first of the protocol
                # clears what was assigned in the one before.
                if mind.rank[j] == 0:
                    for i in range(mind.fake.size):
                        mind.fake[i] = 0.0
                fake = mind.rate[j, DISCOUNT] * high + (1.0 - mind.rate[j, DISCOUNT]) * low
                spread(mind, o, fake, False, k, width)
            else:
                # The published program.
                fake = 0.4 * (high + low)
                if fake != 0.0:
                    spread(mind, o, fake, True, k, width)
        elif kind == CROWD:
            average(mind, o, k, width)
        elif kind == AUTOCRACY:
            if mind.rank[j] == 0:
                make_offer(mind, j, o, key, t, k, width)
                mind.notes[RULER_ROW] = mind.target[j, 0]
                mind.notes[RULER_COL] = mind.target[j, 1]
        else:
            make_offer(mind, j, o, key, t, k, width)
            if kind == AUCTION and mind.offer[j] >= mind.shared[HIGHEST_BID]:
                mind.shared[HIGHEST_BID] = mind.offer[j]
                mind.notes[AUCTION_ROW] = mind.target[j, 0]
                mind.notes[AUCTION_COL] = mind.target[j, 1]


@rule
def act(mind, j, o, reward):
    """The action, from 1 to 9, of seat j; a learner first learns from the reward of its last one."""
    kind = mind.kind[j]
    k = mind.head[RANGE]
    if kind == Q_LEARNING or kind == SARSA:
        a = act_by_table(mind, j, o, reward, MOVES_OF_ONE)
    elif kind == ORACLE:
        a = act_by_future(mind, j, o)
    elif k == 1:
        a = act_within(mind, j, o, 1, 3)
    else:
        a = act_within(mind, j, o, k, 2 * k + 1)
    return a


@rule
def act_within(mind, j, o, k, width):
    """Act by what the neighborhood shows and what was told."""
    kind = mind.kind[j]
    key = mind.key[j]
    t = int64(o[ITERATION])
    a = STAY
    if kind == RANDOM:
        a = 1 + below(draw(key, t, SLOT_ANY), MOVES_OF_ONE)
    elif kind == LOCAL_SEARCH:
        a = step_to(pick(o, FIXED, width * width, key, t, SLOT_TIE), k, width)
    elif kind == STIGMERGY or kind == STIGMERGY_BLEND:
        gather(mind, mind.fake, o, k, width)
        a = step_to(pick(mind.value, 0, width * width, key, t, SLOT_TIE), k, width)
    elif mind.head[HEARING] > 0 and kind == CROWD:
        a = follow_field(mind, j, o, key, t)
    elif mind.head[HEARING] > 0 and kind == AUCTION:
        a = follow_bids(mind, j, o, kind, key, t)
    elif kind == AUTOCRACY and mind.head[HEARING] > 0 and not hears_the_first(mind, j, kind):
        a = step_to(pick(o, FIXED, width * width, key, t, SLOT_TIE), k, width)
    elif kind == CROWD:
        count_crowd(mind)
        cell = mind.notes[CROWD_FIRST]
        ties = mind.notes[CROWD_TIES]
        if ties > 1:
            left = below(draw(key, t, SLOT_FIELD), ties)
            if ties == mind.crowd.size:
                cell = left
            else:
                top = mind.shared[CROWD_BEST]
                for i in range(cell, mind.crowd.size):
                    if mind.crowd[i] == top:
                        if left == 0:
                            cell = i
                            break
                        left -= 1
        n = mind.head[COLS]
        a = approach(mind, o, cell // n, cell % n, key, t)
    elif kind == AUCTION:
        a = approach(mind, o, mind.notes[AUCTION_ROW], mind.notes[AUCTION_COL], key, t)
    elif kind == AUTOCRACY:
        a = approach(mind, o, mind.notes[RULER_ROW], mind.notes[RULER_COL], key, t)
    elif kind == HIERARCHY:
        best = j
        for i in range(2):
            c = mind.child[j, i]
            if c >= 0 and mind.offer[c] > mind.offer[best] and hears(mind, j, c):
                best = c
        a = approach(mind, o, mind.target[best, 0], mind.target[best, 1], key, t)
    else:
        at = -1
        first = FIXED + GUIDE * width * width
        for i in range(width * width):
            if o[first + i] != 0.0:
                at = i
        if at < 0:
            at = pick(o, FIXED, width * width, key, t, SLOT_TIE)
        a = step_to(at, k, width)
    return a


@rule
def act_by_future(mind, j, o):
    """The oracle: it remembers Good's last moves to tell a constant pattern."""
    memory = mind.memory[j]
    gy = int64(o[NEXT_ROW])
    gx = int64(o[NEXT_COL])
    m = mind.head[ROWS]
    n = mind.head[COLS]
    a = STAY
    if gy >= 0:
        if memory[SEEN_ROW] >= 0:
            move_y = toward(memory[SEEN_ROW], gy, m, np.uint64(0))
            move_x = toward(memory[SEEN_COL], gx, n, np.uint64(0))
            if memory[RUN] > 0 and move_y == memory[MOVE_ROW] and move_x == memory[MOVE_COL]:
                memory[RUN] += 1
            else:
                memory[RUN] = 1
            memory[MOVE_ROW] = move_y
            memory[MOVE_COL] = move_x
        memory[SEEN_ROW] = gy
        memory[SEEN_COL] = gx
        z = draw(mind.key[j], int64(o[ITERATION]), SLOT_WAY)
        a = pursue(
            int64(o[OWN_ROW]),
            int64(o[OWN_COL]),
            gy,
            gx,
            memory[MOVE_ROW],
            memory[MOVE_COL],
            memory[RUN],
            m,
            n,
            z,
        )
    return a


@rule
def any_action(key, t, actions):
    """One of all actions, drawn evenly: a move, and by a draw of its own what is done beside it."""
    move = 1 + below(draw(key, t, SLOT_ANY), MOVES_OF_ONE)
    return move + MOVES_OF_ONE * below(draw(key, t, SLOT_DEED), actions // MOVES_OF_ONE)


@rule
def act_by_table(mind, j, o, reward, actions):
    """Q-learning (Algorithm 1) and SARSA on the state (cell, iteration)."""
    key = mind.key[j]
    t = int64(o[ITERATION])
    cells = mind.head[ROWS] * mind.head[COLS]
    cell = int64(o[OWN_ROW]) * mind.head[COLS] + int64(o[OWN_COL])
    # Whoever sees the iteration wrongly may take it for the one after the last, which the table does not have.
    now = min(t, mind.head[HORIZON] - 1)
    state = (mind.table[j] * mind.head[HORIZON] + now) * cells + cell
    learning = mind.head[LEARNING] != 0
    row = mind.q[state]
    top = row[0]
    ties = 1
    at = 0
    for i in range(1, actions):
        v = row[i]
        if v > top:
            top = v
            ties = 1
            at = i
        elif v == top:
            ties += 1
    if learning and mind.rate[j, EPSILON] > 0.0:
        explore = unit(draw(key, t, SLOT_EXPLORE)) < mind.rate[j, EPSILON]
    else:
        explore = False
    if explore:
        at = any_action(key, t, actions) - 1
    elif ties > 1:
        left = choice(key, t, SLOT_TIE, ties)
        for i in range(at, actions):
            if row[i] == top:
                if left == 0:
                    at = i
                    break
                left -= 1
    if learning:
        ahead = top if mind.kind[j] == Q_LEARNING else row[at]
        improve(mind, j, reward, ahead)
        mind.memory[j, LAST_STATE] = state
        mind.memory[j, LAST_ACTION] = at
    return at + 1


@rule
def improve(mind, j, reward, ahead):
    """Move the value of the last state and action towards reward + gamma * what lies ahead."""
    state = mind.memory[j, LAST_STATE]
    if state >= 0:
        a = mind.memory[j, LAST_ACTION]
        v = mind.q[state, a]
        goal = reward * mind.rate[j, SCALE] + mind.rate[j, GAMMA] * ahead
        mind.q[state, a] = np.float32(v + mind.rate[j, ALPHA] * (goal - v))


@rule
def finish(mind, j, o, reward):
    """After the last interaction: beyond the horizon every value is the initial one, as in Algorithm 1."""
    kind = mind.kind[j]
    if mind.head[LEARNING] != 0 and (kind == Q_LEARNING or kind == SARSA):
        improve(mind, j, reward, np.float32(mind.rate[j, Q0]))


@rule
def conclude(mind, assessed, out):
    """The entropy of what was told. As the one loop has it: what minds tell of themselves is not told of training."""
    out[SAID] = said_entropy(mind) if assessed else np.nan


@door
def forget_door(w):
    """Before a sitting."""
    forget(open_mind(w))


@door
def said_door(w):
    """The entropy of what was told in the episode, through the step door."""
    return said_entropy(open_mind(w))


COMMON_MINDS = Minds(open_mind, begin, act, tell, finish, sit)


def minds_of(
    tell_here: Callable[..., Any], act_here: Callable[..., Any], actions: int = MOVES_OF_ONE
) -> Minds:
    """The common minds, and those of a game, whose kinds begin with FIRST_OF_GAMES and which have these rules.

    ``tell_here(mind, j, o)`` and ``act_here(mind, j, o, reward)`` are called for kinds of the game only. Where the
    game has deeds, a random mind and learners choose among all actions; other common minds never do the deed.
    """

    @rule
    def tell_all(mind, j, o):
        if mind.kind[j] >= FIRST_OF_GAMES:
            tell_here(mind, j, o)
        else:
            tell(mind, j, o)

    @rule
    def act_all(mind, j, o, reward):
        kind = mind.kind[j]
        if kind >= FIRST_OF_GAMES:
            a = act_here(mind, j, o, reward)
        elif kind == RANDOM:
            a = any_action(mind.key[j], int64(o[ITERATION]), actions)
        elif kind == Q_LEARNING or kind == SARSA:
            a = act_by_table(mind, j, o, reward, actions)
        else:
            a = act(mind, j, o, reward)
        return a

    return Minds(open_mind, begin, act_all, tell_all, finish, sit, conclude)
