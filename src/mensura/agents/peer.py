"""A program in any language that answers over a channel: a pair of pipes, a socket, a WebSocket.

What is said stands in :mod:`mensura.agent.protocol` and ``docs/protocol.md``; what carries it is a
:class:`Channel`. :mod:`mensura.agents.process` has the one to a process that we started,
:mod:`mensura.agents.connection` those to programs that are there already.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from time import perf_counter
from typing import Any, Protocol

from mensura.agent import protocol
from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.memory import Damage, damaged_bytes, pack, unpack
from mensura.agent.protocol import (
    HELLO,
    LONGEST,
    LONGEST_MEMORY,
    VERSION,
    FaultOfAnswer,
    Shape,
    components_named,
    greeting,
    hello,
    last_word,
    memory_of,
    read_reply,
    request,
    shape_of,
    shorten,
)
from mensura.agent.spaces import UNFIT, Discrete, Space, Text, action_from_plain
from mensura.agent.task import Limits
from mensura.agent.waiting import Wait, Waiting, finish
from mensura.core.printed import joined

SECONDS_TO_END = 1.0
"""How long a program may take to end by itself once the sitting is over."""

GLANCE = 1.0
"""Seconds between looks at whether a program that is not ready has to be."""

DEFAULT = Limits()
_NONE = Answer()


class Ended(Exception):
    """The other end has closed the channel, mostly because it died."""


class Flooded(Exception):
    """The other end wrote a line that is longer than any message."""


class Channel(Protocol):
    """Lines to and from one program.

    One that can be looked at from an event loop also has ``watched()``: its descriptors, each with a mask as
    ``select.poll`` takes it. One with an attribute ``longest`` takes lines of so many bytes. One that knows what may be
    behind an error of its program has ``explained(said)``, which adds that. One that hears what its program prints has
    ``output()``.
    """

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


class Lines:
    """Bytes as they come, cut into lines."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def cut(self, chunk: bytes, longest: int = LONGEST) -> list[bytes]:
        """The lines that a chunk completes; :class:`Flooded` where one is too long."""
        head, *lines = chunk.split(b"\n")
        if len(lines) == 1 and not self._size and not lines[0] and len(head) <= longest:
            return [head]  # one line and nothing else, as nearly always
        self._size += len(head)
        if self._size > longest:
            raise Flooded
        if not lines:
            self._pieces.append(head)
            return lines
        if self._pieces:
            self._pieces.append(head)
            head = b"".join(self._pieces)
            self._pieces.clear()
        rest = lines.pop()
        if rest:
            self._pieces.append(rest)
        self._size = len(rest)
        lines.insert(0, head)
        return lines


class Queue(Protocol):
    """Programs of one address, of which some may have to wait until others have left."""

    def deadline(self, seconds: float) -> float:
        """When one that is not ready is too late, if it may take so many seconds once it is its turn."""

    def entered(self) -> None:
        """One is ready."""

    def left(self) -> None:
        """One that was ready is gone."""


class Peer:
    """A program in its seats for one sitting. If it dies, it is opened anew once."""

    def __init__(
        self,
        name: str,
        opened: Callable[[], Channel | Waiting[Channel]],
        seats: int,
        limits: Limits = DEFAULT,
        *,
        memory: bytes | None = None,
        queue: Queue | None = None,
        begin: bool = True,
    ) -> None:
        """``opened`` starts the program, or reaches it: MensuraError with the reason where it cannot.

        ``memory`` is what it saved in another sitting. Without ``begin`` it sits down with :meth:`starting`.
        """
        self._name = name
        self._open = opened
        self._seats = seats
        self._limits = limits
        self._memory = None if memory is None else memory.decode()
        self._queue = queue
        self._last = HELLO
        self._begun: dict[int, Ask] = {}
        self._shapes: dict[int, Shape] = {}
        self._arrays: dict[int, Space] = {}
        """The action spaces of the seats whose actions are lists or objects in JSON."""
        self._restarts = 1
        self._behind = False
        """Whether the process may be busy with an ask that nobody waits for any more."""
        self._cause = ""
        """Why it died, once it has."""
        self._cpu = self._cpu_before = self._cpu_start = 0.0
        self._channel: Channel | None = None
        self._printed = ""
        """By the programs of channels that are closed."""
        self.speakers: frozenset[int] = frozenset()
        self.probes: frozenset[str] = frozenset()
        self.components: tuple[str, ...] = ()
        self._off: tuple[str, ...] = ()
        """The components that are switched off, also when it is opened anew."""
        if begin:
            finish(self.starting())

    def starting(self) -> Waiting[None]:
        """Open the channel and shake hands; MensuraError with the reason where that fails."""
        self._channel, self.speakers = yield from self._start()
        self._cpu_start = self._channel.cpu_seconds()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Send all asks at once and wait for the answers, each within its deadline.

        The program answers in turn, so the clock of an answer starts when the one before it came;
        if one is late, so are those behind it.
        """
        if self._channel is None or (asks and asks[0].kind == "begin"):
            return self._asking_anew(asks)
        return self._exchange(asks)

    def _asking_anew(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Ask where an episode begins, or where the program may have to be started again."""
        begins = asks if asks and asks[0].kind == "begin" else []
        if begins:
            self._begun = {}
        unfit: dict[int, Answer] = {}
        if self._channel is None and self._restarts:
            unfit = yield from self._restart()
        for ask in begins:
            self._begun[ask.seat] = ask
            if ask.task is not None:
                space = ask.task.action_space
                self._arrays.pop(ask.seat, None)
                if not isinstance(space, (Discrete, Text)):
                    self._arrays[ask.seat] = space
                self._shapes[ask.seat] = shape_of(ask.task.observation_space)
        if not unfit:
            return (yield from self._exchange(asks))
        rest = iter((yield from self._exchange([ask for ask in asks if ask.seat not in unfit])))
        return [unfit[ask.seat] if ask.seat in unfit else next(rest) for ask in asks]

    def save(self) -> bytes | None:
        """:meth:`saving`, waiting on the spot."""
        return finish(self.saving())

    def saving(self) -> Waiting[bytes | None]:
        """All that the program remembers, for ``memory`` in another sitting; None where it has nothing to save.

        MensuraError with the reason where it fails.
        """
        failing = f"{self._name} cannot save what it knows"
        value = yield from self._wish(protocol.save, failing, LONGEST_MEMORY + 1024)
        try:
            return memory_of(value)
        except ValueError:
            raise MensuraError(f"{failing}: {value!r:.60} is not a text.") from None

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """What it saved, after some damage: to what each agent of a Python client saved, or to the text of a program.

        What is lost of a text is blank, and what is no longer a character becomes a sign that says so.
        """
        try:
            parts = unpack(memory, self._seats)
        except MensuraError:
            text = damaged_bytes(memory, damage, blank=ord(" "))
            return text.decode(errors="replace").encode()
        return pack([None if one is None else damaged_bytes(one, damage) for one in parts]) or b""

    def switching_off(self, names: Sequence[str]) -> Waiting[None]:
        """Let the program go on without some of its components; MensuraError with the reason where it fails."""
        self._off = tuple(names)
        for name in names:
            yield from self._wish(
                lambda number, name=name: protocol.switch_off(number, name),  # type: ignore[misc]
                f"{self._name} could not switch off {name}",
            )

    def _wish(
        self, written: Callable[[int], bytes], failing: str, longest: int = LONGEST
    ) -> Waiting[Any]:
        """Ask for something that is no part of an episode; MensuraError with the reason where it fails."""
        channel = self._channel
        if channel is None:
            raise MensuraError(f"{failing}: {self._cause}.")
        self._last += 1
        channel.longest = longest  # type: ignore[attr-defined]
        channel.send(written(self._last))
        until = perf_counter() + self._limits.seconds_to_start
        why = f"there was no answer after {self._limits.seconds_to_start:g} s"
        while perf_counter() < until:
            try:
                lines = yield _lines(channel, until)
            except (Ended, Flooded) as error:
                why = self._lost(channel, error)[1]
                break
            for line in lines:
                number, value, wrong = read_reply(line, self._last)
                if number == self._last or number is None:
                    channel.longest = LONGEST  # type: ignore[attr-defined]
                    if wrong is None:
                        return value
                    raise MensuraError(f"{failing}: {wrong[1]}.")
        raise MensuraError(f"{failing}: {why}.")

    def kill(self) -> None:
        """End the process at once, without a word to it."""
        self._behind = True
        self.close()

    def cpu_seconds(self) -> float:
        """Processor time of its processes since they began to be asked; nan where the system does not tell."""
        if self._channel is not None:
            self._cpu = self._cpu_before + self._channel.cpu_seconds() - self._cpu_start
        return self._cpu

    def printed(self) -> str:
        """What the program has printed beside its answers, shortened; nothing where we do not hear it."""
        said: Callable[[], str] | None = getattr(self._channel, "output", None)
        return joined([self._printed, "" if said is None else said()])

    def close(self) -> None:
        """End the process: politely, then firmly. A second call does nothing."""
        if self._channel is not None:
            self._channel.close(0.0 if self._behind else SECONDS_TO_END)
            self._gone("the sitting is over")
        self._restarts = 0

    def _start(self) -> Waiting[tuple[Channel, frozenset[int]]]:
        """A new channel to a program that has shaken hands; MensuraError with the reason where it cannot."""
        opened = self._open()
        channel: Channel = (yield from opened) if isinstance(opened, Generator) else opened
        try:
            speakers = yield from self._shake_hands(channel)
        except BaseException:
            channel.close(0.0)
            raise
        if self._queue is not None:
            self._queue.entered()
        return channel, speakers

    def _shake_hands(self, channel: Channel) -> Waiting[frozenset[int]]:
        seconds = self._limits.seconds_to_start
        channel.send(hello(self._seats, self._memory))
        begun = perf_counter()
        while True:
            until = begun + seconds
            if self._queue is not None:
                until = max(until, self._queue.deadline(seconds))
            try:
                lines = yield _lines(channel, min(until, perf_counter() + GLANCE))
            except Ended:
                raise MensuraError(
                    f"{self._name} died while starting: {channel.epitaph()}."
                ) from None
            except Flooded:
                lines = [b"a line without end"]
            if lines:
                break
            if perf_counter() >= until:
                why = f"was not ready after {seconds:g} s, the time that it has to start."
                channel.send(last_word(f"The program {why}"))
                raise MensuraError(f"{self._name} {why}")
        try:
            version, speakers, self.probes = greeting(lines[0], self._seats)
            self.components = components_named(lines[0])
        except MensuraError as error:
            raise MensuraError(_explained(channel, str(error))) from None
        except (ValueError, RecursionError):
            why = (
                f"answered the handshake with {shorten(lines[0])}; right would be "
                f'{{"id":{HELLO},"value":{{"version":{VERSION},"speakers":[]}}}}.'
            )
            channel.send(last_word(f"The program {why}"))
            raise MensuraError(f"{self._name} {why}") from None
        if version != VERSION:
            why = other_version(version)
            channel.send(last_word(f"The program {why}"))
            raise MensuraError(f"{self._name} {why}")
        return speakers

    def _restart(self) -> Waiting[dict[int, Answer]]:
        """Start again and repeat the beginning of the episode; who fails at that, by seat."""
        self._restarts -= 1
        self._behind = False
        try:
            self._channel, _ = yield from self._start()
            self._cpu_before, self._cpu_start = self._cpu, self._channel.cpu_seconds()
            yield from self.switching_off(self._off)
        except MensuraError as error:
            self._cause = str(error).rstrip(".")
            return {}
        begins = list(self._begun.values())
        answers = yield from self._exchange(begins)
        return {
            ask.seat: answer
            for ask, answer in zip(begins, answers, strict=True)
            if answer.fault is not None
        }

    def _exchange(self, asks: Sequence[Ask]) -> Waiting[list[Answer]]:
        """One round trip for all asks."""
        channel = self._channel
        if channel is None:
            return [Answer(fault=("died", self._cause))] * len(asks)
        first = self._last + 1
        self._last += len(asks)
        numbered = enumerate(asks, first)
        self._behind = True
        mark = now = perf_counter()
        channel.send(b"".join([request(i, ask, self._shapes.get(ask.seat)) for i, ask in numbered]))
        answers = [_NONE] * len(asks)
        oldest = 0
        """The place of the first ask that still waits for its answer."""
        while oldest < len(asks):
            deadline = asks[oldest].deadline
            # Lines that answer nothing may come without end, so there is one last look when the time is over.
            last_look = now >= mark + deadline
            fault: FaultOfAnswer | None = None
            lines: list[bytes] = []
            try:
                lines = yield _lines(channel, mark + deadline)
            except (Ended, Flooded) as error:
                fault = self._lost(channel, error)
            now = perf_counter()
            # Answers that came in one piece share the time since the piece before.
            seconds = (now - mark) / max(len(lines), 1)
            waited = oldest
            for line in lines:
                found, value, wrong = read_reply(line, self._last)
                if wrong is not None and wrong[0] == "raised":
                    wrong = wrong[0], _explained(channel, wrong[1])
                # It answers in turn: what cannot be told apart is meant for the oldest ask.
                place = oldest if found is None else found - first
                if oldest <= place < len(asks) and answers[place] is _NONE:
                    ask = asks[place]
                    if wrong is None and ask.seat in self._arrays and ask.kind == "act":
                        value, wrong = self._action(ask.seat, value)
                    answers[place] = Answer(value, seconds, wrong)
                    mark = now
                    while oldest < len(asks) and answers[oldest] is not _NONE:
                        oldest += 1
            if fault is None and oldest == waited and (last_look or not lines):
                fault = "late", f"no answer after {deadline:g} s"
            if fault is not None:
                unanswered = Answer(None, now - mark, fault)
                return [unanswered if answer is _NONE else answer for answer in answers]
        self._behind = False
        return answers

    def _lost(self, channel: Channel, error: Ended | Flooded) -> FaultOfAnswer:
        """The other end is gone, or we hang up on it; what that counts as."""
        if isinstance(error, Flooded):
            cause = f"it wrote a line of over {LONGEST} bytes and was ended"
            channel.send(
                last_word(f"A line may hold {LONGEST} bytes; a longer one ends the sitting.")
            )
            channel.close(0.0)
            self._gone(cause)
            return "garbled", cause
        self._gone(channel.epitaph())
        return "died", self._cause

    def _gone(self, cause: str) -> None:
        self._printed = self.printed()
        self._channel = None
        self._cause = cause
        if self._queue is not None:
            self._queue.left()

    def _action(self, seat: int, value: Any) -> tuple[Any, FaultOfAnswer | None]:
        """The action of a seat that acts arrays, records or lists, as an agent in our own process gives it."""
        if not isinstance(value, (list, dict)):
            return value, None
        try:
            return action_from_plain(self._arrays[seat], value), None
        except UNFIT:
            return None, ("garbled", f"{value!r:.100} has not the shape of an action")


def _explained(channel: Channel, said: str) -> str:
    """An error that a program told of, with what its channel knows about that."""
    explained: Callable[[str], str] | None = getattr(channel, "explained", None)
    return said if explained is None else explained(said)


def other_version(version: int) -> str:
    """What is wrong with a program of another version, as the end of a sentence."""
    return f"speaks version {version} of the protocol and this Mensura version {VERSION}; use a client of that version."


def _lines(channel: Channel, until: float) -> Wait:
    return Wait(channel.lines, until, getattr(channel, "watched", None))
