"""One Lambda Star environment as data, and the row that the compiled rules play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.compiled import plain
from mensura.core.row_environment import described
from mensura.worlds.lambda_star.parameters import Options
from mensura.worlds.lambda_star.torus.kernels import row as layout
from mensura.worlds.lambda_star.torus.parameters import GAITS, REACTIONS
from mensura.worlds.lambda_star.torus.space import ACTIONS, check_space


@dataclass(frozen=True)
class Description(Options):
    """One environment: the torus, who sits there, and the patterns of Good and Evil, or what else the game draws."""

    rows: int
    cols: int
    subjects: int
    horizon: int
    range: int
    """k: subjects observe their k-th Moore neighborhood."""
    radius: int
    """Good and Evil are felt up to this distance."""
    good_start: int
    """Cells are numbered from 1, row by row, as in figure 3 of the paper."""
    evil_start: int
    good_moves: tuple[int, ...]
    """Actions from 1 to 9, repeated cyclically."""
    evil_moves: tuple[int, ...]
    """None where Evil has a shift."""
    guides: int = 0
    """How often the guide moves in an interaction; 0 where there is none."""
    blind_start: bool = False
    """Good and Evil seem to stand on cell 1 in the first observation, in which this cell is worth -0.5."""
    future: tuple[int, ...] = ()
    """The seats with the right "sees_future"."""
    segment: int = 0
    """How many cells make the essence of the pattern; 0: as many as there are moves."""
    evil_shift: int = 0
    """Evil is always so many cells after Good, by their numbers, as in the authors' program; 0: it makes its moves."""
    drawn_values: tuple[float, ...] = ()
    """What a game other than search draws of its environment: the game says what the numbers are."""

    def __post_init__(self) -> None:
        """Raise if the compiled rules, which check nothing, could not play it."""
        check_space(self.rows, self.cols, self.subjects, self.horizon, self.range, self.radius)
        for name in ("good_start", "evil_start", "guides", "segment", "evil_shift"):
            if type(getattr(self, name)) is not int:
                raise MensuraError(f"{name} is {getattr(self, name)!r}; it must be a whole number.")
        self.check_options()
        cells = self.rows * self.cols
        for name, start in (("Good", self.good_start), ("Evil", self.evil_start)):
            if not 1 <= start <= cells:
                raise MensuraError(f"{name} starts on cell {start}; the cells are 1 to {cells}.")
        if self.good_start == self.evil_start:
            raise MensuraError(
                f"Good and Evil both start on cell {self.good_start}; they never share a cell."
            )
        if self.evil_shift:
            self._check_shift()
        elif not self.good_moves or len(self.good_moves) != len(self.evil_moves):
            raise MensuraError(
                f"Good has a pattern of {len(self.good_moves)} moves and Evil one of "
                f"{len(self.evil_moves)}; both need the same number, at least 1."
            )
        for move in (*self.good_moves, *self.evil_moves):
            if type(move) is int and 1 <= move <= 9:
                continue  # the usual case, quickly
            if not ACTIONS.contains(move):
                raise MensuraError(f"{move!r} in a pattern is not an action; actions are 1 to 9.")
        if type(self.blind_start) is not bool:
            raise MensuraError(f"blind_start is {self.blind_start!r}; it is true or false.")
        if not 0 <= self.guides <= max(self.subjects, 1):
            raise MensuraError(f"guides is {self.guides}; it is from 0 to the number of subjects.")
        for seat in self.future:
            if type(seat) is not int or not 0 <= seat < self.subjects:
                raise MensuraError(
                    f"Seat {seat!r} sees the future, but the seats are 0 to {self.subjects - 1}."
                )

    def _check_shift(self) -> None:
        """Raise if the shift of Evil contradicts the rest."""
        cells = self.rows * self.cols
        if not 0 < self.evil_shift < cells:
            raise MensuraError(
                f"evil_shift is {self.evil_shift}; it is from 0 to {cells - 1}, one less than there are cells."
            )
        start = (self.good_start - 1 + self.evil_shift) % cells + 1
        if self.evil_start != start:
            raise MensuraError(
                f"Evil starts on cell {self.evil_start}; {self.evil_shift} cells after Good's cell "
                f"{self.good_start} it is on cell {start}."
            )
        if not self.good_moves or self.evil_moves:
            raise MensuraError(
                "With an evil_shift Good needs a pattern of at least 1 move, and Evil has none of its own."
            )
        if self.reacts:
            raise MensuraError(
                "Good and Evil that react to subjects need moves; an evil_shift leaves Evil none."
            )

    def to_json(self) -> dict[str, Any]:
        """The description as plain data; options that nobody set, and what the game does not have, are left out."""
        data = asdict(self)
        rare = ("evil_shift", "drawn_values")
        for one in (*fields(Options), *(f for f in fields(self) if f.name in rare)):
            if data[one.name] == one.default:
                del data[one.name]
        if self.game.drawn is not None:
            for name in _PATTERN:
                del data[name]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Description:
        """The description that ``to_json`` wrote."""
        if data.get("task", "search") != "search":
            data = {**_PATTERN, **data}
        lists = [one.name for one in fields(cls) if str(one.type).startswith("tuple")]
        return cls(**described(cls, "Lambda Star", data, lists))

    def pattern(self) -> npt.NDArray[np.int64]:
        """The pattern, or what else the game draws, as the kernel reads it."""
        drawn = self.game.drawn
        if drawn is not None:
            return drawn.pattern(self)
        head = (len(self.good_moves), self.good_start - 1, self.evil_start - 1, self.evil_shift)
        evil_moves = self.good_moves if self.evil_shift else self.evil_moves
        return np.array([*head, *self.good_moves, *evil_moves], np.int64)


_PATTERN: dict[str, Any] = {
    "good_start": 1,
    "evil_start": 2,
    "good_moves": (5,),
    "evil_moves": (5,),
    "segment": 0,
}
"""What stands in a description for the pattern where the game has none."""


def make_row(d: Description) -> npt.NDArray[np.int64]:
    """An environment's row with its head and rights filled in."""
    return opened(d)[0]


def opened(d: Description) -> tuple[npt.NDArray[np.int64], Any]:
    """A new row, and its parts."""
    row = np.zeros(row_size_of(d), np.int64)
    row[layout.ROWS] = d.rows
    row[layout.COLS] = d.cols
    row[layout.SUBJECTS] = d.subjects
    row[layout.HORIZON] = d.horizon
    row[layout.RANGE] = d.range
    row[layout.RADIUS] = d.radius
    row[layout.GUIDES] = d.guides
    row[layout.BLIND] = d.blind_start
    wide = d.wide
    if wide:
        _widen(row, d)
    parts = plain(layout.open_row if wide else layout.open_plain)(row)
    for seat in d.future:
        parts.rights[seat] = layout.SEES_FUTURE
    if wide:
        parts.dial[layout.TIRING] = d.tiring
        parts.dial[layout.RECOVERY] = d.recovery
        parts.dial[layout.LEARNING_WEIGHT] = d.learning_weight
        dials = d.game.dials(d)
        parts.dial[layout.GAME_DIAL : layout.GAME_DIAL + len(dials)] = dials
        for seat in range(d.subjects):
            parts.reach[seat] = cycled(d.ranges, seat, d.range)
            parts.gait[seat] = GAITS.index(cycled(d.moves, seat, "all"))
            parts.appetite[seat] = (
                cycled(d.good_appetites, seat, 1.0),
                cycled(d.evil_appetites, seat, 1.0),
            )
    return row, parts


def cycled(values: Sequence[Any], seat: int, usual: Any) -> Any:
    """What a list that is gone round says of a seat; the usual where it is empty."""
    return values[seat % len(values)] if values else usual


def _widen(row: npt.NDArray[np.int64], d: Description) -> None:
    """Fill in the head of what goes beyond the plain search."""
    game = d.game
    row[layout.OBJECTS] = d.game.objects
    row[layout.DEEDS] = bool(game.deed)
    row[layout.SIGNALS] = game.signals
    row[layout.FIELDS] = game.field
    row[layout.COMPANY] = d.company
    row[layout.COMPANY_EVIL] = d.company_for == "both"
    row[layout.GOOD_REACTS] = REACTIONS.index(d.good_reacts)
    row[layout.EVIL_REACTS] = REACTIONS.index(d.evil_reacts)
    row[layout.SENSE] = d.sense
    row[layout.TRACK] = d.track
    row[layout.LEARNING] = d.learning_weight > 0
    row[layout.UNEQUAL] = bool(d.good_appetites or d.evil_appetites)


def row_size_of(d: Description) -> int:
    """The size of the row of a description."""
    if not d.wide:
        return layout.row_size(d.rows, d.cols, d.subjects, d.horizon, d.range, d.guides)
    game = d.game
    return layout.row_size(
        d.rows,
        d.cols,
        d.subjects,
        d.horizon,
        d.range,
        d.guides,
        objects=d.game.objects,
        deeds=bool(game.deed),
        signals=game.signals,
        field=game.field,
        reacts=d.reacts,
        track=d.track,
        learning=d.learning_weight > 0,
    )
