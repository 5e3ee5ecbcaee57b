"""Coordination: how good what agents agree on is, over budgets of communication.

The definition is Mensura's own. Talk costs, and a collective may be stopped at any moment: so the score of an episode
is the mean, over budgets of messages for each agent (or of numbers in them) that are spaced evenly on a logarithmic
scale, of the quality that was reached when the budget was used up; who says little has the quality of its end for all
larger ones.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.slots import check_choice, check_count
from mensura.core.abilities import horizon, measures_of
from mensura.core.account import Account, Given, Unit, counted
from mensura.core.budgets import BUDGETS, Talk, qualities
from mensura.core.contract import Episode, Plan, World

_ENVIRONMENT, _RESET = 0, 1


def _done(given: Given) -> Iterator[str]:
    yield f"Every collective met the same {counted(given, 'environments', 'environment')}, one episode in each."


def _meaning(given: Given) -> Iterator[str]:
    talk = given.get("talk", "messages")
    yield (
        f"The score of an episode is the mean quality within budgets of {BUDGETS[0]}, {BUDGETS[1]}, {BUDGETS[2]} and "
        f"so on to {BUDGETS[-1]} {talk} for each agent: 1 is the best there is, 0 what chance gives. The score of a "
        "collective is the mean over episodes."
    )


def _unit(given: Given) -> Unit:
    measured = f"mean quality over budgets of {given.get('talk', 'messages')}"
    return Unit("episode", "episodes", measured=measured)


@dataclass(frozen=True)
class Coordination:
    """The quality that a collective reaches, averaged over budgets of communication."""

    environments: int = 200
    """How many environments, each for one episode."""
    talk: Talk = "messages"
    """Whether budgets are in messages or in the numbers that these carry."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        score="The mean over budgets of communication of the quality that was reached within each.",
        unit=_unit,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range."""
        check_count("environments", self.environments)
        check_choice("talk", self.talk, get_args(Talk))

    @staticmethod
    def command_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fewer environments than in a study."""
        return {"environments": 50}

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Much fewer."""
        return {"environments": 5}

    @property
    def sittings(self) -> int:
        """One for each environment."""
        return self.environments

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, at most."""
        return horizon(world) or 1

    def check(self, world: World) -> None:
        """Raise if the world does not tell what is reached within a budget."""
        environment = world.build(world.sample(0))
        environment.reset(0)
        if not qualities(measures_of(environment), self.talk):
            raise MensuraError(
                f"Environments of {world.id} do not tell how good things were after so many {self.talk}; "
                "coordination is assessed where agents write to each other, as in constraints."
            )

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """One episode; ``key`` is the item's."""
        environment = fold(key, _ENVIRONMENT)
        episode = yield Plan(world.sample(environment), fold(key, _RESET), environment=environment)
        reached = qualities(episode.measures, self.talk)
        if not reached:
            raise MensuraError(
                f"An episode of {world.id} did not tell how good things were after so many {self.talk}."
            )
        return math.fsum(reached) / len(reached)
