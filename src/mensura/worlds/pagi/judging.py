"""What happens by itself in a task, whether it is solved or has failed, and what that is worth."""

from __future__ import annotations

from mensura.worlds.pagi.actions import do_deed
from mensura.worlds.pagi.agenda import Agenda
from mensura.worlds.pagi.contract import STEP
from mensura.worlds.pagi.room import PagiRoom
from mensura.worlds.pagi.setup import Setup

MOST_HEARD = 100
"""So much of what was said is kept for a seat that does not ask."""


class Judge:
    """Looks after a task, every 0.1 s."""

    def __init__(self, setup: Setup, by_endorphins: bool) -> None:
        self._setup = setup
        self.by_endorphins = by_endorphins
        """Whether rewards are what the body feels."""

    def look_after(self, room: PagiRoom, agenda: Agenda) -> None:
        """Triggers, success and failure, rewards, and who hears what."""
        setup, criteria = self._setup, self._setup.criteria
        for k, trigger in enumerate(setup.triggers):
            if not (trigger.once and agenda.fired[k]) and criteria[f"trigger {k}"](room):
                agenda.fired[k] = True
                for deed in trigger.do:
                    do_deed(room, deed)
        if agenda.solved_at < 0 and agenda.failed_at < 0:
            if criteria["failed"](room):
                agenda.failed_at = room.steps
            elif criteria["solved"](room):
                agenda.held_since = room.steps if agenda.held_since < 0 else agenda.held_since
                if (room.steps - agenda.held_since) * STEP >= setup.solved_for - 1e-9:
                    agenda.solved_at, room.solved = room.steps, True
            else:
                agenda.held_since = -1
        seats = range(len(agenda.due))
        if room.steps:
            for seat in seats:
                agenda.owed[seat] += self._reward(room, agenda, seat)
        for speaker, text in room.spoken:
            for seat in seats:
                if len(agenda.heard[seat]) < MOST_HEARD:
                    agenda.heard[seat].append([speaker, text])
        room.spoken = []

    def _reward(self, room: PagiRoom, agenda: Agenda, seat: int) -> float:
        state = room.seats[seat]
        felt, agenda.paid[seat] = state.endorphins - agenda.paid[seat], state.endorphins
        if self.by_endorphins:
            return min(max(felt / 100.0, -1.0), 1.0)
        if agenda.solved_at >= 0:
            return 1.0
        if agenda.failed_at >= 0:
            return -1.0
        room.felt = felt
        return min(max(self._setup.criteria["reward"](room), -1.0), 1.0)
