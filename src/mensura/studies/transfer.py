"""Transfer among the tasks of a family: what is trained and looked at, by how many learners, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from os import cpu_count
from threading import Event, Lock
from typing import Literal, TypeAlias

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key, stretched
from mensura.agent.task import Limits
from mensura.core.abilities import horizon
from mensura.core.contract import Stopped
from mensura.statistics.transfer import NORMS, Floats, Norm, distances
from mensura.statistics.transfer_table import TransferTable
from mensura.studies.looks import Count, Look, Seen, joined_looks
from mensura.studies.parameters import plain_parameters
from mensura.studies.phases import Path, Phase, TrainingTask, by_turns, checkpoints, path_of
from mensura.studies.stages import Stages
from mensura.studies.training_tree import TrainingTree, effort

Measures: TypeAlias = Literal["raw", "pairs", "all"]
"""What is measured: the matrix and learning curves; all pairs one after the other too; and splits, turns and bits."""
MEASURES: tuple[Measures, ...] = ("raw", "pairs", "all")

SHARES = (0.25, 0.5, 0.75)
"""The shares of a budget that are spent in X, where that is measured."""


@dataclass(frozen=True)
class TransferStudy:
    """A subject, a family of tasks, and how much of them."""

    subject: str
    tasks: tuple[TrainingTask, ...]
    interactions: int = 2000
    """Of each phase of training."""
    measures: Measures = "raw"
    pairs: tuple[tuple[int, int], ...] | None = None
    """Which tasks are trained in after which, by number; None: all."""
    learners: int = 8
    """Repetitions with other draws, over which intervals are."""
    episodes: int = 10
    """Of a test."""
    in_process: bool = False
    limits: Limits = field(default_factory=Limits)
    label: str = ""
    """How tables call the subject; its address where this is empty."""
    curves_only: bool = False
    """Whether each task is tested by itself only, for learning curves."""
    norm: Norm = "manhattan"
    """How the differences of tasks in single properties make their distance."""

    def __post_init__(self) -> None:
        """Raise if nothing would come of it."""
        if len(self.tasks) < 2:
            raise MensuraError(
                "Transfer is from one task to another; a family has at least 2 tasks."
            )
        names = [one.name for one in self.tasks]
        for name in names:
            if names.count(name) > 1:
                raise MensuraError(f"Two tasks are called {name}; give each a name of its own.")
        for what, least in (("interactions", 1), ("learners", 1), ("episodes", 1)):
            if getattr(self, what) < least:
                raise MensuraError(
                    f"{getattr(self, what)} {what} are too few; {least} is the least."
                )
        check_norm(self.norm)
        if self.measures not in MEASURES:
            raise MensuraError(
                f"{self.measures!r} is nothing that can be measured; {', '.join(MEASURES)} are."
            )

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """The checkpoints of a phase, from 0 on."""
        return 0, *checkpoints(self.interactions)

    @cached_property
    def ordered(self) -> tuple[tuple[int, int], ...]:
        """The pairs that are trained in one after the other."""
        many = range(len(self.tasks))
        if self.measures == "raw":
            return ()
        return self.pairs or tuple((x, y) for x in many for y in many if x != y)

    def path(self, *phases: tuple[int, int]) -> Path:
        """What a learner went through, from numbers of tasks and interactions."""
        return path_of([Phase(self.tasks[task], long) for task, long in phases])

    def looks(self, root: Key) -> Iterator[Look]:
        """All that is asked of one learner; ``root`` is that of its draws."""
        n, names = self.interactions, [one.identity for one in self.tasks]
        weigh = self.measures == "all"
        yield Look((), frozenset(names), weigh)
        for x, name in enumerate(names):
            if not self.curves_only:
                yield Look(self.path((x, n)), frozenset(names))
            for cut in self.cuts[1:]:
                yield Look(self.path((x, cut)), frozenset([name]), weigh)
        for x, y in self.ordered:
            for cut in self.cuts[1:]:
                yield Look(self.path((x, n), (y, cut)), frozenset([names[y]]), weigh)
            yield Look(self.path((x, n), (y, n)), frozenset([names[x]]))
            yield Look(self.path((x, 2 * n)), frozenset([names[x]]))
            if self.measures == "all":
                yield Look(self.turns(root, x, y), frozenset([names[y]]))
                yield Look(self.path((y, n // 2)), frozenset([names[y]]))
                for spent in self.spent:
                    yield Look(self.path((x, spent), (y, n - spent)), frozenset([names[y]]))

    def expected_interactions(self) -> int:
        """Of one learner, training and tests, as far as the worlds of the tasks tell."""
        long = {one.identity: horizon(one.world) or 1 for one in self.tasks}
        looks = joined_looks(self.looks(0))
        tests = sum(long[name] for look in looks for name in look.tests)
        return effort(looks).shared.interactions + tests * self.episodes

    @property
    def spent(self) -> list[int]:
        """How many interactions of a budget are spent in X."""
        return [round(self.interactions * share) for share in SHARES]

    def turns(self, root: Key, x: int, y: int) -> Path:
        """Two tasks by turns, as this learner has them."""
        one, two = self.tasks[x], self.tasks[y]
        return by_turns(one, two, self.interactions, key(root, "turns", one.identity, two.identity))


@dataclass(frozen=True)
class Transferred:
    """What came of it."""

    table: TransferTable
    seed: Key
    is_kept: bool
    """Whether the subject could be saved; else it was trained anew for every look."""
    count: Count
    """What it took, all learners together."""


def learner_root(root: Key, number: int) -> Key:
    """The root of the draws of a learner, from the stretched seed of a run or a repetition."""
    return key(key(root, "transfer"), "learner", number)


def run_transfer(
    study: TransferStudy,
    seed: Key,
    *,
    threads: int | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Transferred:
    """Train and look; the same seed gives the same table to the bit, whatever the number of threads.

    ``tell`` hears how many tests of how many are done.
    """
    stages = Stages(study.subject, study.tasks, in_process=study.in_process, limits=study.limits)
    root = stretched(seed)
    roots = [learner_root(root, number) for number in range(study.learners)]
    wanted = [list(study.looks(one)) for one in roots]
    total = sum(len({(one.path, test) for one in looks for test in one.tests}) for looks in wanted)
    stop, lock, done = Event(), Lock(), [0]

    def tested() -> None:
        with lock:
            done[0] += 1
            if tell is not None:
                tell(done[0], total)

    def learner(number: int) -> Seen:
        tree = TrainingTree(
            stages, roots[number], episodes=study.episodes, stop=stop, tested=tested
        )
        return tree.look(wanted[number])

    workers = min(threads or cpu_count() or 1, study.learners) if stages.concurrent else 1
    if workers == 1:
        seen = [learner(number) for number in range(study.learners)]
    else:
        seen = _side_by_side(learner, study.learners, workers, stop)
    return Transferred(
        table_of(study, stages, roots, seen),
        seed,
        all(one.is_kept for one in seen),
        total_of(one.count for one in seen),
    )


def total_of(counts: Iterable[Count]) -> Count:
    """What several learners took."""
    found = [asdict(one) for one in counts]
    return Count(**{one.name: sum(row[one.name] for row in found) for one in fields(Count)})


def _side_by_side(
    learner: Callable[[int], Seen], learners: int, workers: int, stop: Event
) -> list[Seen]:
    """All learners, some at a time; the first error, or Ctrl-C, ends the others."""
    with ThreadPoolExecutor(workers) as pool:
        futures: list[Future[Seen]] = [pool.submit(learner, number) for number in range(learners)]
        try:
            ended, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for one in ended:
                error = one.exception()
                if error is not None and not isinstance(error, Stopped):
                    raise error
            return [one.result() for one in futures]
        finally:
            stop.set()
            for one in futures:
                one.cancel()


def table_of(
    study: TransferStudy, stages: Stages, roots: Sequence[Key], seen: Sequence[Seen]
) -> TransferTable:
    """What was seen of learners, each with the root of its draws, as a table."""
    n, names = study.interactions, [one.identity for one in study.tasks]
    table = TransferTable.empty(
        study.label or study.subject,
        tuple(one.name for one in study.tasks),
        n,
        study.cuts,
        SHARES if study.measures == "all" else (),
        len(seen),
    )
    many = range(len(names))
    for i, (root, one) in enumerate(zip(roots, seen, strict=True)):
        p, added = one.performance, one.added
        for x in many:
            trained = study.path((x, n))
            table.newborn[i, x] = p[(), names[x]]
            if not study.curves_only:
                table.raw[i, x] = [p[trained, name] for name in names]
            paths = [study.path((x, cut)) for cut in study.cuts]
            table.curves[i, x] = [p[path, names[x]] for path in paths]
            table.bits[i, x] = one.bits.get(trained, np.nan)
            table.added_alone[i, x] = [added.get(path, np.nan) for path in paths]
        for x, y in study.ordered:
            paths = [study.path((x, n), (y, cut)) for cut in study.cuts]
            table.after[i, x, y] = [p[path, names[y]] for path in paths]
            table.added_after[i, x, y] = [added.get(path, np.nan) for path in paths]
            if one.added:
                table.added_after[i, x, y, 0] = 0.0
            table.back[i, x, y] = p[paths[-1], names[x]]
            table.more[i, x] = p[study.path((x, 2 * n)), names[x]]
            if study.measures == "all":
                table.turns[i, x, y] = p[study.turns(root, x, y), names[y]]
                table.half[i, y] = p[study.path((y, n // 2)), names[y]]
                table.splits[i, x, y] = [
                    p[study.path((x, spent), (y, n - spent)), names[y]] for spent in study.spent
                ]
    return replace(table, apart=_apart(study.tasks, stages, study.norm))


def check_norm(norm: str) -> None:
    """Raise if nothing is called so that makes a distance."""
    if norm not in NORMS:
        raise MensuraError(f"{norm!r} is no distance between tasks; {', '.join(NORMS)} are.")


def _apart(tasks: Sequence[TrainingTask], stages: Stages, norm: Norm) -> Floats:
    """The distances between single environments of one world, by their complexities and numbers among parameters."""
    unknown: Floats = np.full((len(tasks), len(tasks)), np.nan)
    single = all(one.environment is not None or one.description is not None for one in tasks)
    if not single or len({one.world.id for one in tasks}) > 1:
        return unknown
    rows = []
    for task in tasks:
        world = stages[task.identity].world
        description, _ = stages[task.identity].draw(0)
        numbers = [
            float(value)
            for value in plain_parameters(task.world).values()
            if isinstance(value, int | float)
        ]
        rows.append([world.complexity(description, name) for name in world.measures] + numbers)
    if len({len(row) for row in rows}) > 1 or not np.isfinite(rows).all():
        return unknown
    return distances(rows, norm)
