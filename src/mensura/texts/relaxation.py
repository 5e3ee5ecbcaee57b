"""A first mapping of concepts: the quadratic assignment of two graphs, relaxed, by Frank and Wolfe's method.

After Vogelstein et al. (2015), with rectangular assignments: each step goes from a doubly substochastic matrix towards
the assignment that its gradient likes best, as far as pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ITERATIONS = 30


def relaxed(
    one: Any, two: Any, worth: Any, linear: Any, start: Any, iterations: int = ITERATIONS
) -> Any:
    """The place in the second graph for each concept of the first, -1: none.

    ``one`` and ``two`` are the edges of the graphs, each from a concept to a concept, and ``worth`` what it is worth to
    pair two of them. ``linear`` is what a pair of concepts is worth by itself, and ``start`` what it is likely to be,
    both of shape (concepts, other concepts).
    """
    from scipy.optimize import linear_sum_assignment

    begins, ends = [
        (_incidence(one[:, role], linear.shape[0]), _incidence(two[:, role], linear.shape[1]))
        for role in range(2)
    ]
    at_begins, at_ends = [np.ix_(one[:, role], two[:, role]) for role in range(2)]

    def by_ends(x: Any) -> Any:
        """What pairs of concepts that edges begin at are worth, as far as those that they end at are paired."""
        return (begins[1] @ (begins[0] @ (worth * x[at_ends])).T).T

    def by_begins(x: Any) -> Any:
        return (ends[1] @ (ends[0] @ (worth * x[at_begins])).T).T

    x = start / max(1.0, start.sum(axis=0).max(initial=0.0), start.sum(axis=1).max(initial=0.0))
    for _ in range(iterations):
        gradient = by_ends(x) + by_begins(x) + linear
        rows, columns = linear_sum_assignment(gradient, maximize=True)
        towards = np.zeros_like(x)
        towards[rows, columns] = 1.0
        step = towards - x
        slope = float((step * gradient).sum())
        if slope <= 1e-9 * max(1.0, abs(float((x * gradient).sum()))):
            break
        curve = float((step * by_ends(step)).sum())
        length = 1.0 if curve >= 0.0 else min(1.0, -slope / (2.0 * curve))
        x = x + length * step
    rows, columns = linear_sum_assignment(x + 1e-6 * linear, maximize=True)
    place = np.full(x.shape[0], -1, np.int64)
    place[rows] = columns
    return place


def _incidence(concepts: Any, count: int) -> Any:
    """Which edges are at which of so many concepts."""
    from scipy.sparse import csr_array

    edges = np.arange(len(concepts))
    return csr_array((np.ones(len(edges)), (concepts, edges)), shape=(count, len(edges)))


def most_relations(out_one: Any, in_one: Any, out_two: Any, in_two: Any) -> int:
    """A bound on how many relations between concepts two graphs have in common.

    A pair of concepts has no more relations in common than the fewer of those that begin at the two, and of those that
    end there. Each relation has two ends, so that half the best assignment of these is a bound.
    """
    from scipy.optimize import linear_sum_assignment

    ends = np.minimum.outer(out_one, out_two) + np.minimum.outer(in_one, in_two)
    rows, columns = linear_sum_assignment(ends, maximize=True)
    halves = int(ends[rows, columns].sum()) // 2
    return min(halves, *(_sorted_sum(*one) for one in ((out_one, out_two), (in_one, in_two))))


def _sorted_sum(one: Any, two: Any) -> int:
    """The most that pairs of numbers have in common: the largest with the largest, and so on."""
    size = min(len(one), len(two))
    return int(np.minimum(np.sort(one)[::-1][:size], np.sort(two)[::-1][:size]).sum())
