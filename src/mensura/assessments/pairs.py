"""Pairs: a subject answers both halves of a pair, of which a small change has turned the answer around.

After Levesque's Winograd schemas (2011). Whoever answers by a giveaway that both halves share gets one of them right
and the other wrong, so that chance is 1/2 for a half and 1/4 for a pair. Where what is asked about can be switched, the
answer must follow. ``halves`` is for people who calibrate a set: nobody sees both halves of a pair.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.slots import check_count
from mensura.core.abilities import pair, pair_count
from mensura.core.account import Account, Given, Unit, counted
from mensura.core.contract import Description, Episode, Plan, World
from mensura.core.scored import Scored
from mensura.core.steps import FORM, PAIR

HALVES, PAIRS, SWITCHED = "halves right", "pairs right", "switched right"
"""What is told of every pair."""
RIGHT = 1.0 - 1e-9
"""Whoever gets the full reward was right."""
VERDICT = "This is a benchmark and not a verdict: a high share says that these items were answered, and nothing more."

ONE_PAIR = Unit(
    "pair", "pairs", "Two items that differ in a word or so, which turns the right answer around."
)
PARTICIPANT = Unit("sitting", "sittings", "Items one after another, each of another pair.")


def _done(given: Given) -> Iterator[str]:
    how = counted(given, "sittings", "pair") if given.get("sittings") else "all pairs"
    yield (
        f"Every subject answered {how} of the set, each item anew: both halves, and both switched where that is "
        "possible."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a pair is the mean reward of its two halves, so that guessing is worth 0. A pair is right if "
        "both halves are: whoever guesses gets a half of the halves and a quarter of the pairs. Switched is right "
        "where both halves are with the candidates in each other's places. Intervals are over pairs."
    )
    yield "One of the errors below may undo the rest: nobody who understood the others would make it."


@dataclass(frozen=True)
class Pairs:
    """Both halves of every pair of a set; right is who gets both."""

    sittings: int = 0
    """How many pairs, spread evenly over the set; 0: all."""
    measure: str | None = None
    """The complexity that is told of environments; None is the world's first."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="Pairs are after Levesque: The Winograd Schema Challenge (2011).",
        score="The mean over pairs of the mean reward of their halves.",
        unit=lambda _: ONE_PAIR,
        beside=(HALVES, PAIRS, SWITCHED),
        first=VERDICT,
    )

    def __post_init__(self) -> None:
        """Raise if the number of pairs is none."""
        if (
            isinstance(self.sittings, bool)
            or not isinstance(self.sittings, int)
            or self.sittings < 0
        ):
            raise MensuraError(
                f"sittings is {self.sittings!r}; it is a whole number from 1 on, or 0 for all pairs."
            )

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fewer where answers are paid for."""
        return {"sittings": 20}

    def check(self, world: World) -> None:
        """Raise if the world has no pairs, or not so many."""
        count = _count(world)
        if self.sittings > count:
            raise MensuraError(
                f"sittings is {self.sittings}, and the set has {count} pairs; {count} or 0 plays each of them once."
            )

    def sittings_in(self, world: World) -> int:
        """One for each pair."""
        return self.sittings or _count(world)

    def expected_interactions(self, world: World) -> int:
        """Of a sitting."""
        return len(pair(world, 0))

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """The first pair."""
        return self.sitting_of(world, key, 0)

    def sitting_of(self, world: World, key: Key, number: int) -> Generator[Plan, Episode, float]:
        """All forms of one pair, each by a subject that starts anew."""
        count = _count(world)
        chosen = number * count // self.sittings_in(world)
        rewards = []
        for at, description in enumerate(pair(world, chosen).values()):
            told = {PAIR: float(chosen), FORM: float(at)}
            episode = yield Plan(description, fold(key, at), fresh=True, measures=told)
            rewards.append(episode.mean_reward)
        right = [reward >= RIGHT for reward in rewards]
        told = {HALVES: sum(right[:2]) / 2, PAIRS: float(all(right[:2]))}
        if len(right) > 2:
            told[SWITCHED] = float(all(right[2:]))
        return Scored(math.fsum(rewards[:2]) / 2, told)


def _count(world: World) -> int:
    count = pair_count(world)
    if not count:
        raise MensuraError(
            f"The world {world.id} has no pairs as it is set, which this assessment is made of; the preset winograd of "
            "items has."
        )
    return count


def _halves_done(given: Given) -> Iterator[str]:
    yield (
        f"Everybody answered {counted(given, 'items', 'item')} at most, each a half of another pair, so that nobody "
        "saw both halves of one; all halves were asked equally often, as far as that is possible."
    )


def _halves_meaning(given: Given) -> Iterator[str]:
    yield "The score of a sitting is the mean reward over its items; calibration asks which of them people agree on."


@dataclass(frozen=True)
class Halves:
    """One half of each of several pairs, for people who calibrate a set: nobody sees both halves of one."""

    sittings: int = 75
    """How many people. 75 with 40 items give 10 answers for each half of 150 pairs."""
    items: int = 40
    """Of each of them, at most."""
    measure: str | None = None
    """The complexity that is told of environments; None is the world's first."""

    account: ClassVar[Account] = Account(
        _halves_done,
        _halves_meaning,
        source="The rule for calibration is at least 10 answers for each half.",
        unit=lambda _: PARTICIPANT,
        first=VERDICT,
    )

    def __post_init__(self) -> None:
        """Raise if the numbers are none."""
        check_count("sittings", self.sittings)
        check_count("items", self.items)

    def check(self, world: World) -> None:
        """Raise if the world has no pairs."""
        _count(world)

    @property
    def exercises(self) -> int:
        """Items of a sitting, at most."""
        return self.items

    def expected_interactions(self, world: World) -> int:
        """Of a sitting."""
        return min(self.items, _count(world))

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """That of the first participant."""
        return self.sitting_of(world, key, 0)

    def sitting_of(self, world: World, key: Key, number: int) -> Generator[Plan, Episode, float]:
        """Items of one participant, each of another pair; halves take turns from one round to the next."""
        rewards = []
        for at, (chosen, half, description) in enumerate(self.chosen(world, number)):
            told = {PAIR: float(chosen), FORM: float(half)}
            episode = yield Plan(description, fold(key, at), measures=told)
            rewards.append(episode.mean_reward)
        return math.fsum(rewards) / len(rewards)

    def chosen(self, world: World, number: int) -> Iterator[tuple[int, int, Description]]:
        """The pairs and halves that a participant is asked for."""
        count = _count(world)
        items = min(self.items, count)
        for at in range(items):
            turn, chosen = divmod(number * items + at, count)
            half = (turn + chosen) % 2
            yield chosen, half, list(pair(world, chosen).values())[half]
