"""What a Lambda Star environment looks like: all of it, like figures 2 and 5 of the paper, or what a seat observes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.complexity.entropy import search_space_entropy
from mensura.core import palette
from mensura.pictures import tokens
from mensura.pictures.layout import abreast
from mensura.pictures.picture import Area, Disc, Image, Line, Picture, Place, Sample, Shape, Words
from mensura.worlds.lambda_star.environment import (
    ACTION_NAMES,
    Description,
    LambdaStarEnvironment,
)
from mensura.worlds.lambda_star.generator import pattern_complexity
from mensura.worlds.lambda_star.row import MOVES_OF_ONE

Cell: TypeAlias = tuple[int, int]
"""Row and column, from 0."""
Field: TypeAlias = npt.NDArray[np.float64]

SIDE = 10.0
"""The longer side of the grid, in units."""
GRID_LINES = 60
"""Up to so many rows and columns there are lines between cells."""
READABLE = 14
"""Up to so many rows and columns cells have room for what they are worth."""
SINGLE = 2500
"""More cells are one image, rather than a shape each."""
BEYOND = 0.75
"""How much of a step over the border is drawn on either side, before the border cuts it at one half."""
STEPS = 10
"""So many shades of what cells are worth there are: films of few colors are small."""
NAMES = {"landscape": "fitness", "commons": "stock"}
"""What the worth of a cell is called, in tasks in which every cell has one of its own."""


# What is drawn ------------------------------------------------------------------


def rewards_of(
    d: Description,
    good: Cell,
    evil: Cell,
    rows: npt.NDArray[Any],
    cols: npt.NDArray[Any],
    strength: tuple[float, float] = (1.0, 1.0),
) -> Field:
    """What the cells at these rows and columns are worth (section 4.1.2): (len(rows), len(cols)).

    ``strength`` is that of Good and Evil, where they tire.
    """

    def felt(at: Cell) -> Field:
        down, along = np.abs(rows - at[0]), np.abs(cols - at[1])
        down, along = np.minimum(down, d.rows - down), np.minimum(along, d.cols - along)
        distance = np.maximum(down[:, None], along[None, :])
        return np.where(distance <= d.radius, 1.0 / (distance + 1.0), 0.0)

    return strength[0] * felt(good) - strength[1] * felt(evil)


def worth_of(
    environment: LambdaStarEnvironment,
    rows: npt.NDArray[Any] | None = None,
    cols: npt.NDArray[Any] | None = None,
) -> Field:
    """What the cells at these rows and columns, or all, are worth now, whatever the task: (len(rows), len(cols))."""
    d = environment.description
    rows = np.arange(d.rows) if rows is None else rows
    cols = np.arange(d.cols) if cols is None else cols
    worth = environment.worth()
    if worth is not None:
        return np.asarray(worth[np.ix_(rows, cols)])
    at = environment.positions()
    good, evil = environment.parts.strength.tolist() if d.wide else (1.0, 1.0)  # where they tire
    return rewards_of(d, at["good"], at["evil"], rows, cols, (good, evil))


@lru_cache(maxsize=16)
def complexity_of(d: Description) -> int:
    """K: the Lempel-Ziv 76 complexity of Good's cells over the whole horizon, as in the paper's text."""
    return pattern_complexity(d.pattern(), d.rows, d.cols, d.horizon)


def moved_by_subjects(d: Description) -> bool:
    """Whether what subjects do decides where Good or Evil goes next."""
    return bool({"flees", "follows"} & {d.good_reacts, d.evil_reacts})


def _lasting(d: Description) -> bool:
    """Whether what cells are worth changes only as Good and Evil move; else figures would only flicker."""
    tires = "tires" in (d.good_reacts, d.evil_reacts, d.landscape_reacts)
    drifts = d.drift > 0 or d.landscape_reacts != "no"
    return not tires and d.task != "commons" and not (d.task == "landscape" and drifts)


# The grid -----------------------------------------------------------------------


@dataclass(frozen=True)
class Grid:
    """Where cells are: squares, unless the grid is a mere strip."""

    rows: int
    cols: int

    @property
    def size(self) -> Place:
        """Its width and height."""
        unit = SIDE / max(self.rows, self.cols)
        return max(unit * self.cols, 0.4 * SIDE), max(unit * self.rows, 0.1 * SIDE)

    @property
    def steps(self) -> Place:
        """The width and the height of a cell."""
        return self.size[0] / self.cols, self.size[1] / self.rows

    @property
    def unit(self) -> float:
        """How large whatever stands on a cell may be: the shorter side of it, within limits."""
        return min(1.6, max(0.15, min(self.steps)))

    def at(self, row: float, column: float) -> Place:
        """The middle of a cell, or a place beside it."""
        return (column + 0.5) * self.steps[0], (row + 0.5) * self.steps[1]

    def box(self, row: int, column: int, role: str, strength: float, **more: Any) -> Area:
        """A cell."""
        wide, high = self.steps
        return Area.box(column * wide, row * high, wide, high, role, strength, **more)

    def lines(self) -> Iterator[Shape]:
        """The border, and lines between cells unless they are too many."""
        width, height = self.size
        wide, high = self.steps
        if max(self.rows, self.cols) <= GRID_LINES:
            for i in range(1, self.cols):
                yield Line(((i * wide, 0.0), (i * wide, height)), "ground", 0.02)
            for i in range(1, self.rows):
                yield Line(((0.0, i * high), (width, i * high)), "ground", 0.02)
        corners = (0.0, 0.0), (width, 0.0), (width, height), (0.0, height), (0.0, 0.0)
        yield Line(corners, "ink", 0.025)

    def rulers(self) -> Iterator[Shape]:
        """The numbers of rows and columns, far enough apart."""
        width, height = self.size
        for column in range(0, self.cols, max(1, math.ceil(0.5 * self.cols / width))):
            yield Words(str(column), (self.at(0, column)[0], height + 0.2), 0.22)
        for row in range(0, self.rows, max(1, math.ceil(0.5 * self.rows / height))):
            yield Words(str(row), (-0.1, self.at(row, 0)[1]), 0.22, anchor="end")


def _shade(value: float, task: str) -> tuple[str, float]:
    """The role and the strength of what a cell is worth."""
    steps = math.ceil(STEPS * min(1.0, abs(value)) - 1e-9) / STEPS
    role = "stock" if task == "commons" else "good" if value >= 0 else "evil"
    return role, 0.8 * steps if task in NAMES else (0.1 + 0.4 * steps) * (value != 0)


def _ground(grid: Grid, worth: Field, task: str, dark: Field | None) -> Iterator[Shape]:
    """The cells, shaded by what they are worth, and darkened where that says something."""
    if worth.size > SINGLE:
        steps = np.ceil(STEPS * np.minimum(np.abs(worth), 1.0) - 1e-9) * np.sign(worth)
        shades = [_shade(step / STEPS, task) for step in range(-STEPS, STEPS + 1)]
        colors = np.array(
            [palette.tint(palette.color_of(role), strength) for role, strength in shades]
        )
        pixels = colors[steps.astype(int) + STEPS] * (
            1.0 if dark is None else 1.0 - dark[..., None]
        )
        yield Image(np.rint(pixels).astype(np.uint8), (0.0, 0.0), grid.size)
        return
    for (row, column), value in np.ndenumerate(worth):
        cell = row * grid.cols + column
        label = f"cell {cell + 1}, row {row}, column {column}, reward {value:g}"
        yield grid.box(row, column, *_shade(float(value), task), label=label, cell=cell)
        if dark is not None and dark[row, column]:
            yield grid.box(row, column, "ink", float(dark[row, column]), label="seen")
        elif dark is not None:
            yield from _cross(grid.at(row, column), 0.18 * grid.unit)


def _figures(grid: Grid, worth: Field, task: str, exact: bool = True) -> Iterator[Shape]:
    """What cells are worth, in figures in their upper left corners, where they can be read; or only its sign."""
    if max(grid.rows, grid.cols) > READABLE:
        return
    (wide, high), size = grid.steps, min(0.35, (0.2 if exact else 0.32) * grid.unit)
    for row, column in np.argwhere(worth != 0.0).tolist():
        value = float(worth[row, column])
        if task == "commons":
            text = f"{value:.2g}" if exact else ""
        elif exact:
            text = f"{value:+.2g}"
        else:
            text = "-" if value < 0 else "+" if task not in NAMES else ""
        if text:
            at = column * wide + 0.05 * grid.unit, row * high + 0.15 * grid.unit
            yield Words(text.replace("-", "\N{MINUS SIGN}"), at, size, anchor="start")


# All of it ----------------------------------------------------------------------


def everything(environment: LambdaStarEnvironment) -> Picture:
    """The torus with what its cells are worth, who is where, and whatever else the task has: nothing hidden."""
    d = environment.description
    grid = Grid(d.rows, d.cols)
    worth = worth_of(environment)
    shapes = [*_ground(grid, worth, d.task, _first_seen(environment) if d.track else None)]
    shapes += [*grid.lines(), *grid.rulers(), *_figures(grid, worth, d.task, _lasting(d))]
    if d.task == "search":
        shapes += _paths(grid, environment)
    if d.task == "landscape":
        top = divmod(int(worth.argmax()), d.cols)
        shapes.append(Line(_frame(grid, *top), "ink", 0.08 * grid.unit, label="the global optimum"))
    shapes += _everybody(grid, environment)
    return Picture(shapes, grid.size, _spoken(d), tuple(_legend(environment)), _title(environment))


def _frame(grid: Grid, row: int, column: int) -> tuple[Place, ...]:
    """A line around the inside of a cell."""
    (x, y), (wide, high) = grid.at(row, column), grid.steps
    a, b = 0.44 * wide, 0.44 * high
    return (x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b), (x - a, y - b)


def _first_seen(environment: LambdaStarEnvironment) -> Field:
    """When each cell was first seen, the later the darker; 0 where nobody looked, which is crossed out."""
    d = environment.description
    when = np.array(environment.parts.seen).reshape(d.rows, d.cols)
    return np.where(when < 0, 0.0, 0.05 * (1 + np.ceil(8 * when / max(d.horizon, 1))))


def _cross(at: Place, size: float) -> tuple[Shape, ...]:
    (x, y), s = at, size
    strokes = ((x - s, y - s), (x + s, y + s)), ((x - s, y + s), (x + s, y - s))
    return tuple(Line(stroke, "ink", 0.25 * s) for stroke in strokes)


def _paths(grid: Grid, environment: LambdaStarEnvironment) -> Iterator[Shape]:
    """Where Good and Evil go; where subjects decide that, where they went."""
    d = environment.description
    path = environment.parts.path
    if moved_by_subjects(d):
        path = path[: environment.iteration + 1]
    width = max(0.018, min(0.045, 1.0 / max(d.rows, d.cols)))
    for first, role, shift in ((0, "good", 0.09), (2, "evil", -0.09)):
        for points in segments(path[:, first : first + 2], d.rows, d.cols):
            line = [grid.at(y + shift, x + shift) for y, x in points.tolist()]
            # A path that grows is drawn step by step, so that films have each of them once.
            for piece in pairwise(line) if moved_by_subjects(d) else (line,):
                yield Line(_within(grid, piece), role, width, dashed=role == "evil")


def _within(grid: Grid, line: Sequence[Place]) -> tuple[Place, ...]:
    """A line whose ends are cut at the border."""
    first, last = _cut(grid.size, line[0], line[1]), _cut(grid.size, line[-1], line[-2])
    return first, *line[1:-1], last


def _cut(size: Place, end: Place, inside: Place) -> Place:
    """Where a line from an end to a place inside comes over the border; the end where it does not."""
    share = 1.0
    for outer, inner, side in zip(end, inside, size, strict=True):
        border = min(max(outer, 0.0), side)
        if outer != border:
            share = min(share, (border - inner) / (outer - inner))
    return inside[0] + share * (end[0] - inside[0]), inside[1] + share * (end[1] - inside[1])


def segments(path: npt.NDArray[np.int64], rows: int, cols: int) -> list[Field]:
    """The path of an object as lines of (row, column) points, cut where it goes over a border.

    A step over a border leaves on one side and comes in on the other, each a little beyond the border, where the
    drawing is cut. A pattern repeats itself and may return: what was drawn before, either way, is left out.
    """
    lines: list[Field] = []
    run: list[tuple[float, float]] = []
    seen: set[tuple[Cell, Cell]] = set()

    def finish() -> None:
        if len(run) > 1:
            lines.append(np.array(run))
        run.clear()

    for a, b in pairwise((y, x) for y, x in path.tolist()):
        step = _short(b[0] - a[0], rows), _short(b[1] - a[1], cols)
        edge = min((a, b), (b, a))
        if edge in seen or step == (0, 0):
            finish()
            continue
        seen.add(edge)
        if not run:
            run.append((a[0], a[1]))
        if (a[0] + step[0], a[1] + step[1]) == b:
            run.append((b[0], b[1]))
            continue
        run.append((a[0] + BEYOND * step[0], a[1] + BEYOND * step[1]))
        finish()
        run.extend([(b[0] - BEYOND * step[0], b[1] - BEYOND * step[1]), (b[0], b[1])])
    finish()
    return lines


def _short(step: int, size: int) -> int:
    """A step over the border as the short step that it is."""
    return step - size if 2 * step > size else step + size if 2 * step < -size else step


def _everybody(grid: Grid, environment: LambdaStarEnvironment) -> Iterator[Shape]:
    """Good, Evil, the guide, and all subjects by number, side by side where they share a cell."""
    d, at = environment.description, environment.positions()
    unit = grid.unit
    if at["good"] is not None:
        yield from tokens.good(grid.at(*at["good"]), 0.4 * unit)
        yield from tokens.evil(grid.at(*at["evil"]), 0.4 * unit)
    if at["guide"] is not None:
        yield from tokens.triangle(grid.at(*at["guide"]), 0.3 * unit)
    believed = environment.parts.signal.tolist() if d.question.signals else ()
    for seat, (place, scale) in enumerate(side_by_side(at["subjects"])):
        did = seat in at.get("did", ())
        middle, size = grid.at(*place), 0.27 * unit * scale
        name = f"subject {seat}" if d.subjects > 1 else "subject"
        yield from tokens.subject(middle, size, str(seat), name, "mark" if did else "paper")
        if believed:
            x, y = middle
            yield _belief((x + 0.8 * size, y - 0.8 * size), 0.3 * size, believed[seat])


def _belief(at: Place, size: float, belief: float) -> Shape:
    """What somebody believes: a full disc is yes."""
    role = "ink" if belief > 0 else "paper"
    words = "believes yes" if belief > 0 else "believes no"
    return Disc(at, size, role, outline="ink", width=0.3 * size, label=words)


def side_by_side(subjects: Sequence[Cell]) -> list[tuple[tuple[float, float], float]]:
    """A place and a size for each subject: smaller, and side by side, on a shared cell."""
    sharing: dict[Cell, list[int]] = {}
    for seat, cell in enumerate(subjects):
        sharing.setdefault(cell, []).append(seat)
    places = [((0.0, 0.0), 1.0)] * len(subjects)
    for (y, x), seats in sharing.items():
        for seat, ((down, along), scale) in zip(seats, abreast(len(seats)), strict=True):
            places[seat] = (y + down, x + along), scale
    return places


# Words --------------------------------------------------------------------------


def _spoken(d: Description) -> str:
    """What a screen reader says."""
    grid = f"A torus of {d.rows} by {d.cols} cells"
    if d.task in NAMES:
        return f"{grid} with their {NAMES[d.task]} as shades, and {d.subjects} numbered subjects"
    if d.task != "search":
        return f"{grid} with what they are worth, and {d.subjects} numbered subjects"
    return (
        f"{grid} with the paths of Good and Evil, the cells that pay and those that cost, and {d.subjects} numbered "
        "subjects"
    )


def _title(environment: LambdaStarEnvironment) -> tuple[str, ...]:
    d = environment.description
    what: str = d.task
    if d.task == "search":
        what = f"K = {complexity_of(d)}, H = {search_space_entropy(d.rows, d.cols):.2f} bits"
    lines = [f"{d.rows}x{d.cols} torus, {what}, iteration {environment.iteration} of {d.horizon}"]
    if d.company > 1:
        good, evil = environment.parts.around.tolist()
        near = f"Good {good}" if d.company_for == "good" else f"Good {good}, Evil {evil}"
        lines.append(f"felt by {d.company} or more together; near now: {near}")
    if d.task == "opinion" and d.content:
        lines.append(f"what is so: {'yes' if d.content[0] > 0 else 'no'}")
    return tuple(lines)


def _legend(environment: LambdaStarEnvironment) -> Iterator[tuple[Sample, str]]:
    """What is what, as it is drawn."""
    d, here = environment.description, (0.0, 0.0)
    if d.task == "search":
        for token, role, name in (
            (tokens.good, "good", "Good and its path"),
            (tokens.evil, "evil", "Evil and its path"),
        ):
            path = Line(((-0.7, 0.0), (0.7, 0.0)), role, 0.12, dashed=role == "evil")
            yield (path, *token(here, 0.45, "")), name
        yield _patch("good", 0.3), "pays"
        yield _patch("evil", 0.3), "costs"
    elif d.task in NAMES:
        least, most = ("evil", "-1") if d.task == "landscape" else ("paper", "0")
        yield _patch(least, 0.8), f"{NAMES[d.task]} {most}".replace("-", "\N{MINUS SIGN}")
        yield _patch(_shade(1.0, d.task)[0], 0.8), f"{NAMES[d.task]} 1"
    if d.task == "landscape":
        yield (_patch("good", 0.8)[0], Line(_SQUARE, "ink", 0.15)), "global optimum"
    if d.track:
        yield _patch("ink", 0.3), "seen (dark: late)"
        if d.rows * d.cols <= SINGLE:
            yield _cross(here, 0.3), "never seen"
    yield tuple(tokens.subject(here, 0.5)), "subjects" if d.subjects > 1 else "subject"
    if d.question.deed:
        yield tuple(tokens.subject(here, 0.5, role="mark")), f"did it last: {d.question.deed}"
    if d.question.signals:
        yield (_belief(here, 0.25, 1.0),), "believes yes"
        yield (_belief(here, 0.25, -1.0),), "believes no"
    if d.guides:
        yield tuple(tokens.triangle(here, 0.45)), "guide"


_SQUARE = (-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45), (-0.45, -0.45)


def _patch(role: str, strength: float) -> tuple[Shape, ...]:
    return (Area(_SQUARE[:4], role, strength, "ink", 0.04),)


# What a seat sees ---------------------------------------------------------------


def seen(environment: LambdaStarEnvironment, seat: int) -> Picture:
    """What a seat observes, and nothing else: the cells around it, with the moves that it can make.

    Good and Evil are a star and a diamond, as in words, which tells nothing of them.
    """
    asked, task = environment.description.question, environment.description.task
    observation = environment.observation(seat)
    planes = observation.dtype.names
    worth: Field = np.array(observation["rewards"])
    grid = Grid(*worth.shape)
    moves = _moves(grid.rows // 2)
    shapes: list[Shape] = []
    for (row, column), value in np.ndenumerate(worth):
        action = moves.get((row, column))
        name = "" if action is None else f"{ACTION_NAMES[action - 1]}, "
        label = f"{name}reward {float(value):g}"
        shade = _shade(float(value), task)
        shapes.append(grid.box(row, column, *shade, label=label, action=action))
    shapes += [*grid.lines(), *_figures(grid, worth, task)]
    for plane, token in (
        ("good", tokens.star),
        ("evil", tokens.diamond),
        ("guide", tokens.triangle),
    ):
        for row, column in np.argwhere(observation[plane]).tolist():
            shapes += token(grid.at(row, column), 0.4 * grid.unit)
    did = observation["deeds"] if "deeds" in planes else np.zeros_like(worth)
    for (row, column), count in np.ndenumerate(observation["others"]):
        shapes += _crowd(grid, row, column, int(count), int(did[row, column]))
    for (row, column), action in moves.items() if asked.deed else ():
        x, y = grid.at(row + 0.36, column + 0.36)
        side, name = 0.2 * grid.unit, f"{ACTION_NAMES[action - 1]}, {asked.deed}"
        box = Area.box(x - side / 2, y - side / 2, side, side, "mark", outline="ink")
        shapes.append(replace(box, label=name, action=action + MOVES_OF_ONE))
    row, column = (int(one) for one in observation["position"])
    title = [f"you are on row {row}, column {column}, iteration {int(observation['iteration'])}"]
    if observation["future"][0] >= 0:
        row, column = (int(one) for one in observation["future"])
        title.append(f"the star goes to row {row}, column {column} next")
    if "signal" in planes:
        title.append(f"your private signal: {float(observation['signal']):+g}")
    label = (
        f"The {grid.rows} by {grid.cols} cells around you: what they are worth, and who is there"
    )
    legend = tuple(_legend_of_seat(environment))
    return Picture(shapes, grid.size, label, legend, tuple(title))


def _moves(middle: int) -> dict[Cell, int]:
    """The cells that a subject in the middle can go to, and the moves that lead there."""
    return {
        (middle - 1 + move // 3, middle - 1 + move % 3): move + 1 for move in range(MOVES_OF_ONE)
    }


def _crowd(grid: Grid, row: int, column: int, others: int, did: int) -> Iterator[Shape]:
    """The others on a cell, so many of whom did it last; and in the middle oneself."""
    own = (row, column) == (grid.rows // 2, grid.cols // 2)
    for i, ((down, along), scale) in enumerate(abreast(others + own)):
        at, size = grid.at(row + down, column + along), 0.27 * grid.unit * scale
        if own and i == 0:
            yield from tokens.subject(at, size, label="you", role="subject")
        else:
            role = "mark" if i - own < did else "paper"
            yield from tokens.subject(at, size, label="another subject", role=role)


def _legend_of_seat(environment: LambdaStarEnvironment) -> Iterator[tuple[Sample, str]]:
    d, here = environment.description, (0.0, 0.0)
    yield tuple(tokens.subject(here, 0.5, role="subject")), "you"
    if d.subjects > 1:
        yield tuple(tokens.subject(here, 0.5)), "others"
    if d.question.deed and d.subjects > 1:
        yield tuple(tokens.subject(here, 0.5, role="mark")), f"did it last: {d.question.deed}"
    if d.task == "search":
        yield tuple(tokens.star(here, 0.45)), "the star"
        yield tuple(tokens.diamond(here, 0.45)), "the diamond"
        if d.guides:
            yield tuple(tokens.triangle(here, 0.45)), "guide"
    if d.question.deed:
        yield _patch("mark", 1.0), f"there, {d.question.deed}"
    yield _patch(_shade(1.0, d.task)[0], 0.5), "pays"
    if d.task != "commons":
        yield _patch("evil", 0.5), "costs"
