"""Free play: a task that goes on by the clock of the wall, with clients that come and go, and somebody who watches.

Nothing is assessed, so seats may arrange the world and read names. Where no client has a seat, the one who watches may
play it by keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event as Signal
from threading import Lock, Thread
from time import perf_counter
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agents.listening import Listener
from mensura.agents.pagi import FRAME, Client, Pace
from mensura.agents.pagi_clients import Connection
from mensura.web.pagi.image_size import size_of_picture
from mensura.web.pagi.keyed import RIGHTS, keyed
from mensura.web.pagi.lines import Lines
from mensura.worlds.pagi.contract import Event
from mensura.worlds.pagi.environment import LONGEST_TEXT
from mensura.worlds.pagi.protocol.controls import Manner, SeatControls
from mensura.worlds.pagi.scene import scene, sensed
from mensura.worlds.pagi.setup import Setup
from mensura.worlds.pagi.task_files import read_task, shipped


class FreePlay:
    """A task under way. :meth:`run` plays it until :meth:`stop`; all else may be called from other threads."""

    watched = False

    def __init__(
        self, task: str, listener: Listener, speed: float = 1.0, readings: Manner = "paper"
    ) -> None:
        """MensuraError where the task is none."""
        self.lock = Lock()
        self.task = task
        self.listener = listener
        self.place = listener.place
        """Where clients connect."""
        self._speed = speed
        self._readings = readings
        path = Path(task)
        self._folder = path.resolve().parent if path.is_file() else None
        self._lines = Lines()
        self._stop = Signal()
        self._thread: Thread | None = None
        self._next: Setup | None = None
        self._keys: dict[int, frozenset[str]] = {}
        self.clients: list[Client | None] = []
        self.frames = 0
        self._begin(read_task(task))

    # The play -------------------------------------------------------------------

    def _begin(self, setup: Setup) -> None:
        count = len(setup.bodies)
        self.environment = keyed(setup, self.frames, self._readings)
        self.own = [SeatControls(seat, RIGHTS) for seat in range(count)]
        self._furnish()
        for client in self.clients[count:]:
            if client is not None:
                client.tell("ERR: the task has no body for you\n")
        self.clients = [*self.clients[:count], *[None] * (count - len(self.clients))]

    def _furnish(self) -> None:
        room = self.environment.room
        room.loader = self._load
        folder = self._folder
        room.pictures = None if folder is None else lambda name: size_of_picture(folder, name)

    def _load(self, seat: int, file: str) -> str:
        """Take another task of the folder, or a sample, from the next frame on; why not, or nothing."""
        try:
            if file in shipped():
                self._next = read_task(file)
                return ""
            if self._folder is None:
                return "there is no such task"
            path = (self._folder / file).resolve()
            if not path.is_relative_to(self._folder) or not path.is_file():
                return "fileNotFound"
            self._next = read_task(str(path))
        except MensuraError as error:
            return str(error)
        return ""

    def frame(self) -> None:
        """Play a frame."""
        with self.lock:
            self._welcome()
            if self._next is not None:
                setup, self._next = self._next, None
                self._begin(setup)
            self._hold_keys()
            texts = [self._read(seat) for seat in range(len(self.clients))]
            turn = self.environment.step(texts, [0.0] * len(texts))
            self._furnish()  # it may go on in a room that was rebuilt
            self.frames += 1
            for seat, told in zip(turn.due, turn.observations, strict=True):
                self._tell(seat, told)
            for seat, text in self.environment.room.printed:
                self._lines.add(seat, "console", text)
            self.environment.room.printed.clear()
            if turn.ended is not None:
                self._begin(self.environment.setup)

    def run(self) -> None:
        """Play frames by the clock of the wall, until it is stopped."""
        due = perf_counter()
        while not self._stop.is_set():
            due = max(due, perf_counter() - FRAME) + FRAME / self._speed
            self._stop.wait(max(0.0, due - perf_counter()))
            self.frame()

    def start(self) -> None:
        """Play in a thread."""
        self._thread = Thread(target=self.run, name="free play", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it, and hang up on everybody."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        for client in self.clients:
            if client is not None and client.channel is not None:
                client.channel.close()
        self.listener.close()

    # Clients --------------------------------------------------------------------

    def _welcome(self) -> None:
        """Give those who have connected a seat, as far as there are any."""
        for connection in self.listener.take(0.0):
            channel = Connection(connection)
            if None not in self.clients:
                channel.send(b"ERR: all bodies have a client already\n")
                channel.close(0.0)
                continue
            seat = self.clients.index(None)
            client = Client(channel, Pace("wall", self._speed))
            client.begin(LONGEST_TEXT)
            self.clients[seat] = client
            self.environment.controls[seat] = SeatControls(
                seat, RIGHTS, self.environment.description.readings
            )
            self._lines.add(seat, "note", "connected")

    def _read(self, seat: int) -> str:
        client = self.clients[seat]
        if client is None:
            return ""
        client.next_frame()
        client.read()
        text = client.action()
        for line in text.splitlines():
            self._lines.add(seat, "in", line)
        if client.channel is None and not text:
            self._lines.add(seat, "note", f"gone: {client.cause}")
            self.clients[seat] = None
        return text

    def _tell(self, seat: int, told: str) -> None:
        for line in told.splitlines():
            self._lines.add(seat, "out", line)
        client = self.clients[seat]
        if client is not None:
            client.tell(told)

    # Who watches ----------------------------------------------------------------

    def _hold_keys(self) -> None:
        """What the held keys do, for seats without a client."""
        for seat, client in enumerate(self.clients):
            held = self._keys.get(seat, frozenset())
            self.environment.hold(seat, held if client is None else frozenset())

    def press(self, seat: int, keys: Sequence[str]) -> None:
        """These keys are held now, and no others."""
        with self.lock:
            self._check(seat)
            self._keys[seat] = frozenset(keys)

    def type_to(self, seat: int, text: str) -> None:
        """Say something to the agent: SC."""
        with self.lock:
            self._check(seat)
            self.environment.room.tell(seat, Event("SC", (text,)))

    def command(self, seat: int, text: str) -> list[str]:
        """Do what a command says for a seat, beside its client; the answers."""
        with self.lock:
            self._check(seat)
            own, room = self.own[seat], self.environment.room
            events = room.take_events(seat)  # they are the client's
            own.take(f"{text}\n", room)
            answers = own.answers(room).splitlines()
            for event in events:
                room.tell(seat, event)
            self._lines.add(seat, "own", text)
            for one in answers:
                self._lines.add(seat, "own", one)
            return answers

    def restart(self) -> None:
        """Begin the task anew with the next frame."""
        with self.lock:
            self._next = self.environment.setup

    def look(self, seat: int, since: int) -> dict[str, Any]:
        """The room, what a seat senses, and what was said since a line."""
        with self.lock:
            self._check(seat)
            environment = self.environment
            room = environment.room
            controls = environment.controls[seat]
            return {
                "frame": self.frames,
                "task": environment.setup.name,
                "instructions": environment.setup.instructions,
                "solved": room.solved,
                "clients": [one is not None for one in self.clients],
                "scene": scene(room),
                "sensed": sensed(room, seat),
                "states": list(controls.states),
                "reflexes": list(controls.reflexes),
                "lines": self._lines.since(since),
            }

    def _check(self, seat: int) -> None:
        if not 0 <= seat < len(self.clients):
            raise MensuraError(f"There is no body {seat + 1}; the task has {len(self.clients)}.")
