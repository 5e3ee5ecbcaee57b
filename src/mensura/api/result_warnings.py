"""What to know before a result is read: how its subjects were held, and whether its worlds can be known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits
from mensura.agents.address import Part, is_code, parse
from mensura.api.naming import Named
from mensura.core.abilities import content_mark, content_of, subject_names
from mensura.core.contract import World
from mensura.core.registry import AGENTS
from mensura.records.holding import isolation_warnings, warn
from mensura.records.run import Run
from mensura.records.store import Store
from mensura.studies.holding import held_as


def warnings_of(
    subjects: Iterable[Named], worlds: Sequence[World], limits: Limits, *, say: bool
) -> tuple[str, ...]:
    """These sentences; ``say``: those on isolation are said now, since nothing else says them before the run."""
    home = worlds[0]
    held = {
        one.label: held_as(_parts(one), home, one.in_process, limits)
        for one in subjects
        if _is_known(one, home)
    }
    if say:
        warn(held)
    return (*isolation_warnings(held), *_marks(map(content_of, worlds)))


def warnings_of_run(records: Store, run: Run) -> tuple[str, ...]:
    """The same of a run in a store, from its records."""
    cells = records.cells(run)
    held = {cell.name: cell.isolation for cell in cells if cell.isolation}
    return (*isolation_warnings(held), *_marks(cell.content for cell in cells if cell.content))


def _marks(contents: Iterable[str]) -> Iterable[str]:
    return filter(None, map(content_mark, dict.fromkeys(contents)))


def _is_known(one: Named, world: World) -> bool:
    """Whether there is such a subject at all; where there is none, whoever seats it says so."""
    names = {*subject_names(world), *AGENTS.names()}
    return all(part.scheme or is_code(part) or part.name in names for part in _parts(one))


def _parts(one: Named) -> tuple[Part, ...]:
    try:
        return () if one.factory is not None else parse(one.address)
    except MensuraError:
        return ()
