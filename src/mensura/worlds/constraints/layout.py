"""Where agents stand in a drawing: where the problem places them, else by forces; nothing is drawn at random.

Links pull and agents push each other apart, as Fruchterman and Reingold ("Graph drawing by force-directed placement",
1991) have it, from a spiral on; agents that many rounds have not told apart stay where they are.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from mensura.worlds.constraints.generators.exploration import DIRECTIONS, STEPS
from mensura.worlds.constraints.problem import Problem

Form = Literal["graph", "board", "lattice", "map"]
Points = npt.NDArray[np.float64]

FORMS: dict[str, Form] = {"queens": "board", "folding": "lattice", "exploration": "map"}
"""How problems of some families look; all others are graphs."""
MOST_PUSHED = 1500
"""More agents stay on the spiral: every pair of them is looked at."""
ROUNDS = 60
"""Of few agents; of many fewer, since each takes longer."""

_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))


def form_of(problem: Problem, family: str) -> Form:
    """How a problem is drawn: by its family, if it is what that family draws."""
    form = FORMS.get(family, "graph")
    one_each = all(len(own) == 1 for own in problem.variables_of)
    if form == "board":
        fits = all(len(one.values) == len(problem.agents) for one in problem.variables)
    elif form == "lattice":
        fits = all(site_of(str(one)) is not None for v in problem.variables for one in v.values)
    else:
        fits = form == "map" and all(one.values == DIRECTIONS for one in problem.variables)
    return form if one_each and fits else "graph"


def site_of(value: str) -> tuple[float, float] | None:
    """The place of a site "2,1" or "2,1,0" on paper, where the third dimension goes up and to the right."""
    parts = value.split(",")
    if len(parts) not in (2, 3) or not all(one.isdecimal() for one in parts):
        return None
    x, y, z = (*map(float, parts), 0.0)[:3]
    return y + 0.45 * z, x - 0.35 * z


def heading(value: int) -> tuple[float, float]:
    """Where a robot goes that chose a direction."""
    x, y = STEPS[value].tolist()
    return float(x), float(y)


def links_of(problem: Problem) -> list[tuple[int, int]]:
    """Pairs of neighbors, each once, in order."""
    return [
        (one, other)
        for one, others in enumerate(problem.neighbors_of)
        for other in others
        if one < other
    ]


def places_of(problem: Problem) -> Points:
    """(agents, 2): places within [0, 1]; computed once for a problem."""
    found: Points | None = vars(problem).get("_drawn_places")
    if found is None:
        given = problem.places
        if len(given) == len(problem.agents) and len({one[0] for one in given}) > 1:
            found = _within(np.array([one[:2] for one in given], np.float64))
        else:
            found = _within(_pushed(len(problem.agents), links_of(problem)))
        vars(problem)["_drawn_places"] = found
    return found


def _within(points: Points) -> Points:
    """The same in the unit square, as large as it can be."""
    low = points.min(axis=0)
    span = float((points.max(axis=0) - low).max()) or 1.0
    middle = (1.0 - (points.max(axis=0) - low) / span) / 2
    found: Points = (points - low) / span + middle
    return found


def _pushed(count: int, links: list[tuple[int, int]]) -> Points:
    turns = np.arange(count) * _GOLDEN
    points: Points = np.sqrt((np.arange(count) + 0.5) / count)[:, None] * np.stack(
        [np.cos(turns), np.sin(turns)], axis=1
    )
    if not 2 < count <= MOST_PUSHED or not links:
        return points
    ends = np.array(links)
    length = 1.6 / math.sqrt(count)
    rounds = max(20, min(ROUNDS, 30_000 // count))
    for number in range(rounds):
        apart = points[:, None, :] - points[None, :, :]
        far = np.maximum((apart**2).sum(axis=2), 1e-6)
        push = (apart * (length**2 / far)[:, :, None]).sum(axis=1)
        line = points[ends[:, 0]] - points[ends[:, 1]]
        pull = line * (np.sqrt((line**2).sum(axis=1)) / length)[:, None]
        np.add.at(push, ends[:, 0], -pull)
        np.add.at(push, ends[:, 1], pull)
        push -= points * 2.0  # parts without a link between them stay together
        size = np.maximum(np.sqrt((push**2).sum(axis=1)), 1e-9)
        step = 0.2 * (1.0 - number / rounds)
        points = points + push * (np.minimum(size, step) / size)[:, None]
    return points
