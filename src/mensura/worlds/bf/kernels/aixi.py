"""MC-AIXI (Veness, Ng, Hutter, Uther and Silver, 2011), compiled: context trees as the model, UCT as the search.

The model is a factored context tree: one tree of binary contexts for each bit of what is perceived, the reward and
then the observation, each looking back ``depth`` bits over percepts and actions. A node mixes its own estimate, that of
Krichevsky and Trofimov, with that of its children by one ratio, which is updated without logarithms. The search plays
``simulations`` futures of ``horizon`` actions from what the model expects, each through a tree of counts that is thrown
away after every action; beyond the tree actions are drawn evenly. What the model learned within a future is taken back.

Departures from the original: nodes are made by what happened only, not within a simulated future, where an unseen
context predicts evenly; the tree of the search does not outlive an action; when ``nodes`` are used up no new context is
learned.

A mind is one row of int64, owned by the caller, whose parts :class:`Mind` names.
"""

import math
from typing import NamedTuple

import numpy as np

from mensura.core.compiled import (
    below,
    choice,
    door,
    draw,
    float64,
    fold,
    int64,
    rule,
    unit,
)
from mensura.core.doors import Minds, doors_of
from mensura.worlds.bf.kernels.machine import RULES

# The head; the first five are as other minds have them, EPSILON is a float.
(
    KIND,
    SYMBOLS,
    CELLS,
    STATES,
    KEY,
    TIME,
    SIMULATIONS,
    DEPTH,
    HORIZON,
    NODES,
    USED,
    SEEN,
    ACTION,
    EPSILON,
) = range(14)
HEAD = 14

RING = 1024
"""Bits of history that are kept; a power of 2, more than the deepest context and the longest future together."""
DEEPEST = 96
FARTHEST = 12

# A node of a context tree: its children, the zeros and ones that followed it, and the ratio of the two estimates.
CHILDREN, COUNTS, RATIO = range(3)
NODE = 3

LEAST, MOST = 1e-12, 1e12
"""The ratio stays within these."""

EXPLORATION = 1.4142135623730951

_PICK, _ANY, _EXPLORE, _BIT, _ROLL = range(5)
"""Slots of the draws."""


class Mind(NamedTuple):
    """The parts of a mind."""

    head: np.ndarray
    rates: np.ndarray
    ring: np.ndarray
    nodes: np.ndarray
    ratios: np.ndarray
    """The same memory as floats."""
    path: np.ndarray
    """The nodes of one context, and what each expects of the next bit."""
    expected: np.ndarray
    log: np.ndarray
    """What to take back: a node, its counts, its ratio."""
    ratios_before: np.ndarray
    tree: np.ndarray
    """Of the search: visits and values of nodes, then their children."""
    values: np.ndarray


@rule
def bits_of(n):
    """How many bits tell n symbols apart."""
    bits = 1
    while (1 << bits) < n:
        bits += 1
    return bits


@rule
def percept_bits(h):
    """How many bits a percept has: the reward and the observation."""
    return bits_of(h[SYMBOLS]) * (h[CELLS] + 1)


@rule
def log_size(h):
    """How many nodes a simulated future touches at most."""
    return h[HORIZON] * percept_bits(h) * (h[DEPTH] + 1)


@rule
def fan(h):
    """How many percepts there are."""
    count = h[SYMBOLS]
    for _ in range(h[CELLS]):
        count *= h[SYMBOLS]
    return count


@rule
def tree_size(h):
    """Numbers of the search tree: a decision and a chance node for each action of each future, and the root."""
    most = h[SIMULATIONS] * h[HORIZON] + 2
    return most * (2 + h[SYMBOLS]) + most * (2 + fan(h))


@door
def size_door(h):
    """How many numbers a mind with this head takes."""
    return (
        HEAD
        + RING
        + NODE * h[NODES]
        + 2 * (DEEPEST + 1)
        + 2 * log_size(h)
        + log_size(h)
        + tree_size(h)
    )


@rule
def open_mind(w):
    """The parts of a mind."""
    h = w[:HEAD]
    f = w.view(np.float64)
    ring = HEAD
    nodes = ring + RING
    path = nodes + NODE * w[NODES]
    expected = path + DEEPEST + 1
    log = expected + DEEPEST + 1
    before = log + 2 * log_size(h)
    tree = before + log_size(h)
    end = tree + tree_size(h)
    return Mind(
        h,
        f[:HEAD],
        w[ring:nodes],
        w[nodes:path],
        f[nodes:path],
        w[path:expected],
        f[expected:log],
        w[log:before],
        f[before:tree],
        w[tree:end],
        f[tree:end],
    )


# The model ----------------------------------------------------------------------


@rule
def new_node(mind):
    """A node that has seen nothing; -1 where there is no room."""
    h = mind.head
    if h[USED] >= h[NODES]:
        return -1
    node = h[USED]
    h[USED] += 1
    at = node * NODE
    mind.nodes[at + CHILDREN] = 0
    mind.nodes[at + COUNTS] = 0
    mind.ratios[at + RATIO] = 1.0
    return node


@rule
def child_of(mind, node, bit):
    """The child of a node, 0 where it has none; roots are nobody's children."""
    both = mind.nodes[node * NODE + CHILDREN]
    return (both >> 32) if bit == 1 else (both & 0xFFFFFFFF)


@rule
def grow(mind, node, bit):
    """A new child of a node; 0 where there is no room."""
    child = new_node(mind)
    if child < 0:
        return 0
    at = node * NODE + CHILDREN
    if bit == 1:
        mind.nodes[at] |= child << 32
    else:
        mind.nodes[at] |= child
    return child


@rule
def expect(mind, tree, grows):
    """The probability that the next bit is 1, by one tree; how deep its context is known is left at the path's end."""
    h = mind.head
    depth = h[DEPTH]
    seen = h[SEEN]
    node = tree
    known = 0
    mind.path[0] = node
    for d in range(1, depth + 1):
        bit = mind.ring[(seen - d) & (RING - 1)] if d <= seen else 0
        child = child_of(mind, node, bit)
        if child == 0:
            if grows == 0:
                break
            child = grow(mind, node, bit)
            if child == 0:
                break
        node = child
        known = d
        mind.path[d] = node
    below_it = 0.5
    for d in range(known, -1, -1):
        at = mind.path[d] * NODE
        counts = mind.nodes[at + COUNTS]
        ones = counts >> 32
        zeros = counts & 0xFFFFFFFF
        own = (float64(ones) + 0.5) / (float64(ones + zeros) + 1.0)
        if d == depth:
            below_it = own
        else:
            ratio = mind.ratios[at + RATIO]
            # What lies below is needed again when the bit is known.
            mind.expected[d] = below_it
            below_it = (ratio * own + below_it) / (ratio + 1.0)
    mind.path[DEEPEST] = known
    return below_it


@rule
def learn_bit(mind, bit, logged):
    """Let the nodes of the path know the bit; from ``logged`` on it is written down how they were, if not below 0."""
    depth = mind.head[DEPTH]
    for d in range(mind.path[DEEPEST] + 1):
        node = mind.path[d]
        at = node * NODE
        counts = mind.nodes[at + COUNTS]
        if logged >= 0:
            mind.log[2 * logged] = node
            mind.log[2 * logged + 1] = counts
            mind.ratios_before[logged] = mind.ratios[at + RATIO]
            logged += 1
        ones = counts >> 32
        zeros = counts & 0xFFFFFFFF
        own = (float64(ones) + 0.5) / (float64(ones + zeros) + 1.0)
        if d < depth:
            lower = mind.expected[d]
            change = own / lower if bit == 1 else (1.0 - own) / (1.0 - lower)
            mind.ratios[at + RATIO] = min(max(mind.ratios[at + RATIO] * change, LEAST), MOST)
        mind.nodes[at + COUNTS] = counts + ((1 << 32) if bit == 1 else 1)
    return logged


@rule
def take_back(mind, logged):
    """The model as it was before."""
    for k in range(logged - 1, -1, -1):
        at = mind.log[2 * k] * NODE
        mind.nodes[at + COUNTS] = mind.log[2 * k + 1]
        mind.ratios[at + RATIO] = mind.ratios_before[k]


@rule
def remember(mind, bit):
    """One more bit of history."""
    mind.ring[mind.head[SEEN] & (RING - 1)] = bit
    mind.head[SEEN] += 1


@rule
def remember_symbol(mind, symbol):
    """The bits of a symbol, the highest first."""
    for b in range(bits_of(mind.head[SYMBOLS]) - 1, -1, -1):
        remember(mind, (symbol >> b) & 1)


@rule
def perceive(mind, symbol, tree):
    """Learn a symbol that was perceived, by one tree for each of its bits; the next tree."""
    for b in range(bits_of(mind.head[SYMBOLS]) - 1, -1, -1):
        bit = (symbol >> b) & 1
        expect(mind, tree, 1)
        learn_bit(mind, bit, -1)
        remember(mind, bit)
        tree += 1
    return tree


@rule
def imagine(mind, tree, key, drawn, logged):
    """A symbol as the model expects it, learned for the time being; (symbol, how much is to be taken back)."""
    symbol = 0
    n = mind.head[SYMBOLS]
    for b in range(bits_of(n) - 1, -1, -1):
        one = expect(mind, tree, 0)
        bit = 1 if unit(draw(key, drawn, _BIT)) < one else 0
        # There are no symbols beyond the last.
        if symbol + (bit << b) >= n:
            bit = 0
        logged = learn_bit(mind, bit, logged)
        remember(mind, bit)
        symbol += bit << b
        tree += 1
        drawn += 1
    return symbol, logged


# The search ---------------------------------------------------------------------

# The search tree has decision nodes first: visits, and a chance node for each action. Then chance nodes: visits, the
# sum of what followed, and a decision node for each percept. 0 is the root, and no child.


@rule
def decision_at(h, node):
    """Where a decision node begins."""
    return node * (2 + h[SYMBOLS])


@rule
def chance_at(h, node):
    """Where a chance node begins."""
    most = h[SIMULATIONS] * h[HORIZON] + 2
    return most * (2 + h[SYMBOLS]) + node * (2 + fan(h))


@rule
def pick(mind, node, left, z):
    """The action of a decision node: one that was not tried, drawn evenly; else the one of the highest bound."""
    h = mind.head
    n = h[SYMBOLS]
    at = decision_at(h, node)
    new = 0
    for a in range(n):
        if mind.tree[at + 2 + a] == 0:
            new += 1
    if new > 0:
        k = below(z, new)
        for a in range(n):
            if mind.tree[at + 2 + a] == 0:
                if k == 0:
                    return a
                k -= 1
    top = -np.inf
    found = 0
    logarithm = math.log(float64(mind.tree[at]))
    for a in range(n):
        one = chance_at(h, mind.tree[at + 2 + a])
        visits = float64(mind.tree[one])
        # Rewards are from -1 to 1.
        bound = mind.values[one + 1] / (visits * 2.0 * left) + EXPLORATION * math.sqrt(
            logarithm / visits
        )
        if bound > top:
            top = bound
            found = a
    return found


@rule
def dream(mind, key, made_decisions, made_chances):
    """One future: through the tree, then on at random; (decision nodes, chance nodes) that there are now."""
    h = mind.head
    n = h[SYMBOLS]
    middle = (n - 1) / 2.0
    seen = h[SEEN]
    logged = 0
    node = 0
    inside = True
    gained = 0.0
    drawn = 0
    # What is passed on the way: chance nodes, and what was gained before each. Both fit into the path's memory.
    passed = 0
    for step in range(h[HORIZON]):
        left = h[HORIZON] - step
        chance = 0
        if inside:
            at = decision_at(h, node)
            a = pick(mind, node, left, draw(key, step, _PICK))
            mind.tree[at] += 1
            chance = mind.tree[at + 2 + a]
            if chance == 0:
                chance = made_chances
                made_chances += 1
                mind.tree[at + 2 + a] = chance
                one = chance_at(h, chance)
                for k in range(2 + fan(h)):
                    mind.tree[one + k] = 0
        else:
            a = below(draw(key, step, _ROLL), n)
        remember_symbol(mind, a)
        percept = 0
        tree = 0
        reward = 0
        for k in range(h[CELLS] + 1):
            symbol, logged = imagine(mind, tree, key, drawn, logged)
            if k == 0:
                reward = symbol
            tree += bits_of(n)
            drawn += bits_of(n)
            percept = percept * n + symbol
        if inside:
            mind.path[DEEPEST - 1 - 2 * passed] = chance
            mind.expected[DEEPEST - 1 - 2 * passed] = gained
            passed += 1
            one = chance_at(h, chance) + 2 + percept
            node = mind.tree[one]
            if node == 0:
                # A node is made where the future leaves the tree.
                node = made_decisions
                made_decisions += 1
                mind.tree[one] = node
                at = decision_at(h, node)
                for k in range(2 + n):
                    mind.tree[at + k] = 0
                inside = False
        gained += (float64(reward) - middle) / middle
    for k in range(passed):
        one = chance_at(h, mind.path[DEEPEST - 1 - 2 * k])
        mind.tree[one] += 1
        mind.values[one + 1] += gained - mind.expected[DEEPEST - 1 - 2 * k]
    take_back(mind, logged)
    h[SEEN] = seen
    return made_decisions, made_chances


@rule
def search(mind, key):
    """The action that the simulated futures speak for."""
    h = mind.head
    n = h[SYMBOLS]
    for k in range(2 + n):
        mind.tree[k] = 0
    decisions, chances = 1, 1
    for k in range(h[SIMULATIONS]):
        decisions, chances = dream(mind, fold(key, k), decisions, chances)
    top = -np.inf
    ties = 0
    for a in range(n):
        if mind.tree[2 + a] > 0:
            one = chance_at(h, mind.tree[2 + a])
            mean = mind.values[one + 1] / float64(mind.tree[one])
            if mean > top:
                top = mean
                ties = 1
            elif mean == top:
                ties += 1
    z = choice(key, 0, _ANY, ties)
    for a in range(n):
        if mind.tree[2 + a] > 0:
            one = chance_at(h, mind.tree[2 + a])
            if mind.values[one + 1] / float64(mind.tree[one]) == top:
                if z == 0:
                    return a
                z -= 1
    return 0


# The mind -----------------------------------------------------------------------


@rule
def forget(mind):
    """Know nothing: one root for each bit of a percept, the first nodes."""
    mind.head[USED] = 0
    mind.head[SEEN] = 0
    for _ in range(percept_bits(mind.head)):
        new_node(mind)


@rule
def sit(mind, j, r, interactions):
    """Before a sitting."""
    forget(mind)


@rule
def begin(mind, j, key, learning):
    """Before an episode."""
    mind.head.view(np.uint64)[KEY] = key
    mind.head[TIME] = 0


@rule
def learn(mind, o, reward):
    """What came of the last action."""
    h = mind.head
    n = h[SYMBOLS]
    tree = perceive(mind, int64(round((reward + 1.0) * (n - 1) / 2.0)), 0)
    for k in range(h[CELLS]):
        tree = perceive(mind, int64(o[k]), tree)


@rule
def act(mind, j, o, reward):
    """Learn, then search."""
    h = mind.head
    t = h[TIME]
    h[TIME] = t + 1
    key = h.view(np.uint64)[KEY]
    # Nothing was done before the first percept, and there is nothing to be learned from it.
    if t > 0:
        learn(mind, o, reward)
    a = search(mind, fold(key, t))
    if unit(draw(key, t, _EXPLORE)) < mind.rates[EPSILON]:
        a = choice(key, t, _ANY, h[SYMBOLS])
    remember_symbol(mind, a)
    return a


@rule
def finish(mind, j, o, reward):
    """After the last interaction."""
    if mind.head[TIME] > 0:
        learn(mind, o, reward)


DOORS = doors_of(RULES, Minds(open_mind, begin, act, finish=finish, sit=sit))


@door
def forget_door(w):
    """Know nothing."""
    forget(open_mind(w))
