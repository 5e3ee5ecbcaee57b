"""AAS: asynchronous aggregation search, in which whole sets of values are proposed at once.

Silaghi, Sam-Haroud and Faltings ("Asynchronous search with aggregations", 2000), as remembered and settled here.
Agents own constraints, each the lowest of its members, and propose a Cartesian product: a set of values for each
variable of these constraints, in which every combination is allowed. A set has a signature: the number of the choice
of each agent that narrowed it, from the highest down, by which agents know which of two is newer. What cannot be is
told as the numbers of choices, as in DBS here, and not as nogoods. Whoever narrows a variable tells its owner, which
takes the first value of the newest set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from mensura.worlds.constraints.agent_base.algorithm import MOST_ROWS, Table, Values, on
from mensura.worlds.constraints.agent_base.knowledge import Group
from mensura.worlds.constraints.algorithms.dbs import DBS

Signature = tuple[tuple[int, int], ...]
"""Agents with the numbers of their choices, from the highest down."""
Box = dict[int, tuple[int, ...]]
"""A set of values for each of several variables; of a variable, the number of its agent."""


class AAS(DBS):
    """Asynchronous search with aggregations: complete; agents own constraints and propose sets of values."""

    def start(self) -> None:
        """Nothing was proposed yet."""
        self.proposals: dict[int, dict[int, tuple[Signature, tuple[int, ...]]]] = {}
        """The last that each agent above proposed, by variable."""
        self.sets: dict[int, tuple[Signature, tuple[int, ...]]] = {}
        """The newest set of each variable above."""
        self.box: Box = {}
        self.picked: Signature = ()
        super().start()

    def age(self, signature: Signature) -> tuple[tuple[int, int], ...]:
        """What is larger for newer ones: larger numbers, and narrowed by more of the highest."""
        return tuple((-self.rank(agent), number) for agent, number in signature)

    def possible(self) -> Iterator[Box]:
        """Products of the newest sets above and own values, in which all is allowed; no two overlap."""
        self.sets = {}
        for proposal in self.proposals.values():
            for one, (signature, values) in proposal.items():
                now = self.sets.get(one, ((), ()))[0]
                if one in self.neighbors and self.age(signature) > self.age(now):
                    self.sets[one] = signature, values
        groups = [g for g in self.knows.groups if self.sets.keys() >= set(g.others)]
        single = [
            one for one in self.sets if any(g.others != (one,) and one in g.others for g in groups)
        ]
        for fixed in product(*(self.sets[one][1] for one in single)):
            sets: Box = {one: values for one, (_, values) in self.sets.items()}
            sets |= {one: (value,) for one, value in zip(single, fixed, strict=True)}
            yield from self.boxes(sets)

    def boxes(self, sets: Box) -> Iterator[Box]:
        """Those within some sets, where variables of constraints of more than two have one value each."""
        own = [value for value in range(self.size) if self.knows.own[value] < math.inf]
        allowed: dict[int, Box] = {value: dict(sets) for value in own}
        for group in self.knows.groups:
            if sets.keys() >= set(group.others):
                self.narrow(group, sets, allowed)
        merged: dict[tuple[tuple[int, ...], ...], list[int]] = {}
        for value, box in allowed.items():
            if all(box.values()):
                merged.setdefault(tuple(box.values()), []).append(value)
        for parts, values in merged.items():
            yield {**dict(zip(sets, parts, strict=True)), self.seat: tuple(values)}

    def narrow(self, group: Group, sets: Box, allowed: dict[int, Box]) -> None:
        """Take out of the sets for each own value what a constraint forbids."""
        first = group.others[0]
        for others in product(*(sets[one] for one in group.others)):
            values = dict(zip(group.others, others, strict=True))
            for value in self.look_up_forbidden(group, values):
                if value in allowed:
                    left = allowed[value][first]
                    allowed[value][first] = tuple(one for one in left if one != values[first])

    def session_tables(self) -> list[Table]:
        """The newest sets above, and the product that is proposed."""
        above = [
            (one, named(values), signed(signature))
            for one, (signature, values) in self.sets.items()
        ]
        mine = [(one, named(values)) for one, values in self.box.items()]
        return [
            Table(
                "newest sets above",
                ("variable of agent", "values", "signature"),
                tuple(above[:MOST_ROWS]),
            ),
            Table("proposed", ("variable of agent", "values"), tuple(mine[:MOST_ROWS])),
            Table("products tried in this session", ("how many",), ((len(self.tried),),)),
        ]

    def take(self, option: Box) -> None:
        """Propose a product: to all below, and to the owners of its variables."""
        self.box, self.owes = option, False
        self.because("It proposes the next product in which everything is allowed, with {} here.",
                     named(option[self.seat]))  # fmt: skip
        self.number += 1
        self.picked, self.value = (), option[self.seat][0]
        self.tell_choice(*sorted(self.below))
        for one in self.sets:
            self.send(one, "pick", self.word(one))

    def word(self, one: int) -> str:
        """The set of a variable and its signature, as a word of a letter."""
        signature = (*(self.sets[one][0] if one in self.sets else ()), (self.seat, self.number))
        return f"#{one}/{','.join(map(str, self.box[one]))}/{signed(signature)}"

    def tell_choice(self, *others: int) -> None:
        """Tell the proposal and its number, and who else has constraints with the own variable."""
        mine = self.rank(self.seat)
        lower = [f"#{one}" for one in self.neighbors if self.rank(one) > mine]
        self.send_all(others, "ok?", self.number, *map(self.word, self.box), *lower)

    @on("ok?")
    def hear_choice(self, sender: int, words: list[str]) -> None:
        """Somebody above proposed; those who share its variable are to hear how it is narrowed."""
        sets = [parsed(word) for word in words[1:] if "/" in word]
        self.proposals[sender] = {one: (signature, values) for one, values, signature in sets}
        mine = self.rank(self.seat)
        if sender in self.neighbors:
            named = {int(word[1:]) for word in words[1:] if "/" not in word}
            self.below |= {one for one in named if self.rank(one) > mine}
        self.note(sender, int(words[0]))

    @on("pick")
    def hear_pick(self, sender: int, words: list[str]) -> None:
        """Somebody below narrowed the own variable."""
        _, values, signature = parsed(words[0])
        if signature[0] == (self.seat, self.number) and self.age(signature) > self.age(self.picked):
            self.picked, self.value = signature, values[0]
            self.because("Agent {} narrowed the own variable to {}: the first of them is taken.", sender,
                         named(values))  # fmt: skip
        else:
            self.obsolete += 1
            self.because("Agent {} narrowed an older proposal: that is obsolete.", sender)


def signed(signature: Signature) -> str:
    """A signature as text: agents with the numbers of their choices."""
    return ",".join(f"{agent}:{number}" for agent, number in signature)


def named(values: tuple[int, ...]) -> str:
    """A set of values, to be shown."""
    return ", ".join(map(str, values))


def parsed(word: str) -> tuple[int, tuple[int, ...], Signature]:
    """A variable, its set and the signature from a word of a letter."""
    name, values, signature = word[1:].split("/")
    numbers: Values = {}
    for pair in signature.split(","):
        agent, _, number = pair.partition(":")
        numbers[int(agent)] = int(number)
    return int(name), tuple(map(int, values.split(","))), tuple(numbers.items())
