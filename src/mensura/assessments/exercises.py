"""The test of chapter 6 of Insa-Cabrera (2011): exercises in ever larger spaces, for people and machines.

Exercise by exercise the space has one cell more (table 6.1): from 3 to 9 cells, ten interactions for each cell but one,
and a pattern of Good and Evil that is as long as there are cells, on average.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.slots import Memory, check_choice, check_count
from mensura.core.abilities import (
    parameters,
)
from mensura.core.account import INSA_CABRERA, Account, Given, Unit, counted, memory, some
from mensura.core.contract import Episode, Plan, Stopped, World
from mensura.core.steps import RUNNING

_ENVIRONMENT, _RESET = 0, 1


def _done(given: Given) -> Iterator[str]:
    fewest, most = int(given.get("fewest", 0)), int(given.get("most", 0))
    yield (
        f"Every subject took {counted(given, 'sittings', 'test')} of {some(most - fewest + 1, 'exercise')}, in spaces "
        f"of {fewest} to {most} cells, with {counted(given, 'per_cell', 'interaction')} for each cell but one and "
        f"patterns that are as long as there are cells, on average. {memory(given)}."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a test is the mean over its exercises of the mean reward in each; the score of a subject is "
        "the mean over tests, and its interval comes from their scatter."
    )


TEST = Unit(
    "test",
    "tests",
    "Exercises one after another, each in a larger space and longer than the one before. Tests are independent of "
    "each other.",
)


@dataclass(frozen=True)
class Exercises:
    """Exercises in spaces of so many to so many cells, each longer than the one before."""

    sittings: int = 20
    """So many tests, each with environments of its own."""
    fewest: int = 3
    """The cells of the first exercise."""
    most: int = 9
    """The cells of the last exercise."""
    per_cell: int = 10
    """Interactions of an exercise, for each cell but one."""
    memory: Memory = "continuous"
    """People go on with what they know; Q-learning started anew in each exercise in the thesis."""

    measure: str | None = None
    """The complexity that is told of the environments; None is the world's first."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source=f"The test is that of chapter 6 of {INSA_CABRERA}, which was given to people and to Q-learning.",
        score="The mean over the exercises of a test of the mean reward in each, averaged over tests.",
        unit=lambda _: TEST,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        for name in ("sittings", "fewest", "most", "per_cell"):
            check_count(name, getattr(self, name))
        if not 2 <= self.fewest <= self.most:
            raise MensuraError(
                f"Exercises of {self.fewest} to {self.most} cells are impossible; the first has 2 or more, and the "
                "last no fewer."
            )
        check_choice("memory", self.memory, get_args(Memory))

    @property
    def exercises(self) -> int:
        """How many there are in a test."""
        return self.most - self.fewest + 1

    def expected_interactions(self, world: World) -> int:
        """Of a sitting: 350 in table 6.1."""
        return sum(self.per_cell * (cells - 1) for cells in range(self.fewest, self.most + 1))

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """One exercise after another; the score is the mean over exercises of the mean reward in each."""
        rewards: list[float] = []
        try:
            for number, cells in enumerate(range(self.fewest, self.most + 1)):
                step = fold(key, number)
                episode = yield Plan(
                    _smaller(world, cells, self.per_cell).sample(fold(step, _ENVIRONMENT)),
                    fold(step, _RESET),
                    fresh=self.memory == "fresh",
                    measures={RUNNING: sum(rewards) / len(rewards)} if rewards else {},
                )
                rewards.append(episode.mean_reward)
        except Stopped:
            if not rewards:
                raise
        return sum(rewards) / len(rewards)


def _smaller(world: Any, cells: int, per_cell: int) -> World:
    """The world with spaces of so many cells and patterns to match (table 6.1)."""
    if not {"cells", "p_stop", "horizon"} <= set(parameters(world)):
        raise MensuraError(
            f"Exercises are in spaces of a number of cells, and {world.id} has no such spaces: take Lambda."
        )
    smaller: World = replace(world, cells=cells, p_stop=1.0 / cells, horizon=per_cell * (cells - 1))
    return smaller
