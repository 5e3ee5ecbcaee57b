"""Algorithms in rounds: in each, an agent has one letter from every neighbor before it goes on.

Channels keep the order of letters, so the next letter of every neighbor is that of the same round, however long
letters take. Where one is lost, all wait forever: none of these algorithms claims to bear loss.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from mensura.worlds.constraints.agent_base.algorithm import Algorithm, on

Heard = Mapping[int, list[str]]
"""The words of one letter from each neighbor."""


class Rounds(Algorithm):
    """``open_round`` writes the first letters, ``close_round`` reads those of a round and writes the next."""

    patient = True
    """Whether it waits for everybody also in synchronous cycles, where others may have nothing to say."""

    def start(self) -> None:
        """Write the letters of the first round."""
        self._queues: dict[int, deque[list[str]]] = {one: deque() for one in self.neighbors}
        self.round = 0
        if self.neighbors:
            self.open_round()
        else:
            self.value = min(range(self.size), key=self.costs({}).__getitem__)

    def open_round(self) -> None:
        """Write the letters of the first round."""

    def close_round(self, heard: Heard) -> None:
        """All letters of a round are there."""

    @on("round")
    def wait(self, sender: int, words: list[str]) -> None:
        """Keep a letter until its round."""
        if sender in self._queues:
            self._queues[sender].append(words)

    def write(self, to: int, *words: Any) -> None:
        """Write a neighbor the letter of this round."""
        self.send(to, "round", *words)

    def write_all(self, *words: Any) -> None:
        """Write all neighbors the same letter of this round."""
        self.send_all(self.neighbors, "round", *words)

    def finish_turn(self) -> None:
        """Go on as long as there is a letter from everybody."""
        while self.neighbors and all(self._queues.values()):
            self._close()
        if not self.patient and self.knows.synchronous and any(self._queues.values()):
            self._close()

    def _close(self) -> None:
        heard = {one: queue.popleft() for one, queue in self._queues.items() if queue}
        self.round += 1
        self.close_round(heard)
