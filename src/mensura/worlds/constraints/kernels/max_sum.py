"""Max-Sum (:mod:`mensura.worlds.constraints.algorithms.max_sum`): in synchronous cycles all are in the same round."""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, rule
from mensura.worlds.constraints.kernels.board import (
    ENDED,
    KINDS,
    LEARNED_COSTS,
    MESSAGES,
    NUMBERS,
    TURN,
    assign,
    close_cycle,
    count_checks,
)
from mensura.worlds.constraints.kernels.local_search import open_round


class Talk(NamedTuple):
    """What variables say to factors, and what they heard."""

    said_first: np.ndarray
    """By group: where what its agent says to it begins."""
    partner: np.ndarray
    """By other of each group: where what that one says to the same factor begins."""
    said: np.ndarray
    heard: np.ndarray
    """What was said in the round before."""
    unary: np.ndarray
    """Own costs with a little noise."""
    replies: np.ndarray
    """Of whoever acts: what each factor says, as ``said`` has it."""
    total: np.ndarray
    words: np.ndarray
    """One number: how many numbers all letters of a round have."""
    before: np.ndarray
    """Counters of the round before."""


@rule
def reply(k, t, i, g):
    """What a factor says to this variable: the best over the others' values; how many tuples were looked up."""
    size = k.sizes[i]
    first, end = k.others_first[g], k.others_first[g + 1]
    tuples = 1
    for o in range(first, end):
        tuples *= k.sizes[k.others[o]]
    out = t.said_first[g]
    for code in range(tuples):
        at = k.table_of[g]
        block = tuples
        left = code
        for o in range(first, end):
            block //= k.sizes[k.others[o]]
            at += k.other_stride[o] * (left // block)
            left %= block
        for v in range(size):
            cost = k.table[at + k.stride[g] * v]
            block = tuples
            left = code
            for o in range(first, end):
                block //= k.sizes[k.others[o]]
                cost += t.heard[t.partner[o] + left // block]
                left %= block
            if code == 0 or cost < t.replies[out + v]:
                t.replies[out + v] = cost
    return tuples * size


@rule
def speak(k, b, c, t, i, damping, speaks):
    """Take the best value, and say to each factor what all else says."""
    size = k.sizes[i]
    looked = 0
    for v in range(size):
        t.total[v] = 0.0
    for g in range(k.group_first[i], k.group_first[i + 1]):
        looked += reply(k, t, i, g)
        for v in range(size):
            t.total[v] += t.replies[t.said_first[g] + v]
    best = 0
    for v in range(size):
        t.total[v] = t.unary[k.own_first[i] + v] + t.total[v]
        if t.total[v] < t.total[best]:
            best = v
    assign(k, b, c, i, best)
    if not speaks:
        return looked
    for g in range(k.group_first[i], k.group_first[i + 1]):
        first = t.said_first[g]
        mean = 0.0
        for v in range(size):
            mean += t.total[v] - t.replies[first + v]
        mean /= size
        for v in range(size):
            new = (t.total[v] - t.replies[first + v]) - mean
            t.said[first + v] = damping * t.said[first + v] + (1.0 - damping) * new
    return looked


@door
def max_sum(k, b, c, t, damping, rounds, most):
    """Play so many cycles at most; how many were played."""
    others = k.near.size
    for at in range(most):
        turn = c.tally[TURN]
        speaks = others > 0 and (rounds == 0 or turn <= rounds)
        if turn == 0:
            open_round(k, b, c)
        else:
            c.tally[LEARNED_COSTS] += t.words[0]
        for q in range(t.said.size):
            t.heard[q] = t.said[q]
        for i in range(k.sizes.size):
            t.before[i] = c.counter[i]
        for i in range(k.sizes.size):
            first, end = k.near_first[i], k.near_first[i + 1]
            if end > first:
                counter = 0
                if turn > 0:
                    for q in range(first, end):
                        counter = max(counter, t.before[k.near[q]])
                count_checks(c, i, counter, speak(k, b, c, t, i, damping, speaks))
        if speaks:
            c.tally[MESSAGES] += others
            c.tally[KINDS] += others
            c.tally[NUMBERS] += t.words[0]
        over = close_cycle(b, c, at)
        if over or (others and not speaks):
            c.tally[ENDED] = 1
            return at + 1
    return most
