"""DPOP (:mod:`mensura.worlds.constraints.algorithms.dpop`): what is counted while tables go up and values come down.

Who writes when, and which values are best, is known before
(:mod:`mensura.worlds.constraints.dynamic_programming`); a kernel goes through the cycles.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, rule
from mensura.worlds.constraints.kernels.board import (
    CLAIMED,
    ENDED,
    KINDS,
    LEARNED_COSTS,
    MESSAGES,
    NUMBERS,
    TURN,
    assign,
    close_cycle,
)

UTIL, VALUE = range(2)
"""Kinds of letters, in the order of the tally."""


class Schedule(NamedTuple):
    """What each agent does, and in which cycle."""

    parent: np.ndarray
    """-1: a root."""
    children: np.ndarray
    """How many."""
    checks: np.ndarray
    words_up: np.ndarray
    """Numbers in the letter to the parent."""
    cells_up: np.ndarray
    """Costs among them."""
    words_down: np.ndarray
    """Numbers in the letters to all children."""
    best: np.ndarray
    """The value that it settles for."""
    hopeless: np.ndarray
    """Whether it then claims that there is no solution."""
    up_first: np.ndarray
    """By cycle: where those begin in ``up`` who tell their parents a table in it."""
    up: np.ndarray
    settle_first: np.ndarray
    settle: np.ndarray
    """Those who settle, by cycle."""
    stamp: np.ndarray
    """(2, agents): the counter that the letter to the parent carries, and those to the children."""


@rule
def read_letters(c, s, turn):
    """Whoever reads a letter knows the counter that it carries."""
    if turn > 0:
        for q in range(s.up_first[turn - 1], s.up_first[turn]):
            i = s.up[q]
            j = s.parent[i]
            c.counter[j] = max(c.counter[j], s.stamp[UTIL, i])
            c.tally[LEARNED_COSTS] += s.cells_up[i]
    for q in range(s.settle_first[turn], s.settle_first[turn + 1]):
        i = s.settle[q]
        if s.parent[i] >= 0:
            c.counter[i] = max(c.counter[i], s.stamp[VALUE, s.parent[i]])


@rule
def write_letters(c, s, turn):
    """Tables to parents, values to children, and claims; how many letters there were."""
    tables = s.up_first[turn + 1] - s.up_first[turn]
    for q in range(s.up_first[turn], s.up_first[turn + 1]):
        i = s.up[q]
        s.stamp[UTIL, i] = c.counter[i]
        c.tally[NUMBERS] += s.words_up[i]
    values = 0
    for q in range(s.settle_first[turn], s.settle_first[turn + 1]):
        i = s.settle[q]
        if s.hopeless[i]:
            c.tally[CLAIMED] = 1
        else:
            s.stamp[VALUE, i] = c.counter[i]
            values += s.children[i]
            c.tally[NUMBERS] += s.words_down[i]
    c.tally[KINDS + UTIL] += tables
    c.tally[KINDS + VALUE] += values
    c.tally[MESSAGES] += tables + values
    return tables + values


@door
def dpop(k, b, c, s, most):
    """Play so many cycles at most; how many were played."""
    cycles = s.up_first.size - 1
    for at in range(most):
        turn = c.tally[TURN]
        letters = 0
        if turn < cycles:
            for q in range(s.settle_first[turn], s.settle_first[turn + 1]):
                assign(k, b, c, s.settle[q], s.best[s.settle[q]])
            read_letters(c, s, turn)
            if turn == 0:
                for i in range(s.checks.size):
                    c.checks[i] = s.checks[i]
                    c.counter[i] = s.checks[i]
            letters = write_letters(c, s, turn)
        over = close_cycle(b, c, at)
        if over or (letters == 0 and c.tally[MESSAGES] > 0):
            c.tally[ENDED] = 1
            return at + 1
    return most
