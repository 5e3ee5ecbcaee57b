"""Termination detection: whether all hosts are idle and no letter is on its way, found out without stopping anybody.

Safra's algorithm as Dijkstra tells it ("Shmuel Safra's version of termination detection", EWD 998, 1987), as
remembered. A token goes round the hosts, and each passes it on only while it is idle. It adds up letters sent minus
letters received; who received one since the token last came makes it black. Where a token comes back white to a white
first host, and the sum is 0, all is quiet.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Token(NamedTuple):
    """What goes round."""

    balance: int
    """Letters sent minus letters received, of those that it has passed."""
    black: bool
    """Whether one of them received a letter, so that the sum may be of different moments."""


class Detector:
    """What one host keeps."""

    def __init__(self, index: int) -> None:
        self.first = index == 0
        self.balance = 0
        self.black = False
        self.probes = 0
        """How often the token went round, as the first host knows."""
        self._token: Token | None = Token(0, True) if self.first else None

    def sent(self) -> None:
        """A letter leaves for another host."""
        self.balance += 1

    def received(self) -> None:
        """A letter came from another host."""
        self.balance -= 1
        self.black = True

    def take(self, token: Token) -> None:
        """The token has come."""
        self._token = token

    def pass_on(self, idle: bool) -> Token | Literal["quiet"] | None:
        """The token for the next host; quiet: all is; None: the token is elsewhere, or this host is not idle."""
        token = self._token
        if token is None or not idle:
            return None
        black = token.black or self.black
        if self.first:
            if not black and token.balance + self.balance == 0:
                return "quiet"
            self.probes += 1
            passed = Token(0, False)
        else:
            passed = Token(token.balance + self.balance, black)
        self._token, self.black = None, False
        return passed
