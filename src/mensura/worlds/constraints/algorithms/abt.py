"""Asynchronous backtracking: all agents have values at once, nogoods travel up a static order.

Yokoo, Durfee, Ishida and Kuwabara (1998), with one nogood for each removed value, as Bessiere, Maestre, Brito and
Meseguer ("Asynchronous backtracking without adding links", 2005) have it, as remembered. Of their variants, links to
agents that only nogoods name are kept, dropped after some letters, or never made, which is DisDB.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mensura.worlds.constraints.agent_base.algorithm import (
    Algorithm,
    Table,
    Values,
    nogoods_table,
    on,
    read,
    written,
)


class ABT(Algorithm):
    """Asynchronous backtracking: complete; links that nogoods make necessary are added and kept."""

    satisfaction_only = True
    proxy = "abt"
    links = "added"
    keep = 0
    """After so many letters a temporary link is dropped."""

    def start(self) -> None:
        """Values of their own that are forbidden stay removed; tell the first value."""
        self.removed: dict[int, Values] = {
            value: {} for value, cost in enumerate(self.knows.own) if cost == math.inf
        }
        """Why each removed value is: the values of higher agents that forbid it."""
        self.changed = self.over = False
        self.news = True
        self.arrange()
        self.choose()
        self.tell_value()

    def arrange(self) -> None:
        """Find who is above and who is below, and which constraints are its own to check."""
        self.rank: Callable[[int], int] = self.knows.rank
        mine = self.rank(self.seat)
        self.above = {one for one in self.neighbors if self.rank(one) < mine}
        """Those whose values it is told."""
        self.below = {one: -1 for one in self.neighbors if self.rank(one) > mine}
        """Those whom it tells, with the letters left; -1: always."""
        self.groups = [
            group
            for group in self.knows.groups
            if all(self.rank(one) < mine for one in group.others)
        ]

    def tell_value(self) -> None:
        """Tell it to everybody below."""
        self.changed = False
        if self.links != "temporary":
            self.send_all(self.below, "ok?", self.value)
            return
        for one, left in list(self.below.items()):
            if left == 1:
                self.send(one, "ok?", self.value, "last")
                del self.below[one]
            else:
                self.send(one, "ok?", self.value)
                self.below[one] = left - 1 if left > 0 else left

    @on("ok?")
    def hear_value(self, sender: int, words: list[str]) -> None:
        """Somebody above has another value."""
        self.learn(sender, int(words[0]))
        if len(words) > 1:
            self.above.discard(sender)

    def learn(self, agent: int, value: int) -> None:
        """Take a value into the view; whatever it contradicts is forgotten."""
        if self.view.get(agent) != value:
            self.view[agent] = value
            self.news = True
            removed = self.removed
            if removed:
                self.nogood_checks += len(removed)
                for one in [one for one, why in removed.items() if why.get(agent, value) != value]:
                    del removed[one]

    def drop(self, obsolete: Callable[[Values], bool]) -> None:
        """Forget the nogoods that are obsolete."""
        self.nogood_checks += len(self.removed)
        self.removed = {one: why for one, why in self.removed.items() if not obsolete(why)}

    @on("nogood")
    def hear_nogood(self, sender: int, words: list[str]) -> None:
        """Accept it if it is still so: remove the value; else say once more what the value is."""
        nogood = read(words)
        self.count_nogood(nogood)
        self.nogood_checks += 1
        value = nogood.pop(self.seat)
        known = all(self.view.get(one, at) == at for one, at in nogood.items() if one in self.above)
        if value == self.value and known and not self.over:
            for one, at in nogood.items():
                self.learn(one, at)  # of those whose value nobody tells, a nogood knows best
                if one not in self.above and self.links != "none":
                    self.above.add(one)
                    self.send(one, "add-link")
            self.removed[value] = nogood
            self.because("Agent {} says that value {} cannot be {}: it is removed.",
                         sender, value, nogood)  # fmt: skip
            self.changed = True  # even if it comes back to this value: the sender waits to hear it
            self.choose()
        else:
            self.obsolete += 1
            self.because(
                "The nogood of agent {} is obsolete: the values that it names are no longer so.",
                sender,
            )
            if value == self.value and sender in self.below:
                self.send(sender, "ok?", self.value)

    @on("add-link")
    def link(self, sender: int, words: list[str]) -> None:
        """Somebody below depends on the value: tell it from now on."""
        self.because(
            "Agent {} depends on the value by a nogood, and is told it from now on.", sender
        )
        if self.below.get(sender, 0) >= 0:
            self.below[sender] = self.keep or -1
        self.send(sender, "ok?", self.value)

    def finish_turn(self) -> None:
        """Choose a value that nothing above forbids, and tell it if it is another."""
        if self.news:
            self.choose()
        if self.changed:
            self.tell_value()

    def choose(self) -> None:
        """Keep the value or take the first that is left; where none is, backtrack and choose again."""
        self.news = False
        while not self.over:
            self.check_constraints()
            if self.value not in self.removed:
                return
            left = [one for one in range(self.size) if one not in self.removed]
            if left:
                self.because("Value {} cannot be {}: value {} is the first that is left.", self.value,
                             self.removed[self.value], left[0])  # fmt: skip
                self.value, self.changed = left[0], True
                return
            self.backtrack()

    def check_constraints(self) -> None:
        """Remove the values that constraints with agents above forbid."""
        view, removed = self.view, self.removed
        size = self.size
        for group in self.groups:
            told = group.told_by(view)
            if told is None or len(removed) == size:
                continue
            self.checks += group.checks * size
            for value in group.forbidden(told):
                if value not in removed:
                    removed[value] = dict(zip(group.others, told, strict=True))

    def inside(self) -> list[Table]:
        """The view, and why values are removed."""
        links = Table("links", ("to", "agents"), (
            ("above", ", ".join(map(str, sorted(self.above)))), ("below", ", ".join(map(str, sorted(self.below)))),
        ))  # fmt: skip
        return [*super().inside(), nogoods_table("removed values", self.removed.items()), links]

    def backtrack(self) -> None:
        """Tell the lowest of those to blame what cannot be, and forget its value until it answers."""
        nogood: Values = {}
        for why in self.removed.values():
            nogood.update(why)
        if not nogood:
            self.over = True
            self.because("No value is left, whatever others have: there is no solution.")
            self.claim()
            return
        culprit = max(nogood, key=self.rank)
        self.because(
            "No value is left {}: agent {}, the lowest of them, is told.",
            nogood,
            culprit,
        )
        self.send(culprit, "nogood", written(nogood))
        strangers = {one for one in nogood if one not in self.above} | {culprit}
        for one in strangers:
            self.view.pop(one, None)
        self.drop(lambda why: not strangers.isdisjoint(why))


class ABTTemporary(ABT):
    """Asynchronous backtracking whose added links are dropped after some letters."""

    links = "temporary"

    def __init__(self, keep: float = 3) -> None:
        self.keep = int(keep)


class DisDB(ABT):
    """Distributed dynamic backtracking: asynchronous backtracking that adds no links."""

    links = "none"
