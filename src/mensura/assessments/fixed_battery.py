"""A fixed battery: the same environments for everybody, all of them in each sitting, with equal or complexity weights.

Universal intelligence over a finite set of environments (Definitions 2.3.1 and 3.4.2 of Insa-Cabrera, 2011): the mean
over environments of the mean reward in each (Definition 3.3.5). The printed formula of 3.4.2 divides by the number of
interactions a second time; it is divided by once here, else the score of a longer test would vanish. Environments are
given as descriptions, or drawn once, as the world draws them or with a probability of 2^-complexity, as 3.4.2 has it.
Sittings differ in what subjects and environments draw, so that the error is that of this set of environments, and not
of the world that they are taken from.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, key, prf
from mensura.assessments.grades import draw_stratum, graded_measure, remembered, strata
from mensura.assessments.slots import Memory, check_choice, check_count, check_time
from mensura.core.abilities import describe_from_json, drawn_as, horizon, seats, seats_of
from mensura.core.account import (
    INSA_CABRERA,
    Account,
    Given,
    Unit,
    counted,
    memory,
    some,
)
from mensura.core.contract import Description, Episode, Plan, World

Drawn = Literal["world", "prior"]
Weights = Literal["equal", "complexity"]
Order = Literal["given", "drawn"]

STRATA = 24
"""So many of the lowest levels of complexity are drawn from under the prior; those beyond have 2^-24 of it."""

_SLOT_ORDER = 0


class Item(NamedTuple):
    """An environment of the set."""

    description: Description
    environment: Key | None
    """The key that it was drawn with; None where it was given."""


def _done(given: Given) -> Iterator[str]:
    own = given.get("environments") or ()
    count = some(len(own) or int(given.get("count", 0)), "environment")
    by = (
        "drawn with a probability of 2^-complexity"
        if given.get("drawn") == "prior"
        else "drawn as the world draws them"
    )
    yield (
        f"Every subject played the same {count} in {counted(given, 'sittings', 'round')}; they were "
        f"{'given' if own else by}. {memory(given)}."
    )


def _meaning(given: Given) -> Iterator[str]:
    weighted = (
        "weighted by 2^-complexity"
        if given.get("weights") == "complexity"
        else "all of which count the same"
    )
    yield (
        f"The score of a round is the mean over environments, {weighted}, of the mean reward in each; the score of "
        "a subject is the mean over rounds. Its interval is that of these environments, and not of the world that "
        "they are taken from."
    )


ROUND = Unit(
    "round",
    "rounds",
    "All environments of the set, played one after another. Rounds differ in what subjects and environments draw.",
)


@dataclass(frozen=True)
class FixedBattery:
    """The same environments for everybody, given or drawn once, with equal or complexity weights."""

    sittings: int = 10
    """How often all of them are played, with other draws."""
    environments: tuple[str, ...] = ()
    """The descriptions of environments as JSON; none draws ``count`` of them."""
    count: int = 20
    """How many environments are drawn where none are given."""
    drawn: Drawn = "world"
    """As the world draws environments, or by the prior of 2^-complexity."""
    draw: int = 1
    """The number of the set that is drawn: the same number gives the same environments in every study."""
    weights: Weights = "equal"
    """All environments weigh the same, or 2^-complexity of all weights."""
    measure: str | None = None
    """The complexity of weights and prior; None is that by which the world grades its environments, or its first."""
    interactions: int | None = None
    """In each environment; None is the environment's own horizon."""
    memory: Memory = "fresh"
    """Whether the subject starts anew in each environment, or goes on with what it knows."""
    order: Order = "given"
    """In which they are played: as given, or drawn anew for each sitting. With fresh memory it makes no difference."""

    graded: ClassVar[bool] = True

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source=f"The definitions are numbers 3.3.5 and 3.4.2 of {INSA_CABRERA}.",
        score="The mean over the environments of a round of the mean reward in each, averaged over rounds.",
        unit=lambda _: ROUND,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        check_count("sittings", self.sittings)
        check_count("count", self.count)
        check_choice("drawn", self.drawn, get_args(Drawn))
        check_choice("weights", self.weights, get_args(Weights))
        check_choice("order", self.order, get_args(Order))
        check_choice("memory", self.memory, get_args(Memory))
        check_time("The time in an environment", self.interactions, None)
        for number, text in enumerate(self.environments, 1):
            _parsed(number, text)

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, as far as they are known beforehand."""
        own = self.interactions or horizon(world) or 1
        return (len(self.environments) or self.count) * own

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """All environments one after another; the score is their weighted mean."""
        items = self.items_of(world)
        weights = self.weights_of(world, items)
        order = list(range(len(items)))
        if self.order == "drawn":
            order.sort(key=lambda i: prf(key, i, _SLOT_ORDER))
        rewards = [0.0] * len(items)
        for i in order:
            episode = yield Plan(
                items[i].description,
                # By the place in the set and not in the order, so that the order changes nothing else.
                fold(key, i),
                environment=items[i].environment,
                interactions=self.interactions,
                fresh=self.memory == "fresh",
            )
            rewards[i] = episode.mean_reward
        return math.fsum(w * reward for w, reward in zip(weights, rewards, strict=True))

    def items_of(self, world: World) -> list[Item]:
        """The set: what was given, or what is drawn."""
        items: list[Item] = remembered(_items, world, self)
        return items

    def _made(self, world: World) -> list[Item]:
        if self.environments:
            items = [
                Item(describe_from_json(world, _parsed(number, text)), None)
                for number, text in enumerate(self.environments, 1)
            ]
            here = seats(world)
            for number, one in enumerate(items, 1):
                there = seats_of(world, one.description)
                if there != here:
                    raise MensuraError(
                        f"Environment {number} of the battery has {there} seats, and the world of this study {here}; "
                        f"on the command line, add --agents {there}."
                    )
            return items
        root = key(self.draw, "mensura.assessments.fixed_battery", drawn_as(world))
        keys = [fold(root, i) for i in range(self.count)]
        if self.drawn == "world":
            return [Item(world.sample(one), one) for one in keys]
        measure = graded_measure(self, world)
        levels = strata(world, measure, STRATA)
        return [
            Item(world.sample(one, draw_stratum(one, levels).within(measure)), one) for one in keys
        ]

    def weights_of(self, world: World, items: list[Item]) -> list[float]:
        """The share of each environment in the score."""
        if self.weights == "equal":
            return [1.0 / len(items)] * len(items)
        measure = graded_measure(self, world)
        complexities = [world.complexity(one.description, measure) for one in items]
        # From the least on, since 2^-372 of a long description is hardly a number.
        shares = [2.0 ** (min(complexities) - one) for one in complexities]
        return [share / math.fsum(shares) for share in shares]


@lru_cache(maxsize=16)
def _items(world: World, battery: FixedBattery) -> list[Item]:
    """All sittings play the same set, so it is made once."""
    return battery._made(world)


def _parsed(number: int, text: Any) -> dict[str, Any]:
    """A description as data."""
    try:
        data = json.loads(text)
    except (TypeError, ValueError):
        data = None
    if not isinstance(data, dict):
        raise MensuraError(
            f"Environment {number} of the battery is no description; it is a JSON object, as `mensura worlds show "
            "--description FILE` writes it."
        )
    return data
