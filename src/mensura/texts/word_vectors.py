"""Likeness of texts by their words alone: TF-IDF, and latent semantic analysis. Yardsticks beside a mapping."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from mensura.texts.reading import FUNCTION_WORDS


def words_of(text: str) -> list[str]:
    """The words of a text, without those that every text has."""
    return [
        word for word in re.findall(r"[^\W\d_]{2,}", text.lower()) if word not in FUNCTION_WORDS
    ]


def tf_idf(texts: Sequence[str]) -> Any:
    """A row of length 1 for each text: how often each word is there, times the logarithm of how rare it is."""
    counts = [Counter(words_of(text)) for text in texts]
    place = {word: k for k, word in enumerate(sorted(set().union(*counts)))}
    table = np.zeros((len(texts), len(place)))
    for row, count in zip(table, counts, strict=True):
        for word, times in count.items():
            row[place[word]] = times
    rare = np.log((1 + len(texts)) / (1 + (table > 0).sum(axis=0))) + 1.0
    return _of_length_one(table * rare)


def latent(table: Any, dimensions: int = 100) -> Any:
    """The rows in a space of fewer dimensions (Deerwester et al. 1990): a quarter of them where they are few."""
    left, values, _ = np.linalg.svd(table, full_matrices=False)
    most = min(dimensions, max(2, len(table) // 4), len(values))
    return _of_length_one(left[:, :most] * values[:most])


def _of_length_one(table: Any) -> Any:
    length = np.linalg.norm(table, axis=1, keepdims=True)
    return table / np.where(length > 0, length, 1.0)
