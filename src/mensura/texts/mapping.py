"""Analogies between two skeletons: pairs with their generic space, scores, what is left over, and what it suggests.

J = m / (V1 + V2 - m), m pairs of nodes, V nodes (Jaccard); S, the mean Lin of the pairs; AS = J x S, the unified score
of Hurley et al. (2016). The *generic space* of a pair is the most informative ancestor of both words in WordNet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as Table
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError, neighbors
from mensura.texts.skeletons import Skeleton, Verb, spoken
from mensura.texts.solving import Effort, Problem, Solution, solve
from mensura.texts.structure import Structure
from mensura.texts.wordnet import Lexicon, Senses, Word, check_senses, wordnet


@dataclass(frozen=True)
class Options:
    """What counts in a mapping."""

    semantics: float = 1.0
    """0: structure alone. Up to 1, likeness of words decides between mappings of equal structure. Beyond that, it may
    outvote structure: all words alike are worth so many relations, minus one."""
    senses: Senses = "common"
    required: Table[str, str] | Sequence[tuple[str, str]] = ()
    """Concepts of the source, and what they are to be paired with."""
    effort: Effort = Effort()  # noqa: RUF009  (frozen)

    def __post_init__(self) -> None:
        """Raise if a value makes no sense."""
        check_senses(self.senses)
        if not 0.0 <= self.semantics <= 1000.0:
            raise MensuraError(f"The semantic weight is from 0 to 1000, not {self.semantics:g}.")


class Pair(NamedTuple):
    """Two nodes that correspond, how alike their words are, and what both are."""

    source: int
    target: int
    lin: float
    generic: str
    """The name of the common ancestor in WordNet; empty where there is none but the root."""


class Inference(NamedTuple):
    """What holds in the source, and could in the target."""

    relation: int
    """Of the source."""
    sentence: str
    grounded: bool
    """Whether all that it is about has a counterpart; if not, the target lacks something like it."""


@dataclass(frozen=True)
class Mapping:
    """How one skeleton maps onto another."""

    source: Skeleton
    target: Skeleton
    pairs: tuple[Pair, ...]
    common: int
    """Relations that both have."""
    bound: int
    """No mapping has more."""
    proved: bool
    """Whether it is proved that no mapping is better."""

    @property
    def gap(self) -> int:
        """How many relations more another mapping could have in common, at most."""
        return self.bound - self.common

    @property
    def jaccard(self) -> float:
        """J: the share of all nodes that correspond."""
        m = len(self.pairs)
        return m / (len(self.source) + len(self.target) - m)

    @property
    def semantic(self) -> float:
        """S: the mean Lin of the pairs."""
        return _mean([one.lin for one in self.pairs])

    @property
    def conceptual(self) -> float:
        """S over concepts alone."""
        return _mean([one.lin for one in self.pairs if one.source < len(self.source.concepts)])

    @property
    def relational(self) -> float:
        """S over relations alone."""
        return _mean([one.lin for one in self.pairs if one.source >= len(self.source.concepts)])

    @property
    def score(self) -> float:
        """AS = J x S."""
        return self.jaccard * self.semantic

    @cached_property
    def image(self) -> dict[int, int]:
        """The node of the target for each node of the source that has one."""
        return {one.source: one.target for one in self.pairs}

    @property
    def left_in_source(self) -> list[int]:
        """Nodes of the source without a counterpart."""
        return [k for k in range(len(self.source)) if k not in self.image]

    @property
    def left_in_target(self) -> list[int]:
        """Nodes of the target without a counterpart."""
        used = set(self.image.values())
        return [k for k in range(len(self.target)) if k not in used]

    @cached_property
    def inferences(self) -> tuple[Inference, ...]:
        """Relations of the source without a counterpart, in the words of the target; grounded ones first.

        Each is about a concept with a counterpart at least, or joins two relations that have one.
        """
        first = len(self.source.concepts)
        known = {(one.subject, one.lemma, one.object) for one in self.target.relations}
        found: list[Inference] = []
        for k, one in enumerate(self.source.relations, first):
            ends = [self.image.get(n, -1) for n in (one.subject, one.object)]
            if k in self.image or max(ends) < 0 or (ends[0], one.lemma, ends[1]) in known:
                continue
            if one.subject >= first and min(ends) < 0:
                continue
            found.append(Inference(k, self._carried_over(one), min(ends) >= 0))
        return tuple(sorted(found, key=lambda one: not one.grounded))

    def _carried_over(self, one: Verb) -> str:
        parts = []
        for n in (one.subject, one.object):
            to = self.image.get(n)
            told = self.source.told(n) if to is None else self.target.told(to)
            name = f"something like {told}" if to is None else told
            parts.append(f"({name})" if n >= len(self.source.concepts) else name)
        verb = f"not {spoken(one.lemma)}" if one.negated else spoken(one.lemma)
        return f"{parts[0]} {verb} {parts[1]}"


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def map_skeletons(
    source: Skeleton | Structure, target: Skeleton | Structure, options: Options | None = None
) -> Mapping:
    """How the source maps onto the target."""
    options = options or Options()
    one, two = (k if isinstance(k, Structure) else Structure(k) for k in (source, target))
    for structure in (one, two):
        if not structure.relations:
            raise MensuraError(
                f"{structure.skeleton.name or 'A skeleton'} has no relation: nothing can be mapped."
            )
    required = _required(options, one.skeleton, two.skeleton)
    turned = _place(one) > _place(two)  # so that it makes no difference which is called the source
    if turned:
        one, two = two, one
        required = [(b, a) for a, b in required]
    tables = Likeness(one.skeleton, two.skeleton, options.senses)
    problem = Problem(one, two, tables.concepts, tables.relations, options.semantics, required)
    solution = solve(problem, options.effort)
    return _result(one, two, tables, solution, turned)


def _place(structure: Structure) -> Any:
    skeleton = structure.skeleton
    return structure.nodes, structure.concepts, skeleton.concepts, skeleton.relations


def _result(
    one: Structure, two: Structure, tables: Likeness, solution: Solution, turned: bool
) -> Mapping:
    pairs = []
    for a, b in enumerate(solution.image.tolist()):
        if b >= 0:
            lin, generic = tables.of(a, b)
            pairs.append(Pair(b, a, lin, generic) if turned else Pair(a, b, lin, generic))
    ends = (two.skeleton, one.skeleton) if turned else (one.skeleton, two.skeleton)
    return Mapping(*ends, tuple(sorted(pairs)), solution.common, solution.bound, solution.proved)


def _required(options: Options, one: Skeleton, two: Skeleton) -> list[tuple[int, int]]:
    """The required pairs as numbers of concepts."""
    given = options.required
    found: list[tuple[int, int]] = []
    for pair in given.items() if isinstance(given, Table) else given:
        numbers = []
        for name, skeleton, which in zip(pair, (one, two), ("source", "target"), strict=True):
            names = [concept.lemma for concept in skeleton.concepts]
            wanted = "_".join(name.split())
            if wanted not in names:
                raise MensuraError(
                    f"The pair {pair[0]}={pair[1]} is required, but {name!r} is no concept of the {which}; "
                    f"{neighbors(wanted, names)}"
                )
            numbers.append(names.index(wanted))
        found.append((numbers[0], numbers[1]))
    for side in range(2):
        if len({pair[side] for pair in found}) < len(found):
            raise MensuraError(
                "Two required pairs name the same concept; each may be in one pair only."
            )
    return found


class Likeness:
    """Lin between all concepts and between all relations of two skeletons."""

    def __init__(self, one: Skeleton, two: Skeleton, senses: Senses) -> None:
        self.one, self.two = one, two
        words = wordnet()
        self._nouns, self._verbs = words.nouns, words.verbs
        self.concepts, self._above = table(
            words.nouns, [k.word for k in one.concepts], [k.word for k in two.concepts], senses
        )
        self.relations, self._relations_above = table(
            words.verbs, [k.word for k in one.relations], [k.word for k in two.relations], senses
        )

    def of(self, a: int, b: int) -> tuple[float, str]:
        """Lin of two nodes, and the name of what both are."""
        first = len(self.one.concepts)
        if a < first:
            lin, above, lexicon = self.concepts[a, b], self._above[a, b], self._nouns
        else:
            at = (a - first, b - len(self.two.concepts))
            lin, above, lexicon = self.relations[at], self._relations_above[at], self._verbs
        if above >= 0:
            return float(lin), spoken(lexicon.name(int(above)))
        return float(lin), spoken(lexicon.known(self.one.node(a).word)) if lin >= 1.0 else ""


def table(
    lexicon: Lexicon, words: Sequence[Word], others: Sequence[Word], senses: Senses
) -> tuple[Any, Any]:
    """Lin between all words, each different one looked up once."""
    if not words or not others:
        return np.zeros((len(words), len(others))), np.full((len(words), len(others)), -1)
    sides = []
    for side in (words, others):
        different = {word: k for k, word in enumerate(dict.fromkeys(side))}
        sides.append((list(different), np.array([different[word] for word in side])))
    lin, above = lexicon.table(sides[0][0], sides[1][0], senses)
    rows, columns = np.ix_(sides[0][1], sides[1][1])
    return lin[rows, columns], above[rows, columns]
