"""The social assessment: does a subject gain or lose by company (7.2 of Insa-Cabrera, 2011)?

One sitting plays an environment twice, alone and populated with subjects that were assessed before; everything else is
the same. Its score is the reward in company, and the difference is a measure of the sitting.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, draw, fold
from mensura.assessments.asking import check_memory, complexity_of, remembering
from mensura.assessments.battery import ENVIRONMENT, RESET
from mensura.assessments.company import PopulatedWorld
from mensura.assessments.slots import Memory
from mensura.core.account import INSA_CABRERA, Account, Given, Unit, counted, listed, memory
from mensura.core.contract import Episode, Plan, World
from mensura.core.scored import Scored
from mensura.core.steps import ALONE, GAIN

COMPLEXITY = "complexity with company"

_SLOT_ORDER = 1


def _done(given: Given) -> Iterator[str]:
    company = [str(name) for name in given.get("company", ())]
    yield (
        f"Every subject played {counted(given, 'sittings', 'environment')} twice, alone and in the company of "
        f"{listed(company)}, in an order that was drawn. {memory(given)}."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score is the mean reward per agent and iteration in company. A table of its own tells the reward alone in "
        "the same environments beside it, and what company added."
    )


PAIR = Unit(
    "pair", "pairs", "One environment played twice, alone and in company; all else is the same."
)


@dataclass(frozen=True)
class Social:
    """Pairs of episodes in the same environments, alone and in company, one pair a sitting."""

    sittings: int = 100
    """So many pairs, each in an environment of its own."""
    company: tuple[str, ...] = ("follower",)
    """The companions: built-in subjects of the world by name, one a seat."""
    measure: str | None = None
    """The complexity that is told of environments; None is the world's first."""
    within: tuple[float, float] | None = None
    """The lowest and the highest complexity without company; None takes environments as the world draws them."""
    memory: Memory = "fresh"
    """Whether the subject starts anew in the second episode, or goes on with what it knows from the first."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source=f"Company is proposed in 7.2 of {INSA_CABRERA}.",
        score="The mean reward per agent and iteration in company, averaged over environments.",
        unit=lambda _: PAIR,
        rewards="Rewards lie between -1 and 1. Alone, acting at random is worth 0 in the long run; in company it may "
        "be worth less, where others take what lies about.",
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        if self.sittings < 1:
            raise MensuraError(f"{self.sittings} pairs of episodes are none; it takes at least 1.")
        if not self.company or isinstance(self.company, str):
            raise MensuraError(
                f"company is {self.company!r}; it is a list of the world's subjects by name, at least one."
            )
        check_memory(self.memory)

    def hosting(self, world: World) -> PopulatedWorld:
        """The world with company in it, in which the sittings are played."""
        if isinstance(world, PopulatedWorld):
            return world
        return PopulatedWorld(world, tuple(self.company))

    def sitting(self, world: Any, key: Key) -> Generator[Plan, Episode, float]:
        """Play alone and in company, in an order that is drawn; ``key`` is the item's."""
        populated = self.hosting(world)
        measure = complexity_of(self, populated.world, "A social assessment")
        within = None if self.within is None else (measure, *self.within)
        environment, reset = fold(key, ENVIRONMENT), fold(key, RESET)
        pair = [populated.alone(environment, within), populated.sample(environment, within)]
        rewards: dict[bool, float] = {}
        for together in (False, True) if draw(key, 0, _SLOT_ORDER) & 1 else (True, False):
            plan = Plan(pair[together], reset)
            episode = yield remembering(plan, self.memory)
            rewards[together] = episode.mean_reward
        return Scored(
            rewards[True],
            {
                ALONE: rewards[False],
                GAIN: rewards[True] - rewards[False],
                COMPLEXITY: populated.complexity(pair[True], measure),
            },
        )
