"""ABT-DO: asynchronous backtracking whose order changes while it runs.

Zivan and Meisels ("Dynamic ordering for asynchronous backtracking on DisCSPs", 2006), as remembered, with their
heuristic that is triggered by nogoods: whoever takes one moves its sender up to the place after its own. An order
carries a counter for each place, and of two orders the one with lexicographically larger counters is newer. Two
departures: values are told to all neighbors, above and below, so that nobody has to ask anew when an order changes;
and before anything else all agents are named from neighbor to neighbor in the static order, so that everybody can
write to everybody.
"""

from __future__ import annotations

from mensura.worlds.constraints.agent_base.algorithm import on, read
from mensura.worlds.constraints.algorithms.abt import ABT

BAR = "|"


class ABTDO(ABT):
    """Asynchronous backtracking with dynamic ordering: complete; who sends a nogood moves up."""

    proxy = ""

    def start(self) -> None:
        """Begin with the static order, and name everybody to those before and after."""
        knows = self.knows
        self.order = sorted(range(knows.agents), key=knows.rank)
        self.counters = [0] * knows.agents
        self.acquainted = False
        """Whether it may write to everybody."""
        for one in (knows.before, knows.after):
            if one is not None:
                self.send(one, "everybody", *(f"#{other}" for other in self.order))
        super().start()

    def arrange(self) -> None:
        """All neighbors are told values and tell theirs; who is above depends on the order."""
        self.above = set(self.neighbors)
        self.below = dict.fromkeys(self.neighbors, -1)
        self.take_order()

    @on("everybody")
    def meet(self, sender: int, words: list[str]) -> None:
        """All agents are named, and may be written to."""
        self.acquainted = True

    def take_order(self) -> None:
        """Find who is above; forget nogoods that name others, and check the constraints that are now its own."""
        places = {one: at for at, one in enumerate(self.order)}
        self.rank = places.__getitem__
        mine = places[self.seat]
        self.groups = [
            group for group in self.knows.groups if all(places[one] < mine for one in group.others)
        ]
        self.drop(lambda why: any(places[one] > mine for one in why))
        self.news = True

    @on("order")
    def hear_order(self, sender: int, words: list[str]) -> None:
        """Another order, maybe newer."""
        bar = words.index(BAR)
        counters = list(map(int, words[bar + 1 :]))
        self.acquainted = True
        if counters > self.counters:
            self.order, self.counters = [int(word[1:]) for word in words[:bar]], counters
            self.take_order()
        else:
            self.obsolete += 1

    @on("nogood")
    def hear_nogood(self, sender: int, words: list[str]) -> None:
        """Take it if all whom it names are above; then let its sender follow at once."""
        nogood = read(words)
        if max(nogood, key=self.rank) != self.seat:
            self.obsolete += 1
            self.count_nogood(nogood)
            if nogood[self.seat] == self.value and sender in self.below:
                self.send(sender, "ok?", self.value)
            return
        before = self.obsolete
        super().hear_nogood(sender, words)
        if self.obsolete == before and self.acquainted and not self.over:
            self.move_up(sender)

    def move_up(self, sender: int) -> None:
        """Put an agent from below into the place after the own, and tell all who are below."""
        mine = self.rank(self.seat)
        if self.rank(sender) <= mine + 1:
            return
        rest = [one for one in self.order[mine + 1 :] if one != sender]
        self.order = [*self.order[: mine + 1], sender, *rest]
        self.counters[mine:] = [self.counters[mine] + 1, *[0] * (len(rest) + 1)]
        self.take_order()
        names = [f"#{one}" for one in self.order]
        self.send_all([sender, *rest], "order", *names, BAR, *self.counters)
