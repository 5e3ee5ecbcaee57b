"""The anytime universal intelligence test: Definition 18 of Hernandez-Orallo and Dowe (2010).

Complexity follows reward: a subject that gains goes on in more complex environments, one that loses in simpler ones.
Each environment has more time than the one before, and none is used twice. The budget is kept: where what is left
after a slot would be less than the next one, this slot takes all of it. In seconds, time in which a subject does
nothing would cost it nothing by a plain average, so that rewards are averaged with diminishing history (Definition 16)
there. So the test can be stopped at any moment and
has a score, the average of rewards so far; what it estimates is the expected score at its budget, and its error comes
from chains that are independent of each other, the sittings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.grades import Bounds, bounds, graded_measure, sample_or_none
from mensura.assessments.slots import (
    Average,
    Memory,
    check_choice,
    check_count,
    check_time,
    reward_of_slot,
)
from mensura.core.abilities import graded_by
from mensura.core.account import (
    HERNANDEZ_ORALLO,
    Account,
    Given,
    Unit,
    complexity,
    counted,
    diminished,
    memory,
    paid_for_stopping,
    time,
)
from mensura.core.contract import Description, Episode, Plan, Stopped, World
from mensura.core.steps import RUNNING, USED, WANTED

PaceName = Literal["person", "agent", "compiled"]
Approach = Literal["printed", "fast"]

BUDGET = 10_000
"""Interactions of a chain on the command line."""

PAID = 100
"""The same where answers are paid for."""

REDRAWN = 32
"""So often an environment that was used before is drawn again before all of its complexity count as used."""

_ENVIRONMENT, _RESET = 0, 1
_EAGER = 4.0
"""The first gain of the fast approach: with a reward of 1 complexity grows e^4-fold."""
_CALM = 0.5
"""Its last one."""


class Pace(NamedTuple):
    """What suits a kind of subject."""

    seconds: float | None
    interactions: int | None
    """The budget, in one of the two."""
    first_seconds: float
    first_interactions: int
    """The first slot, by the unit of the budget."""
    memory: Memory


PACES: dict[PaceName, Pace] = {
    # Five seconds are time for a first look and a few actions; a person does not forget.
    "person": Pace(1200.0, None, 5.0, 5, "continuous"),
    # At 10 microseconds an action a millisecond has a hundred; a process of its own has a dozen.
    "agent": Pace(60.0, None, 0.001, 10, "fresh"),
    "compiled": Pace(None, 1_000_000, 0.001, 10, "fresh"),
}


def _done(given: Given) -> Iterator[str]:
    clock = "interactions" if given.get("seconds") is None else "s"
    yield (
        f"Every subject went through {counted(given, 'sittings', 'chain')} of environments, each with a "
        f"budget of {time(given)}: the anytime test (Definition 18)."
    )
    quick = ", at first in large steps" if given.get("approach") == "fast" else ""
    last = (
        "The last slot is whole, as printed, so that a chain may take more than its budget"
        if given.get("overrun", True)
        else "The last slot takes all that is left, so that a chain takes its budget exactly"
    )
    yield (
        f"A chain begins with a {complexity(given)} of 1 and a slot of "
        f"{given.get('first', 0):g} {clock}. Complexity follows the rewards{quick}, every slot is "
        f"{100 * given.get('growth', 0):g}% longer than the one before, and no environment is used twice. "
        f"{last}. {memory(given)}, and is never told how long a slot is."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a chain is the average over its environments of the average reward "
        f"{diminished(given)}in each; the score of a subject is the mean over chains, and its interval comes "
        "from their scatter."
    )
    yield (
        f"It is the score that is expected at a budget of {time(given)}: with more time a subject that gains meets "
        "more complex environments, for longer."
    )


CHAIN = Unit(
    "chain",
    "chains",
    "Environments one after another, each of a complexity that follows from the reward in the one before and with "
    "more time than that. Chains are independent of each other.",
)


@dataclass(frozen=True)
class Anytime:
    """Complexity follows reward and time grows, until the budget is used up or somebody stops it."""

    pace: PaceName = "compiled"
    """Whose defaults: a person's, those of an agent in Python, or of a compiled one."""
    interactions: int | None = None
    """The budget of a sitting in interactions; where neither it nor seconds are given, as the pace says."""
    seconds: float | None = None
    """The budget of a sitting in seconds, instead."""
    first: float | None = None
    """The first slot, in the unit of the budget; as the pace says."""
    growth: float = 0.5
    """By how much of itself each slot grows."""
    measure: str | None = None
    """The complexity that follows reward; None is the one by which the world grades its environments, or its first."""
    sittings: int = 20
    """So many chains, independent of each other."""
    memory: Memory | None = None
    """Whether the subject starts anew in each environment; as the pace says."""
    average: Average | None = None
    """Of the rewards of a slot: plain, or with diminishing history; None is plain for a budget in interactions, and
    diminishing for one in seconds, where a plain one pays whoever stops while ahead."""
    idle: Literal["skip", "count"] = "skip"
    """An environment in which the subject had no time to act is not counted, or counts 0 as printed."""
    approach: Approach = "printed"
    """Complexity grows by half of itself times the reward, or "fast": by a gain that is large first (7.1)."""
    overrun: bool = False
    """Whether the last slot is whole, as printed, so that a sitting takes more than its budget; else where less than
    the next slot would be left, this one takes all of it, and the budget is kept."""

    graded: ClassVar[bool] = True

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source=f"The definition is number 18 of {HERNANDEZ_ORALLO}.",
        score="The average reward in the environments of a chain, averaged over chains.",
        unit=lambda _: CHAIN,
        adapts=True,
        warnings=paid_for_stopping,
        paths="Complexity follows reward: the broken line is the complexity that was wanted after the reward before, "
        "in the first chain. A triangle marks where the world had no such environment left, so that the nearest was "
        "taken.",
    )

    def __post_init__(self) -> None:
        """Take what is not given from the pace, and refuse what cannot be played."""
        check_choice("pace", self.pace, tuple(PACES))
        pace = PACES[self.pace]
        check_time("The budget", self.interactions, self.seconds)
        if self.interactions is None and self.seconds is None:
            object.__setattr__(self, "interactions", pace.interactions)
            object.__setattr__(self, "seconds", pace.seconds)
        if self.first is None:
            virtual = self.seconds is None
            object.__setattr__(
                self, "first", float(pace.first_interactions) if virtual else pace.first_seconds
            )
        if self.memory is None:
            object.__setattr__(self, "memory", pace.memory)
        if self.average is None:
            virtual = self.seconds is None
            object.__setattr__(self, "average", "plain" if virtual else "diminishing")
        check_count("sittings", self.sittings)
        check_choice("memory", self.memory, get_args(Memory))
        check_choice("average", self.average, get_args(Average))
        check_choice("idle", self.idle, ("skip", "count"))
        check_choice("approach", self.approach, get_args(Approach))
        least = 1.0 if self.seconds is None else 0.0
        if not (
            isinstance(self.first, int | float) and least <= self.first < math.inf and self.first
        ):
            unit = (
                "interactions; it is 1"
                if self.seconds is None
                else "seconds; it is a number above 0"
            )
            raise MensuraError(f"The first slot is {self.first!r} {unit} or more.")
        if not 0.0 <= self.growth <= 10.0:
            raise MensuraError(f"growth is {self.growth!r}; it is a number from 0 to 10, as 0.5.")

    @staticmethod
    def command_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """A smaller budget than in a study."""
        return {} if {"interactions", "seconds", "pace"} & set(given) else {"interactions": BUDGET}

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Chains of a hundred interactions: a request each."""
        return {} if {"interactions", "seconds", "pace"} & set(given) else {"interactions": PAID}

    @property
    def budget(self) -> float:
        """In interactions or in seconds."""
        return float(self.interactions or 0) if self.seconds is None else self.seconds

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, as far as they are known beforehand."""
        budget = self.interactions or 0
        if not self.overrun:
            return budget
        slot, used = float(self.first or 0.0), 0
        while used < budget:
            used += math.floor(slot)
            slot += slot * self.growth
        return used

    @property
    def expected_seconds(self) -> float:
        """Of a sitting, likewise."""
        return self.seconds or 0.0

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """One chain: Definition 18, line by line."""
        measure = graded_measure(self, world)
        ends = bounds(world, measure)
        if ends.low == ends.high and graded_by(world) is None:
            all_of = f"All {ends.draws} environments drawn" if ends.draws else "All environments"
            raise MensuraError(
                f"{all_of} of this world {world.id} have the same complexity {measure}, {ends.low:g}, so that "
                "it cannot follow the rewards, as in the anytime test; a battery would do."
            )
        chooser = Chooser(world, measure, ends)
        rewards = Rewards()
        level = Level(self.approach)
        slot = float(self.first or 0.0)
        left, number = self.budget, 0
        try:
            while left > 0:
                length = self._length(slot, left)
                step = fold(key, number)
                wanted = level.xi
                environment, description, xi = chooser.choose(fold(step, _ENVIRONMENT), wanted)
                episode = yield Plan(
                    description,
                    fold(step, _RESET),
                    environment=environment,
                    interactions=int(length) if self.seconds is None else None,
                    seconds=None if self.seconds is None else length,
                    fresh=self.memory == "fresh",
                    diminishing=self.average == "diminishing",
                    measures={WANTED: wanted, USED: xi, RUNNING: rewards.score},
                )
                reward = reward_of_slot(episode, self.average or "plain")
                if any(episode.interactions) or self.idle == "count":
                    rewards.add(reward)
                level.follow(xi, reward)
                # A last answer that came late took more than the slot.
                left -= length if self.seconds is None else max((length, *episode.seconds))
                slot += slot * self.growth
                number += 1
        except Stopped:
            # Who was stopped in the first environment has no score; 0 would be one.
            if not rewards.count:
                raise
        return rewards.score

    def _length(self, slot: float, left: float) -> float:
        """Of a slot, in whole interactions or in seconds, where so much of the budget is left."""
        following = slot + slot * self.growth
        if self.seconds is None:
            slot, following = math.floor(slot), math.floor(following)
        return slot if self.overrun or left - slot >= following else left


class Rewards:
    """The rewards so far; their average is the score."""

    def __init__(self) -> None:
        self.total = 0.0
        self.count = 0

    def add(self, reward: float) -> None:
        """One more environment."""
        self.total += reward
        self.count += 1

    @property
    def score(self) -> float:
        """The average; 0, as of a random subject, as long as there is none."""
        return self.total / self.count if self.count else 0.0


class Level:
    """The complexity that follows the rewards.

    As printed xi grows by xi times half of the reward. "fast" goes by e^(gain times reward), with a gain that is 4 at
    first and 4 over 1 + n after n changes of sign of the reward: the accelerated approximation of Kesten (1958), whose
    steps are large as long as all point the same way, and get small as they turn to and fro around the level of the
    subject; but never smaller than half, as printed, since a subject learns more in later slots. Both rest where the
    reward is 0 on average.
    """

    def __init__(self, approach: Approach) -> None:
        self.xi = 1.0
        self.approach = approach
        self.turns = 0
        self._last = 0.0

    def follow(self, xi: float, reward: float) -> None:
        """The reward in an environment that was chosen for the complexity xi."""
        if self.approach == "printed":
            self.xi = xi + xi * reward / 2
            return
        if reward * self._last < 0.0:
            self.turns += 1
        self._last = reward or self._last
        self.xi = xi * math.exp(max(_EAGER / (1 + self.turns), _CALM) * reward)


class Chooser:
    """Chooses environments, none of them twice."""

    def __init__(self, world: World, measure: str, limits: Bounds) -> None:
        self.world = world
        self.measure = measure
        self.limits = limits
        self.used: set[str] = set()
        self._absent: set[tuple[float, float]] = set()

    def choose(self, key: Key, wanted: float) -> tuple[Key, Description, float]:
        """An environment with xi - 1 <= H <= xi that was not used before: its key, its description, and the xi.

        xi is the one wanted, or the nearest that the world has; where all environments of it are used, it goes up by 1,
        as printed; where there is nothing further up, the interval opens downwards, and at last used ones come again.
        """
        low, high, _ = self.limits
        xi = min(max(wanted, low), high)
        draws = 0
        depth = 1.0
        while True:
            found = None
            for _ in range(REDRAWN):
                environment = fold(key, draws)
                draws += 1
                found = self._sample(environment, xi - depth, xi)
                if found is None:
                    break
                text = json.dumps(found.to_json(), sort_keys=True)
                if text not in self.used:
                    self.used.add(text)
                    return environment, found, xi
            if xi < high:
                xi = min(xi + 1.0, high)
            elif xi - depth > low:
                depth *= 2.0
            elif found is not None:
                return environment, found, xi
            else:
                raise MensuraError(
                    f"No environment of {self.world.id} was found with a complexity {self.measure} from "
                    f"{self.limits}; another measure has environments at nearly every number."
                )

    def _sample(self, key: Key, low: float, high: float) -> Description | None:
        """An environment; what was not there once is not looked for again."""
        if (low, high) in self._absent:
            return None
        found = sample_or_none(self.world, key, (self.measure, low, high))
        if found is None:
            self._absent.add((low, high))
        return found
