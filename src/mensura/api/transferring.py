"""What a subject takes from one task to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.agent.keys import seed_or_fresh
from mensura.agent.task import Limits
from mensura.api.assessing import are_paid, seconds_per_action
from mensura.api.kept_transfer import is_transfer, run_kept, study_of, transferred
from mensura.api.making import world_of
from mensura.api.naming import AtHand, Handed, Several, named
from mensura.api.result_warnings import warnings_of, warnings_of_run
from mensura.api.spending import Allow, learners_allowed
from mensura.api.tables import Shown, Table
from mensura.core.contract import World
from mensura.records.results import plain_numbers, write_whole
from mensura.reports.transfer_page import matrix_sheet, measure_sheets, sentences
from mensura.statistics.transfer import Norm
from mensura.statistics.transfer_table import Pair, TransferTable
from mensura.studies.family_file import family_from_plain, read_family
from mensura.studies.phases import TrainingTask
from mensura.studies.transfer import Measures, Transferred, TransferStudy, run_transfer
from mensura.studies.transfer_assessment import check_level

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store
    from mensura.statistics.interval import Estimate

TaskLike: TypeAlias = str | World | tuple[str | World, int] | Mapping[str, Any]
"""A task as people hand it over: a world, a world and the seed of an environment, or an entry of a family file."""

MOST_ROWS = 12
"""More pairs than that are on the page and in the data, but not in the terminal."""


class Transfer(Shown):
    """Transfer among tasks: the matrix, and the measures of each pair."""

    def __init__(
        self,
        result: Transferred,
        pairs: Sequence[tuple[int, int]] | None = None,
        level: float | None = None,
        name: str = "",
        warnings: Sequence[str] = (),
    ) -> None:
        self.result = result
        """What came of the training, as it is kept."""
        self.name = name
        """Of the run in the store; empty where it was not kept."""
        self.warnings = tuple(warnings)
        many = range(len(result.table.tasks))
        pairs = pairs or [(a, b) for a in many for b in many if a != b]
        self.pairs: tuple[Pair, ...] = tuple(self.table.pair(x, y, level) for x, y in pairs)
        """The measures of each pair of tasks."""

    @property
    def table(self) -> TransferTable:
        """All that was measured, by learner."""
        return self.result.table

    @property
    def seed(self) -> int:
        """From which the same numbers come again."""
        return self.result.seed

    @property
    def trainings(self) -> int:
        """How many phases of training were begun, all learners together."""
        return self.result.count.trainings

    @property
    def matrix(self) -> list[list[Estimate]]:
        """Raw transfer: rows are what was trained in, columns what was tested."""
        return self.table.matrix()

    @property
    def notes(self) -> tuple[str, ...]:
        """What readers should know of how it was measured."""
        count, said = self.result.count, []
        if not self.result.is_kept:
            said.append(
                f"{self.table.subject} cannot be saved, so it was trained anew for every cell, {count.trainings:,} "
                "times. An agent with save() and load(memory) is trained once for a whole row."
            )
        if count.faults:
            said.append(
                f"{count.faults:,} answers were none, and the environment's default was played in their place."
            )
        return tuple(said)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the matrix says, and what to know of it."""
        return (*self.warnings, *sentences(self.table), *self.notes)

    def tables(self) -> list[Table]:
        """The matrix, and the measures where there are few pairs."""
        sheets = [matrix_sheet(self.table)]
        if len(self.pairs) <= MOST_ROWS:
            sheets += measure_sheets(self.pairs)
        return [Table(*one) for one in sheets]

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write the page, one HTML file with figures; where it went."""
        from mensura.api.reporting import check_can_report

        check_can_report()
        where = Path(path)
        write_whole(where, transfer_page([self], command))
        return where

    def to_json(self) -> dict[str, Any]:
        """All of it as data that ``json.dump`` takes."""
        data: dict[str, Any] = plain_numbers(
            {
                "seed": self.seed,
                "warnings": list(self.warnings),
                "saved": self.result.is_kept,
                "trainings": self.trainings,
                "measured": self.table.to_json(),
                "pairs": [one.to_json() for one in self.pairs],
            }
        )
        return data


def transfer(
    subject: Handed,
    x: TaskLike | str | Path | Sequence[TaskLike],
    y: TaskLike | None = None,
    *,
    interactions: int = 2000,
    measures: Measures | None = None,
    learners: int = 8,
    episodes: int = 10,
    level: float | None = None,
    seed: int | None = None,
    in_process: bool | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    store: str | Path | None = None,
    name: str = "",
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
) -> Transfer:
    """Measure what a subject takes from one task to another, as ``mensura transfer`` does.

    Args:
        subject: Who: an address ("q-learning", "agent.py:Mine"), a class, or a function that makes an agent. One with
            ``save`` and ``load`` is trained once for each task; another is trained anew for every cell. What a language
            model ("openai:MODEL") has learned is its conversation; its runs are always kept in a store.
        x: The task that is trained in first: a world, by name or made; a world and the seed of one of its environments,
            as ``("lambda", 1)``; or a mapping as in a family file. Without ``y``: a list of tasks, or a family file.
        y: The task that the subject comes to afterwards.
        interactions: Of each phase of training.
        measures: "raw" is the matrix with learning curves; "pairs" also trains in each task after each other one, for
            gain, forgetting and saved time; "all" adds splits of a budget, training by turns and knowledge in bits. By
            default "all" from ``x`` to ``y`` and "raw" in a family.
        learners: Repetitions with other draws; intervals are over them.
        episodes: Of each test.
        level: The performance at which times and knowledge are compared; by default halfway from newborns to those who
            trained in the task.
        seed: The root of all draws; the same seed gives the same result. Drawn where it is left out.
        in_process: Run code from files inside this process, too.
        timeout: Seconds that code from a file or a program may take for an action.
        threads: How many learners at a time; by default as many as there are cores.
        progress: Show progress.
        store: Keep the run in this file or database, so that it goes on where it was stopped.
        name: Keep the run under this name; the same again without one goes on, too.
        max_cost: What language models may cost in all. A request that might go beyond it is not sent.
        max_tokens: How many tokens they may read and write in all.
        max_hours: For how many hours they may be asked.
        confirm: Go ahead, also where language models take much money or time.

    Example:
        >>> import mensura as ms
        >>> world = ms.make("lambda", cells=4, actions=2)
        >>> found = ms.transfer("q-learning", (world, 1), (world, 2), interactions=100, learners=2, seed=1)
        >>> list(found.pairs[0].measures)[:4]
        ['raw transfer', 'jump-start', 'loss', 'regret']
    """
    tasks = _family(x) if y is None else (_task(x, "X"), _task(y, "Y"))
    return transfer_among(
        subject,
        tasks,
        interactions=interactions,
        measures=measures or ("raw" if y is None else "all"),
        pairs=None if y is None else ((0, 1),),
        learners=learners,
        episodes=episodes,
        level=level,
        seed=seed,
        in_process=in_process,
        timeout=timeout,
        threads=threads,
        progress=progress,
        store=store,
        name=name,
        allow=learners_allowed(max_cost, max_tokens, max_hours, confirm),
    )


def transfer_among(
    subject: Several,
    tasks: Sequence[TrainingTask],
    *,
    interactions: int,
    measures: Measures,
    pairs: tuple[tuple[int, int], ...] | None = None,
    learners: int,
    episodes: int,
    norm: Norm = "manhattan",
    level: float | None = None,
    seed: int | None = None,
    in_process: bool | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    store: str | Path | None = None,
    name: str = "",
    command: str = "",
    allow: Allow | None = None,
) -> Transfer:
    """The same among tasks that are made; ``allow``: what language models may take."""
    who = named(subject, in_process)
    if len(who) > 1:
        raise MensuraError(f"{len(who)} subjects were named; transfer is measured of one.")
    (one,) = who
    paid = one.factory is None and are_paid([one.address])
    study = TransferStudy(
        one.address,
        tuple(tasks),
        interactions,
        measures,
        pairs,
        learners,
        episodes,
        one.in_process,
        Limits(seconds_per_action=timeout or seconds_per_action([one.address] if paid else [])),
        label=one.label,
        norm=norm,
    )
    check_level(level)
    allow = allow or learners_allowed()
    made = {} if one.factory is None else {one.address.rpartition(":")[2]: one.factory}
    is_kept = bool(store is not None or name or paid)
    warnings = warnings_of(who, [task.world for task in tasks], study.limits, say=not is_kept)
    if is_kept:
        result, kept = run_kept(
            study_of(study, one, seed, level, name),
            AtHand(made),
            store,
            threads=threads,
            progress=progress,
            command=command,
            allow=allow,
        )
        return Transfer(result, pairs, level, kept, warnings)
    with allow(()), AtHand(made).lend(), showing_progress(progress) as tell:
        result = run_transfer(study, seed_or_fresh(seed), threads=threads, tell=tell)
    return Transfer(result, pairs, level, warnings=warnings)


def transfer_page(found: Sequence[Transfer], command: str = "") -> str:
    """The page of what was found, one subject after another."""
    from mensura.reports.transfer_page import Found, render_transfer

    told = [Found(one.table, one.pairs, (*one.warnings, *one.notes)) for one in found]
    return render_transfer(told, command, found[0].seed)


def transfers_of(records: Store, run: Run) -> list[Transfer]:
    """What a run in a store found of transfer, from its records alone, one for each subject and world.

    None where a run is about something else, too.
    """
    if not is_transfer(records, run):
        return []
    given = [
        cell.assessment_parameters for cell in records.cells(run) if cell.assessment == "transfer"
    ]
    found = transferred(records, run)
    warnings = warnings_of_run(records, run)
    return [
        Transfer(one, [(0, 1)] if how["one_way"] else None, how["level"], run.name, warnings)
        for one, how in zip(found, given, strict=True)
    ]


@contextmanager
def showing_progress(wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Says how far it is, where that is wanted."""
    if not wanted:
        yield None
        return
    from mensura.terminal.output import status

    with status("Training") as now:
        yield lambda done, total: now(f"Training: {done:,} of {total:,} tests done")


def _family(given: Any) -> tuple[TrainingTask, ...]:
    if isinstance(given, str | Path):
        return read_family(Path(given))
    if isinstance(given, Sequence):
        tasks = [_task(one, str(i + 1)) for i, one in enumerate(given)]
        if len(tasks) > 1:
            return tuple(tasks)
    raise MensuraError(
        "Transfer is from one task to another; hand over two tasks, a list of at least 2, or a family file."
    )


def _task(given: Any, name: str) -> TrainingTask:
    """A task that somebody handed over."""
    if isinstance(given, TrainingTask):
        return given
    if isinstance(given, Mapping):
        entry = {"name": name, **given}
        return family_from_plain({"mensura": 1, "tasks": [entry]}, least=1)[0]
    if isinstance(given, tuple):
        if len(given) != 2:
            raise MensuraError(
                f"A tuple of {len(given)} is no task; a world and the seed of an environment are one."
            )
        return TrainingTask(name, world_of(given[0]), seed_or_fresh(given[1]))
    return TrainingTask(name, world_of(given))
