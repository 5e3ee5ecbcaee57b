"""Proxies: agents who speak an algorithm's letters for somebody who only picks values: a person, a language model.

A proxy reads the letters of a turn, says which values are open, and once one of them is picked writes the letters that
the neighbors need. Next to agents in rounds (DSA, greedy, MGM) all values are open. Next to ABT those are open that
neither constraints with agents above nor nogoods forbid, next to AWCS those that break nothing with agents of higher
priority; where there is none, the proxy backtracks. What it learns are consequences of the constraints, whatever is
picked, so a claim that there is no solution stays true; that a search ends depends on who picks.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar

from mensura.worlds.constraints.agent_base.algorithm import Algorithm, Values
from mensura.worlds.constraints.agent_base.knowledge import Knowledge
from mensura.worlds.constraints.algorithms.abt import ABT
from mensura.worlds.constraints.algorithms.awcs import AWCS
from mensura.worlds.constraints.algorithms.rounds import Heard, Rounds

Memory = dict[str, Any]
"""What a proxy remembers from turn to turn, as plain data."""


class Proxy(Algorithm):
    """What all proxies have: a memory as plain data, so that the state of an episode can hold it."""

    explains = True
    kept: ClassVar[tuple[str, ...]] = ("value", "view")
    """The attributes that it remembers."""

    def remember(self) -> Memory:
        """What it knows now."""
        return {name: _plain(getattr(self, name)) for name in self.kept}

    def recall(self, memory: Memory) -> None:
        """Go on with what :meth:`remember` gave."""
        for name, value in memory.items():
            setattr(self, name, _own(value))

    def open_values(self) -> list[int]:
        """The values that may be picked now, at least one."""
        return list(range(self.size))

    def take(self, value: int) -> None:
        """Somebody picked a value: write what the neighbors need."""
        self.value = value

    def told(self) -> Values:
        """The values of neighbors, as far as they are known."""
        return {one: self.view[one] for one in self.neighbors if one in self.view}


class ValuesProxy(Proxy, Rounds):
    """Next to agents in rounds who tell their values: DSA and greedy."""

    patient = False
    kept: ClassVar[tuple[str, ...]] = ("value", "view", "round", "owed", "_queues")

    def open_round(self) -> None:
        """The first letters are written once a value is picked."""
        self.owed = 1

    def start(self) -> None:
        """Nothing was heard yet."""
        self.owed = 0
        super().start()

    def close_round(self, heard: Heard) -> None:
        """The values of a round, as far as they are values; each round is answered by one letter."""
        for one, words in heard.items():
            if words and words[0].isdecimal() and int(words[0]) < len(self.knows.domains[one]):
                self.view[one] = int(words[0])
        self.owed += 1

    def take(self, value: int) -> None:
        """Tell it, once for each round that was heard."""
        self.value = value
        for _ in range(self.owed):
            self.answer()
        self.owed = 0

    def answer(self) -> None:
        """The letter of a round."""
        self.write_all(self.value)


class GainsProxy(ValuesProxy):
    """Next to MGM, whose agents tell values and gains in turn: it tells no gain, so that others move before it."""

    patient = True
    kept = (*ValuesProxy.kept, "spoken")

    def start(self) -> None:
        """Nothing was said yet."""
        self.spoken = 0
        super().start()

    def close_round(self, heard: Heard) -> None:
        """Values in odd rounds; of gains only that they came."""
        if self.round % 2:
            super().close_round(heard)
        else:
            self.owed += 1

    def answer(self) -> None:
        """A value and no gain in turn."""
        self.write_all(0.0 if self.spoken % 2 else self.value)
        self.spoken += 1


class ABTProxy(Proxy, ABT):
    """Next to ABT, whatever becomes of the links that it adds."""

    kept = ("value", "view", "removed", "above", "below", "changed", "over", "news", "learned")

    def start(self) -> None:
        """As ABT, but the first value is told once it is picked."""
        self.removed = {v: {} for v, cost in enumerate(self.knows.own) if cost == math.inf}
        self.over = False
        self.news = self.changed = True
        self.arrange()

    def recall(self, memory: Memory) -> None:
        """Its place in the order does not change; its links do."""
        self.arrange()
        super().recall(memory)

    def choose(self) -> None:
        """Find out which values are left; where none is, backtrack. Which of them it is, somebody else says."""
        self.news = False
        while not self.over:
            self.check_constraints()
            if len(self.removed) < self.size:
                return
            self.backtrack()

    def finish_turn(self) -> None:
        """Find out which values are left."""
        if self.news:
            self.choose()

    def open_values(self) -> list[int]:
        """Those that nothing above forbids."""
        return [one for one in range(self.size) if one not in self.removed] or [self.value]

    def take(self, value: int) -> None:
        """Tell those below, if it is another, or somebody waits to hear it."""
        self.changed = self.changed or value != self.value
        self.value = value
        if self.changed and not self.over:
            self.tell_value()


class AWCSProxy(Proxy, AWCS):
    """Next to AWCS."""

    kept = (
        *("value", "view", "priority", "priorities", "linked", "nogoods", "sent", "fresh", "over"),
        *("untold", "fine", "learned"),
    )

    def start(self) -> None:
        """As AWCS, but the first value is told once it is picked."""
        super().start()
        self._mail.clear()
        self.fresh = self.untold = True
        self.fine: list[int] = []

    def finish_turn(self) -> None:
        """Find the values that break nothing higher; where there are none, backtrack and rise."""
        if self.over:
            return
        broken = [list(each) for each in self.broken()]
        higher = [[one for one in each if self.outranked(one)] for each in broken]
        self.fine = [value for value in range(self.size) if not higher[value]]
        if not self.fine:
            if self.fresh and self.backtrack(higher):
                self.untold = True
            self.fine = [value for value in range(self.size) if {} not in broken[value]]
        self.fresh = False

    def open_values(self) -> list[int]:
        """Those that break nothing higher, or any that can be at all."""
        return self.fine or [self.value]

    def take(self, value: int) -> None:
        """Tell value and priority to all links, if one of them is another."""
        self.untold = self.untold or value != self.value
        self.value = value
        if self.untold and not self.over:
            self.untold = False
            self.tell_value()


PROXIES: Mapping[str, type[Proxy]] = {
    "values": ValuesProxy,
    "gains": GainsProxy,
    "abt": ABTProxy,
    "awcs": AWCSProxy,
}
"""All proxies, by what algorithms name as theirs."""


def proxy_at(kind: str, knows: Knowledge, now: tuple[int, ...], memory: Memory | None) -> Proxy:
    """A proxy in its seat: at its first turn, or with what it remembers."""
    agent = PROXIES[kind]()
    agent.prepare()
    if memory is None:
        agent.sit_down(knows, now)
    else:
        agent.knows = knows
        agent.seat, agent.neighbors, agent.size = knows.seat, knows.neighbors, knows.size
        agent.recall(memory)
    return agent


def _plain(value: Any) -> Any:
    """A value as the state of an episode can hold it."""
    if isinstance(value, set):
        return ("set", sorted(value))
    if isinstance(value, dict) and any(isinstance(one, deque) for one in value.values()):
        return ("queues", {name: list(one) for name, one in value.items()})
    return deepcopy(value)


def _own(value: Any) -> Any:
    """A value that :func:`_plain` made, as a copy of its own."""
    if isinstance(value, tuple) and value[0] == "set":
        return set(value[1])
    if isinstance(value, tuple) and value[0] == "queues":
        return {name: deque(one) for name, one in value[1].items()}
    return deepcopy(value)
