"""Names and sentences: the same problem as a story in plain words, or with neutral syllables.

A story is rebuilt to its structure by :func:`read`, so that it says as much as the arrays do, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from mensura.texts.graphs import Graph, Relation
from mensura.worlds.analogies.problems import VERBS

NOUNS = (
    ("general", "captain"), ("king", "emperor"), ("doctor", "surgeon"), ("teacher", "tutor"), ("farmer", "grower"),
    ("thief", "robber"), ("sailor", "seaman"), ("baker", "cook"), ("judge", "referee"), ("hunter", "trapper"),
    ("wolf", "fox"), ("horse", "donkey"), ("eagle", "hawk"), ("whale", "dolphin"), ("spider", "scorpion"),
    ("river", "stream"), ("mountain", "hill"), ("forest", "grove"), ("storm", "gale"), ("island", "reef"),
    ("castle", "fortress"), ("bridge", "footbridge"), ("tower", "steeple"), ("ship", "boat"), ("wagon", "cart"),
    ("lamp", "lantern"), ("rope", "cord"), ("drum", "gong"), ("mirror", "window"), ("hammer", "mallet"),
    ("sun", "star"), ("engine", "motor"), ("magnet", "coil"), ("pump", "valve"), ("pipe", "tube"),
    ("virus", "germ"), ("nerve", "muscle"), ("seed", "bulb"), ("poet", "painter"), ("clerk", "scribe"),
)  # fmt: skip
"""Pairs that are alike; names from different pairs are not."""

VERB_WORDS = (
    ("chases", "pursues"), ("feeds", "nourishes"), ("guards", "protects"), ("follows", "trails"), ("moves", "shifts"),
    ("heats", "warms"), ("hides", "conceals"), ("hits", "strikes"), ("carries", "bears"), ("fears", "dreads"),
)  # fmt: skip
"""Two words of each kind of relation: the base has the first, the target the second."""

LINK_WORDS = (
    ("brings about that", "causes that"),
    ("prevents that", "averts that"),
    ("comes before the moment when", "precedes the moment when"),
)

SYLLABLES = tuple(a + b for b in "aeiou" for a in "bdfgklmnprstvz")


Names = Sequence[tuple[str, str]]
"""Names that are alike: the first is for the base, the second for all others."""
OF_SYLLABLES: Names = tuple((one, one + "h") for one in SYLLABLES)


def named(rng: Generator, looks: Sequence[Sequence[int]], pool: Names) -> list[list[str]]:
    """The names of all concepts, the base's first: those with the same look get names that are alike."""
    kinds = sorted({look for side in looks for look in side})
    drawn = dict(zip(kinds, rng.permutation(len(pool))[: len(kinds)].tolist(), strict=True))
    return [[pool[drawn[look]][min(side, 1)] for look in one] for side, one in enumerate(looks)]


def told(graph: Graph, names: Sequence[str], side: int) -> list[str]:
    """A sentence for each relation."""
    clauses: list[str] = []
    for one in graph.relations:
        if one.label < VERBS:
            verb = VERB_WORDS[one.label][side]
            clauses.append(f"the {names[one.first]} {verb} the {names[one.second]}")
        else:
            link = LINK_WORDS[one.label - VERBS][side]
            first, second = (clauses[n - graph.concepts] for n in one[1:])
            clauses.append(f"that {first} {link} {second}")
    return [f"{clause[0].upper()}{clause[1:]}." for clause in clauses]


def read(sentences: Sequence[str], names: Sequence[str], side: int) -> set[tuple[object, ...]]:
    """The relations that sentences tell, as nested tuples of labels and names."""
    return {_clause(one[:-1].lower(), side) for one in sentences}


def structure(graph: Graph, names: Sequence[str]) -> set[tuple[object, ...]]:
    """The relations of a graph in the same form."""
    found: list[tuple[object, ...]] = []
    for one in graph.relations:
        nodes = [names[n] if n < graph.concepts else found[n - graph.concepts] for n in one[1:]]
        found.append((one.label, *nodes))
    return set(found)


def _clause(text: str, side: int) -> tuple[object, ...]:
    if text.startswith("that "):
        for number, pair in enumerate(LINK_WORDS):
            first, mark, second = text.removeprefix("that ").partition(f" {pair[side]} ")
            if mark:
                return (VERBS + number, _clause(first, side), _clause(second, side))
    for number, pair in enumerate(VERB_WORDS):
        first, mark, second = text.partition(f" {pair[side]} the ")
        if mark and first.startswith("the "):
            return (number, first.removeprefix("the "), second)
    raise ValueError(f"{text!r} tells no relation")


def phrase(relation: Relation, names: Sequence[str], side: int) -> str:
    """A relation between concepts as a sentence."""
    verb = VERB_WORDS[relation.label][side]
    return f"The {names[relation.first]} {verb} the {names[relation.second]}."
