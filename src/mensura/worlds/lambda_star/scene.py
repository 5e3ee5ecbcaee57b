"""A Lambda Star environment at one moment with all of its state."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mensura.core import palette
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
from mensura.worlds.lambda_star.drawing import (
    Cell,
    picture_size,
    segments,
    side_by_side,
    worth_of,
)
from mensura.worlds.lambda_star.environment import ACTION_NAMES, Description, LambdaStarEnvironment
from mensura.worlds.lambda_star.row import MOVES_OF_ONE

SIDE = 460.0
"""The longer side of the picture, in pixels."""
ROOM = 400
"""So many moves of a pattern are shown."""
_EDGE = 1.0


def scene(environment: LambdaStarEnvironment, past: object = None) -> Scene:
    """The torus with what its cells are worth, the paths of Good and Evil where there are such, and everybody."""
    d = environment.description
    deed = d.question.deed
    names = [*ACTION_NAMES, *(f"{name}, {deed}" for name in ACTION_NAMES if deed)]
    patterns = (("Good", d.good_start, d.good_moves), ("Evil", d.evil_start, d.evil_moves))
    return Scene(
        svg=_svg(environment),
        tables=(_everybody(environment), _cells(environment)),
        controls=tuple(
            Controls(
                tuple(
                    Choice(action, name, _leads(d, cell, action))
                    for action, name in enumerate(names, 1)
                )
            )
            for cell in environment.positions()["subjects"]
        ),
        words=tuple(
            f"{name}: from cell {start}, the moves {_moves(moves)}"
            for name, start, moves in patterns
            if d.task == "search"
        ),
    )


def _leads(d: Description, cell: Cell, action: int) -> int:
    down, along = divmod((action - 1) % MOVES_OF_ONE, 3)
    return (cell[0] + down - 1) % d.rows * d.cols + (cell[1] + along - 1) % d.cols


def _moves(moves: tuple[int, ...]) -> str:
    shown = " ".join(map(str, moves[:ROOM]))
    return shown if len(moves) <= ROOM else f"{shown} ... ({len(moves)} moves)"


def _standing(environment: LambdaStarEnvironment) -> Iterator[tuple[str, Cell]]:
    at = environment.positions()
    for name in ("good", "evil", "guide"):
        if at[name] is not None:
            yield name if name == "guide" else name.capitalize(), at[name]
    several = len(at["subjects"]) > 1
    for seat, cell in enumerate(at["subjects"]):
        yield f"subject {seat}" if several else "subject", cell


def _everybody(environment: LambdaStarEnvironment) -> Table:
    d = environment.description
    if d.task != "search":
        return _subjects(environment)
    t = environment.iteration
    path = environment.parts.path
    rows: list[tuple[Value, ...]] = []
    for name, (y, x) in _standing(environment):
        move: int | None = None
        following: int | None = None
        if name in ("Good", "Evil") and t < d.horizon:
            moves = d.good_moves if name == "Good" else d.evil_moves
            first = 0 if name == "Good" else 2
            move = moves[t % len(moves)]
            if not _moved_by_subjects(d):
                ahead = path[t + 1, first : first + 2].tolist()
                following = int(ahead[0]) * d.cols + int(ahead[1]) + 1
        rows.append((name, y * d.cols + x + 1, y, x, following, move))
    columns = ("who", "cell", "row", "column", "goes to", "next move of the pattern")
    return Table("everybody", columns, tuple(rows))


def _subjects(environment: LambdaStarEnvironment) -> Table:
    """The subjects with what they did last, and what they alone are told."""
    d, parts = environment.description, environment.parts
    asked = d.question
    columns = [
        *(["last did"] if asked.deed else []),
        *(["private signal"] if asked.signals else []),
    ]
    rows: list[tuple[Value, ...]] = []
    for seat, (name, (y, x)) in enumerate(_standing(environment)):
        more: list[Value] = []
        if asked.deed:
            more.append(asked.deed if parts.deed[seat] else "")
        if asked.signals:
            more.append(float(parts.signal[seat]))
        rows.append((name, y * d.cols + x + 1, y, x, *more))
    return Table("everybody", ("who", "cell", "row", "column", *columns), tuple(rows))


def _moved_by_subjects(d: Description) -> bool:
    """Whether what subjects do decides where Good or Evil goes next."""
    return bool({"flees", "follows"} & {d.good_reacts, d.evil_reacts})


def _worth(environment: LambdaStarEnvironment) -> list[list[float]]:
    d = environment.description
    worth: list[list[float]] = worth_of(environment, np.arange(d.rows), np.arange(d.cols)).tolist()
    return worth


def _cells(environment: LambdaStarEnvironment) -> Table:
    """The cells that pay, that cost, or where somebody is."""
    d = environment.description
    there: dict[Cell, list[str]] = {}
    for name, cell in _standing(environment):
        there.setdefault(cell, []).append(name)
    worth = _worth(environment)
    rows = tuple(
        (y * d.cols + x + 1, y, x, worth[y][x], ", ".join(there.get((y, x), ())))
        for y in range(d.rows)
        for x in range(d.cols)
        if worth[y][x] or (y, x) in there
    )
    return Table("cells", ("cell", "row", "column", "reward", "who"), rows)


def _svg(environment: LambdaStarEnvironment) -> str:
    d = environment.description
    width, height = picture_size(d, SIDE)
    sx, sy = width / d.cols, height / d.rows
    unit = min(sx, sy)
    worth = _worth(environment)
    parts = []
    for y in range(d.rows):
        for x in range(d.cols):
            value = worth[y][x]
            cell = y * d.cols + x
            shade = (
                f'fill="{palette.GOOD if value > 0 else palette.EVIL}" '
                f'fill-opacity="{0.12 + 0.3 * abs(value):.2g}"'
                if value
                else 'fill="#ffffff" fill-opacity="0"'
            )
            box = (
                f'<rect x="{_EDGE + x * sx:.5g}" y="{_EDGE + y * sy:.5g}" width="{sx:.5g}" height="{sy:.5g}" '
                f'{shade} stroke="#8a8f98" stroke-width="0.5"/>'
            )
            words = f"cell {cell + 1}, row {y}, column {x}, reward {value:g}"
            parts.append(cell_group(cell, words, box))
    parts.append(aside(_paths(environment, sx, sy)))
    parts.append(aside(_people(environment, sx, sy, unit)))
    label = f"A torus of {d.rows} by {d.cols} cells; who is where is in the table of everybody"
    return picture((width + 2 * _EDGE, height + 2 * _EDGE), label, parts)


def _paths(environment: LambdaStarEnvironment, sx: float, sy: float) -> str:
    d = environment.description
    if d.task != "search":
        return ""
    # Where subjects move them, as far as they have come.
    last = environment.iteration if _moved_by_subjects(d) else d.horizon
    path = environment.parts.path[: last + 1]
    lines = []
    for first, color, shift, dash in (
        (0, palette.GOOD, 0.09, ""),
        (2, palette.EVIL, -0.09, ' stroke-dasharray="5 3"'),
    ):
        for points in segments(path[:, first : first + 2], d.rows, d.cols):
            way = " ".join(
                f"{_EDGE + (x + 0.5 + shift) * sx:.5g},{_EDGE + (y + 0.5 + shift) * sy:.5g}"
                for y, x in points.tolist()
            )
            lines.append(
                f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="1.4" '
                f'stroke-opacity="0.8"{dash}/>'
            )
    return "".join(lines)


def _people(environment: LambdaStarEnvironment, sx: float, sy: float, unit: float) -> str:
    def middle(place: tuple[float, float]) -> tuple[float, float]:
        return _EDGE + (place[1] + 0.5) * sx, _EDGE + (place[0] + 0.5) * sy

    at = environment.positions()
    shapes = []
    if at["good"] is not None:
        x, y = middle(at["good"])
        shapes.append(
            f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{0.4 * unit:.4g}" fill="{palette.GOOD}" stroke="#fff"/>'
        )
    if at["evil"] is not None:
        x, y = middle(at["evil"])
        half = 0.36 * unit
        shapes.append(
            f'<rect x="{x - half:.5g}" y="{y - half:.5g}" width="{2 * half:.4g}" height="{2 * half:.4g}" '
            f'fill="{palette.EVIL}" stroke="#fff"/>'
        )
    if at["guide"] is not None:
        x, y = middle(at["guide"])
        side = 0.34 * unit
        shapes.append(
            f'<path d="M{x:.5g} {y - side:.5g}L{x + side:.5g} {y + side:.5g}H{x - side:.5g}Z" '
            f'fill="{palette.GUIDE}" stroke="#fff"/>'
        )
    for seat, (place, scale) in enumerate(side_by_side(at["subjects"])):
        x, y = middle(place)
        size = 0.26 * unit * scale
        shapes.append(
            f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{size:.4g}" fill="#fff" stroke="#000"/>'
        )
        if size > 5:
            shapes.append(
                f'<text x="{x:.5g}" y="{y + 0.44 * size:.5g}" font-size="{1.25 * size:.3g}" '
                f'text-anchor="middle" fill="#000">{seat}</text>'
            )
    return "".join(shapes)
