"""What the research view shows of a BF environment: its last run, and the instruction at which that stopped."""

from __future__ import annotations

from typing import Any

from mensura.core.contract import Turn
from mensura.pictures.picture import Picture
from mensura.pictures.scenes import Table
from mensura.pictures.view import PlainView
from mensura.worlds.bf import picture
from mensura.worlds.bf.programs import SYMBOLS
from mensura.worlds.bf.trace import Moment, Step, trace

LISTED = 200
"""So many instructions of a run are listed."""


class BFView(PlainView):
    """The plain view, with the last run of the program instruction by instruction."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self._moment: Moment | None = None
        self._run: list[Step] = []

    def started(self, environment: Any, turn: Turn) -> None:
        """An episode begins; the program has not run yet."""
        super().started(environment, turn)
        self._moment, self._run = Moment.of(environment), []

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        """The program has run once more."""
        super().stepped(environment, actions, turn)
        if self._moment is not None:
            self._run = trace(self._moment, environment)
        self._moment = Moment.of(environment)

    def picture(self, environment: Any, turn: Turn) -> Picture:
        """The program with the instruction that was last run, its tapes and pointers."""
        return picture.everything(environment, self._run)

    def tables(self, environment: Any) -> tuple[Table, ...]:
        """The last run, from its first instruction on."""
        rows = tuple(
            (
                number,
                environment.description.text[step.at],
                step.at + 1,
                step.pointer,
                SYMBOLS[step.symbol],
                "" if step.read is None else SYMBOLS[step.read],
                "" if step.written is None else SYMBOLS[step.written],
            )
            for number, step in enumerate(self._run[:LISTED], 1)
        )
        columns = ("step", "instruction", "in the program", "pointer", "symbol", "read", "written")
        return (Table("run", columns, rows),)
