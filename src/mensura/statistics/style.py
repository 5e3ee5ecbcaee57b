"""Is there a giveaway in how witnesses write? A logistic regression over style, cross-validated by judge.

It knows nothing of what is said. Where it identifies machines better than judges do, style gives them away and people
miss it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
FEATURES = (
    "characters",
    "spread of characters",
    "letters of a word",
    "different words",
    "question marks",
    "exclamation marks",
    "commas",
    "begins with a capital",
    "ends with a period",
    "says I",
)
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
PERSON, MACHINE = "person", "machine"
"""What witnesses are, in the labels of a game."""
RIDGE = 1.0
FOLDS = 5


@dataclass(frozen=True)
class Style:
    """How often style alone identifies, in games of judges that it did not learn from."""

    right: float
    games: int
    weights: tuple[tuple[str, float], ...]
    """How much each feature speaks for a machine, learned from all games; the largest first."""


def features(messages: Sequence[str]) -> Floats:
    """What one witness's messages look like, shape (features,)."""
    texts = [one for one in messages if one.strip()] or [""]
    words = [[word.lower() for word in WORD.findall(one)] for one in texts]
    flat = [word for some in words for word in some] or [""]
    lengths = [len(one) for one in texts]
    return np.array(
        [
            np.mean(lengths),
            np.std(lengths),
            np.mean([len(word) for word in flat]),
            len(set(flat)) / len(flat),
            np.mean([one.count("?") for one in texts]),
            np.mean([one.count("!") for one in texts]),
            np.mean([one.count(",") for one in texts]),
            np.mean([one[:1].isupper() for one in texts]),
            np.mean([one.rstrip().endswith(".") for one in texts]),
            np.mean(["i" in some for some in words]),
        ]
    )


def style_of(games: Sequence[Any]) -> Style | None:
    """How well style identifies, in games as :class:`mensura.records.conversation.Game` is; None of fewer than ten."""
    both = [one for one in games if set(one.labels.values()) == {PERSON, MACHINE} and not one.void]
    if len(both) < 10:
        return None
    # The difference of two witnesses of a game: judges compare, too.
    rows = np.array(
        [features(one.said_by(MACHINE)) - features(one.said_by(PERSON)) for one in both]
    )
    scale = rows.std(0)
    rows = rows / np.where(scale > 0, scale, 1.0)
    judges = {one.judge for one in both}
    folds = sorted(judges) if len(judges) >= 2 else [str(fold) for fold in range(FOLDS)]
    own = [one.judge if len(judges) >= 2 else str(at % FOLDS) for at, one in enumerate(both)]
    right = 0.0
    for fold in folds:
        held = np.array([one == fold for one in own])
        weights = fitted(rows[~held])
        scores = rows[held] @ weights
        right += float((scores > 0).sum() + 0.5 * (scores == 0).sum())
    weights = fitted(rows)
    order = np.argsort(-np.abs(weights))
    return Style(
        right / len(both),
        len(both),
        tuple((FEATURES[at], float(weights[at])) for at in order),
    )


def fitted(rows: Floats) -> Floats:
    """Weights of a logistic regression without a constant, for rows that all are machine minus person; with a ridge."""
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (1.0 - chance) - RIDGE * weights
        curve = (rows * (chance * (1.0 - chance))[:, None]).T @ rows + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return weights
