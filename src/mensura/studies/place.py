"""The place of a cell: its world, subject and assessment at hand, and the keys of its sittings."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any, Protocol, runtime_checkable

from mensura.agent.keys import Key, fold, key
from mensura.agents.address import is_foreign
from mensura.core.abilities import (
    Bulk,
    Planned,
    brings_company,
    drawn_as,
    example_of,
    expected_interactions,
    horizon,
    hosting,
    is_concurrent,
    measure_of,
    plans_of,
    populated,
    seats,
    seconds_of,
    tells_complexities,
    waits_by_itself,
)
from mensura.core.contract import Assessment, Environment, Episode, Plan, Turn, World
from mensura.core.players import Subject
from mensura.core.registry import ASSESSMENTS, WORLDS, Registry
from mensura.core.withdrawing import WithdrawingWorld
from mensura.records.cell import Cell
from mensura.studies.inside import INSIDE, WITHDRAW, is_built_in, split
from mensura.studies.parameters import typed_parameters
from mensura.studies.phases import TrainingTask
from mensura.studies.schooling import School, Schooling
from mensura.studies.stages import Stage, Stages
from mensura.studies.study import canonical
from mensura.studies.subjects import named, parts_of, resolve, waits
from mensura.studies.transfer import TransferStudy
from mensura.studies.transfer_assessment import TransferAssessment
from mensura.studies.understanding_assessment import UnderstandingAssessment

RANDOM = "random"
"""The address of whoever acts at random."""

FIRST_BLOCK = 8
"""So many sittings are in the first block of a cell; each later one is as long as all before it."""

LONGEST_BLOCK = 1024
"""The longest block. The environments of a block are sampled at once, for all subjects that meet them."""

BLOCK_NUMBERS = 4_000_000
"""So many numbers the environments of a block may take."""

LONGEST_ON_GPU, BLOCK_NUMBERS_ON_GPU = 131_072, 16_000_000
"""The same where a GPU plays, each of whose thousands of threads wants sittings."""


@runtime_checkable
class BulkAssessment(Protocol):
    """An assessment whose plans are known beforehand: one environment a sitting, training and then one episode."""

    measure: str | None

    def items(self, key: Key, first: int, count: int) -> Any:
        """The choices of its sittings for a block of items at once: keys, low, high, resets."""


@dataclass(frozen=True)
class Place:
    """A cell with what its words stand for."""

    cell: Cell
    world: World
    subject: Subject
    assessment: Assessment
    device: str = "cpu"
    """Where whole sittings are played; a GPU plays far more at once."""

    @classmethod
    def of(cls, cell: Cell) -> Place:
        """Make the world, the subject and the assessment of a cell."""
        return PlaceMaker().place(cell)

    @cached_property
    def root(self) -> Key:
        """The root of the environments' keys: the same for all subjects of a condition."""
        return key(self.cell.seed, drawn_as(self.world), self.cell.assessment)

    @cached_property
    def stream(self) -> Key:
        """The root of the subject's own draws."""
        return key(self.root, "subject", self.cell.name)

    @cached_property
    def inside(self) -> Mapping[str, float]:
        """The operators that act inside the subject, with their strengths above 0."""
        found = split(self.cell.world, self.cell.parameters)[1]
        return {name: value for name, value in found.items() if name in INSIDE}

    @cached_property
    def withdraws(self) -> bool:
        """Whether the subject may withdraw. Those of the world itself know its own actions alone, as does random."""
        granted = split(self.cell.world, self.cell.parameters)[1].get(WITHDRAW, False)
        return granted and not is_built_in(self.subject) and self.cell.subject != RANDOM

    @cached_property
    def compiled(self) -> bool:
        """Whether whole sittings go through the second door."""
        return (
            not self.cell.traces
            and not self.inside
            and not self.withdraws
            and not self.cell.keep
            and not self.cell.phases
            and isinstance(self.world, Bulk)
            and isinstance(self.assessment, BulkAssessment)
            and not tells_complexities(self.assessment)
            and self.world.compiles(self.subject)
        )

    @cached_property
    def by_plans(self) -> bool:
        """Whether plans in virtual time go through the second door, one after another."""
        return (
            not self.compiled
            and self.transfer is None
            and not self.asks_questions
            and not self.cell.traces
            and not self.inside
            and not self.withdraws
            and seconds_of(self.assessment) is None
            and not brings_company(self.assessment)
            and isinstance(self.world, Planned)
            and self.world.compiles(self.subject)
        )

    @cached_property
    def transfer(self) -> TransferStudy | None:
        """What is asked of the learners of its subject, where transfer is measured; else None."""
        if not isinstance(self.assessment, TransferAssessment):
            return None
        cell = self.cell
        return self.assessment.study(
            cell.subject,
            self.world,
            in_process=cell.in_process,
            limits=cell.limits,
            label=cell.name,
        )

    @property
    def asks_questions(self) -> bool:
        """Whether understanding is measured, so that sittings are examinations."""
        return isinstance(self.assessment, UnderstandingAssessment)

    @cached_property
    def school(self) -> School | None:
        """The training before its sittings; None where there is none."""
        return School.from_plain(self.cell.phases) if self.cell.phases else None

    @cached_property
    def stages(self) -> Stages:
        """The tasks in which its learners are trained, and tested where transfer is measured."""
        cell = self.cell
        tasks: Sequence[TrainingTask] = self.school.tasks if self.school is not None else ()
        if self.transfer is not None:
            tasks = self.transfer.tasks
        return Stages(
            cell.subject,
            tasks,
            in_process=cell.in_process,
            limits=cell.limits,
            known=(self.world, self.subject),
        )

    def schooling(self, item: int, folder: Path | None, stop: Event | None) -> Schooling:
        """The training before one of its sittings; ``folder`` is that of memories that sittings share."""
        assert self.school is not None
        here = Stage(
            TrainingTask(self.world.id, self.world, is_rated=False), self.subject, self.host
        )
        return Schooling(
            self.school,
            self.stages,
            here,
            self.cell.seed,
            item,
            folder=folder,
            stop=stop,
            ask_once=self.cell.ask_once,
        )

    @property
    def measure(self) -> str:
        """The complexity that is told of its environments."""
        return measure_of(self.assessment, self.world)

    @cached_property
    def journaled(self) -> bool:
        """Whether every answer is kept: of subjects that are not built in."""
        if self.cell.ask_once:
            return True
        return any(is_foreign(part) for part in named(self.cell))

    @property
    def concurrent(self) -> bool:
        """Whether sittings may be played side by side in one process."""
        if (self.transfer is not None or self.school is not None) and not self.stages.concurrent:
            return False
        if self.transfer is not None:
            return True
        if self.compiled or self.by_plans:
            return True
        return all(map(is_concurrent, parts_of(self.subject)))

    @property
    def waits(self) -> int:
        """How many of its sittings are worth having under way at once, because its subject mostly waits."""
        return min(waits(self.subject), self.cell.sittings)

    @property
    def polled(self) -> bool:
        """Whether its sittings can wait side by side in one thread.

        A journal that is safe on disk before it is used holds up the thread, so not those of subjects asked once.
        """
        own_pace = self.compiled or self.by_plans or self.cell.ask_once or self.asks_questions
        return not own_pace and waits_by_itself(self.subject)

    @cached_property
    def host(self) -> World:
        """The world with what the subject needs in it, and the company that the assessment brings."""
        world = populated(self.assessment, hosting(self.world, self.subject))
        return WithdrawingWorld(world) if self.withdraws else world

    def warm_up(self) -> None:
        """Make one interaction, so that whatever must be compiled is."""
        environment, turn = self.first_environment()
        environment.step([environment.default(seat) for seat in turn.due], [0.0] * len(turn.due))

    def plans(self, item: int) -> Generator[Plan, Episode, float]:
        """The plans of a sitting."""
        return plans_of(self.assessment, self.host, fold(self.root, item), item)

    def first_environment(self) -> tuple[Environment, Turn]:
        """The environment of its first sitting, as the first episode finds it."""
        plan = next(self.plans(0))
        environment = self.host.build(plan.description)
        turn = environment.reset(plan.key)
        return environment, turn if plan.start is None else environment.restore(plan.start.state)

    def example(self) -> Environment:
        """An environment such as its sittings have: that of the first, unless it would take long to find it."""
        found = example_of(self.assessment, self.host, self.root)
        if found is None:
            return self.first_environment()[0]
        environment = self.host.build(found)
        environment.reset(self.root)
        return environment

    @property
    def seats(self) -> int:
        """How many seats its environments have."""
        return seats(self.world)

    @property
    def actions(self) -> int:
        """The actions of a sitting, where the world or the assessment tells beforehand."""
        told = expected_interactions(self.assessment, self.world)
        if told is None:
            told = (horizon(self.world) or 1) * (self.cell.training + 1)
        return self.seats * told

    @cached_property
    def longest(self) -> int:
        """How many sittings its longest block has."""
        numbers_each = max(1, horizon(self.world) or 1)
        if self.device == "gpu" and self.compiled:
            return max(1, min(LONGEST_ON_GPU, BLOCK_NUMBERS_ON_GPU // numbers_each))
        return max(1, min(LONGEST_BLOCK, BLOCK_NUMBERS // numbers_each))

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Its blocks as (first, count): whenever a run is stopped, nobody is far behind."""
        first = 0
        while first < self.cell.sittings:
            count = min(max(FIRST_BLOCK, first), self.longest, self.cell.sittings - first)
            yield first, count
            first += count

    def block_of(self, item: int) -> tuple[int, int]:
        """The block that a sitting is in."""
        return next((f, n) for f, n in self.blocks() if f <= item < f + n)


class PlaceMaker:
    """Makes the places of cells that were written down, each of their worlds and assessments once."""

    def __init__(self) -> None:
        self._worlds: dict[tuple[str, str], World] = {}
        self._assessments: dict[tuple[str, str], Assessment] = {}

    def place(self, cell: Cell) -> Place:
        """The place of a cell."""
        world = _made(self._worlds, WORLDS, cell.world, split(cell.world, cell.parameters)[0])
        subject = resolve(cell.subject, world, in_process=cell.in_process, limits=cell.limits)
        assessment = _made(
            self._assessments, ASSESSMENTS, cell.assessment, cell.assessment_parameters
        )
        return Place(cell, world, subject, assessment)


def _made(
    made: dict[tuple[str, str], Any], registry: Registry, name: str, parameters: Mapping[str, Any]
) -> Any:
    at = name, canonical(parameters)
    if at not in made:
        made[at] = registry.load(name)(**typed_parameters(parameters))
    return made[at]
