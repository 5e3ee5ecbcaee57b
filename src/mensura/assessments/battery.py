"""A battery: the mean reward over many environments (Definition 3 of Chmait et al., 2016).

Each environment is a sitting of its own: so many training episodes in it, then one that is assessed. The
collective intelligence is the mean over sittings whose environments have equal H and a K spread evenly over a
range.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import (
    Key,
    below,
    below_array,
    fold,
    fold_array,
    numbers,
    prf,
    prf_array,
)
from mensura.core.abilities import (
    in_training,
    measure_of,
)
from mensura.core.account import EPISODE, Account, Given, complexity, counted
from mensura.core.contract import (
    Episode,
    Plan,
    World,
)
from mensura.core.steps import complexity_named

ENVIRONMENT, RESET = 0, 1
"""The streams under an item's key."""
_SLOT_COMPLEXITY = 0


@dataclass(frozen=True)
class Items:
    """What a block of items needs to be played in bulk, one entry an item."""

    keys: npt.NDArray[np.uint64]
    """The keys of the environments."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    """The wanted interval of complexity; from -inf to inf where anything will do."""
    resets: npt.NDArray[np.uint64]


def _done(given: Given) -> Iterator[str]:
    spread = given.get("spread")
    around = f", and may lie up to {width:g} from it" if (width := given.get("tolerance")) else ""
    taken = (
        f"their {complexity(given)} is drawn evenly from {spread[0]} to {spread[1]}{around}"
        if isinstance(spread, (list, tuple))
        else "their complexity is whatever the world draws"
    )
    yield (
        f"Every subject met the same {counted(given, 'episodes', 'environment')}, one assessed episode in each; "
        f"{taken}."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a subject in one environment is its average reward per agent and iteration (Definition 2). "
        "Its intelligence in this world is the mean of these over environments (Definition 3)."
    )


@dataclass(frozen=True)
class Battery:
    """So many environments, with a complexity drawn evenly from a range where one is given."""

    episodes: int = 1000
    """How many environments, each for one episode that is assessed."""
    measure: str | None = None
    """The complexity that is told of environments and drawn; None is the world's first."""
    spread: tuple[int, int] | None = None
    """The lowest and the highest complexity; None takes environments as the world draws them."""
    tolerance: float = 0.0
    """How far a complexity may lie from the one drawn; 0 where every whole number has its environments."""
    training: int = 0
    """Episodes of training in each environment before the one that is assessed."""
    complexities: bool = False
    """Whether all complexities of an environment are told with its score, so that their parts in it can be asked."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="The definitions are those of Chmait, Li, Dowe and Green: A Dynamic Intelligence Test Framework for "
        "Evaluating AI Agents (2016).",
        unit=lambda _: EPISODE,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        if self.episodes < 1:
            raise MensuraError(
                f"A battery of {self.episodes} episodes is empty; it needs at least 1."
            )
        if self.training < 0:
            raise MensuraError(f"{self.training} training episodes are impossible; 0 or more are.")
        if self.spread is not None and not 0 <= self.spread[0] <= self.spread[1]:
            low, high = self.spread
            raise MensuraError(
                f"The complexity range from {low} to {high} is empty or negative; "
                "it runs from a lower to a higher number, as 2 to 23."
            )
        if not 0 <= self.tolerance < math.inf:
            raise MensuraError(
                f"The tolerance of complexity is {self.tolerance!r}; it is a number from 0 on."
            )

    @staticmethod
    def command_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fewer environments than in a study."""
        return {"episodes": 200}

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Much fewer."""
        return {"episodes": 20}

    @property
    def sittings(self) -> int:
        """One for each environment."""
        return self.episodes

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Train in one environment, then be assessed in it; ``key`` is the item's."""
        within = None
        if self.spread is not None:
            low, high = self.spread
            wanted = low + below(prf(key, 0, _SLOT_COMPLEXITY), high - low + 1)
            within = measure_of(self, world), wanted - self.tolerance, wanted + self.tolerance
        environment = fold(key, ENVIRONMENT)
        description = world.sample(environment, within)
        reset = fold(key, RESET)
        for number in range(self.training):
            practice = in_training(world, description, number)
            yield Plan(practice, reset, learning=True, environment=environment)
        told = {
            complexity_named(name): world.complexity(description, name)
            for name in (world.measures if self.complexities else ())
        }
        episode = yield Plan(description, reset, environment=environment, measures=told)
        return episode.mean_reward

    def items(self, key: Key, first: int, count: int) -> Items:
        """The same choices as :meth:`sitting` makes, for a block of items at once."""
        keys = fold_array(key, numbers(first, count))
        low, high = np.full(count, -np.inf), np.full(count, np.inf)
        if self.spread is not None:
            lowest, highest = self.spread
            drawn = prf_array(keys, 0, _SLOT_COMPLEXITY)
            wanted = lowest + below_array(drawn, highest - lowest + 1)
            low, high = wanted - self.tolerance, wanted + self.tolerance
        return Items(fold_array(keys, ENVIRONMENT), low, high, fold_array(keys, RESET))
