"""The built-in subjects that every game knows, by name and with parameters, and how a game lists its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mensura.core.group import Kind, Member, Range
from mensura.worlds.lambda_star.torus.kernels import minds


@dataclass(frozen=True)
class Subjects:
    """The built-in subjects of a game."""

    kinds: Mapping[str, Kind]
    demo: tuple[str, ...]
    """Those that a demonstration shows."""
    exploring: Mapping[str, Kind] = field(default_factory=dict)
    """Further ones that make sense where coverage is tracked."""
    ranges: Mapping[str, Range] = field(default_factory=dict)
    """What the parameters of the game's own kinds may be."""
    looks: Mapping[int, int] = field(default_factory=dict)
    """What a kind of the game's own looks at, by its code; the rewards of its neighborhood if it is not there."""
    speaking: frozenset[int] = frozenset()
    """The codes of kinds that tell something before they act."""
    marking: frozenset[int] = frozenset()
    """The codes of kinds that share fields over the cells."""
    rooms: Mapping[int, Callable[[Member, int, int], int]] = field(default_factory=dict)
    """How many numbers a member with memory of its own has at the end of its group's row, by its code: given the
    member, cells and horizon. The first of them is the radius."""


_LEARNS = {
    "alpha": 0.3,
    "gamma": 0.3,
    "exploration": 0.5,
    "q0": 0.0,
    "scale": 10.0,
    "training": 1000.0,
}
_OF_2016 = {**_LEARNS, "exploration": 0.0, "q0": 2.0, "training": 100.0}

KINDS: dict[str, Kind] = {
    "random": Kind(minds.RANDOM, "any of the nine moves, drawn evenly"),
    "local-search": Kind(minds.LOCAL_SEARCH, "goes to the best cell it sees"),
    "oracle": Kind(minds.ORACLE, "knows where Good goes next"),
    "q-learning": Kind(minds.Q_LEARNING, "learns values of (cell, iteration) alone", _LEARNS),
    "sarsa": Kind(minds.SARSA, "learns the values of its own policy alone", _LEARNS),
    "q-learning-2016": Kind(minds.Q_LEARNING, "Q-learning in the settings of 2016", _OF_2016),
    "sarsa-2016": Kind(minds.SARSA, "SARSA in the settings of 2016", _OF_2016),
    "stigmergy": Kind(
        minds.STIGMERGY, "leaves fake rewards in the space for the others", {"gamma": 0.5}
    ),
    "crowd": Kind(minds.CROWD, "wisdom of the crowd: all follow a shared field of averages"),
    "auction": Kind(minds.AUCTION, "all follow the highest bidder"),
    "autocracy": Kind(minds.AUTOCRACY, "all follow the first"),
    "hierarchy": Kind(
        minds.HIERARCHY, "a binary tree: each follows the best of itself and its children"
    ),
    "imitation": Kind(
        minds.IMITATION, "local search that follows a guide, an oracle, when it sees it"
    ),
    "shared-q-learning": Kind(minds.Q_LEARNING, "Q-learning in one table for all", _LEARNS, True),
    "shared-sarsa": Kind(minds.SARSA, "SARSA in one table for all", _LEARNS, True),
    "shared-q-learning-2016": Kind(
        minds.Q_LEARNING, "Q-learning in one table, settings of 2016", _OF_2016, True
    ),
    "shared-sarsa-2016": Kind(minds.SARSA, "SARSA in one table, settings of 2016", _OF_2016, True),
}

ISOLATED = ("random", "local-search", "oracle", "q-learning", "sarsa")
COLLECTIVES = (
    "stigmergy",
    "crowd",
    "auction",
    "autocracy",
    "hierarchy",
    "imitation",
    "shared-q-learning",
    "shared-sarsa",
)
DEMO = (*ISOLATED, *COLLECTIVES)
"""The 13 groups of the paper's experiment, with learners that learn."""

LOOKING = (
    "random",
    "local-search",
    "stigmergy",
    "crowd",
    "auction",
    "autocracy",
    "hierarchy",
)
"""Subjects that go by what cells are worth, whatever makes it so."""
LEARNERS = ("q-learning", "sarsa", "shared-q-learning", "shared-sarsa")
"""Subjects that go by no more than where they are, when, and what they got."""

WALKING = {"noise": 0.0, "seek": 0.0, "roam": 0.0}
"""The parameters of minds that walk as ``kernels/walking.py`` says, in the order of their places."""

ANYTHING = Kind(minds.RANDOM, "any of the eighteen actions, drawn evenly")
"""A random subject where there is a deed."""

RANGES = {
    "alpha": Range(0.0, 1.0),
    "gamma": Range(0.0, 1.0),
    "exploration": Range(0.0, 1.0),
    "q0": Range(-1e6, 1e6),
    "scale": Range(0.0, 1e6),
    "training": Range(0.0, 1e9, whole=True),
    **{name: Range(0.0, 1.0) for name in WALKING},
}
MARKING = frozenset({minds.STIGMERGY, minds.STIGMERGY_BLEND, minds.CROWD})
"""The codes of those who share fields over the cells."""


def some(*names: str) -> dict[str, Kind]:
    """Some of the subjects that every game knows."""
    return {name: KINDS[name] for name in names}
