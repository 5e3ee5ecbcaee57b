"""One Lambda Star environment behind the contract: the step door to the compiled rules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import Key
from mensura.agent.spaces import Record
from mensura.agent.task import Seat
from mensura.core.compiled import plain
from mensura.core.row_environment import MOST, Allowed, RowEnvironment
from mensura.worlds.lambda_star.description import Description, opened
from mensura.worlds.lambda_star.torus.kernels import row as layout
from mensura.worlds.lambda_star.torus.space import ACTIONS, MOVES_AND_DEEDS, observation_space

if TYPE_CHECKING:
    from mensura.pictures.picture import Picture


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
        deed add the plane ``deeds``, how many of the others there did it last time; games with private signals add
        ``signal`` ().

    Actions:
        1 to 9 = up-left, up, up-right, left, stay, right, down-left, down, down-right. Default: 5, stay. In games
        with a deed, 10 to 18 make the same moves and do it.

    Rewards:
        In [-1, 1]: 1/(d+1) from Good if d <= radius, minus the same from Evil; d is the toroidal Moore distance. Other
        games pay otherwise.

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
        row, parts = opened(d)
        parts.looks[:] = layout.LOOKS_ALL
        game = d.game
        self._doors = d.doors.steps
        shown = _shown(
            d.rows, d.cols, d.subjects, d.horizon, d.range, bool(game.deed), game.signals
        )
        spaces = (*shown, MOVES_AND_DEEDS if game.deed else ACTIONS)
        super().__init__(d, seats, spaces, row, parts, layout.TIME, self._doors.step)
        self._pattern = d.pattern()[None]
        self._tally = d.tally()

    def _start(self, key: Key) -> None:
        """The key draws the subjects' cells and who gives way when Good meets Evil."""
        self._doors.reset(self.row, self._pattern, np.uint64(key))

    def _show_again(self) -> None:
        for seat in range(len(self.seats)):
            self._parts.obs[seat, [layout.NEXT_ROW, layout.NEXT_COL]] = -1.0
        self._doors.observe(self.row)

    def _opened(self, row: npt.NDArray[np.int64]) -> Any:
        wide = self.description.wide
        return plain(layout.open_row if wide else layout.open_plain)(row)

    def _allowed(self, parts: Any) -> Iterator[Allowed]:
        d, own = self.description, self._parts
        last = np.array([d.rows - 1, d.cols - 1])
        yield parts.head[layout.TIME], 0, d.horizon
        yield parts.head[layout.TIME + 1 :], 0, 0
        yield parts.looks, own.looks, own.looks
        yield parts.action, self._lowest, self._highest
        yield parts.cell, 0, last
        yield parts.near, 0.0, 1.0
        yield parts.path, 0, np.tile(last, 2)
        yield parts.guide, 0, last
        if not d.wide:
            return
        for name in ("reach", "gait", "appetite", "dial"):
            fixed = getattr(own, name)
            yield getattr(parts, name), fixed, fixed
        yield parts.deed, 0, 1
        for numbers in (parts.signal, parts.tally, parts.field, parts.history):
            yield numbers, -MOST, MOST
        yield parts.strength, 0.0, 1.0
        yield parts.around, 0, d.subjects
        # The guide: its cell, the moves in a row and the last of them, and who sees where Good goes next.
        most = [d.rows - 1, d.cols - 1, d.horizon + 1, 1, 1, d.guides + d.subjects]
        yield parts.trail, [0, 0, 0, -1, -1, 0], most
        yield parts.moves, 1, layout.MOVES_OF_ONE
        yield parts.seen, -1, d.horizon
        for place, end in d.game.places(d).items():
            yield parts.tally[place], 0.0, end

    def default(self, seat: int) -> int:
        """Stay."""
        return layout.STAY

    def instructions(self, seat: int) -> str:
        """What is told of a game that cannot be found out; nothing of search."""
        return self.description.game.told

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

        In other games than search also the seats that did the deed last.
        """
        subjects = [(int(y), int(x)) for y, x in self._parts.cell]
        if not self.description.game.objects:
            did = [seat for seat, deed in enumerate(self._parts.deed) if deed]
            return {"good": None, "evil": None, "guide": None, "subjects": subjects, "did": did}
        t = self.iteration
        gy, gx, ey, ex = (int(v) for v in self._parts.path[t])
        guide = tuple(int(v) for v in self._parts.guide[t, -1]) if self.description.guides else None
        return {"good": (gy, gx), "evil": (ey, ex), "guide": guide, "subjects": subjects}

    def worth(self) -> npt.NDArray[np.float64] | None:
        """What each cell is worth by the game now, for drawings: (rows, cols); None where Good and Evil tell it."""
        d = self.description
        if d.game.objects:
            return None
        if d.game.worth is None:
            return np.zeros((d.rows, d.cols))
        return d.game.worth(self._parts).reshape(d.rows, d.cols)

    def picture(self, seat: int | None = None) -> Picture:
        """The moment as a picture: all of it, or what a seat observes."""
        from mensura.worlds.lambda_star import picture

        return picture.everything(self) if seat is None else picture.seen(self, seat)

    @property
    def parts(self) -> Any:
        """The parts of the row, for drawings and tests: ``Row`` or ``Plain`` of ``torus/kernels/row.py``."""
        return self._parts
