"""Tasks that are tried in the editor: played by keys, a frame at a time, as the page asks for them."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from threading import Lock
from typing import Any

from mensura.web.pagi.keyed import KEYS, KeyedEnvironment, keyed
from mensura.web.refusals import Refused
from mensura.worlds.pagi.scene import scene, sensed
from mensura.worlds.pagi.setup import Setup

MOST = 8
"""So many are kept; the one that was not played for longest goes first."""
GONE = "This trial is no longer kept: begin it again."
KEY_NAMES = tuple(KEYS)


class Trials:
    """Those under way, by names that nobody guesses."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[KeyedEnvironment, Lock]] = OrderedDict()
        self._lock = Lock()

    def begin(self, setup: Setup) -> str:
        """Try a task."""
        made = keyed(setup, 0)
        name = secrets.token_urlsafe(18)
        with self._lock:
            self._kept[name] = made, Lock()
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return name

    def frame(self, name: str, keys: list[str], seat: int = 0) -> dict[str, Any]:
        """Play a frame with these keys held."""
        with self._lock:
            if name not in self._kept:
                raise Refused(404, GONE)
            self._kept.move_to_end(name)
            environment, lock = self._kept[name]
        with lock:
            if seat >= len(environment.seats):
                raise Refused(400, f"There is no body {seat + 1}.")
            environment.hold(seat, frozenset(keys))
            turn = environment.step([""] * len(environment.seats))
            told: str = turn.observations[turn.due.index(seat)]
            if turn.ended is not None:
                environment.reset(0)
            room = environment.room
            return {
                "scene": scene(room),
                "sensed": sensed(room, seat),
                "told": told.splitlines()[:100],
                "solved": environment.agenda.solved_at >= 0,
                "failed": environment.agenda.failed_at >= 0,
            }
