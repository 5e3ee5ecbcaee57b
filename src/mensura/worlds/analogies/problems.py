"""Analogy problems with a known answer.

A *base* of concepts and relations is drawn without symmetry. The *target* is its image under a hidden bijection; both
get further relations that have no counterpart. A problem is kept only if the answer is proved: every mapping that pairs
the asked concept otherwise has at least ``margin`` relations fewer in common (after Gentner's structure mapping, 1983;
the cross-mappings of Gentner and Toupin, 1986).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from numpy.random import Generator

from mensura.texts.graphs import Graph, Relation, is_proved, is_symmetric

VERBS = 10
"""The most kinds of relations between concepts."""
LINKS = 3
"""Kinds of relations between relations; their labels come after those of verbs."""
TRIES = 400
"""Problems that are drawn before a size counts as one that has none."""
OPTIONS = 4
"""Among which one chooses, of one concept or of an inference."""
ALONE = -1
"""The look of a concept that looks like no other."""


class Size(NamedTuple):
    """How large a problem is."""

    concepts: int
    relations: int
    links: int
    """Relations between relations."""
    distractors: int
    """Relations without a counterpart, in each of the two."""

    def bits(self, kinds: int) -> float:
        """log2 of the number of such bases with so many kinds of relations, and of where what has no counterpart is.

        A base without symmetry is one of as many with numbered concepts as there are orders of them.
        """
        return _bits(self, kinds)

    @property
    def order(self) -> int:
        """How deeply relations are nested."""
        return 2 if self.links else 1


def _chosen(n: int, k: int) -> float:
    """log2 of the ways to choose k of n."""
    if k > n:
        return math.inf
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)


@cache
def _bits(size: Size, kinds: int) -> float:
    c, r, h, d = size
    base = _chosen(kinds * c * (c - 1), r) - math.lgamma(c + 1) / math.log(2)
    return base + _chosen(LINKS * r * (r - 1), h) + 2 * _chosen(kinds * c * (c + 1), d)


@cache
def sizes(kinds: int) -> tuple[Size, ...]:
    """All sizes, the smallest first."""
    found = [
        Size(c, r, h, d)
        for c, h, d in product(range(OPTIONS, 8), range(4), range(5))
        for r in range(c, 2 * c + 1)
        if r <= kinds * c * (c - 1)
    ]
    return tuple(sorted(found, key=lambda one: one.bits(kinds)))


class Problem(NamedTuple):
    """Two structures, and which concept of the second corresponds to each of the first; -1: none."""

    base: Graph
    target: Graph
    pairs: tuple[int, ...]
    asked: int
    """The concept of the first that is asked about."""
    withheld: Relation | None = None
    """The relation of the target that is asked for instead, where it was taken away there."""
    options: tuple[Relation, ...] = ()
    """Among which it is."""


def draw(
    rng: Generator, size: Size, *, kinds: int, margin: int, whole: bool, infers: bool
) -> Problem | None:
    """A problem of a size; None where none was found.

    ``whole``: the pairs of all concepts are proved, not only that of the asked one. ``infers``: a relation of the
    target is taken away, and is what is asked for.
    """
    for _ in range(TRIES):
        base = draw_base(rng, size, kinds)
        if base is None or is_symmetric(base):
            continue
        problem = _problem(rng, base, size, kinds, infers)
        if problem is None or (infers and len(problem.options) < OPTIONS):
            continue
        concepts: Sequence[int] = range(size.concepts) if whole or infers else (problem.asked,)
        if all(
            is_proved(problem.base, problem.target, one, problem.pairs[one], margin)
            for one in concepts
        ):
            return problem
    return None


def draw_base(rng: Generator, size: Size, kinds: int) -> Graph | None:
    """A connected structure; None where what was drawn is none."""
    c = size.concepts
    order = rng.permutation(c).tolist()
    drawn: list[Relation] = []
    for k in range(1, c):  # a tree first, so that everything is connected
        ends = [order[k], order[int(rng.integers(k))]]
        rng.shuffle(ends)
        drawn.append(Relation(int(rng.integers(kinds)), *ends))
    while len(drawn) < size.relations:
        first, second = rng.permutation(c)[:2].tolist()
        drawn.append(Relation(int(rng.integers(kinds)), first, second))
    if len(set(drawn)) < len(drawn):
        return None
    relations = [drawn[k] for k in rng.permutation(len(drawn))]
    for _ in range(size.links):
        first, second = (c + rng.permutation(size.relations)[:2]).tolist()
        relations.append(Relation(VERBS + int(rng.integers(LINKS)), first, second))
    return Graph(c, tuple(relations)) if len(set(relations)) == len(relations) else None


def _problem(rng: Generator, base: Graph, size: Size, kinds: int, infers: bool) -> Problem | None:
    c, d = base.concepts, size.distractors
    extra = (
        1 if d else 0
    )  # one concept more on each side, which what has no counterpart may be about
    pairs = rng.permutation(c + extra).tolist()[:c]
    target = _image(base, pairs, c + extra, rng)
    withheld: Relation | None = None
    if infers:
        firsts = [k for k, order in enumerate(target.orders) if order == 1]
        about = {n - target.concepts for one in target.relations for n in one[1:]}
        free = [k for k in firsts if k not in about]
        if not free:
            return None
        gone = free[int(rng.integers(len(free)))]
        withheld = target.relations[gone]
        target = _without(target, gone)
    sides = [with_more(rng, one, c + extra, d, kinds) for one in (base, target)]
    if None in sides:
        return None
    one, two = sides
    assert one is not None
    assert two is not None
    if withheld is not None and withheld in two.relations:
        return None
    # The concepts of the base come in any order as well: those of what was added need not be last.
    order = rng.permutation(one.concepts).tolist()
    place = {old: new for new, old in enumerate(order)}
    shuffled = _image(one, [place[k] for k in range(one.concepts)], one.concepts, rng)
    found = [-1] * one.concepts
    for old, to in enumerate(pairs):
        found[place[old]] = to
    asked = place[int(rng.integers(c))]
    problem = Problem(shuffled, two, tuple(found), asked, withheld)
    return problem._replace(options=_options(rng, problem, kinds)) if infers else problem


def _options(rng: Generator, problem: Problem, kinds: int) -> tuple[Relation, ...]:
    """The withheld relation among others that do not hold: the other way round, of another concept or kind.

    Nor are they what another relation of the base leads to, which would be an inference as well.
    """
    assert problem.withheld is not None
    label, first, second = problem.withheld
    led_to = {
        Relation(one.label, problem.pairs[one.first], problem.pairs[one.second])
        for one in problem.base.relations
        if one.first < problem.base.concepts > one.second
    }
    others = [one for one in problem.pairs if one not in (-1, first, second)]
    able = [
        Relation(label, second, first),
        *(Relation(label, first, n) for n in others),
        *(Relation(label, n, second) for n in others),
        *(Relation(other, first, second) for other in range(kinds) if other != label),
    ]
    able = [one for one in able if one not in led_to and one not in problem.target.relations]
    chosen = [able[k] for k in rng.permutation(len(able))[: OPTIONS - 1]]
    found = [problem.withheld, *chosen]
    return tuple(found[k] for k in rng.permutation(len(found)))


def _image(graph: Graph, pairs: Sequence[int], concepts: int, rng: Generator) -> Graph:
    """The same relations about other concepts, in another order."""
    first = [k for k, order in enumerate(graph.orders) if order == 1]
    later = [k for k, order in enumerate(graph.orders) if order > 1]
    order = [first[k] for k in rng.permutation(len(first))] + [
        later[k] for k in rng.permutation(len(later))
    ]
    place = {old: new for new, old in enumerate(order)}

    def node(n: int) -> int:
        return pairs[n] if n < graph.concepts else concepts + place[n - graph.concepts]

    relations = [graph.relations[k] for k in order]
    return Graph(
        concepts, tuple(Relation(r.label, node(r.first), node(r.second)) for r in relations)
    )


def _without(graph: Graph, gone: int) -> Graph:
    """The graph less a relation that no other is about."""

    def node(n: int) -> int:
        return n - 1 if n > graph.concepts + gone else n

    kept = (one for k, one in enumerate(graph.relations) if k != gone)
    return Graph(
        graph.concepts, tuple(Relation(r.label, node(r.first), node(r.second)) for r in kept)
    )


def with_more(rng: Generator, graph: Graph, concepts: int, count: int, kinds: int) -> Graph | None:
    """The graph with relations that have no counterpart, the first of them about a new concept."""
    drawn: list[Relation] = []
    for k in range(count):
        first, second = rng.permutation(concepts)[:2].tolist()
        known = {n for one in graph.relations for n in one[1:] if n < concepts}
        if k == 0 and len(known) < concepts:
            first = next(n for n in range(concepts) if n not in known)
            second = sorted(known)[int(rng.integers(len(known)))]
        drawn.append(Relation(int(rng.integers(kinds)), first, second))
    firsts = [one for one, order in zip(graph.relations, graph.orders, strict=True) if order == 1]
    later = [one for one, order in zip(graph.relations, graph.orders, strict=True) if order > 1]
    shift = concepts - graph.concepts

    def node(n: int, more: int) -> int:
        return n if n < graph.concepts else n + shift + more

    # What relations are about keeps its number: those between concepts come first, new ones after the old.
    moved = [Relation(r.label, node(r.first, 0), node(r.second, 0)) for r in later]
    relations = [*firsts, *drawn]
    for one in moved:
        about = [n + count if n >= concepts + len(firsts) else n for n in one[1:]]
        relations.append(Relation(one.label, *about))
    return Graph(concepts, tuple(relations)) if len(set(relations)) == len(relations) else None


def looks_of(rng: Generator, problem: Problem, pull: float) -> tuple[list[int], list[int]]:
    """What concepts look like: the same number means alike.

    ``pull`` is the share of concepts whose counterpart looks like them (above 0), or like another one (below 0: a
    cross-mapping). All others look like nothing else.
    """
    base = list(range(problem.base.concepts))
    target = [ALONE] * problem.target.concepts
    mapped = [k for k, to in enumerate(problem.pairs) if to >= 0]
    count = round(abs(pull) * len(mapped))
    chosen = [mapped[k] for k in rng.permutation(len(mapped))[:count]]
    if pull > 0:
        for one in chosen:
            target[problem.pairs[one]] = one
    elif len(chosen) > 1:
        for one, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
            target[problem.pairs[one]] = other
    elif chosen:
        others = [k for k in mapped if k != chosen[0]]
        target[problem.pairs[others[int(rng.integers(len(others)))]]] = chosen[0]
    following = len(base)
    for k, look in enumerate(target):
        if look == ALONE:
            target[k] = following
            following += 1
    return base, target


def choices(rng: Generator, problem: Problem, looks: Sequence[Sequence[int]]) -> list[int]:
    """Some concepts of the target: the counterpart of the asked one, what looks like it, and others."""
    right = problem.pairs[problem.asked]
    like = [k for k, look in enumerate(looks[1]) if look == looks[0][problem.asked] and k != right]
    others = [
        k for k in rng.permutation(problem.target.concepts).tolist() if k != right and k not in like
    ]
    found = [right, *like, *others][:OPTIONS]
    return [found[k] for k in rng.permutation(len(found)).tolist()]


def to_plain(graph: Graph) -> dict[str, Any]:
    """The graph as data."""
    return {"concepts": graph.concepts, "relations": [list(one) for one in graph.relations]}


def from_plain(plain: Any) -> Graph:
    """The graph of data; ValueError where it is none."""
    relations = tuple(Relation(*(int(n) for n in one)) for one in plain["relations"])
    concepts = int(plain["concepts"])
    if not 2 <= concepts <= 40 or len(relations) > 80:
        raise ValueError("it is too large, or empty")
    if any(one.label >= VERBS + LINKS for one in relations):
        raise ValueError("a label is none")
    return Graph(concepts, relations)
