"""Measures of a problem: how large, how constrained, how tangled, how long to describe."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Mapping

import numpy as np

from mensura.worlds.constraints.problem import Costs, Problem

MIN_FILL = 200
"""Up to so many variables, the order that links fewest neighbors is taken; beyond, that of fewest neighbors."""
MOST_LINKS = 3_000_000
"""Beyond, what is left of a graph is counted as if all its nodes were linked."""


def size(problem: Problem) -> float:
    """Bits of an assignment: the sum of log2 of the domains' sizes."""
    return problem.size


def constrainedness(problem: Problem) -> float:
    """Kappa of Gent, MacIntyre, Prosser and Walsh (1996): about 1 where solvable problems become unsolvable.

    Minus the sum over constraints of log2(1 - tightness), by the size in bits.
    """
    with np.errstate(divide="ignore"):
        shares = -np.log2(1.0 - problem.flat.tightness)
    bits = math.fsum(shares[problem.flat.relation_of].tolist())
    if bits == 0:
        return 0.0
    return bits / problem.size if problem.size else math.inf


def tightness(problem: Problem) -> float:
    """The mean share of forbidden tuples of a constraint."""
    shares = problem.flat.tightness[problem.flat.relation_of].tolist()
    return math.fsum(shares) / len(shares) if shares else 0.0


def density(problem: Problem) -> float:
    """The share of pairs of variables that have a constraint in common."""
    n = len(problem.variables)
    pairs = {
        pair
        for one in problem.constraints
        for pair in itertools.combinations(sorted(set(one.scope)), 2)
    }
    return len(pairs) / (n * (n - 1) / 2) if n > 1 else 0.0


def induced_width(problem: Problem) -> int:
    """The width of the graph of variables along a greedy order of elimination: an upper bound of its tree width.

    Tables of dynamic programming (DPOP) along this order have so many axes besides the variable's own.
    """
    around: list[set[int]] = [set() for _ in problem.variables]
    for one in problem.constraints:
        for variable in one.scope:
            around[variable].update(one.scope)
    for variable, others in enumerate(around):
        others.discard(variable)
    return _eliminate(around, fill=len(around) <= MIN_FILL)


def _eliminate(around: list[set[int]], fill: bool) -> int:
    """Take out node after node, linking its neighbors; the most neighbors that one had."""

    def price(node: int) -> int:
        return _missing(around, node) if fill else len(around[node])

    current = [price(node) for node in range(len(around))]
    queue = [(cost, node) for node, cost in enumerate(current)]
    heapq.heapify(queue)
    ends = sum(map(len, around))
    left = len(around)
    width = 0
    gone = [False] * len(around)
    while queue:
        cost, node = heapq.heappop(queue)
        if gone[node] or cost != current[node]:
            continue
        others = around[node]
        if ends >= min(left * (left - 1), 2 * MOST_LINKS):
            return max(width, left - 1)
        gone[node] = True
        left -= 1
        ends -= 2 * len(others)
        width = max(width, len(others))
        touched = set(others)
        for other in others:
            around[other].discard(node)
        for other in others:
            new = others - around[other] - {other}
            if new:
                around[other] |= new
                ends += len(new)
                if fill:
                    touched |= around[other]
        around[node] = set()
        for other in touched:
            if not gone[other] and current[other] != (now := price(other)):
                current[other] = now
                heapq.heappush(queue, (now, other))
    return width


def _missing(around: list[set[int]], node: int) -> int:
    """How many pairs of neighbors are not linked."""
    others = around[node]
    return sum(len(others - around[other]) - 1 for other in others) // 2


def description_length(problem: Problem) -> float:
    """Bits that describe the problem: of the program that it was drawn as, or of a plain code of its parts.

    The code tells the number of variables and of values of each, each relation once (the text of its expression, or
    its table: one of all that have so many tuples of each cost, and 64 bits for a cost), then for each constraint
    its variables and its relation.
    """
    if problem.description_bits is not None:
        return problem.description_bits
    n = len(problem.variables)
    bits = _of_integer(n) + sum(_of_integer(len(one.values)) for one in problem.variables)
    relations = problem.relations
    bits += _of_integer(len(relations)) + sum(
        8.0 * len(one.source) if one.source else _of_table(one.costs) for one in relations
    )
    bits += sum(_of_table(np.array(one.costs)) if one.costs else 1.0 for one in problem.variables)
    for one in problem.constraints:
        bits += _of_integer(len(one.scope)) + len(one.scope) * math.log2(max(n, 1))
        bits += math.log2(max(len(relations), 1))
    return float(bits)


def _of_integer(value: int) -> float:
    """Elias's gamma code of a number from 0 on."""
    return 2 * math.floor(math.log2(value + 1)) + 1


def _of_table(costs: Costs) -> float:
    """Which tuples have which cost, one of all ways to give so many to each, and the costs themselves."""
    values, counts = np.unique(costs, return_counts=True)
    ways = math.lgamma(costs.size + 1) - math.fsum(math.lgamma(count + 1) for count in counts)
    told = int(np.count_nonzero(np.isfinite(values) & (values != 0)))
    return ways / math.log(2) + 64.0 * told + sum(_of_integer(int(count)) for count in counts)


MEASURES: Mapping[str, tuple[Callable[[Problem], float], str]] = {
    "size": (size, "bits of an assignment"),
    "constrainedness": (constrainedness, "kappa; about 1 where problems become unsolvable"),
    "tightness": (tightness, "mean share of forbidden tuples"),
    "density": (density, "share of pairs of variables with a constraint"),
    "induced_width": (induced_width, "of the graph, along a greedy order"),
    "description_length": (description_length, "bits that describe the problem"),
}
"""By name, with what each is."""
