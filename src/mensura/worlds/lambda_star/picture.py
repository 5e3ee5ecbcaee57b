"""What a Lambda Star environment looks like: all of it, like figures 2 and 5 of the paper, or what a seat observes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.core import palette
from mensura.pictures import tokens
from mensura.pictures.layout import abreast
from mensura.pictures.picture import Area, Image, Picture, Sample, Shape, Words
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.torus.drawing import Grid, Look, cross, patch
from mensura.worlds.lambda_star.torus.kernels.row import MOVES_OF_ONE
from mensura.worlds.lambda_star.torus.moment import Cell, Field, Moment
from mensura.worlds.lambda_star.torus.space import ACTION_NAMES

READABLE = 14
"""Up to so many rows and columns cells have room for what they are worth."""
SINGLE = 2500
"""More cells are one image, rather than a shape each."""
STEPS = 10
"""So many shades of what cells are worth there are: films of few colors are small."""


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
    environment: Moment,
    rows: npt.NDArray[Any] | None = None,
    cols: npt.NDArray[Any] | None = None,
) -> Field:
    """What the cells at these rows and columns, or all, are worth now, whatever the game: (len(rows), len(cols))."""
    d = environment.description
    rows = np.arange(d.rows) if rows is None else rows
    cols = np.arange(d.cols) if cols is None else cols
    worth = environment.worth()
    if worth is not None:
        return np.asarray(worth[np.ix_(rows, cols)])
    at = environment.positions()
    good, evil = environment.parts.strength.tolist() if d.wide else (1.0, 1.0)  # where they tire
    return rewards_of(d, at["good"], at["evil"], rows, cols, (good, evil))


def _shade(value: float, look: Look) -> tuple[str, float]:
    """The role and the strength of what a cell is worth."""
    steps = math.ceil(STEPS * min(1.0, abs(value)) - 1e-9) / STEPS
    role = look.role if value >= 0 else "evil"
    return role, 0.8 * steps if look.worth else (0.1 + 0.4 * steps) * (value != 0)


def _ground(grid: Grid, worth: Field, look: Look, dark: Field | None) -> Iterator[Shape]:
    """The cells, shaded by what they are worth, and darkened where that says something."""
    if worth.size > SINGLE:
        steps = np.ceil(STEPS * np.minimum(np.abs(worth), 1.0) - 1e-9) * np.sign(worth)
        shades = [_shade(step / STEPS, look) for step in range(-STEPS, STEPS + 1)]
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
        yield grid.box(row, column, *_shade(float(value), look), label=label, cell=cell)
        if dark is not None and dark[row, column]:
            yield grid.box(row, column, "ink", float(dark[row, column]), label="seen")
        elif dark is not None:
            yield from cross(grid.at(row, column), 0.18 * grid.unit)


def _figures(grid: Grid, worth: Field, look: Look, exact: bool = True) -> Iterator[Shape]:
    """What cells are worth, in figures in their upper left corners, where they can be read; or only its sign."""
    if max(grid.rows, grid.cols) > READABLE:
        return
    (wide, high), size = grid.steps, min(0.35, (0.2 if exact else 0.32) * grid.unit)
    for row, column in np.argwhere(worth != 0.0).tolist():
        value = float(worth[row, column])
        if exact:
            text = f"{value:+.2g}" if look.costs else f"{value:.2g}"
        else:
            text = "-" if value < 0 else "" if look.worth else "+"
        if text:
            at = column * wide + 0.05 * grid.unit, row * high + 0.15 * grid.unit
            yield Words(text.replace("-", "\N{MINUS SIGN}"), at, size, anchor="start")


# All of it ----------------------------------------------------------------------


def everything(environment: Moment) -> Picture:
    """The torus with what its cells are worth, who is where, and whatever else the game has: nothing hidden."""
    d = environment.description
    grid = Grid(d.rows, d.cols)
    worth = worth_of(environment)
    look: Look = d.game.look
    shapes = [*_ground(grid, worth, look, _first_seen(environment) if d.track else None)]
    shapes += [*grid.lines(), *grid.rulers(), *_figures(grid, worth, look, look.lasting(d))]
    shapes += look.marks(grid, environment, worth)
    shapes += _everybody(grid, environment)
    return Picture(shapes, grid.size, _spoken(d), tuple(_legend(environment)), _title(environment))


def _first_seen(environment: Moment) -> Field:
    """When each cell was first seen, the later the darker; 0 where nobody looked, which is crossed out."""
    d = environment.description
    when = np.array(environment.parts.seen).reshape(d.rows, d.cols)
    return np.where(when < 0, 0.0, 0.05 * (1 + np.ceil(8 * when / max(d.horizon, 1))))


def _everybody(grid: Grid, environment: Moment) -> Iterator[Shape]:
    """Good, Evil, the guide, and all subjects by number, side by side where they share a cell."""
    d, at = environment.description, environment.positions()
    unit = grid.unit
    if at["good"] is not None:
        yield from tokens.good(grid.at(*at["good"]), 0.4 * unit)
        yield from tokens.evil(grid.at(*at["evil"]), 0.4 * unit)
    if at["guide"] is not None:
        yield from tokens.triangle(grid.at(*at["guide"]), 0.3 * unit)
    sign = d.game.look.signal
    told = environment.parts.signal.tolist() if sign else ()
    for seat, (place, scale) in enumerate(side_by_side(at["subjects"])):
        did = seat in at.get("did", ())
        middle, size = grid.at(*place), 0.27 * unit * scale
        name = f"subject {seat}" if d.subjects > 1 else "subject"
        yield from tokens.subject(middle, size, str(seat), name, "mark" if did else "paper")
        if sign:
            x, y = middle
            yield sign((x + 0.8 * size, y - 0.8 * size), 0.3 * size, told[seat])


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
    return f"A torus of {d.rows} by {d.cols} cells {d.game.look.spoken}, and {d.subjects} numbered subjects"


def _title(environment: Moment) -> tuple[str, ...]:
    d, look = environment.description, environment.description.game.look
    what = f"{look.title(d)}, iteration {environment.iteration} of {d.horizon}"
    return f"{d.rows}x{d.cols} torus, {what}", *look.subtitles(environment)


def _legend(environment: Moment) -> Iterator[tuple[Sample, str]]:
    """What is what, as it is drawn."""
    d, here = environment.description, (0.0, 0.0)
    look: Look = d.game.look
    if look.worth:
        least = f"{look.worth} {look.lowest:g}".replace("-", "\N{MINUS SIGN}")
        yield patch("evil" if look.costs else "paper", 0.8), least
        yield patch(look.role, 0.8), f"{look.worth} 1"
    yield from look.legend(environment)
    if d.track:
        yield patch("ink", 0.3), "seen (dark: late)"
        if d.rows * d.cols <= SINGLE:
            yield cross(here, 0.3), "never seen"
    yield tuple(tokens.subject(here, 0.5)), "subjects" if d.subjects > 1 else "subject"
    if d.game.deed:
        yield tuple(tokens.subject(here, 0.5, role="mark")), f"did it last: {d.game.deed}"
    if look.signal:
        for value, meaning in look.signals:
            yield (look.signal(here, 0.25, value),), meaning
    if d.guides:
        yield tuple(tokens.triangle(here, 0.45)), "guide"


# What a seat sees ---------------------------------------------------------------


def seen(environment: Moment, seat: int) -> Picture:
    """What a seat observes, and nothing else: the cells around it, with the moves that it can make.

    Good and Evil are a star and a diamond, as in words, which tells nothing of them.
    """
    game = environment.description.game
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
        shade = _shade(float(value), game.look)
        shapes.append(grid.box(row, column, *shade, label=label, action=action))
    shapes += [*grid.lines(), *_figures(grid, worth, game.look)]
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
    for (row, column), action in moves.items() if game.deed else ():
        x, y = grid.at(row + 0.36, column + 0.36)
        side, name = 0.2 * grid.unit, f"{ACTION_NAMES[action - 1]}, {game.deed}"
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


def _legend_of_seat(environment: Moment) -> Iterator[tuple[Sample, str]]:
    d, here = environment.description, (0.0, 0.0)
    yield tuple(tokens.subject(here, 0.5, role="subject")), "you"
    if d.subjects > 1:
        yield tuple(tokens.subject(here, 0.5)), "others"
    if d.game.deed and d.subjects > 1:
        yield tuple(tokens.subject(here, 0.5, role="mark")), f"did it last: {d.game.deed}"
    yield from d.game.look.seen_legend(d)
    if d.game.deed:
        yield patch("mark", 1.0), f"there, {d.game.deed}"
    yield patch(d.game.look.role, 0.5), "pays"
    if d.game.look.costs:
        yield patch("evil", 0.5), "costs"
