"""Sittings as pages show them: their paths, their faults by cause, and their episodes step by step.

Each is a function that runs apart, see :mod:`mensura.web.readings`. Paths and faults are read from the records. An
episode is played again from them (:mod:`mensura.studies.replay`), so how much of it is given at a time is limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.faults import FaultGroup, grouped
from mensura.records.results import plain_numbers
from mensura.records.run import Run
from mensura.records.store import Store, open_store
from mensura.studies.looking import Interaction, writable
from mensura.studies.place import Place
from mensura.studies.replay import Replay, has_page, page_of, replay
from mensura.studies.transcripts import names_code

SITTINGS = 25
"""So many sittings are listed at a time."""

STEPS = 40
"""So many steps of a sitting are shown at a time, fewer where many seats take each."""

POINTS = 120
"""A path is drawn with so many points at most."""

LONGEST = 50_000
"""A sitting of more interactions takes too long to play again for a page."""

CAUSES = 100
"""So many causes of faults are listed."""


def listed(where: str | None, name: str, subject: str, first: int) -> dict[str, Any]:
    """Some sittings that are done, with the path of each; ``first`` counts those of the subject, or of all."""
    with open_store(where) as store:
        run = store.find(name)
        numbers = _numbers(store.cells(run), subject)
        rows = [_row(store, run, number) for number in numbers[first : first + SITTINGS]]
    following = first + SITTINGS
    return {
        "rows": [row for row in rows if row is not None],
        "sittings": len(numbers),
        "first": first,
        "next": following if following < len(numbers) else None,
    }


def _numbers(cells: Sequence[Cell], subject: str) -> Sequence[int]:
    """The numbers of the sittings of a subject, or of all where it is empty."""
    if not subject:
        return range(sum(cell.sittings for cell in cells))
    first = 0
    found: list[int] = []
    for cell in cells:
        if cell.name == subject:
            found += range(first, first + cell.sittings)
        first += cell.sittings
    return found


def _row(store: Store, run: Run, number: int) -> dict[str, Any] | None:
    cell, _, batch = store.sitting(run, number)
    if batch is None:
        return None
    rewards = batch.episodes.reward[~batch.episodes.learning]
    found: dict[str, Any] = plain_numbers(
        {
            "number": number,
            "subject": cell.name,
            "condition": cell.condition,
            "score": float(batch.score[0]),
            "episodes": len(rewards),
            "faults": int(batch.fault_count[0]),
            "seconds": float(batch.wall[0]),
            "path": [value for _, value in _path(rewards)],
        }
    )
    return found


def _path(
    rewards: Sequence[float] | np.ndarray[Any, np.dtype[np.float64]],
) -> list[tuple[int, float]]:
    """The mean so far after each of some rewards, thinned out: how many there were, and their mean."""
    values = np.asarray(rewards, dtype=float)
    if not len(values):
        return []
    means = np.cumsum(values) / np.arange(1, len(values) + 1)
    some = np.unique(np.linspace(0, len(values) - 1, min(len(values), POINTS)).round().astype(int))
    return [(int(at) + 1, float(means[at])) for at in some]


def causes(where: str | None, name: str) -> list[dict[str, Any]]:
    """The faults of a run by cause: those that are alike once, with their number and the first sitting that has one."""
    rows: list[dict[str, Any]] = []
    with open_store(where) as store:
        run = store.find(name)
        first = 0
        for cell in store.cells(run):
            groups: list[FaultGroup] = []
            for batch in store.batches(run, cell.number):
                groups = grouped(groups, batch.faults)
            rows += [
                {
                    "subject": cell.name,
                    "condition": cell.condition,
                    "kind": group.first.kind,
                    "detail": group.first.detail,
                    "times": group.times,
                    "number": first + group.first.item,
                }
                for group in groups
            ]
            first += cell.sittings
    rows.sort(key=lambda row: -row["times"])
    return [writable(row) for row in rows[:CAUSES]]


# One sitting --------------------------------------------------------------------------------------


def steps(where: str | None, name: str, number: int, first: int) -> dict[str, Any]:
    """Some steps of a sitting as it is played again, with its episodes and its path."""
    with open_store(where) as store:
        run = store.find(name)
        cell, _, batch = store.sitting(run, number)
        hindrance = _hindrance(store, run, number)
        if batch is not None and hindrance:
            return _told_only(run, number, cell, batch, hindrance)
        place = Place.of(cell)
        count = max(1, STEPS // place.seats)
        some = range(first, first + count)
        one = replay(store, run, number, look=True, whole=some, pictures=True)
    there = one.interactions[-1].step + 1 if one.interactions else 0
    found = {
        "run": run.name,
        "number": number,
        "subject": cell.name,
        "condition": cell.condition,
        "score": one.recorded,
        "identical": one.identical,
        "has_page": has_page(place),
        "in_words": any(each.exchanges for each in one.interactions),
        "printed": _printed(batch),
        "seats": 1 + max((each.seat for each in one.interactions), default=0),
        "steps": there,
        "first": first,
        "next": first + count if first + count < there else None,
        "episodes": _episodes(one),
        "path": _steps_path(one),
        "interactions": [_shown(each) for each in one.interactions if each.step in some],
    }
    plain: dict[str, Any] = plain_numbers(writable(found))
    return plain


def episode(where: str | None, name: str, number: int, sequence: int) -> str:
    """An episode of a sitting as a page that stands alone, where its world makes one."""
    with open_store(where) as store:
        run = store.find(name)
        hindrance = _hindrance(store, run, number)
        if hindrance:
            raise MensuraError(hindrance)
        return page_of(store, run, number, sequence)


def _hindrance(store: Store, run: Run, number: int) -> str:
    """Why a page does not play a sitting again, in a sentence; nothing where it does."""
    cell, item, batch = store.sitting(run, number)
    command = f"`mensura replay {run.name} {number} --show`"
    if names_code(cell):
        return f"The subject names code, which is not loaded here; {command} shows what it did."
    if cell.from_outside and not store.journal(run, cell.number, item):
        return f"The subject is not started here, and its answers were not kept; {command} asks it again."
    if batch is not None and batch.interactions[0] > LONGEST:
        return (
            f"The sitting has {int(batch.interactions[0]):,} interactions, training included, and a page plays at most "
            f"{LONGEST:,} again; {command} shows all of them."
        )
    return ""


def _told_only(run: Run, number: int, cell: Cell, batch: Batch, hindrance: str) -> dict[str, Any]:
    """What the records say of a sitting that is not played again."""
    found: dict[str, Any] = {
        "run": run.name,
        "number": number,
        "subject": cell.name,
        "condition": cell.condition,
        "score": float(batch.score[0]),
        "hindrance": hindrance,
        "printed": _printed(batch),
    }
    plain: dict[str, Any] = plain_numbers(writable(found))
    return plain


def _printed(batch: Batch | None) -> str:
    return "\n".join(row.text for row in batch.printed) if batch is not None else ""


def _episodes(one: Replay) -> list[dict[str, Any]]:
    begun: dict[int, int] = {}
    for each in one.interactions:
        begun.setdefault(each.sequence, each.step)
    return [
        {
            "training": episode.learning,
            "mean_reward": episode.replayed,
            "first": begun.get(episode.sequence, 0),
        }
        for episode in one.episodes
    ]


def _steps_path(one: Replay) -> list[list[float]]:
    """The mean reward so far in assessed episodes, with the step after which it is that."""
    assessed = {episode.sequence for episode in one.episodes if not episode.learning}
    counted = [each for each in one.interactions if each.sequence in assessed]
    return [[counted[at - 1].step, mean] for at, mean in _path([each.reward for each in counted])]


def _shown(one: Interaction) -> dict[str, Any]:
    return {
        "step": one.step,
        "episode": one.sequence,
        "interaction": one.interaction,
        "seat": one.seat,
        "observation": one.observation,
        "heard": {str(seat): value for seat, value in one.heard.items()},
        "system": one.system,
        "prompt": one.prompt,
        "reply": one.reply,
        "asked": one.asked,
        "answer": one.answer,
        "action": one.action,
        "fault": ", ".join(one.fault or ()),
        "reward": one.reward,
        "seconds": one.seconds,
        "svg": one.picture,
    }
