"""PAGI World: a body in a physical world, with every sense on a port.

Atreya, Marton, Licato and others: PAGI World: A Physically Realistic, General-Purpose Simulation Environment for
Developmental AI Systems (2016), sections 2 to 4. Where it is silent, the authors' program 0.2.5 decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

from numpy.random import Generator

from mensura.agent.errors import MensuraError
from mensura.agent.keys import DRAWN_ANEW
from mensura.complexity.compression import zlib_length
from mensura.core.abilities import sends_commands
from mensura.core.contract import Description, Measure
from mensura.core.task_files import TaskFiles
from mensura.worlds.kit import (
    FIXED,
    GENERATED,
    BaseDescription,
    BaseWorld,
    Mind,
    Space,
    parameter,
    seat_rights,
)
from mensura.worlds.pagi import exploring
from mensura.worlds.pagi.environment import PagiEnvironment, setup_of
from mensura.worlds.pagi.families.table import FAMILIES
from mensura.worlds.pagi.setup import concrete
from mensura.worlds.pagi.setup_reading import MOST_HORIZON, from_canonical
from mensura.worlds.pagi.subjects.table import MINDS
from mensura.worlds.pagi.task_files import PagiFiles, read_task

BLOCK = 64
"""Bytes to which lengths are rounded: any nearer, and most of them would be had by hardly any task."""


class Pagi(BaseWorld):
    """Bodies with hands in a room under gravity: they feel, see, move, grip, carry, jump and speak."""

    id = "pagi-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    task: str = parameter(
        "catch",
        "Which task: a family by name, a YAML file with a task of your own, or a task as JSON text",
    )
    grade: int = parameter(
        0, "The grade of a family's tasks; 0: any is drawn", at_least=0, at_most=20
    )
    bodies: int = parameter(
        0, "How many bodies there are in tasks for several; 0: as usual", at_least=0, at_most=10
    )
    horizon: int | None = parameter(
        None, "Interactions of an episode; none: as the task says", at_least=1, at_most=MOST_HORIZON
    )
    actions: Literal["forces", "discrete", "commands"] = parameter(
        "forces", "What an action is: forces, a named move, or the text of the protocol"
    )
    sees: Literal["all", "vision", "periphery", "nothing"] = parameter(
        "all", "The visual fields that are part of an observation"
    )
    readings: Literal["paper", "authors"] = parameter(
        "paper", "Whether sensors are as the paper has them, or as the authors' program"
    )
    clock: Literal["interactions", "simulated"] = parameter(
        "interactions",
        "What time is: interactions of 0.1 s, or the world moves while a subject thinks",
    )
    thought: float = parameter(
        -1.0,
        "By the clock `simulated`: the seconds of every thought; -1: as measured",
        at_least=-1.0,
        at_most=60.0,
    )
    rewards: Literal["task", "endorphins"] = parameter(
        "task", "1 when the task is solved and -1 when it has failed, or the endorphins / 100"
    )
    ends: bool = parameter(
        False, "Whether an episode is over as soon as the task is solved or has failed"
    )
    rights: tuple[str, ...] = seat_rights(
        names="kinds and names of objects are seen",
        knows_task="it is told the whole task",
    )

    measures: ClassVar[Mapping[str, Measure]] = {
        "causal_steps": Measure("causal_steps", "changes of the world that are needed"),
        "objects": Measure("objects", "how many objects there are"),
        "description_length": Measure(
            "description_length",
            f"length of the task's JSON text, compressed by zlib, to the nearest {BLOCK} bytes",
            "bits",
        ),
    }
    graded_by: ClassVar[str] = "causal_steps"
    usual_assessment: ClassVar[str] = "battery"
    holds: ClassVar[bool] = True
    promises = frozenset({"bounded"})
    minds: ClassVar[Mapping[str, Mind]] = MINDS
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "authors": {"readings": "authors"},
    }

    check_given = staticmethod(exploring.check_given)

    def check(self) -> None:
        """The task is one that can be read; what is in a file is kept as text."""
        object.__setattr__(self, "task", self.embed_files({"task": self.task})["task"])
        if self.task in FAMILIES:
            family = FAMILIES[self.task]
            if self.grade > family.grades:
                raise MensuraError(
                    f"grade is {self.grade}; {self.task} has grades from 1 to {family.grades}."
                )
            if self.bodies and self.bodies != family.bodies and not family.several:
                raise MensuraError(f"bodies is {self.bodies}; {self.task} is for {family.bodies}.")
            if (
                family.several
                and self.bodies
                and not family.several[0] <= self.bodies <= family.several[1]
            ):
                raise MensuraError(
                    f"bodies is {self.bodies}; {self.task} is for {family.several[0]} to {family.several[1]}."
                )

    @property
    def content(self) -> str:  # type: ignore[override]
        """Families draw their tasks; a task of a file without ranges is always the same."""
        return (
            FIXED
            if self.task not in FAMILIES and from_canonical(self.task).is_concrete
            else GENERATED
        )

    @classmethod
    def embed_files(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with what a task file holds in the place of its path."""
        task = parameters.get("task")
        if not isinstance(task, str) or task in FAMILIES:
            return dict(parameters)
        return {**parameters, "task": read_task(task).canonical}

    @classmethod
    def task_files(cls) -> TaskFiles:
        """The families as files, checks, and what makes tasks."""
        return PagiFiles()

    def hosting(self, subject: Any) -> Self:
        """This world with the rights that a subject needs, and with commands for actions if it sends those."""
        home = super().hosting(subject)
        if home.actions == "commands" or not sends_commands(subject):
            return home
        return replace(home, actions="commands")

    # Environments

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        """A task: of the family and a grade, or of the ranges of a file."""
        family = FAMILIES.get(self.task)
        if family is None:
            return {"setup": concrete(from_canonical(self.task), rng).to_plain()}
        grades = [self.grade] if self.grade else list(range(1, family.grades + 1))
        if within is not None and within[0] == "causal_steps":
            _, low, high = within
            grades = [one for one in grades if low <= family.steps[one - 1] <= high] or grades
        grade = grades[int(rng.integers(len(grades)))]
        return {"setup": family.make(rng, grade, self.bodies or family.bodies).to_plain()}

    def describe_from_json(self, data: Mapping[str, Any]) -> BaseDescription:
        """The description that ``description.to_json()`` wrote, if it is a task that can be played."""
        found = super().describe_from_json(data)
        setup = setup_of(found)
        if not setup.is_concrete:
            raise MensuraError(f"This is no environment of {self.id}: a number of it is a range.")
        setup.build(0, "paper")
        return found

    def complexity(self, description: BaseDescription, measure: str) -> float:
        """How complex a task is."""
        setup = setup_of(description)
        if measure == "causal_steps":
            return float(setup.causal_steps)
        if measure == "objects":
            return float(len(setup.objects))
        return 8.0 * BLOCK * round(zlib_length(setup.canonical) / BLOCK)

    def complexity_bounds(self, measure: str) -> tuple[float, float] | None:
        """The causal steps between which a family has tasks."""
        family = FAMILIES.get(self.task)
        if family is None or measure != "causal_steps":
            return None
        steps = family.steps if not self.grade else family.steps[self.grade - 1 : self.grade]
        return float(min(steps)), float(max(steps))

    def seats(self, description: BaseDescription) -> Sequence[str]:
        """A seat for each body."""
        return ["subject"] * len(description.setup.get("bodies", (None,)))

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        """What is sensed, and what can be done."""
        return self.build(description).spaces(seat)

    def build(self, description: Description) -> PagiEnvironment:  # type: ignore[override]
        """The environment of a description; rights are those of both."""
        if not isinstance(description, BaseDescription) or not isinstance(description.world, Pagi):
            raise MensuraError(f"This is no description of an environment of {self.id}.")
        seats = len(self.seats(description))
        rights = [self.rights_of(seat) | description.world.rights_of(seat) for seat in range(seats)]
        return PagiEnvironment(description, rights)

    def kind_of(self, description: BaseDescription) -> str:
        """Tasks of different grades differ in difficulty."""
        setup = setup_of(description)
        return f"grade {setup.grade}" if setup.grade else ""

    def view(self) -> Any:
        """The plain view, with names for moves."""
        from mensura.worlds.pagi.view import PagiView

        return PagiView(self)

    def words(self) -> ModuleType:
        """The module that tells subjects who read what they observe."""
        from mensura.worlds.pagi import sentences

        return sentences

    @property
    def called(self) -> str:
        """The task in a sentence."""
        return self.task if self.task in FAMILIES else from_canonical(self.task).name
