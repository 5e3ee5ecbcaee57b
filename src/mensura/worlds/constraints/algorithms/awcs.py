"""Asynchronous weak-commitment search: priorities change, and nogoods are kept.

Yokoo ("Asynchronous weak-commitment search for solving distributed constraint satisfaction problems", 1995), as
remembered; how nogoods are learned is chosen: of all values above, as resolvents, or as resolvents of at most some
length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from mensura.worlds.constraints.agent_base.algorithm import (
    MOST_ROWS,
    Algorithm,
    Table,
    Values,
    nogoods_table,
    on,
    read,
    written,
)


class AWCS(Algorithm):
    """Asynchronous weak-commitment search with resolvents as nogoods: complete, as all are kept."""

    satisfaction_only = True
    proxy = "awcs"
    learning = "resolvent"

    def __init__(self, longest: float = 0) -> None:
        self.longest = int(longest)
        """Nogoods with more conditions are not kept; 0: all are."""

    def start(self) -> None:
        """Tell the first value."""
        self.priority = 0
        self.priorities: Values = {}
        self.linked = set(self.neighbors)
        self.nogoods: list[list[Values]] = [[] for _ in range(self.size)]
        """For each value, conditions under which it cannot be."""
        self.sent: Values | None = None
        self.fresh = self.over = False
        if self.knows.own[self.value] == math.inf and min(self.knows.own) < math.inf:
            self.value = self.knows.own.index(min(self.knows.own))
        self.tell_value()

    def tell_value(self) -> None:
        """Tell value and priority to all links."""
        self.send_all(sorted(self.linked), "ok?", self.value, self.priority)

    @on("ok?")
    def hear_value(self, sender: int, words: list[str]) -> None:
        """Somebody's value and priority."""
        self.view[sender], self.priorities[sender] = int(words[0]), int(words[1])
        self.linked.add(sender)
        self.fresh = True

    @on("nogood")
    def hear_nogood(self, sender: int, words: list[str]) -> None:
        """Keep it; ask those for their values whom it names and nobody did before."""
        nogood = read(words)
        self.count_nogood(nogood)
        value = nogood.pop(self.seat)
        if nogood not in self.nogoods[value] and not 0 < self.longest < len(nogood):
            self.nogoods[value].append(nogood)
            self.because("Agent {} says that value {} cannot be {}: that is kept.",
                         sender, value, nogood)  # fmt: skip
            for one in nogood:
                if one not in self.linked:
                    self.linked.add(one)
                    self.send(one, "add-link")
                    self.send(one, "ok?", self.value, self.priority)
        self.fresh = True

    @on("add-link")
    def link(self, sender: int, words: list[str]) -> None:
        """Tell somebody the value from now on."""
        self.linked.add(sender)
        self.send(sender, "ok?", self.value, self.priority)

    def finish_turn(self) -> None:
        """Look once at everything, where something is new."""
        if self.over or not (self.fresh or not self.linked):
            return
        self.fresh = False
        broken = [list(each) for each in self.broken()]
        higher = [[one for one in each if self.outranked(one)] for each in broken]
        if not higher[self.value]:
            return
        fine = [value for value in range(self.size) if not higher[value]]
        if fine:
            before = self.value
            self.value = min(fine, key=lambda value: len(broken[value]))
            self.because("Value {} breaks something with agents of higher priority; {} breaks nothing there, and "
                         "fewest with others: {}.", before, self.value, len(broken[self.value]))  # fmt: skip
        elif not self.backtrack(higher):
            return
        else:
            # A value that cannot be under any conditions is none to rise with.
            self.value = min(range(self.size), key=lambda at: ({} in broken[at], len(broken[at])))
        self.tell_value()

    def broken(self) -> Iterator[list[Values]]:
        """For each value, the conditions that hold and forbid it: of constraints, then of nogoods."""
        view = self.view
        found: list[list[Values]] = [[{}] if cost == math.inf else [] for cost in self.knows.own]
        for group in self.knows.groups:
            if all(one in view for one in group.others):
                why = {one: view[one] for one in group.others}
                for value in self.look_up_forbidden(group, view):
                    found[value].append(why)
        for value, nogoods in enumerate(self.nogoods):
            self.nogood_checks += len(nogoods)
            for why in nogoods:
                for one, at in why.items():
                    if view.get(one) != at:
                        break
                else:
                    found[value].append(why)
        yield from found

    def outranked(self, why: Values) -> bool:
        """Whether all who are named have a higher priority; ties by index."""
        return all((-self.priorities[one], one) < (-self.priority, self.seat) for one in why)

    def inside(self) -> list[Table]:
        """Values and priorities, and the nogoods that it keeps."""
        known = [(self.seat, self.value, self.priority)]
        known += [(one, value, self.priorities.get(one, 0)) for one, value in self.view.items()]
        view = Table(
            "values and priorities", ("agent", "value", "priority"), tuple(known[:MOST_ROWS])
        )
        kept = ((value, why) for value, nogoods in enumerate(self.nogoods) for why in nogoods)
        return [view, nogoods_table("nogoods", kept)]

    def backtrack(self, higher: list[list[Values]]) -> bool:
        """Tell all who are to blame what cannot be, and rise above them; not if that was just told."""
        nogood: Values = {}
        if self.learning == "view":
            above = {one: value for one, value in self.view.items() if self.outranked({one: value})}
            nogood = {} if all({} in each for each in higher) else above
        else:
            for each in higher:
                shortest: Values = min(each, key=len)
                nogood.update(shortest)
        if not nogood:
            self.over = True
            self.because("No value can be, whatever others have: there is no solution.")
            self.claim()
            return False
        if nogood == self.sent:
            self.because("No value breaks nothing higher, and that was just told: it waits.")
            return False
        self.sent = nogood
        self.send_all(sorted(nogood), "nogood", written(nogood))
        self.priority = 1 + max(self.priorities.values())
        self.because("Every value breaks something {}: all of them are told, and the priority rises to {}.",
                     nogood, self.priority)  # fmt: skip
        return True


class AWCSView(AWCS):
    """Asynchronous weak-commitment search whose nogoods are all values above."""

    learning = "view"
