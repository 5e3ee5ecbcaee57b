"""How quickly a subject learns, by the complexity of what is learned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import seed_or_fresh
from mensura.agent.task import Limits
from mensura.api.assessing import are_paid, seconds_per_action
from mensura.api.kept_transfer import run_kept, study_of
from mensura.api.making import DEFAULT_WORLD, world_of
from mensura.api.naming import AtHand, Handed, Several, named
from mensura.api.result_warnings import warnings_of
from mensura.api.spending import Allow, learners_allowed
from mensura.api.tables import Shown, Table
from mensura.api.transferring import showing_progress
from mensura.core.abilities import measure_of
from mensura.core.contract import World
from mensura.records.results import plain_numbers, write_whole
from mensura.reports.learn_rate_page import rate_sheet, sentences, task_sheet
from mensura.statistics.learn_rate import LearnRate
from mensura.studies.family_file import read_family
from mensura.studies.learning import Learned, check_tasks, learned, tasks_of
from mensura.studies.phases import TrainingTask
from mensura.studies.transfer import TransferStudy, run_transfer
from mensura.studies.transfer_assessment import check_level


class Learning(Shown):
    """Times to a level by complexity, and the learn rate that they give."""

    def __init__(
        self, found: Learned, measure: str, name: str = "", warnings: Sequence[str] = ()
    ) -> None:
        self._found = found
        self.measure = measure
        """The complexity."""
        self.name = name
        """Of the run in the store; empty where it was not kept."""
        self.warnings = tuple(warnings)

    @property
    def rate(self) -> LearnRate | None:
        """The learn rate; None where nobody reached the level."""
        return self._found.rate

    @property
    def level(self) -> float | None:
        """The performance that is reached; None: halfway from newborns to the trained, in each task."""
        return self._found.level

    @property
    def seed(self) -> int:
        """From which the same numbers come again."""
        return self._found.result.seed

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        table = self._found.table
        used = int(self._found.used.sum())
        said = sentences(
            table.subject, self.rate, self.level, used, len(table.tasks), table.learners
        )
        if not self._found.result.is_kept:
            said.append(f"{table.subject} cannot be saved, so it was trained anew for every test.")
        return (*self.warnings, *said)

    def tables(self) -> list[Table]:
        """The coefficients with their check, and the tasks."""
        found = self._found
        sheets = [task_sheet(found.table, found.times, found.levels, found.told)]
        if self.rate is not None:
            sheets.insert(0, rate_sheet(found.table.subject, self.measure, self.rate, self.level))
        return [Table(*one) for one in sheets]

    def report(self, path: str | Path, command: str = "") -> Path:
        """Write the page, one HTML file with figures; where it went."""
        from mensura.api.reporting import check_can_report
        from mensura.reports.learn_rate_page import render_learn_rate

        check_can_report()
        found, where = self._found, Path(path)
        sheets = [(one.title, one.columns, one.rows) for one in self.tables()]
        page = render_learn_rate(
            found.table,
            found.times,
            found.told,
            self.measure,
            sheets,
            self.sentences,
            command,
            self.seed,
        )
        write_whole(where, page)
        return where

    def to_json(self) -> dict[str, Any]:
        """All of it as data that ``json.dump`` takes."""
        times = self._found.times
        data: dict[str, Any] = plain_numbers(
            {
                "seed": self.seed,
                "warnings": list(self.warnings),
                "level": self.level,
                "measure": self.measure,
                "rate": None if self.rate is None else self.rate.to_json(),
                "tasks": list(self._found.table.tasks),
                "complexity": times.complexity.tolist(),
                "size": times.size.tolist(),
                "times": times.times.tolist(),
                "reached": times.reached.tolist(),
                "levels": self._found.levels.tolist(),
                "told": self._found.told.tolist(),
            }
        )
        return data


def learn_rate(
    subject: Handed,
    world: str | World = DEFAULT_WORLD,
    *,
    family: str | Path | Sequence[TrainingTask] | None = None,
    preset: str | None = None,
    tasks: int = 20,
    interactions: int = 2000,
    learners: int = 8,
    episodes: int = 1,
    level: float | None = None,
    measure: str | None = None,
    seed: int | None = None,
    in_process: bool | None = None,
    timeout: float | None = None,
    threads: int | None = None,
    progress: bool = False,
    store: str | Path | None = None,
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
) -> Learning:
    """Measure how quickly a subject learns, as ``mensura learn-rate`` does: log T = -r + b c + d log s + noise.

    T is the interactions until a level of performance is reached, c the complexity of a task and s its size; r is the
    learn rate. It is checked on tasks that are left out.

    Args:
        subject: Who: an address ("q-learning", "agent.py:Mine"), a class, or a function that makes an agent.
        world: Where: a name, or a world that :func:`make` made.
        family: Tasks from a family file in the place of the environments of one world, as of different sizes.
        preset: Of a world that is given by name: a named set of parameters.
        tasks: How many environments of the world, by their seeds from 1 on; at least 6.
        interactions: Of training in each task.
        learners: How many learners are trained in each task, with other draws.
        episodes: Of each test.
        level: The performance that is reached, in [-1, 1]; by default halfway from newborns to the trained in each
            task, without those in which the trained are not surely better.
        measure: The complexity, where the world has several; its first by default.
        seed: The root of all draws; the same seed gives the same result. Drawn where it is left out.
        in_process: Run code from files inside this process, too.
        timeout: Seconds that code from a file or a program may take for an action.
        threads: How many learners at a time; by default as many as there are cores.
        progress: Show progress.
        store: Keep the run in this file or database, so that it goes on where it was stopped. Runs of language models
            are always kept.
        max_cost: What language models may cost in all. A request that might go beyond it is not sent.
        max_tokens: How many tokens they may read and write in all.
        max_hours: For how many hours they may be asked.
        confirm: Go ahead, also where language models take much money or time.

    Example:
        >>> import mensura as ms
        >>> world = ms.make("lambda", cells=4, actions=2)
        >>> found = ms.learn_rate("q-learning", world, tasks=6, interactions=64, learners=2, level=0.1, seed=1)
        >>> found.level
        0.1
    """
    return learn_rate_in(
        subject,
        chosen_tasks(family, world, preset, tasks),
        interactions=interactions,
        learners=learners,
        episodes=episodes,
        level=level,
        measure=measure,
        seed=seed,
        in_process=in_process,
        timeout=timeout,
        threads=threads,
        progress=progress,
        allow=learners_allowed(max_cost, max_tokens, max_hours, confirm),
        store=store,
    )


def learn_rate_in(
    subject: Several,
    tasks: tuple[TrainingTask, ...],
    *,
    interactions: int,
    learners: int,
    episodes: int,
    level: float | None,
    measure: str | None,
    seed: int | None,
    in_process: bool | None,
    timeout: float | None,
    threads: int | None,
    progress: bool,
    allow: Allow,
    store: str | Path | None = None,
    command: str = "",
) -> Learning:
    """The same in tasks that are made; ``allow``: what language models may take."""
    check_level(level)
    who = named(subject, in_process)
    if len(who) > 1:
        raise MensuraError(f"{len(who)} subjects were named; the learn rate is measured of one.")
    (one,) = who
    paid = one.factory is None and are_paid([one.address])
    study = TransferStudy(
        one.address,
        tasks,
        interactions,
        "raw",
        None,
        learners,
        episodes,
        one.in_process,
        Limits(seconds_per_action=timeout or seconds_per_action([one.address] if paid else [])),
        label=one.label,
        curves_only=True,
    )
    check_tasks(study, measure)
    made = {} if one.factory is None else {one.address.rpartition(":")[2]: one.factory}
    kept = ""
    is_kept = paid or store is not None
    warnings = warnings_of(who, [task.world for task in tasks], study.limits, say=not is_kept)
    if is_kept:
        result, kept = run_kept(
            study_of(study, one, seed, None, ""),
            AtHand(made),
            store,
            threads=threads,
            progress=progress,
            command=command,
            allow=allow,
        )
    else:
        with allow(()), AtHand(made).lend(), showing_progress(progress) as tell:
            result = run_transfer(study, seed_or_fresh(seed), threads=threads, tell=tell)
    found = learned(study, result, level, measure, result.seed)
    chosen = measure or measure_of(None, study.tasks[0].world)
    return Learning(found, chosen, kept, warnings)


def chosen_tasks(
    family: str | Path | Sequence[TrainingTask] | None,
    world: str | World,
    preset: str | None,
    count: int,
) -> tuple[TrainingTask, ...]:
    """The tasks of a family, or so many environments of a world."""
    if family is None:
        return tasks_of(world_of(world, preset), count)
    if isinstance(family, str | Path):
        return read_family(Path(family), world, preset)
    return tuple(family)
