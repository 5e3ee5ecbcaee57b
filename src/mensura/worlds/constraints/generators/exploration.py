"""Multi-robot exploration (n, 8 directions, p1, sr, cr, obsd).

Muscalagiu, Popa and Vidal, section 3, name the parameters (after Doniec et al., 2010) and not the constraints. Here
robots stand on different cells of a square map and each chooses one of eight directions, to go one cell. It must not
go into an obstacle or off the map. Two robots that can talk, and are among the share p1 of such pairs, must stay
within the communication range; and while what they sense overlaps (they are less than two sensor ranges apart) they
must move apart.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.generators.family import Family, Parameter, number, whole
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
STEPS = np.array([(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)])
"""By direction, columns and rows; rows are counted downwards."""


def draw(
    rng: np.random.Generator, n: int, p1: float, sr: float, cr: float, obsd: float, side: int
) -> Problem:
    """Robots on free cells that can be left; round(p1 * pairs in range) constrained; round(obsd * cells) obstacles."""
    side = side or max(math.ceil(cr * math.sqrt(n / 2)), 3)
    free = _map(rng, side, obsd)
    places = _robots(rng, n, free)
    pairs, offsets = in_range(places, side, cr)
    chosen = np.sort(rng.choice(len(pairs), round(p1 * len(pairs)), replace=False))
    kinds: dict[tuple[int, ...], int] = {}
    relations: list[Relation] = []
    constraints: list[Constraint] = []

    def constrain(scope: tuple[int, ...], kind: tuple[int, ...], relation: Relation | None) -> None:
        if kind not in kinds:
            kinds[kind] = len(relations)
            relations.append(relation or moving_apart(kind, sr, cr))
        constraints.append(Constraint(f"c{len(constraints)}", scope, kinds[kind]))

    cells = places[:, None, :] + STEPS
    open_cells = free[cells[..., 1] + 1, cells[..., 0] + 1]
    for robot, ways in enumerate(open_cells.tolist()):
        if not all(ways):
            way = Relation(np.where(ways, 0.0, math.inf))
            constrain((robot,), tuple(map(int, ways)), way)
    for one, other, *offset in np.hstack([pairs, offsets])[chosen].tolist():
        constrain((one, other), tuple(offset), None)
    return Problem(
        f"exploration by {n} robots",
        tuple(f"robot{i}" for i in range(n)),
        tuple(Variable(f"x{i}", DIRECTIONS, i) for i in range(n)),
        tuple(relations),
        tuple(constraints),
        places=tuple((float(x), float(y)) for x, y in places.tolist()),
    )


def moving_apart(offset: tuple[int, ...], sr: float, cr: float) -> Relation:
    """Two robots, the second this far from the first: they stay in range, and apart if what they sense overlaps."""
    now = math.hypot(*offset)
    moved = np.array(offset) + STEPS[None, :, :] - STEPS[:, None, :]
    then = np.sqrt((moved**2).sum(axis=2))
    wrong = then > cr
    if now < 2 * sr:
        wrong |= then <= now
    return Relation(np.where(wrong, math.inf, 0.0))


def in_range(
    places: npt.NDArray[np.int64], side: int, cr: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of robots within a distance, and how far the second is from the first; offset by offset."""
    reach = int(cr)
    board = np.full((side + 2 * reach, side + 2 * reach), -1, np.int64)
    x, y = places[:, 0] + reach, places[:, 1] + reach
    board[y, x] = np.arange(len(places))
    pairs, offsets = [np.zeros((0, 2), np.int64)], [np.zeros((0, 2), np.int64)]
    for dy in range(reach + 1):
        for dx in range(-reach if dy else 1, reach + 1):
            if dx * dx + dy * dy > cr * cr:
                continue
            others = board[y + dy, x + dx]
            one = np.flatnonzero(others >= 0)
            pairs.append(np.stack([one, others[one]], axis=1))
            offsets.append(np.tile([dx, dy], (len(one), 1)))
    return np.concatenate(pairs), np.concatenate(offsets)


def _map(rng: np.random.Generator, side: int, obsd: float) -> npt.NDArray[np.bool_]:
    """(side + 2, side + 2): which cells are free; those around the map are not."""
    free = np.zeros((side + 2, side + 2), bool)
    inside = np.ones(side * side, bool)
    inside[rng.choice(side * side, round(obsd * side * side), replace=False)] = False
    free[1:-1, 1:-1] = inside.reshape(side, side)
    return free


def _robots(rng: np.random.Generator, n: int, free: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """(n, 2): columns and rows of different free cells, each with a free one beside it."""
    side = len(free) - 2
    beside = np.zeros((side, side), bool)
    for dx, dy in STEPS.tolist():
        beside |= free[1 + dy : side + 1 + dy, 1 + dx : side + 1 + dx]
    cells = np.flatnonzero(free[1:-1, 1:-1] & beside)
    if len(cells) < n:
        raise MensuraError(
            f"A map of {side} by {side} cells has {len(cells)} that a robot can stand on and leave, not {n}; take "
            f"fewer obstacles (obsd) or a larger side."
        )
    chosen = np.sort(rng.choice(cells, n, replace=False))
    return np.stack([chosen % side, chosen // side], axis=1)


EXPLORATION = Family(
    "exploration",
    "robots that explore a map, stay in touch and move apart (n, p1, sr, cr, obsd)",
    {
        "n": Parameter(10, "Robots, each an agent.", whole(1)),
        "p1": Parameter(0.3, "Share of the pairs in range that are constrained.", number(0, 1)),
        "sr": Parameter(2.0, "How far a robot senses, in cells.", number(0, 100)),
        "cr": Parameter(6.0, "How far a robot is heard, in cells.", number(1, 100)),
        "obsd": Parameter(0.1, "Share of the cells that are obstacles.", number(0, 0.9)),
        "side": Parameter(
            0,
            "Cells of a side of the map; 0: as many as give a robot about six in range.",
            whole(0, 30_000),
        ),
    },
    draw,
)
