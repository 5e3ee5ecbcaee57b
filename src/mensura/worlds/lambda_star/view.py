"""How a Lambda Star environment is shown: text, sentences, tables of the state, and what each seat can do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.core.contract import Turn
from mensura.pictures.scenes import Choice, Controls, Table, Value
from mensura.pictures.texts import count_word, listed
from mensura.pictures.view import PlainView
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.environment import LambdaStarEnvironment
from mensura.worlds.lambda_star.picture import worth_of
from mensura.worlds.lambda_star.torus.kernels.row import MOVES_OF_ONE
from mensura.worlds.lambda_star.torus.moment import Cell, standing
from mensura.worlds.lambda_star.torus.space import ACTION_NAMES

TEXT_WIDTH = 74
"""Characters for the cells of a row of text, so that a usual terminal of 80 has room for the ruler."""
TEXT_CELLS = 60
"""The largest part of a grid, in rows and columns, that is shown as text."""


class LambdaStarView(PlainView):
    """What commands and pages show of Lambda Star."""

    def text(self, environment: LambdaStarEnvironment, turn: Turn) -> str:
        """The environment as a person can read it in any terminal.

        A cell shows whether it pays or costs ("+", "-" or "." for neither), or where cells differ in more than that, in
        a landscape and a commons, a bar as high as it is worth; then G for Good, E for Evil, g for the guide and the
        numbers of the seats there; "*3" are three subjects. Large grids get a single sign for a cell, and of the
        largest only the part around Good is shown.
        """
        return _text(environment, turn.rewards if environment.iteration else None)

    def explain(self, environment: LambdaStarEnvironment) -> tuple[str, ...]:
        """What this world is and what pays in it, in sentences for somebody who was not there."""
        return _explained(environment.description)

    def remarks(self, environment: LambdaStarEnvironment) -> tuple[str, ...]:
        """What was drawn of the environment, where the picture does not tell it."""
        return environment.description.game.remarks(environment.description)

    def tables(self, environment: LambdaStarEnvironment) -> tuple[Table, ...]:
        """Everybody, and the cells that pay, that cost, or where somebody is."""
        return _everybody(environment), _cells(environment)

    def controls(self, environment: LambdaStarEnvironment) -> tuple[Controls, ...]:
        """The moves of each seat with the cells that they lead to, and once more with the deed where there is one."""
        d = environment.description
        deed = d.game.deed
        names = [*ACTION_NAMES, *(f"{name}, {deed}" for name in ACTION_NAMES if deed)]
        return tuple(
            Controls(
                tuple(
                    Choice(action, name, _leads(d, cell, action))
                    for action, name in enumerate(names, 1)
                )
            )
            for cell in environment.positions()["subjects"]
        )


# Sentences ----------------------------------------------------------------------


def _explained(d: Description) -> tuple[str, ...]:
    count = count_word(d.subjects)
    agents = f"{count} agent walks" if d.subjects == 1 else f"{count} agents walk"
    reach = "next to it" if d.range == 1 else f"up to {d.range} cells away"
    setting = f"{d.game.setting} " if d.game.setting else ""
    return (
        f"{agents} on a torus of {d.rows}x{d.cols} cells: whoever leaves it at one border comes in at the opposite "
        f"one. {setting}In each of {d.horizon} interactions an agent sees the cells {reach}, who is there and what "
        "they are worth, then moves to one of the eight cells around it or stays.",
        *d.game.explained(d),
    )


# Text -------------------------------------------------------------------------


def _text(environment: LambdaStarEnvironment, rewards: Sequence[float] | None) -> str:
    d = environment.description
    at = environment.positions()
    center = at["good"] or at["subjects"][0]
    rows, cols = _window(d.rows, center[0]), _window(d.cols, center[1])
    worth = worth_of(environment, rows, cols)
    bars, lowest = d.game.field > 0, d.game.look.lowest
    there = _contents(at)
    width = min(9, TEXT_WIDTH // len(cols))
    wide = width >= 4 and len(cols) == d.cols
    margin = len(str(d.rows - 1)) + 1
    lines = []
    if wide:
        lines.append(" " * (margin + 1) + "".join(f"{x:<{width}}" for x in cols.tolist()).rstrip())
    else:
        digits = len(str(d.cols - 1))
        lines += [
            " " * (margin + 1) + "".join(str(x).rjust(digits)[place] for x in cols.tolist())
            for place in range(digits)
        ]
    for i, y in enumerate(rows.tolist()):
        cells = []
        for j, x in enumerate(cols.tolist()):
            names, seats = there.get((y, x), ("", ()))
            sign = _bar(worth[i, j], lowest) if bars else _sign(worth[i, j])
            if sign == "." and wide and (names or seats):
                sign = " "
            cells.append(
                _wide_cell(sign, names, seats, width) if wide else _narrow_cell(sign, names, seats)
            )
        lines.append(f"{y:>{margin}} {''.join(cells)}".rstrip())
    if len(rows) < d.rows or len(cols) < d.cols:
        lines.append(
            f"The grid of {d.rows}x{d.cols} cells is too large for a terminal: "
            f"{len(rows)} rows and {len(cols)} columns around {'Good' if at['good'] else 'subject 0'} are shown."
        )
    return "\n".join([*lines, "", *_status(environment, at, rewards), _legend(wide, at, bars)])


BARS = "▁▂▃▄▅▆▇█"
"""From a cell that is worth least to one that is worth 1."""


def _bar(worth: float, lowest: float) -> str:
    return BARS[round((worth - lowest) / (1.0 - lowest) * (len(BARS) - 1))]


def _sign(worth: float) -> str:
    return "+" if worth > 0 else "-" if worth < 0 else "."


def _window(size: int, center: int) -> npt.NDArray[np.int64]:
    """All rows or columns, or as many as fit around one of them, over the border where need be."""
    if size <= TEXT_CELLS:
        return np.arange(size)
    return (np.arange(TEXT_CELLS) + center - TEXT_CELLS // 2) % size


def _contents(at: Mapping[str, Any]) -> dict[Cell, tuple[str, tuple[int, ...]]]:
    """Who is on each cell that is not empty: letters of objects, and seats."""
    names: dict[Cell, str] = defaultdict(str)
    seats: dict[Cell, list[int]] = defaultdict(list)
    for letter, name in (("G", "good"), ("E", "evil"), ("g", "guide")):
        if at[name] is not None:
            names[at[name]] += letter
    for seat, cell in enumerate(at["subjects"]):
        seats[cell].append(seat)
    return {cell: (names[cell], tuple(seats[cell])) for cell in {*names, *seats}}


def _wide_cell(sign: str, names: str, seats: Sequence[int], width: int) -> str:
    """Sign, letters and seats in so many characters, the last one left empty."""
    room = width - 2 - len(names)
    numbers = ",".join(map(str, seats))
    if len(numbers) > room:
        numbers = f"*{len(seats)}" if len(f"*{len(seats)}") <= room else "*"
    return f"{sign}{names}{numbers}"[: width - 1].ljust(width)


def _narrow_cell(sign: str, names: str, seats: Sequence[int]) -> str:
    """One character: a lone object or subject by its own sign, several as a star."""
    if len(names) + len(seats) > 1:
        return "*"
    if seats:
        return str(seats[0]) if seats[0] < 10 else "#"
    return names or sign


def _status(
    environment: LambdaStarEnvironment, at: Mapping[str, Any], rewards: Sequence[float] | None
) -> Iterator[str]:
    """The iteration, where everybody is, and the last rewards."""
    objects = [f"Good {at['good']}", f"Evil {at['evil']}"] if at["good"] else []
    if at["guide"] is not None:
        objects.append(f"guide {at['guide']}")
    yield f"iteration {environment.iteration} of {environment.horizon}   {'   '.join(objects)}".rstrip()
    yield listed("subjects", [f"{seat} {cell}" for seat, cell in enumerate(at["subjects"])])
    game = environment.description.game
    if game.deed:
        yield listed("deed    ", [str(seat) for seat in at["did"]] or ["nobody"])
    if game.signals:
        signals = enumerate(environment.parts.signal.tolist())
        yield listed("signals ", [f"{seat} {value:+g}" for seat, value in signals])
    if environment.description.track:
        seen = environment.parts.seen
        yield f"seen so far {int((seen >= 0).sum())} of {len(seen)} cells"
    if rewards is not None:
        yield listed("rewards ", [f"{seat} {value:+.2f}" for seat, value in enumerate(rewards)])
        if len(rewards) > 1:
            yield f"mean of these rewards {sum(rewards) / len(rewards):+.3f}"


def _legend(wide: bool, at: Mapping[str, Any], bars: bool) -> str:
    guide = ", g guide" if at["guide"] is not None else ""
    several = "*3 three subjects" if wide else "* several, # a subject from 10 on"
    objects = f"G Good, E Evil{guide}, " if at["good"] is not None else ""
    signs = f"{BARS[0]} to {BARS[-1]} what a cell is worth" if bars else "+ pays, - costs"
    return f"{objects}0 1 2 subjects, {several}; {signs}"


# Tables and choices --------------------------------------------------------------


def _leads(d: Description, cell: Cell, action: int) -> int:
    down, along = divmod((action - 1) % MOVES_OF_ONE, 3)
    return (cell[0] + down - 1) % d.rows * d.cols + (cell[1] + along - 1) % d.cols


def _everybody(environment: LambdaStarEnvironment) -> Table:
    own = environment.description.game.everybody
    return _subjects(environment) if own is None else own(environment)


def _subjects(environment: LambdaStarEnvironment) -> Table:
    """The subjects with what they did last, and what they alone are told."""
    d, parts = environment.description, environment.parts
    game = d.game
    columns = [
        *(["last did"] if game.deed else []),
        *(["private signal"] if game.signals else []),
    ]
    rows: list[tuple[Value, ...]] = []
    for seat, (name, (y, x)) in enumerate(standing(environment)):
        more: list[Value] = []
        if game.deed:
            more.append(game.deed if parts.deed[seat] else "")
        if game.signals:
            more.append(float(parts.signal[seat]))
        rows.append((name, y * d.cols + x + 1, y, x, *more))
    return Table("everybody", ("who", "cell", "row", "column", *columns), tuple(rows))


def _cells(environment: LambdaStarEnvironment) -> Table:
    """The cells that pay, that cost, or where somebody is."""
    d = environment.description
    there: dict[Cell, list[str]] = {}
    for name, cell in standing(environment):
        there.setdefault(cell, []).append(name)
    worth: list[list[float]] = worth_of(environment).tolist()
    rows = tuple(
        (y * d.cols + x + 1, y, x, worth[y][x], ", ".join(there.get((y, x), ())))
        for y in range(d.rows)
        for x in range(d.cols)
        if worth[y][x] or (y, x) in there
    )
    return Table("cells", ("cell", "row", "column", "reward", "who"), rows)
