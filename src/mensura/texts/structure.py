"""A skeleton as arrays, as the kernels of the mapper read it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mensura.texts.skeletons import Skeleton

ROUNDS = 4
"""Of refined colors, with which a mapping of unequal graphs begins."""


class Structure:
    """Nodes by number, edges between concepts (each once, however many relations it stands for), and links."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.concepts = len(skeleton.concepts)
        self.relations = len(skeleton.relations)
        self.nodes = self.concepts + self.relations
        self.ends = np.array(
            [(one.subject, one.object) for one in skeleton.relations], np.int64
        ).reshape(-1, 2)
        self.orders = np.array(skeleton.orders[self.concepts :], np.int64)
        edges: dict[tuple[int, int], list[int]] = {}
        for k, (subject, target) in enumerate(self.ends.tolist()):
            if self.orders[k] == 1:
                edges.setdefault((subject, target), []).append(k)
        self.edges = np.array(list(edges), np.int64).reshape(-1, 2)
        self.members = list(edges.values())
        self.counts = np.array([len(one) for one in self.members], np.float64)
        self.edge_of = {k: edge for edge, some in enumerate(self.members) for k in some}

    @cached_property
    def adjacency(self) -> Any:
        """How many relations lead from each concept to each."""
        found = np.zeros((self.concepts, self.concepts))
        found[self.edges[:, 0], self.edges[:, 1]] = self.counts
        return found

    @cached_property
    def degrees(self) -> tuple[Any, Any]:
        """How many relations begin at each concept, and how many end there."""
        return self.adjacency.sum(axis=1), self.adjacency.sum(axis=0)

    @cached_property
    def chains(self) -> Any:
        """The edges that each link between relations of first order joins."""
        found = [
            [self.edge_of[int(end) - self.concepts] for end in self.ends[k]]
            for k in np.flatnonzero(self.orders == 2)
        ]
        return np.array(found, np.int64).reshape(-1, 2)

    @cached_property
    def links(self) -> Any:
        """How many links lead from each edge to each."""
        found = np.zeros((len(self.edges), len(self.edges)), np.int8)
        for one, two in self.chains.tolist():
            found[one, two] = min(found[one, two] + 1, 100)
        return found

    @cached_property
    def chains_at(self) -> tuple[Any, Any]:
        """The links of each edge: where they begin, and which they are."""
        return _lists(self.chains, len(self.edges))

    def edges_at(self, total: int) -> tuple[Any, Any]:
        """The edges of each of so many concepts: where they begin, and which they are."""
        return _lists(self.edges, total)

    def edge_table(self, total: int) -> Any:
        """The edge between each two of so many places, or -1."""
        found = np.full((total, total), -1, np.int64)
        found[self.edges[:, 0], self.edges[:, 1]] = np.arange(len(self.edges))
        return found

    @cached_property
    def colors(self) -> Any:
        """The colors of concepts after each round of refinement, (rounds, concepts)."""
        from mensura.texts.kernels.equality import refined

        colors = self.kinds()
        found = np.zeros((ROUNDS, self.concepts), np.uint64)
        for k in range(ROUNDS):
            refined(colors, np.zeros(self.nodes, np.uint64), self.ends, self.concepts)
            found[k] = colors[: self.concepts]
        return found

    def kinds(self) -> Any:
        """Colors to begin with: concepts have one, relations another."""
        colors = np.zeros(self.nodes, np.uint64)
        colors[self.concepts :] = 1
        return colors


def _lists(pairs: Any, count: int) -> tuple[Any, Any]:
    """For each number, the rows of ``pairs`` that it is in."""
    numbers = pairs.ravel()
    order = np.argsort(numbers, kind="stable")
    begins = np.zeros(count + 1, np.int64)
    begins[1:] = np.cumsum(np.bincount(numbers, minlength=count)[:count])
    return begins, (order // 2).astype(np.int64)
