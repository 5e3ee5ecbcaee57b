"""The space of Lambda: a directed graph of cells whose arrows are labeled by actions, and its two texts.

Section 3.6.1 of Insa-Cabrera (2011): n_c >= 2 cells, each with n_a >= 2 arrows, one for each action. The first action
is reflexive (it leads back to the cell it starts from) and at least one other leads elsewhere. Section 3.6.6 writes a
space down cell by cell: each action followed by as many ``+`` or ``-`` as the cell it leads to lies ahead or behind,
on a circle of cells, where behind the first one comes the last. Two forms of this text are in use:

- ``theory`` (3.6.6): cells separated by ``:``, every action written, the reflexive one (a_1) without signs:
  ``a_1a_2+:a_1a_2-``.
- ``thesis`` (4.1.3): cells separated by ``|``, actions are numbers, the reflexive one (0) is left out:
  ``1+2++3|1+23-|1+23|1+2--3-``.

Since one arrow can be written in several ways (on 4 cells, ``+`` is ``---``) and the complexities of chapter 5 are
those of the text, a space keeps how its arrows are written. In Python cells and actions count from 0; sentences to
people count cells from 1, as the thesis does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.lambda_class.misreading import misread

Form: TypeAlias = Literal["theory", "thesis"]
Topology: TypeAlias = Literal["strong", "weak", "unrestricted"]
"""What is asked of a space (figure 4.2): paths between all cells, arrows followed one way or both ways, or nothing."""

SEPARATORS = {"theory": ":", "thesis": "|"}

LARGEST = 1_000_000
"""How many arrows a space may have."""


@dataclass(frozen=True)
class Space:
    """A space as it is written: for each cell and action, how far ahead (or, negative, behind) the arrow leads.

    Spaces are equal if they are written alike; two that are the same graph have equal `arrows`.
    """

    shifts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        """Raise if it is no space in the sense of section 3.6.1, whatever its connections."""
        n_c = len(self.shifts)
        if n_c < 2:
            raise MensuraError(f"A space has at least 2 cells, not {n_c}.")
        n_a = len(self.shifts[0])
        if n_a < 2:
            raise MensuraError(
                f"A space has at least 2 actions, one of them reflexive; cell 1 has {n_a}."
            )
        if n_c * n_a > LARGEST:
            raise MensuraError(
                f"A space of {n_c} cells with {n_a} actions is too large; at most {LARGEST} arrows fit."
            )
        for number, cell in enumerate(self.shifts, 1):
            if len(cell) != n_a:
                raise MensuraError(
                    f"Cell {number} has {len(cell)} actions and cell 1 has {n_a}; all cells have the same."
                )
            for shift in cell:
                if type(shift) is not int:
                    raise MensuraError(
                        f"An arrow of cell {number} leads {shift!r} cells ahead; that is a whole number."
                    )
            if cell[0] != 0:
                raise MensuraError(
                    f"The reflexive action leads {cell[0]:+d} cells from cell {number}; it stays there."
                )
            if all(shift % n_c == 0 for shift in cell):
                raise MensuraError(
                    f"All arrows of cell {number} lead back to it; at least one leads to another cell."
                )

    @classmethod
    def from_arrows(cls, arrows: Sequence[Sequence[int]]) -> Space:
        """The space in which action a leads from cell c to `arrows[c][a]`, written the shortest way.

        Half around the circle is written with ``+``.
        """
        n_c = len(arrows)
        shifts = []
        for number, cell in enumerate(arrows, 1):
            for target in cell:
                if type(target) is not int or not 0 <= target < n_c:
                    raise MensuraError(
                        f"An arrow of cell {number} leads to {target!r}; the cells are 0 to {n_c - 1} there."
                    )
            ahead = [(target - number + 1) % n_c for target in cell]
            shifts.append(tuple(d if 2 * d <= n_c else d - n_c for d in ahead))
        return cls(tuple(shifts))

    # What it is

    @property
    def cells(self) -> int:
        """n_c"""
        return len(self.shifts)

    @property
    def actions(self) -> int:
        """n_a, the reflexive action included"""
        return len(self.shifts[0])

    @cached_property
    def arrows(self) -> tuple[tuple[int, ...], ...]:
        """`arrows[c][a]` is the cell that action a leads to from cell c."""
        n_c = self.cells
        return tuple(tuple((c + d) % n_c for d in cell) for c, cell in enumerate(self.shifts))

    @cached_property
    def array(self) -> npt.NDArray[np.int64]:
        """The arrows as kernels read them: (n_c, n_a), read-only."""
        array = np.array(self.arrows, np.int64)
        array.flags.writeable = False
        return array

    # How it hangs together

    @property
    def strongly_connected(self) -> bool:
        """Whether a path of arrows leads from every cell to every cell (3.6.1)."""
        return self._severed() is None

    @property
    def weakly_connected(self) -> bool:
        """Whether arrows, followed either way, connect all cells (appendix A.4)."""
        both = [{*ahead, *back} for ahead, back in zip(self.arrows, self._back, strict=True)]
        return len(_reached(both)) == self.cells

    def require(self, topology: Topology) -> Space:
        """This space, if it is connected as asked; else an error that names two cells without a path."""
        if topology not in get_args(Topology):
            raise MensuraError(
                f"{topology!r} is no topology; {neighbors(str(topology), list(get_args(Topology)))}"
            )
        if topology == "strong" and (severed := self._severed()):
            raise MensuraError(
                f"The space is not strongly connected: no path leads from cell {severed[0] + 1} to cell "
                f"{severed[1] + 1}; add arrows, or ask for the topology weak or unrestricted."
            )
        if topology == "weak" and not self.weakly_connected:
            raise MensuraError(
                "The space is not connected: it falls into parts without arrows between them; add arrows, "
                "or ask for the topology unrestricted."
            )
        return self

    @cached_property
    def _back(self) -> list[set[int]]:
        """For each cell, those with an arrow to it."""
        back: list[set[int]] = [set() for _ in self.shifts]
        for cell, targets in enumerate(self.arrows):
            for target in targets:
                back[target].add(cell)
        return back

    def _severed(self) -> tuple[int, int] | None:
        """Two cells without a path from the first to the second, if there are any."""
        everywhere = set(range(self.cells))
        if missed := everywhere - _reached(self.arrows):
            return 0, min(missed)
        if missed := everywhere - _reached(self._back):
            return min(missed), 0
        return None

    # As text

    @classmethod
    def parse(
        cls,
        text: str,
        form: Form | None = None,
        *,
        names: Sequence[str] | None = None,
        topology: Topology = "strong",
    ) -> Space:
        """The space that a text describes; without a form, the separator tells which it is.

        `names` are the actions of a text in the form ``theory``, the reflexive one first, where they are not
        called a_1, a_2, ... A text that is malformed gets an error that points at the character.
        """
        if form is None:
            if SEPARATORS["thesis"] not in text and SEPARATORS["theory"] not in text:
                raise misread(
                    "The space", text, len(text), "a second cell belongs there, after | or :"
                )
            form = "thesis" if SEPARATORS["thesis"] in text else "theory"
        return _Reader(text, form, _check_names(form, names)).space().require(topology)

    def text(self, form: Form = "thesis", *, names: Sequence[str] | None = None) -> str:
        """The text of the space, which `parse` reads back exactly."""
        names = _check_names(form, names)
        if names is not None and len(names) != self.actions:
            raise MensuraError(f"{len(names)} names do not fit {self.actions} actions.")
        skipped = int(form == "thesis")
        labels = list(itertools.islice(_labels(form, names), self.actions - skipped))
        cells = (
            "".join(
                label + ("+" if shift > 0 else "-") * abs(shift)
                for label, shift in zip(labels, cell[skipped:], strict=True)
            )
            for cell in self.shifts
        )
        return SEPARATORS[form].join(cells)

    def __str__(self) -> str:
        return self.text()

    # As plain data

    def to_json(self) -> dict[str, Any]:
        """The space as plain data."""
        return {"shifts": [list(cell) for cell in self.shifts]}

    @classmethod
    def from_json(cls, data: Any) -> Space:
        """The space that `to_json` wrote; connections are not checked again."""
        if not isinstance(data, dict) or set(data) != {"shifts"}:
            raise MensuraError("The data of a space have one field, shifts.")
        cells = data["shifts"]
        if not isinstance(cells, list | tuple) or not all(
            isinstance(cell, list | tuple) for cell in cells
        ):
            raise MensuraError(
                "The shifts of a space are lists of whole numbers, one for each cell."
            )
        return cls(tuple(tuple(cell) for cell in cells))


def thesis_text(shifts: Sequence[Sequence[int]]) -> str:
    """The text of a space in the form ``thesis``, quickly, from its shifts."""
    cells = []
    for cell in shifts:
        parts = []
        for action, shift in enumerate(cell):
            if action:
                parts.append(f"{action}{'+' * shift}{'-' * -shift}")
        cells.append("".join(parts))
    return SEPARATORS["thesis"].join(cells)


def _reached(ways: Sequence[Any]) -> set[int]:
    """The cells on paths from the first one."""
    reached, open_ends = {0}, [0]
    while open_ends:
        for target in ways[open_ends.pop()]:
            if target not in reached:
                reached.add(target)
                open_ends.append(target)
    return reached


# Reading ------------------------------------------------------------------------


def _labels(form: Form, names: Sequence[str] | None) -> Iterator[str]:
    """How the actions of a cell are called, in their order."""
    if names is not None:
        yield from names
    elif form == "theory":
        yield from (f"a_{number}" for number in itertools.count(1))
    else:
        yield from map(str, itertools.count(1))


def _check_names(form: Form, names: Sequence[str] | None) -> Sequence[str] | None:
    if form not in SEPARATORS:
        raise MensuraError(
            f"{form!r} is no form of a space's text; {neighbors(str(form), list(SEPARATORS))}"
        )
    if names is None:
        return None
    if form == "thesis":
        raise MensuraError("The form thesis numbers its actions; names are for the form theory.")
    if len(names) < 2 or len(set(names)) != len(names):
        raise MensuraError(f"Actions need at least 2 different names, not {', '.join(names)}.")
    for name in names:
        if not name or set(name) & set("+-:"):
            raise MensuraError(f"An action cannot be called {name!r}; + - : are signs of the text.")
    return names


class _Reader:
    """Reads a space's text from left to right; actions stand in their order, so one knows what to expect."""

    def __init__(self, text: str, form: Form, names: Sequence[str] | None) -> None:
        self.text, self.form, self.names = text, form, names
        self.at = 0
        self.count: int | None = len(names) if names is not None else None
        """How many actions are written in each cell, once that is known."""

    def space(self) -> Space:
        cells = [self.cell(1)]
        self.count = self.count or len(cells[0])
        if self.at == len(self.text):
            raise self.wrong(f"a second cell belongs there, after {SEPARATORS[self.form]}")
        while self.at < len(self.text):
            self.at += 1  # a separator, or the last cell would not have ended
            cells.append(self.cell(len(cells) + 1))
        reflexive = (0,) if self.form == "thesis" else ()
        return Space(tuple((*reflexive, *cell) for cell in cells))

    def cell(self, number: int) -> list[int]:
        shifts: list[int] = []
        labels = _labels(self.form, self.names)
        while self.count is None or len(shifts) < self.count:
            label = next(labels)
            if not self.text.startswith(label, self.at):
                ended = self.at == len(self.text) or self.text[self.at] == SEPARATORS[self.form]
                if self.count is None and shifts and ended:
                    break
                raise self.wrong(self.instead(label, number, bool(shifts)))
            self.at += len(label)
            shifts.append(self.shift(label, reflexive=self.form == "theory" and not shifts))
        if self.form == "theory" and len(shifts) < 2:
            raise self.wrong(f"a second action belongs to cell {number}, after the reflexive one")
        if self.at < len(self.text) and self.text[self.at] != SEPARATORS[self.form]:
            raise self.wrong(
                f"cell {number} has all its {len(shifts)} actions there, so {SEPARATORS[self.form]} "
                "or the end of the text belongs there"
            )
        return shifts

    def instead(self, label: str, number: int, begun: bool) -> str:
        """What belongs where an action was expected and something else was found."""
        if self.form == "thesis" and not begun and self.text.startswith("0", self.at):
            return f"the reflexive action 0 is left out, so action 1 of cell {number} belongs there"
        signs = " (or signs of the one before)" if begun else ""
        return f"action {label} of cell {number} belongs there{signs}"

    def shift(self, label: str, reflexive: bool) -> int:
        """The signs after an action."""
        begin = self.at
        sign = self.text[begin : begin + 1]
        if sign not in ("+", "-"):
            return 0
        if reflexive:
            raise self.wrong(f"{label} is the reflexive action, which stays and has no signs")
        while self.text.startswith(sign, self.at):
            self.at += 1
        if self.text.startswith(("+", "-"), self.at):
            raise self.wrong(f"the signs of action {label} are all + or all -")
        return (self.at - begin) * (1 if sign == "+" else -1)

    def wrong(self, right: str) -> MensuraError:
        return misread("The space", self.text, self.at, right)


# Ready spaces -------------------------------------------------------------------


def ring(cells: int, *, ways: int = 2) -> Space:
    """A ring of cells: stay, back and forth; or, one way, stay and forth.

    With two actions every strongly connected space is a ring (3.6.1), if not always in the order of the cells.
    """
    if ways not in (1, 2):
        raise MensuraError(f"A ring is walked in 1 or 2 ways, not in {ways!r}.")
    if ways == 2:
        return torus(cells)
    _check_sizes((cells,))
    return Space(((0, 1),) * cells)


def grid(*sizes: int, diagonal: bool = False) -> Space:
    """A grid with walls, of any number of dimensions, cells numbered row by row; a wall holds back who walks into it.

    The actions are: stay, then back and forth along each dimension in turn (in two: up, down, left, right); with
    `diagonal`, the whole Moore neighborhood in the order of its cells. A dimension of size 1 has no actions.
    """
    return _grid(sizes, diagonal, wrap=False)


def torus(*sizes: int, diagonal: bool = False) -> Space:
    """A grid that is closed in every dimension; the actions are those of `grid`."""
    return _grid(sizes, diagonal, wrap=True)


def _grid(sizes: tuple[int, ...], diagonal: bool, wrap: bool) -> Space:
    n_c = _check_sizes(sizes)
    wide = [axis for axis, size in enumerate(sizes) if size > 1]
    steps: list[dict[int, int]]
    if diagonal:
        moves = itertools.product((-1, 0, 1), repeat=len(wide))
        steps = [dict(zip(wide, move, strict=True)) for move in moves if any(move)]
    else:
        steps = [{axis: way} for axis in wide for way in (-1, 1)]
    arrows = []
    for cell, place in enumerate(itertools.product(*map(range, sizes))):
        targets = [cell]
        for step in steps:
            to = [at + step.get(axis, 0) for axis, at in enumerate(place)]
            if wrap:
                to = [at % size for at, size in zip(to, sizes, strict=True)]
            elif not all(0 <= at < size for at, size in zip(to, sizes, strict=True)):
                to = list(place)
            target = 0
            for at, size in zip(to, sizes, strict=True):
                target = target * size + at
            targets.append(target)
        arrows.append(targets)
    assert len(arrows) == n_c
    return Space.from_arrows(arrows)


def _check_sizes(sizes: tuple[int, ...]) -> int:
    n_c = 1
    for size in sizes:
        if type(size) is not int or size < 1:
            raise MensuraError(f"A space cannot be {size!r} cells wide; at least 1 is needed.")
        n_c *= size
    if n_c < 2:
        raise MensuraError(f"A space has at least 2 cells, not {n_c}.")
    if n_c * 3 > LARGEST:
        raise MensuraError(f"A space of {n_c} cells is too large; at most {LARGEST} arrows fit.")
    return n_c
