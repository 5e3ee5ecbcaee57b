"""What mappings of texts cost: Lin's similarity, clones, unequal skeletons, and a corpus ranked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import Figure


def _best(work: Callable[[], Any], times: int = 5) -> float:
    work()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def analogy_lin(quick: bool) -> Iterator[Figure]:
    """A table of Lin's similarity between 300 nouns and 300 others."""
    from mensura.texts.wordnet import Word, wordnet

    nouns = wordnet().nouns
    rng = np.random.default_rng(1)
    several = [lemma for lemma in nouns.lemmas if len(nouns.synsets(lemma)) > 1]
    words = [Word(str(one)) for one in rng.choice(several, 600, replace=False)]
    for senses in ("common", "all"):
        taken = _best(lambda: nouns.table(words[:300], words[300:], senses))
        yield Figure(f"analogy: Lin, 300 x 300, {senses} senses", 1000 * taken, "ms", 20.0, False)


def analogy_mappings(quick: bool) -> Iterator[Figure]:
    """Clones of 300 nodes, and skeletons of which 30% of the relations differ."""
    from mensura.texts.evaluations.clones import clone, clones, drawn
    from mensura.texts.mapping import map_skeletons
    from mensura.texts.skeletons import Skeleton

    for words in (True, False):
        found = clones(20 if quick else 300, 300, words, 1)
        name = "with words" if words else "without"
        yield Figure(
            f"analogy: clones of 300 nodes, {name}", 1000 * found.mean_seconds, "ms", 10.0, False
        )
    rng = np.random.default_rng(1)
    taken = []
    for _ in range(3 if quick else 10):
        one = drawn(rng, 300)
        count = len(one.concepts)
        relations = []
        for verb in one.relations:
            if verb.subject < count and rng.random() < 0.3:
                a, b = rng.choice(count, 2, replace=False).tolist()
                verb = verb._replace(subject=a, object=b)
            relations.append(verb)
        two = clone(rng, Skeleton(one.concepts, tuple(relations)), words=True)
        taken.append(_best(lambda: map_skeletons(one, two), 2))
    mean = 1000 * float(np.mean(taken))
    yield Figure("analogy: 300 nodes, 30% different", mean, "ms", 100.0, False)


def analogy_ranking(quick: bool) -> Iterator[Figure]:
    """957 sources of 80 nodes, as many as the paper has, for one target; one core."""
    from mensura.texts.corpus import BRIEFLY, Corpus
    from mensura.texts.evaluations.clones import drawn
    from mensura.texts.structure import Structure

    rng = np.random.default_rng(1)
    count = 100 if quick else 957
    corpus = Corpus.__new__(Corpus)
    corpus.structures = {str(k): Structure(drawn(rng, 80)) for k in range(count)}
    target = drawn(rng, 80)
    corpus.rank(target, 1, BRIEFLY)
    start = time.perf_counter()
    corpus.rank(target, 10, BRIEFLY)
    taken = (time.perf_counter() - start) * 957 / count
    yield Figure("analogy: 957 sources of 80 nodes ranked", taken, "s", 10.0, False)


PARTS = (analogy_lin, analogy_mappings, analogy_ranking)
