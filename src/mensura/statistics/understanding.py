"""What answers about a phenomenon are worth: proper scores, goals reached, causal graphs, models.

All of it is of "Evaluation of General-Purpose Artificial Intelligence: Why, What & How" (Bieger, Thórisson et al.),
sections 4.4 and 5.3, where understanding is to predict, to achieve goals, to explain and to recreate. The paper gives
no formulas; these are ours. Each probe is in [0, 1], or None where it cannot be told, and all four count for
themselves: what is told of them together is their minimum, never their mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

Edge = tuple[str, str, int]
"""A cause, its effect, and the sign: -1, 0 or 1."""
SIGNS = 3
"""How many signs there are to guess from."""


@dataclass(frozen=True)
class Probe:
    """What one probe found."""

    value: float | None
    """In [0, 1]; None where it was not measured."""
    parts: Mapping[str, float | None] = field(default_factory=dict)
    """What it is made of, by name; None where that could not be told."""
    asked: int = 0
    """How many questions, goals, cases or sequences."""
    why: str = ""
    """Why it was not measured, as a clause."""
    left_out: int = 0
    """How many of what was asked somebody did not want to answer; nothing is measured by these."""


@dataclass(frozen=True)
class Understanding:
    """What one subject understands of one phenomenon."""

    subject: str
    phenomenon: str
    predict: Probe
    achieve: Probe
    explain: Probe
    recreate: Probe
    contrast: float | None = None
    """Of a tool, how much better it performs with the phenomenon than without; of an obstacle the reverse."""
    faults: tuple[str, ...] = ()
    """What was wrong with answers, a sentence for each."""

    @property
    def probes(self) -> dict[str, Probe]:
        """All four, by name."""
        return {name: getattr(self, name) for name in NAMES}

    @property
    def minimum(self) -> float | None:
        """The least of the probes that were measured; None where none was."""
        known = [one.value for one in self.probes.values() if one.value is not None]
        return min(known) if known else None


NAMES = ("predict", "achieve", "explain", "recreate")


# Predict ------------------------------------------------------------------------------


def brier(probabilities: Mapping[float, float], outcome: float) -> float:
    """The Brier score of probabilities by value: the sum of squared errors over all values, from 0 to 2."""
    values = {*probabilities, outcome}
    return sum((probabilities.get(one, 0.0) - (one == outcome)) ** 2 for one in values)


def crps(sample: Sequence[float], outcome: float) -> float:
    """The continuous ranked probability score of a forecast that is a sample: E|X - y| - E|X - X'| / 2.

    In the unit of the outcome, from 0 on; of a single number it is the distance.
    """
    given = np.sort(np.asarray(sample, np.float64))
    count = len(given)
    # Of sorted numbers the mean distance of two is a weighted sum (Gini).
    ranks = 2.0 * np.arange(count) - (count - 1)
    spread = 2.0 * float((ranks * given).sum()) / count**2
    return float(np.abs(given - outcome).mean()) - spread / 2.0


def skill(scores: Sequence[float], references: Sequence[float]) -> float | None:
    """How much better than the reference: 1 - S / S_ref, at least 0, both as means over questions.

    A question with which the reference has no trouble is dropped; None where all are.
    """
    kept = [(one, ref) for one, ref in zip(scores, references, strict=True) if ref > 0.0]
    if not kept:
        return None
    got, expected = sum(one for one, _ in kept), sum(ref for _, ref in kept)
    return max(0.0, 1.0 - got / expected)


# Achieve ------------------------------------------------------------------------------


def goals_reached(reached: float, by_chance: float, at_best: float) -> float | None:
    """P* clipped to [0, 1]: where the goals reached lie between chance and the best; None where these agree."""
    if at_best <= by_chance:
        return None
    return min(max((reached - by_chance) / (at_best - by_chance), 0.0), 1.0)


# Explain ------------------------------------------------------------------------------


def graph_agreement(answer: Sequence[Edge], truth: Sequence[Edge], parts: int) -> float:
    """F1 of signed pairs, rescaled so that a random graph with as many edges has 0 on average; at least 0.

    A random graph draws its edges evenly among all ordered pairs of different parts, and every sign alike.
    """
    given, right = set(answer), set(truth)
    if not given or not right:
        return 0.0
    pairs = max(parts * (parts - 1), len({(one, two) for one, two, _ in right}))
    total = len(given) + len(right)
    found = 2.0 * len(given & right) / total
    by_chance = 2.0 * len(given) * len(right) / (SIGNS * pairs) / total
    return max(0.0, (found - by_chance) / (1.0 - by_chance))


def kappa(answers: Sequence[bool], truths: Sequence[bool]) -> float | None:
    """Cohen's kappa of yes and no, at least 0; None where all truths are the same, which a constant answer meets."""
    told, true = np.asarray(answers, np.bool_), np.asarray(truths, np.bool_)
    if not len(true) or true.all() or not true.any():
        return None
    agree = float((told == true).mean())
    yes, right = float(told.mean()), float(true.mean())
    by_chance = yes * right + (1.0 - yes) * (1.0 - right)
    return max(0.0, (agree - by_chance) / (1.0 - by_chance))


# Recreate -----------------------------------------------------------------------------


def recreated(error: float, error_of_nothing: float) -> float | None:
    """1 - error / error of "nothing changes", within [0, 1]; None where nothing changes."""
    if error_of_nothing <= 0.0:
        return None
    return min(max(1.0 - error / error_of_nothing, 0.0), 1.0)


def mean_of(parts: Mapping[str, float | None]) -> float | None:
    """The mean of the parts of a probe that could be told."""
    known = [one for one in parts.values() if one is not None]
    return sum(known) / len(known) if known else None
