"""Running a study for whoever asks, in Python or by a command: into a store or without one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mensura.api.live_spending import Spending
from mensura.api.naming import AtHand
from mensura.api.results import Result
from mensura.studies import runs
from mensura.studies.spent import spent_before

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store
    from mensura.studies.layout import Layout

Watching: TypeAlias = Callable[[int, int, Spending], AbstractContextManager[Any]]
"""Shows progress, given how many sittings there are, how many are done, and what language models take.

It is a context with a watcher.
"""


def watching(progress: bool, unit: str = "episodes") -> Watching:
    """A bar in a terminal or a line now and then; or nothing."""

    def shown(total: int, done: int, spending: Spending) -> AbstractContextManager[Any]:
        from mensura.api.progress import progress as bar

        return bar(total, done=done, unit=unit, spending=spending)

    return shown if progress else lambda total, done, spending: nullcontext()


def run_study(
    layout: Layout,
    *,
    manner: runs.Manner,
    watch: Watching,
    command: str = "",
    at_hand: AtHand | None = None,
) -> Result:
    """Run a study that is laid out, without a store."""
    at_hand = at_hand or AtHand()
    with at_hand.lend(), watch(layout.sittings, 0, Spending()) as watcher:
        details = runs.run_study(layout, manner=manner, watcher=watcher, command=command)
    return Result(details, at_hand=at_hand)


def run_in_store(
    layout: Layout,
    store: str | Path | None,
    *,
    name: str = "",
    manner: runs.Manner,
    watch: Watching,
    command: str = "",
    fresh_seed: bool | None = None,
    unfinished: bool = False,
    begun: Callable[[Run], None] | None = None,
    at_hand: AtHand | None = None,
    more: bool = False,
) -> Result:
    """Run a study that is laid out into a store, or go on with the run that is there.

    ``begun`` hears of the run before it is played. ``more``: its sittings do not finish it.
    """
    from mensura.records.store import open_store

    at_hand = at_hand or AtHand()
    with at_hand.lend(), open_store(store) as records:
        run = runs.begin(records, layout, name=name, command=command, fresh_seed=fresh_seed)
        if begun is not None:
            begun(run)
        return go_on(
            records,
            run,
            manner=manner,
            watch=watch,
            unfinished=unfinished,
            at_hand=at_hand,
            layout=layout,
            more=more,
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
    layout: Layout | None = None,
    more: bool = False,
) -> Result:
    """Play what is missing of a run; its single scores are read, unless nobody wants these ``samples``.

    ``layout``: of the study from which it was begun in this process. ``more``: its sittings do not finish it.
    """
    spending = Spending(*spent_before(records, run))
    with watch(run.sittings, records.progress(run).done, spending) as watcher:
        details = runs.resume(
            records,
            run,
            manner=manner,
            watcher=watcher,
            unfinished=unfinished,
            layout=layout,
            more=more,
        )
    read = records.samples(run) if samples else ()
    return Result(details, read, store=records.url, at_hand=at_hand)
