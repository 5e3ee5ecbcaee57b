"""Vector clocks of agents, of which a letter carries only what its reader was not told yet.

Mattern ("Virtual Time and Global States of Distributed Systems", 1989); what letters leave out is that of Singhal and
Kshemkalyani ("An efficient implementation of vector clocks", 1992), who need FIFO channels. Both as remembered.
"""

from __future__ import annotations

from collections.abc import Iterable

Entries = list[tuple[int, int]]
"""Agents, each with a number of its turns."""


class Clock:
    """How many turns of each agent an agent knows of; those that it knows nothing of are left out."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.turns: dict[int, int] = {seat: 0}
        self._changed: dict[int, int] = {}
        """The own turn at which each entry last changed."""
        self._told: dict[int, int] = {}
        """The own turn at which each reader was last written to."""

    def begin_turn(self, letters: Iterable[Entries]) -> None:
        """One more turn, at which letters with these entries are read."""
        turns = self.turns
        now = turns[self.seat] = turns[self.seat] + 1
        self._changed[self.seat] = now
        for entries in letters:
            for seat, turn in entries:
                if turn > turns.get(seat, 0):
                    turns[seat] = turn
                    self._changed[seat] = now

    def entries_for(self, reader: int) -> Entries:
        """What a letter to a reader carries: the entries that changed since the last one to it."""
        before = self._told.get(reader, 0)
        self._told[reader] = self.turns[self.seat]
        return [(one, self.turns[one]) for one, at in self._changed.items() if at > before]
