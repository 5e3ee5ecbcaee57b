"""A client of PAGI World that plays as when it is assessed, shown on a page: nobody there can change what happens."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.contract import Turn
from mensura.web.pagi.lines import Lines
from mensura.worlds.pagi.environment import PagiEnvironment
from mensura.worlds.pagi.scene import scene, sensed

ONLY_WATCHED = (
    "This client is only watched, as when it is assessed; `mensura pagi serve` lets you take part."
)


class Watched:
    """An observer of episodes, which keeps what the page asks for; it may be asked from other threads."""

    watched = True

    def __init__(self, place: str) -> None:
        self.place = place
        """Where clients connect."""
        self._lock = Lock()
        self._lines = Lines()
        self._frame = 0
        self._moments: list[dict[str, Any]] = []
        """What the page shows now, by seat."""

    # What the episode loop calls

    def started(self, environment: PagiEnvironment, turn: Turn) -> None:
        """An episode begins."""
        with self._lock:
            self._lines.add(0, "note", "an episode begins")
            self._keep(environment)

    def stepped(self, environment: PagiEnvironment, actions: list[Any], turn: Turn) -> None:
        """A frame was played."""
        with self._lock:
            self._frame += 1
            for seat, action in enumerate(actions):
                for line in str(action).splitlines():
                    self._lines.add(seat, "in", line)
            for seat, told in zip(turn.due, turn.observations, strict=True):
                for line in str(told).splitlines():
                    self._lines.add(seat, "out", line)
            for seat, text in environment.room.printed:
                self._lines.add(seat, "console", text)
            environment.room.printed.clear()
            self._keep(environment)

    def _keep(self, environment: PagiEnvironment) -> None:
        room, setup = environment.room, environment.setup
        seats = range(len(environment.seats))
        shown = scene(room)
        self._moments = [
            {
                "frame": self._frame,
                "task": setup.name,
                "instructions": setup.instructions,
                "solved": room.solved,
                "clients": [True for _ in seats],
                "scene": shown,
                "sensed": sensed(room, seat),
                "states": list(environment.controls[seat].states),
                "reflexes": list(environment.controls[seat].reflexes),
            }
            for seat in seats
        ]

    # What the page calls

    def look(self, seat: int, since: int) -> dict[str, Any]:
        """The room, what a seat senses, and what was said since a line."""
        with self._lock:
            if not self._moments:
                raise MensuraError(f"No client has connected to {self.place} yet.")
            if not 0 <= seat < len(self._moments):
                raise MensuraError(f"There is no body {seat + 1}; there are {len(self._moments)}.")
            return {**self._moments[seat], "lines": self._lines.since(since)}

    def press(self, seat: int, keys: Sequence[str]) -> None:
        """Refused: it is the client that plays."""
        raise MensuraError(ONLY_WATCHED)

    def type_to(self, seat: int, text: str) -> None:
        """Refused: nobody helps a client."""
        raise MensuraError(ONLY_WATCHED)

    def command(self, seat: int, text: str) -> list[str]:
        """Refused: nobody arranges the world."""
        raise MensuraError(ONLY_WATCHED)

    def restart(self) -> None:
        """Refused: an episode is played to its end."""
        raise MensuraError(ONLY_WATCHED)
