"""Skeletons drawn at random, for tests and benchmarks."""

from __future__ import annotations

from typing import Any

import numpy as np

from mensura.texts.skeletons import Concept, Skeleton, Verb

NOUNS = (
    "dog",
    "cat",
    "king",
    "army",
    "fort",
    "river",
    "doctor",
    "ray",
    "stone",
    "tree",
    "ship",
    "wolf",
)
VERBS = ("attack", "eat", "build", "see", "carry", "follow", "heat", "hide")


def skeleton(
    rng: Any, concepts: int, relations: int, links: int = 0, words: bool = True
) -> Skeleton:
    """One with so many nodes; every concept is in a relation if there are enough of these."""
    ends: list[list[int]] = []
    for k in range(relations):
        first = k % concepts if k < concepts else int(rng.integers(concepts))
        second = int(rng.integers(concepts - 1))
        pair = [first, second + (second >= first)]
        ends.append(pair if rng.random() < 0.5 else pair[::-1])
    some = np.arange(concepts, concepts + relations)
    ends += [rng.choice(some, 2, replace=False).tolist() for _ in range(links)]

    def word(some: tuple[str, ...], k: int) -> str:
        return some[int(rng.integers(len(some)))] + (f"_{k}" if not words else "")

    return Skeleton(
        tuple(Concept(f"{word(NOUNS, k)}{k}") for k in range(concepts)),
        tuple(Verb(word(VERBS, k), *pair) for k, pair in enumerate(ends)),
    )


def renumbered(rng: Any, one: Skeleton, words: bool = True) -> Skeleton:
    """The same with its nodes in another order, and other names where ``words`` is false."""
    concepts, relations = len(one.concepts), len(one.relations)
    place = np.empty(len(one), np.int64)
    place[:concepts] = rng.permutation(concepts)
    orders = np.array(one.orders[concepts:])
    order = sorted(range(relations), key=lambda k: (orders[k], rng.random()))
    place[[concepts + k for k in order]] = concepts + np.arange(relations)
    back = np.argsort(place)
    return Skeleton(
        tuple(
            one.concepts[k] if words else Concept(f"thing_{new}")
            for new, k in enumerate(back[:concepts].tolist())
        ),
        tuple(
            verb._replace(
                subject=int(place[verb.subject]),
                object=int(place[verb.object]),
                lemma=verb.lemma if words else f"do_{new}",
            )
            for new, verb in enumerate(
                one.relations[k - concepts] for k in back[concepts:].tolist()
            )
        ),
    )


def rewired(rng: Any, one: Skeleton, share: float) -> Skeleton:
    """The same with a share of its relations between other concepts."""
    concepts = len(one.concepts)
    relations = []
    for verb in one.relations:
        if verb.subject < concepts and rng.random() < share:
            a, b = rng.choice(concepts, 2, replace=False).tolist()
            verb = verb._replace(subject=a, object=b)
        relations.append(verb)
    return Skeleton(one.concepts, tuple(relations))
