"""What the conditions of a study are made of: its worlds, assessments and subjects, each made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.task import Limits
from mensura.agents.address import Part, is_code, parse
from mensura.core.abilities import (
    check_fits,
    complexity_range,
    default_measure,
    hosting,
    presets,
    seats,
)
from mensura.core.contract import Assessment, World
from mensura.core.mixed import Mixed
from mensura.core.players import Subject
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.core.yaml_text import Misfit, Where, shown
from mensura.studies.conditions import Condition, world_name
from mensura.studies.entries import SubjectEntry
from mensura.studies.inside import check_strength, joined, split
from mensura.studies.parameters import checked_parameters, plain_parameters
from mensura.studies.study import Study, canonical
from mensura.studies.subjects import resolve


@dataclass(frozen=True)
class Setting:
    """The world and the assessment of a condition, and their parameters as plain data for its cells."""

    world: World
    parameters: Mapping[str, Any]
    assessment: Assessment
    assessment_parameters: Mapping[str, Any]
    training: int | None
    """As the study says of the assessment, where it does."""


class Workshop:
    """Looks up and makes what the conditions of one study need, each thing once.

    ``made``: worlds that are there already, by their place in the study.
    """

    def __init__(self, study: Study, made: Mapping[int, World]) -> None:
        self.study = study
        self._made = made
        self.limits = Limits(**study.limits.model_dump())
        self._kinds = [
            look_up(WORLDS, entry.world, ("worlds", i, "world"))
            for i, entry in enumerate(study.worlds)
        ]
        self._assessments = [
            look_up(ASSESSMENTS, entry.assessment, ("assessments", i, "assessment"))
            for i, entry in enumerate(study.assessments)
        ]
        self._worlds: dict[tuple[Any, str | None, str], World] = {}
        self._subjects: dict[tuple[int, str, bool], Subject] = {}

    def setting(self, condition: Condition) -> Setting:
        """Make the world and the assessment of a condition."""
        world, inside = self._world(condition)
        assessment, given = self._assessment(condition, world)
        return Setting(
            world,
            joined(plain_parameters(world), inside),
            assessment,
            plain_parameters(assessment),
            given.get("training"),
        )

    def entries(self, condition: Condition) -> Iterator[tuple[Where, SubjectEntry]]:
        """The entries of the subjects of a condition, each with where it stands in the study."""
        name = world_name(self.study.worlds[condition.world])
        entries: list[tuple[Where, SubjectEntry]] = [
            (("subjects", i), entry)
            for i, entry in enumerate(self.study.subjects)
            if not entry.worlds or name in entry.worlds
        ]
        entries += [
            (("factors", i, "levels", j, "subject"), level.subject)
            for i, j, level in self._levels(condition)
            if level.subject is not None
        ]
        if not entries:
            raise Misfit(
                ("worlds", condition.world),
                f"Nobody is assessed in the world {name!r}; name it in the worlds of a subject, or leave it out.",
            )
        varied = {
            n: v for _, _, level in self._levels(condition) for n, v in level.parameters.items()
        }
        for where, entry in entries:
            yield where, _varied(entry, varied) if varied else entry

    def subject(self, entry: SubjectEntry, where: Where, world: World) -> tuple[Subject, str]:
        """The subject of an entry in a world that this workshop made, and its address with its parameters."""
        try:
            address = _address(entry)
            return self.resolved(address, entry, world), address
        except Misfit:
            raise
        except MensuraError as error:
            raise Misfit(where, str(error)) from error

    def resolved(self, address: str, entry: SubjectEntry, world: World) -> Subject:
        """The subject that an address names for an entry."""
        at = (id(world), address, entry.in_process)
        if at not in self._subjects:
            _check_files(address)
            subject = resolve(address, world, in_process=entry.in_process, limits=self.limits)
            _check_seats(subject, world)
            self._subjects[at] = subject
        return self._subjects[at]

    def _levels(self, condition: Condition) -> Iterator[tuple[int, int, Any]]:
        for i, (factor, j) in enumerate(zip(self.study.factors, condition.levels, strict=True)):
            yield i, j, factor.levels[j]

    def _world(self, condition: Condition) -> tuple[World, Mapping[str, float]]:
        """The world of a condition, and the operators that act inside subjects in it."""
        entry, kind = self.study.worlds[condition.world], self._kinds[condition.world]
        where: Where = ("worlds", condition.world)
        noun = f"The world {entry.world}"
        own, inside = split(kind.id, entry.parameters)
        given = checked_parameters(kind, noun, own, (*where, "parameters"))
        preset, preset_at = entry.preset, (*where, "preset")
        for i, j, level in self._levels(condition):
            at: Where = ("factors", i, "levels", j)
            own, strengths = split(kind.id, level.world)
            given |= checked_parameters(kind, noun, own, (*at, "world"))
            inside |= strengths
            if level.preset is not None:
                preset, preset_at = level.preset, (*at, "preset")
        if preset is not None:
            _check_preset(kind, noun, preset, preset_at)
        text = canonical(given)
        if (kind, preset, text) not in self._worlds:
            as_written = preset == entry.preset and text == canonical(entry.parameters)
            made = self._made.get(condition.world) if as_written else None
            try:
                self._worlds[kind, preset, text] = made or _make(kind, preset, given)
            except MensuraError as error:
                raise Misfit(where, f"{_when(condition)}{error}") from error
        try:
            for name, strength in inside.items():
                check_strength(name, strength)
        except MensuraError as error:
            raise Misfit(where, f"{_when(condition)}{error}") from error
        return self._worlds[kind, preset, text], inside

    def _assessment(
        self, condition: Condition, world: World
    ) -> tuple[Assessment, Mapping[str, Any]]:
        entry = self.study.assessments[condition.assessment]
        kind = self._assessments[condition.assessment]
        where: Where = ("assessments", condition.assessment)
        noun = f"The assessment {entry.assessment}"
        given = checked_parameters(kind, noun, entry.parameters, (*where, "parameters"))
        for i, j, level in self._levels(condition):
            at = ("factors", i, "levels", j, "assessment")
            given |= checked_parameters(kind, noun, level.assessment, at)
        known = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
        if given.get("measure") is not None and given["measure"] not in world.measures:
            raise Misfit(
                where,
                f"The world {world.id} has no complexity {given['measure']!r}; "
                f"{neighbors(str(given['measure']), list(world.measures))}",
            )
        if "measure" in known:  # so that records tell it
            given["measure"] = given.get("measure") or default_measure(kind, world) or None
        if "spread" in known and "spread" not in given:
            own = given.get("measure") == next(iter(world.measures), None)
            given["spread"] = complexity_range(world) if own else None
        elif given.get("spread") is not None and not world.measures:
            raise Misfit(
                where,
                f"The world {world.id} has no complexity to spread over; write spread: any.",
            )
        try:
            assessment: Assessment = kind(**given)
            check_fits(assessment, world)
        except MensuraError as error:
            raise Misfit(where, f"{_when(condition)}{error}") from error
        return assessment, given


def look_up(registry: Any, name: str, where: Where) -> Any:
    """What is registered under a name that stands at a place of a study."""
    try:
        return registry.load(name)
    except MensuraError as error:
        raise Misfit(where, str(error)) from error


def _make(kind: Any, preset: str | None, given: Mapping[str, Any]) -> World:
    """A world under a preset, or without one as its class is by default."""
    world: World = kind(**given) if preset is None else kind.preset(preset, **given)
    return world


def _when(condition: Condition) -> str:
    """The beginning of a sentence about one of many conditions."""
    return f"In the condition {condition.text!r}: " if condition.labels else ""


def _check_preset(kind: Any, noun: str, preset: str, where: Where) -> None:
    there = list(presets(kind))
    if preset not in there:
        known = neighbors(preset, there) if there else "it has none."
        raise Misfit(where, f"{noun} has no preset {preset!r}; {known}")


# Who --------------------------------------------------------------------------


def _address(entry: SubjectEntry) -> str:
    """The address of a subject with the parameters of its entry in it."""
    parts = parse(entry.subject)
    if not entry.parameters:
        return entry.subject.strip()
    if len(parts) > 1:
        raise MensuraError(
            f"{entry.subject} has several parts, so it is not clear whose the parameters are; "
            "write them into the address, as q-learning?alpha=0.1+oracle."
        )
    (part,) = parts
    texts = dict(part.parameters)
    for name, value in entry.parameters.items():
        if name in texts:
            raise MensuraError(
                f"The parameter {name!r} of {part.name} stands in its address and beside it; once is right."
            )
        if isinstance(value, list) or value == "":
            raise MensuraError(
                f"The parameter {name!r} of {part.name} is {shown(value)}; "
                "it must be a number, text, or true or false."
            )
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return str(Part(part.name, texts, part.count))


def _varied(entry: SubjectEntry, parameters: Mapping[str, Any]) -> SubjectEntry:
    """An entry at levels that set parameters of subjects; it keeps its name, so that it is one subject in reports."""
    return entry.model_copy(
        update={
            "parameters": {**entry.parameters, **parameters},
            "name": entry.name or entry.subject,
        }
    )


def _check_files(address: str) -> None:
    """Say now that a file of code is not there, rather than when its turn comes."""
    for part in parse(address):
        where = part.name.rpartition(":")[0]
        if is_code(part) and where.endswith(".py") and not Path(where).expanduser().is_file():
            raise MensuraError(
                f"There is no file {where}; a path is read from the current folder, here {Path.cwd()}."
            )


def _check_seats(subject: Subject, world: World) -> None:
    """Refuse a collective of another size than the world has seats."""
    hosting(world, subject)
    if isinstance(subject, Mixed):
        there = seats(world)
        wanted = sum(count for _, count in subject.parts)
        if wanted != there:
            raise MensuraError(
                f"{subject.name} has {wanted} members and the environment {there} seats: "
                "make them the same number."
            )
