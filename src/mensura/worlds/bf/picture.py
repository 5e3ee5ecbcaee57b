"""Pictures of a BF environment: the program, its tapes and pointers; or what the subject sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from mensura.pictures.picture import Area, Picture, Shape, Words
from mensura.worlds.bf.programs import SYMBOLS

if TYPE_CHECKING:
    from mensura.worlds.bf.environment import BFEnvironment
    from mensura.worlds.bf.trace import Step

REACH = 10
"""Cells of the work tape to each side of the pointer."""
LINE = 42
"""Instructions in a line."""
LINES = 12
"""So many lines of a program are drawn."""
ACTIONS = 21
"""Actions of the input tape that are drawn."""
WIDTH = 22.0
LETTER = 0.5
"""The width of an instruction."""

LEGEND = (
    ("mark", "the instruction that was last run"),
    ("subject", "the pointer"),
    ("guide", "read in the last run"),
    ("good", "the reward"),
)

Marks: TypeAlias = Mapping[int, tuple[str, str]]
"""What stands out on a tape: role and label by place."""


def everything(environment: BFEnvironment, run: Sequence[Step] = ()) -> Picture:
    """The program, the work tape around its pointer, the last actions, and what was written.

    With the instructions of the last ``run``, that at which it stopped and the actions that it read stand out.
    """
    d = environment.description
    shapes: list[Shape] = [Words("program", (0.5, 0.5), 0.4, "ink", "start")]
    shapes += _program(d.text, run[-1].at if run else None)
    top = 1.6 + 0.7 * min(-(-len(d.text) // LINE), LINES)
    shapes += _tape("work tape", top, environment.tape(REACH), {REACH: ("subject", "the pointer")})
    read = sum(step.read is not None for step in run)
    actions = environment.actions()[:ACTIONS]
    was_read = dict.fromkeys(range(min(read, len(actions))), ("guide", "read in the last run"))
    shapes += _tape("actions, the latest first", top + 2.2, actions, was_read)
    written = environment.outputs()
    names = {
        0: ("good", "the reward"),
        **dict.fromkeys(range(1, len(written)), ("ground", "observed")),
    }
    shapes += _tape("reward, then what is observed", top + 4.4, written, names)
    negated = ", its rewards negated" if d.negated else ""
    told = f"BF, interaction {environment.iteration}{negated}"
    return Picture(shapes, (WIDTH, top + 6.4), told, LEGEND if run else LEGEND[1::2])


def seen(environment: BFEnvironment) -> Picture:
    """What the subject sees: symbols."""
    symbols = environment.outputs()[1:]
    shapes: list[Shape] = list(_tape("you see", 0.3, symbols, {}))
    return Picture(shapes, (max(len(symbols) + 1.0, 4.0), 2.2), "BF: " + _text(symbols))


def _program(text: str, current: int | None) -> Iterator[Shape]:
    """The instructions in lines; of a long program the first lines, or those around the current instruction.

    With a current one each has a place of its own, so that it can stand out.
    """
    lines = [text[k : k + LINE] for k in range(0, len(text), LINE)]
    first = 0
    if current is not None:
        first = max(0, min(current // LINE - LINES // 2, len(lines) - LINES))
    for row, line in enumerate(lines[first : first + LINES]):
        y = 1.2 + 0.7 * row
        dots = " ..." if row == LINES - 1 and len(lines) > first + LINES else ""
        if current is None:
            yield Words(line + dots, (0.5, y), 0.5, "ink", "start")
            continue
        if current // LINE == first + row:
            x = 0.5 + LETTER * (current % LINE)
            label = "the instruction that was last run"
            yield Area.box(x, y - 0.33, LETTER, 0.66, "mark", 0.5, label=label)
        for column, letter in enumerate(line):
            yield Words(letter, (0.75 + LETTER * column, y), 0.5)
        if dots:
            yield Words(dots, (0.5 + LETTER * LINE, y), 0.5, "ink", "start")


def _tape(name: str, top: float, symbols: Sequence[int], marked: Marks) -> Iterator[Shape]:
    yield Words(name, (0.5, top + 0.2), 0.4, "ink", "start")
    for k, symbol in enumerate(symbols):
        role, label = marked.get(k, ("ground", ""))
        yield Area.box(0.5 + k, top + 0.6, 0.95, 1.0, role, 0.35, label=label)
        yield Words(SYMBOLS[symbol], (0.975 + k, top + 1.1), 0.6)


def _text(symbols: Sequence[int]) -> str:
    return " ".join(SYMBOLS[symbol] for symbol in symbols)
