"""Pictures of a BF environment: the program, its tapes and pointers; or what the subject sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mensura.pictures.picture import Area, Picture, Shape, Words
from mensura.worlds.bf.programs import SYMBOLS

if TYPE_CHECKING:
    from mensura.worlds.bf.environment import BFEnvironment

REACH = 10
"""Cells of the work tape to each side of the pointer."""
LINE = 42
"""Instructions in a line."""
LINES = 12
"""So many lines of a program are drawn."""
ACTIONS = 21
"""Actions of the input tape that are drawn."""
WIDTH = 22.0

LEGEND = (("subject", "the pointer"), ("good", "the reward"))


def everything(environment: BFEnvironment) -> Picture:
    """The program, the work tape around its pointer, the last actions, and what was written."""
    d = environment.description
    lines = [d.text[k : k + LINE] for k in range(0, len(d.text), LINE)]
    more = len(lines) > LINES
    shapes: list[Shape] = [Words("program", (0.5, 0.5), 0.4, "ink", "start")]
    for k, line in enumerate(lines[:LINES]):
        dots = " ..." if more and k == LINES - 1 else ""
        shapes.append(Words(line + dots, (0.5, 1.2 + 0.7 * k), 0.5, "ink", "start"))
    top = 1.6 + 0.7 * min(len(lines), LINES)
    shapes += _tape(
        "work tape", top, environment.tape(REACH), marked={REACH: ("subject", "the pointer")}
    )
    actions = environment.actions()[:ACTIONS]
    shapes += _tape("actions, the latest first", top + 2.2, actions, {})
    written = environment.outputs()
    names = {
        0: ("good", "the reward"),
        **dict.fromkeys(range(1, len(written)), ("ground", "observed")),
    }
    shapes += _tape("reward, then what is observed", top + 4.4, written, names)
    negated = ", its rewards negated" if d.negated else ""
    told = f"BF, interaction {environment.iteration}{negated}"
    return Picture(shapes, (WIDTH, top + 6.4), told, LEGEND)


def seen(environment: BFEnvironment) -> Picture:
    """What the subject sees: symbols."""
    symbols = environment.outputs()[1:]
    shapes: list[Shape] = list(_tape("you see", 0.3, symbols, {}))
    return Picture(shapes, (max(len(symbols) + 1.0, 4.0), 2.2), "BF: " + _text(symbols))


def _tape(
    name: str, top: float, symbols: Sequence[int], marked: dict[int, tuple[str, str]]
) -> Iterator[Shape]:
    yield Words(name, (0.5, top + 0.2), 0.4, "ink", "start")
    for k, symbol in enumerate(symbols):
        role, label = marked.get(k, ("ground", ""))
        yield Area.box(0.5 + k, top + 0.6, 0.95, 1.0, role, 0.35, label=label)
        yield Words(SYMBOLS[symbol], (0.975 + k, top + 1.1), 0.6)


def _text(symbols: Sequence[int]) -> str:
    return " ".join(SYMBOLS[symbol] for symbol in symbols)
