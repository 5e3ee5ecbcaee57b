"""Trying a study out before it is run: what it asks for is there, and about how long it will take."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key
from mensura.agents.address import is_foreign, parse
from mensura.core.abilities import (
    expected_seconds,
    pace,
    plans_of,
    room,
    spread_of,
    tallies,
)
from mensura.core.around import innermost
from mensura.core.room import available, gibibytes
from mensura.core.yaml_text import Misfit, Where
from mensura.records.cell import Cell
from mensura.studies.conditions import conditions
from mensura.studies.expand import episodes
from mensura.studies.place import Place
from mensura.studies.study import Study
from mensura.studies.subjects import asks_once

COMPILED = 10_000_000
STEPPED = 200_000
APART = 20_000
"""Actions a second and core, roughly: of compiled subjects, of code in this process, of code in one of its own."""

SAMPLED = 4
"""So many environments of a condition tell how long sampling takes."""


@dataclass(frozen=True)
class Forecast:
    """What a study comes to."""

    conditions: int
    subjects: int
    cells: int
    sittings: int
    episodes: int
    """Training included."""
    interactions: int
    """Actions of all seats, where worlds tell them beforehand."""
    seconds: float
    """Roughly, on all cores of this machine, without the time that code of the user takes to think."""
    own_code: bool
    """Whether code of the user has a part in it."""


def forecast(places: Sequence[Place]) -> Forecast:
    """How much there is to play, and roughly how long it takes."""
    cells = [place.cell for place in places]
    interactions, seconds, own = 0, 0.0, False
    sampled: set[tuple[str, int]] = set()
    for place in places:
        cell = place.cell
        # The environments of a condition are sampled once for all of its subjects.
        if (cell.condition, cell.repetition) not in sampled:
            sampled.add((cell.condition, cell.repetition))
            seconds += _seconds_to_sample(place) * cell.sittings
        actions = place.actions * cell.sittings
        code = _is_own(cell)
        own = own or code
        door = place.compiled or place.by_plans
        rate: float = APART if code and not cell.in_process else STEPPED
        if door:
            rate = pace(place.host, place.subject) or COMPILED
        interactions += actions
        seconds += actions / rate
        seconds += expected_seconds(place.assessment) * cell.sittings
    return Forecast(
        conditions=len({cell.condition for cell in cells}),
        subjects=len({cell.name for cell in cells}),
        cells=len(cells),
        sittings=sum(cell.sittings for cell in cells),
        episodes=episodes(cells),
        interactions=interactions,
        seconds=seconds / (os.cpu_count() or 1),
        own_code=own,
    )


def _seconds_to_sample(place: Place) -> float:
    """The time that an environment takes, from a few of them; the first may have to load its kernels."""
    assessment: Any = place.assessment
    times = []
    for item in range(1 + SAMPLED):
        begun = perf_counter()
        next(plans_of(assessment, place.world, fold(place.root, item), item))
        times.append(perf_counter() - begun)
    return sum(times[1:]) / SAMPLED


def rehearse(study: Study, places: Sequence[Place]) -> None:
    """Sample environments at both ends of each range of complexity, and seat each subject of the user once."""
    by_text = {condition.text: condition for condition in conditions(study)}
    sampled: set[str] = set()
    seated: set[str] = set()
    roomy: set[tuple[str, str]] = set()
    environments: dict[str, Any] = {}
    for place in places:
        cell = place.cell
        if cell.condition not in sampled:
            sampled.add(cell.condition)
            try:
                _sample(place)
            except MensuraError as error:
                where = ("assessments", by_text[cell.condition].assessment)
                raise Misfit(where, f"In the condition {cell.condition!r}: {error}") from error
        if (cell.condition, cell.name) not in roomy:
            roomy.add((cell.condition, cell.name))
            try:
                if cell.condition not in environments:
                    plan = next(place.plans(0))
                    environments[cell.condition] = plan.description
                _check_room(place, environments[cell.condition])
            except MensuraError as error:
                world = ("worlds", by_text[cell.condition].world)
                raise Misfit(world, f"In the condition {cell.condition!r}: {error}") from error
        # Who is asked once by nature, as a paid model is, says when sitting down whether it can be reached.
        may = not cell.ask_once or asks_once(place.subject)
        if _is_own(cell) and may and cell.subject not in seated:
            seated.add(cell.subject)
            try:
                place.subject.sit(place.seats).close()
            except MensuraError as error:
                raise Misfit(_place_of(study, cell), str(error)) from error


def _sample(place: Place) -> None:
    assessment: Any = place.assessment
    spread = spread_of(assessment)
    if spread is None:
        next(plans_of(assessment, place.world, key(0, "rehearsal"), 0))
        return
    for end in spread:
        low, high = end - assessment.tolerance, end + assessment.tolerance
        place.world.sample(key(0, "rehearsal"), (place.measure, low, high))


def _check_room(place: Place, environment: Any) -> None:
    """Refuse a cell that takes more memory than there is, as far as its world can tell: with one worker, at least.

    ``environment`` is the description of one of its condition; in company, it holds that of the place itself.
    """
    told = room(
        place.world, place.subject, innermost(environment), max(1, place.actions // place.seats)
    )
    if told is None:
        return
    sitting, advice = told
    needed, there = sitting + _room_of_block(place), available()
    if needed > there:
        raise MensuraError(
            f"{place.cell.name} would take {gibibytes(needed)} of memory, and {gibibytes(there)} are available; "
            f"{advice} would fit."
        )


def _room_of_block(place: Place) -> int:
    """The bytes of what comes of a block by the second door: rewards and tallies of each sitting."""
    if not place.compiled:
        return 0
    cell = place.cell
    count = max(count for _, count in place.blocks())
    kept = count + min(cell.keep_training, count) * cell.training
    return 8 * kept * (place.seats + len(tallies(place.world)))


def _is_own(cell: Cell) -> bool:
    return any(is_foreign(part) for part in parse(cell.subject))


def _place_of(study: Study, cell: Cell) -> Where:
    """Where the study names the subject of a cell."""
    for i, entry in enumerate(study.subjects):
        if cell.name in (entry.name, entry.subject):
            return ("subjects", i)
    for i, factor in enumerate(study.factors):
        for j, level in enumerate(factor.levels):
            if level.subject and cell.name in (level.subject.name, level.subject.subject):
                return ("factors", i, "levels", j)
    return ("subjects",)
