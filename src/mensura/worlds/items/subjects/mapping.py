"""Structure mapping in small: which thing of one scene corresponds to which of another (Gentner, 1983).

A scene has things with attributes, and relations between things. The best mapping is one-to-one and keeps most: an
attribute that both things of a pair share counts 1, a relation between two pairs counts 2, since by Gentner's
systematicity relations that hold together carry an analogy rather than attributes do. All mappings of a few things
are looked at; Forbus's engine (SME), which also maps relations between relations, merges local matches instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

RELATION_WEIGHT = 2
MOST_THINGS = 6
"""All mappings of more things would take too long."""


@dataclass(frozen=True)
class Scene:
    """Things and how they are related."""

    things: tuple[tuple[int, ...], ...]
    """The attributes of each thing, in one order for all."""
    relations: frozenset[tuple[str, int, int]] = frozenset()
    """The name of a relation, and the two things between which it holds."""


@dataclass(frozen=True)
class Mapping:
    """Which things correspond."""

    pairs: tuple[tuple[int, int], ...]
    """A thing of the first scene, and one of the second."""
    score: int
    """How much is shared."""

    def of(self, thing: int) -> int | None:
        """What a thing of the first scene corresponds to."""
        return dict(self.pairs).get(thing)


def best_mapping(base: Scene, target: Scene) -> Mapping:
    """The mapping of the highest score; of several, the one that keeps things in their order."""
    few, many = sorted((len(base.things), len(target.things)))
    if many > MOST_THINGS:
        pairs = tuple((i, i) for i in range(few))
        return Mapping(pairs, _score(base, target, pairs))
    found: list[Mapping] = []
    for chosen in permutations(range(many), few):
        straight = [*enumerate(chosen)]
        turned = len(base.things) > len(target.things)
        pairs = tuple(sorted((j, i) if turned else (i, j) for i, j in straight))
        found.append(Mapping(pairs, _score(base, target, pairs)))
    return max(found, key=lambda one: one.score)


def _score(base: Scene, target: Scene, pairs: Sequence[tuple[int, int]]) -> int:
    partner = dict(pairs)
    shared = sum(
        a == b for i, j in pairs for a, b in zip(base.things[i], target.things[j], strict=True)
    )
    kept = sum(
        (name, partner.get(i), partner.get(j)) in target.relations for name, i, j in base.relations
    )
    return shared + RELATION_WEIGHT * kept
