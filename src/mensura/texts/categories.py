"""Rhetorical categories of sentences, as Background or Outcome: a logistic regression on labels of the user's.

Training needs scikit-learn (``mensura[text]``); a trained classifier is a file of numbers that NumPy alone reads.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.core import archives

MOST = 1 << 30
"""Bytes of all arrays of a classifier."""

USUAL = ("Background", "Approach", "Challenge", "Outcome", "FutureWork")
"""The categories of Dr Inventor; a labelled file may have others."""
MOST_ROWS = 1_000_000
FOLDS = 5


@dataclass(frozen=True)
class Categories:
    """A trained classifier: a weight for each category, and each word and pair of words."""

    categories: tuple[str, ...]
    terms: tuple[str, ...]
    rarity: Any
    weights: Any
    offsets: Any

    def categories_of(self, sentences: Sequence[str]) -> list[str]:
        """The likeliest category of each sentence."""
        place = {term: k for k, term in enumerate(self.terms)}
        table = np.zeros((len(sentences), len(self.terms)))
        for row, sentence in zip(table, sentences, strict=True):
            for term in terms_of(sentence):
                if term in place:
                    row[place[term]] += 1
        table *= self.rarity
        length = np.linalg.norm(table, axis=1, keepdims=True)
        table /= np.where(length > 0, length, 1.0)
        scores = table @ self.weights.T + self.offsets
        return [self.categories[k] for k in scores.argmax(axis=1).tolist()]


class Trained(NamedTuple):
    """A classifier, and how often it was right on sentences that it had not seen."""

    model: Categories
    right: float
    most_frequent: float
    folds: int


def terms_of(sentence: str) -> list[str]:
    """Words, and words that follow one another."""
    words = re.findall(r"[^\W_]+", sentence.lower())
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]


def read_labelled(path: Path) -> tuple[list[str], list[str]]:
    """Sentences and their categories; MensuraError with the line where something is wrong."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            if not {"sentence", "category"} <= set(reader.fieldnames or ()):
                raise MensuraError(f"{path}, line 1: columns sentence and category are needed.")
            sentences, labels = [], []
            for row in reader:
                sentence, label = (row["sentence"] or "").strip(), (row["category"] or "").strip()
                if not sentence or not label:
                    raise MensuraError(
                        f"{path}, line {reader.line_num}: a sentence and its category are needed."
                    )
                sentences.append(sentence)
                labels.append(label)
                if len(labels) > MOST_ROWS:
                    raise MensuraError(f"{path} has more than {MOST_ROWS} sentences.")
    except OSError as error:
        raise MensuraError(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise MensuraError(f"{path} is no table as CSV in UTF-8.") from None
    return sentences, labels


def train(sentences: Sequence[str], labels: Sequence[str]) -> Trained:
    """A classifier of these sentences, with its cross-validated share of right answers."""
    counts = Counter(labels)
    if len(counts) < 2 or min(counts.values()) < 2:
        raise MensuraError(
            "At least two categories with two sentences each are needed to train a classifier."
        )
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import StratifiedKFold, cross_val_predict
        from sklearn.pipeline import make_pipeline
    except ImportError:
        raise MensuraError(
            "Training a classifier needs the extra text: pip install 'mensura[text]'."
        ) from None
    vectors = TfidfVectorizer(analyzer=terms_of)
    regression = LogisticRegression(C=10.0, max_iter=2000)
    line = make_pipeline(vectors, regression)
    folds = min(FOLDS, *counts.values())
    split = StratifiedKFold(folds, shuffle=True, random_state=0)
    said = cross_val_predict(line, list(sentences), list(labels), cv=split)
    right = float(np.mean([one == two for one, two in zip(said, labels, strict=True)]))
    line.fit(list(sentences), list(labels))
    terms = sorted(vectors.vocabulary_, key=vectors.vocabulary_.get)
    weights, offsets = regression.coef_, regression.intercept_
    if len(weights) == 1:  # of two categories only the second has weights
        weights, offsets = np.vstack([-weights, weights]), np.r_[-offsets, offsets]
    model = Categories(
        tuple(regression.classes_.tolist()), tuple(terms), vectors.idf_, weights, offsets
    )
    return Trained(model, right, max(counts.values()) / len(labels), folds)


def save(model: Categories, path: Path) -> None:
    """Write a classifier to a file."""
    from io import BytesIO

    from mensura.records.results import write_whole

    buffer = BytesIO()
    np.savez_compressed(
        buffer,
        categories=np.array(model.categories),
        terms=np.array(model.terms),
        rarity=model.rarity,
        weights=model.weights,
        offsets=model.offsets,
    )
    write_whole(path, buffer.getvalue())


def load(path: Path) -> Categories:
    """Read a classifier that :func:`save` wrote."""
    try:
        read = archives.arrays(path, MOST)
        found = Categories(
            tuple(read["categories"].tolist()),
            tuple(read["terms"].tolist()),
            read["rarity"],
            read["weights"],
            read["offsets"],
        )
        shape = (len(found.categories), len(found.terms))
        if found.weights.shape != shape or found.offsets.shape != shape[:1]:
            raise ValueError("shapes")
        return found
    except OSError as error:
        raise MensuraError(f"{path} cannot be read: {error.strerror or error}.") from None
    except archives.BROKEN:
        raise MensuraError(
            f"{path} is no classifier; `mensura analogy categories train` writes one."
        ) from None
