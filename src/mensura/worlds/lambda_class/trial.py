"""Random subjects at play, compiled: what an episode takes and yields, and whether it matters what one does.

For what cannot be computed, since the states of an environment are too many or unknown.
"""

import numpy as np

from mensura.core.compiled import below, door, draw, fold, int64, rule
from mensura.worlds.lambda_class.kernel import (
    ACTIONS,
    AIM,
    CELL,
    CONSUMED_AFTER,
    EVIL,
    GOOD,
    HARDEST,
    HORIZON,
    SUBJECTS,
    TIME,
    WORK,
    interact,
    open_row,
    start,
)

# What is compared: to stay, to go where Good (or Evil) will leave its reward, or actions drawn beforehand.
STAY, TO_GOOD, TO_EVIL, RANDOMLY = range(4)

# A trial: within how many interactions a difference is looked for, after how many at most, in how many pairs of ways
# to act and replays of each, how many standard errors count, and whether more than coins is left to chance.
WITHIN, REACH, PAIRS, REPLAYS, ERRORS, CHANCY = range(6)

_FAR = 2**30

_STREAM_EPISODE, _STREAM_ACTIONS, _STREAM_REPLAYS = range(3)


@rule
def play(r, key, t):
    """One interaction in which every seat does whatever is drawn."""
    for j in range(r.head[SUBJECTS]):
        r.action[j] = below(draw(key, t, j), r.head[ACTIONS])
    interact(r)


@door
def episodes_door(w, keys, rewards, work):
    """Play an episode for each key: the sum of the first seat's rewards, and the sum and the largest of the work."""
    r = open_row(w)
    for e in range(keys.size):
        start(r, fold(keys[e], _STREAM_EPISODE))
        actions = fold(keys[e], _STREAM_ACTIONS)
        total = 0.0
        for t in range(r.head[HORIZON]):
            play(r, actions, t)
            total += r.reward[0]
        rewards[e] = total
        work[e, 0] = r.clock[WORK]
        work[e, 1] = r.clock[HARDEST]


@rule
def find_ways(arrows, ways, far):
    """Fill ways[c, to] with the first action of a shortest path, and far[c, to] with its length."""
    n_c, n_a = arrows.shape
    for c in range(n_c):
        for to in range(n_c):
            far[c, to] = 0 if c == to else _FAR
            ways[c, to] = 0
    grown = True
    while grown:
        grown = False
        for c in range(n_c):
            for a in range(1, n_a):
                via = arrows[c, a]
                for to in range(n_c):
                    if far[via, to] + 1 < far[c, to]:
                        far[c, to] = far[via, to] + 1
                        ways[c, to] = a
                        grown = True


@door
def ways_door(arrows, ways, far):
    """`find_ways` for a space."""
    find_ways(arrows, ways, far)


@rule
def tossed(r):
    """Whether a coin decides which of Good and Evil moves in this interaction."""
    aim = r.state[GOOD, AIM]
    return aim == r.state[EVIL, AIM] and aim != r.state[GOOD, CELL] and aim != r.state[EVIL, CELL]


@rule
def replay(r, policy, key, chance, n, ways, sums):
    """The sums of the first seat's rewards over 1 to n interactions under a policy, the other seats drawn by chance.

    Returns whether a coin was tossed.
    """
    r.key[0] = chance
    r.clock[TIME] = -1 - n  # the end of the episode is no part of the question
    total = 0.0
    coins = False
    aim = AIM if r.head[CONSUMED_AFTER] == 1 else CELL
    for m in range(n):
        for j in range(1, r.head[SUBJECTS]):
            r.action[j] = below(draw(fold(chance, 0), m, j), r.head[ACTIONS])
        if policy == STAY:
            r.action[0] = 0
        elif policy == RANDOMLY:
            r.action[0] = below(draw(key, m, 0), r.head[ACTIONS])
        else:
            r.action[0] = ways[r.place[0], r.state[GOOD if policy == TO_GOOD else EVIL, aim]]
        coins = coins or tossed(r)
        interact(r)
        total += r.reward[0]
        sums[m] = total
    return coins


@rule
def differ(w, r, saved, one, other, key, trial, threshold, ways, sums):
    """Whether two policies yield different sums over some m <= n interactions, on average over fresh chance.

    Both are replayed under the same chance, and a mean difference has to be so many standard errors beyond the
    threshold. Where nothing was left to chance once, nothing ever is, and once is enough.
    """
    n = int64(trial[WITHIN])
    replays = int64(trial[REPLAYS])
    for m in range(n):
        sums[2, m] = 0.0
        sums[3, m] = 0.0
    chancy = trial[CHANCY] == 1.0
    q = 0
    while q < replays:
        chance = fold(fold(key, q), 2)
        for side in range(2):
            for i in range(w.size):
                w[i] = saved[i]
            policy = one if side == 0 else other
            coins = replay(r, policy, fold(key, replays + side), chance, n, ways, sums[side])
            chancy = chancy or coins
        for m in range(n):
            d = sums[0, m] - sums[1, m]
            sums[2, m] += d
            sums[3, m] += d * d
        q += 1
        if not chancy:
            break
    for m in range(n):
        mean = sums[2, m] / q
        spread = 0.0
        if q > 1:
            spread = max(sums[3, m] / q - mean * mean, 0.0) / (q - 1)
        if abs(mean) - trial[ERRORS] * np.sqrt(spread) > threshold:
            return True
    return False


@door
def sensitive_door(w, saved, key, trial, threshold, ways, sums, shown):
    """Whether two ways to act were found that make a difference, for each of `shown.size` states.

    The states are reached by random play of fewer than REACH interactions. In each, so many pairs are compared, the
    most telling first: towards Good or towards Evil, to stay or towards either, then actions drawn beforehand.
    """
    r = open_row(w)
    for k in range(shown.size):
        state = fold(key, k)
        start(r, fold(state, _STREAM_EPISODE))
        actions = fold(state, _STREAM_ACTIONS)
        for t in range(below(draw(state, 0, 0), int64(trial[REACH]))):
            r.clock[TIME] = -2
            play(r, actions, t)
        for i in range(w.size):
            saved[i] = w[i]
        shown[k] = 0
        replayed = fold(state, _STREAM_REPLAYS)
        for p in range(int64(trial[PAIRS])):
            one, other = RANDOMLY, RANDOMLY
            if p == 0:
                one, other = TO_GOOD, TO_EVIL
            elif p == 1:
                one, other = STAY, TO_GOOD
            elif p == 2:
                one, other = STAY, TO_EVIL
            if differ(w, r, saved, one, other, fold(replayed, p), trial, threshold, ways, sums):
                shown[k] = 1
                break
