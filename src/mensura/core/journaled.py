"""Players whose answers are journaled before they are used, so that nobody is asked the same thing twice.

People and paid models are not to be asked again after a crash: what they answered is read from the journal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.memory import saved
from mensura.agent.spaces import Space, answer_from_plain, to_plain
from mensura.agent.waiting import Waiting, finish
from mensura.core.closing import Closing
from mensura.core.players import (
    Player,
    Unanswered,
    asking,
    cpu_seconds,
    printed_by,
    probes_of,
    recall,
    renewing,
    told_measures,
)


class Journal(Closing):
    """Answers on disk, one JSON line each, written and flushed before they are used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[dict[str, Any]] = []
        if path.exists():
            for line in path.read_bytes().split(b"\n"):
                try:
                    self.entries.append(json.loads(line))
                except ValueError:
                    break  # the last line of a process that died while writing it: never used
        self.read = 0
        # For nobody else to read.
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        self._file.seek(sum(len(_line(entry)) for entry in self.entries))
        self._file.truncate()

    def take(self, ask: Ask) -> Answer | None:
        """The journaled answer to this ask, if it was given before."""
        if self.read >= len(self.entries):
            return None
        entry = self.entries[self.read]
        if (entry["kind"], entry["seat"]) != (ask.kind, ask.seat):
            raise MensuraError(
                f"Line {self.read + 1} of the journal {self.path.name} answers another question "
                f"({entry['kind']} of seat {entry['seat']}) than the one asked now "
                f"({ask.kind} of seat {ask.seat}): it belongs to another episode."
            )
        self.read += 1
        fault = tuple(entry["fault"]) if entry["fault"] else None
        return Answer(entry["value"], entry["seconds"], fault, entry.get("at"), entry.get("kept"))

    def add(self, asks: Sequence[Ask], answers: Sequence[Answer]) -> None:
        """Write down new answers; they are safe when this returns."""
        for ask, answer in zip(asks, answers, strict=True):
            entry = {
                "kind": ask.kind,
                "seat": ask.seat,
                "value": to_plain(answer.value),
                "seconds": answer.seconds,
                "fault": list(answer.fault) if answer.fault else None,
            }
            if answer.at is not None:
                entry["at"] = answer.at
            if answer.attachment is not None:
                entry["kept"] = answer.attachment
            self._file.write(_line(entry))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


class Journaled:
    """A player whose answers are journaled before use, so that nobody is asked the same thing twice.

    Resuming an episode plays the journal first; the player behind it is asked only what it has not answered.
    It suits people, who remember for themselves, and language models, which are reminded of what they answered
    (``recall``). Answers that were there when somebody could not be reached are journaled, too.
    """

    def __init__(self, player: Player, journal: Journal) -> None:
        self.player = player
        self.journal = journal
        self.speakers = player.speakers
        self.probes = probes_of(player)
        self._clock = perf_counter()
        """When the clock stood at 0. It stands still while nobody is there, so that nobody loses time by that."""
        self._last = 0.0
        self._spaces: dict[int, Space] = {}
        """The action spaces by seat."""

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Journaled answers as far as they go, then new ones."""
        self._spaces |= {ask.seat: ask.task.action_space for ask in asks if ask.task is not None}
        known: list[Answer] = []
        for ask in asks:
            answer = self.journal.take(ask)
            if answer is None:
                break
            self._last = self._last if answer.at is None else answer.at
            self._clock = perf_counter() - self._last
            recall(self.player, ask, answer)
            known.append(self._played(ask, answer))
        open_asks = asks[len(known) :]
        if not open_asks:
            return known
        try:
            answers = yield from asking(self.player, open_asks)
        except Unanswered as error:
            self._keep(open_asks[: len(error.answers)], error.answers)
            raise
        return known + self._keep(open_asks, answers)

    def _keep(self, asks: Sequence[Ask], answers: Sequence[Answer]) -> list[Answer]:
        now = perf_counter() - self._clock
        fresh = [answer._replace(value=to_plain(answer.value), at=now) for answer in answers]
        self.journal.add(asks, fresh)
        return list(map(self._played, asks, fresh))

    def _played(self, ask: Ask, answer: Answer) -> Answer:
        """An answer as the journal holds it, with the action as the environment takes it."""
        space = self._spaces.get(ask.seat)
        if ask.kind != "act" or answer.fault is not None or space is None:
            return answer
        return answer._replace(value=answer_from_plain(space, answer.value))

    def save(self) -> bytes | None:
        """That of the player behind the journal."""
        return saved(self.player)

    def renew(self) -> None:
        """:meth:`renewing`, waiting on the spot."""
        finish(self.renewing())

    def renewing(self) -> Waiting[None]:
        """The player behind the journal sits down anew."""
        yield from renewing(self.player)
        self.speakers = self.player.speakers

    def cpu_seconds(self) -> float:
        """That of the player behind the journal."""
        return cpu_seconds(self.player)

    def measures(self) -> Mapping[str, float]:
        """What the player behind the journal tells of its own."""
        return told_measures(self.player)

    def printed(self) -> str:
        """What the player behind the journal printed."""
        return printed_by(self.player)

    def close(self) -> None:
        """Close the player and the journal."""
        self.player.close()
        self.journal.close()
