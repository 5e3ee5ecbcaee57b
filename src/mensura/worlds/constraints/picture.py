"""What a moment looks like: a graph of agents, queens on a board, a chain on a lattice, robots on a map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from mensura.worlds.constraints.layout import Form, heading, places_of, site_of
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.kit import Area, Disc, Line, Picture, Shape, Words

MOST_NAMED = 60
"""Agents have their values written on them where there are no more."""
MOST_LINKS = 4000
"""Of more links only those that are broken are drawn."""
COLORS = 6
"""So many values have a color each; more have shades."""
WIDE = 20.0


def drawn(problem: Problem, values: Sequence[int], form: Form) -> Picture:
    """All of it: values as colors, and constraints that are broken."""
    broken = broken_by(problem, values)
    title = f"{len(problem.agents)} agents, {len(broken)} constraints broken, cost {problem.cost(values):g}"
    draw = {"board": _board, "lattice": _lattice, "map": _map, "graph": _graph}[form]
    return draw(problem, values, broken, title)


def broken_by(problem: Problem, values: Sequence[int]) -> list[int]:
    """The constraints that forbid these values, by index."""
    return [
        index
        for index, one in enumerate(problem.constraints)
        if math.isinf(problem.relations[one.relation].costs[tuple(values[v] for v in one.scope)])
    ]


def color_of(value: int, size: int) -> str:
    """The role of a value among so many."""
    if size <= COLORS:
        return f"series-{value}"
    return f"shade-{value / (size - 1):.3f}"


def _value(problem: Problem, values: Sequence[int], agent: int) -> str:
    return ",".join(
        str(problem.variables[v].values[values[v]]) for v in problem.variables_of[agent]
    )


def _colored(problem: Problem, values: Sequence[int], agent: int) -> str:
    """The color of an agent: of its first variable's value."""
    own = problem.variables_of[agent]
    return color_of(values[own[0]], len(problem.variables[own[0]].values)) if own else "ground"


def _owners(problem: Problem, index: int) -> list[int]:
    return list(dict.fromkeys(problem.variables[v].agent for v in problem.constraints[index].scope))


def _graph(problem: Problem, values: Sequence[int], broken: Sequence[int], title: str) -> Picture:
    spots = places_of(problem) * (WIDE - 2.0) + 1.0
    places = [(x, y) for x, y in spots.tolist()]
    bad = frozenset(broken)
    shapes: list[Shape] = []
    for index in range(len(problem.constraints)):
        if index not in bad and len(problem.constraints) > MOST_LINKS:
            continue
        role, width = ("evil", 0.14) if index in bad else ("ground", 0.05)
        shapes += [
            Line((places[a], places[b]), role, width) for a, b in pairwise(_owners(problem, index))
        ]
    shapes += _agents(problem, values, places)
    return Picture(shapes, (WIDE, WIDE), title)


def _agents(
    problem: Problem, values: Sequence[int], places: Sequence[tuple[float, float]]
) -> list[Shape]:
    """Agents as discs in the color of their value, which is written on them where there are few."""
    named = len(places) <= MOST_NAMED
    shapes: list[Shape] = []
    for agent, place in enumerate(places):
        told = _value(problem, values, agent)
        color = _colored(problem, values, agent)
        label = f"{problem.agents[agent]}: {told}"
        if not named:
            shapes.append(Disc(place, 0.18, color, label=label))
            continue
        shapes.append(Disc(place, 0.6, "paper"))
        shapes.append(Disc(place, 0.6, color, 0.4, outline=color, width=0.08, label=label))
        shapes.append(Words(told[:5], place, 0.5 if len(told) < 3 else 0.32))
    return shapes


def _board(problem: Problem, values: Sequence[int], broken: Sequence[int], title: str) -> Picture:
    n = len(problem.agents)
    attacked = {v for index in broken for v in problem.constraints[index].scope}
    shapes: list[Shape] = []
    if n <= MOST_NAMED:
        shapes += [
            Area.box(x, y, 1, 1, "ground", 0.35) for y in range(n) for x in range(n) if (x + y) % 2
        ]
        for index in broken:
            ends = [(values[v] + 0.5, v + 0.5) for v in problem.constraints[index].scope]
            shapes.append(Line(ends, "evil", 0.06))
    for row in range(n):
        role = "evil" if row in attacked else "good"
        label = f"queen {row}, column {values[row]}"
        shapes.append(Disc((values[row] + 0.5, row + 0.5), 0.35, role, label=label))
    return Picture(shapes, (n, n), title)


def _lattice(problem: Problem, values: Sequence[int], broken: Sequence[int], title: str) -> Picture:
    """The chain as it lies; residues that break something have a red ring, H are filled."""
    names = [str(one) for one in problem.variables[0].values]
    sites = [site_of(one) or (0.0, 0.0) for one in names]
    left, top = (min(one[i] for one in sites) - 0.5 for i in (0, 1))
    sites = [(x - left, y - top) for x, y in sites]
    size = max(x for x, _ in sites) + 0.5, max(y for _, y in sites) + 0.5
    bad = {v for index in broken for v in problem.constraints[index].scope}
    shapes: list[Shape] = [Disc(one, 0.06, "ground") for one in sites]
    places = [sites[value] for value in values]
    cut = {tuple(sorted(problem.constraints[index].scope)) for index in broken}
    for one, (a, b) in enumerate(pairwise(places)):
        if a != b:
            torn = (one, one + 1) in cut
            shapes.append(Line((a, b), "evil" if torn else "ink", 0.07, dashed=torn))
    for residue, place in enumerate(places):
        name = problem.variables[residue].name
        ring = "evil" if residue in bad else "ink"
        role = "good" if name.startswith("H") else "paper"
        label = f"{name} at {names[values[residue]]}"
        shapes.append(Disc(place, 0.28, role, outline=ring, width=0.06, label=label))
        if len(places) <= MOST_NAMED:
            text = "paper" if role == "good" else "ink"
            shapes.append(Words(str(residue), place, 0.26, text))
    return Picture(shapes, size, title)


def _map(problem: Problem, values: Sequence[int], broken: Sequence[int], title: str) -> Picture:
    """Robots where they stand, with the way that each would go."""
    left, top = (min(one[i] for one in problem.places) - 1.5 for i in (0, 1))
    places = [(one[0] - left, one[1] - top) for one in problem.places]
    size = max(x for x, _ in places) + 1.5, max(y for _, y in places) + 1.5
    bad = frozenset(broken)
    alone = {problem.constraints[i].scope[0] for i in bad if len(problem.constraints[i].scope) == 1}
    shapes: list[Shape] = []
    for index, one in enumerate(problem.constraints):
        if len(one.scope) == 2 and (index in bad or len(problem.constraints) <= MOST_LINKS):
            role, width = ("evil", 0.08) if index in bad else ("ground", 0.03)
            shapes.append(Line([places[v] for v in one.scope], role, width))
    for robot, (x, y) in enumerate(places):
        dx, dy = heading(values[robot])
        way = str(problem.variables[robot].values[values[robot]])
        role = "evil" if robot in alone else "good"
        shapes.append(Line(((x, y), (x + 0.9 * dx, y + 0.9 * dy)), role, 0.1, arrow=True))
        shapes.append(Disc((x, y), 0.3, role, label=f"{problem.agents[robot]} goes {way}"))
        if len(places) <= MOST_NAMED:
            shapes.append(Words(str(robot), (x, y), 0.3, "paper"))
    return Picture(shapes, size, title)


def own_part(
    problem: Problem,
    values: Sequence[int],
    seat: int,
    told: Mapping[int, int] | None = None,
    broken: Sequence[int] = (),
) -> Picture:
    """What a seat may see: itself in the middle, and its neighbors, with the values that they told it."""
    around = problem.neighbors_of[seat]
    middle = (WIDE / 2, WIDE / 2)
    lines: list[Shape] = []
    shapes: list[Shape] = []
    for at, other in enumerate(around):
        angle = 2 * math.pi * at / len(around)
        place = (WIDE / 2 + 8 * math.sin(angle), WIDE / 2 - 8 * math.cos(angle))
        bad = other in broken
        lines.append(Line((middle, place), "evil" if bad else "ground", 0.2 if bad else 0.08))
        said = None if told is None else told.get(other)
        label = f"agent {other}" + ("" if said is None else f": number {said}")
        shapes.append(Disc(place, 1.0, "paper"))
        shapes.append(Disc(place, 1.0, "other", 0.3, outline="other", width=0.08, label=label))
        if len(around) <= MOST_NAMED:
            shapes.append(
                Words(str(other), (place[0], place[1] - (0.3 if said is not None else 0)), 0.6)
            )
            if said is not None:
                shapes.append(Words(f"is at {said}", (place[0], place[1] + 0.4), 0.42))
    name = _value(problem, values, seat)
    own = _colored(problem, values, seat)
    shapes += [
        Disc(middle, 1.3, "paper"),
        Disc(middle, 1.3, own, 0.4, outline=own, width=0.12, label=f"you, agent {seat}: {name}"),
        Words(name[:8], middle, 0.8 if len(name) < 4 else 0.45),
    ]
    counted = f"{len(around)} neighbor{'' if len(around) == 1 else 's'}"
    return Picture([*lines, *shapes], (WIDE, WIDE), f"Agent {seat} and its {counted}")
