"""Running a study: into a store, where it can be stopped and resumed, or without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.core.players import Unanswered
from mensura.core.registry import WORLDS
from mensura.core.yaml_text import shown
from mensura.records.batch import Batch
from mensura.records.cell import Cell, has_people, held
from mensura.records.holding import NOT_RECORDED, joined
from mensura.records.results import StudyResult
from mensura.records.run import NewRun, Run
from mensura.records.samples import SampleCollector, collected_samples
from mensura.records.summary import empty, summarize
from mensura.records.tally import Tally
from mensura.studies import begun_sittings
from mensura.studies.executors import make_executor
from mensura.studies.executors.executor import Executor, Lost
from mensura.studies.files import differences
from mensura.studies.holding import holdings_of, warn_of
from mensura.studies.layout import Layout, lay_out
from mensura.studies.place import Place, PlaceMaker
from mensura.studies.pools_of_runs import pools_needed, shelve_pools
from mensura.studies.runner import Watcher, add_up, conduct, stopped_early, unrecorded
from mensura.studies.study import Study, study_hash
from mensura.studies.subjects import asks_once, isolation_of

if TYPE_CHECKING:
    from mensura.records.store import Store


@dataclass(frozen=True)
class Manner:
    """How a run is computed; it changes no number of the result."""

    executor: str = "auto"
    workers: int | None = None
    """All cores if None."""
    address: str | None = None
    """Of a running Ray cluster."""
    device: str | None = None
    """Where whole sittings of built-in subjects are played, "cpu" or "gpu"; None: where the study says."""

    def made(
        self, places: Sequence[Place], device: str = "cpu"
    ) -> tuple[Sequence[Place], Executor]:
        """These places on the device where they are played, and the executor for them.

        ``device`` is that of the study.
        """
        chosen = self.device or device
        there = places if chosen == "cpu" else [replace(one, device=chosen) for one in places]
        return there, self.make(there, device)

    def make(self, places: Sequence[Place], device: str = "cpu") -> Executor:
        """The executor for these places; ``device`` is that of the study."""
        concurrent = all(place.concurrent for place in places)
        polled = max((place.waits for place in places if place.polled), default=0)
        waits = max((place.waits for place in places), default=1)
        return make_executor(
            self.executor,
            self.workers,
            self.address,
            concurrent,
            polled,
            waits,
            self.device or device,
        )


def run_study(
    study: Study | Layout,
    *,
    seed: Key | None = None,
    manner: Manner | None = None,
    watcher: Watcher | None = None,
    command: str = "",
) -> StudyResult:
    """Run a study, laid out or not, without a store; Ctrl-C leaves the result of what was played."""
    layout = study if isinstance(study, Layout) else lay_out(study, seed)
    cells, places = layout.cells, layout.places
    warn_of(places)
    begun = perf_counter()
    cells = held(cells, holdings_of(places))
    tallies = [Tally(empty(cell)) for cell in cells]
    collectors = [SampleCollector(cell) for cell in cells]
    status = "finished"

    def sink(batches: list[Batch]) -> None:
        add_up(tallies, batches)
        for batch in batches:
            collectors[batch.cell].add(batch)

    try:
        conduct(
            *(manner or Manner()).made(places, layout.study.device),
            sink,
            watcher=watcher,
            unfinished=True,
        )
    except KeyboardInterrupt:
        if not any(tally.done for tally in tallies):
            raise
        status = "stopped"
    plain = {**layout.study.to_plain(), "seed": layout.seed}
    seconds = perf_counter() - begun
    facts = unrecorded(cells, layout.seed, seconds, study=plain, status=status, command=command)
    result = replace(summarize(facts, cells, tallies), samples=collected_samples(collectors))
    return _noted(result, cells)


def begin(
    store: Store,
    study: Study | Layout,
    *,
    seed: Key | None = None,
    name: str = "",
    command: str = "",
    fresh_seed: bool | None = None,
) -> Run:
    """The run of a study, laid out or not, in a store: the one that is there already, or a new one.

    ``fresh_seed``: whether the seed was drawn for this run; by default if neither the study nor ``seed`` has one. A run
    of the same name that belongs to another study is refused with what differs.
    """
    layout = study if isinstance(study, Layout) else lay_out(study, seed)
    name = name or layout.study.name
    plain = {**layout.study.to_plain(), "name": name}
    known = next((run for run in store.runs() if run.name == name), None)
    if known is None:
        reach(layout.places)
        plain["seed"] = layout.seed
        return store.begin(
            NewRun(
                name,
                layout.study.title,
                plain,
                study_hash(plain),
                layout.seed,
                held(layout.cells, holdings_of(layout.places)),
                command,
                isolation_of(layout.cells),
                layout.fresh if fresh_seed is None else fresh_seed,
                pools_needed(layout.places),
            )
        )
    plain["seed"] = known.seed if layout.fresh else layout.seed
    if study_hash(plain) != known.study_hash:
        changes = differences(known.study, plain)
        raise MensuraError(
            f"The run {name} already exists and the study has changed since: {'; '.join(changes[:5])}"
            f"{'; and more' if len(changes) > 5 else ''}. Give this one another name with --name, or delete that "
            f"one with: mensura runs delete {name}"
        )
    _refuse_other_defaults(known, store.cells(known), layout.cells)
    return known


def resume(
    store: Store,
    run: Run,
    *,
    manner: Manner | None = None,
    watcher: Watcher | None = None,
    unfinished: bool = False,
    layout: Layout | None = None,
    more: bool = False,
) -> StudyResult:
    """Play what is missing of a run; nothing if it is finished. Ctrl-C leaves it to be resumed.

    ``layout``: of the study from which the run was begun in this process, so that nothing is made a second time.

    ``more``: something beside its sittings is still to be measured, so that they do not finish it.

    With ``unfinished`` Ctrl-C counts the sittings under way with the scores that they have by then, where their
    assessment has one at any moment; else they are played from their beginning when the run is resumed.
    """
    if run.status == "finished":
        return store.result(run)
    cells = store.cells(run)
    if any(has_people(cell.subject) for cell in cells):
        raise MensuraError(
            f"The run {run.name} is a study of people, who answer in the browser: `mensura serve` goes on with it."
        )
    refuse_outdated(run, cells)
    shelve_pools(store, run)
    with store.seize(run) as lease:
        places = _places(cells, layout)
        warn_of(places)
        now = holdings_of(places, elsewhere=manner is not None and manner.address is not None)
        is_begun = any(map(np.any, store.done(run)))
        lease.keep_holdings(_held_until_now(cells, now) if is_begun else now)
        writing = False

        def commit(batches: list[Batch]) -> None:
            nonlocal writing
            writing = True
            lease.commit(batches)
            writing = False

        try:
            conduct(
                *(manner or Manner()).made(places, run.study.get("device", "cpu")),
                commit,
                done=store.done(run),
                watcher=watcher,
                journals=store.journals(run),
                unfinished=unfinished,
            )
        except KeyboardInterrupt:
            lease.finish("stopped")
        except Unanswered as error:
            lease.finish("failed")
            sentence = (
                f"{error} What was answered is kept; go on with:  mensura study resume {run.name}"
            )
            raise Unanswered(sentence) from None
        except Lost as error:
            lease.finish("failed")
            sentence = (
                f"{error} What was committed is safe; go on with:  mensura study resume {run.name}"
            )
            raise MensuraError(sentence) from None
        except BaseException:
            # Where nothing can be written, this cannot either.
            if not writing:
                lease.finish("failed")
            raise
        else:
            if not more:
                lease.finish("finished")
            begun_sittings.forget(store.journals(run))
    return _noted(store.result(store.find(run.name)), cells)


def _held_until_now(cells: Sequence[Cell], now: Mapping[int, str]) -> dict[int, str]:
    """How subjects of a run that goes on are held now, and were held before, by cell."""
    return {
        cell.number: joined((cell.isolation or NOT_RECORDED, now[cell.number])) for cell in cells
    }


def refuse_outdated(run: Run, cells: Sequence[Cell]) -> None:
    """Raise if a run was begun under older rules of a world: what is missing would be played under other ones."""
    for cell in cells:
        changed = WORLDS.outdated(cell.world)
        if changed is not None:
            raise MensuraError(
                f"The run {run.name} cannot go on under other rules than it began with: {changed} What was played can "
                "still be shown, reported and exported; begin anew under another name, with --name."
            )


def _refuse_other_defaults(run: Run, cells: Sequence[Cell], now: Sequence[Cell]) -> None:
    """Raise if the same study has other parameters of an assessment now, since a default has changed."""
    for cell, today in zip(cells, now, strict=False):
        for name, value in today.assessment_parameters.items():
            before = cell.assessment_parameters.get(name, value)
            if before != value:
                raise MensuraError(
                    f"The run {run.name} was begun when {name} of {cell.assessment} was {shown(before)} by default, "
                    f"and now it is {shown(value)}. Go on with it as it was begun with:  mensura study resume "
                    f"{run.name}  or give this one another name with --name."
                )


def reach(places: Sequence[Place]) -> None:
    """Seat everybody once who has to be reached somewhere, so that who cannot be is known before anything is played."""
    seated = set()
    for place in places:
        if asks_once(place.subject) and place.cell.subject not in seated:
            seated.add(place.cell.subject)
            place.subject.sit(place.seats).close()


def _places(cells: Sequence[Cell], layout: Layout | None) -> Sequence[Place]:
    """The places of the cells of a run: those that it was begun with, or made from what the store holds."""
    if layout is not None and layout.cells == cells:
        return layout.places
    maker = PlaceMaker()
    return [maker.place(cell) for cell in cells]


def _noted(result: StudyResult, cells: Sequence[Cell]) -> StudyResult:
    """A run that was stopped says so in each condition that is not complete."""
    if result.status == "finished":
        return result
    conditions = []
    for condition in result.conditions:
        own = [cell for cell in cells if cell.condition == condition.title]
        wanted = sum(cell.sittings for cell in own) // len({cell.name for cell in own})
        short = any(one.moments.count < wanted for one in condition.subjects)
        conditions.append(stopped_early(condition, wanted) if short else condition)
    return replace(result, conditions=tuple(conditions))
