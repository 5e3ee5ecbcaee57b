"""Partial input: what candidates and special word tell by themselves, without the sentence.

Two scorers, neither of which understands anything. *Associations* are a table of ours: properties, and things that one
thinks of with them. *Counts* are learned from other schemas of a set: how often a word was the answer, and how often
together with a special word. Whoever gets schemas right by these uses a giveaway: "carcinogenic" is said of pills and
not of women.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import yaml

from mensura.worlds.items.winograd.schema import Schema, words_of

MARGIN = 1.0
"""A scorer prefers a candidate by a margin if its score is so much higher, in units of its scale."""


@lru_cache(maxsize=1)
def associations() -> Mapping[str, frozenset[str]]:
    """Things that one thinks of, by property."""
    text = files("mensura.worlds.items.winograd").joinpath("associations.yaml").read_text("utf-8")
    return {name: frozenset(things) for name, things in yaml.safe_load(text).items()}


def association(words: Iterable[str], candidate: str) -> float:
    """How many of the words are properties that one thinks of with a candidate."""
    table = associations()
    own = set(words_of(candidate))
    return float(sum(bool(own & table.get(word, frozenset())) for word in words))


def preference(words: Iterable[str], candidates: Sequence[str]) -> float:
    """How much more the first candidate is associated with some words than the second."""
    listed = list(words)
    first, second = (association(listed, one) for one in candidates)
    return first - second


def by_association(schema: Schema) -> tuple[float, float]:
    """The preference for the right candidate in each half, from its special word alone."""
    found = []
    for text, answer in zip((schema.special, schema.alternate), schema.answers, strict=True):
        other = next(one for one in schema.candidates if one != answer)
        found.append(preference(words_of(text), (answer, other)))
    return found[0], found[1]


def is_given_away(schema: Schema) -> bool:
    """Whether associations get both halves right by a margin."""
    return min(by_association(schema)) >= MARGIN


class Counts:
    """How often words were answers, alone and with a special word, in some schemas."""

    def __init__(self, schemas: Iterable[Schema] = ()) -> None:
        self._right: Counter[tuple[str, ...]] = Counter()
        self._wrong: Counter[tuple[str, ...]] = Counter()
        for schema in schemas:
            for text, answer in zip(
                (schema.special, schema.alternate), schema.answers, strict=True
            ):
                for candidate in schema.candidates:
                    counter = self._right if candidate == answer else self._wrong
                    counter.update(_features(text, candidate))

    def preference(self, text: str, candidates: Sequence[str]) -> float:
        """How much likelier the first candidate is than the second, as a logarithm, features taken as independent."""
        first, second = (
            sum(
                math.log((self._right[one] + 1.0) / (self._wrong[one] + 1.0))
                for one in _features(text, candidate)
            )
            for candidate in candidates
        )
        return first - second


def _features(text: str, candidate: str) -> list[tuple[str, ...]]:
    special = " ".join(words_of(text))
    return [
        feature
        for word in words_of(candidate)
        if word != "the"
        for feature in ((word,), (special, word))
    ]


FOLDS = 2
"""A scorer learns from the other half of a set: from all but one it would learn the opposite of what was left out."""


def by_counts(schemas: Sequence[Schema]) -> list[tuple[float, float]]:
    """The preference for the right candidate in each half, of a scorer that learned from other schemas of the set."""
    learned = [
        Counts(schema for number, schema in enumerate(schemas) if number % FOLDS != fold)
        for fold in range(FOLDS)
    ]
    found = []
    for number, schema in enumerate(schemas):
        both = []
        for text, answer in zip((schema.special, schema.alternate), schema.answers, strict=True):
            other = next(one for one in schema.candidates if one != answer)
            both.append(learned[number % FOLDS].preference(text, (answer, other)))
        found.append((both[0], both[1]))
    return found
