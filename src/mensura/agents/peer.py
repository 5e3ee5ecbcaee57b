"""A program in any language that answers over a channel: a pair of pipes, a socket, a WebSocket.

What is said stands in :mod:`mensura.agents.protocol` and ``docs/protocol.md``; what carries it is a
:class:`Channel`. :mod:`mensura.agents.process` has the one to a process that we started.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Protocol

from mensura.agents.protocol import (
    HELLO,
    LONGEST,
    VERSION,
    FaultOfAnswer,
    Shape,
    greeting,
    hello,
    read_reply,
    request,
    shorten,
)
from mensura.core.contract import Limits
from mensura.core.errors import MensuraError
from mensura.core.loop import Answer, Ask
from mensura.core.spaces import Box, Record, Space, from_plain

SECONDS_TO_END = 1.0
"""How long a program may take to end by itself once the sitting is over."""

DEFAULT = Limits()
_NONE = Answer()


class Ended(Exception):
    """The other end has closed the channel, mostly because it died."""


class Flooded(Exception):
    """The other end wrote a line that is longer than any message."""


class Channel(Protocol):
    """Lines to and from one program."""

    def send(self, data: bytes) -> None:
        """Write as much as goes at once; the rest is written while waiting for lines. Never waits, never raises."""

    def lines(self, until: float) -> list[bytes]:
        """The complete lines that came, as soon as there are any; none at the time ``until`` of ``perf_counter``.

        :class:`Ended` where the other end is gone, :class:`Flooded` where a line has no end.
        """

    def epitaph(self) -> str:
        """How it ended, in a few words, after :class:`Ended`; it is closed then."""

    def close(self, patience: float = SECONDS_TO_END) -> None:
        """End it: by itself within the patience, or by force. A second call does nothing."""

    def cpu_seconds(self) -> float:
        """The processor time of the program so far; nan where that cannot be told."""


class Peer:
    """A program in its seats for one sitting. If it dies, it is opened anew once."""

    def __init__(
        self,
        name: str,
        opened: Callable[[], Channel],
        seats: int,
        limits: Limits = DEFAULT,
    ) -> None:
        """``opened`` starts the program, or reaches it: MensuraError with the reason where it cannot."""
        self._name = name
        self._open = opened
        self._seats = seats
        self._limits = limits
        self._last = HELLO
        self._begun: dict[int, Ask] = {}
        self._shapes: dict[int, Shape] = {}
        self._spaces: dict[int, Space] = {}
        self._restarts = 1
        self._behind = False
        """Whether the process may be busy with an ask that nobody waits for any more."""
        self._cause = ""
        """Why it died, once it has."""
        self._cpu = self._cpu_before = self._cpu_start = 0.0
        self._channel: Channel | None
        self._channel, self.speakers = self._start()
        self._cpu_start = self._channel.cpu_seconds()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Send all asks at once and wait for the answers, each within its deadline.

        The program answers in turn, so the clock of an answer starts when the one before it came;
        if one is late, so are those behind it.
        """
        begins = asks if asks and asks[0].kind == "begin" else []
        if begins:
            self._begun = {}
        unfit: dict[int, Answer] = {}
        if self._channel is None and self._restarts:
            unfit = self._restart()
        for ask in begins:
            self._begun[ask.seat] = ask
            if ask.task is not None:
                self._spaces[ask.seat] = ask.task.action_space
                shape = self._shapes.get(ask.seat)
                if shape is None or shape.space != ask.task.observation_space:
                    self._shapes[ask.seat] = Shape(ask.task.observation_space)
        if not unfit:
            return self._exchange(asks)
        rest = iter(self._exchange([ask for ask in asks if ask.seat not in unfit]))
        return [unfit[ask.seat] if ask.seat in unfit else next(rest) for ask in asks]

    def cpu_seconds(self) -> float:
        """Processor time of its processes since they began to be asked; nan where the system does not tell."""
        if self._channel is not None:
            self._cpu = self._cpu_before + self._channel.cpu_seconds() - self._cpu_start
        return self._cpu

    def close(self) -> None:
        """End the process: politely, then firmly. A second call does nothing."""
        if self._channel is not None:
            self._channel.close(0.0 if self._behind else SECONDS_TO_END)
            self._channel = None
            self._cause = "the sitting is over"
        self._restarts = 0

    def _start(self) -> tuple[Channel, frozenset[int]]:
        """A new process that has shaken hands; MensuraError with the reason where it cannot."""
        channel = self._open()
        try:
            return channel, self._shake_hands(channel)
        except BaseException:
            channel.close(0.0)
            raise

    def _shake_hands(self, channel: Channel) -> frozenset[int]:
        seconds = self._limits.seconds_to_start
        channel.send(hello(self._seats))
        try:
            lines = channel.lines(perf_counter() + seconds)
        except Ended:
            raise MensuraError(f"{self._name} died while starting: {channel.epitaph()}.") from None
        except Flooded:
            lines = [b"a line without end"]
        if not lines:
            raise MensuraError(
                f"{self._name} was not ready after {seconds:g} s, the time that it has to start."
            )
        try:
            version, speakers = greeting(lines[0], self._seats)
        except (ValueError, RecursionError):
            raise MensuraError(
                f"{self._name} answered the handshake with {shorten(lines[0])}; right would be "
                f'{{"id":{HELLO},"value":{{"version":{VERSION},"speakers":[]}}}}.'
            ) from None
        if version != VERSION:
            raise MensuraError(
                f"{self._name} speaks version {version} of the protocol and this Mensura version "
                f"{VERSION}; use a client of that version."
            )
        return speakers

    def _restart(self) -> dict[int, Answer]:
        """Start again and repeat the beginning of the episode; who fails at that, by seat."""
        self._restarts -= 1
        self._behind = False
        try:
            self._channel, _ = self._start()
            self._cpu_before, self._cpu_start = self._cpu, self._channel.cpu_seconds()
        except MensuraError as error:
            self._cause = str(error).rstrip(".")
            return {}
        begins = list(self._begun.values())
        answers = self._exchange(begins)
        return {
            ask.seat: answer
            for ask, answer in zip(begins, answers, strict=True)
            if answer.fault is not None
        }

    def _exchange(self, asks: Sequence[Ask]) -> list[Answer]:
        """One round trip for all asks."""
        channel = self._channel
        if channel is None:
            return [Answer(fault=("died", self._cause))] * len(asks)
        answers = [_NONE] * len(asks)
        waiting: dict[int, int] = {}
        """The place of each ask that waits for an answer, by its number."""
        out = []
        for place, ask in enumerate(asks):
            self._last += 1
            waiting[self._last] = place
            out.append(request(self._last, ask, self._shapes.get(ask.seat)))
        self._behind = True
        mark = perf_counter()
        channel.send(b"".join(out))
        while waiting:
            number, place = next(iter(waiting.items()))
            oldest, deadline = number, asks[place].deadline
            # Lines that answer nothing may come without end, so there is one last look when the time is over.
            last_look = perf_counter() >= mark + deadline
            late: FaultOfAnswer = ("late", f"no answer after {deadline:g} s")
            fault: FaultOfAnswer | None = None
            lines: list[bytes] = []
            try:
                lines = channel.lines(mark + deadline)
            except Ended:
                self._cause = channel.epitaph()
                self._channel = None
                fault = ("died", self._cause)
            except Flooded:
                self._cause = f"it wrote a line of over {LONGEST} bytes and was ended"
                channel.close(0.0)
                self._channel = None
                fault = ("garbled", self._cause)
            else:
                fault = None if lines else late
            now = perf_counter()
            # Answers that came in one piece share the time since the piece before.
            seconds = (now - mark) / max(len(lines), 1)
            for line in lines:
                found, value, wrong = read_reply(line, self._last)
                if found is None:
                    # It answers in turn: what cannot be told apart is meant for the oldest ask.
                    found = next(iter(waiting), HELLO)
                if found in waiting:
                    place = waiting.pop(found)
                    if wrong is None and asks[place].kind == "act":
                        value, wrong = self._action(asks[place].seat, value)
                    answers[place] = Answer(value, seconds, wrong)
                    mark = now
            if last_look and oldest in waiting:
                fault = fault or late
            if fault is not None:
                for place in waiting.values():
                    answers[place] = Answer(None, now - mark, fault)
                return answers
        self._behind = False
        return answers

    def _action(self, seat: int, value: Any) -> tuple[Any, FaultOfAnswer | None]:
        """The action as an agent in our own process gives it: an array where arrays are acted."""
        space = self._spaces.get(seat)
        if not isinstance(space, (Box, Record)) or not isinstance(value, (list, dict)):
            return value, None
        try:
            return from_plain(space, value), None
        except (ValueError, TypeError, KeyError, OverflowError):
            return None, ("garbled", f"{value!r:.100} has not the shape of an action")
