"""The conditions of a study: its worlds, assessments and levels of factors, combined and named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from mensura.core.yaml_text import Misfit
from mensura.studies.entries import AssessmentEntry, Factor, WorldEntry
from mensura.studies.study import Study

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
