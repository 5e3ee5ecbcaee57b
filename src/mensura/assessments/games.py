"""Games: each sitting is one episode, and its score is what the subject won in it.

Where a single verdict at the end brings the reward, an average over interactions would say how long a game took.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mensura.agent.keys import Key, fold
from mensura.assessments.slots import check_count
from mensura.core.account import Account, Given, Unit, counted
from mensura.core.contract import Episode, Plan, World

_ENVIRONMENT, _RESET = 0, 1
GAME = Unit("game", "games", "One episode, from its beginning to its end.", "what a game brought")


def _done(given: Given) -> Iterator[str]:
    yield f"Every subject played {counted(given, 'sittings', 'game')}, each drawn anew, and started anew in each."


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a game is the sum of its rewards, over all scored seats on average; that of a subject is the "
        "mean over games."
    )


@dataclass(frozen=True)
class Games:
    """So many games; the score of each is the sum of its rewards."""

    sittings: int = 40
    """How many games."""
    measure: str | None = None
    """The complexity that is told of environments; None is the world's first."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        score="The sum of the rewards of a game, averaged over games.",
        unit=lambda _: GAME,
        beside=("taken for the person", "void", "confidence"),
    )

    def __post_init__(self) -> None:
        """Raise if there is no game."""
        check_count("sittings", self.sittings)

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fewer where answers are paid for."""
        return {"sittings": 10}

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """One game."""
        environment = fold(key, _ENVIRONMENT)
        episode = yield Plan(
            world.sample(environment), fold(key, _RESET), environment=environment, fresh=True
        )
        return sum(episode.rewards[seat] for seat in episode.scored) / max(1, len(episode.scored))
