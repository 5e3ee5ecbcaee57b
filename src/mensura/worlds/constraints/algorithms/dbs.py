"""DBS: distributed backtracking with sessions, which keeps no nogoods.

Monier, Piechowiak and Mandiau ("A complete algorithm for DisCSP: distributed backtracking with sessions", 2009), as
remembered and settled here: every choice of an agent has a number; whenever one above chooses anew, an agent opens a
session, in which all its values may be tried again. Where none is left it sends the numbers of all choices that it
knows of to the lowest of those above and waits. That one ignores it if any number is no longer so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from mensura.worlds.constraints.agent_base.algorithm import (
    MOST_ROWS,
    Algorithm,
    Table,
    Values,
    on,
    read,
    written,
)


class DBS(Algorithm):
    """Distributed backtracking with sessions: complete, no nogoods; a change above makes all values open again."""

    satisfaction_only = True

    def start(self) -> None:
        """Choose, and tell it."""
        self.rank = self.knows.rank
        mine = self.rank(self.seat)
        self.above = {one for one in self.neighbors if self.rank(one) < mine}
        """Those who tell their choices."""
        self.below = {one for one in self.neighbors if self.rank(one) > mine}
        self.numbers: Values = {}
        """Of the choices of those above, as far as they are known."""
        self.number = 0
        self.over = self.waits = self.owes = False
        """Owes: somebody below waits for another choice, or for the same once more."""
        self.open_session()

    def open_session(self) -> None:
        """All values may be tried again."""
        self.news = self.waits = False
        self.tried: list[int] = []
        """The values that were taken in this session."""
        self.because("A choice above is new: a session opens, in which all values may be tried again."
                     if self.number else "The first session opens.")  # fmt: skip
        self.options = self.possible()
        self.choose()

    def possible(self) -> Iterator[Any]:
        """The values that constraints with those above allow, the present one first."""
        forbidden = {value for value, cost in enumerate(self.knows.own) if cost == math.inf}
        for group in self.knows.groups:
            if all(one in self.above and one in self.view for one in group.others):
                forbidden.update(self.look_up_forbidden(group, self.view))
        values = sorted(range(self.size), key=lambda value: value != self.value)
        self.allowed = [value for value in values if value not in forbidden]
        return iter(self.allowed)

    def inside(self) -> list[Table]:
        """The view, the numbers of choices, and what this session has tried and has left."""
        chosen = [(self.seat, self.number), *self.numbers.items()]
        return [
            *super().inside(),
            Table("choices", ("agent", "number of its choice"), tuple(chosen[:MOST_ROWS])),
            *self.session_tables(),
        ]

    def session_tables(self) -> list[Table]:
        """What became of each own value."""
        rows = []
        for value in range(min(self.size, MOST_ROWS)):
            state = "to be tried" if value in self.allowed else "forbidden by those above"
            if value in self.tried:
                state = "tried" if self.waits or value != self.tried[-1] else "taken"
            rows.append((value, state))
        return [Table("own values in this session", ("value", "state"), tuple(rows))]

    def choose(self) -> None:
        """Take the next value that is left; where none is, say so to the lowest above, and wait."""
        option = next(self.options, None)
        if option is not None:
            self.take(option)
            self.tried.append(self.value)
        elif self.numbers:
            self.waits = True
            lowest = max(self.numbers, key=self.rank)
            self.because(
                "No value is left in this session: agent {}, the lowest above, is told.", lowest
            )
            self.send(lowest, "back", written(self.numbers))
        else:
            self.over = True
            self.because("No value is left, and nobody is above: there is no solution.")
            self.claim()

    def take(self, option: Any) -> None:
        """Take a value; tell it if it is another, or if somebody waits to hear of it."""
        if option == self.value and not self.owes and self.number:
            self.because("Value {} is still allowed by those above: it is kept.", option)
        else:
            self.because("It takes the next value that those above allow, {}.", option)
            self.value = option
            self.number += 1
            self.owes = False
            self.tell_choice(*sorted(self.below))

    def tell_choice(self, *others: int) -> None:
        """Tell the choice and its number."""
        self.send_all(others, "ok?", self.number, self.value)

    @on("ok?")
    def hear_choice(self, sender: int, words: list[str]) -> None:
        """Somebody above chose."""
        self.view[sender] = int(words[1])
        self.note(sender, int(words[0]))

    def note(self, agent: int, number: int) -> None:
        """A choice that is new opens a session."""
        self.above.add(agent)
        if number > self.numbers.get(agent, 0):
            self.numbers[agent] = number
            self.news = True

    @on("back")
    def hear_back(self, sender: int, words: list[str]) -> None:
        """Nothing is possible below with these choices: if all are still so, choose the next."""
        numbers = read(words)
        if numbers.pop(self.seat) != self.number or self.over:
            self.obsolete += 1
            self.because("Agent {} has no value left with a choice that was given up since: that is obsolete.",
                         sender)  # fmt: skip
            return
        self.owes = True
        if self.waits or any(
            self.numbers.get(o) != n for o, n in numbers.items() if o in self.above
        ):
            self.obsolete += 1
            self.because("Agent {} has no value left with choices above that are no longer so: that is obsolete.",
                         sender)  # fmt: skip
            return
        self.because(
            "Agent {} has no value left with the present choices: the next value is tried.", sender
        )
        self.learned_nogoods += 1
        for one in numbers:
            if one not in self.above:
                self.above.add(one)
                self.send(one, "add-link")
        self.numbers.update(numbers)
        if not self.news:
            self.choose()

    @on("add-link")
    def link(self, sender: int, words: list[str]) -> None:
        """Somebody below depends on the choice: tell it from now on."""
        self.because("Agent {} depends on the choice, and is told it from now on.", sender)
        self.below.add(sender)
        self.tell_choice(sender)

    def finish_turn(self) -> None:
        """Open a session where somebody above chose anew."""
        if self.news and not self.over:
            self.open_session()
