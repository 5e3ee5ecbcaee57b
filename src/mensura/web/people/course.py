"""The way of a participant through a study: practice, then one condition, or all of them in an order of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mensura.agent.keys import key
from mensura.core.abilities import exercises_of
from mensura.studies.parameters import checked_parameters
from mensura.studies.people import PeopleEntry, PracticeEntry
from mensura.studies.place import Place

SHORTEST: Mapping[str, Mapping[str, Any]] = {
    "exercises": {"fewest": 3, "most": 3},
    "anytime": {"interactions": 20, "seconds": None},
    "adaptive": {"least": 1, "most": 1},
    "attempts": {"attempts": 1},
    "halves": {"items": 1},
    "understand": {"questions": 1, "training_episodes": 0},
}
"""How long practice is, by assessment, where nothing is said."""


@dataclass(frozen=True)
class Part:
    """One part of the way: a test in a condition, or practice for it."""

    place: Place
    practice: bool = False


@dataclass(frozen=True)
class Course:
    """All parts of one way, and what holds in all of them."""

    parts: tuple[Part, ...]
    people: PeopleEntry

    @property
    def exercises(self) -> int:
        """How many exercises there are, practice aside; 0 where that is not known beforehand."""
        counts = [exercises_of(one.place.assessment) for one in self.parts if not one.practice]
        return sum(counts) if all(counts) else 0


def courses_of(places: Sequence[Place], people: PeopleEntry) -> tuple[Course, ...]:
    """The ways through the conditions of a study, whose places come in their order."""
    made = []
    for order in people.courses(len(places)):
        parts = [Part(places[one]) for one in order]
        if people.practice is not None:
            parts.insert(0, Part(practice_of(parts[0].place, people.practice), practice=True))
        made.append(Course(tuple(parts), people))
    return tuple(made)


def practice_of(place: Place, practice: PracticeEntry) -> Place:
    """Where people practise for a place: with draws of its own, so that nothing of the test is seen beforehand."""
    cell = place.cell
    where = ("people", "practice")
    checked_parameters(
        type(place.assessment),
        f"The assessment {cell.assessment}",
        practice.parameters,
        (*where, "parameters"),
    )
    checked_parameters(
        type(place.world),
        f"The world {cell.world}",
        practice.world_parameters,
        (*where, "world_parameters"),
    )
    given = {**SHORTEST[cell.assessment], **practice.parameters}
    return Place.of(
        replace(
            cell,
            seed=key(cell.seed, "practice"),
            parameters={**cell.parameters, **practice.world_parameters},
            assessment_parameters={**cell.assessment_parameters, **given},
        )
    )
