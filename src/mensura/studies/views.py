"""What the world of a run looks like: the environments that were met, in sentences, and one of them as a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.around import innermost
from mensura.core.contract import DIMINISHED, Episode, Plan
from mensura.pictures.svg import as_svg
from mensura.pictures.view import view_of
from mensura.records.paths import SittingPath, Step
from mensura.records.results import StudyResult
from mensura.studies.expand import places_of
from mensura.studies.place import Place
from mensura.studies.study import study_from_plain

EXAMPLE = "One example"
EXAMPLE_CAPTION = "The first environment of the first sitting, as its episode began."

LOOKED_AT = 24
"""The sentences on a world tell of so many environments at most; to draw more would take long."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def first_place(result: StudyResult) -> Place:
    """The first cell of a run with its world and subject made, from which its first environment follows."""
    first = next(places_of(study_from_plain(dict(result.study))))
    return replace(first, cell=replace(first.cell, seed=result.root))


def first_view(result: StudyResult) -> tuple[str, tuple[str, ...]]:
    """The first environment of a run as SVG, and what the environments that were met are, in sentences.

    Nothing where it cannot be drawn: an old run is reported although its world or a subject's file is gone.
    """
    try:
        place = first_place(result)
    except MensuraError:
        return "", ()
    if place.cell.world not in {condition.world for condition in result.conditions}:
        return "", ()  # a study that names no version, whose world has a newer one by now
    view = view_of(place.world)
    environment, turn = place.first_environment()
    inside = innermost(environment)
    view.started(inside, turn)
    plans = list(_met(place, _paths(result, place), result))
    told = [view.explain(innermost(place.host.build(plan.description))) for plan in plans]
    return as_svg(view.picture(inside, turn), page=True), together(told)


def together(told: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What is said of several environments, as sentences on all of them: numbers that differ become ranges.

    A sentence that differs in its words is about a single environment, and is left out.
    """
    if len({len(sentences) for sentences in told}) != 1:
        told = told[:1]
    merged, ranges = [], False
    for versions in zip(*told, strict=True):
        if len({_NUMBER.sub("#", one) for one in versions}) > 1:
            continue
        numbers = list(zip(*(_NUMBER.findall(one) for one in versions), strict=True))
        ranges = ranges or any(len(set(own)) > 1 for own in numbers)
        words = _NUMBER.split(versions[0])
        ends = [*map(_range, numbers), ""]
        merged.append("".join(word + end for word, end in zip(words, ends, strict=True)))
    if ranges:
        merged.append(
            f"Where numbers differ, they are those of the first {len(told)} environments."
        )
    return tuple(merged)


def _range(numbers: Sequence[str]) -> str:
    least, most = min(numbers, key=float), max(numbers, key=float)
    return least if float(least) == float(most) else f"{least} to {most}"


def _paths(result: StudyResult, place: Place) -> tuple[SittingPath, ...]:
    """The paths of the first sittings of the first subject, where its sittings go from environment to environment."""
    first = result.conditions[0] if result.conditions else None
    subjects = () if first is None else first.subjects
    return next((one.paths for one in subjects if one.subject == place.cell.name), ())


def _met(place: Place, paths: Sequence[SittingPath], result: StudyResult) -> Iterator[Plan]:
    """The first environments that were met: of each sitting the first, and those that its path leads to."""
    left = LOOKED_AT
    if not paths:
        for item in range(max(1, min(left, place.cell.sittings, result.done or left))):
            yield next(place.plans(item))
        return
    for path in paths:
        for plan in _along(place, path):
            yield plan
            left -= 1
            if not left:
                return


def _along(place: Place, path: SittingPath) -> Iterator[Plan]:
    """The plans of a sitting as its recorded rewards led to them, as far as these lead to what was recorded."""
    sitting = place.plans(path.item)
    plan = next(sitting)
    for step in path.steps:
        try:
            while plan.learning:
                plan = sitting.send(_episode(step))
            if step.complexity is None or not _is_as_recorded(place, plan, step.complexity):
                return
            yield plan
            plan = sitting.send(_episode(step))
        except StopIteration:
            return


def _is_as_recorded(place: Place, plan: Plan, complexity: float) -> bool:
    host: Any = place.host
    return bool(host.complexity(plan.description, place.measure) == complexity)


def _episode(step: Step) -> Episode:
    """An episode with the rewards of a recorded step."""
    return Episode(
        rewards=(step.reward * step.interactions,),
        interactions=(step.interactions,),
        scored=(0,),
        measures={DIMINISHED: step.reward},
        slot=step.slot,
        elapsed=step.slot or float(step.interactions),
    )
