"""Graphs mapped onto themselves under other numbers: all must be found equal (Hurley et al. 2016, clones)."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from mensura.agent.keys import Key, key
from mensura.texts.mapping import Options, map_skeletons
from mensura.texts.skeletons import Concept, Skeleton, Verb

LINKS = 0.05
"""The share of nodes that are relations between relations."""


class Clones(NamedTuple):
    """What came of them."""

    words: bool
    """Whether nodes kept their words."""
    mapped: int
    nodes: int
    optimal: int
    mean_seconds: float
    longest_seconds: float


def drawn(rng: Generator, nodes: int) -> Skeleton:
    """A skeleton of so many nodes: two fifths of them concepts, all in some relation."""
    links = round(LINKS * nodes)
    concepts = max(2, round(0.4 * nodes))
    relations = nodes - links - concepts
    ends = []
    for k in range(relations):
        one = k % concepts if k < concepts else int(rng.integers(concepts))
        other = (one + 1 + int(rng.integers(concepts - 1))) % concepts
        ends.append((one, other) if rng.random() < 0.5 else (other, one))
    for _ in range(links):
        one, other = rng.choice(
            np.arange(concepts, concepts + relations), 2, replace=False
        ).tolist()
        ends.append((one, other))
    return Skeleton(
        tuple(Concept(f"noun{k}") for k in range(concepts)),
        tuple(Verb(f"verb{k}", *pair) for k, pair in enumerate(ends)),
    )


def clone(rng: Generator, one: Skeleton, words: bool) -> Skeleton:
    """The same with its nodes in another order, and under other words where they are not kept."""
    concepts = len(one.concepts)
    place = np.zeros(len(one), np.int64)
    place[:concepts] = rng.permutation(concepts)
    orders = one.orders
    order = sorted(range(concepts, len(one)), key=lambda k: (orders[k], rng.random()))
    place[order] = np.arange(concepts, len(one))
    back = np.argsort(place).tolist()
    return Skeleton(
        tuple(one.concepts[k] if words else Concept(f"thing{k}") for k in back[:concepts]),
        tuple(
            verb._replace(
                lemma=verb.lemma if words else f"deed{k}",
                subject=int(place[verb.subject]),
                object=int(place[verb.object]),
            )
            for k, verb in ((k, one.relations[k - concepts]) for k in back[concepts:])
        ),
    )


def clones(count: int, nodes: int, words: bool, seed: Key) -> Clones:
    """Map so many skeletons onto their clones."""
    rng = np.random.default_rng(key(seed, "clones", nodes, int(words)))
    options = Options(semantics=1.0 if words else 0.0)
    map_skeletons(drawn(rng, 10), drawn(rng, 10), options)  # compiles
    seconds = []
    optimal = 0
    for _ in range(count):
        one = drawn(rng, nodes)
        two = clone(rng, one, words)
        begin = time.perf_counter()
        found = map_skeletons(one, two, options)
        seconds.append(time.perf_counter() - begin)
        optimal += found.jaccard == 1.0 and found.proved and (found.score == 1.0 or not words)
    return Clones(words, count, nodes, optimal, float(np.mean(seconds)), max(seconds))
