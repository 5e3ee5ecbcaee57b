"""Running a study for whoever asks, in Python or by a command: into a store or without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mensura.api.naming import AtHand
from mensura.api.results import Result
from mensura.studies import runs
from mensura.studies.expand import expand

if TYPE_CHECKING:
    from mensura.core.keys import Key
    from mensura.records.cell import Cell
    from mensura.records.run import Run
    from mensura.records.store import Store
    from mensura.studies.study import Study

Watching: TypeAlias = Callable[[int, int], AbstractContextManager[Any]]
"""Shows progress, given how many sittings there are and how many are done: a context with a watcher."""


def watching(progress: bool, unit: str = "episodes") -> Watching:
    """A bar in a terminal or a line now and then; or nothing."""

    def shown(total: int, done: int) -> AbstractContextManager[Any]:
        from mensura.api.progress import progress as bar

        return bar(total, done=done, unit=unit)

    return shown if progress else lambda total, done: nullcontext()


def is_costly(cells: Sequence[Cell]) -> bool:
    """Whether answers cost money, or people's time: they are never asked for twice, so such a run is always kept."""
    return any(cell.ask_once for cell in cells)


def run_study(
    study: Study,
    *,
    seed: Key | None = None,
    manner: runs.Manner,
    watch: Watching,
    command: str = "",
    at_hand: AtHand | None = None,
) -> Result:
    """Run a study without a store."""
    at_hand = at_hand or AtHand()
    with at_hand.lend():
        total = sum(cell.sittings for cell in expand(study))
        with watch(total, 0) as watcher:
            details = runs.run_study(
                study, seed=seed, manner=manner, watcher=watcher, command=command
            )
    return Result(details, at_hand=at_hand)


def run_kept(
    study: Study,
    store: str | Path | None,
    *,
    seed: Key | None = None,
    name: str = "",
    manner: runs.Manner,
    watch: Watching,
    command: str = "",
    fresh_seed: bool | None = None,
    unfinished: bool = False,
    begun: Callable[[Run], None] | None = None,
    at_hand: AtHand | None = None,
) -> Result:
    """Run a study into a store, or go on with the run that is there; ``begun`` hears of the run before it is played."""
    from mensura.records.store import open_store

    at_hand = at_hand or AtHand()
    with at_hand.lend(), open_store(store) as records:
        run = runs.begin(
            records, study, seed=seed, name=name, command=command, fresh_seed=fresh_seed
        )
        if begun is not None:
            begun(run)
        return go_on(
            records, run, manner=manner, watch=watch, unfinished=unfinished, at_hand=at_hand
        )


def go_on(
    records: Store,
    run: Run,
    *,
    manner: runs.Manner,
    watch: Watching,
    unfinished: bool = False,
    at_hand: AtHand | None = None,
    samples: bool = True,
) -> Result:
    """Play what is missing of a run; its single scores are read, unless nobody wants these ``samples``."""
    with watch(run.sittings, records.progress(run).done) as watcher:
        details = runs.resume(records, run, manner=manner, watcher=watcher, unfinished=unfinished)
    read = records.samples(run) if samples else ()
    return Result(details, read, store=records.url, at_hand=at_hand)
