"""What the editor of Lambda environments asks the server: spaces in all their forms, drawn spaces and patterns,
programs (figures 4.2 and 4.3 of Insa-Cabrera, 2011)."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.web.research.access import API, OpenVisits, seed_asked
from mensura.web.research.editors import Editor
from mensura.web.research.models import (
    PatternDrawing,
    PatternShown,
    ProgramAsked,
    ProgramShown,
    SpaceAsked,
    SpaceDrawing,
    SpaceShown,
)
from mensura.web.research.worlds import make_world
from mensura.worlds.lambda_class.behaviors import Pattern
from mensura.worlds.lambda_class.exploring import MOST_CELLS
from mensura.worlds.lambda_class.markov import Match, Program
from mensura.worlds.lambda_class.space import Space, grid, ring, torus

router = APIRouter()


@router.post(f"{API}/lambda/space")
def lambda_space(asked: SpaceAsked) -> SpaceShown:
    """A space in all its forms: from either text, from arrows, or a ready one."""
    return space(asked)


@router.post(f"{API}/lambda/space/drawn")
def lambda_drawn_space(asked: SpaceDrawing, visits: OpenVisits) -> SpaceShown:
    """A space that is drawn (figure 4.2)."""
    with visits.working():
        return drawn_space(asked.cells, asked.actions, asked.topology, seed_asked(asked.seed))


@router.post(f"{API}/lambda/pattern/drawn")
def lambda_drawn_pattern(asked: PatternDrawing, visits: OpenVisits) -> PatternShown:
    """A pattern that is drawn (figure 4.3)."""
    with visits.working():
        return drawn_pattern(asked.actions, asked.p_stop, seed_asked(asked.seed))


@router.post(f"{API}/lambda/program")
def lambda_program(asked: ProgramAsked) -> ProgramShown:
    """The rules of a Markov program, checked."""
    return program(asked.text, asked.match)


EDITOR = Editor("/static/editors/lambda.js", router)


def space(asked: SpaceAsked) -> SpaceShown:
    """The space that is asked for, however it is connected: the topology is asked of the whole environment."""
    if asked.text:
        names = asked.names or None
        theory = names if ":" in asked.text and "|" not in asked.text else None
        return shown(Space.parse(asked.text.strip(), names=theory, topology="unrestricted"))
    if asked.arrows is not None:
        if not asked.arrows:
            raise MensuraError("A space has at least 2 cells, not 0.")
        return shown(Space.from_arrows(asked.arrows))
    if not asked.ready:
        raise MensuraError("Give a space: a text, arrows, or a ready one with its sizes.")
    return shown(_ready(asked.ready, asked.sizes, asked.diagonal))


def _ready(kind: str, sizes: Sequence[int], diagonal: bool) -> Space:
    count = 1
    for size in sizes:
        count *= max(size, 1)
    if not sizes or count > MOST_CELLS:
        raise MensuraError(
            f"A ready space needs its sizes, as 3 and 4, with at most {MOST_CELLS} cells in all."
        )
    if kind == "ring":
        return ring(count)
    if kind == "one-way ring":
        return ring(count, ways=1)
    return (grid if kind == "grid" else torus)(*sizes, diagonal=diagonal)


def shown(one: Space) -> SpaceShown:
    """A space in all its forms."""
    if one.cells > MOST_CELLS or one.actions > MOST_CELLS:
        raise MensuraError(
            f"A space of {one.cells} cells and {one.actions} actions is too large for this page; {MOST_CELLS} of each "
            "are the most."
        )
    if any(abs(shift) > 10 * MOST_CELLS for cell in one.shifts for shift in cell):
        raise MensuraError("An arrow of the space goes around many times; write it shorter.")
    return SpaceShown(
        shifts=[list(cell) for cell in one.shifts],
        arrows=[list(cell) for cell in one.arrows],
        thesis=one.text("thesis"),
        theory=one.text("theory"),
        cells=one.cells,
        actions=one.actions,
        strong=one.strongly_connected,
        weak=one.weakly_connected,
    )


def drawn_space(
    cells: Sequence[int], actions: Sequence[int | None], topology: str, seed: Key
) -> SpaceShown:
    """A space as section 4.1.3 draws it: numbers of cells and actions given, or geometric between two."""
    home = make_world(
        "lambda-v1",
        parameters={
            "cells": cells[0] if len(cells) == 1 else list(cells),
            "actions": actions[0] if len(actions) == 1 else list(actions),
            "topology": topology,
            "sieves": [],
            "p_stop": 1.0,
        },
    )
    largest = home.cells if isinstance(home.cells, int) else home.cells[1]
    if largest > MOST_CELLS:
        raise MensuraError(
            f"{largest} cells are too many for this page; {MOST_CELLS} are the most."
        )
    return shown(home.sample(seed).space)


def drawn_pattern(actions: int, p_stop: float, seed: Key) -> PatternShown:
    """A pattern as section 4.1.3 draws it: actions evenly, a length by the stop probability."""
    home = make_world(
        "lambda-v1",
        parameters={"cells": actions, "actions": actions, "p_stop": p_stop, "sieves": []},
    )
    behavior = home.sample(seed).good_and_evil
    assert isinstance(behavior, Pattern)
    return PatternShown(moves=list(behavior.moves))


def program(text: str, match: Match) -> ProgramShown:
    """The rules of a text as a description has them."""
    return ProgramShown(program=Program.parse(text, match=match).to_json())
