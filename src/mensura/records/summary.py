"""The result of a run from the tallies of its cells: the same function for a live run and for one that is read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mensura.agent.errors import MensuraError
from mensura.agent.keys import GUESSABLE
from mensura.core.abilities import NOT_STATED, account_of
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.records.cell import PEOPLE_IN_WORDS, Cell, has_people
from mensura.records.faults import grouped
from mensura.records.holding import joined
from mensura.records.memories import ANEW
from mensura.records.paths import SITTINGS
from mensura.records.results import RunResult, StudyResult, SubjectResult
from mensura.records.run import Run
from mensura.records.tally import Tally, first_printed
from mensura.records.task_attempts import SITTINGS as MOST_ATTEMPTED
from mensura.statistics.moments import Moments, merged


def empty(cell: Cell) -> SubjectResult:
    """What a tally of a cell begins with."""
    return SubjectResult(
        subject=cell.name,
        # Older versions called people code.
        summary=PEOPLE_IN_WORDS if has_people(cell.subject) else cell.summary,
        isolation=cell.isolation,
        training=cell.training,
        compiled=cell.compiled,
    )


def summarize(run: Run, cells: Sequence[Cell], tallies: Sequence[Tally]) -> StudyResult:
    """Conditions in the order in which they first appear, the subjects of each in the order of cells.

    Repetitions of a subject are pooled in their order, so that the sums are the same to the bit.
    """
    conditions: dict[str, list[Cell]] = {}
    for cell in cells:
        conditions.setdefault(cell.condition, []).append(cell)
    study = run.study
    return StudyResult(
        name=run.name,
        title=run.title,
        status=run.status,
        conditions=tuple(
            _condition(run, title, some, tallies) for title, some in conditions.items()
        ),
        source=str(study.get("source") or ""),
        notes=(*_notes(study), *_guessable(run, cells), *_outdated(cells)),
        study=study,
        seed=run.seed,
        root=cells[0].seed if cells else 0,
        levels=tuple(some[0].levels for some in conditions.values()),
        sittings=run.sittings,
        done=sum(tally.done for tally in tallies),
        commit=run.commit,
        versions=run.versions,
        machine=run.machine,
        started=run.started,
        ended=run.ended,
        seconds=run.seconds,
        command=run.command,
    )


def _notes(study: Mapping[str, object]) -> tuple[str, ...]:
    notes = study.get("notes") or ()
    return (notes,) if isinstance(notes, str) else tuple(map(str, notes))  # type: ignore[call-overload]


def _guessable(run: Run, cells: Sequence[Cell]) -> Iterator[str]:
    """What is to be said of a seed that a subject from outside could have found out."""
    if run.seed < GUESSABLE and any(cell.from_outside for cell in cells):
        yield (
            f"The seed {run.seed} is below 2^32 and could be guessed: a subject that knows Mensura can try one seed "
            "after another, at about a tenth of a second of processor time each, and rebuild its environments. Without "
            "a seed Mensura draws one that nobody can foresee."
        )


def _outdated(cells: Sequence[Cell]) -> Iterator[str]:
    """What changed since, where a world has a newer version by now."""
    for world in dict.fromkeys(cell.world for cell in cells):
        changed = WORLDS.outdated(world)
        if changed is not None:
            yield f"Recorded under older rules: {changed}"


def _warnings(cell: Cell) -> Iterable[str]:
    """What an assessment says to beware of under its parameters."""
    try:
        account = account_of(ASSESSMENTS.load(cell.assessment))
    except MensuraError:  # the assessment is gone
        return ()
    given = {"name": cell.assessment, **cell.assessment_parameters}
    return () if account is None else account.warnings(given)


def _trained_anew(subjects: Iterable[SubjectResult]) -> Iterator[str]:
    """Who could not be saved, and so took longer."""
    for one in subjects:
        if ANEW in one.measures:
            yield (
                f"{one.subject} cannot be saved, so all of its training was done anew for every test of it. An agent "
                "with save() and load(memory) is trained once."
            )


def _condition(run: Run, title: str, cells: Sequence[Cell], tallies: Sequence[Tally]) -> RunResult:
    subjects: dict[str, list[Cell]] = {}
    for cell in cells:
        subjects.setdefault(cell.name, []).append(cell)
    first = cells[0]
    results = tuple(
        pooled(
            [
                tallies[cell.number].result()
                for cell in sorted(some, key=lambda cell: (cell.repetition, cell.number))
            ]
        )
        for some in subjects.values()
    )
    return RunResult(
        title=title,
        world=first.world,
        world_parameters=first.parameters,
        assessment={"name": first.assessment, **first.assessment_parameters},
        seed=run.seed,
        subjects=results,
        content=first.content or NOT_STATED,
        notes=(*_warnings(first), *_trained_anew(results)),
        command=run.command,
        started=run.started,
        seconds=run.seconds,
        version=run.versions.get("mensura", ""),
        machine=run.machine,
    )


def pooled(repetitions: Sequence[SubjectResult]) -> SubjectResult:
    """One subject's repetitions as one result, with the score of each that has one."""
    first, *others = repetitions
    if not others:
        return first
    total = first
    for one in others:
        names = {**total.measures, **one.measures}
        total = replace(
            total,
            isolation=joined((total.isolation, one.isolation)),
            moments=total.moments + one.moments,
            by_complexity=total.by_complexity + one.by_complexity,
            histogram=total.histogram + one.histogram,
            learning=total.learning + one.learning,
            measures={
                name: merged(part.measures.get(name, Moments()) for part in (total, one))
                for name in names
            },
            paths=(*total.paths, *one.paths)[:SITTINGS],
            attempts=(*total.attempts, *one.attempts)[:MOST_ATTEMPTED],
            interactions=total.interactions + one.interactions,
            seconds=total.seconds + one.seconds,
            cpu=total.cpu + one.cpu,
            lost=total.lost + one.lost,
            faults=total.faults + one.faults,
            fault_groups=tuple(grouped([*total.fault_groups, *one.fault_groups])),
            asked=total.asked + one.asked,
            actions=total.actions + one.actions,
            defaults=total.defaults + one.defaults,
            printed=first_printed([*total.printed, *one.printed]),
        )
    scores = tuple(one.moments.mean for one in repetitions if one.moments.count)
    return replace(total, repetitions=scores)
