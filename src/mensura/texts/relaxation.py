"""A first mapping of concepts: the quadratic assignment of two graphs, relaxed, by Frank and Wolfe's method.

After Vogelstein et al. (2015), with rectangular assignments: each step goes from a doubly substochastic matrix towards
the assignment that its gradient likes best, as far as pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ITERATIONS = 30
DENSE = 64
"""Up to so many concepts, products of dense matrices are quicker than those of sparse ones."""


def relaxed(one: Any, two: Any, linear: Any, start: Any, iterations: int = ITERATIONS) -> Any:
    """The place in the second graph for each concept of the first, -1: none.

    ``one`` and ``two`` count edges from concept to concept, ``linear`` is what a pair is worth by itself, and ``start``
    what it is likely to be, both of shape (concepts, other concepts).
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import csr_array

    made = csr_array if max(one.shape + two.shape) > DENSE else np.asarray
    forth, back = [made(k) for k in (one, two)], [made(k.T) for k in (one, two)]

    def around(x: Any) -> Any:
        return (forth[1] @ (forth[0] @ x).T).T

    x = start / max(1.0, start.sum(axis=0).max(initial=0.0), start.sum(axis=1).max(initial=0.0))
    for _ in range(iterations):
        gradient = around(x) + (back[1] @ (back[0] @ x).T).T + linear
        rows, columns = linear_sum_assignment(gradient, maximize=True)
        towards = np.zeros_like(x)
        towards[rows, columns] = 1.0
        step = towards - x
        slope = float((step * gradient).sum())
        if slope <= 1e-9 * max(1.0, abs(float((x * gradient).sum()))):
            break
        curve = float((step * around(step)).sum())
        length = 1.0 if curve >= 0.0 else min(1.0, -slope / (2.0 * curve))
        x = x + length * step
    rows, columns = linear_sum_assignment(x + 1e-6 * linear, maximize=True)
    place = np.full(x.shape[0], -1, np.int64)
    place[rows] = columns
    return place


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
