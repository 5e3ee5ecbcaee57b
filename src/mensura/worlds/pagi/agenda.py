"""What the seats of an environment are about: who decided what, from when on it is done, and what it brought."""

from __future__ import annotations

from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.numbers import is_number
from mensura.worlds.pagi.contract import STEP, STEPS

MOST_THOUGHT = 60.0
"""Seconds that one thought may take in the time of the world."""
_BY_SEAT = ("due", "effect", "left", "action", "current", "fresh")
_SUMS = ("owed", "before", "paid")


class Agenda:
    """By seat, with times in physics steps; as an episode begins."""

    def __init__(self, seats: int, triggers: int) -> None:
        self.due = [0] * seats
        """When each is asked again."""
        self.effect = [-1] * seats
        """When each begins with what it has decided; -1: it has."""
        self.left = [0] * seats
        """For how many steps it goes on with what it does."""
        self.action: list[Any] = [None] * seats
        """What each seat has decided, and does not do yet."""
        self.current: list[Any] = [None] * seats
        """What each seat does now."""
        self.fresh = [False] * seats
        """Whether it has not begun with it."""
        self.owed = [0.0] * seats
        """Rewards since it acted last."""
        self.acted = [0] * seats
        self.before = [0.0] * seats
        """Its endorphins when it acted last."""
        self.paid = [0.0] * seats
        """The endorphins that rewards have taken into account."""
        self.heard: list[list[list[Any]]] = [[] for _ in range(seats)]
        """Who said what since it acted last."""
        self.texts = [""] * seats
        """Its last answers and notifications, where it acts by commands."""
        self.fired = [False] * triggers
        self.solved_at = self.failed_at = self.held_since = -1

    def to_plain(self) -> dict[str, Any]:
        """All of it, for snapshots."""
        lists = (*_BY_SEAT, *_SUMS, "acted", "texts", "fired")
        return {
            **{name: list(getattr(self, name)) for name in lists},
            "heard": [list(one) for one in self.heard],
            "marks": [self.solved_at, self.failed_at, self.held_since],
        }

    def read(self, plain: Any, now: int, last: int) -> None:
        """Take over what :meth:`to_plain` gave; MensuraError where it cannot be. Actions are not looked at."""
        count, latest = len(self.due), now + round(MOST_THOUGHT / STEP)
        whole = {
            "due": (0, latest),
            "effect": (-1, latest),
            "left": (0, STEPS),
            "acted": (0, last),
        }
        for name, (least, most) in whole.items():
            values = numbers(plain[name], count)
            if any(type(one) is not int or not least <= one <= most for one in values):
                raise MensuraError(f"{name} is none")
            setattr(self, name, list(values))
        for name in _SUMS:
            setattr(self, name, [float(one) for one in numbers(plain[name], count)])
        by_seat = [plain[name] for name in ("texts", "heard", "action", "current", "fresh")]
        if any(len(one) != count for one in by_seat) or len(plain["fired"]) != len(self.fired):
            raise MensuraError("it has other seats")
        marks = numbers(plain["marks"], 3)
        if any(type(one) is not int or not -1 <= one <= now for one in marks):
            raise MensuraError("its end is none")
        if not all(type(one) is bool for one in (*plain["fired"], *plain["fresh"])):
            raise MensuraError("something is neither true nor false")
        if not all(type(one) is str for one in plain["texts"]):
            raise MensuraError("its texts are none")
        for one in plain["heard"]:
            for speaker, text in one:
                if type(speaker) is not int or not -1 <= speaker < count or type(text) is not str:
                    raise MensuraError("what was said is none")
        self.heard = [[list(pair) for pair in one] for one in plain["heard"]]
        for name in ("texts", "action", "current", "fresh", "fired"):
            setattr(self, name, list(plain[name]))
        self.solved_at, self.failed_at, self.held_since = marks


def numbers(values: Any, count: int) -> list[Any]:
    """So many finite numbers; MensuraError where they are none."""
    if type(values) is not list or len(values) != count:
        raise MensuraError("a list has another length")
    for one in values:
        if not is_number(one) or abs(one) > 1e9:
            raise MensuraError("a number is none")
    return values
