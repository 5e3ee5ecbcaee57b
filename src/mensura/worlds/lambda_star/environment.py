"""One Lambda Star environment behind the contract: its description and the step door to the compiled rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mensura.core.compiled import plain
from mensura.core.contract import Seat
from mensura.core.errors import MensuraError
from mensura.core.keys import Key
from mensura.core.row_environment import RowEnvironment, described
from mensura.core.spaces import Box, Discrete, Record
from mensura.worlds.lambda_star import row as layout
from mensura.worlds.lambda_star.parameters import GAITS, Options
from mensura.worlds.lambda_star.reactions import REACTIONS

if TYPE_CHECKING:
    from mensura.pictures.picture import Picture

ACTIONS = Discrete(9, start=1)
ACTION_NAMES = (
    "up-left",
    "up",
    "up-right",
    "left",
    "stay",
    "right",
    "down-left",
    "down",
    "down-right",
)
"""The actions 1 to 9, in the order of section 5.1 of the paper."""
MOVES_AND_DEEDS = Discrete(18, start=1)
"""Where there is a deed: 10 to 18 make the moves 1 to 9 and do it."""

LARGEST_GRID = 1_000_000
LARGEST_HORIZON = 100_000
"""Counting the K of a pattern takes time that grows with the square of it."""


@dataclass(frozen=True)
class Description(Options):
    """One environment: the torus, who sits there, and the patterns of Good and Evil, or what else the task draws."""

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
    content: tuple[float, ...] = ()
    """What a task other than search draws of its environment: the task's module says what the numbers are."""

    def __post_init__(self) -> None:
        """Refuse what the compiled rules, which check nothing, could not play."""
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
        """Refuse a shift of Evil that contradicts the rest."""
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
        """The description as plain data; options that nobody set, and what the task does not have, are left out."""
        data = asdict(self)
        rare = ("evil_shift", "content")
        for one in (*fields(Options), *(f for f in fields(self) if f.name in rare)):
            if data[one.name] == one.default:
                del data[one.name]
        if self.question.drawn is not None:
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
        """The pattern, or what else the task draws, as the kernel reads it."""
        drawn = self.question.drawn
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
"""What stands in a description for the pattern where the task has none."""


def check_space(rows: int, cols: int, subjects: int, horizon: int, k: int, radius: int) -> None:
    """One sentence for each way in which the parameters of a space can be wrong."""
    names = ("rows", "cols", "subjects", "horizon", "range", "radius")
    values = (rows, cols, subjects, horizon, k, radius)
    if set(map(type, values)) != {int}:  # the usual case, quickly
        for name, value in zip(names, values, strict=True):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise MensuraError(f"{name} is {value!r}; it must be a whole number.")
    if rows < 1 or cols < 1 or rows * cols < 2:
        raise MensuraError(
            f"A grid of {rows}x{cols} has no room for Good and Evil; it needs at least 2 cells, as 1x2."
        )
    if rows * cols > LARGEST_GRID:
        raise MensuraError(f"A grid of {rows}x{cols} is too large; at most {LARGEST_GRID} cells.")
    if subjects < 1:
        raise MensuraError(f"{subjects} subjects cannot be assessed; at least 1 is needed.")
    if subjects > 10_000:
        raise MensuraError(f"{subjects} subjects are too many; at most 10000 fit.")
    if not 1 <= horizon <= LARGEST_HORIZON:
        raise MensuraError(
            f"An episode of {horizon} interactions is out of range; 1 to {LARGEST_HORIZON} are possible."
        )
    if not 1 <= k <= min(rows, cols):
        raise MensuraError(
            f"An observation range of {k} does not fit a {rows}x{cols} grid; "
            f"it is from 1 to {min(rows, cols)} there."
        )
    if not 0 <= radius <= max(rows, cols):
        raise MensuraError(
            f"A reward radius of {radius} does not fit a {rows}x{cols} grid; "
            f"it is from 0 to {max(rows, cols)} there."
        )


def observation_space(
    rows: int,
    cols: int,
    subjects: int,
    horizon: int,
    k: int,
    deeds: bool = False,
    signals: bool = False,
) -> Record:
    """What a subject observes; see :class:`LambdaStarEnvironment`."""
    shape = (2 * k + 1, 2 * k + 1)
    others = Box(0, max(subjects - 1, 0), shape)
    further: tuple[tuple[str, Box], ...] = ()
    if deeds:
        further += (("deeds", others),)
    if signals:
        further += (("signal", Box(-1, 1)),)
    return Record(
        (
            ("position", Box(0, max(rows, cols) - 1, (2,))),
            ("iteration", Box(0, horizon)),
            ("future", Box(-1, max(rows, cols) - 1, (2,))),
            ("rewards", Box(-1, 1, shape)),
            ("good", Box(0, 1, shape)),
            ("evil", Box(0, 1, shape)),
            ("others", others),
            ("guide", Box(0, 1, shape)),
            *further,
        )
    )


@lru_cache(maxsize=256)
def _shown(
    rows: int, cols: int, subjects: int, horizon: int, k: int, deeds: bool, signals: bool
) -> tuple[Record, np.dtype[np.void]]:
    """The observation space with its NumPy type, which take longer to make than an episode to start."""
    space = observation_space(rows, cols, subjects, horizon, k, deeds, signals)
    return space, space.dtype


class LambdaStarEnvironment(RowEnvironment):
    """A torus on which Good and Evil travel along patterns of known complexity.

    Description:
        m x n cells, moving off one border comes in at the opposite one. All subjects may share a cell.

    Observation:
        A NumPy record of float64. ``position`` (2,): own row and column from 0. ``iteration`` (): interactions so
        far. ``future`` (2,): row and column of Good's next cell for a seat that "sees_future", else -1. Then
        planes of shape (2k+1, 2k+1) around the subject, the subject in the middle: ``rewards`` of the cells,
        ``good``, ``evil`` and ``guide`` 1.0 where they stand, ``others`` the number of other subjects. Tasks with a
        deed add the plane ``deeds``, how many of the others there did it last time; tasks with private signals add
        ``signal`` ().

    Actions:
        1 to 9 = up-left, up, up-right, left, stay, right, down-left, down, down-right. Default: 5, stay. In tasks
        with a deed, 10 to 18 make the same moves and do it.

    Rewards:
        In [-1, 1]: 1/(d+1) from Good if d <= radius, less the same from Evil; d is the toroidal Moore distance. Other
        tasks pay otherwise.

    End:
        Terminated after ``horizon`` interactions, which the subject can count.

    Citation:
        Chmait, Li, Dowe and Green: A Dynamic Intelligence Test Framework for Evaluating AI Agents (2016).
    """

    description: Description

    def __init__(self, description: Description) -> None:
        d = description
        future = frozenset(d.future)
        seats = tuple(
            Seat(j, "subject", frozenset({"sees_future"}) if j in future else frozenset())
            for j in range(d.subjects)
        )
        row, parts = _opened(d)
        parts.looks[:] = layout.LOOKS_ALL
        asked = d.question
        self._doors = d.doors.steps
        shown = _shown(
            d.rows, d.cols, d.subjects, d.horizon, d.range, bool(asked.deed), asked.signals
        )
        spaces = (*shown, MOVES_AND_DEEDS if asked.deed else ACTIONS)
        super().__init__(d, seats, spaces, row, parts, layout.TIME, self._doors.step)
        self._pattern = d.pattern()[None]
        self._tally = d.tally()

    def _start(self, key: Key) -> None:
        """The key draws the subjects' cells and who gives way when Good meets Evil."""
        self._doors.reset(self.row, self._pattern, np.uint64(key))

    def default(self, seat: int) -> int:
        """Stay."""
        return layout.STAY

    def instructions(self, seat: int) -> str:
        """What is told of a task that cannot be found out; nothing of search."""
        return self.description.question.told

    def measures(self) -> dict[str, float]:
        """What is told of the episode so far, by name; nothing of the plain search, nor what did not happen."""
        if not self._tally:
            return {}
        told = np.zeros(layout.TALLY)
        self._doors.conclude(self.row, told)
        found = {name: float(told[at]) for name, at in self._tally.items()}
        return {name: value for name, value in found.items() if not math.isnan(value)}

    @property
    def iteration(self) -> int:
        """How many interactions have passed."""
        return int(self.row[layout.TIME])

    def positions(self) -> dict[str, Any]:
        """All of the state, for drawings: (row, column) of Good, Evil and the guide, or None, and of each subject.

        In other tasks than search also the seats that did the deed last.
        """
        subjects = [(int(y), int(x)) for y, x in self._parts.cell]
        if self.description.task != "search":
            did = [seat for seat, deed in enumerate(self._parts.deed) if deed]
            return {"good": None, "evil": None, "guide": None, "subjects": subjects, "did": did}
        t = self.iteration
        gy, gx, ey, ex = (int(v) for v in self._parts.path[t])
        guide = tuple(int(v) for v in self._parts.guide[t, -1]) if self.description.guides else None
        return {"good": (gy, gx), "evil": (ey, ex), "guide": guide, "subjects": subjects}

    def worth(self) -> npt.NDArray[np.float64] | None:
        """What each cell is worth by the task now, for drawings: (rows, cols); None where Good and Evil tell it."""
        d = self.description
        if d.task == "search":
            return None
        asked = d.question
        if asked.worth is not None:
            return asked.worth(self._parts).reshape(d.rows, d.cols)
        if asked.field:
            return np.array(self._parts.field).reshape(d.rows, d.cols)
        return np.zeros((d.rows, d.cols))

    def picture(self, seat: int | None = None) -> Picture:
        """The moment as a picture: all of it, or what a seat observes."""
        from mensura.worlds.lambda_star import picture

        return picture.everything(self) if seat is None else picture.seen(self, seat)

    @property
    def parts(self) -> Any:
        """The parts of the row, for drawings and tests: :class:`~mensura.worlds.lambda_star.row.Row`, or ``Plain``."""
        return self._parts


def make_row(d: Description) -> npt.NDArray[np.int64]:
    """An environment's row with its head and rights filled in."""
    return _opened(d)[0]


def _opened(d: Description) -> tuple[npt.NDArray[np.int64], Any]:
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
        dials = d.question.dials(d)
        parts.dial[layout.TASK_DIAL : layout.TASK_DIAL + len(dials)] = dials
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
    asked = d.question
    row[layout.OBJECTS] = d.task == "search"
    row[layout.DEEDS] = bool(asked.deed)
    row[layout.SIGNALS] = asked.signals
    row[layout.FIELDS] = asked.field
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
    asked = d.question
    return layout.row_size(
        d.rows,
        d.cols,
        d.subjects,
        d.horizon,
        d.range,
        d.guides,
        objects=d.task == "search",
        deeds=bool(asked.deed),
        signals=asked.signals,
        field=asked.field,
        reacts=d.reacts,
        track=d.track,
        learning=d.learning_weight > 0,
    )
