"""A study laid out to be run: its seed chosen, its cells numbered, its worlds, subjects and assessments made, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fresh, stretched
from mensura.core.abilities import content_of, file_embedder
from mensura.core.contract import World
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.core.yaml_text import Misfit, Where
from mensura.records.cell import Cell
from mensura.studies.conditions import assessment_name, world_name
from mensura.studies.expand import places_of
from mensura.studies.place import Place
from mensura.studies.study import Study
from mensura.studies.workshop import look_up


@dataclass(frozen=True)
class Layout:
    """All that a run needs to know of a study, in the process that coordinates it."""

    study: Study
    """With what the files hold that its worlds are made from."""
    seed: Key
    fresh: bool
    """Whether the seed was drawn, since nobody gave one."""
    places: tuple[Place, ...]

    @cached_property
    def cells(self) -> list[Cell]:
        """What is written into a store and sent to workers."""
        return [place.cell for place in self.places]

    @property
    def sittings(self) -> int:
        """How many there are to play."""
        return sum(cell.sittings for cell in self.cells)

    @property
    def is_costly(self) -> bool:
        """Whether answers cost money, or people's time: nobody is asked twice, so such a run is always kept."""
        return any(cell.ask_once for cell in self.cells)


def lay_out(
    study: Study, seed: Key | None = None, made: Mapping[int, World] | None = None
) -> Layout:
    """Lay out a study under a seed: the one given, that of the study, or a fresh one.

    ``made``: worlds that are there already, by their place in the study.
    """
    with_files = settled(study)
    pairs = enumerate(zip(study.worlds, with_files.worlds, strict=True))
    unchanged = {i for i, (entry, with_file) in pairs if entry == with_file}
    usable = {i: world for i, world in (made or {}).items() if i in unchanged}
    given = study.seed if seed is None else seed
    chosen = fresh() if given is None else given
    laid = [
        replace(
            place,
            cell=replace(place.cell, compiled=place.compiled, content=content_of(place.world)),
        )
        for place in places_of(with_files, stretched(chosen), usable)
    ]
    return Layout(with_files, chosen, given is None, tuple(laid))


def settled(study: Study) -> Study:
    """The study with what the files hold that its worlds are made from, where a world can tell that.

    So a run stays what it was when such a file changes later; worlds keep the names that they have in the study.
    """
    worlds = []
    embedders = []
    filing = []
    for i, entry in enumerate(study.worlds):
        embed = file_embedder(look_up(WORLDS, entry.world, ("worlds", i, "world")))
        if embed is not None:
            embedders.append(embed)
            parameters = _embedded(embed, entry.parameters, ("worlds", i, "parameters"))
            if parameters != entry.parameters:
                update = {"name": world_name(entry), "parameters": parameters}
                entry = entry.model_copy(update=update)
        worlds.append(entry)
    assessments = []
    for i, given_entry in enumerate(study.assessments):
        where: Where = ("assessments", i)
        embed = file_embedder(look_up(ASSESSMENTS, given_entry.assessment, (*where, "assessment")))
        if embed is not None:
            filing.append(embed)
            held = _embedded(embed, given_entry.parameters, (*where, "parameters"))
            if held != given_entry.parameters:
                named = {"name": assessment_name(given_entry), "parameters": held}
                given_entry = given_entry.model_copy(update=named)
        assessments.append(given_entry)
    factors = []
    for i, factor in enumerate(study.factors):
        levels = []
        for j, level in enumerate(factor.levels):
            given = level.world
            for embed in embedders:
                given = _embedded(embed, given, ("factors", i, "levels", j, "world"))
            assessed = level.assessment
            for embed in filing:
                assessed = _embedded(embed, assessed, ("factors", i, "levels", j, "assessment"))
            levels.append(level.model_copy(update={"world": given, "assessment": assessed}))
        factors.append(factor.model_copy(update={"levels": tuple(levels)}))
    return study.model_copy(
        update={
            "worlds": tuple(worlds),
            "assessments": tuple(assessments),
            "factors": tuple(factors),
        }
    )


def _embedded(
    embed: Callable[[Mapping[str, Any]], dict[str, Any]], given: Mapping[str, Any], where: Where
) -> dict[str, Any]:
    try:
        return embed(given)
    except MensuraError as error:
        raise Misfit(where, str(error)) from error
