"""The algorithmic intelligence quotient: the mean reward over programs as they are drawn (Legg and Veness, 2011).

Programs fall into strata, and every program is played twice, the second time with its rewards negated, so that chance
and what pays whatever one does cancel out within the pair. A sitting is one whole test:

1. A pool of programs is drawn as the world draws them and sorted into strata; the shares of strata in it are their
   weights. Strata with too few programs in the pool count as one, and so do the smallest where there are more strata
   than the test has pairs for.
2. A pilot plays a few pairs of each stratum; then further pairs are allotted where weight and spread are large
   (Neyman's allocation), the next of the pool each time, so that all subjects meet the same programs.
3. The score is the mean of strata by weight, and its standard error that of two-phase sampling (Cochran: Sampling
   Techniques, 1977, 12.2): the spread within strata, and that the weights are estimated. Spreads of few pairs are drawn
   towards that of all.

The authors' half-interval, 1.96 sum(p s) / sqrt(N), is told beside it. A program that reaches the limit of steps while
it is played is replaced by the next one of its stratum, as the authors do.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.slots import Memory, check_choice, check_count
from mensura.assessments.two_phase import joined, variance
from mensura.core.abilities import Stratified, horizon
from mensura.core.account import Account, Given, Unit, counted, memory
from mensura.core.contract import Description, Episode, Plan, World
from mensura.core.scored import Scored
from mensura.core.steps import ERROR, MASS, PILOT, STRATUM

AUTHORS = "half-interval of the authors"
"""1.96 sum(p s) / sqrt(N)."""
PAIR = "pair"
"""The number of a pair within its sitting, from 1 on."""
REPLACED = "replaced"
"""Programs that reached the limit of steps while they were played."""
SMALL = 0
"""The stratum of programs whose own are too small."""
PRIOR = 3.0
"""The spread of all strata counts as much as so many pairs of one."""

_POOL, _RESET = 0, 1


class Estimate(NamedTuple):
    """What a test found."""

    score: float
    error: float
    """Its standard error."""
    authors: float
    """The half-interval by the authors' formula."""
    pairs: int
    replaced: int


class Turn(NamedTuple):
    """A program to be played."""

    number: int
    """In the pool."""
    stratum: int
    weight: float
    pilot: bool


def test(strata: Sequence[int], pairs: int, pilot: int) -> Generator[Turn, float | None, Estimate]:
    """Choose programs of a pool by their strata, be told the mean of each pair (None: void), and estimate."""
    groups = pooled(strata, pilot + 1, pairs // (pilot + 1))
    weights = {one: len(members) / len(strata) for one, members in groups.items()}
    first: dict[int, list[float]] = {one: [] for one in groups}
    later: dict[int, list[float]] = {one: [] for one in groups}
    waiting = {one: iter(members) for one, members in groups.items()}
    replaced = 0

    def play(
        stratum: int, count: int, into: dict[int, list[float]]
    ) -> Generator[Turn, float | None, None]:
        nonlocal replaced
        while len(into[stratum]) < count:
            index = next(waiting[stratum], None)
            if index is None:
                return
            mean = yield Turn(index, stratum, weights[stratum], into is first)
            if mean is None:
                replaced += 1
            else:
                into[stratum].append(mean)

    for stratum in groups:
        yield from play(stratum, pilot, first)
    room = {one: len(members) - pilot for one, members in groups.items()}
    rest = pairs - pilot * len(groups)
    for stratum, count in allotted(first, weights, room, rest).items():
        yield from play(stratum, count, later)
    return estimated(first, later, weights, len(strata), replaced)


def pooled(strata: Sequence[int], least: int, most: int) -> dict[int, list[int]]:
    """The programs of a pool by stratum, in at most ``most`` groups.

    Strata with fewer than ``least`` programs are one group, and so are the smallest of too many; where that group has
    still too few, the next smallest joins it.
    """
    groups: dict[int, list[int]] = {}
    for index, stratum in enumerate(strata):
        groups.setdefault(stratum, []).append(index)
    by_size = sorted(groups, key=lambda one: (len(groups[one]), one))
    together: list[int] = []
    for one in by_size:
        fits = len(groups) + bool(together) <= most
        if fits and len(groups[one]) >= least and not 0 < len(together) < least:
            break
        together += groups.pop(one)
    own = dict(sorted(groups.items()))
    return {SMALL: sorted(together), **own} if together else own


def spreads(found: Mapping[int, Sequence[float]], weights: Mapping[int, float]) -> dict[int, float]:
    """The variance within each stratum, drawn towards that of all, the more the fewer pairs there are."""
    own = {one: variance(values) for one, values in found.items()}
    total = sum(weights[one] for one, values in found.items() if len(values) > 1)
    if not total:
        return own
    common = (
        sum(weights[one] * own[one] for one, values in found.items() if len(values) > 1) / total
    )
    return {
        one: ((len(values) - 1) * own[one] + PRIOR * common) / (len(values) - 1 + PRIOR)
        if values
        else common
        for one, values in found.items()
    }


def allotted(
    found: Mapping[int, Sequence[float]],
    weights: Mapping[int, float],
    room: Mapping[int, int],
    count: int,
) -> dict[int, int]:
    """How many more pairs of each stratum: one, and then by weight and spread, but no more than the pool has."""
    variances = spreads(found, weights)
    wanted = {one: weights[one] * math.sqrt(variances[one]) for one in found}
    if not any(wanted.values()):
        wanted = dict(weights)
    sizes = {one: min(1, room[one]) for one in found}
    left = count - sum(sizes.values())
    while left > 0:
        open_ = [one for one in sizes if sizes[one] < room[one]]
        total = sum(wanted[one] for one in open_)
        if not open_:
            break
        shares = {one: left * wanted[one] / total if total else left / len(open_) for one in open_}
        whole = {one: min(math.floor(shares[one]), room[one] - sizes[one]) for one in open_}
        if not any(whole.values()):
            for one in sorted(open_, key=lambda one: (-shares[one], one))[:left]:
                sizes[one] += 1
            break
        for one, more in whole.items():
            sizes[one] += more
            left -= more
    return sizes


def estimated(
    first: Mapping[int, Sequence[float]],
    later: Mapping[int, Sequence[float]],
    weights: Mapping[int, float],
    pool: int,
    replaced: int,
) -> Estimate:
    """The mean of strata by weight, with its error; strata in which nothing could be played have no say."""
    found = {one: [*first[one], *later[one]] for one in first}
    played = [one for one in found if found[one]]
    pairs = sum(map(len, found.values()))
    rest = sum(map(len, later.values()))
    if not pairs:
        raise MensuraError(
            "Every program that was drawn reached the limit of steps while it was played, so that there is no score."
        )
    total = sum(weights[one] for one in played)
    share = {one: weights[one] / total for one in played}
    both = {
        one: joined(first[one], later[one], max(0, rest - len(played)) * share[one])
        for one in played
    }
    score = sum(share[one] * both[one].mean for one in played)
    variances = spreads({one: found[one] for one in played}, share)
    within = sum(share[one] ** 2 * variances[one] * both[one].factor for one in played)
    between = sum(share[one] * (both[one].mean - score) ** 2 for one in played) / pool
    # As the authors have it: each run of a pair is a sample, so that there are twice as many.
    plain = sum(share[one] * math.sqrt(variance(found[one])) for one in played)
    authors = 1.96 * plain / math.sqrt(2 * pairs)
    return Estimate(score, math.sqrt(within + between), authors, pairs, replaced)


def _done(given: Given) -> Iterator[str]:
    length = (
        f"for {counted(given, 'interactions', 'interaction')}"
        if given.get("interactions")
        else "for as long as it lasts"
    )
    yield (
        f"Every subject took {counted(given, 'sittings', 'test')} of {counted(given, 'programs', 'program')} each, and "
        f"played every program twice {length}, the second time with all rewards negated. Programs were drawn from "
        f"strata: {counted(given, 'pilot', 'pair')} of each first, and the others where weight and spread of rewards "
        f"were large. {memory(given)}."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score is the mean reward over programs as they are drawn, short ones most of all: the algorithmic "
        "intelligence quotient, from -1 to 1 where the authors count from -100 to 100."
    )
    yield (
        "The score of a subject is the mean over tests, and its interval comes from their scatter. A further measure "
        "tells the standard error that each test claims by itself."
    )


TEST = Unit(
    "test",
    "tests",
    "Programs of all strata, each played twice, the second time with rewards negated. Tests are independent of each "
    "other.",
)


@dataclass(frozen=True)
class Aiq:
    """The mean reward over programs of a universal machine, in pairs and by strata."""

    sittings: int = 10
    """So many tests, independent of each other."""
    programs: int = 100
    """Pairs of each test."""
    interactions: int | None = None
    """With each program, twice; None is the world's horizon."""
    pilot: int = 3
    """So many pairs of each stratum come first."""
    pool: int = 10
    """So many times as many programs are drawn to weigh the strata."""
    memory: Memory = "fresh"
    """Whether the subject starts anew with each program, or goes on with what it knows."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="The test is that of Legg and Veness: An Approximation of the Universal Intelligence Measure (2011).",
        score="The mean reward over programs as they are drawn, averaged over tests.",
        unit=lambda _: TEST,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        for name in ("sittings", "programs", "pool"):
            check_count(name, getattr(self, name))
        if self.interactions is not None:
            check_count("interactions", self.interactions)
        check_choice("memory", self.memory, ("fresh", "continuous"))
        if isinstance(self.pilot, bool) or not isinstance(self.pilot, int) or self.pilot < 2:
            raise MensuraError(f"pilot is {self.pilot!r}; it takes 2 pairs to see a spread.")
        if self.programs < self.pilot + 1:
            raise MensuraError(
                f"programs is {self.programs}; a pilot of {self.pilot} and one more take {self.pilot + 1} at least."
            )

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Few and short ones."""
        plain = {"sittings": 5, "programs": 10, "pilot": 2, "interactions": 25}
        return {} if set(plain) & set(given) else plain

    def expected_interactions(self, world: World) -> int:
        """Of a sitting."""
        return 2 * self.programs * (self.interactions or horizon(world) or 1)

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """A test: the pool, the pilot, the rest, and the estimate."""
        if not isinstance(world, Stratified):
            raise MensuraError(
                f"The test aiq goes by strata, and environments of {world.id} have none; bf has them."
            )
        pool = drawn_pool(world, fold(key, _POOL), self.programs * self.pool)
        course = test([one.stratum for one in pool], self.programs, self.pilot)
        number, turn = 0, next(course)
        while True:
            number += 1
            one = pool[turn.number]
            means = []
            void = False
            for description in (one.description, world.opposite(one.description)):
                episode = yield Plan(
                    description,
                    fold(fold(key, _RESET), turn.number),
                    environment=one.key,
                    interactions=self.interactions,
                    fresh=self.memory == "fresh",
                    measures={
                        STRATUM: turn.stratum,
                        MASS: turn.weight,
                        PILOT: float(turn.pilot),
                        PAIR: number,
                    },
                )
                means.append(episode.mean_reward)
                void = void or world.void(episode)
            try:
                turn = course.send(None if void else sum(means) / 2)
            except StopIteration as end:
                found: Estimate = end.value
                return Scored(
                    found.score,
                    {ERROR: found.error, AUTHORS: found.authors, REPLACED: float(found.replaced)},
                )


class Pooled(NamedTuple):
    """A program of a pool."""

    key: Key
    description: Description
    stratum: int


@lru_cache(maxsize=8)
def drawn_pool(world: Any, key: Key, count: int) -> tuple[Pooled, ...]:
    """So many environments as the world draws them, none of them negated."""
    pool = []
    for k in range(count):
        own = fold(key, k)
        description = world.upright(world.sample(own))
        pool.append(Pooled(own, description, world.stratum(description)))
    return tuple(pool)
