"""Sensor networks: sensors on a grid each watch one sector, and targets between them are to be seen by several at once.

A target costs its weight for each sensor that is missing to the number that it needs. (After the problem of Zhang,
Wang, Xing and Wittenburg, 2005, where three sensors locate a target; weights, sectors and ranges are ours.)
"""

from __future__ import annotations

import math

import numpy as np

from mensura.worlds.constraints.generators.family import Family, Parameter, number, whole
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable


def draw(
    rng: np.random.Generator,
    n: int,
    targets: int,
    sectors: int,
    needed: int,
    most: int,
    radius: float,
    weight: int,
) -> Problem:
    """Each target is a constraint between the nearest sensors that could see it."""
    columns = math.ceil(math.sqrt(n))
    places = [(i % columns, i // columns) for i in range(n)]
    anchors = rng.integers(n, size=targets)
    offsets = rng.uniform(-0.5, 0.5, size=(targets, 2))
    weights = rng.integers(1, weight + 1, size=targets)
    reach = math.ceil(radius + 0.5)
    relations: dict[tuple[int, ...], int] = {}
    tables: list[Relation] = []
    constraints = []
    for target, anchor in enumerate(anchors.tolist()):
        x = places[anchor][0] + float(offsets[target, 0])
        y = places[anchor][1] + float(offsets[target, 1])
        seen = _near(x, y, radius, reach, columns, n)[:most]
        watching = tuple(_sector(x - places[s][0], y - places[s][1], sectors) for s in seen)
        kind = (int(weights[target]), *watching)
        if kind not in relations:
            relations[kind] = len(tables)
            tables.append(_missing(kind[0], watching, sectors, needed))
        constraints.append(Constraint(f"t{target}", tuple(seen), relations[kind]))
    return Problem(
        f"{n} sensors and {targets} targets",
        tuple(f"s{i}" for i in range(n)),
        tuple(Variable(f"x{i}", tuple(range(sectors)), i) for i in range(n)),
        tuple(tables),
        tuple(constraints),
        places=tuple((float(x), float(y)) for x, y in places),
    )


def _near(x: float, y: float, radius: float, reach: int, columns: int, n: int) -> list[int]:
    """Sensors within the radius of a point, the nearest first."""
    found = []
    for row in range(round(y) - reach, round(y) + reach + 1):
        for column in range(round(x) - reach, round(x) + reach + 1):
            sensor = row * columns + column
            distance = math.hypot(column - x, row - y)
            if row >= 0 and 0 <= column < columns and sensor < n and distance <= radius:
                found.append((distance, sensor))
    return [sensor for _, sensor in sorted(found)]


def _sector(dx: float, dy: float, sectors: int) -> int:
    """The sector in which something lies, counted from the direction of the columns."""
    turn = math.atan2(dy, dx) / math.tau % 1.0
    return min(int(turn * sectors), sectors - 1)


def _missing(weight: int, watching: tuple[int, ...], sectors: int, needed: int) -> Relation:
    """The weight for each sensor that is missing."""
    seen = np.zeros((sectors,) * len(watching))
    for axis, sector in enumerate(watching):
        shape = [1] * len(watching)
        shape[axis] = sectors
        seen += (np.arange(sectors) == sector).reshape(shape)
    found = "".join(f" - (x{axis} == {sector})" for axis, sector in enumerate(watching))
    return Relation(weight * np.maximum(needed - seen, 0.0), f"{weight} * max({needed}{found}, 0)")


SENSORS = Family(
    "sensors",
    "sensors that are to watch targets together, at least cost",
    {
        "n": Parameter(9, "Sensors, each an agent.", whole(1)),
        "targets": Parameter(8, "Targets, each a constraint.", whole(0)),
        "sectors": Parameter(4, "Sectors, of which a sensor watches one.", whole(1, 64)),
        "needed": Parameter(3, "Sensors that a target needs.", whole(1, 6)),
        "most": Parameter(4, "The most sensors of one constraint: the nearest.", whole(1, 6)),
        "radius": Parameter(1.2, "How far a sensor sees; neighbors are 1 apart.", number(0.75, 10)),
        "weight": Parameter(9, "The largest weight of a target.", whole(1, 1_000_000)),
    },
    draw,
)
