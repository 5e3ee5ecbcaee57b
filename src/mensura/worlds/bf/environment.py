"""One program behind the contract: the step door to the compiled machine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from mensura.agent.keys import Key
from mensura.agent.spaces import Box, Discrete, Record
from mensura.agent.task import Seat
from mensura.core.compiled import plain
from mensura.core.row_environment import Allowed, RowEnvironment
from mensura.pictures.picture import Picture
from mensura.worlds.bf import programs
from mensura.worlds.bf.kernels import machine
from mensura.worlds.kit.description import BaseDescription

_NOTHING_DRAWN = np.zeros((0, 0), np.int64)


@lru_cache(maxsize=64)
def spaces_of(symbols: int, cells: int) -> tuple[Record, np.dtype[np.void], Discrete]:
    """What is observed, and what can be done."""
    space = Record((("symbols", Box(0, symbols - 1, (cells,))),))
    return space, space.dtype, Discrete(symbols)


def fixed_part(d: BaseDescription) -> programs.Numbers:
    """What never changes of the row of an environment: its numbers and its program."""
    codes = programs.encode(d.text)
    head = [d.symbols, d.cells, d.horizon, len(codes), d.tape, d.limit, int(d.negated)]
    return np.concatenate([head, programs.linked(codes)])


def make_row(d: BaseDescription) -> programs.Numbers:
    """The row of an environment before its first episode."""
    fixed = fixed_part(d)
    row = np.zeros(machine.row_size(fixed[: machine.HEAD].tolist()), np.int64)
    row[: len(fixed)] = fixed
    return row


class BFEnvironment(RowEnvironment):
    """A program that answers each action with a reward and an observation.

    Description:
        At each interaction the program runs once, reads the actions so far, the latest first, and writes the reward
        and what is observed (:mod:`~mensura.worlds.bf.kernels.machine`).

    Observation:
        A NumPy record of float64: ``symbols`` (cells,), numbers from 0 on. At first all are the middle one.

    Actions:
        0 to symbols - 1; 0 is the default.

    Rewards:
        In [-1, 1], by the symbol that was written: the lowest is -1, the highest 1; the other way round where the
        environment is negated. The first is 0.

    End:
        Terminated after ``horizon`` interactions.

    Citation:
        Legg and Veness: An Approximation of the Universal Intelligence Measure (2011).
    """

    def __init__(self, description: BaseDescription) -> None:
        row = make_row(description)
        fixed = machine.fixed_size(row[: machine.HEAD].tolist())
        super().__init__(
            description,
            (Seat(0, "subject"),),
            spaces_of(description.symbols, description.cells),
            row,
            plain(machine.open_row)(row),
            fixed,
            machine.STEP_DOORS.step,
        )

    def _start(self, key: Key) -> None:
        machine.STEP_DOORS.reset(self.row, _NOTHING_DRAWN, np.uint64(key))

    def _opened(self, row: programs.Numbers) -> Any:
        return plain(machine.open_row)(row)

    def _allowed(self, parts: Any) -> Iterator[Allowed]:
        d = self.description
        clock, tape = parts.clock, parts.tape[: d.tape]
        lowest, highest = clock[[machine.LOWEST, machine.HIGHEST]].tolist()
        yield clock[machine.TIME], 0, d.horizon
        yield clock[machine.LOWEST], 1 - d.tape, 0
        yield clock[machine.HIGHEST], 0, d.tape - 1
        yield clock[machine.POINTER], lowest, highest
        yield clock[machine.STEPS], 0, d.horizon * d.limit
        yield clock[machine.VOID], 0, d.horizon
        yield clock[machine.LAST], 0, d.limit
        for symbols in (parts.inputs, parts.outputs, parts.action, tape):
            yield symbols, 0, d.symbols - 1

    def default(self, seat: int) -> int:
        """The first symbol."""
        return 0

    @property
    def iteration(self) -> int:
        """How many interactions have passed."""
        return int(self._parts.clock[machine.TIME])

    @property
    def steps(self) -> int:
        """How many steps the program took at the last interaction."""
        return int(self._parts.clock[machine.LAST])

    def measures(self) -> dict[str, float]:
        """What an episode tells of itself beside the rewards."""
        out = np.zeros(2)
        machine.STEP_DOORS.conclude(self.row, out)
        return {"steps": float(out[0]), "void": float(out[1])}

    @property
    def pointer(self) -> int:
        """Its place on the work tape, as seen from where the episode began."""
        return int(self._parts.clock[machine.POINTER])

    @property
    def cells(self) -> bytes:
        """The whole work tape; symbols count from the middle one."""
        return bytes(self._parts.tape[: self.description.tape])

    @property
    def key(self) -> Key:
        """Of all chance in the episode."""
        return int(self._parts.clock.view(np.uint64)[machine.KEY])

    def tape(self, reach: int) -> list[int]:
        """The symbols around the pointer, so many to each side, for drawings."""
        d = self.description
        place, middle = self.pointer, (d.symbols - 1) // 2
        cells = [(place + k) % d.tape for k in range(-reach, reach + 1)]
        return [(int(self._parts.tape[cell]) + middle) % d.symbols for cell in cells]

    def actions(self) -> list[int]:
        """The input tape: the actions so far, the latest first; before the first ones the middle symbol."""
        t = self.iteration
        ring = self._parts.inputs
        return [int(ring[(t - 1 - k) % machine.HISTORY]) for k in range(machine.HISTORY)]

    def outputs(self) -> list[int]:
        """What was written last: the reward first."""
        return [int(one) for one in self._parts.outputs]

    def picture(self, seat: int | None = None) -> Picture:
        """The moment as a picture: all of it, or what a seat observes."""
        from mensura.worlds.bf import picture

        return picture.everything(self) if seat is None else picture.seen(self)
