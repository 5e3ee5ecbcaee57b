"""What a moment looks like: agents in a circle or where the problem places them, or queens on a board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from mensura.worlds.constraints.problem import Problem
from mensura.worlds.kit import Area, Disc, Line, Picture, Shape, Words

MOST_NAMED = 60
"""Agents have their values written beside them where there are no more."""
MOST_LINKS = 4000
"""Of more links only those that are broken are drawn."""
WIDE = 20.0


def drawn(problem: Problem, values: Sequence[int], board: bool, seat: int | None = None) -> Picture:
    """All of it; with a seat, that agent, its values and who its neighbors are."""
    if seat is not None:
        return _own_part(problem, values, seat)
    broken = [
        index
        for index, one in enumerate(problem.constraints)
        if math.isinf(problem.relations[one.relation].costs[tuple(values[v] for v in one.scope)])
    ]
    title = f"{len(problem.agents)} agents, {len(broken)} constraints broken, cost {problem.cost(values):g}"
    return (
        _board(problem, values, broken, title) if board else _graph(problem, values, broken, title)
    )


def _value(problem: Problem, values: Sequence[int], agent: int) -> str:
    return ",".join(
        str(problem.variables[v].values[values[v]]) for v in problem.variables_of[agent]
    )


def _places(problem: Problem) -> list[tuple[float, float]]:
    """Where agents are, within the picture."""
    count = len(problem.agents)
    if problem.places and len(problem.places) == count:
        left, top = (min(one[i] for one in problem.places) for i in (0, 1))
        span = max(max(one[0] - left, one[1] - top) for one in problem.places) or 1.0
        scale = (WIDE - 2.0) / span
        return [
            (1.0 + (one[0] - left) * scale, 1.0 + (one[1] - top) * scale) for one in problem.places
        ]
    middle, radius = WIDE / 2, WIDE / 2 - 1.0
    return [
        (
            middle + radius * math.sin(2 * math.pi * one / count),
            middle - radius * math.cos(2 * math.pi * one / count),
        )
        for one in range(count)
    ]


def _graph(problem: Problem, values: Sequence[int], broken: Sequence[int], title: str) -> Picture:
    places, bad = _places(problem), frozenset(broken)
    shapes: list[Shape] = []
    for index, one in enumerate(problem.constraints):
        if index not in bad and len(problem.constraints) > MOST_LINKS:
            continue
        agents = list(dict.fromkeys(problem.variables[v].agent for v in one.scope))
        role, width = ("evil", 0.12) if index in bad else ("ground", 0.04)
        shapes += [Line((places[a], places[b]), role, width) for a, b in pairwise(agents)]
    named = len(places) <= MOST_NAMED
    for agent, place in enumerate(places):
        told = _value(problem, values, agent)
        label = f"{problem.agents[agent]}: {told}"
        shapes.append(Disc(place, 0.55 if named else 0.15, "subject", label=label))
        if named:
            shapes.append(Words(told[:4], place, 0.5, "paper"))
    return Picture(shapes, (WIDE, WIDE), title)


def _board(problem: Problem, values: Sequence[int], broken: Sequence[int], title: str) -> Picture:
    n = len(problem.agents)
    attacked = {v for index in broken for v in problem.constraints[index].scope}
    shapes: list[Shape] = []
    if n <= MOST_NAMED:
        shapes += [
            Area.box(x, y, 1, 1, "ground", 0.35) for y in range(n) for x in range(n) if (x + y) % 2
        ]
    for row in range(n):
        role = "evil" if row in attacked else "good"
        label = f"queen {row}, column {values[row]}"
        shapes.append(Disc((values[row] + 0.5, row + 0.5), 0.35, role, label=label))
    return Picture(shapes, (n, n), title)


def _own_part(problem: Problem, values: Sequence[int], seat: int) -> Picture:
    around = problem.neighbors_of[seat]
    middle = (WIDE / 2, WIDE / 2)
    shapes: list[Shape] = []
    for at, other in enumerate(around):
        angle = 2 * math.pi * at / len(around)
        place = (WIDE / 2 + 8 * math.sin(angle), WIDE / 2 - 8 * math.cos(angle))
        shapes.append(Line((middle, place), "ground", 0.05))
        shapes.append(Disc(place, 0.5, "other", label=f"agent {other}"))
        if len(around) <= MOST_NAMED:
            shapes.append(Words(str(other), place, 0.5, "paper"))
    told = _value(problem, values, seat)
    shapes += [
        Disc(middle, 0.8, "subject", label=f"you, agent {seat}: {told}"),
        Words(told[:4], middle, 0.6, "paper"),
    ]
    return Picture(shapes, (WIDE, WIDE), f"Agent {seat} and its {len(around)} neighbors")
