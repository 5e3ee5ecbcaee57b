"""Training as a tree: a beginning that several share is trained once, and performance is measured on copies.

Whoever wants to know something of what a learner knows after some phases asks for a :class:`Look`. A
:class:`TrainingTree` takes all that is asked of one learner, trains through every shared beginning once, saves what was
learned where ways part (:mod:`mensura.agent.memory`), and lets every branch go on from that memory. To measure, a copy
is made of the memory, plays the test episodes and is thrown away, so measuring trains nobody. A subject that cannot be
saved is trained anew for each look, with the same draws.

What is found goes into a notebook, and memories where they outlive the process, if there is a place for them. A tree
that was killed goes on from these, and finds the same to the bit: whoever trained on without sitting down anew is
trained once more from where it last sat down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path as FilePath
from threading import Event

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key
from mensura.agent.memory import saved, unpack
from mensura.agent.waiting import Waiting, finish
from mensura.core.journaled import Journal, Journaled
from mensura.records.memories import Memories, MemoriesAtHand, Memory, memory_name
from mensura.statistics.transfer import added_bits, compressed_bits
from mensura.studies.looks import Count, Look, Notebook, Outcome, Seen, joined_looks
from mensura.studies.phases import Path, last_phase, starts_phase
from mensura.studies.stages import Stages
from mensura.studies.trainer import Live, Trainer, interactions_of, phases_begun


@dataclass(frozen=True)
class Chain:
    """Stops through which a learner trains without sitting down anew."""

    start: Path
    """Where it sits down, with what was saved there."""
    stops: tuple[Path, ...]

    def steps(self) -> Iterable[tuple[Path, Path]]:
        """From one stop to the next, the start first."""
        return pairwise((self.start, *self.stops))


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
        memories: Memories | None = None,
        notebook: Notebook | None = None,
        answers: FilePath | None = None,
    ) -> None:
        """``root``: of all its draws. ``episodes``: of a test. ``tested`` is called after each of these.

        ``answers``: a folder for the answers of a subject that is not to be asked twice.
        """
        self._stages = stages
        self._root = root
        self._names: dict[Path, str] = {}
        self._episodes = episodes
        self._tested = tested
        self._trainer = Trainer(stages, root, stop)
        self._memories = MemoriesAtHand() if memories is None else memories
        self.notebook = Notebook() if notebook is None else notebook
        self._answers = answers

    def look(self, looks: Iterable[Look]) -> Seen:
        """Train as far as is needed, and look, waiting on the spot."""
        return finish(self.looking(looks))

    def looking(self, looks: Iterable[Look]) -> Waiting[Seen]:
        """Train as far as is needed, and look."""
        wanted = joined_looks(looks)
        seen = Seen()
        if not wanted:
            return seen
        memory = yield from self._trainer.newborn(self._stages[_first_task(wanted)])
        seen.is_kept = memory is not None
        if memory is None:
            for one in wanted:
                yield from self._look_anew(one, seen)
        else:
            self._memories.put(self.name(()), Memory(memory))
            yield from self._walk(wanted, seen)
        self._collect(wanted, seen)
        return seen

    def name(self, path: Path) -> str:
        """The name of a memory: a hash of the subject, what it went through, and the keys of its draws."""
        if path not in self._names:
            self._names[path] = memory_name(self._stages.address, self._root, path)
        return self._names[path]

    # Who can be saved

    def _walk(self, wanted: Sequence[Look], seen: Seen) -> Waiting[None]:
        """Go through the tree depth first; a memory is dropped once no way leads on from it."""
        by_path = {one.path: one for one in wanted}
        stops = _stops([one.path for one in wanted])
        chains = chains_of(stops)
        kept = {chain.start for chain in chains} | {
            before for one in wanted if one.weigh and (before := _before(one.path)) in set(stops)
        }
        stored: list[Path] = [()]
        took = effort(wanted).shared
        seen.count.trainings, seen.count.interactions = took.trainings, took.interactions
        if () in by_path:
            yield from self._look_at(by_path[()], self._memories.get(self.name(())))
        for chain, due in zip(chains, self._due(chains, by_path), strict=True):
            while chain.stops[0][: len(stored[-1])] != stored[-1]:
                self._memories.drop(self.name(stored.pop()))
            if due:
                yield from self._train_chain(chain, by_path, kept)
            self._forget(self._journal(chain.stops[0]))
            stored += [stop for stop in chain.stops if stop in kept]
        for path in stored:
            self._memories.drop(self.name(path))

    def _due(self, chains: Sequence[Chain], by_path: Mapping[Path, Look]) -> list[bool]:
        """Which chains are to be trained: where something is not noted yet, or a later one needs a memory of them."""
        needed: set[Path] = set()
        due: list[bool] = []
        for chain in reversed(chains):
            looks = [by_path[stop] for stop in chain.stops if stop in by_path]
            missing = any(not self._is_noted(one) for one in looks)
            asked = needed.intersection(chain.stops)
            if missing or any(self._memories.get(self.name(one)) is None for one in asked):
                needed |= {chain.start, *(_before(one.path) for one in looks if one.weigh)}
                due.append(True)
            else:
                due.append(False)
        return due[::-1]

    def _is_noted(self, look: Look) -> bool:
        name = self.name(look.path)
        tested = all((name, identity) in self.notebook.tested for identity in look.tests)
        trained = not look.path or name in self.notebook.faults
        return tested and trained and (not look.weigh or name in self.notebook.weighed)

    def _train_chain(
        self, chain: Chain, by_path: Mapping[Path, Look], kept: set[Path]
    ) -> Waiting[None]:
        memory = self._memories.get(self.name(chain.start))
        content = None if memory is None else memory.content
        live: Live | None = None
        journal = self._journal(chain.stops[0])
        try:
            for begin, end in chain.steps():
                live, faults = yield from self._trainer.train_on(begin, end, content, live, journal)
                content = saved(live.player)
                self.notebook.use(self.name(end), self._trainer.take_used())
                # Who could be saved as a newborn and cannot be now has broken down.
                self.notebook.train(self.name(end), faults + (content is None))
                now = None if content is None else Memory(content)
                if end in kept and now is not None:
                    self._memories.put(self.name(end), now)
                if end in by_path:
                    yield from self._look_at(by_path[end], now)
        finally:
            if live is not None:
                live.player.close()

    def _look_at(self, look: Look, memory: Memory | None) -> Waiting[None]:
        name = self.name(look.path)
        content = None if memory is None else memory.content
        for identity in sorted(look.tests):
            if (name, identity) in self.notebook.tested:
                continue
            stage = self._stages[identity]
            player = yield from self._trainer.sit(stage, content if look.path else None)
            journal = self._journal(look.path, identity)
            if journal is not None:
                player = Journaled(player, Journal(journal))
            try:
                found = yield from self._trainer.test(stage, player, self._episodes)
            finally:
                player.close()
            self._note_test(name, identity, Outcome(*found))
            self._forget(journal)
        if look.weigh and content is not None and name not in self.notebook.weighed:
            seats = self._stages[look.path[-1].task].seats if look.path else None
            own = _content(content, seats)
            before = self._memories.get(self.name(_before(look.path)))
            added = None
            if before is not None:
                added = added_bits(own, _content(before.content, seats))
            self.notebook.weigh(name, compressed_bits(own), added)

    # Who cannot

    def _look_anew(self, look: Look, seen: Seen) -> Waiting[None]:
        """Train one who cannot be saved anew for each test."""
        name = self.name(look.path)
        for identity in sorted(look.tests):
            stage = self._stages[identity]
            subjects = {id(self._stages[one.task].subject) for one in look.path}
            if subjects - {id(stage.subject)}:
                raise MensuraError(cannot_move(self._stages.address))
            seen.count.trainings += phases_begun((), look.path)
            seen.count.interactions += interactions_of((), look.path)
            if (name, identity) in self.notebook.tested:
                continue
            player = yield from self._trainer.sit(stage, None)
            faults = 0
            try:
                for segment in look.path:
                    own = self._stages[segment.task]
                    faults += yield from self._trainer.train(own, player, segment)
                found = Outcome(*(yield from self._trainer.test(stage, player, self._episodes)))
            finally:
                player.close()
            self._note_test(name, identity, found._replace(faults=found.faults + faults))

    # What was found

    def _journal(self, path: Path, identity: str = "") -> FilePath | None:
        """The file for the answers in the training up to a place, or in a test there; None: they are not kept."""
        if self._answers is None:
            return None
        test = f"-{key(0, identity):016x}" if identity else ""
        return self._answers / f"{self.name(path)}{test}.jsonl"

    def _forget(self, journal: FilePath | None) -> None:
        """Remove answers: what came of them is noted."""
        if journal is not None:
            journal.unlink(missing_ok=True)

    def _note_test(self, name: str, identity: str, found: Outcome) -> None:
        self.notebook.use(f"{name} {identity}", self._trainer.take_used())
        self.notebook.test(name, identity, found)
        if self._tested is not None:
            self._tested()

    def _collect(self, wanted: Sequence[Look], seen: Seen) -> None:
        """Take what looks found out of the notebook."""
        for look in wanted:
            name = self.name(look.path)
            for identity in sorted(look.tests):
                found = self.notebook.tested[name, identity]
                seen.performance[look.path, identity] = found.performance
                seen.tested[look.path, identity] = found
                seen.count.tests += 1
                seen.count.faults += found.faults
            if name in self.notebook.weighed:
                bits, added = self.notebook.weighed[name]
                seen.bits[look.path] = bits
                if added is not None:
                    seen.added[look.path] = added
        seen.count.faults += sum(self.notebook.faults.values())
        for used in self.notebook.used.values():
            for name, value in used.items():
                seen.used[name] = seen.used.get(name, 0.0) + value


@dataclass(frozen=True)
class Effort:
    """What looks at one learner take."""

    shared: Count
    """With every beginning that several share trained once."""
    alone: Count
    """With each test trained for by itself, as of a subject that cannot be saved."""


def effort(looks: Iterable[Look]) -> Effort:
    """What it takes to look, before anything is trained."""
    wanted = joined_looks(looks)
    shared, alone = Count(), Count()
    for chain in chains_of(_stops([one.path for one in wanted])):
        for begin, end in chain.steps():
            shared.trainings += phases_begun(begin, end)
            shared.interactions += interactions_of(begin, end)
    for one in wanted:
        tests = max(len(one.tests), 1)
        alone.trainings += tests * phases_begun((), one.path)
        alone.interactions += tests * interactions_of((), one.path)
        shared.tests += len(one.tests)
        alone.tests += len(one.tests)
    return Effort(shared, alone)


def cannot_move(address: str) -> str:
    """Why one who cannot be saved learns nothing for another world."""
    return (
        f"{address} cannot be saved, so nothing that it learns can be taken from one world to another; an agent of "
        "your own needs two methods, save() -> bytes and load(memory)."
    )


def _before(path: Path) -> Path:
    """What a learner had gone through when the last phase of a path began."""
    return path[: last_phase(path)]


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


def chains_of(stops: Sequence[Path]) -> list[Chain]:
    """How a learner goes through stops, which are sorted and begin with the empty path.

    Who goes on in the same phase sits on; every new phase begins from what was saved, whichever branch comes first.
    """
    chains: list[Chain] = []
    stack: list[Path] = [()]
    for last, stop in pairwise(stops):
        while stop[: len(stack[-1])] != stack[-1]:
            stack.pop()
        start = stack[-1]
        if start and start == last and not starts_phase(stop, len(start)):
            chains[-1] = Chain(chains[-1].start, (*chains[-1].stops, stop))
        else:
            chains.append(Chain(start, (stop,)))
        stack.append(stop)
    return chains


def _content(memory: bytes, count: int | None) -> bytes:
    """What agents saved, out of the form in which several memories are one, where it is in that form."""
    if count is None:
        return memory
    try:
        return b"".join(part for part in unpack(memory, count) if part is not None)
    except MensuraError:
        return memory
