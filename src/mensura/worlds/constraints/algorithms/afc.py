"""Asynchronous forward checking: synchronous backtracking whose token is checked ahead.

Meisels and Zivan ("Asynchronous forward checking for DisCSPs", 2007), as remembered, with two departures: copies go
to lower neighbors alone, and who finds no value left tells the agent that sent the copy, which takes its next value
at once. Tokens that this makes obsolete are known by their counters of steps, of which the lexicographically larger
are newer.
"""

from __future__ import annotations

from mensura.worlds.constraints.agent_base.algorithm import Table, on, read, written
from mensura.worlds.constraints.algorithms.backtracking import Token

Steps = list[int]
BAR = "|"


def numbers(steps: Steps) -> str:
    """Counters of steps, to be shown."""
    return " ".join(map(str, steps)) or "none"


class AFC(Token):
    """Asynchronous forward checking: complete, a token and copies of it that look ahead."""

    satisfaction_only = True

    def start(self) -> None:
        """No step was made yet."""
        self.steps: Steps = []
        """Of those before, and the own, for the present assignment."""
        self.newest: Steps = []
        self.count = 0
        mine = self.knows.rank(self.seat)
        self.ahead = [
            one for one in self.neighbors if self.knows.rank(one) > mine and one != self.knows.after
        ]
        super().start()

    def inside(self) -> list[Table]:
        """The steps by which it knows what is old, too."""
        rows = (
            ("of the present assignment", numbers(self.steps)),
            ("newest known", numbers(self.newest)),
        )
        return [
            *super().inside(),
            Table("steps", ("which", "counters in the order of agents"), rows),
        ]

    def is_old(self, steps: Steps) -> bool:
        """Whether something newer is known."""
        for one, other in zip(steps, self.newest, strict=False):
            if one != other:
                return one < other
        return False

    def note(self, steps: Steps) -> bool:
        """Take note of steps; whether they are not old."""
        if self.is_old(steps):
            self.obsolete += 1
            self.because("What came is obsolete: somebody before has taken another value since.")
            return False
        if len(steps) > len(self.newest) or steps != self.newest[: len(steps)]:
            self.newest = steps
        return True

    def go_on(self) -> None:
        """Pass the token on with the next value that fits, and copies of it; or give it back."""
        before = self.steps[: self.knows.rank(self.seat)]
        for value in range(self.tried + 1, self.size):
            if self.prices[value] == 0.0:
                self.tried = self.value = value
                self.because("Value {} is the next that fits those before.", value)
                self.count += 1
                self.steps = self.newest = [*before, self.count]
                words = (written({**self.view, self.seat: value}), BAR, *self.steps)
                if self.knows.after is not None:
                    self.send(self.knows.after, "token", *words)
                self.send_all(self.ahead, "copy", *words)
                return
        self.tried = self.size
        self.steps = before
        self.because("No value is left with those before.")
        if self.knows.before is None:
            self.claim()
        else:
            self.send(self.knows.before, "back", *before)

    @on("token")
    def forward(self, sender: int, words: list[str]) -> None:
        """The token comes, with values and steps of all before."""
        bar = words.index(BAR)
        steps = list(map(int, words[bar + 1 :]))
        if self.note(steps):
            self.steps = steps
            self.because(
                "The token has come from agent {}: all own values may be tried again.", sender
            )
            self.receive(read(words[:bar]))
            self.go_on()

    @on("copy")
    def look_ahead(self, sender: int, words: list[str]) -> None:
        """Say so if no value would be left."""
        bar = words.index(BAR)
        steps = list(map(int, words[bar + 1 :]))
        if not self.note(steps):
            return
        prices = self.prices_with(read(words[:bar]))
        if min(prices) > 0.0:
            self.because(
                "With the values that agent {} passed on, no own value would be left: it is told.",
                sender,
            )
            self.send(sender, "not-ok", *steps)
        else:
            self.because("With the values that agent {} passed on, {} own values would be left.", sender,
                         prices.count(0.0))  # fmt: skip

    @on("back")
    def backward(self, sender: int, words: list[str]) -> None:
        """Those behind have no value left, or somebody ahead would have none."""
        if list(map(int, words)) == self.steps and not self.is_old(self.steps):
            self.count_refusal(sender)
            self.go_on()
        else:
            self.obsolete += 1
            self.because(
                "What agent {} says is obsolete: it is about a value that was given up before.",
                sender,
            )

    def count_refusal(self, sender: int) -> None:
        """Others say that the values so far cannot be."""
        self.because("Agent {} finds that value {} leads nowhere.", sender, self.value)
        self.count_nogood({**self.view, self.seat: self.value})

    @on("not-ok")
    def reconsider(self, sender: int, words: list[str]) -> None:
        """Somebody ahead would have no value."""
        self.backward(sender, words)
