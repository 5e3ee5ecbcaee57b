"""An open floor: whoever speaks first is heard, while others still think. For environments that ask for it.

In most environments the loop waits for all seats that are due, and steps once with all of their actions. In a
conversation it does not: asks stay open, and the environment goes on with whichever answer came. Time is the
environment's own, in seconds: an answer comes as long after its ask as its seat took over it, where answers are
journaled, and at once where they are not and follow from keys. In between, the environment may have events of its own,
as a message that is delivered. Whoever is asked again sees what is new by then.

An answer is an action, or ``{"later": t}``: nothing now, ask again in t seconds or when somebody speaks; without a
number, only when somebody speaks. So a simple program needs no threads. Answers are journaled as they are asked for and
with the seconds that they took, from which the order of arrival follows: a game is made again from its journal.

People, and whoever else takes real time, answer ``{"open": true}``: the ask stays open. From then on the floor is live:
before time goes on it asks its driver to ``wait`` until the next thing would happen, and is answered with nothing, once
that moment has come, or with what somebody did before it: :func:`arrival`. What came and when is in the journal, in the
order in which it came, so that such a game, too, is a function of its journal.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import answer_from_plain
from mensura.core.abilities import is_silence
from mensura.core.contract import Turn

if TYPE_CHECKING:
    from mensura.core.loop import _Course

LATER = "later"
OPEN = {"open": True}
"""The answer that keeps an ask open."""
NOBODY = -1
"""The seat of asks to wait, which are nobody's."""
SOONEST = 0.25
"""Nobody speaks, or is asked again, sooner than so many seconds after the last time, so that time goes on."""


def is_later(value: Any) -> bool:
    """Whether an answer says: nothing now."""
    if not isinstance(value, dict) or set(value) != {LATER}:
        return False
    wait = value[LATER]
    if wait is None:
        return True
    return isinstance(wait, int | float) and not isinstance(wait, bool) and 0.0 <= wait < math.inf


def is_open(value: Any) -> bool:
    """Whether an answer says: not yet."""
    return isinstance(value, dict) and value == OPEN


def arrival(seat: int, action: Any, fault: tuple[str, str] | None = None) -> dict[str, Any]:
    """What somebody did, as an answer to an ask to wait; when they did it is the answer's ``at``."""
    return {"seat": seat, "action": action} | ({"fault": list(fault)} if fault else {})


def converse(course: _Course, turn: Turn) -> Generator[list[Ask], list[Answer], Turn]:
    """Ask whoever may speak and is not thinking; play answers and the environment's own events in order of time."""
    if course.seconds is not None:
        raise MensuraError(
            "A conversation has a time of its own, so that a slot of seconds does not fit; leave it out."
        )
    floor = _Floor(course, turn)
    while floor.turn.ended is None and course.left:
        asks = floor.asks()
        if asks:
            answers = yield asks
            course.questions += len(asks)
            for ask, answer in zip(asks, answers, strict=True):
                floor.hear(ask.seat, answer)
            if course.limits.seconds_per_episode is not None:
                course._end_of_time()
        if floor.live:
            (came,) = yield [Ask("wait", NOBODY, deadline=floor.next_at())]
            if came.value is not None:
                floor.arrive(came)
                continue
        floor.go_on()
    return floor.turn


class _Floor:
    """Who thinks, who waits, and what time it is."""

    def __init__(self, course: _Course, turn: Turn) -> None:
        self.course = course
        self.environment: Any = course.environment
        self.turn = turn
        self.now = 0.0
        self.coming: dict[int, tuple[float, int, Answer, bool, int]] = {}
        """Answers by seat: when each comes, in which order they were asked for, whether it was legal then, and how much
        had happened by then."""
        self._happened = 0
        self.waiting: dict[int, float] = {}
        """When a seat wants to be asked again."""
        self.spoke: dict[int, float] = {}
        """When a seat spoke last."""
        self.open: dict[int, float] = {}
        """Since when an ask is open, by seat."""
        self.live = False
        """Whether somebody takes real time, so that time must not run ahead of it."""
        self._order = 0

    def asks(self) -> list[Ask]:
        """The seats that may speak now, and neither think nor wait; who is not asked any more is silent."""
        asks = []
        for seat, observation, reward in zip(
            self.turn.due, self.turn.observations, self.turn.shown_rewards, strict=True
        ):
            if seat in self.coming or seat in self.waiting or seat in self.open:
                continue
            if self.course._is_asked(seat):
                patience = self.course._patience(seat)
                asks.append(Ask("act", seat, observation, reward, None, patience))
            else:
                self.waiting[seat] = math.inf
        return asks

    def hear(self, seat: int, answer: Answer) -> None:
        """An answer was given; it comes when its seat had thought so long."""
        course = self.course
        course.spent[seat] += answer.seconds
        # What is not journaled is played again from keys alone, and must not depend on how busy the machine was.
        comes = self.now + (0.0 if answer.at is None else answer.seconds)
        if answer.fault is None and is_open(answer.value):
            self.open[seat] = self.now
            self.live = True
            return
        if answer.fault is None and is_later(answer.value):
            wait = answer.value[LATER]
            self.waiting[seat] = math.inf if wait is None else comes + max(float(wait), SOONEST)
            return
        self._order += 1
        comes = max(comes, self.spoke.get(seat, -math.inf) + SOONEST)
        legal = answer.fault is None and bool(self.environment.legal(seat, answer.value))
        self.coming[seat] = comes, self._order, answer, legal, self._happened

    def next_at(self) -> float:
        """When the next thing happens, unless somebody does something before it."""
        coming = (at for at, *_ in self.coming.values())
        event = float(self.environment.next_event())
        return min((event, *self.waiting.values(), *coming))

    def arrive(self, came: Answer) -> None:
        """Somebody did something, whether they were asked or not: what cannot be done now comes to nothing."""
        assert came.at is not None
        seat, value = int(came.value["seat"]), came.value["action"]
        at = max(self.now, came.at)
        self.course.spent[seat] += max(0.0, at - self.open.pop(seat, at))
        self.now = at
        fault = came.value.get("fault")
        if fault is not None:
            if seat in self.turn.due:
                kind, why = fault
                self._speak(seat, self.course._replaced(seat, (kind, why)), at)
        elif is_later(value):
            wait = value[LATER]
            self.waiting[seat] = math.inf if wait is None else at + max(float(wait), SOONEST)
        else:
            action = answer_from_plain(self.environment.spaces(seat)[1], value)
            if self.environment.legal(seat, action):
                self._speak(seat, action, at)

    def go_on(self) -> None:
        """The next thing happens: an event of the environment, an answer that comes, or a wait that is over."""
        event = float(self.environment.next_event())
        wake = min(self.waiting.values(), default=math.inf)
        coming = ((at, order, seat) for seat, (at, order, *_) in self.coming.items())
        first = min(coming, default=None)
        comes = math.inf if first is None else first[0]
        if event <= min(wake, comes) and event < math.inf:
            self._new(self.environment.pass_time(event), event)
            return
        if first is not None and comes <= wake:
            self._play(first[2], comes)
            return
        if wake == math.inf:
            silent = [seat for seat in self.turn.due if not self.course._is_asked(seat)]
            if silent:  # nothing else can happen: a vote waits for it, say
                self._speak(silent[0], self.course._replaced(silent[0], None), self.now)
                return
            raise MensuraError(
                "Nobody speaks, nobody is going to, and the environment does not end the conversation."
            )
        self.now = wake
        self.waiting = {seat: at for seat, at in self.waiting.items() if at > wake}

    def _play(self, seat: int, at: float) -> None:
        """An answer has come. One for which the moment has passed, as a question when votes began, comes to nothing.

        So does a silence that is older than what was said last: whoever had nothing to say before is asked again.
        """
        course = self.course
        _, _, answer, legal_then, happened = self.coming.pop(seat)
        fault, value = answer.fault, answer.value
        legal = fault is None and seat in self.turn.due and self.environment.legal(seat, value)
        if seat not in self.turn.due or (legal_then and not legal):
            self.now = at
            return
        if legal and happened < self._happened and is_silence(self.environment, seat, value):
            self.now = at
            return
        if fault is None and not legal:
            fault = ("illegal", f"{value!r:.200} is not an action of this seat now")
        self._speak(seat, value if fault is None else course._replaced(seat, fault), at)

    def _speak(self, seat: int, action: Any, at: float) -> None:
        self.spoke[seat] = at
        self.course.counts[seat] += 1
        self.course.left -= 1
        self._new(self.environment.speak(seat, action, at), at, [action])

    def _new(self, turn: Turn, at: float, actions: list[Any] | None = None) -> None:
        """Something happened, so that everybody who waits is asked again."""
        course = self.course
        self._happened += 1
        self.now, self.turn = at, turn
        self.waiting = {}
        for seat, reward in zip(turn.due, turn.rewards, strict=True):
            course.rewards[seat] += reward
        for observer in course.observers:
            observer.stepped(self.environment, actions or [], turn)
