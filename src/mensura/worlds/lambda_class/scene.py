"""A Lambda environment at one moment with all of its state, as figure 4.5 of Insa-Cabrera (2011) shows it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from mensura.pictures.scenes import (
    Choice,
    Controls,
    Scene,
    Table,
    Value,
    aside,
    cell_group,
    picture,
)
from mensura.worlds.lambda_class import kernel
from mensura.worlds.lambda_class.behaviors import Behavior, Markov, Pattern
from mensura.worlds.lambda_class.drawing import (
    Disc,
    arrow_shapes,
    behavior_words,
    cell_shapes,
    svg_shape,
    token_places,
    token_shapes,
    tokens,
)
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.layout import Layout, layout
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.rules import write_word
from mensura.worlds.lambda_class.space import Space
from mensura.worlds.lambda_class.text import alphabet, object_symbol

MOST_ARROWS = 160
"""Laying more arrows around cells takes too long for a page; cells then stand in rows, and a table has the arrows."""
ROOM = 400
"""So many letters of a behavior are shown."""


def scene(environment: LambdaEnvironment, past: object = None) -> Scene:
    """The picture, every cell with its reward, who is there and where its arrows lead, and everybody."""
    d = environment.description
    ways = d.space.arrows
    return Scene(
        svg=_svg(environment),
        tables=(_cells(environment), _everybody(environment), _clocks(environment)),
        controls=tuple(
            Controls(
                tuple(
                    Choice(action, name, ways[cell][action])
                    for action, name in enumerate(_action_names(environment))
                )
            )
            for cell in environment.positions()["subjects"]
        ),
        words=tuple(_words(environment)),
    )


def _action_names(environment: LambdaEnvironment) -> list[str]:
    d = environment.description
    return [
        f"{action}" if not d.action_names else f"{action} ({d.action_names[action]})"
        for action in range(d.space.actions)
    ]


@lru_cache(maxsize=64)
def _laid(space: Space, names: tuple[str, ...]) -> Layout:
    """The layout of a space; of one with too many arrows, the cells in rows alone."""
    arrows = {(cell, to) for cell, ways in enumerate(space.arrows) for to in ways if to != cell}
    if len(arrows) <= MOST_ARROWS:
        return layout(space, names)
    radius = 17.0
    wide = math.ceil(math.sqrt(1.5 * space.cells))
    at = [(c % wide, c // wide) for c in range(space.cells)]
    places = (np.array(at, np.float64) * 2.6 + 1.2) * radius
    width, height = (places.max(axis=0) + 1.2 * radius).tolist()
    return Layout(places, radius, (), width, height)


def _svg(environment: LambdaEnvironment) -> str:
    d = environment.description
    laid = _laid(d.space, d.action_names)
    rewards = environment.cell_rewards()
    groups: list[list[str]] = []
    for shape in cell_shapes(laid, rewards):
        if isinstance(shape, Disc):
            groups.append([])
        groups[-1].append(svg_shape(shape))
    cells = [
        cell_group(cell, f"cell {cell + 1}, reward {rewards[cell]:g}", "".join(inside))
        for cell, inside in enumerate(groups)
    ]
    everybody = tokens(environment.positions())
    standing = "".join(
        svg_shape(shape)
        for token, (at, size) in zip(everybody, token_places(laid, everybody), strict=True)
        for shape in token_shapes(token, at, size)
    )
    label = f"{d.space.cells} cells with arrows for {d.space.actions} actions; the table of the cells says who is where"
    arrows = aside("".join(map(svg_shape, arrow_shapes(laid))))
    return picture((laid.width, laid.height), label, [arrows, *cells, aside(standing)])


def _cells(environment: LambdaEnvironment) -> Table:
    """Figure 4.5: a row for each cell, and a column for the movements of each action."""
    d = environment.description
    there: dict[int, list[str]] = {}
    for name, cell in _standing(environment):
        there.setdefault(cell, []).append(name)
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (cell + 1, reward, ", ".join(there.get(cell, ())), *(to + 1 for to in d.space.arrows[cell]))
        for cell, reward in enumerate(environment.cell_rewards())
    )
    return Table("cells", ("cell", "reward", "who", *_action_names(environment)), rows)


def _standing(environment: LambdaEnvironment) -> Iterator[tuple[str, int]]:
    at = environment.positions()
    yield "Good", at["good"]
    yield "Evil", at["evil"]
    yield from ((object_symbol(i), cell) for i, cell in enumerate(at["objects"], 1))
    several = len(at["subjects"]) > 1
    for seat, cell in enumerate(at["subjects"]):
        yield f"subject {seat}" if several else "subject", cell


def _everybody(environment: LambdaEnvironment) -> Table:
    """Where everybody is and intends to go, the place in the pattern, and the memory of a program."""
    state = environment._parts.state
    behaviors = environment.description._behaviors
    rows: list[tuple[Value, ...]] = []
    for i, (name, cell) in enumerate(_standing(environment)):
        if i >= len(behaviors):
            rows.append((name, cell + 1, None, None, None))
            continue
        aim = int(state[i, kernel.AIM])
        place = int(state[i, kernel.POSITION]) + 1 if isinstance(behaviors[i], Pattern) else None
        memory = _memory(environment, i, behaviors[i])
        rows.append((name, cell + 1, aim + 1 if aim >= 0 else None, place, memory))
    return Table("everybody", ("who", "cell", "goes to", "place in pattern", "memory"), tuple(rows))


def _memory(environment: LambdaEnvironment, i: int, behavior: Behavior) -> str | None:
    """What the program of an object remembers, as it would write it."""
    if not isinstance(behavior, Markov):
        return None
    d = environment.description
    program = behavior.program
    symbols = alphabet(d.actions, len(d.objects))
    own = Program(program.rules, (*symbols, *program.alphabet), program.match).alphabet
    row = environment._parts.memory[int(environment._parts.behavior[i, kernel.MEMORY])].tolist()
    return write_word(tuple(own[number] for number in row[1 : 1 + row[0]]))


def _clocks(environment: LambdaEnvironment) -> Table:
    clock = environment._parts.clock
    d = environment.description
    rows: list[tuple[Value, ...]] = [
        ("iteration", int(clock[kernel.TIME])),
        ("iteration with the initial junk", int(clock[kernel.CLOCK])),
    ]
    if d.cycle != "none":
        rows.append(("cycle clause due at", int(clock[kernel.CYCLE_AT])))
        rows.append(("cycle clauses so far", int(clock[kernel.CYCLED])))
    return Table("clocks", ("clock", "value"), tuple(rows))


def _words(environment: LambdaEnvironment) -> Iterator[str]:
    d = environment.description
    yield f"Good and Evil: {behavior_words(d.good_and_evil, ROOM)}"
    for i, behavior in enumerate(d.objects, 1):
        yield f"{object_symbol(i)}: {behavior_words(behavior, ROOM)}"
