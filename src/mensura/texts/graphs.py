"""Graphs of concepts and relations, and their largest common structure where that can be searched for to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.texts.kernels.exact import FREE, MUST, NEVER, most_common


class Relation(NamedTuple):
    """A label and two nodes: concepts are numbered from 0, relations after them."""

    label: int
    first: int
    second: int


@dataclass(frozen=True)
class Graph:
    """Concepts, and relations between them or between relations; none is there twice, none before what it is about."""

    concepts: int
    relations: tuple[Relation, ...]

    def __post_init__(self) -> None:
        """Raise ValueError where it is no such graph."""
        for number, one in enumerate(self.relations):
            for node in (one.first, one.second):
                if not 0 <= node < self.concepts + number:
                    raise ValueError(
                        f"relation {number} is about node {node}, which is not before it"
                    )
            if one.first == one.second or one.label < 0:
                raise ValueError(f"relation {number} is none: {one}")
        if len(set(self.relations)) != len(self.relations):
            raise ValueError("a relation is there twice")

    @property
    def labels(self) -> int:
        """One more than the largest label."""
        return max((one.label for one in self.relations), default=-1) + 1

    @cached_property
    def orders(self) -> tuple[int, ...]:
        """Of each relation: 1 between concepts, one more than what it is about elsewhere."""
        found: list[int] = []
        for one in self.relations:
            about = [n - self.concepts for n in (one.first, one.second) if n >= self.concepts]
            found.append(1 + max((found[n] for n in about), default=0))
        return tuple(found)

    @cached_property
    def concepts_of(self) -> tuple[frozenset[int], ...]:
        """The concepts that each relation is about, by way of others where it is about relations."""
        found: list[frozenset[int]] = []
        for one in self.relations:
            nodes = [
                frozenset({n}) if n < self.concepts else found[n - self.concepts]
                for n in (one.first, one.second)
            ]
            found.append(nodes[0] | nodes[1])
        return tuple(found)

    @cached_property
    def _plan(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Concepts in the order in which they decide most relations, and which these are."""
        left = set(range(self.concepts))
        known: set[int] = set()
        order: list[int] = []
        depths: list[int] = []
        begins = [0]
        while left:
            best = max(
                left,
                key=lambda c: (
                    sum(c in about and about <= known | {c} for about in self.concepts_of),
                    sum(c in about for about in self.concepts_of),
                    -c,
                ),
            )
            left.remove(best)
            known.add(best)
            order.append(best)
            depths += [
                k for k, about in enumerate(self.concepts_of) if best in about and about <= known
            ]
            begins.append(len(depths))
        table = np.array(self.relations, np.int64).reshape(-1, 3)
        return table, *(np.array(one, np.int64) for one in (depths, begins, order))

    def images(self, labels: int) -> npt.NDArray[np.int16]:
        """The relation of each label between each two nodes, or -1."""
        nodes = self.concepts + len(self.relations)
        found = np.full((max(labels, self.labels, 1), nodes, nodes), -1, np.int16)
        for number, one in enumerate(self.relations):
            found[one.label, one.first, one.second] = number
        return found


class Mapping(NamedTuple):
    """The relations in common, and the concept of the second graph for each of the first; -1: none."""

    common: int
    pairs: tuple[int, ...]


class Search:
    """Looks for mappings of one graph onto another, to the end."""

    def __init__(self, one: Graph, two: Graph) -> None:
        self.one, self.two = one, two
        self._plan = one._plan
        self._images = two.images(one.labels)
        size = max(one.concepts, len(one.relations), two.concepts) + 2
        self._work = np.zeros((5, size), np.int64)
        self._found = np.full(max(one.concepts, 1), -1, np.int64)

    def best(self, floor: int = -1) -> Mapping:
        """A mapping with the most relations in common, if they are more than ``floor``."""
        return self._searched(-1, -1, FREE, floor)

    def best_with(self, concept: int, other: int, floor: int = -1) -> Mapping:
        """The same among those that pair these two."""
        return self._searched(concept, other, MUST, floor)

    def best_without(self, concept: int, other: int, floor: int = -1) -> Mapping:
        """The same among those that pair the concept otherwise, or not at all."""
        return self._searched(concept, other, NEVER, floor)

    def _searched(self, asked: int, answer: int, rule: int, floor: int) -> Mapping:
        table, depths, begins, order = self._plan
        self._found[:] = -1
        common = most_common(
            table, depths, begins, order, self._images, self.two.concepts, asked, answer, rule, floor,
            self._work, self._found,
        )  # fmt: skip
        return Mapping(int(common), tuple(self._found[: self.one.concepts].tolist()))


def is_proved(one: Graph, two: Graph, concept: int, other: int, margin: int = 1) -> bool:
    """Whether every mapping that pairs the concept otherwise has at least ``margin`` relations fewer in common."""
    search = Search(one, two)
    with_it = search.best_with(concept, other).common
    return search.best_without(concept, other, with_it - margin).common == with_it - margin


def is_symmetric(graph: Graph) -> bool:
    """Whether it maps onto itself, all relations with it, otherwise than each concept on itself."""
    search, most = Search(graph, graph), len(graph.relations)
    return any(
        search.best_without(concept, concept, most - 1).common == most
        for concept in range(graph.concepts)
    )


def brute_force(one: Graph, two: Graph) -> int:
    """The most relations in common, by trying all mappings: the definition, for graphs of a few concepts."""
    from itertools import permutations

    places: Sequence[Any] = [*range(two.concepts), *[-1] * one.concepts]
    there = {(r.label, r.first, r.second): k for k, r in enumerate(two.relations)}
    best = 0
    for pairs in set(permutations(places, one.concepts)):
        images: list[int] = []
        for r in one.relations:
            nodes = [
                pairs[n]
                if n < one.concepts
                else (
                    -1 if images[n - one.concepts] < 0 else two.concepts + images[n - one.concepts]
                )
                for n in (r.first, r.second)
            ]
            images.append(-1 if -1 in nodes else there.get((r.label, nodes[0], nodes[1]), -1))
        best = max(best, sum(k >= 0 for k in images))
    return best
