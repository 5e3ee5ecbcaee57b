"""Universal intelligence: the mean over all environments, weighted by 2^-complexity (Legg and Hutter, 2007).

Definition 2.3.1 of Insa-Cabrera (2011), with the mean reward of an episode in the place of the bounded sum of 2.3.2.
The weight is that of a stratum, all environments of a complexity together
(:func:`~mensura.assessments.grades.strata`).

A sitting is one estimate of it by stratified sampling: a pilot of a few environments from each stratum, and then as
many more from each as Neyman's allocation asks for, in proportion to its mass and to the spread of rewards that the
pilot found in it. So the allocation is a function of results that the sitting has itself, and sittings can be played
anywhere and in any order. Pilot and rest are put together so that the allocation does not bend the estimate
(:mod:`~mensura.assessments.two_phase`); the spread of sittings is the error, whatever the allocation was.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, get_args

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.grades import graded_measure, sample_of_stratum, strata
from mensura.assessments.slots import Memory, check_choice, check_count, check_time
from mensura.assessments.two_phase import joined, variance
from mensura.core.abilities import horizon
from mensura.core.account import (
    INSA_CABRERA,
    Account,
    Given,
    Unit,
    complexity,
    counted,
    memory,
)
from mensura.core.contract import Episode, Plan, World
from mensura.core.scored import Scored
from mensura.core.steps import MASS, PILOT, STRATUM, contribution_of

Prior = Literal["length", "speed"]

SPEED = ("kt_max", "kt")
"""The complexities that add the logarithm of the time to the length."""

_ENVIRONMENT, _RESET = 0, 1


class Drawn(NamedTuple):
    """What an environment of a stratum brought."""

    level: int
    mass: float
    pilot: bool
    reward: float


class Share(NamedTuple):
    """What a stratum adds to the score."""

    level: int
    mass: float
    environments: int
    mean: float
    contribution: float
    """Its mass times its mean; all together are the score."""
    error: float
    """The standard error of its contribution."""


def _done(given: Given) -> Iterator[str]:
    yield (
        f"Universal intelligence was estimated {counted(given, 'sittings', 'time')}, each time from "
        f"{counted(given, 'environments', 'environment')} of up to {counted(given, 'strata', 'step')} "
        f"of {complexity(given)}: {counted(given, 'pilot', 'environment')} of each step as a pilot, and the "
        f"others where weight and spread of rewards were large. {memory(given)}."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score is the mean reward over all environments, weighted by 2^-complexity: all environments of "
        "complexity k together have a weight in proportion to 2^-k. Simple environments decide most of it."
    )
    yield "The score of a subject is the mean over estimates, and its interval comes from their scatter."


ESTIMATE = Unit(
    "estimate",
    "estimates",
    "A sample of environments of every step of complexity, weighed by 2^-complexity. Estimates are independent of "
    "each other.",
)


@dataclass(frozen=True)
class Universal:
    """The mean reward under a prior of 2^-complexity, by stratified sampling."""

    sittings: int = 10
    """So many estimates, independent of each other."""
    environments: int = 100
    """Of each estimate."""
    pilot: int = 3
    """So many of each stratum come first."""
    strata: int = 12
    """So many of the lowest levels of complexity; those beyond have 2^-strata of the prior and could not change a score
    of rewards from -1 to 1 by more than that."""
    prior: Prior = "length"
    """"length": 2^-complexity, by any measure. "speed": the same by kt_max or kt, which makes it the speed prior of
    Schmidhuber (2002), that halves the weight whenever a program is a bit longer or takes twice the time; it has no
    parameter, and makes the sum one of environments that can be computed."""
    measure: str | None = None
    """The complexity of the prior; None is the one by which the world grades its environments, or its first."""
    interactions: int | None = None
    """In each environment; None is the environment's own horizon."""
    memory: Memory = "fresh"
    """Whether the subject starts anew in each environment, or goes on with what it knows."""

    graded: ClassVar[bool] = True

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="The definition is that of Legg and Hutter: Universal Intelligence (2007), number 2.3.1 of "
        f"{INSA_CABRERA}.",
        score="The mean reward over environments weighted by 2^-complexity, averaged over estimates.",
        unit=lambda _: ESTIMATE,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        for name in ("sittings", "environments", "strata"):
            check_count(name, getattr(self, name))
        if isinstance(self.pilot, bool) or not isinstance(self.pilot, int) or self.pilot < 2:
            raise MensuraError(f"pilot is {self.pilot!r}; it takes 2 environments to see a spread.")
        check_time("The time in an environment", self.interactions, None)
        check_choice("prior", self.prior, get_args(Prior))
        check_choice("memory", self.memory, get_args(Memory))
        if self.environments < self.strata * (self.pilot + 1):
            raise MensuraError(
                f"{self.environments} environments are too few for {self.strata} strata with a pilot of {self.pilot} "
                f"and one more each; at least {self.strata * (self.pilot + 1)} would do."
            )
        if self.prior == "speed" and self.measure not in SPEED:
            raise MensuraError(
                f"The speed prior goes by {' or '.join(SPEED)}, and the measure is {self.measure!r}; "
                "write measure: kt_max."
            )

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, as far as they are known beforehand."""
        return self.environments * (self.interactions or horizon(world) or 1)

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """A pilot, the allocation, and the rest; returns the estimate, with what each stratum adds to it."""
        measure = graded_measure(self, world)
        levels = strata(world, measure, self.strata)
        drawn: list[Drawn] = []
        order = [(stratum, True) for stratum in levels for _ in range(self.pilot)]
        for phase in range(2):
            if phase == 1:
                sizes = allocate(drawn, self.environments - len(drawn))
                order = [
                    (one, False) for one, n in zip(levels, sizes, strict=True) for _ in range(n)
                ]
            for stratum, pilot in order:
                step = fold(key, len(drawn))
                environment = fold(step, _ENVIRONMENT)
                episode = yield Plan(
                    sample_of_stratum(world, environment, stratum, measure),
                    fold(step, _RESET),
                    environment=environment,
                    interactions=self.interactions,
                    fresh=self.memory == "fresh",
                    measures={STRATUM: stratum.level, MASS: stratum.mass, PILOT: float(pilot)},
                )
                drawn.append(Drawn(*stratum, pilot, episode.mean_reward))
        found = shares(drawn)
        return Scored(
            sum(share.contribution for share in found),
            {contribution_of(share.level): share.contribution for share in found},
        )


def allocate(pilot: Sequence[Drawn], count: int) -> list[int]:
    """How many more environments of each stratum, by Neyman's allocation; one at least.

    The spread of a few rewards says little, so it is taken together with that of all strata.
    """
    groups = _by_stratum(pilot)
    variances = [variance([one.reward for one in group]) for group in groups]
    common = sum(variances) / len(variances)
    weights = []
    for group, own in zip(groups, variances, strict=True):
        n = len(group)
        weights.append(group[0].mass * math.sqrt(((n - 1) * own + common) / n))
    if not any(weights):
        weights = [group[0].mass for group in groups]
    return _portions(weights, count)


def shares(drawn: Iterable[Drawn]) -> tuple[Share, ...]:
    """What each stratum adds to the estimate of a sitting, by level."""
    groups = _by_stratum(drawn)
    rest = sum(1 for group in groups for one in group if not one.pilot)
    found = []
    for group in groups:
        level, mass, _, _ = group[0]
        pilot = [one.reward for one in group if one.pilot]
        later = [one.reward for one in group if not one.pilot]
        both = joined(pilot, later, (rest - len(groups)) * mass)
        error = math.sqrt(variance([*pilot, *later]) * both.factor)
        found.append(Share(level, mass, len(group), both.mean, mass * both.mean, mass * error))
    return tuple(found)


def standard_error(found: Iterable[Share]) -> float:
    """The standard error of an estimate, by the spread within its strata."""
    return math.sqrt(sum(share.error**2 for share in found))


def _by_stratum(drawn: Iterable[Drawn]) -> list[list[Drawn]]:
    groups: dict[int, list[Drawn]] = {}
    for one in drawn:
        groups.setdefault(one.level, []).append(one)
    return [groups[level] for level in sorted(groups)]


def _portions(weights: Sequence[float], count: int) -> list[int]:
    """So many in all, one of each at least and the others by weight; what is left over by the largest remainders."""
    free = count - len(weights)
    exact = [free * weight / sum(weights) for weight in weights]
    sizes = [1 + math.floor(value) for value in exact]
    remainders = sorted(range(len(exact)), key=lambda i: (math.floor(exact[i]) - exact[i], i))
    for i in remainders[: count - sum(sizes)]:
        sizes[i] += 1
    return sizes
