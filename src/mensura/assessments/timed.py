"""Universal intelligence considering time: Definition 17 of Hernandez-Orallo and Dowe (2010).

Environments are drawn with a probability of 2^-complexity, each gives the subject the same time, which it is not told,
and all count the same. What it gets in one is the average reward with diminishing history (Definition 16): the earlier
a subject stops, the fewer of its rewards count.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar, get_args

from mensura.agent.keys import Key, fold
from mensura.assessments.grades import draw_stratum, graded_measure, sample_of_stratum, strata
from mensura.assessments.slots import (
    Average,
    Memory,
    check_choice,
    check_count,
    check_time,
    reward_of_slot,
)
from mensura.core.account import (
    EPISODE,
    HERNANDEZ_ORALLO,
    SITTING,
    Account,
    Given,
    counted,
    diminished,
    memory,
    paid_for_stopping,
    time,
)
from mensura.core.contract import Episode, Plan, Stopped, World
from mensura.core.steps import RUNNING

SECONDS = 1.0
"""The time in an environment where none is given."""

_ENVIRONMENT, _RESET = 0, 1


def _done(given: Given) -> Iterator[str]:
    met = (
        counted(given, "sittings", "environment")
        if _alone(given)
        else f"{counted(given, 'sittings', 'sitting')} of {counted(given, 'environments', 'environment')} each"
    )
    by = f", by {given['measure']}" if given.get("measure") else ""
    yield (
        f"Every subject had {time(given)} in each environment of {met}, and was never told how long; environments were "
        f"drawn with a probability of 2^-complexity{by}. {memory(given)}."
    )


def _alone(given: Given) -> bool:
    """Whether a sitting is one environment."""
    return bool(given.get("environments", 1) == 1)


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "Environments are drawn with a probability of 2^-complexity and all count the same; what a subject got in "
        f"one is its average reward {diminished(given)}over the time it had, and its score is the mean."
    )


@dataclass(frozen=True)
class Timed:
    """So many environments drawn with 2^-complexity, the same time in each."""

    sittings: int = 100
    """So many samples of environments, independent of each other."""
    environments: int = 1
    """In each sitting; the m of the definition is the product. Several for one that goes on with what it knows."""
    interactions: int | None = None
    """The time in each environment, in interactions."""
    seconds: float | None = None
    """The time in each environment, in seconds, instead; a second if neither is given."""
    measure: str | None = None
    """None is Kt max as in the definition, where the world has it; else that by which it grades, or its first."""
    strata: int = 24
    """So many of the lowest levels of complexity are drawn from; those beyond have 2^-strata of the probability."""
    average: Average = "diminishing"
    """Of the rewards in an environment: plain, or with diminishing history."""
    memory: Memory = "fresh"
    """Whether the subject starts anew in each environment, or goes on with what it knows."""

    graded: ClassVar[bool] = True
    preferred: ClassVar[tuple[str, ...]] = ("kt_max",)
    """The complexities of the definition, by their names in worlds."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source=f"The definitions are numbers 16 and 17 of {HERNANDEZ_ORALLO}.",
        unit=lambda given: EPISODE if _alone(given) else SITTING,
        warnings=paid_for_stopping,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        check_count("sittings", self.sittings)
        check_count("environments", self.environments)
        check_count("strata", self.strata)
        check_time("The time in an environment", self.interactions, self.seconds)
        if self.interactions is None and self.seconds is None:
            object.__setattr__(self, "seconds", SECONDS)
        check_choice("average", self.average, get_args(Average))
        check_choice("memory", self.memory, get_args(Memory))

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, as far as they are known beforehand."""
        return self.environments * (self.interactions or 0)

    @property
    def expected_seconds(self) -> float:
        """Of a sitting, likewise."""
        return self.environments * (self.seconds or 0.0)

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """One environment after another; the score is the mean of what the subject got in each."""
        measure = graded_measure(self, world)
        levels = strata(world, measure, self.strata)
        rewards: list[float] = []
        try:
            for number in range(self.environments):
                step = fold(key, number)
                environment = fold(step, _ENVIRONMENT)
                description = sample_of_stratum(
                    world, environment, draw_stratum(environment, levels), measure
                )
                episode = yield Plan(
                    description,
                    fold(step, _RESET),
                    environment=environment,
                    interactions=self.interactions,
                    seconds=self.seconds,
                    fresh=self.memory == "fresh",
                    diminishing=self.average == "diminishing",
                    measures={RUNNING: sum(rewards) / len(rewards)} if rewards else {},
                )
                rewards.append(reward_of_slot(episode, self.average))
        except Stopped:
            if not rewards:
                raise
        return sum(rewards) / len(rewards)
