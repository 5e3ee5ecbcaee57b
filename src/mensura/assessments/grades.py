"""What assessments that go by steps of complexity ask of a world: which steps it has, and how likely each is."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from threading import RLock
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, fold, key, prf, unit
from mensura.complexity.prior import masses
from mensura.core.abilities import complexity_bounds, measure_of
from mensura.core.contract import Description, World

SEEN = 256
"""So many environments of a world that does not tell its range of complexity are drawn to see it."""

_ROOT: Key = key(0, "mensura.assessments.grades")
"""A world is looked at with the same keys each time, so that all sittings find the same."""


class Bounds(NamedTuple):
    """The complexities between which a world has environments, as far as is known."""

    low: float
    high: float
    draws: int = 0
    """The highest is that of so many environments drawn, and others may lie beyond it; 0 where the world tells it."""

    def __str__(self) -> str:
        known = f", the highest of {self.draws} drawn" if self.draws else ""
        return f"{self.low:g} to {self.high:g}{known}"


class Stratum(NamedTuple):
    """The environments with a complexity above level - 1 and up to level."""

    level: int
    mass: float
    """Its share of the prior."""

    def within(self, measure: str) -> tuple[str, float, float]:
        """The interval to sample from."""
        return measure, math.nextafter(self.level - 1, math.inf), float(self.level)


def graded_measure(assessment: Any, world: World) -> str:
    """The complexity by which an assessment grades a world; a sentence where it has none."""
    if not world.measures:
        raise MensuraError(
            f"The world {world.id} has no complexity of its environments, by which this assessment chooses them; a "
            "battery needs none."
        )
    measure = measure_of(assessment, world)
    if measure not in world.measures:
        raise MensuraError(
            f"The world {world.id} has no complexity {measure!r}; {neighbors(measure, list(world.measures))}"
        )
    return measure


def bounds(world: World, measure: str) -> Bounds:
    """The range of a complexity: as the world tells (``complexity_bounds``), or as some of its environments show."""
    told = complexity_bounds(world, measure)
    if told is not None:
        return Bounds(*told)
    seen: Bounds = remembered(_seen_bounds, world, measure)
    return seen


def remembered(function: Any, world: Any, *arguments: Any) -> Any:
    """A function's value for a world, remembered where the world can be told from others.

    Of many sittings that begin at once one looks at the world, and the others wait for what it finds.
    """
    if not isinstance(world, Hashable):
        return function.__wrapped__(world, *arguments)
    with _LOOKING:
        return function(world, *arguments)


_LOOKING = RLock()


@lru_cache(maxsize=256)
def _seen_bounds(world: World, measure: str) -> Bounds:
    seen = [world.complexity(world.sample(fold(_ROOT, i)), measure) for i in range(SEEN)]
    low = min(seen)
    # What is rare may lie below all that was seen.
    while low > 1 and _has(world, measure, math.ceil(low) - 1):
        low = float(math.ceil(low) - 1)
    # Upwards there need be no end: patterns of Lambda can be of any length, each more rare than a shorter one.
    return Bounds(low, max(seen), SEEN)


def strata(world: World, measure: str, most: int) -> tuple[Stratum, ...]:
    """The lowest strata of a world, at most so many, that of level k with a mass of 2^-k; all together have 1.

    Those beyond have 2^-most of all at most, and so much at most can they change a score.
    """
    found: tuple[Stratum, ...] = remembered(_strata, world, measure, most)
    return found


@lru_cache(maxsize=256)
def _strata(world: World, measure: str, most: int) -> tuple[Stratum, ...]:
    low, high, _ = bounds(world, measure)
    first = math.ceil(low)
    levels = [
        level
        for level in range(first, min(math.ceil(high), first + most - 1) + 1)
        if _has(world, measure, level)
    ]
    if not levels:
        raise MensuraError(
            f"No environment of {world.id} was found with a complexity {measure} from {first} to "
            f"{min(math.ceil(high), first + most - 1)}; another measure has environments at nearly every number."
        )
    return tuple(map(Stratum, levels, masses(levels)))


def _has(world: World, measure: str, level: int) -> bool:
    try:
        world.sample(fold(_ROOT, SEEN + level), Stratum(level, 1.0).within(measure))
    except MensuraError:
        return False
    return True


def draw_stratum(key: Key, levels: Sequence[Stratum], slot: int = 0) -> Stratum:
    """A stratum by its mass."""
    share = unit(prf(key, 0, slot))
    for one in levels:
        share -= one.mass
        if share < 0.0:
            return one
    return levels[-1]


def sample_of_stratum(world: World, key: Key, stratum: Stratum, measure: str) -> Description:
    """An environment of a stratum; all subjects of a study meet the same ones, so that the last are remembered."""
    found: Description = remembered(_sample, world, key, stratum.within(measure))
    return found


@lru_cache(maxsize=4096)
def _sample(world: World, key: Key, within: tuple[str, float, float]) -> Description:
    return world.sample(key, within)


def sample_or_none(world: World, key: Key, within: tuple[str, float, float]) -> Description | None:
    """An environment, or None where the world finds none."""
    try:
        return world.sample(key, within)
    except MensuraError:
        return None
