"""Transfer as an assessment that study files name: a sitting is one learner, with all that is asked of it.

It asks for no plans one after another, as others do: a learner is trained as a tree and measured on copies of what it
knows, which :mod:`mensura.studies.learner_sittings` does.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.agent.task import Limits
from mensura.core.account import Account, Given, Unit
from mensura.core.contract import Episode, Plan, World
from mensura.core.yaml_text import Misfit
from mensura.studies.family_file import parse_family, text_of_family
from mensura.studies.phases import TrainingTask
from mensura.studies.training_tree import Effort, effort
from mensura.studies.transfer import MEASURES, Measures, TransferStudy

LEARNER = Unit(
    "learner", "learners", "One life of a subject, from birth on, with draws of its own."
)


def _done(given: Given) -> Iterator[str]:
    where = "it on the way" if given.get("curves_only") else "all of them"
    yield (
        f"Each of {given['learners']} learners was trained from birth on, {given['interactions']:,} interactions in "
        f"each task of a family, and tested in {where}."
    )


def _meaning(given: Given) -> Iterator[str]:
    if given.get("curves_only"):
        yield (
            "The score of a learner is its mean performance in a task after training in it, over all tasks of the "
            "family. `mensura learn-rate` makes a learn rate of the tests on the way."
        )
        return
    yield (
        "The score of a learner is its mean performance in a task after training in another one, over all pairs of "
        "different tasks: the mean raw transfer."
    )


@dataclass(frozen=True)
class TransferAssessment:
    """Training in each task of a family, and tests in all of them, on copies of what was learned."""

    family: str = ""
    """The tasks: a family file, which a run keeps; tasks that name no world are of the study's."""
    interactions: int = 2000
    """Interactions of each phase of training."""
    measures: Measures = "raw"
    """What is measured: raw, the matrix and learning curves; pairs, also each task after each other one; or all."""
    learners: int = 8
    """Repetitions with other draws; intervals are over them."""
    test_episodes: int = 10
    """Episodes of each test."""
    level: float | None = None
    """The performance at which times and knowledge are compared; None is halfway from newborns to the trained."""
    one_way: bool = False
    """Whether only the way from the first task to the second is measured."""
    curves_only: bool = False
    """Whether each task is tested by itself only, for learning curves, and no transfer is measured."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="The measures are those of section 4.2 of Bieger, Thórisson, Steunebrink, Thorarensen and "
        "Sigurðardóttir: Evaluation of General-Purpose Artificial Intelligence: Why, What & How (2016).",
        score="the mean raw transfer, or of learning curves alone the mean performance after training",
        unit=lambda _: LEARNER,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range."""
        if not self.family:
            raise MensuraError(
                "Transfer is among the tasks of a family; write family: family.yaml. `mensura transfer --example` "
                "writes one to begin with."
            )
        for what in ("interactions", "learners", "test_episodes"):
            if getattr(self, what) < 1:
                raise MensuraError(
                    f"{getattr(self, what)} {what.replace('_', ' ')} are too few; 1 is the least."
                )
        if self.measures not in MEASURES:
            raise MensuraError(
                f"{self.measures!r} is nothing that can be measured; {', '.join(MEASURES)} are."
            )
        check_level(self.level)
        if self.curves_only and self.measures != "raw":
            raise MensuraError(
                f"Learning curves alone are without {self.measures}; write measures: raw, or leave out curves_only."
            )

    @staticmethod
    def embed_files(given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with what the family file holds in the place of its name."""
        family = given.get("family")
        if not isinstance(family, str) or not family or _is_text(family):
            return dict(given)
        return {**given, "family": text_of_family(Path(family))}

    @property
    def sittings(self) -> int:
        """One for each learner."""
        return self.learners

    def tasks(self, world: World) -> tuple[TrainingTask, ...]:
        """The tasks of the family; those that name no world are of this one."""
        if _is_text(self.family):
            return parse_family(self.family, "the family", world)
        return parse_family(text_of_family(Path(self.family)), self.family, world)

    def study(
        self, subject: str, world: World, *, in_process: bool, limits: Limits, label: str
    ) -> TransferStudy:
        """What is asked of the learners of a subject."""
        return TransferStudy(
            subject,
            self.tasks(world),
            self.interactions,
            self.measures,
            ((0, 1),) if self.one_way else None,
            self.learners,
            self.test_episodes,
            in_process,
            limits,
            label,
            self.curves_only,
        )

    def check(self, world: World) -> None:
        """Raise if the family makes no tasks with this world."""
        try:
            self.study("", world, in_process=False, limits=Limits(), label="")
        except Misfit as error:
            raise MensuraError(str(error)) from error

    def effort(self, world: World) -> Effort:
        """What one learner takes, before anything is trained."""
        study = self.study("", world, in_process=False, limits=Limits(), label="")
        return effort(study.looks(0))

    def expected_interactions(self, world: World) -> int:
        """Of a learner, training and tests."""
        return self.study(
            "", world, in_process=False, limits=Limits(), label=""
        ).expected_interactions()

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Show one environment of the world; whoever would play on is told to run it as a study."""
        yield Plan(world.sample(fold(key, 0)), fold(key, 1), environment=fold(key, 0))
        raise MensuraError(
            "Transfer is measured on copies of what a learner knows, so it cannot be played episode by episode; take "
            "`mensura transfer`, or a study."
        )


def check_level(level: float | None) -> None:
    """Raise if a level of performance lies outside of its scale."""
    if level is not None and not -1.0 <= level <= 1.0:
        raise MensuraError(f"The level {level:g} is no performance; performance lies in [-1, 1].")


def _is_text(family: str) -> bool:
    """Whether it is what a family file holds, and not the name of one."""
    return "\n" in family or family.startswith("{")
