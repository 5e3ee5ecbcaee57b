"""Clients of PAGI World, ``pagi://:42209``: they connect to us and send lines whenever they like.

The episode loop asks for an action in every frame. The player answers with the lines that have come since the last ask,
and sends on what the observation tells; it reads nothing of either. Since clients know of no episodes, each begins with
what the seat is told of its task, as if somebody had typed it (``SC``). Which line falls into which frame is all that
depends on time, and the record has it, so that the episode can be played again to the bit.

Two clocks: by ``wall`` a frame takes 0.1 s divided by ``speed``, as in the original. By ``simulated`` time the client
has a clock of its own: a line takes ``latency`` seconds of it, idle time passes ``speed`` times as quickly as here, and
what the world takes to compute does not count, so that a slow machine costs no score.
"""

from __future__ import annotations

import json
import re
import select
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.loading import value_of
from mensura.agent.spaces import Text
from mensura.agent.task import Limits
from mensura.agent.waiting import Wait, Waiting, finish
from mensura.agents.address import EXAMPLES, Part
from mensura.agents.listening import Listener, is_loopback
from mensura.agents.pagi_clients import LONGEST_LINE, Clients, Connection
from mensura.agents.peer import Ended, Flooded
from mensura.core.abilities import hosting
from mensura.core.contract import World

PORT = 42209
"""Where clients of PAGI World connect, unless they are told otherwise."""
FRAME = 0.1
"""Seconds of a frame: five physics steps."""
MOST_LINES = 200
"""Lines of a frame; further ones fall into the next."""
MOST_UNREAD = 4_000_000
"""Bytes that a client may leave unread before it is hung up on."""
TEXT = "text"
"""The field of an observation with what the client is told, where the observation is a record."""

_NEVER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

Clock = Literal["simulated", "wall"]


@dataclass(frozen=True)
class Pace:
    """How lines fall into frames."""

    clock: Clock = "simulated"
    speed: float = 1.0
    """Simulated seconds for each second here."""
    latency: float = 0.02
    """Simulated seconds that a line takes, by simulated time."""


def from_pagi(part: Part, world: World | None, limits: Limits) -> PagiSubject:
    """The client of PAGI World that connects, in a world whose actions are commands."""
    host, port = place(part)
    subject = PagiSubject(part.label, host, port, _pace(part), limits)
    if world is not None:
        home = hosting(world, subject)
        _, actions = home.build(home.sample(0)).spaces(0)
        if not isinstance(actions, Text):
            raise MensuraError(
                f"Clients of PAGI World send commands, and actions in {world.id} are none; name a world where they "
                "are, as --world pagi."
            )
    return subject


def place(part: Part) -> tuple[str, int]:
    """The host and the port of an address; this machine and the usual port where it names none."""
    try:
        pieces = urlsplit(part.name)
        host, port = pieces.hostname or "127.0.0.1", PORT if pieces.port is None else pieces.port
    except ValueError:
        host = ""
    if not host or not part.target.startswith("//") or pieces.path.strip("/"):
        raise MensuraError(f"{part.name} names no port; write it as in {EXAMPLES['pagi']}.")
    if not is_loopback(host):
        raise MensuraError(
            f"Clients of PAGI World cannot show a token, so that only those of this machine may connect, and {host} is "
            f"not this machine alone; write pagi://127.0.0.1:{port}."
        )
    return host, port


def _pace(part: Part) -> Pace:
    values = {name: value_of(text) for name, text in part.parameters.items()}
    unknown = set(values) - set(Pace.__dataclass_fields__)
    if unknown:
        raise MensuraError(
            f"{part.name} has no parameter {unknown.pop()!r}; it has clock, speed and latency."
        )
    pace = Pace(**values)  # type: ignore[arg-type]
    if pace.clock not in get_args(Clock):
        raise MensuraError(f"The clock of {part.name} is {pace.clock!r}; it is simulated or wall.")
    for name, least, most in (("speed", 0.1, 1e6), ("latency", 0.0, 10.0)):
        number = getattr(pace, name)
        if isinstance(number, bool | str) or not least <= number <= most:
            raise MensuraError(
                f"The {name} of {part.name} is {number!r}; it is a number from {least:g} to {most:g}."
            )
    return pace


class PagiSubject:
    """Whoever connects: one connection for each seat.

    Clients know nothing of sittings, and many cannot connect twice. So a connection that is still there when a sitting
    is over serves the next one.
    """

    concurrent = True
    """Sittings may be played side by side, if there are as many clients."""
    sends_commands = True

    def __init__(self, name: str, host: str, port: int, pace: Pace, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self._pace = pace
        self._place = host, port
        self._clients: Clients | None = None

    def sit(self, seats: int, memory: bytes | None = None) -> PagiPlayer:
        """:meth:`seating`, waiting on the spot."""
        return finish(self.seating(seats, memory))

    def seating(self, seats: int, memory: bytes | None = None) -> Waiting[PagiPlayer]:
        """Wait for a client for each seat; MensuraError where they do not come, or the port cannot be had."""
        if memory is not None:
            raise MensuraError(
                f"{self.name} cannot be given a memory: clients of PAGI World save none."
            )
        if self._clients is None:  # not before: who only plays a record again needs no port
            self._clients = Clients(Listener.without_introduction(*self._place))
        channels = yield from self._clients.gathered(seats, self.limits.seconds_to_start)
        return PagiPlayer(channels, self._pace, self._clients.leave)


class Client:
    """A client in its seat."""

    def __init__(self, channel: Connection, pace: Pace) -> None:
        self.channel: Connection | None = channel
        self.cause = ""
        """Why it is gone, once it is."""
        self._pace = pace
        self._lines: deque[tuple[float, str]] = deque()
        """What has come and was not played, with the time by its clock."""
        self._time = 0.0
        """By its clock: never behind the frame that is played."""
        self._frame = 0.0
        """The end of the frame that it is asked about."""
        self.longest = LONGEST_LINE
        """Characters of an action."""
        self._greeting = ""

    def begin(self, longest: int, about: str | None = None) -> None:
        """An episode begins; what it is about is told as soon as it is known in which generation."""
        self.longest = longest
        if about is not None:
            self._greeting = f"SC,{' '.join(about.split())}"
            self._greet()
        self._time = self._frame = 0.0
        self._lines = deque((0.0, line) for _, line in self._lines)

    def _greet(self) -> None:
        if self.channel is None or self.channel.in_json is None or not self._greeting:
            return
        told = json.dumps({"type": "update", "content": self._greeting})
        self.tell(f"{told if self.channel.in_json else self._greeting}\n")
        self._greeting = ""

    def next_frame(self) -> None:
        """It is asked about the next frame."""
        self._time = max(self._time, self._frame)
        self._frame += FRAME

    def tell(self, text: str) -> None:
        """Send what it is told; hang up on one that does not read."""
        if self.channel is None or not text:
            return
        self.channel.flush()
        self.channel.send(text.encode("utf-8", "replace"))
        if self.channel.unsent > MOST_UNREAD:
            self._hang_up(f"it left {self.channel.unsent} bytes unread and was hung up on")

    @property
    def seconds_left(self) -> float:
        """Seconds here until the frame is over for it; none where it is."""
        if self.channel is None or len(self._lines) >= MOST_LINES:
            return 0.0
        return max(0.0, self._frame - self._time) / self._pace.speed

    def idle(self, seconds: float) -> None:
        """So many seconds have passed here."""
        if self.seconds_left:
            self._time += seconds * self._pace.speed

    def read(self) -> None:
        """Take the lines that have come."""
        if self.channel is None or len(self._lines) >= MOST_LINES:
            return
        try:
            lines = self.channel.lines(0.0)
        except Ended:
            self.cause = self.channel.epitaph()
            self.channel = None
            return
        except Flooded:
            self._hang_up(f"it sent a line of over {LONGEST_LINE} bytes and was hung up on")
            return
        if self.channel.in_json is None and lines:
            self.channel.in_json = lines[0].lstrip().startswith(b"{")
            self._greet()
        for line in lines:
            if self._pace.clock == "simulated":
                self._time += self._pace.latency
            text = _NEVER.sub(
                "\N{REPLACEMENT CHARACTER}", line.rstrip(b"\r").decode("utf-8", "replace")
            )
            self._lines.append((self._time, f"{text[: self.longest - 1]}\n"))

    def action(self) -> str:
        """The lines of the frame."""
        taken: list[str] = []
        size = 0
        end = self._frame + 1e-9
        by_time = self._pace.clock == "simulated"
        while self._lines and len(taken) < MOST_LINES:
            stamp, line = self._lines[0]
            if (by_time and stamp > end) or size + len(line) > self.longest:
                break
            self._lines.popleft()
            taken.append(line)
            size += len(line)
        return "".join(taken)

    def _hang_up(self, cause: str) -> None:
        assert self.channel is not None
        self.channel.close(0.0)
        self.channel = None
        self.cause = cause


class PagiPlayer:
    """Clients of PAGI World in their seats, the first that connected in the first."""

    speakers: frozenset[int] = frozenset()

    def __init__(
        self,
        channels: Sequence[Connection],
        pace: Pace,
        leave: Callable[[Sequence[Connection | None]], None],
    ) -> None:
        self.clients = [Client(channel, pace) for channel in channels]
        self._pace = pace
        self._leave: Callable[[Sequence[Connection | None]], None] | None = leave
        self._seats: dict[int, Client] = {}
        self._due = 0.0
        """When the next frame is over, by the wall."""

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """The lines of a frame, of every seat that is asked."""
        for ask in asks:
            self._hear(ask)
        acting = [self._seats[ask.seat] for ask in asks if ask.kind == "act"]
        if acting:
            yield from self._frame(acting)
        return [
            self._answer(self._seats[ask.seat]) if ask.kind == "act" else Answer() for ask in asks
        ]

    def close(self) -> None:
        """The sitting is over. A second call does nothing."""
        if self._leave is not None:
            self._leave([one.channel for one in self.clients])
            self._leave = None

    def _hear(self, ask: Ask) -> None:
        """Tell a client what it is asked about."""
        if ask.kind == "begin":
            client = self._seats.setdefault(
                ask.seat, self.clients[len(self._seats) % len(self.clients)]
            )
            task = ask.task
            space = None if task is None else task.action_space
            client.begin(
                space.longest if isinstance(space, Text) else LONGEST_LINE,
                None if task is None else task.instructions,
            )
            return
        told = ask.observation
        if isinstance(told, dict):
            told = told.get(TEXT)
        if isinstance(told, str):
            self._seats[ask.seat].tell(told)

    def _frame(self, clients: Sequence[Client]) -> Waiting[None]:
        """Wait until a frame is over for all of them."""
        now = perf_counter()
        by_wall = self._pace.clock == "wall"
        for one in clients:
            one.next_frame()
            one.read()
        if by_wall:
            self._due = max(self._due, now - FRAME / self._pace.speed) + FRAME / self._pace.speed
        while True:
            left = self._due - now if by_wall else max(one.seconds_left for one in clients)
            if left <= 0:
                return
            open_ones = [one for one in clients if one.channel is not None and one.seconds_left]
            if not by_wall:
                left = min(one.seconds_left for one in open_ones)
            yield Wait(partial(_look, open_ones), now + left, partial(_watched, open_ones))
            before, now = now, perf_counter()
            for one in open_ones:
                one.idle(now - before)
                one.read()

    def _answer(self, client: Client) -> Answer:
        action = client.action()
        if action or client.channel is not None:
            return Answer(action)
        return Answer("", fault=("died", client.cause))


def _watched(clients: Sequence[Client]) -> Sequence[tuple[int, int]]:
    return [pair for one in clients if one.channel is not None for pair in one.channel.watched()]


def _look(clients: Sequence[Client], until: float) -> list[Any]:
    """Wait until one of them has sent something, or can be sent more."""
    poll = select.poll()
    for descriptor, mask in _watched(clients):
        poll.register(descriptor, mask)
    with suppress(OSError):
        return poll.poll(max(0.0, until - perf_counter()) * 1000)
    return []
