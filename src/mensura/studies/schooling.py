"""The training that comes before a sitting: its phases, each begun from what was saved at the end of the one before.

A phase is trained as a whole by whoever needs anything of it first, and what is known at its end, and at checkpoints
where subjects are assessed, is saved under a name that tells who learned what. So sittings that share a beginning train
it once, whoever plays them and in whatever order, and a run that was killed goes on from what is there. A subject that
cannot be saved is trained anew for each sitting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from threading import Event
from time import perf_counter, sleep
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key
from mensura.agent.memory import saved
from mensura.agent.waiting import Wait, Waiting
from mensura.core.abilities import horizon
from mensura.core.contract import World
from mensura.core.players import Player, Renewed, Subject, cpu_seconds
from mensura.core.registry import WORLDS
from mensura.core.yaml_text import Misfit, Where
from mensura.records.lock import FileLock
from mensura.records.memories import (
    ANEW,
    TRAINED,
    TRAINING_FAULTS,
    Memories,
    MemoriesAtHand,
    MemoriesOnDisk,
    Memory,
    memory_name,
)
from mensura.studies.family_file import TaskEntry, task_world
from mensura.studies.parameters import plain_parameters, typed_parameters
from mensura.studies.phase_entries import AssessedPlace, PhaseEntry
from mensura.studies.phases import Path, Phase, Segment, TrainingTask, checkpoints
from mensura.studies.stages import Stage, Stages
from mensura.studies.trainer import Live, Trainer, interactions_of
from mensura.studies.training_tree import cannot_move

IN_TRAINING = ", in training"
"""After a measure that the subject tells of itself, as tokens: what its phases took of it."""

GLANCE = 0.05
"""Seconds between two looks at whether somebody else has trained a phase by now."""


@dataclass(frozen=True)
class SchoolPhase:
    """A phase, and whether what is known at its checkpoints is saved, too."""

    phase: Phase
    checkpoints: bool = False

    def to_plain(self) -> dict[str, Any]:
        """It as data for a cell."""
        task = self.phase.task
        return {
            "name": task.name,
            "world": task.world.id,
            "parameters": plain_parameters(task.world),
            "environment": task.environment,
            "interactions": self.phase.interactions,
            "learning": self.phase.learning,
            "checkpoints": self.checkpoints,
        }

    @classmethod
    def from_plain(cls, told: Mapping[str, Any]) -> SchoolPhase:
        """What :meth:`to_plain` wrote, with its world made."""
        world = WORLDS.load(told["world"])(**typed_parameters(told["parameters"]))
        task = TrainingTask(told["name"], world, told["environment"], is_rated=False)
        phase = Phase(task, told["interactions"], told["learning"])
        return cls(phase, told["checkpoints"])


@dataclass(frozen=True)
class School:
    """All phases before the sittings of a cell."""

    phases: tuple[SchoolPhase, ...]
    until: int | None = None
    """The interactions of the last phase after which subjects are assessed; None: when it is over."""

    def to_plain(self) -> tuple[dict[str, Any], ...]:
        """It as data for a cell."""
        plain = [one.to_plain() for one in self.phases]
        if self.until is not None:
            plain[-1]["until"] = self.until
        return tuple(plain)

    @classmethod
    def from_plain(cls, told: Sequence[Mapping[str, Any]]) -> School:
        """What :meth:`to_plain` wrote."""
        return cls(tuple(map(SchoolPhase.from_plain, told)), told[-1].get("until"))

    @property
    def tasks(self) -> list[TrainingTask]:
        """What is trained in."""
        return [one.phase.task for one in self.phases]

    @cached_property
    def ends(self) -> tuple[Path, ...]:
        """What a learner has gone through at the end of each phase; one of no length ends where it begins."""
        had: dict[str, int] = {}
        path: Path = ()
        found = []
        for one in self.phases:
            name = one.phase.task.identity
            start = at = had.get(name, 0)
            for end in checkpoints(one.phase.interactions):
                path = (*path, Segment(name, at, start + end, one.phase.learning))
                at = start + end
            had[name] = at
            found.append(path)
        return tuple(found)

    @cached_property
    def goal(self) -> Path:
        """What a learner has gone through when it is assessed."""
        whole = self.ends[-1]
        if self.until is None:
            return whole
        begin = len(self.ends[-2]) if len(self.ends) > 1 else 0
        cut = checkpoints(self.phases[-1].phase.interactions).index(self.until)
        return whole[: begin + cut + 1]

    @property
    def stops(self) -> tuple[Path, ...]:
        """Where what is known has to be saved for a sitting of this cell."""
        return tuple(dict.fromkeys([*self.ends[:-1], self.goal]))


def school_of(place: AssessedPlace, world: World) -> School:
    """The phases that lead to a place of a study's tree; those that name no world are in this one."""
    return School(tuple(_school_phase(at, one, world) for at, one in place.phases), place.until)


def _school_phase(where: Where, entry: PhaseEntry, world: World) -> SchoolPhase:
    given = TaskEntry(
        world=entry.world,
        preset=entry.preset,
        parameters=entry.parameters,
        environment=entry.environment,
    )
    try:
        own = task_world(given, entry.title, where, world)
        task = TrainingTask(entry.title, own, entry.environment, is_rated=False)
        long = entry.interactions
        if long is None:
            each = horizon(own)
            if each is None:
                raise Misfit(
                    (*where, "episodes"),
                    f"An episode of {own.id} has no fixed length; write how long the phase is in interactions.",
                )
            long = (entry.episodes or 0) * each
        return SchoolPhase(Phase(task, long, entry.learning), entry.measure == "checkpoints")
    except Misfit:
        raise
    except MensuraError as error:
        raise Misfit(where, str(error)) from error


def learner_root(seed: Key, item: int) -> Key:
    """The root of the draws of a learner in its phases, the same for all subjects of a repetition."""
    return key(seed, "phases", "learner", item)


def name_of(address: str, seed: Key, item: int, path: Path) -> str:
    """The name of what a learner knows."""
    return memory_name(address, learner_root(seed, item), path)


@dataclass(frozen=True)
class Schooled:
    """A subject after its phases."""

    memory: bytes | None = None
    """What it knows; None for a newborn."""
    player: Player | None = None
    """It, where it cannot be saved and sits there already."""
    absent: str = ""
    """Why it cannot sit down any more, where that is so."""
    measures: Mapping[str, float] = field(default_factory=dict)


class Schooling:
    """The phases of one learner before one sitting."""

    def __init__(
        self,
        school: School,
        stages: Stages,
        here: Stage,
        seed: Key,
        item: int,
        *,
        folder: FilePath | None = None,
        stop: Event | None = None,
        ask_once: bool = False,
    ) -> None:
        """``here`` is where it is assessed. ``folder``: of memories that sittings share; None shares nothing.

        ``ask_once``: whether answers are safe on disk before they are used, as they cannot be had again.
        """
        self._school = school
        self._stages = stages
        self._here = here
        self._seed = seed
        self._item = item
        self._folder = folder
        self._ask_once = ask_once
        self._trainer = Trainer(stages, learner_root(seed, item), stop)
        self._stop = stop
        self._memories: Memories = MemoriesAtHand()
        if folder is not None:
            self._memories = MemoriesOnDisk(folder, stages.address)

    def go_through(self) -> Waiting[Schooled]:
        """Train whatever was not trained yet."""
        if not self._school.goal:
            return Schooled(measures={TRAINED: 0.0})
        newborn = yield from self._trainer.newborn(self._here)
        if newborn is None:
            return (yield from self._anew())
        stops = self._school.stops
        numbers = range(len(self._school.phases))
        memory: Memory | None = None
        first = 0
        for number in reversed(numbers):
            end = stops[-1] if number == len(numbers) - 1 else self._school.ends[number]
            memory = self._get(end)
            if memory is not None:
                first = number + 1
                break
        for number in numbers[first:]:
            memory = yield from self._phase(number, memory)
            if memory is None and self._school.ends[number]:
                why = f"{self._stages.address} could not be saved after the phase {self._title(number)}"
                return Schooled(absent=why)
        assert memory is not None
        return Schooled(memory.content, measures=memory.about)

    def _title(self, number: int) -> str:
        return self._school.phases[number].phase.task.name

    def _get(self, path: Path) -> Memory | None:
        return self._memories.get(self._name(path)) if path else None

    def _name(self, path: Path) -> str:
        return name_of(self._stages.address, self._seed, self._item, path)

    def _phase(self, number: int, memory: Memory | None) -> Waiting[Memory | None]:
        """What is known at the end of a phase, or where the sitting is in the last one; trained by one at a time."""
        school = self._school
        end = school.ends[number]
        start = school.ends[number - 1] if number else ()
        goal = school.goal if number == len(school.phases) - 1 else end
        if end == start:
            return memory
        lock: FileLock | None = None
        if self._folder is not None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self._folder / f"{self._name(end)}.lock")
            while not lock.take():
                yield Wait(_pause, perf_counter() + GLANCE, lambda: ())
        try:
            found = self._get(goal)
            if found is not None:
                return found  # somebody else was quicker
            return (yield from self._train(number, start, end, goal, memory))
        finally:
            if lock is not None:
                lock.give()

    def _train(
        self, number: int, start: Path, end: Path, goal: Path, memory: Memory | None
    ) -> Waiting[Memory | None]:
        about = memory.about if memory is not None else {TRAINED: 0, TRAINING_FAULTS: 0}
        taken, faults = about[TRAINED], about[TRAINING_FAULTS]
        content = memory.content if memory is not None else None
        wanted: Memory | None = None
        live: Live | None = None
        journal: FilePath | None = None
        if self._ask_once and self._folder is not None:
            journal = self._folder / f"{self._name(end)}.jsonl"
        used = {name: value for name, value in about.items() if name.endswith(IN_TRAINING)}
        try:
            for cut in range(len(start) + 1, len(end) + 1):
                before, now = end[: cut - 1], end[:cut]
                live, wrong = yield from self._trainer.train_on(before, now, content, live, journal)
                faults += wrong
                taken += interactions_of(before, now)
                if now != end and not self._school.phases[number].checkpoints:
                    continue
                known = saved(live.player)
                if known is None:
                    return None
                for name, value in self._trainer.take_used().items():
                    used[name + IN_TRAINING] = used.get(name + IN_TRAINING, 0.0) + value
                one = Memory(known, {TRAINED: taken, TRAINING_FAULTS: faults, **used})
                self._memories.put(self._name(now), one)
                if now == goal:
                    wanted = one
        finally:
            if live is not None:
                live.player.close()
        if journal is not None:
            journal.unlink(missing_ok=True)
        return wanted

    def _anew(self) -> Waiting[Schooled]:
        """Train one who cannot be saved, where it is assessed afterwards."""
        subjects = {id(self._stages[one.task].subject) for one in self._school.goal}
        if subjects - {id(self._here.subject)}:
            raise MensuraError(cannot_move(self._stages.address))
        faults = [0]

        def again() -> Waiting[Player]:
            player = yield from self._trainer.sit(self._here, None)
            faults[0] = 0
            try:
                for segment in self._school.goal:
                    own = self._stages[segment.task]
                    faults[0] += yield from self._trainer.train(own, player, segment)
            except BaseException:
                player.close()
                raise
            return player

        player = yield from again()
        told = {
            TRAINED: float(interactions_of((), self._school.goal)),
            TRAINING_FAULTS: float(faults[0]),
            ANEW: 1.0,
        }
        here = self._here
        return Schooled(None, TrainedAnew(here.subject, here.seats, player, again), "", told)


class TrainedAnew(Renewed):
    """A subject that cannot be saved: whenever it sits down anew it goes through its phases once more."""

    def __init__(self, subject: Subject, seats: int, player: Player, again: Any) -> None:
        super().__init__(subject, seats, None, player)
        self._school_again = again

    def renewing(self) -> Waiting[None]:
        """Leave, sit down, and be trained as before."""
        self._before = self.cpu_seconds()
        self.player.close()
        self._printed = self.printed()
        self._take((yield from self._school_again()))
        self._before -= cpu_seconds(self.player)


def _pause(until: float) -> list[Any]:
    """Wait on the spot."""
    sleep(max(until - perf_counter(), 0.0))
    return []
