"""From a study to its cells: every name looked up, every parameter checked, every combination numbered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from mensura.agents.address import Part, is_code, parse
from mensura.core.abilities import (
    complexity_range,
    default_measure,
    files_kept,
    hosting,
    presets,
    seats,
    training_of,
    trains,
)
from mensura.core.contract import (
    Assessment,
    Limits,
    World,
)
from mensura.core.errors import MensuraError, neighbors
from mensura.core.keys import Key, key
from mensura.core.players import Mixed, Subject
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.core.yaml_text import Misfit, Where, shown
from mensura.records.cell import Cell, repetition_root
from mensura.studies.entries import AssessmentEntry, Factor, SubjectEntry, WorldEntry
from mensura.studies.misfits import named_place, type_in_words
from mensura.studies.study import Study, canonical
from mensura.studies.subjects import asks_once, resolve, settled_address, summary

LONGEST = 60
"""So many characters of a list are told; of a longer one only how many there are."""

MOST_CELLS = 1_000_000
"""A study with more is a mistake."""


@dataclass(frozen=True)
class Condition:
    """A world, an assessment and a level of each factor: all subjects of it meet the same environments."""

    text: str
    """In words; no other condition of the study has the same."""
    world: int
    """The place of its world in the study."""
    assessment: int
    levels: tuple[int, ...]
    """The place of the level of each factor."""
    world_name: str
    """How the study calls its world, with the assessment where there are several."""
    labels: Mapping[str, str]
    """The level of each factor, by label."""
    names: tuple[str, str] = ("", "")
    """Its world and its assessment, each by its own name."""


def study_hash(plain: Mapping[str, Any]) -> str:
    """The fingerprint of a plain study, whatever the order of its keys."""
    return hashlib.blake2b(canonical(plain).encode(), digest_size=16).hexdigest()


def conditions(study: Study) -> list[Condition]:
    """All conditions in their order: by world, then assessment, then levels. Nothing is looked up."""
    worlds = [world_name(entry) for entry in study.worlds]
    _refuse_same("worlds", worlds)
    assessments = [assessment_name(entry) for entry in study.assessments]
    _refuse_same("assessments", assessments)
    designed = list(_design(study))
    count = len(worlds) * len(assessments) * len(designed)
    if count * max(1, len(study.subjects)) * study.repetitions > MOST_CELLS:
        raise Misfit(
            ("factors",) if study.factors else ("repetitions",),
            f"The study has more than {MOST_CELLS} cells; cross fewer factors, or repeat it less often.",
        )
    found: list[Condition] = []
    for (i, world), (j, assessment), levels in product(
        enumerate(worlds), enumerate(assessments), designed
    ):
        given_in = study.assessments[j].worlds
        if given_in and world not in given_in:
            continue
        chosen = zip(study.factors, levels, strict=True)
        labels = {factor.name: factor.levels[at].label for factor, at in chosen}
        name = f"{world}, {assessment}" if len(assessments) > 1 else world
        text = ", ".join([name, *labels.values()])
        found.append(Condition(text, i, j, levels, name, labels, (world, assessment)))
    _refuse_same_text(found)
    return found


def expand(study: Study, root: Key = 0) -> list[Cell]:
    """The cells of a study, numbered; :class:`Misfit` says what cannot be run, and where it stands.

    ``root``: of all its draws, which whoever only looks at the cells does not need.
    """
    _check_worlds(study)
    workshop = _Workshop(study)
    cells: list[Cell] = []
    met: dict[str, list[str]] = {}
    for condition in conditions(study):
        made = workshop.make(condition)
        stream = study.worlds[condition.world].stream
        own = root if stream is None else key(root, "stream", stream)
        names: dict[str, Where] = {}
        for where, entry in workshop.who(condition):
            subject, address = workshop.seat(entry, where, made.world)
            name = entry.name or subject.name
            if name in names:
                raise Misfit(
                    where,
                    f"The subject {name} is already there, as {named_place(names[name])}; "
                    "give one of them another name.",
                )
            names[name] = where
            for repetition in range(study.repetitions):
                cells.append(
                    Cell(
                        number=len(cells),
                        condition=condition.text,
                        world=made.world.id,
                        parameters=made.parameters,
                        assessment=study.assessments[condition.assessment].assessment,
                        assessment_parameters=made.assessment_parameters,
                        subject=settled_address(address, subject),
                        name=name,
                        seed=repetition_root(own, repetition),
                        sittings=made.assessment.sittings,
                        training=_training(entry, made, subject),
                        repetition=repetition,
                        levels=condition.labels,
                        limits=workshop.limits,
                        in_process=entry.in_process,
                        ask_once=entry.ask_once or asks_once(subject),
                        keep=entry.keep or "",
                        summary=summary(subject, made.world),
                        keep_training=study.records.training,
                        traces=study.records.traces,
                    )
                )
        met[condition.text] = list(names)
    _check_published(study, met)
    _check_against(study, met)
    return cells


def settled(study: Study) -> Study:
    """The study with what the files hold that its worlds are made from, where a world can tell that.

    So a run stays what it was when such a file changes later; worlds keep the names that they have in the study.
    """
    worlds = []
    keepers = []
    for i, entry in enumerate(study.worlds):
        keep = files_kept(_lookup(WORLDS, entry.world, ("worlds", i, "world")))
        if keep is not None:
            keepers.append(keep)
            kept = _kept(keep, entry.parameters, ("worlds", i, "parameters"))
            if kept != entry.parameters:
                update = {"name": world_name(entry), "parameters": kept}
                entry = entry.model_copy(update=update)
        worlds.append(entry)
    factors = []
    for i, factor in enumerate(study.factors):
        levels = []
        for j, level in enumerate(factor.levels):
            given = level.world
            for keep in keepers:
                given = _kept(keep, given, ("factors", i, "levels", j, "world"))
            levels.append(level.model_copy(update={"world": given}))
        factors.append(factor.model_copy(update={"levels": tuple(levels)}))
    return study.model_copy(update={"worlds": tuple(worlds), "factors": tuple(factors)})


def _kept(
    keep: Callable[[Mapping[str, Any]], dict[str, Any]], given: Mapping[str, Any], where: Where
) -> dict[str, Any]:
    try:
        return keep(given)
    except MensuraError as error:
        raise Misfit(where, str(error)) from error


def episodes(cells: Iterable[Cell]) -> int:
    """How many episodes will be played, training included."""
    return sum(cell.sittings * (cell.training + 1) for cell in cells)


def published_for(study: Study, condition: Condition) -> dict[str, tuple[float, str]]:
    """The published values of a condition with the doubts about them, by subject."""
    found: dict[str, tuple[float, str]] = {}
    for table in study.published:
        if table.world not in (None, world_name(study.worlds[condition.world])):
            continue
        if any(condition.labels[factor] != label for factor, label in table.levels.items()):
            continue
        for subject, value in table.values.items():
            found[subject] = value, table.doubts.get(subject, "")
    return found


def world_name(entry: WorldEntry) -> str:
    """How a study calls a world: by the name given, or by what was given instead of defaults."""
    if entry.name is not None:
        return entry.name
    preset = [] if entry.preset is None else [entry.preset]
    return ", ".join([entry.world, *preset, *_in_words(entry.parameters)])


def assessment_name(entry: AssessmentEntry) -> str:
    """How a study calls an assessment."""
    if entry.name is not None:
        return entry.name
    return ", ".join([entry.assessment, *_in_words(entry.parameters)])


def _in_words(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Parameters in the order of their names: that in which they were written is not part of a study."""
    for name, value in sorted(parameters.items()):
        if isinstance(value, bool):
            yield name if value else f"not {name}"
        elif isinstance(value, list):
            text = "..".join(map(str, value))
            yield f"{name} {text}" if len(text) <= LONGEST else f"{len(value)} {name}"
        else:
            yield f"{name} {value}"


# Which combinations -----------------------------------------------------------


def _design(study: Study) -> Iterator[tuple[int, ...]]:
    """The combinations of levels, each once, in the order in which they are first met."""
    factors = study.factors
    base = tuple(factor.base for factor in factors)
    if study.design == "grid":
        sizes = 1
        for factor in factors:
            sizes *= len(factor.levels)
        if sizes > MOST_CELLS:
            raise Misfit(
                ("factors",),
                f"The factors have {sizes} combinations of levels; cross fewer, or write design: pairs.",
            )
        yield from product(*(range(len(factor.levels)) for factor in factors))
        return
    met: set[tuple[int, ...]] = set()
    for at in _few(factors, base, pairs=study.design == "pairs"):
        if at not in met:
            met.add(at)
            yield at


def _few(
    factors: tuple[Factor, ...], base: tuple[int, ...], pairs: bool
) -> Iterator[tuple[int, ...]]:
    if not factors:
        yield ()
    groups = [*combinations(range(len(factors)), 1)]
    groups += [*combinations(range(len(factors)), 2)] if pairs else []
    for group in groups:
        for chosen in product(*(range(len(factors[i].levels)) for i in group)):
            at = list(base)
            for i, level in zip(group, chosen, strict=True):
                at[i] = level
            yield tuple(at)


def _refuse_same(group: str, names: list[str]) -> None:
    for i, name in enumerate(names):
        first = names.index(name)
        if first < i:
            raise Misfit(
                (group, i),
                f"{group}[{i}] is called {name!r}, as {group}[{first}] is; give one of them another name.",
            )


def _refuse_same_text(found: list[Condition]) -> None:
    first: dict[str, Condition] = {}
    for condition in found:
        if condition.text in first:
            raise Misfit(
                ("factors",),
                f"Two conditions are both called {condition.text!r}; change a label or a name.",
            )
        first[condition.text] = condition


# What they are made of --------------------------------------------------------


@dataclass(frozen=True)
class _Made:
    """A condition with its world and assessment built."""

    world: World
    parameters: Mapping[str, Any]
    assessment: Assessment
    assessment_parameters: Mapping[str, Any]
    training: int | None
    """As the assessment says, where it does."""


class _Workshop:
    """Looks up and builds what the conditions of one study need, each thing once."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.limits = Limits(**study.limits.model_dump())
        self._kinds = [
            _lookup(WORLDS, entry.world, ("worlds", i, "world"))
            for i, entry in enumerate(study.worlds)
        ]
        self._assessments = [
            _lookup(ASSESSMENTS, entry.assessment, ("assessments", i, "assessment"))
            for i, entry in enumerate(study.assessments)
        ]
        self._seated: dict[tuple[str, str, str, bool], Subject] = {}

    def make(self, condition: Condition) -> _Made:
        """Build the world and the assessment of a condition."""
        world, parameters = self._world(condition)
        assessment, given = self._assessment(condition, world)
        return _Made(
            world,
            parameters,
            assessment,
            _plain_fields(assessment),
            given.get("training"),
        )

    def who(self, condition: Condition) -> Iterator[tuple[Where, SubjectEntry]]:
        """The subjects of a condition with their places."""
        name = world_name(self.study.worlds[condition.world])
        found: list[tuple[Where, SubjectEntry]] = [
            (("subjects", i), entry)
            for i, entry in enumerate(self.study.subjects)
            if not entry.worlds or name in entry.worlds
        ]
        found += [
            (("factors", i, "levels", j, "subject"), level.subject)
            for i, j, level in self._levels(condition)
            if level.subject is not None
        ]
        if not found:
            raise Misfit(
                ("worlds", condition.world),
                f"Nobody is assessed in the world {name!r}; name it in the worlds of a subject, or leave it out.",
            )
        varied = {
            n: v for _, _, level in self._levels(condition) for n, v in level.parameters.items()
        }
        for where, entry in found:
            yield where, _varied(entry, varied) if varied else entry

    def seat(self, entry: SubjectEntry, where: Where, world: World) -> tuple[Subject, str]:
        """The subject of an entry, and its address with its parameters."""
        try:
            address = _address(entry)
            at = (world.id, canonical(_plain_fields(world)), address, entry.in_process)
            if at not in self._seated:
                _check_files(address)
                subject = resolve(address, world, in_process=entry.in_process, limits=self.limits)
                _check_seats(subject, world)
                self._seated[at] = subject
        except Misfit:
            raise
        except MensuraError as error:
            raise Misfit(where, str(error)) from error
        return self._seated[at], address

    def _levels(self, condition: Condition) -> Iterator[tuple[int, int, Any]]:
        for i, (factor, j) in enumerate(zip(self.study.factors, condition.levels, strict=True)):
            yield i, j, factor.levels[j]

    def _world(self, condition: Condition) -> tuple[World, Mapping[str, Any]]:
        entry, kind = self.study.worlds[condition.world], self._kinds[condition.world]
        where: Where = ("worlds", condition.world)
        noun = f"The world {entry.world}"
        given = checked_parameters(kind, noun, entry.parameters, (*where, "parameters"))
        preset, preset_at = entry.preset, (*where, "preset")
        for i, j, level in self._levels(condition):
            at: Where = ("factors", i, "levels", j)
            given |= checked_parameters(kind, noun, level.world, (*at, "world"))
            if level.preset is not None:
                preset, preset_at = level.preset, (*at, "preset")
        if preset is not None:
            _check_preset(kind, noun, preset, preset_at)
        try:
            world: World = kind(**given) if preset is None else kind.preset(preset, **given)
        except MensuraError as error:
            raise Misfit(where, f"{_when(condition)}{error}") from error
        return world, _plain_fields(world)

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
        known = {field.name: field for field in fields(kind)} if is_dataclass(kind) else {}
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
                f"The world {world.id} tells no complexity to spread over; write spread: any.",
            )
        try:
            assessment: Assessment = kind(**given)
        except MensuraError as error:
            raise Misfit(where, f"{_when(condition)}{error}") from error
        return assessment, given


def _lookup(registry: Any, name: str, where: Where) -> Any:
    try:
        return registry.load(name)
    except MensuraError as error:
        raise Misfit(where, str(error)) from error


def _when(condition: Condition) -> str:
    """The beginning of a sentence about one of many conditions."""
    return f"In the condition {condition.text!r}: " if condition.labels else ""


def _check_preset(kind: Any, noun: str, preset: str, where: Where) -> None:
    there = list(presets(kind))
    if preset not in there:
        known = neighbors(preset, there) if there else "it has none."
        raise Misfit(where, f"{noun} has no preset {preset!r}; {known}")


def checked_parameters(
    kind: Any, noun: str, given: Mapping[str, Any], where: Where = ()
) -> dict[str, Any]:
    """Parameters by the fields of a dataclass: known, and of the right type."""
    known = [field.name for field in fields(kind) if field.init] if is_dataclass(kind) else []
    checked: dict[str, Any] = {}
    for name, value in given.items():
        at = (*where, name)
        if name not in known:
            has = neighbors(name, known) if known else "it has none."
            raise Misfit(at, f"{noun} has no parameter {name!r}; {has}")
        if name == "spread" and value == "any":
            checked[name] = None
            continue
        hint, adapter = _types(kind)[name]
        try:
            # As JSON, so that a list may be a tuple and nothing else is bent into shape.
            checked[name] = adapter.validate_json(json.dumps(value), strict=True)
        except ValidationError:
            also = ", or any" if name == "spread" else ""
            raise Misfit(
                at, f"{named_place(at)} is {shown(value)}; it must be {type_in_words(hint)}{also}."
            ) from None
    return checked


@cache
def _types(kind: Any) -> dict[str, tuple[Any, TypeAdapter[Any]]]:
    """The type of each field of a dataclass, with what checks it."""
    hints = get_type_hints(kind)
    return {
        field.name: (hints[field.name], TypeAdapter(hints[field.name])) for field in fields(kind)
    }


def _plain_fields(thing: Any) -> dict[str, Any]:
    """All parameters of a dataclass, as data that JSON can write and read back unchanged."""
    if not is_dataclass(thing):
        return {}
    data: dict[str, Any] = json.loads(
        json.dumps(
            {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
        )
    )
    return data


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


def _training(entry: SubjectEntry, made: _Made, subject: Subject) -> int:
    """As the study says of the subject, or of the assessment, or as the subject asks for; none where there is none."""
    assessed = made.training
    if not trains(made.assessment):
        return 0
    if entry.training is not None:
        return entry.training
    if assessed is not None:
        return assessed
    return training_of(subject)


def _check_worlds(study: Study) -> None:
    """Subjects, assessments, figures, statistics and claims name worlds that are there, claims also assessments."""
    worlds = [world_name(entry) for entry in study.worlds]
    named = [
        *((("subjects", i), one.worlds) for i, one in enumerate(study.subjects)),
        *((("assessments", i), one.worlds) for i, one in enumerate(study.assessments)),
        *((("figures", i), one.worlds) for i, one in enumerate(study.figures)),
        *((("statistics", i), one.worlds) for i, one in enumerate(study.statistics)),
        *((("claims", i), one.worlds) for i, one in enumerate(study.claims)),
    ]
    for where, names in named:
        for j, name in enumerate(names):
            if name not in worlds:
                raise Misfit(
                    (*where, "worlds", j),
                    f"There is no world called {name!r} in this study; {neighbors(name, worlds)}",
                )
    for i, name in enumerate(worlds):
        if not any(not one.worlds or name in one.worlds for one in study.assessments):
            raise Misfit(
                ("worlds", i),
                f"No assessment is given in the world {name!r}; name it in the worlds of one, or leave it out.",
            )
    assessments = [assessment_name(entry) for entry in study.assessments]
    for i, claim in enumerate(study.claims):
        for j, name in enumerate(claim.assessments):
            if name not in assessments:
                raise Misfit(
                    ("claims", i, "assessments", j),
                    f"There is no assessment called {name!r} in this study; {neighbors(name, assessments)}",
                )


def _check_against(study: Study, met: Mapping[str, list[str]]) -> None:
    """Whoever others are held against in a figure is assessed."""
    known = sorted({name for names in met.values() for name in names})
    for i, figure in enumerate(study.figures):
        if figure.against is not None and figure.against not in known:
            raise Misfit(
                ("figures", i, "against"),
                f"There is no subject called {figure.against!r} in this study; "
                f"{neighbors(figure.against, known)}",
            )


def _check_published(study: Study, met: Mapping[str, list[str]]) -> None:
    """Every published value must stand beside one of ours, and only one beside each."""
    worlds = [world_name(entry) for entry in study.worlds]
    everything = conditions(study)
    taken: dict[tuple[str, str], int] = {}
    for i, table in enumerate(study.published):
        if table.world is not None and table.world not in worlds:
            raise Misfit(
                ("published", i, "world"),
                f"There is no world called {table.world!r} in this study; {neighbors(table.world, worlds)}",
            )
        alone = study.model_copy(update={"published": (table,)})
        beside = [one for one in everything if published_for(alone, one)]
        names = sorted({name for one in beside for name in met[one.text]})
        for subject in table.values:
            where = ("published", i, "values", subject)
            if subject not in names:
                raise Misfit(
                    where,
                    f"There is no subject called {subject!r} beside these published values; "
                    f"{neighbors(subject, names)}",
                )
            for one in beside:
                other = taken.setdefault((one.text, subject), i)
                if other != i:
                    raise Misfit(
                        where,
                        f"{subject} has a published value for {one.text!r} already, in published[{other}]; "
                        "one is right.",
                    )
