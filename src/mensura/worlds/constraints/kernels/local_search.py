"""Local search in rounds: DSA in its five forms, and MGM (:mod:`mensura.worlds.constraints.algorithms.local_search`).

In synchronous cycles all are in the same round, and everybody writes all neighbors the same letter: it is kept once for
each writer.
"""

from mensura.core.compiled import choice, door, draw, rule, unit
from mensura.worlds.constraints.kernels.board import (
    ENDED,
    KINDS,
    LEARNED_COSTS,
    MESSAGES,
    NUMBERS,
    TURN,
    assign,
    close_cycle,
    costs_known,
    count_checks,
    lowest,
)

TIE = 1e-9
A, B, C, D, E = range(5)
"""The forms of DSA."""


@rule
def write_all(c, others):
    """Everybody writes a letter with one number to all neighbors."""
    c.tally[MESSAGES] += others
    c.tally[NUMBERS] += others
    c.tally[KINDS] += others


@rule
def open_round(k, b, c):
    """The first turn: whoever has no neighbors takes its best value."""
    for i in range(k.sizes.size):
        if k.near_first[i + 1] == k.near_first[i]:
            first = k.own_first[i]
            best = 0
            for v in range(1, k.sizes[i]):
                if k.own[first + v] < k.own[first + best]:
                    best = v
            assign(k, b, c, i, best)


@rule
def moved(k, i, key, turn, form, p, least, now, costs, best):
    """The value that an agent takes in DSA."""
    size = k.sizes[i]
    gain = costs[now] - best
    if gain > TIE:
        move = form >= D or unit(draw(key, turn, 0)) < p
    else:
        conflict = costs[now] > least + TIE
        still = form == C or form == E or ((form == B or form == D) and conflict)
        move = still and unit(draw(key, turn, 0)) < p
    if not move:
        return now
    ties = 0
    for v in range(size):
        if v != now and costs[v] <= best + TIE:
            ties += 1
    if ties == 0:
        return now
    chosen = choice(key, turn, 1, ties)
    for v in range(size):
        if v != now and costs[v] <= best + TIE:
            if chosen == 0:
                return v
            chosen -= 1
    return now


@rule
def post(c, letters):
    """What everybody tells: the value and the counter."""
    for i in range(c.choice.size):
        letters[i, 0] = c.choice[i]
        letters[i, 1] = c.counter[i]


@door
def dsa(k, b, c, keys, least, letters, costs, form, p, rounds, most):
    """Play so many cycles at most; how many were played."""
    n = k.sizes.size
    others = k.near.size
    for at in range(most):
        turn = c.tally[TURN]
        if turn == 0:
            open_round(k, b, c)
        elif others:
            post(c, letters)
            for i in range(n):
                if k.near_first[i + 1] > k.near_first[i]:
                    counter = costs_known(k, b, i, letters, costs)
                    count_checks(c, i, counter, k.looked_up[i])
                    best = lowest(costs, k.sizes[i])
                    new = moved(k, i, keys[i], turn, form, p, least[i], c.choice[i], costs, best)
                    assign(k, b, c, i, new)
        speaks = others > 0 and (turn == 0 or rounds == 0 or turn < rounds)
        if speaks:
            write_all(c, others)
        over = close_cycle(b, c, at)
        if over or (others and not speaks):
            c.tally[ENDED] = 1
            return at + 1
    return most


@door
def mgm(k, b, c, letters, costs, gain, best, rounds, most):
    """Play so many cycles at most; how many were played."""
    others = k.near.size
    for at in range(most):
        turn = c.tally[TURN]
        if turn == 0:
            open_round(k, b, c)
        elif others:
            post(c, letters)
            if turn % 2:
                look(k, b, c, letters, costs, gain, best)
            else:
                move(k, b, c, letters, gain, best)
                c.tally[LEARNED_COSTS] += others
        speaks = others > 0 and (turn % 2 == 1 or rounds == 0 or turn < 2 * rounds)
        if speaks:
            write_all(c, others)
        over = close_cycle(b, c, at)
        if over or (others and not speaks):
            c.tally[ENDED] = 1
            return at + 1
    return most


@rule
def look(k, b, c, letters, costs, gain, best):
    """What everybody could gain, and by which value."""
    for i in range(k.sizes.size):
        if k.near_first[i + 1] > k.near_first[i]:
            counter = costs_known(k, b, i, letters, costs)
            count_checks(c, i, counter, k.looked_up[i])
            least = lowest(costs, k.sizes[i])
            at = 0
            while costs[at] != least:
                at += 1
            best[i] = at
            gain[i] = costs[c.choice[i]] - least


@rule
def move(k, b, c, letters, gain, best):
    """Whoever gains most among its neighbors moves; of equals, the lower index."""
    for i in range(k.sizes.size):
        first, end = k.near_first[i], k.near_first[i + 1]
        largest = gain[i] > TIE
        counter = 0
        for at in range(first, end):
            j = k.near[at]
            counter = max(counter, letters[j, 1])
            if gain[j] > gain[i] or (gain[j] == gain[i] and j < i):
                largest = False
        count_checks(c, i, counter, 0)
        if largest and end > first:
            assign(k, b, c, i, best[i])
