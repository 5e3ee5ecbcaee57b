"""What kernels of all algorithms share: the problem as each agent knows it, what values cost, and what is counted.

Arrays are named as :mod:`mensura.worlds.constraints.arrays` fills them. ``x_first`` says where the part of each
agent, group or constraint begins in ``x``, and where the last one ends.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import rule

# What is counted of an episode.
MESSAGES, NUMBERS, OBSOLETE, NOGOOD_CHECKS, LEARNED_NOGOODS, LEARNED_COSTS = range(6)
CLAIMED, ENDED, TURN, AGENT, KINDS = range(6, 11)
TALLIES = 15
"""The last four are messages by kind, as each algorithm has them."""

COST, SENT, WORDS = range(3)
"""What the course of an episode tells of each cycle: the cost, then messages and numbers so far."""


class Known(NamedTuple):
    """What agents know of a problem."""

    sizes: np.ndarray
    """Values of each agent."""
    own_first: np.ndarray
    own: np.ndarray
    """What each value costs by itself; what is forbidden counts as the problem says."""
    near_first: np.ndarray
    near: np.ndarray
    """The neighbors of each agent."""
    group_first: np.ndarray
    table_of: np.ndarray
    """Where the costs of each group begin: all constraints that an agent shares with exactly the same others."""
    stride: np.ndarray
    """From one own value to the next."""
    parts: np.ndarray
    """How many constraints a group is."""
    looked_up: np.ndarray
    """Of each agent, the checks that it takes to look up all its constraints for all its values."""
    others_first: np.ndarray
    others: np.ndarray
    other_stride: np.ndarray
    table: np.ndarray


class Ledger(NamedTuple):
    """What an assignment of all variables costs, kept as it changes.

    In a plain problem, where each agent has one variable and shares one constraint with each neighbor, agents know all
    that this takes: then only ``plain``, ``values`` and ``total`` are filled.
    """

    plain: np.ndarray
    """One number: whether the problem is plain."""
    values: np.ndarray
    """Of all variables."""
    total: np.ndarray
    paid: np.ndarray
    """By constraint."""
    owned_first: np.ndarray
    owned: np.ndarray
    """The variables of each agent."""
    size: np.ndarray
    """Values of each variable."""
    price_first: np.ndarray
    price: np.ndarray
    """What values of variables cost by themselves; an empty stretch: nothing."""
    touching_first: np.ndarray
    touching: np.ndarray
    """The constraints of each variable."""
    scope_first: np.ndarray
    scope: np.ndarray
    stride: np.ndarray
    table_of: np.ndarray
    table: np.ndarray


class Course(NamedTuple):
    """What is counted while an episode goes on."""

    tally: np.ndarray
    choice: np.ndarray
    """The value of each agent, by number."""
    checks: np.ndarray
    counter: np.ndarray
    """Of non-concurrent constraint checks, by agent."""
    told: np.ndarray
    """By cycle: (COST, SENT, WORDS)."""
    cells: np.ndarray
    """Of robots: the direction of the cell where each is; empty where agents are none."""
    squares: np.ndarray
    """The squared length of the way from one of these cells to another."""
    moves: np.ndarray
    """By squared length: how many moves there were."""


@rule
def price_of(b, c):
    """What a constraint costs now."""
    at = b.table_of[c]
    for k in range(b.scope_first[c], b.scope_first[c + 1]):
        at += b.stride[k] * b.values[b.scope[k]]
    return b.table[at]


@rule
def assign(k, b, c, agent, new):
    """Give an agent the value of this number, as the world does: costs change one constraint after another."""
    old = c.choice[agent]
    if new == old:
        return
    c.choice[agent] = new
    if b.plain[0]:
        assign_plain(k, b, c, agent, old, new)
    else:
        assign_any(k, b, agent, new)


@rule
def assign_plain(k, b, c, agent, old, new):
    """What changes in a plain problem."""
    first = k.own_first[agent]
    total = b.total[0] + (k.own[first + new] - k.own[first + old])
    for g in range(k.group_first[agent], k.group_first[agent + 1]):
        at = k.table_of[g] + k.other_stride[g] * c.choice[k.others[g]]
        before = k.table[at + k.stride[g] * old]
        cost = k.table[at + k.stride[g] * new]
        if cost != before:
            total += cost - before
    b.total[0] = total


@rule
def assign_any(k, b, agent, value):
    """What changes in a problem with agents of several variables, or constraints between more than two."""
    block = k.sizes[agent]
    for at in range(b.owned_first[agent], b.owned_first[agent + 1]):
        v = b.owned[at]
        block //= b.size[v]
        new = (value // block) % b.size[v]
        old = b.values[v]
        if new == old:
            continue
        b.values[v] = new
        first = b.price_first[v]
        if b.price_first[v + 1] > first:
            b.total[0] += b.price[first + new] - b.price[first + old]
        for j in range(b.touching_first[v], b.touching_first[v + 1]):
            one = b.touching[j]
            cost = price_of(b, one)
            if cost != b.paid[one]:
                b.total[0] += cost - b.paid[one]
                b.paid[one] = cost


@rule
def close_cycle(b, c, at):
    """Note what a cycle came to; true: the episode is over, since all letters that were written are read."""
    before = c.tally[TURN]
    c.tally[TURN] = before + 1
    c.told[at, COST] = b.total[0]
    c.told[at, SENT] = c.tally[MESSAGES]
    c.told[at, WORDS] = c.tally[NUMBERS]
    for i in range(c.cells.size):
        if c.cells[i] != c.choice[i]:
            c.moves[c.squares[c.cells[i], c.choice[i]]] += 1
            c.cells[i] = c.choice[i]
    return c.tally[CLAIMED] != 0


@rule
def costs_known(k, b, agent, letters, costs):
    """What each value of an agent costs where all others have told these values; the largest counter that they told."""
    size = k.sizes[agent]
    first = k.own_first[agent]
    for v in range(size):
        costs[v] = k.own[first + v]
    counter = 0
    plain = b.plain[0]
    for g in range(k.group_first[agent], k.group_first[agent + 1]):
        at = k.table_of[g]
        if plain:
            other = k.others[g]
            at += k.other_stride[g] * letters[other, 0]
            counter = max(counter, letters[other, 1])
        else:
            for o in range(k.others_first[g], k.others_first[g + 1]):
                at += k.other_stride[o] * letters[k.others[o], 0]
                counter = max(counter, letters[k.others[o], 1])
        step = k.stride[g]
        for v in range(size):
            costs[v] += k.table[at + v * step]
    return counter


@rule
def lowest(costs, size):
    """The least of so many costs."""
    best = costs[0]
    for v in range(1, size):
        best = min(best, costs[v])
    return best


@rule
def count_checks(c, agent, counter, checks):
    """Take the largest counter that was told, and add the checks of this turn."""
    c.checks[agent] += checks
    c.counter[agent] = max(c.counter[agent], counter) + checks
