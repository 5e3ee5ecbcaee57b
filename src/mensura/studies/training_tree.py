"""Training as a tree: a beginning that several share is trained once, and performance is measured on copies.

Whoever wants to know something of what a learner knows after some phases asks for a :class:`Look`. A
:class:`TrainingTree` takes all that is asked of one learner, trains through every shared beginning once, saves what was
learned where ways part (:mod:`mensura.core.memory`), and lets every branch go on from that memory. To measure, a copy
is made of the memory, plays the test episodes and is thrown away, so measuring trains nobody. A subject that cannot be
saved is trained anew for each look, with the same draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise, takewhile
from threading import Event
from typing import Any

from mensura.core.abilities import Planned, hosting, is_concurrent, seats
from mensura.core.contract import Episode, Limits, Plan, World
from mensura.core.errors import MensuraError
from mensura.core.keys import Key, key
from mensura.core.memory import saved, unpack
from mensura.core.players import Player, Subject, seating
from mensura.core.sitting import sit
from mensura.core.waiting import finish
from mensura.statistics.transfer import added_bits, compressed_bits
from mensura.studies.phases import (
    Draw,
    Path,
    Segment,
    Testing,
    Training,
    TrainingTask,
    last_phase,
    starts_phase,
)
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

    def play(self, player: Player) -> Callable[[Plan, Key], Episode] | None:
        """How a plan is played by the second door; None where there is none."""
        if not self.compiled:
            return None
        world: Any = self.world
        return lambda plan, seed: world.play_compiled(self.subject, plan, seed, player)


class Stages:
    """The stages of tasks by their identity; tasks of one world share their subject."""

    def __init__(
        self,
        address: str,
        tasks: Iterable[TrainingTask],
        *,
        in_process: bool = False,
        limits: Limits | None = None,
    ) -> None:
        self.address = address
        self.limits = limits or Limits()
        self._of: dict[str, Stage] = {}
        subjects: list[tuple[World, Subject, World]] = []
        for task in tasks:
            known = next((one for one in subjects if one[0] == task.world), None)
            if known is None:
                subject = resolve(address, task.world, in_process=in_process, limits=self.limits)
                known = task.world, subject, hosting(task.world, subject)
                subjects.append(known)
            self._of[task.identity] = Stage(task, known[1], known[2])

    def __getitem__(self, identity: str) -> Stage:
        return self._of[identity]

    @property
    def concurrent(self) -> bool:
        """Whether several learners may be trained side by side in one process."""
        return all(
            one.compiled or all(map(is_concurrent, parts_of(one.subject)))
            for one in self._of.values()
        )


@dataclass(frozen=True)
class Look:
    """What is asked of a learner after some phases: how well it does in tasks, and how much it has learned."""

    path: Path
    tests: frozenset[str] = frozenset()
    """The identities of the tasks in which performance is measured."""
    weigh: bool = False
    """Whether the memory is compressed: in all, and what the last phase added to it."""


def joined_looks(looks: Iterable[Look]) -> list[Look]:
    """One look for each path, shared beginnings one after another."""
    found: dict[Path, Look] = {}
    for one in looks:
        had = found.get(one.path, Look(one.path))
        found[one.path] = Look(one.path, had.tests | one.tests, had.weigh or one.weigh)
    return [found[path] for path in sorted(found)]


@dataclass
class Count:
    """What it took."""

    trainings: int = 0
    """Phases that were begun."""
    interactions: int = 0
    """Interactions of training."""
    tests: int = 0
    faults: int = 0
    """Answers of the subject that were none."""


@dataclass
class Seen:
    """What looks found."""

    performance: dict[tuple[Path, str], float] = field(default_factory=dict)
    bits: dict[Path, int] = field(default_factory=dict)
    """The length of a memory when it is compressed."""
    added: dict[Path, int] = field(default_factory=dict)
    """The length of what the last phase added to it."""
    is_kept: bool = True
    """Whether the subject could be saved; else it was trained anew for each look."""
    count: Count = field(default_factory=Count)


class TrainingTree:
    """One learner: all its phases, as a tree."""

    def __init__(
        self,
        stages: Stages,
        root: Key,
        *,
        episodes: int,
        stop: Event | None = None,
        tested: Callable[[], None] | None = None,
    ) -> None:
        """``root``: of all its draws. ``episodes``: of a test. ``tested`` is called after each of these."""
        self._stages = stages
        self._root = root
        self._episodes = episodes
        self._stop = stop
        self._tested = tested
        self._memories: dict[str, bytes | None] = {}

    def look(self, looks: Iterable[Look]) -> Seen:
        """Train as far as is needed, and look."""
        wanted = joined_looks(looks)
        seen = Seen()
        if not wanted:
            return seen
        first = self._stages[_first_task(wanted)]
        newborn = self._sit(first, None)
        try:
            memory = saved(newborn)
        finally:
            newborn.close()
        seen.is_kept = memory is not None
        if memory is None:
            for one in wanted:
                self._look_anew(one, seen)
        else:
            self._memories = {self.name(()): memory}
            self._walk(wanted, seen)
        return seen

    def name(self, path: Path) -> str:
        """The name of a memory: a hash of the subject, what it went through, and the keys of its draws."""
        told = (self._stages.address, self._root, path)
        return blake2b(repr(told).encode(), digest_size=16).hexdigest()

    # Who can be saved

    def _walk(self, wanted: Sequence[Look], seen: Seen) -> None:
        """Go through the tree depth first; a memory is dropped once no way leads on from it."""
        by_path = {one.path: one for one in wanted}
        stack: list[Path] = [()]
        live: tuple[Path, Stage, Player] | None = None
        try:
            for stop in _stops([one.path for one in wanted]):
                while stop[: len(stack[-1])] != stack[-1]:
                    self._memories.pop(self.name(stack.pop()), None)
                if stop:
                    live = self._train_on(stack[-1], stop, live, seen.count)
                    self._memories[self.name(stop)] = saved(live[2])
                    stack.append(stop)
                if stop in by_path:
                    self._look_at(by_path[stop], seen)
        finally:
            self._memories.clear()
            if live is not None:
                live[2].close()

    def _train_on(
        self, start: Path, end: Path, live: tuple[Path, Stage, Player] | None, count: Count
    ) -> tuple[Path, Stage, Player]:
        """Train from one stop to the next.

        Who goes on in the same phase sits on; every new phase begins from what was saved, whichever branch comes first.
        """
        stage: Stage | None = None
        player: Player | None = None
        memory = self._memories[self.name(start)]
        if live is not None:
            if live[0] == start and start and not starts_phase(end, len(start)):
                _, stage, player = live
            else:
                live[2].close()
        for number in range(len(start), len(end)):
            own = self._stages[end[number].task]
            if player is not None and (stage is None or stage.subject is not own.subject):
                memory = saved(player)
                player.close()
                player = None
            if player is None:
                player = self._sit(own, memory if number or start else None)
            stage = own
            count.trainings += starts_phase(end, number)
            self._train(own, player, end[number], count)
        assert stage is not None
        assert player is not None
        return end, stage, player

    def _look_at(self, look: Look, seen: Seen) -> None:
        memory = self._memories[self.name(look.path)]
        for identity in sorted(look.tests):
            stage = self._stages[identity]
            player = self._sit(stage, memory if look.path else None)
            try:
                seen.performance[look.path, identity] = self._test(stage, player, seen.count)
            finally:
                player.close()
        if look.weigh and memory is not None:
            seats_ = self._stages[look.path[-1].task].seats if look.path else None
            own = _content(memory, seats_)
            before = self._memories.get(self.name(look.path[: last_phase(look.path)]))
            seen.bits[look.path] = compressed_bits(own)
            if before is not None:
                seen.added[look.path] = added_bits(own, _content(before, seats_))

    # Who cannot

    def _look_anew(self, look: Look, seen: Seen) -> None:
        """Train one who cannot be saved anew for each test."""
        for identity in sorted(look.tests):
            stage = self._stages[identity]
            subjects = {id(self._stages[one.task].subject) for one in look.path}
            if subjects - {id(stage.subject)}:
                raise MensuraError(
                    f"{self._stages.address} cannot be saved, so nothing that it learns can be taken from one world to "
                    "another; an agent of your own needs two methods, save() -> bytes and load(memory)."
                )
            player = self._sit(stage, None)
            try:
                for number, segment in enumerate(look.path):
                    seen.count.trainings += starts_phase(look.path, number)
                    self._train(self._stages[segment.task], player, segment, seen.count)
                seen.performance[look.path, identity] = self._test(stage, player, seen.count)
            finally:
                player.close()

    # Playing

    def _sit(self, stage: Stage, memory: bytes | None) -> Player:
        try:
            return finish(seating(stage.subject, stage.seats, memory))
        except MensuraError as error:
            if memory is None:
                raise
            raise MensuraError(
                f"What {stage.subject.name} learned cannot be used in {stage.task.name}: {error}"
            ) from error

    def _train(self, stage: Stage, player: Player, segment: Segment, count: Count) -> None:
        self._play(
            stage,
            player,
            Training(stage.draw, segment),
            key(self._root, "train", segment.task),
            key(self._root, "train", segment.task, "subject", segment.begin),
            count,
        )
        count.interactions += segment.end - segment.begin

    def _test(self, stage: Stage, player: Player, count: Count) -> float:
        """Performance; the same environments and draws for all knowledge of this learner."""
        name = key(self._root, "test", stage.task.identity)
        found = self._play(
            stage, player, Testing(stage.draw, self._episodes), name, key(name, "subject"), count
        )
        count.tests += 1
        if self._tested is not None:
            self._tested()
        return found

    def _play(
        self,
        stage: Stage,
        player: Player,
        what: Training | Testing,
        name: Key,
        own: Key,
        count: Count,
    ) -> float:
        def after(plan: Plan, episode: Episode) -> None:
            count.faults += len(episode.faults)

        return sit(
            what,
            stage.world,
            player,
            name,
            own,
            limits=self._stages.limits,
            after=after,
            compiled=stage.play(player),
            stop=self._stop,
        ).score


def _first_task(looks: Sequence[Look]) -> str:
    """A task of those that are looked at, to see whether a newborn can be saved."""
    for look in looks:
        if look.path:
            return look.path[0].task
        if look.tests:
            return min(look.tests)
    raise ValueError("nothing is asked")


def _stops(paths: Sequence[Path]) -> list[Path]:
    """Where memories are needed: wherever somebody looks, and where ways part; the paths are sorted."""
    forks = {
        tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
        for a, b in pairwise(paths)
    }
    return sorted({(), *forks, *paths})


def _content(memory: bytes, count: int | None) -> bytes:
    """What agents saved, out of the form in which several memories are one, where it is in that form."""
    if count is None:
        return memory
    try:
        return b"".join(part for part in unpack(memory, count) if part is not None)
    except MensuraError:
        return memory
