"""Understanding as an assessment that study files name: a sitting is one examination about one environment.

It asks for no plans one after another, as others do: a subject is asked questions, plans or acts toward goals, explains
and writes a model, which :mod:`mensura.studies.understanding_sittings` does.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.agent.task import Limits
from mensura.core.abilities import phenomena
from mensura.core.account import Account, Given, Unit
from mensura.core.contract import Episode, Plan, World
from mensura.core.phenomena import named
from mensura.studies.examination import QUESTIONS
from mensura.studies.inquiry import Inquiry

MOST_QUESTIONS = 50
"""Of each kind: there are starts for no more."""

EXAMINATION = Unit(
    "examination", "examinations", "All that a subject is asked about one environment."
)


def _done(given: Given) -> Iterator[str]:
    about = given["phenomenon"] or "the first phenomenon of the world"
    yield (
        f"In each of {given['sittings']} examinations a subject was asked about {about}: {given['questions']} "
        "questions of each kind, goals to reach, an explanation and a model."
    )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of an examination is the least of the probes that were measured: predict, achieve, explain and "
        "recreate, each from 0 to 1. Each probe is told as a measure of its own."
    )


@dataclass(frozen=True)
class UnderstandingAssessment:
    """Questions about a phenomenon: whether subjects predict, achieve, explain and recreate it."""

    phenomenon: str = ""
    """What is asked about, as plot_it; `mensura worlds phenomena` lists them. The world's first where it is empty."""
    questions: int = QUESTIONS
    """How many questions of each kind."""
    training_episodes: int = 0
    """Episodes in which a subject may learn before it is asked, and before it acts toward each kind of goal."""
    sittings: int = 4
    """Examinations, each about an environment of its own."""
    root: int | None = None
    """The seed that the questions of a single examination are drawn from; None: that of the study."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="The four probes are those of sections 4.4 and 5.3 of Bieger, Thórisson, Steunebrink, Thorarensen and "
        "Sigurðardóttir: Evaluation of General-Purpose Artificial Intelligence: Why, What & How (2016).",
        score="the least of the four probes of understanding",
        unit=lambda _: EXAMINATION,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range."""
        if not 1 <= self.questions <= MOST_QUESTIONS:
            raise MensuraError(
                f"{self.questions} questions of each kind are impossible; 1 to {MOST_QUESTIONS} are."
            )
        if self.training_episodes < 0:
            raise MensuraError(
                f"{self.training_episodes} episodes of training are impossible; 0 or more are."
            )
        if self.sittings < 1:
            raise MensuraError(f"{self.sittings} sittings are too few; 1 is the least.")
        if self.root is not None and self.sittings > 1:
            raise MensuraError(
                f"{self.sittings} sittings cannot have one root, or all of them would ask the same; leave root out."
            )

    @property
    def exercises(self) -> int:
        """Of people: an episode each in which they learn, then the questions."""
        return self.training_episodes + 1

    def check(self, world: World) -> None:
        """Raise if the world has no such phenomenon."""
        self.chosen(world)

    def chosen(self, world: World) -> str:
        """The phenomenon that is asked about."""
        found = phenomena(world)
        if not found:
            raise MensuraError(
                f"{world.id} offers no phenomena as it is set; `mensura worlds phenomena` lists the worlds that do."
            )
        return named(found, self.phenomenon, world.id).name if self.phenomenon else found[0].name

    def inquiry(self, world: World, key: Key, limits: Limits) -> Inquiry:
        """What is asked in the sitting with this key."""
        root = key if self.root is None else self.root
        return Inquiry(
            world, self.chosen(world), root, self.questions, self.training_episodes, limits
        )

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Show one environment of the world; whoever would play on is told to run it as a study."""
        yield Plan(world.sample(fold(key, 0)), fold(key, 1), environment=fold(key, 0))
        raise MensuraError(
            "Understanding is measured by questions, so it cannot be played episode by episode; take "
            "`mensura understand`, or a study."
        )
