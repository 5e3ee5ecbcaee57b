"""Progress of a run: a bar in a terminal, a line now and then elsewhere, events for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from mensura.api.live_spending import Spending
from mensura.core.steps import RUNNING
from mensura.core.visible import visible_line
from mensura.records.results import plain_numbers
from mensura.reports.number_words import seconds
from mensura.terminal.output import aside, complain, live

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from mensura.records.batch import Batch
    from mensura.records.cell import Cell
    from mensura.records.rows import RowFile
    from mensura.studies.desk import Job
    from mensura.studies.stepped import Step

PLAIN_INTERVAL = 5.0
"""Seconds between lines of progress where there is no terminal."""

EVENT_INTERVAL = 0.5
"""Seconds between events of progress."""

SHOWN = 6
"""So many sittings under way are shown."""

STALE = 60.0
"""Seconds after which a sitting of which nothing was heard is no longer shown."""

SPARKS = 30
"""So many episodes of a path are drawn."""

DEATHS = 5
"""So many deaths of workers are told one by one; more are only counted."""


class Pace:
    """How far a run is and how fast it goes: what every kind of progress tells."""

    def __init__(
        self,
        total: int,
        done: int = 0,
        unit: str = "sittings",
        spending: Spending | None = None,
    ) -> None:
        self.total = total
        self.spending = spending or Spending()
        """What language models take."""
        self.unit = unit
        """What is counted: sittings, or what the assessment calls them, as episodes or chains."""
        self.done = done
        self.faults = 0
        self.deaths = 0
        self.subject = ""
        self._begun = monotonic()
        self._before = done
        self._told = monotonic()

    def counted(self, cell: Cell, batch: Batch) -> None:
        """Sittings are done."""
        self.done += len(batch)
        self.faults += int(batch.fault_count.sum())
        self.subject = cell.name
        self.spending.counted(batch)

    @property
    def rate(self) -> float:
        """Sittings a second, since this stretch of the run began."""
        return (self.done - self._before) / max(monotonic() - self._begun, 1e-9)

    @property
    def left(self) -> float | None:
        """Seconds that are left at this pace."""
        return (self.total - self.done) / self.rate if self.rate else None

    def due(self, interval: float) -> bool:
        """Whether it is time to say something again."""
        if monotonic() - self._told < interval:
            return False
        self._told = monotonic()
        return True


class Paths:
    """Where the sittings under way are: complexity, slot, reward and score of the last episode of each."""

    def __init__(self) -> None:
        self._steps: dict[tuple[str, int], list[Step]] = {}
        self._latest: dict[tuple[str, int], float] = {}

    def add(self, cell: Cell, step: Step) -> None:
        """One more episode; only sittings of several have a path."""
        sitting = cell.name, step.item
        if step.sequence or step.slot is not None:
            self._steps.setdefault(sitting, []).append(step)
            self._latest[sitting] = monotonic()
        stale = [one for one, at in self._latest.items() if monotonic() - at > STALE]
        for one in [*stale, *sorted(self._latest, key=lambda one: self._latest[one])[:-SHOWN]]:
            self._steps.pop(one, None)
            self._latest.pop(one, None)

    def drop(self, cell: Cell, items: Sequence[int]) -> None:
        """Sittings that are over."""
        for item in items:
            self._steps.pop((cell.name, item), None)
            self._latest.pop((cell.name, item), None)

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="dim")
        if not self._steps:
            return table
        for name in ("", "chain", "environment", "complexity", "slot", "reward", "score", "path"):
            table.add_column(name, justify="left" if name in ("", "path") else "right")
        for (name, item), steps in self._steps.items():
            last = steps[-1]
            running = last.measures.get(RUNNING)
            table.add_row(
                visible_line(name)[:16],
                str(item + 1),
                str(last.sequence + 1),
                f"{last.complexity:.4g}",
                "" if last.slot is None else f"{last.slot:,.4g}",
                f"{last.reward:+.2f}",
                "" if running is None else f"{running:+.3f}",
                sparks([step.complexity for step in steps[-SPARKS:]]),
            )
        return table


def sparks(values: Sequence[float]) -> str:
    """A line of little bars, the least value lowest."""
    known = [value for value in values if value == value]
    if not known:
        return ""
    low, high = min(known), max(known)
    bars = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
    width = (high - low) or 1.0
    return "".join(
        bars[round((value - low) / width * (len(bars) - 1))] if value == value else " "
        for value in values
    )


def told(cell: Cell, step: Step) -> str:
    """An episode on the path of a sitting in words."""
    slot = "" if step.slot is None else f", slot {step.slot:,.4g}"
    running = step.measures.get(RUNNING)
    score = "" if running is None else f", score before it {running:+.3f}"
    complexity = "" if math.isnan(step.complexity) else f"complexity {step.complexity:.4g}"
    found = f"reward {step.reward:+.3f}{score}"
    return f"{cell.name}, item {step.item}, environment {step.sequence + 1}: " + ", ".join(
        filter(None, [f"{complexity}{slot}".removeprefix(", "), found])
    )


class Bar:
    """A bar in a terminal, and above it the paths of sittings under way."""

    def __init__(self, pace: Pace, progress: Progress, task: TaskID, paths: Paths) -> None:
        self.pace = pace
        self._progress = progress
        self._task = task
        self._paths = paths

    def stepped(self, cell: Cell, step: Step) -> None:
        """Show where it is."""
        self._paths.add(cell, step)

    def counted(self, cell: Cell, batch: Batch) -> None:
        """Move on."""
        self.pace.counted(cell, batch)
        self._paths.drop(cell, batch.item.tolist())
        faults = f", {self.pace.faults} faults" if self.pace.faults else ""
        self._progress.update(
            self._task,
            completed=self.pace.done,
            description=visible_line(cell.name)[:16],
            pace=f"{_figure(self.pace.rate)}/s{faults}",
        )

    def died(self, cell: Cell, job: Job, death: str) -> None:
        """Say who died."""
        self.pace.deaths += 1
        if self.pace.deaths <= DEATHS:
            self._progress.console.print(_obituary(cell, job, death))


class Lines:
    """A line now and then where there is no terminal."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace

    def counted(self, cell: Cell, batch: Batch) -> None:
        """Say how far it is, not too often."""
        pace = self.pace
        pace.counted(cell, batch)
        if pace.due(PLAIN_INTERVAL):
            left = "" if pace.left is None else f", {seconds(pace.left)} left"
            faults = f", {pace.faults} faults" if pace.faults else ""
            spent = f", {pace.spending}" if pace.spending.is_known else ""
            complain(
                f"{pace.done} of {pace.total} {pace.unit}, {_figure(pace.rate)}/s{left}{faults}{spent}, now {cell.name}"
            )

    def stepped(self, cell: Cell, step: Step) -> None:
        """Say where a sitting is that takes long."""
        if (step.sequence or step.slot is not None) and self.pace.due(PLAIN_INTERVAL):
            spent = f", {self.pace.spending}" if self.pace.spending.is_known else ""
            complain(f"{told(cell, step)}{spent}")

    def died(self, cell: Cell, job: Job, death: str) -> None:
        """Say who died."""
        self.pace.deaths += 1
        if self.pace.deaths <= DEATHS:
            complain(_obituary(cell, job, death))


class Events:
    """A JSON object a line on standard output, for programs that follow a run."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace

    def say(self, event: str, **facts: Any) -> None:
        """Write an event."""
        line = json.dumps({"event": event, **facts})
        sys.stdout.write(line.replace("\x7f", "\\u007f") + "\n")  # which JSON leaves as it is
        sys.stdout.flush()

    def counted(self, cell: Cell, batch: Batch) -> None:
        """How far it is, not too often, and always at the end."""
        pace = self.pace
        pace.counted(cell, batch)
        if pace.due(EVENT_INTERVAL) or pace.done == pace.total:
            self.say(
                "progress",
                done=pace.done,
                total=pace.total,
                per_second=round(pace.rate, 3),
                seconds_left=None if pace.left is None else round(pace.left, 1),
                faults=pace.faults,
                deaths=pace.deaths,
                condition=cell.condition,
                subject=cell.name,
                **({"spent": pace.spending.to_json()} if pace.spending.is_known else {}),
            )

    def stepped(self, cell: Cell, step: Step) -> None:
        """Where a sitting of several episodes is."""
        if step.sequence or step.slot is not None:
            self.say(
                "episode",
                condition=cell.condition,
                subject=cell.name,
                sitting=step.item,
                episode=step.sequence,
                complexity=plain_numbers(step.complexity),
                slot=step.slot,
                interactions=step.interactions,
                reward=step.reward,
                measures=plain_numbers(step.measures),
            )

    def died(self, cell: Cell, job: Job, death: str) -> None:
        """A worker died over a job."""
        self.pace.deaths += 1
        self.say(
            "death",
            condition=cell.condition,
            subject=cell.name,
            first=job.first,
            count=job.count,
            attempt=job.attempt,
            reason=death,
        )


class Rows:
    """Writes a row for each assessed episode, those of a subject in their order."""

    def __init__(self, file: RowFile) -> None:
        self._file = file
        self._held: dict[int, dict[int, Batch]] = {}
        self._next: dict[int, int] = {}

    def counted(self, cell: Cell, batch: Batch) -> None:
        """Write what is in turn, hold what came early."""
        from mensura.records.rows import rows_of

        held = self._held.setdefault(cell.number, {})
        held[int(batch.item[0])] = batch
        at = self._next.get(cell.number, 0)
        while at in held:
            ready = held.pop(at)
            at += len(ready)
            self._file.write(rows_of(cell, ready))
        self._next[cell.number] = at

    def died(self, cell: Cell, job: Job, death: str) -> None:
        """Leaves no row."""

    def stepped(self, cell: Cell, step: Step) -> None:
        """Its row comes with its sitting."""


class Several:
    """Several watchers at once."""

    def __init__(self, watchers: Sequence[Any]) -> None:
        self._watchers = watchers

    def counted(self, cell: Cell, batch: Batch) -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.counted(cell, batch)

    def died(self, cell: Cell, job: Job, death: str) -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.died(cell, job, death)

    def stepped(self, cell: Cell, step: Step) -> None:
        """Tell all."""
        for watcher in self._watchers:
            watcher.stepped(cell, step)


@contextmanager
def progress(
    total: int,
    rows: Path | None = None,
    *,
    done: int = 0,
    events: bool = False,
    unit: str = "sittings",
    spending: Spending | None = None,
) -> Iterator[Any]:
    """Show progress over so many sittings, under the name that the assessment has for them.

    ``spending`` is what language models take, where some was taken before.
    """
    from mensura.records.rows import RowFile

    out = aside()
    pace = Pace(total, done, unit, spending)
    file = RowFile(rows) if rows is not None else None
    others = [Rows(file)] if file is not None else []
    try:
        if events:
            yield Several([Events(pace), *others])
        elif out.is_terminal:
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                SpinnerColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.text import Text

            paths = Paths()

            class WithPaths(Progress):
                """A bar with the paths above it, and below it what language models take."""

                def get_renderables(self) -> Any:
                    yield paths
                    yield from super().get_renderables()
                    if pace.spending.is_known:
                        yield Text(f"  {pace.spending}")

            with (
                WithPaths(
                    SpinnerColumn(),
                    TextColumn("{task.description:16}", markup=False),
                    BarColumn(bar_width=12),
                    MofNCompleteColumn(),
                    TextColumn(f"{unit}, {{task.fields[pace]}}"),
                    TimeElapsedColumn(),
                    TimeRemainingColumn(),
                    console=out,
                    transient=True,
                ) as bar,
                live(out),
            ):
                task = bar.add_task("starting", total=total, completed=done, pace="")
                yield Several([Bar(pace, bar, task, paths), *others])
        else:
            yield Several([Lines(pace), *others])
    finally:
        if file is not None:
            file.close()


def _obituary(cell: Cell, job: Job, death: str) -> str:
    which = (
        f"item {job.first}"
        if job.count == 1
        else f"items {job.first} to {job.first + job.count - 1}"
    )
    return f"{which} of {cell.name}: {death}; attempt {job.attempt}, played again"


def _figure(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"
