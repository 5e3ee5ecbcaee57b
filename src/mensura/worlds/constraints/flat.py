"""A problem as a few arrays: what is asked of all its constraints at once, and what kernels play on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mensura.worlds.constraints.problem import Problem

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]


class Flat:
    """All tables one after another, and where in them each constraint looks up a tuple.

    A constraint costs ``costs[table_of + the sum of stride * value over its scope]``.
    """

    def __init__(self, problem: Problem) -> None:
        relations, constraints = problem.relations, problem.constraints
        self.costs: Real = _joined([one.costs.ravel() for one in relations])
        """Infinite: forbidden."""
        self.sizes: Whole = np.array([one.costs.size for one in relations], np.int64)
        """Tuples of each relation."""
        self.first: Whole = starts(self.sizes)[:-1]
        self.relation_of: Whole = np.array([one.relation for one in constraints], np.int64)
        self.table_of: Whole = self.first[self.relation_of]
        arity = np.array([len(one.scope) for one in constraints], np.int64)
        self.scope_first: Whole = starts(arity)
        self.scope: Whole = np.fromiter(
            chain.from_iterable(one.scope for one in constraints), np.int64, int(arity.sum())
        )
        """The variables of all constraints, one constraint after another."""
        steps: dict[tuple[int, ...], tuple[int, ...]] = {}
        for relation in relations:
            if relation.costs.shape not in steps:
                steps[relation.costs.shape] = _strides(relation.costs.shape)
        strides = [steps[one.costs.shape] for one in relations]
        self.stride: Whole = np.fromiter(
            chain.from_iterable(strides[one.relation] for one in constraints),
            np.int64,
            len(self.scope),
        )

    def paid(self, values: Sequence[int] | Whole, table: Real) -> Real:
        """What each constraint costs by a table where variables have these values."""
        if not len(self.table_of):
            return np.zeros(0)
        steps = np.asarray(values, np.int64)[self.scope] * self.stride
        found: Real = table[self.table_of + np.add.reduceat(steps, self.scope_first[:-1])]
        return found

    @cached_property
    def tightness(self) -> Real:
        """The share of forbidden tuples of each relation."""
        return self.summed(np.isinf(self.costs).astype(np.float64)) / self.sizes

    @cached_property
    def reach(self) -> Real:
        """The largest finite cost of each relation, counted from 0, or from the lowest where that is below."""
        if not len(self.first):
            return np.zeros(0)
        finite = np.isfinite(self.costs)
        most = np.maximum.reduceat(np.where(finite, self.costs, -np.inf), self.first)
        return np.where(np.isinf(most), 0.0, most - np.minimum(self.least, 0.0))

    @cached_property
    def least(self) -> Real:
        """The lowest finite cost of each relation; infinite where all is forbidden."""
        if not len(self.first):
            return np.zeros(0)
        finite = np.where(np.isfinite(self.costs), self.costs, np.inf)
        found: Real = np.minimum.reduceat(finite, self.first)
        return found

    def summed(self, table: Real) -> Real:
        """The sum over each relation of a table of all."""
        if not len(self.first):
            return np.zeros(0)
        found: Real = np.add.reduceat(table, self.first)
        return found


def starts(counts: Whole) -> Whole:
    """Where each of several stretches of these lengths begins, and where the last ends."""
    found = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=found[1:])
    return found


def _joined(parts: list[Real]) -> Real:
    return np.concatenate(parts) if parts else np.zeros(0)


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps = [1]
    for size in shape[:0:-1]:
        steps.append(steps[-1] * size)
    return tuple(reversed(steps))
