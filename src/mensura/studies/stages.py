"""Tasks with the subject that is to learn them, each as the subject needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mensura.agent.keys import Key
from mensura.agent.task import Limits
from mensura.core.abilities import Planned, hosting, is_concurrent, seats
from mensura.core.contract import Episode, Plan, World
from mensura.core.players import Absent, Player, Subject
from mensura.studies.phases import Draw, TrainingTask
from mensura.studies.subjects import parts_of, resolve


@dataclass(frozen=True)
class Stage:
    """A task with the subject that is to learn it, and the world as that subject needs it."""

    task: TrainingTask
    subject: Subject
    world: World

    @cached_property
    def draw(self) -> Draw:
        """What draws the environments of its episodes."""
        return self.task.drawing(self.world)

    @cached_property
    def seats(self) -> int:
        """How many seats its environments have."""
        return seats(self.world)

    @cached_property
    def compiled(self) -> bool:
        """Whether episodes go through the second door of the world."""
        return isinstance(self.world, Planned) and self.world.compiles(self.subject)

    def play(self, player: Player) -> Callable[[Plan, Key], Episode | None] | None:
        """How a plan is played by the second door; None where there is none."""
        if not self.compiled:
            return None
        world: Any = self.world
        return lambda plan, seed: world.play_compiled(self.subject, plan, seed, player)


@dataclass(frozen=True)
class Nobody:
    """Who sits in the place of a subject that kills its worker."""

    name: str
    why: str

    def sit(self, seats: int) -> Player:
        """Leave the seats empty."""
        return Absent(self.why)


class Stages:
    """The stages of tasks by their identity; tasks of one world share their subject."""

    def __init__(
        self,
        address: str,
        tasks: Iterable[TrainingTask],
        *,
        in_process: bool = False,
        limits: Limits | None = None,
        known: tuple[World, Subject] | None = None,
    ) -> None:
        """``known``: the subject in a world for which it was made already."""
        self.address = address
        self.limits = limits or Limits()
        self._of: dict[str, Stage] = {}
        subjects: list[tuple[World, Subject, World]] = []
        if known is not None:
            subjects.append((*known, hosting(*known)))
        for task in tasks:
            found = next((one for one in subjects if one[0] == task.world), None)
            if found is None:
                subject = resolve(address, task.world, in_process=in_process, limits=self.limits)
                found = task.world, subject, hosting(task.world, subject)
                subjects.append(found)
            self._of[task.identity] = Stage(task, found[1], found[2])

    def __getitem__(self, identity: str) -> Stage:
        return self._of[identity]

    def without(self, why: str) -> Stages:
        """The same with nobody in the seats."""
        alone = Stages(self.address, (), limits=self.limits)
        alone._of = {
            name: Stage(one.task, Nobody(one.subject.name, why), one.world)
            for name, one in self._of.items()
        }
        return alone

    @property
    def concurrent(self) -> bool:
        """Whether several learners may be trained side by side in one process."""
        return all(
            one.compiled or all(map(is_concurrent, parts_of(one.subject)))
            for one in self._of.values()
        )
