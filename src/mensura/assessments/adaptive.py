"""The adaptive test: environments chosen by what is known of the subject so far (7.1 and 7.3 of Insa-Cabrera, 2011).

Item response theory, as :mod:`mensura.statistics.item_response` has it: the next environment is of the complexity, and
of the kind where a world has several, that tells most about the subject, and the sitting is over when the standard
error is as small as wanted. Its score is the expected reward in an environment as the world draws them, which is what a
battery without a spread estimates; each sitting is a whole test, so that the spread over sittings checks the error that
a single one claims. What the scale is wrong by is wrong in all of them, so it is told as an error that sittings share,
and is part of every interval.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.asking import check_memory, complexity_of, remembering
from mensura.assessments.battery import ENVIRONMENT, RESET
from mensura.assessments.calibration import needed_references, scale_of
from mensura.assessments.slots import Memory
from mensura.core.abilities import kind_of
from mensura.core.account import INSA_CABRERA, Account, Given, Unit, complexity, counted, memory
from mensura.core.contract import Description, Episode, Plan, World
from mensura.core.scored import Scored
from mensura.core.steps import DOUBT, ERROR, RUNNING, SHARED
from mensura.statistics.item_response import Band, Examination, Standing

TRIES = 1_000
"""So many environments are drawn before one of a wanted kind counts as out of reach."""


def _done(given: Given) -> Iterator[str]:
    yield (
        f"Every subject took {counted(given, 'sittings', 'adaptive test')}. The next environment of a test is "
        f"of the {complexity(given)} that is expected to tell most about the subject; a test ends "
        f"when the standard error of its expected reward is {given.get('standard_error', 0):g} or less, after "
        f"{given.get('least')} to {given.get('most')} environments."
    )
    yield (
        "How difficult a complexity is was learned from reference subjects of the world. "
        f"{memory(given)}."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a test is the reward that is expected of the subject in an environment as the world draws "
        "them, by item response theory; the score of a subject is the mean over tests, and its interval comes from "
        "their scatter and from the error of the scale, which all tests share and more tests do not lessen. Further "
        "measures tell its ability and how well the model fits it."
    )


TEST = Unit(
    "test",
    "tests",
    "Environments one after another, each of the complexity that tells most about the subject, until its expected "
    "reward is known well enough. Tests are independent of each other.",
)


@dataclass(frozen=True)
class Adaptive:
    """Adaptive tests, one a sitting, each until its standard error is small enough."""

    sittings: int = 10
    """How many independent tests."""
    measure: str | None = None
    """The complexity that difficulty is a function of; None is the world's first."""
    standard_error: float = 0.05
    """Of the expected reward, the scale taken as known; a test ends when its own is no larger."""
    least: int = 10
    """How many environments a test has at least."""
    most: int = 200
    """How many it has at most."""
    memory: Memory = "fresh"
    """Whether the subject starts anew in each environment, which the model supposes, or goes on with what it knows."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source=f"Such a test is proposed in 7.1 and 7.3 of {INSA_CABRERA}.",
        score="The reward that is expected in an environment as the world draws them, averaged over tests.",
        adapts=True,
        unit=lambda _: TEST,
        paths="Each environment is of the complexity that was expected to tell most about the subject. The score after "
        "it is the expected reward as far as it was known then; the band is its 95% interval.",
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        if self.sittings < 1:
            raise MensuraError(
                f"{self.sittings} adaptive tests are none; it takes at least 1 sitting."
            )
        if not 0.0 < self.standard_error < math.inf:
            raise MensuraError(
                f"The standard error of an adaptive test is {self.standard_error!r}; it is a number over 0, as 0.05."
            )
        if not 1 <= self.least <= self.most:
            raise MensuraError(
                f"An adaptive test of at least {self.least} and at most {self.most} environments is impossible; "
                "the least is 1 or more and the most no less."
            )
        check_memory(self.memory)

    def example(self, world: World, key: Key) -> Description:
        """An environment of the world, without the scale that the first of a sitting is chosen by."""
        self._measure(world)
        needed_references(world)
        return world.sample(key)

    def _measure(self, world: World) -> str:
        """The complexity that difficulty is a function of; raises where a world does not promise what is needed."""
        measure = complexity_of(self, world, "An adaptive test")
        lacking = {"bounded", "balanced"} - world.promises
        if lacking:
            raise MensuraError(
                f"An adaptive test needs rewards from -1 to 1 of which acting at random gets 0, and {world.id} does "
                f"not promise to be {' and '.join(sorted(lacking))}."
            )
        return measure

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Ask for the most informative environment again and again; ``key`` is the item's."""
        measure = self._measure(world)
        examination = Examination(scale_of(world, measure))
        while not examination.over(error=self.standard_error, most=self.most, least=self.least):
            number = examination.next()
            band = examination.scale.bands[number]
            so_far = examination.expected
            own = fold(key, len(examination.asked))
            environment, description = _drawn(world, measure, band, fold(own, ENVIRONMENT))
            plan = Plan(
                description,
                fold(own, RESET),
                environment=environment,
                measures={RUNNING: so_far.value, DOUBT: so_far.standard_error},
            )
            episode = yield remembering(plan, self.memory)
            examination.take(number, episode.mean_reward)
        return scored(examination.standing())


def _drawn(world: World, measure: str, band: Band, key: Key) -> tuple[Key, Description]:
    """An environment of a band, and its key: where the band is of one kind, others are drawn until one is of it."""
    within = measure, band.low, band.high
    if not band.kind:
        return key, world.sample(key, within)
    for attempt in range(TRIES):
        own = fold(key, attempt)
        description = world.sample(own, within)
        if kind_of(world, description) == band.kind:
            return own, description
    raise MensuraError(
        f"None of {TRIES} environments of {world.id} with {measure} from {band.low:g} to {band.high:g} was of the kind "
        f"{band.kind}; take another assessment, as a battery."
    )


def scored(standing: Standing) -> Scored:
    """The expected reward as the score, with the rest of what is known as measures of the sitting."""
    found = {
        "ability": standing.ability.value,
        "standard error of ability": standing.ability.standard_error,
        ERROR: math.hypot(standing.expected.standard_error, standing.shared),
        SHARED: standing.shared,
        "sensitivity to difficulty": standing.sensitivity.value,
        "scatter": standing.scatter.value,
        "person fit": standing.fit.f,
        "p of person fit": standing.fit.p,
        "environments": float(standing.expected.n),
    }
    return Scored(
        standing.expected.value,
        {name: value for name, value in found.items() if math.isfinite(value)},
    )
