"""Where the cells and arrows of a space are drawn, in pixels: plain geometry, the same for pictures and films.

Rows, rings, grids and tori are recognized and drawn as such. Other spaces of up to `ON_A_CIRCLE` cells stand on a
circle in the order of their cells, which no arrow then runs over; larger ones are spread by the lengths of their paths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mensura.worlds.lambda_class.space import Space, grid, torus

Points = npt.NDArray[np.float64]
"""(n, 2): x to the right, y downwards."""

ON_A_CIRCLE = 20
"""So many cells stand on a circle, unless they are a row, a grid or a torus."""
LEGIBLE = 80
"""Up to so many cells have their numbers, and arrows their actions."""
DRAWN = 400
"""Up to so many cells are drawn, and their arrows; more are a circle, on which one sees only where something is."""
MOST_ARROWS = 400
"""More arrows are left out: they take too long, and nobody could follow one."""
LONGEST_ROW = 12
"""A longer row of cells is folded to and fro."""
CROWD = 280.0
"""The size of the circle of more cells than are drawn."""

LETTER = 6.2
"""How wide a letter of a label is, roughly."""
BENDS = (0.0, 0.18, -0.18, 0.3, -0.3, 0.45, -0.45)
BENDS_OF_TWO = (0.14, 0.08, -0.3, 0.22, -0.4, 0.32, 0.45)
"""How far an arrow swings out to its left, over its length; the first that keeps clear of other cells is taken. Of two
that lead to and fro, each has its own left."""
LOOP = 0.34
"""The size of the arrow of an action that leads back to its cell, over the size of the cell."""


@dataclass(frozen=True)
class Arrow:
    """All actions that lead from one cell to another, as one arrow."""

    source: int
    target: int
    label: str
    points: Points
    """From the rim of one cell to that of the other."""
    label_at: tuple[float, float]
    stub: bool = False
    """Whether it leaves a torus at its border: only its beginning is drawn, and the cell it leads to is named."""

    def lines(self) -> list[Points]:
        """Its points without those under its label."""
        if not self.label:
            return [self.points]
        room = np.array([LETTER * len(self.label) / 2 + 2.5, 7.0])
        clear = (np.abs((self.points - self.label_at) / room) > 1).any(axis=1)
        cuts = np.flatnonzero(np.diff(clear.astype(int))) + 1
        pieces = zip(np.split(self.points, cuts), np.split(clear, cuts), strict=True)
        return [points for points, seen in pieces if seen[0] and len(points) > 1]

    def head(self, size: float) -> Points:
        """Its tip: a triangle."""
        tip = self.points[-1]
        back = self.points[: len(self.points) - 1]
        from_there = back[np.argmin(np.abs(np.hypot(*(back - tip).T) - size))]
        way = (tip - from_there) / max(float(np.hypot(*(tip - from_there))), 1e-9)
        side = np.array([-way[1], way[0]])
        return np.array(
            [tip, tip - size * way + 0.42 * size * side, tip - size * way - 0.42 * size * side]
        )


@dataclass(frozen=True)
class Layout:
    """The picture of a space without anybody in it."""

    cells: Points
    """Their middles."""
    radius: float
    """Of the circle that is a cell."""
    arrows: tuple[Arrow, ...]
    width: float
    height: float

    @property
    def legible(self) -> bool:
        """Whether numbers and labels are shown."""
        return len(self.cells) <= LEGIBLE


@lru_cache(maxsize=8)
def layout(space: Space, names: tuple[str, ...] = ()) -> Layout:
    """The layout of a space; `names` are its actions, by their numbers if none are given."""
    n = space.cells
    radius = 28.0 if n <= 12 else 22.0 if n <= 30 else 17.0 if n <= LEGIBLE else 7.0
    cells, wraps = _places(space, radius)
    arrows: list[Arrow] = []
    if n <= DRAWN and sum(map(len, _targets(space))) <= MOST_ARROWS:
        arrows = list(_arrows(space, cells, radius, names, wraps))
    corners = [cells - radius, cells + radius, *(arrow.points for arrow in arrows)]
    for arrow in arrows:
        room = np.array([LETTER * len(arrow.label) / 2 + 2, 8.0])
        corners += [arrow.label_at + room, arrow.label_at - room]
    everything = np.concatenate([np.atleast_2d(corner) for corner in corners])
    low, high = everything.min(axis=0) - 4, everything.max(axis=0) + 4
    moved = tuple(
        Arrow(
            arrow.source,
            arrow.target,
            arrow.label,
            arrow.points - low,
            (arrow.label_at[0] - float(low[0]), arrow.label_at[1] - float(low[1])),
            arrow.stub,
        )
        for arrow in arrows
    )
    width, height = (high - low).tolist()
    return Layout(cells - low, radius, moved, width, height)


# Cells --------------------------------------------------------------------------


def _places(space: Space, radius: float) -> tuple[Points, bool]:
    """The middles of the cells, and whether arrows leave at one border and come in at the other."""
    n = space.cells
    turn = 2 * math.pi * np.arange(n) / n - (math.pi / 2 if n > 2 else math.pi)
    # The first cell on top, and then clockwise; two cells side by side.
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    if n > DRAWN:
        return CROWD * circle, False
    for rows, cols, wraps in _grids(space):
        if rows == 1 and cols > LONGEST_ROW:
            return _folded(cols, 3.7 * radius), False
        apart = (3.7 if max(map(len, _targets(space))) <= 4 else 4.6) * radius
        places = [(col * apart, row * apart) for row in range(rows) for col in range(cols)]
        return np.array(places), wraps
    ring = all(
        {*ways} <= {(cell + 1) % n, (cell - 1) % n} for cell, ways in enumerate(_targets(space))
    )
    if n <= ON_A_CIRCLE or ring:
        crowded = sum(map(len, _targets(space))) / n
        apart = 3.5 + 0.4 * max(0.0, crowded - 2.5)
        around = max(n * apart * radius, 2 * math.pi * 3.3 * radius) if n > 2 else 12 * radius
        return around / (2 * math.pi) * circle, False
    return _spread(space, radius), False


def _folded(cells: int, apart: float) -> Points:
    """A row that turns back at its ends, so that neighbors stay neighbors."""
    wide = math.ceil(math.sqrt(1.5 * cells))
    places = []
    for cell in range(cells):
        row, col = divmod(cell, wide)
        places.append(((wide - 1 - col if row % 2 else col) * apart, row * apart))
    return np.array(places)


def _targets(space: Space) -> list[set[int]]:
    """Where arrows lead from each cell, itself left out."""
    return [{*ways} - {cell} for cell, ways in enumerate(space.arrows)]


def _grids(space: Space) -> Iterator[tuple[int, int, bool]]:
    """The rows and columns of a space that is a row, a grid or a torus, whatever its actions are called."""
    n = space.cells
    if n < 3:
        return
    targets = _targets(space)
    most = max(map(len, targets))
    if most > 8:
        return
    for rows in range(1, math.isqrt(n) + 1):
        if n % rows:
            continue
        for sizes in dict.fromkeys([(rows, n // rows), (n // rows, rows)]):
            for wraps in (False, True) if rows > 1 else (False,):
                make = torus if wraps else grid
                for diagonal in (False, True) if rows > 1 else (False,):
                    if targets == _targets(make(*sizes, diagonal=diagonal)):
                        yield (1, n, False) if rows == 1 else (*sizes, wraps)
                        return


def _spread(space: Space, radius: float) -> Points:
    """Cells as far apart as the paths between them are long, by stress majorization, and never too near."""
    n = space.cells
    far = _path_lengths(space)
    weight = np.where(far > 0, 1.0 / np.maximum(far, 1.0) ** 2, 0.0)
    turn = 2 * math.pi * np.arange(n) / n
    # A circle that is a little crooked, since nothing leads away from perfect symmetry.
    wobble = 1 + 0.1 * np.sin(7 * np.arange(n))
    at = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (wobble * n / 6)[:, None]
    total = weight.sum(axis=1)
    for _ in range(200):
        difference = at[:, None] - at[None]
        length = np.maximum(np.hypot(difference[..., 0], difference[..., 1]), 1e-9)
        pull = weight * (far / length)
        at = (weight @ at + (pull[..., None] * difference).sum(axis=1)) / total[:, None]
        at -= at.mean(axis=0)
    near = 4.2 + 0.8 * max(0.0, sum(map(len, _targets(space))) / n - 2) if n <= LEGIBLE else 4.2
    at *= near * radius
    for _ in range(300):
        difference = at[:, None] - at[None]
        length = np.hypot(difference[..., 0], difference[..., 1]) + np.eye(n) * 1e9
        lacking = np.maximum(0.8 * near * radius - length, 0.0)
        if not lacking.any():
            break
        push = (lacking / np.maximum(length, 1e-6) / 2)[..., None] * difference
        at = at + 0.8 * push.sum(axis=1)
    return at


def _path_lengths(space: Space) -> npt.NDArray[np.float64]:
    """How many arrows, followed either way, lie between any two cells; one more than the most where none lead."""
    n = space.cells
    near = np.zeros((n, n), bool)
    for cell, targets in enumerate(_targets(space)):
        for target in targets:
            near[cell, target] = near[target, cell] = True
    far = np.where(np.eye(n, dtype=bool), 0.0, np.inf)
    reached = np.eye(n, dtype=bool)
    for steps in range(1, n):
        wider = reached | (reached.astype(np.int32) @ near > 0)
        new = wider & ~reached
        if not new.any():
            break
        far[new] = steps
        reached = wider
    return np.where(np.isinf(far), np.max(far[np.isfinite(far)]) + 1, far)


# Arrows -------------------------------------------------------------------------


def label_of(actions: Sequence[int], names: tuple[str, ...]) -> str:
    """The actions of an arrow, those in a row as 1-4."""
    if names:
        return ",".join(names[action] for action in actions)
    parts, first = [], actions[0]
    for action, following in zip(actions, (*actions[1:], None), strict=True):
        if following != action + 1:
            joint = "," if action - first == 1 else "-"
            parts.append(str(first) if first == action else f"{first}{joint}{action}")
            first = following if following is not None else action
    return ",".join(parts)


def _arrows(
    space: Space, cells: Points, radius: float, names: tuple[str, ...], wraps: bool
) -> Iterator[Arrow]:
    bundles: dict[tuple[int, int], list[int]] = {}
    for cell, ways in enumerate(space.arrows):
        for action, target in enumerate(ways):
            if action > 0:  # the reflexive one is left out, as in figures 4.1 and 5.1
                bundles.setdefault((cell, target), []).append(action)
    curves: dict[tuple[int, int], Points] = {}
    stubs: set[tuple[int, int]] = set()
    for cell, target in bundles:
        if cell == target:
            continue
        if wraps and np.abs(cells[cell] - cells[target]).max() > 5 * radius:
            curves[cell, target] = _stub(cells, cell, target, radius)
            stubs.add((cell, target))
        else:
            curves[cell, target] = _curve(cells, cell, target, radius, (target, cell) in bundles)
    for cell, target in bundles:
        if cell == target:
            curves[cell, target] = _loop(cells, cell, radius, curves, stubs)
    show = len(cells) <= LEGIBLE
    taken = np.concatenate([*curves.values(), np.zeros((0, 2))])
    owner = np.concatenate([np.full(len(curve), i) for i, curve in enumerate(curves.values())])
    labels = np.zeros((0, 2))
    for i, ((cell, target), curve) in enumerate(curves.items()):
        label = label_of(bundles[cell, target], names) if show else ""
        stub = (cell, target) in stubs
        if stub and label:
            label += f"\N{RIGHTWARDS ARROW}{target + 1}"
        if cell == target or stub:
            far = curve[-1 if stub else len(curve) // 2]
            outwards = (far - cells[cell]) / np.hypot(*(far - cells[cell]))
            room = np.array([LETTER * len(label) / 2 + 3, 8.0])
            at = far + outwards * np.abs(room * outwards).sum()
        else:
            others = np.concatenate([taken[owner != i], labels])
            at = _label_place(curve, others, cells, radius, (cell, target), len(label))
        labels = np.concatenate([labels, at[None]])
        yield Arrow(cell, target, label, curve, (float(at[0]), float(at[1])), stub)


def _curve(cells: Points, cell: int, target: int, radius: float, both: bool) -> Points:
    """From rim to rim, bent aside where an arrow comes back or another cell is in the way."""
    others = np.delete(cells, [cell, target], axis=0)
    best, widest = None, -1.0
    for bend in BENDS_OF_TWO if both else BENDS:
        points = _bent(cells[cell], cells[target], bend, radius)
        if not len(others):
            return points
        gaps = np.hypot(*(points[:, None] - others[None]).transpose(2, 0, 1)).min()
        if gaps > 1.2 * radius:
            return points
        if gaps > widest:
            best, widest = points, float(gaps)
    assert best is not None
    return best


def _bent(a: Points, b: Points, bend: float, radius: float) -> Points:
    """A parabola between two cells, cut at their rims; to the left of its way if bend is positive."""
    way = b - a
    t = np.linspace(0.0, 1.0, 30 + int(np.hypot(*way) / 3))[:, None]
    control = (a + b) / 2 + 2 * bend * np.array([way[1], -way[0]])
    points = (1 - t) ** 2 * a + 2 * t * (1 - t) * control + t**2 * b
    inside = (np.hypot(*(points - a).T) > radius) & (np.hypot(*(points - b).T) > radius + 1.5)
    kept: Points = points[inside]
    return kept


def _stub(cells: Points, cell: int, target: int, radius: float) -> Points:
    """The way out of a torus, in the direction in which the target would be next."""
    way = cells[target] - cells[cell]
    step = np.where(np.abs(way) > 5 * radius, -np.sign(way), np.sign(way) * (np.abs(way) > 1))
    step = step / np.hypot(*step)
    points: Points = cells[cell] + np.linspace(1.0, 1.75, 12)[:, None] * radius * step
    return points


def _loop(
    cells: Points,
    cell: int,
    radius: float,
    curves: dict[tuple[int, int], Points],
    stubs: set[tuple[int, int]],
) -> Points:
    """A small arc that leaves a cell and comes back, where most room is between its other arrows."""
    busy = []
    for (source, target), curve in curves.items():
        for here, end in ((source, 0), (target, -1)):
            if here == cell and source != target and not (end and (source, target) in stubs):
                x, y = curve[end] - cells[cell]
                busy.append(math.atan2(y, x))
    outwards = cells[cell] - cells.mean(axis=0)
    best = math.atan2(outwards[1], outwards[0]) if np.abs(outwards).max() > 1 else -math.pi / 2
    if busy:
        busy.sort()
        gaps = [
            (later - earlier, (earlier + later) / 2)
            for earlier, later in zip(busy, [*busy[1:], busy[0] + 2 * math.pi], strict=True)
        ]
        # Outwards, where that is free anyway.
        if min(abs(math.remainder(angle - best, 2 * math.pi)) for angle in busy) < 0.6:
            best = max(gaps)[1]
    small = LOOP * radius
    middle = cells[cell] + (radius + 0.62 * small) * np.array([math.cos(best), math.sin(best)])
    open_to = 2.2
    angles = best + math.pi + np.linspace(open_to / 2, 2 * math.pi - open_to / 2, 25)
    points: Points = middle + small * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return points


def _label_place(
    curve: Points, others: Points, cells: Points, radius: float, ends: tuple[int, int], letters: int
) -> Points:
    """Where a label lies on its arrow: rather near its beginning, and clear of other arrows, labels and cells."""
    strangers = np.delete(cells, ends, axis=0)
    best: Points = curve[len(curve) // 2]
    widest = -1.0
    for share in (0.42, 0.5, 0.36, 0.3, 0.58, 0.24, 0.65, 0.72):
        at: Points = curve[min(int(share * len(curve)), len(curve) - 1)]
        room = 99.0
        if len(others):
            room = min(room, float(np.hypot(*(others - at).T).min()))
        if len(strangers):
            room = min(room, float(np.hypot(*(strangers - at).T).min()) - radius)
        if room >= 10 + 3 * letters:
            return at
        if room > widest:
            best, widest = at, room
    return best
