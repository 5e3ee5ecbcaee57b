"""The best mapping of two skeletons: which node goes with which, how good that is, and how good it could be.

Of all mappings that pair nodes one to one, concepts with concepts and relations with relations whose subjects and
objects are paired too, the one with the most relations in common is wanted; among equals that with relations of higher
order, then the one about fewer concepts (more connected), then the one whose words are more alike (Gentner 1983).

- Equal graphs are found so by refinement of colors (:mod:`mensura.texts.kernels.equality`).
- Others begin with a relaxation (:mod:`mensura.texts.relaxation`), improved by local search
  (:mod:`mensura.texts.kernels.swapping`).
- Where both have at most 64 relations, branch and bound (:mod:`mensura.texts.kernels.branching`) improves that until it
  is proved, or until its steps are used up.

Nothing depends on time or chance: the same skeletons have the same mapping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mensura.texts.relaxation import most_relations, relaxed
from mensura.texts.structure import ROUNDS as COLORS
from mensura.texts.structure import Structure

SMALL = 64
"""The most relations of skeletons that are searched to the end."""
STEPS = 20_000
"""Of that search."""
SWAPS = 200_000
"""The most swaps that local search looks at."""
RESTARTS = 60
ROUNDS = 4_000
"""The most rounds of refinement."""
KEY = np.uint64(0x5EED)


@dataclass(frozen=True)
class Effort:
    """How long is searched, counted in steps so that it is the same on every machine."""

    steps: int = STEPS
    swaps: int = SWAPS
    restarts: int = RESTARTS
    starts: int = 2
    """Relaxations to begin with."""

    def times(self, number: int) -> Effort:
        """So many times as much."""
        return Effort(
            self.steps * number, self.swaps * number, self.restarts * number, self.starts * number
        )


QUICK = Effort(steps=2_000, swaps=50_000, restarts=10, starts=1)
"""For many mappings, as of a corpus."""


class Weights(NamedTuple):
    """What counts: a relation, an order above 1, and all likeness; a concept counts less one."""

    relation: float
    order: float
    likeness: float
    per_relation: float
    """Likeness in relations, for searches that count nothing else."""


class Solution(NamedTuple):
    """The node of the second for each of the first, -1: none."""

    image: Any
    common: int
    """Relations that both have."""
    bound: int
    """No mapping has more of them."""
    proved: bool
    """Whether no mapping is better in any respect."""


class Problem:
    """Two structures, how alike their words are, and pairs that have to be."""

    def __init__(
        self,
        one: Structure,
        two: Structure,
        concept_likeness: Any,
        relation_likeness: Any,
        semantics: float = 1.0,
        required: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.one, self.two = one, two
        self.concept_likeness, self.relation_likeness = concept_likeness, relation_likeness
        self.required = dict(required)
        most = min(one.concepts, two.concepts) + min(one.relations, two.relations) + 1
        highest = min(int((k.orders - 1).sum()) for k in (one, two))
        order = float(min(one.concepts, two.concepts) + 2)
        relation = order * (highest + 1)
        tied, more = min(semantics, 1.0), max(semantics - 1.0, 0.0)
        self.weights = Weights(relation, order, (tied + more * relation) / most, semantics / most)

    def bound(self) -> int:
        """No mapping has more relations in common."""
        one, two = self.one, self.two
        first = most_relations(*one.degrees, *two.degrees)
        highest = int(max([1, *one.orders.tolist(), *two.orders.tolist()]))
        return first + sum(
            min(int((k.orders == order).sum()) for k in (one, two))
            for order in range(2, highest + 1)
        )

    # From concepts to all nodes

    def extended(self, place: Any) -> Any:
        """All pairs that follow from pairs of concepts: relations between paired ones, those most alike first.

        Concepts that no relation supports are left out, unless they are required.
        """
        one, two = self.one, self.two
        image = np.full(one.nodes, -1, np.int64)
        votes = self._votes(place)
        taken: set[int] = set()
        bundles: dict[tuple[int, int], list[int]] = {}
        for k, (subject, target) in enumerate(two.ends.tolist()):
            bundles.setdefault((subject, target), []).append(k)
        for order in sorted(set(one.orders.tolist())):
            groups: dict[tuple[int, int], list[int]] = {}
            for k in np.flatnonzero(one.orders == order).tolist():
                ends = [
                    int(place[n]) if n < one.concepts else int(image[n])
                    for n in one.ends[k].tolist()
                ]
                if min(ends) >= 0 and (ends[0], ends[1]) in bundles:
                    groups.setdefault((ends[0], ends[1]), []).append(k)
            for where, members in groups.items():
                for k, other in self._matched(members, bundles[where], votes):
                    if other not in taken:
                        taken.add(other)
                        image[one.concepts + k] = two.concepts + other
        for k in np.flatnonzero(image[one.concepts :] >= 0).tolist():
            for n in one.ends[k].tolist():
                if n < one.concepts:
                    image[n] = place[n]
        for a, b in self.required.items():
            image[a] = b
        return image

    def _votes(self, place: Any) -> dict[tuple[int, int], int]:
        """How many links a pair of relations would let be paired."""
        one, two = self.one, self.two
        votes: dict[tuple[int, int], int] = {}
        of_two = [
            (k, *(two.ends[k] - two.concepts).tolist())
            for k in np.flatnonzero(two.orders == 2).tolist()
        ]
        if not of_two:
            return votes
        for k in np.flatnonzero(one.orders == 2).tolist():
            first, second = (one.ends[k] - one.concepts).tolist()
            wanted = [tuple(place[one.ends[n]].tolist()) for n in (first, second)]
            for _, other, another in of_two:
                there = [tuple(two.ends[n].tolist()) for n in (other, another)]
                if wanted == there:
                    votes[first, other] = votes.get((first, other), 0) + 1
                    votes[second, another] = votes.get((second, another), 0) + 1
        return votes

    def _matched(
        self, members: list[int], others: list[int], votes: dict[tuple[int, int], int]
    ) -> list[tuple[int, int]]:
        if len(members) == len(others) == 1:
            return [(members[0], others[0])]
        from scipy.optimize import linear_sum_assignment

        worth = self.relation_likeness[np.ix_(members, others)] * 0.01
        for i, k in enumerate(members):
            for j, other in enumerate(others):
                worth[i, j] += votes.get((k, other), 0)
        rows, columns = linear_sum_assignment(worth, maximize=True)
        return [(members[i], others[j]) for i, j in zip(rows, columns, strict=True)]

    def value(self, image: Any) -> float:
        """What a mapping is worth, by all that counts."""
        one = self.one
        relations = np.flatnonzero(image[one.concepts :] >= 0)
        concepts = np.flatnonzero(image[: one.concepts] >= 0)
        to = image[one.concepts :][relations] - self.two.concepts
        likeness = self.relation_likeness[relations, to].sum()
        likeness += self.concept_likeness[concepts, image[concepts]].sum()
        orders = (one.orders[relations] - 1).sum()
        weights = self.weights
        return float(
            len(relations) * weights.relation
            + orders * weights.order
            - len(concepts)
            + likeness * weights.likeness
        )

    # Searches

    def equal(self) -> Any | None:
        """A mapping of all onto all, if color refinement finds one."""
        from mensura.texts.kernels.equality import equal_graphs

        one, two = self.one, self.two
        if (one.concepts, one.relations) != (two.concepts, two.relations):
            return None
        for by_words in (True, False):
            colors = np.stack([one.kinds(), two.kinds()])
            if by_words and not self._colored(colors):
                continue
            for number, (a, b) in enumerate(self.required.items(), 2):
                colors[0, a] = colors[1, b] = np.uint64(1_000_000 + number)
            size = 1 << (2 * one.nodes).bit_length()
            found = np.zeros(one.nodes, np.int64)
            if equal_graphs(
                colors, np.zeros(one.nodes, np.uint64), np.zeros((2, one.nodes), np.uint64), one.ends, two.ends,
                one.concepts, self.concept_likeness, np.zeros(size, np.uint64), np.zeros((size, 2), np.int64), ROUNDS,
                np.zeros(1, np.int64), found,
            ):  # fmt: skip
                return found
        return None

    def _colored(self, colors: Any) -> bool:
        """Give nodes with equal words equal colors; False where words are not the same in both."""
        numbers: dict[tuple[bool, str], int] = {}
        for side, structure in enumerate((self.one, self.two)):
            for k in range(structure.nodes):
                name = (k < structure.concepts, structure.skeleton.node(k).lemma)
                if side == 1 and name not in numbers:
                    return False
                colors[side, k] = numbers.setdefault(name, len(numbers) + 2)
        return True

    def starts(self, count: int) -> Iterator[Any]:
        """So many mappings of concepts by relaxation, at most: led by structure, then by relations that are alike.

        Further ones begin with colors that are refined less and less.
        """
        for number in range(min(count, 2 * COLORS)):
            yield self._start(COLORS - number // 2, by_relations=number % 2 == 1)

    def _start(self, rounds: int, by_relations: bool) -> Any:
        """A mapping from colors that are refined so often."""
        one, two = self.one, self.two
        agreed = np.zeros((one.concepts, two.concepts))
        for a, b in zip(one.colors[:rounds], two.colors[:rounds], strict=True):
            agreed += np.equal.outer(a, b)
        likeness = self.weights.per_relation * self.concept_likeness
        likely = 2.0**agreed - 0.99
        if by_relations:
            likely = 1.0 + 0.2 * likely
        by_words = self.weights.per_relation > 0.0
        if by_words:
            likely += 20.0 * self.concept_likeness
        linear = likeness + 1e-3 * agreed
        for a, b in self.required.items():
            linear[a, b] = likely[a, b] = 1e3
        worth = self._worth(1.0 if by_words and by_relations else 0.0)
        return self._with_required(relaxed(one.edges, two.edges, worth, linear, likely))

    def _with_required(self, place: Any) -> Any:
        for a, b in self.required.items():
            place[(place == b) & (np.arange(len(place)) != a)] = -1
            place[a] = b
        return place

    def improved(self, place: Any, effort: Effort) -> Any:
        """A mapping of concepts after local search."""
        from mensura.texts.kernels.swapping import improve

        one, two = self.one, self.two
        total = max(one.concepts, two.concepts)
        whole = np.full(total, -1, np.int64)
        whole[: one.concepts] = place
        whole[whole < 0] = np.setdiff1d(np.arange(total), whole)
        movable = np.ones(total, np.bool_)
        movable[list(self.required)] = False
        alike = np.zeros((total, total))
        alike[: one.concepts, : two.concepts] = self.concept_likeness * self.weights.per_relation
        best = np.zeros(total, np.int64)
        chain_begins, chain_of = one.chains_at
        begins, incident = one.edges_at(total)
        improve(
            whole, best, movable, one.concepts, one.edges, begins, incident, two.edge_table(total),
            self._worth(self.weights.per_relation),
            np.zeros(len(one.edges), np.int64), one.chains, chain_begins, chain_of, two.links, alike,
            np.zeros((2, max(len(one.edges), len(one.chains)) + 1), np.int64), np.zeros(1), KEY, effort.swaps,
            effort.restarts,
        )  # fmt: skip
        found = best[: one.concepts].copy()
        found[found >= two.concepts] = -1
        return found

    def _worth(self, scale: float) -> Any:
        """What each edge is worth as the image of each: relations in common, and how alike these are, times a scale."""
        one, two = self.one, self.two
        first = [[members[0] for members in k.members] for k in (one, two)]
        worth = np.minimum.outer(one.counts, two.counts)
        worth += scale * self.relation_likeness[np.ix_(*first)]
        several = (one.counts > 1)[:, None] & (two.counts > 1)[None, :]
        for e, f in zip(*np.nonzero(several), strict=True):
            pairs = self._matched(one.members[e], two.members[f], {})
            alike = sum(self.relation_likeness[a, b] for a, b in pairs)
            worth[e, f] = len(pairs) + scale * alike
        for e in np.flatnonzero(one.counts > 1):
            alike = self.relation_likeness[one.members[e]][:, first[1]].max(axis=0)
            worth[e, two.counts == 1] = (1.0 + scale * alike)[two.counts == 1]
        for f in np.flatnonzero(two.counts > 1):
            alike = self.relation_likeness[:, two.members[f]][first[0]].max(axis=1)
            worth[one.counts == 1, f] = (1.0 + scale * alike)[one.counts == 1]
        return worth

    def searched(self, image: Any, steps: int) -> tuple[Any, bool]:
        """A mapping that is at least as good, and whether it is proved that none is better."""
        from mensura.texts.kernels.branching import best_mapping

        one, two = self.one, self.two
        about = np.zeros((2, two.nodes), np.uint64)
        for k, ends in enumerate(two.ends.tolist()):
            for role in range(2):
                about[role, ends[role]] |= np.uint64(1 << k)
        links = np.bitwise_or.reduce(
            np.array([1 << k for k in np.flatnonzero(two.orders > 1).tolist()] or [0], np.uint64)
        )
        start = np.full(one.nodes, -1, np.int64)
        support = np.zeros(one.concepts, np.int64)
        top = self.concept_likeness.max(axis=1, initial=0.0)
        sums = np.zeros(6)
        for a, b in self.required.items():
            start[a], support[a] = b, 1
            sums[2] += 1
            sums[3] += self.concept_likeness[a, b]
        sums[4] = sum(top[a] for a in range(one.concepts) if a not in self.required)
        free = np.zeros(2, np.uint64)
        for b in set(range(two.concepts)) - set(self.required.values()):
            free |= about[:, b]
        best = np.array([self.value(image)])
        found = image.copy()
        done = best_mapping(
            one.ends, two.ends, one.orders, one.concepts, two.concepts, about, links, self.relation_likeness,
            self.concept_likeness, self.relation_likeness.max(axis=1, initial=0.0), top, np.array(self.weights[:3]),
            start, support, np.zeros(one.relations, np.int64), np.zeros(one.relations, np.uint64), free, sums,
            np.zeros((one.relations + 1, 2), np.int64), np.zeros(one.relations + 1, np.uint64), best, steps, found,
        )  # fmt: skip
        return found, bool(done)


def solve(problem: Problem, effort: Effort | None = None) -> Solution:
    """The best mapping that is found."""
    effort = effort or Effort()
    one, two = problem.one, problem.two
    small = max(one.relations, two.relations) <= SMALL
    found = problem.equal()
    bound = one.relations if found is not None else problem.bound()
    if found is not None:
        same = _all_alike(problem, found)
        if same or problem.weights.per_relation == 0.0:
            return Solution(found, one.relations, bound, True)
        places: Iterable[Any] = [found[: one.concepts]]
    else:
        places = problem.starts(effort.starts)
    images = [] if found is None else [found]
    started = list(places)
    for pair in (started[k : k + 2] for k in range(0, len(started), 2)):
        better = max(pair, key=lambda place: problem.value(problem.extended(place)))
        images.append(problem.extended(problem.improved(better, effort)))
    image = max(images, key=problem.value)
    proved = False
    if small and effort.steps:
        image, proved = problem.searched(image, effort.steps)
    common = int((image[one.concepts :] >= 0).sum())
    return Solution(image, common, common if proved else bound, proved)


def _all_alike(problem: Problem, image: Any) -> bool:
    one = problem.one
    concepts = problem.concept_likeness[np.arange(one.concepts), image[: one.concepts]]
    to = image[one.concepts :] - problem.two.concepts
    relations = problem.relation_likeness[np.arange(one.relations), to]
    return bool((concepts >= 1.0).all() and (relations >= 1.0).all())
