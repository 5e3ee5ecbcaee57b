"""Local search in rounds: DSA in its five forms, and MGM (:mod:`mensura.worlds.constraints.algorithms.local_search`).

In synchronous cycles all are in the same round, and everybody writes all neighbors the same letter: it is kept once for
each writer.
"""

from mensura.core.compiled import below, door, draw, rule, unit
from mensura.worlds.constraints.kernels.board import (
    ENDED,
    KINDS,
    MESSAGES,
    NUMBERS,
    TURN,
    assign,
    close_cycle,
    costs_known,
    count_checks,
    looked_up,
)

TIE = 1e-9
A, B, C, D, E = range(5)
"""The forms of DSA."""


@rule
def write_all(k, c, others):
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
            c.choice[i] = best
            assign(b, k, i, best)


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
    chosen = below(draw(key, turn, 1), ties)
    for v in range(size):
        if v != now and costs[v] <= best + TIE:
            if chosen == 0:
                return v
            chosen -= 1
    return now


@door
def dsa(k, b, c, keys, least, seen, costs, form, p, rounds, most):
    """Play so many cycles at most; how many were played."""
    n = k.sizes.size
    others = k.near.size
    for at in range(most):
        turn = c.tally[TURN]
        if turn == 0:
            open_round(k, b, c)
        elif others:
            for i in range(n):
                seen[i] = c.choice[i]
                c.before[i] = c.counter[i]
            for i in range(n):
                if k.near_first[i + 1] > k.near_first[i]:
                    best = costs_known(k, i, seen, costs)
                    count_checks(k, c, i, looked_up(k, i))
                    new = moved(k, i, keys[i], turn, form, p, least[i], seen[i], costs, best)
                    if new != seen[i]:
                        c.choice[i] = new
                        assign(b, k, i, new)
        speaks = others > 0 and (turn == 0 or rounds == 0 or turn < rounds)
        if speaks:
            write_all(k, c, others)
        over = close_cycle(b, c, at)
        if over or (others and not speaks):
            c.tally[ENDED] = 1
            return at + 1
    return most


@door
def mgm(k, b, c, seen, costs, gain, best, rounds, most):
    """Play so many cycles at most; how many were played."""
    n = k.sizes.size
    others = k.near.size
    for at in range(most):
        turn = c.tally[TURN]
        if turn == 0:
            open_round(k, b, c)
        elif others:
            for i in range(n):
                c.before[i] = c.counter[i]
            if turn % 2:
                look(k, c, costs, gain, best)
            else:
                move(k, b, c, gain, best)
        speaks = others > 0 and (turn % 2 == 1 or rounds == 0 or turn < 2 * rounds)
        if speaks:
            write_all(k, c, others)
        over = close_cycle(b, c, at)
        if over or (others and not speaks):
            c.tally[ENDED] = 1
            return at + 1
    return most


@rule
def look(k, c, costs, gain, best):
    """What everybody could gain, and by which value."""
    for i in range(k.sizes.size):
        if k.near_first[i + 1] > k.near_first[i]:
            least = costs_known(k, i, c.choice, costs)
            at = 0
            while costs[at] != least:
                at += 1
            best[i] = at
            gain[i] = costs[c.choice[i]] - least
            count_checks(k, c, i, looked_up(k, i))


@rule
def move(k, b, c, gain, best):
    """Whoever gains most among its neighbors moves; of equals, the lower index."""
    for i in range(k.sizes.size):
        first, end = k.near_first[i], k.near_first[i + 1]
        if end == first:
            continue
        count_checks(k, c, i, 0)
        largest = gain[i] > TIE
        for at in range(first, end):
            j = k.near[at]
            if gain[j] > gain[i] or (gain[j] == gain[i] and j < i):
                largest = False
                break
        if largest:
            c.choice[i] = best[i]
            assign(b, k, i, best[i])
