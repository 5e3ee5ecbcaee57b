"""The runner: every subject through the same battery, by the fastest door there is for it.

Results are streamed block by block into summaries, so memory does not grow with the number of episodes, and
Ctrl-C leaves the score of what was played. Which door a sitting goes through, and on how many threads, does not
change a bit of the result.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from mensura.assessments.battery import Battery
from mensura.core.contract import Episode, Limits, World
from mensura.core.errors import MensuraError
from mensura.core.keys import Key, fold, fold_array, key, numbers
from mensura.core.players import Absent, Player, Subject
from mensura.core.sitting import sit
from mensura.records.results import RunResult, SubjectResult
from mensura.records.rows import EpisodeRow
from mensura.studies.subjects import summary

BLOCK = 16384
"""So many items are held at once, fewer of large environments."""

FIRST_BLOCK = 8
"""So many items every subject plays before anybody plays more."""

BLOCK_NUMBERS = 4_000_000
"""So many numbers the patterns of a block may take."""

JOB = 400_000
"""A thread is given about so many agent-steps at a time: enough to hide the cost of handing them over."""


@runtime_checkable
class CompiledWorld(Protocol):
    """A world with a second door: it plays whole sittings of its own subjects in bulk."""

    def sample_many(
        self,
        keys: npt.NDArray[np.uint64],
        low: npt.NDArray[np.int64],
        high: npt.NDArray[np.int64],
    ) -> Any:
        """Environments for these keys; has ``rows`` and ``complexity``."""

    def compiles(self, subject: Subject) -> bool:
        """Whether this subject can go through the second door."""

    def rollout(
        self,
        subject: Any,
        patterns: Any,
        resets: npt.NDArray[np.uint64],
        seeds: npt.NDArray[np.uint64],
        training: int,
    ) -> npt.NDArray[np.float64]:
        """The score of each sitting."""


class Watcher(Protocol):
    """Whoever follows a run: a progress bar, a file of rows."""

    def played(self, subject: str, episodes: int) -> None:
        """So many more assessed episodes of a subject are done."""

    def rows(self, rows: Iterable[EpisodeRow]) -> None:
        """Their rows."""


@dataclass(frozen=True)
class Block:
    """The outcome of a stretch of items for one subject."""

    scores: npt.NDArray[np.float64]
    complexity: npt.NDArray[np.int64]
    interactions: int
    faults: npt.NDArray[np.int64]
    examples: tuple[str, ...] = ()


def run(
    world: World,
    subjects: Sequence[Subject],
    battery: Battery,
    seed: Key,
    *,
    title: str = "",
    training: int | None = None,
    limits: Limits | None = None,
    threads: int | None = None,
    watcher: Watcher | None = None,
    command: str = "",
) -> RunResult:
    """Assess subjects on a world.

    ``seed`` is the root of all draws: the same seed gives the same result. ``training`` overrides how many
    training episodes each subject asks for.
    """
    names = [subject.name for subject in subjects]
    for name in names:
        if names.count(name) > 1:
            raise MensuraError(f"The subject {name} is named twice; once is enough.")
    begun = perf_counter()
    root = key(seed, world.id, "battery")
    lessons = [
        getattr(subject, "training", 0) if training is None else training for subject in subjects
    ]
    results = [
        SubjectResult(
            subject.name,
            summary(subject, world),
            training=count,
            compiled=isinstance(world, CompiledWorld) and world.compiles(subject),
        )
        for subject, count in zip(subjects, lessons, strict=True)
    ]
    notes: list[str] = []
    workers = threads or os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        try:
            block_size = max(1, min(BLOCK, BLOCK_NUMBERS // max(1, getattr(world, "horizon", 1))))
            for first, count in _blocks(battery.episodes, block_size):
                stretch = _Stretch(world, battery, root, first, count)
                for i, subject in enumerate(subjects):
                    start = perf_counter()
                    done = 0
                    for block in stretch.play(subject, lessons[i], limits, pool, workers):
                        results[i] = _added(results[i], block, perf_counter() - start)
                        start = perf_counter()
                        if watcher is not None:
                            watcher.rows(_rows(subject.name, first + done, block))
                            watcher.played(subject.name, len(block.scores))
                        done += len(block.scores)
        except KeyboardInterrupt:
            played = min(one.moments.count for one in results)
            missed = [one.subject for one in results if not one.moments.count]
            notes.append(
                f"Stopped early: {played} of {battery.episodes} episodes were played by every subject"
                + (f"; {', '.join(missed)} played none." if missed else ".")
            )
            results = [one for one in results if one.moments.count]
            if not results:
                raise
    example = None
    if results:
        plan = next(battery.sitting(_hosting(world, subjects[0]), fold(root, 0)))
        example = plan.description.to_json()
    return RunResult(
        title=title
        or f"{', '.join(names[:3])}{' and others' if len(names) > 3 else ''} on {world.id}",
        world=world.id,
        world_parameters=_parameters(world),
        assessment={"name": "battery", **asdict(battery)},
        seed=seed,
        subjects=tuple(results),
        notes=tuple(notes),
        example=example,
        command=command,
        seconds=perf_counter() - begun,
    )


def _blocks(episodes: int, largest: int) -> Iterator[tuple[int, int]]:
    """Stretches of items, each as long as all before it: whenever a run is stopped, nobody is far behind."""
    first = 0
    while first < episodes:
        count = min(max(FIRST_BLOCK, first), largest, episodes - first)
        yield first, count
        first += count


def repeat(
    world: World,
    subjects: Sequence[Subject],
    battery: Battery,
    seed: Key,
    repetitions: int,
    **options: Any,
) -> RunResult:
    """Run the same experiment several times with other seeds, to observe the spread between them.

    The result is that of the first, with the scores of all of them beside it.
    """
    first = run(world, subjects, battery, seed, **options)
    scores = [[one.moments.mean] for one in first.subjects]
    for number in range(1, repetitions):
        again = run(world, subjects, battery, key(seed, "repetition", number), **options)
        for kept, one in zip(scores, again.subjects, strict=True):
            kept.append(one.moments.mean)
    people = zip(first.subjects, scores, strict=True)
    return replace(
        first, subjects=tuple(replace(one, repetitions=tuple(kept)) for one, kept in people)
    )


def _parameters(world: World) -> dict[str, Any]:
    """The parameters of a world that is a dataclass, for the record."""
    if not is_dataclass(world):
        return {}
    return {field.name: getattr(world, field.name) for field in fields(world)}


def _hosting(world: World, subject: Subject) -> World:
    hosting: Callable[[Subject], World] | None = getattr(world, "hosting", None)
    return hosting(subject) if hosting is not None else world


class _Stretch:
    """A stretch of items, its environments sampled once for all subjects."""

    def __init__(self, world: World, battery: Battery, root: Key, first: int, count: int) -> None:
        self.world = world
        self.battery = battery
        self.root = root
        self.first = first
        self.count = count
        self._bulk: tuple[Any, Any] | None = None

    def play(
        self,
        subject: Subject,
        training: int,
        limits: Limits | None,
        pool: ThreadPoolExecutor,
        workers: int,
    ) -> Iterable[Block]:
        """Play all items with one subject, block by block in their order."""
        stream = key(self.root, "subject", subject.name)
        if isinstance(self.world, CompiledWorld) and self.world.compiles(subject):
            yield from self._compiled(self.world, subject, training, stream, pool, workers)
        elif getattr(subject, "concurrent", False):
            yield from self._side_by_side(subject, training, limits, stream, pool, workers)
        else:
            for i in range(self.first, self.first + self.count):
                yield self._step(subject, training, limits, stream, i)

    def _side_by_side(
        self,
        subject: Subject,
        training: int,
        limits: Limits | None,
        stream: Key,
        pool: ThreadPoolExecutor,
        workers: int,
    ) -> Iterable[Block]:
        """Sittings whose subjects think in processes of their own, several at a time, in their order."""
        waiting: deque[Future[Block]] = deque()
        try:
            for i in range(self.first, self.first + self.count):
                waiting.append(pool.submit(self._step, subject, training, limits, stream, i))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _compiled(
        self,
        world: CompiledWorld,
        subject: Subject,
        training: int,
        stream: Key,
        pool: ThreadPoolExecutor,
        workers: int,
    ) -> Iterable[Block]:
        if self._bulk is None:
            items = self.battery.items(self.root, self.first, self.count)
            cut = -(-self.count // workers)

            def sample(at: int) -> Any:
                to = at + cut
                return world.sample_many(items.keys[at:to], items.low[at:to], items.high[at:to])

            parts = list(pool.map(sample, range(0, self.count, cut)))
            whole = replace(
                parts[0],
                rows=np.concatenate([part.rows for part in parts]),
                complexity=np.concatenate([part.complexity for part in parts]),
            )
            self._bulk = items, whole
        items, patterns = self._bulk
        seeds = fold_array(stream, numbers(self.first, self.count))
        actions = (
            getattr(self.world, "subjects", 1) * getattr(self.world, "horizon", 1) * (training + 1)
        )
        # Independent of the number of threads, so that sums are formed in the same order.
        size = max(1, min(self.count, JOB // actions))
        starts = range(0, self.count, size)

        def job(at: int) -> npt.NDArray[np.float64]:
            to = at + size
            part = replace(
                patterns, rows=patterns.rows[at:to], complexity=patterns.complexity[at:to]
            )
            return world.rollout(subject, part, items.resets[at:to], seeds[at:to], training)

        futures = [pool.submit(job, at) for at in starts]
        try:
            for at, future in zip(starts, futures, strict=True):
                scores = future.result()
                yield Block(
                    scores,
                    patterns.complexity[at : at + size],
                    actions * len(scores),
                    np.zeros(len(scores), np.int64),
                )
        finally:
            for future in futures:
                future.cancel()

    def _step(
        self, subject: Subject, training: int, limits: Limits | None, stream: Key, item: int
    ) -> Block:
        world = _hosting(self.world, subject)
        battery = replace(self.battery, training=training)
        seats = getattr(world, "subjects", 1)
        player = _seated(subject, seats, item)
        try:
            sitting = sit(
                battery,
                world,
                player,
                battery.item_key(self.root, item),
                fold(stream, item),
                limits=limits,
                keep_training=True,
            )
        finally:
            player.close()
        episodes: list[Episode] = [episode for _, episode in sitting.episodes]
        faults = [fault for episode in episodes for fault in episode.faults]
        description = sitting.episodes[-1][0].description
        complexity = -1.0
        if battery.measure in world.measures:
            complexity = world.complexity(description, battery.measure)
        return Block(
            np.array([sitting.score]),
            np.array([round(complexity)], np.int64),
            sum(sum(episode.interactions) for episode in episodes),
            np.array([len(faults)], np.int64),
            tuple(
                f"item {item}, seat {fault.seat}, interaction {fault.interaction}: "
                f"{fault.kind}: {fault.detail}"
                for fault in faults[:3]
            ),
        )


def _seated(subject: Subject, seats: int, item: int) -> Player:
    """The subject in its seats. Who cannot even begin is bad input; who fails later has a faulty sitting."""
    try:
        return subject.sit(seats)
    except MensuraError as error:
        if item == 0:
            raise
        return Absent(str(error))


def _added(result: SubjectResult, block: Block, seconds: float) -> SubjectResult:
    return replace(
        result,
        moments=result.moments.add(block.scores),
        by_complexity=result.by_complexity.add(block.complexity, block.scores),
        histogram=result.histogram.add(block.scores),
        interactions=result.interactions + block.interactions,
        seconds=result.seconds + seconds,
        faults=result.faults + int(block.faults.sum()),
        fault_examples=(*result.fault_examples, *block.examples)[:5],
    )


def _rows(subject: str, first: int, block: Block) -> Iterable[EpisodeRow]:
    per_episode = block.interactions // len(block.scores)
    for i, score in enumerate(block.scores.tolist()):
        yield EpisodeRow(
            subject, first + i, int(block.complexity[i]), score, per_episode, int(block.faults[i])
        )
