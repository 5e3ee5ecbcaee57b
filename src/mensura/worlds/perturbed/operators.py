"""The operators by which a world is perturbed, each with a strength from 0, which changes no bit, to 1.

After section 4.3 of Bieger, Thórisson and others: Evaluation of General-Purpose Artificial Intelligence: Why, What &
How. The paper asks for perturbations and names no measure of them; what a strength does is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

LATENCY = 10
"""How many turns late something is at strength 1."""
DISTRACTIONS = 8
"""How many observations or actions without meaning there are at strength 1."""
SCARCITY = 0.9
"""The share of the horizon that is missing at strength 1."""


@dataclass(frozen=True)
class Operator:
    """A way to perturb a world."""

    name: str
    """As people write it: observation-noise."""
    meaning: str

    @property
    def parameter(self) -> str:
        """The parameter of a perturbed world that is its strength."""
        return self.name.replace("-", "_")


_ALL = (
    Operator(
        "observation-distortion",
        "A fixed permutation of this share of symbols that are observed; numbers x from 0 to 1 become x^(1 + strength)",
    ),
    Operator(
        "observation-noise",
        "Normal noise on numbers that are observed, in shares of their range; a symbol is redrawn with this "
        "probability",
    ),
    Operator("observation-latency", f"Observations come late, by {LATENCY} turns at strength 1"),
    Operator("observation-dropped", "The probability that the last observation is seen again"),
    Operator(
        "action-distortion",
        "A fixed permutation of this share of actions; numbers x from 0 to 1 become x^(1 + strength)",
    ),
    Operator(
        "action-noise",
        "Normal noise on the numbers of actions, in shares of their range; an action out of a list is redrawn with "
        "this probability",
    ),
    Operator("action-latency", f"Actions are played late, by {LATENCY} turns at strength 1"),
    Operator(
        "action-dropped", "The probability that the environment's default is played in its place"
    ),
    Operator(
        "reward-noise",
        "Normal noise on the rewards that the subject is told, in shares of their range; the true ones count",
    ),
    Operator(
        "reward-latency",
        f"The subject is told its rewards late, by {LATENCY} turns at strength 1; the true ones count",
    ),
    Operator(
        "distraction-observations",
        f"Further numbers are observed that mean nothing, {DISTRACTIONS} at strength 1",
    ),
    Operator(
        "distraction-actions", f"Further actions that do nothing, {DISTRACTIONS} at strength 1"
    ),
    Operator(
        "distraction-task",
        "Another environment takes its turns between, which does not count: half as often as not at strength 1",
    ),
    Operator(
        "scarcity-horizon", f"An episode is shorter, by {SCARCITY:.0%} of its length at strength 1"
    ),
)
OPERATORS: Mapping[str, Operator] = {one.name: one for one in _ALL}
"""All operators by name, in the order in which they act."""


COMPILED = frozenset(
    {
        "observation-noise", "observation-latency", "observation-dropped",
        "action-noise", "action-latency", "action-dropped", "reward-noise", "reward-latency",
    }
)  # fmt: skip
"""Those that are compiled beside the rules of worlds (:mod:`.kernels.blurring`)."""


def delay(strength: float) -> int:
    """How many turns late something is."""
    return round(LATENCY * strength)


def distractions(strength: float) -> int:
    """How many observations or actions without meaning there are."""
    return math.ceil(DISTRACTIONS * strength)


def shortened(horizon: int, strength: float) -> int:
    """What is left of a horizon, one interaction at least."""
    return max(1, round(horizon * (1.0 - SCARCITY * strength)))


def length_of(horizon: int | None, strengths: Mapping[str, float]) -> int | None:
    """What is left of a horizon; None where there is none, or where another environment takes turns between."""
    if horizon is None or "distraction-task" in strengths:
        return None
    return shortened(horizon, strengths.get("scarcity-horizon", 0.0))
