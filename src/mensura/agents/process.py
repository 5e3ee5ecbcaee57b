"""Subjects in a process of their own: foreign code that can crash, hang or pry without harm to the run.

:class:`ProcessSubject` runs a Python class with the client that we ship; :class:`Child`, the channel
to a process, and :class:`ProcessPlayer` know nothing of Python. What is said over the pipes, and how
it is judged, is :mod:`mensura.agents.peer`'s; what the process may use is
:mod:`mensura.agents.isolation`'s.

The host waits with ``poll`` on the raw descriptors and keeps its own buffers: one interaction costs
one write and one read on each side.
"""

from __future__ import annotations

import functools
import math
import os
import select
import signal
import sys
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.protocol import LONGEST, one_line
from mensura.agent.task import Limits
from mensura.agents.address import Part, is_code
from mensura.agents.isolation.cage import Cage, advice, for_class, for_command
from mensura.agents.isolation.launching import CLIENT, started
from mensura.agents.peer import DEFAULT, SECONDS_TO_END, Ended, Lines, Peer
from mensura.core.printed import Printed

KEPT = 8192
"""So many of the last bytes that a child wrote to its standard error are kept."""

SECONDS_TO_TERMINATE = 0.5
"""How long it may take after SIGTERM; then it is killed."""

MEMORY_HELD = {True: "memory limited by the kernel", False: "memory counted"}
"""How all processes of a subject together are held to their memory: by a control group, or by looking at them."""

_CHUNK = 1 << 16
_CPU_CLOCK = 2
"""The kind of clock, in Linux's numbers for them, that counts the time a process was given."""
_LONGEST_WAIT = 86_400.0


class ProcessSubject:
    """A class at an address, run in a process of its own: one for each sitting, with all its seats."""

    concurrent = True
    """Sittings may be played side by side: each has a process of its own."""

    def __init__(
        self,
        part: Part,
        limits: Limits = DEFAULT,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``environment``: further variables for the child."""
        if not is_code(part):
            raise MensuraError(
                f"{part.name!r} names no code that could run in a process of its own; "
                "code is named as file.py:Class or package.module:Class."
            )
        forbid_looking_in()
        self.name = part.label
        self.summary = ""
        self.trained_on: Any = None
        """The pool that it was trained on, where its file says so."""
        self.limits = limits
        self.command = (python, *CLIENT, part.label)
        self.environment = dict(environment or {})
        self.part = part

    def sit(self, seats: int, memory: bytes | None = None) -> ProcessPlayer:
        """Start the process; an address that cannot be loaded raises here what ``load`` raises."""
        part, limits, further = self.part, self.limits, self.environment
        python = self.command[0]
        return ProcessPlayer(
            self.name,
            self.command,
            seats,
            limits,
            caged=lambda: for_class(part, limits, python, further),
            memory=memory,
        )


class ProcessPlayer(Peer):
    """A program that we start, in its seats for one sitting. It is restarted once if it dies.

    It runs in a cage (:mod:`mensura.agents.isolation`), unless the limits say otherwise.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        seats: int,
        limits: Limits = DEFAULT,
        environment: Mapping[str, str] | None = None,
        caged: Callable[[], Cage] | None = None,
        memory: bytes | None = None,
    ) -> None:
        """``environment``: further variables. ``caged`` says what it may use, if not what any program may."""
        words, further = tuple(command), dict(environment or {})
        cage = caged or (lambda: for_command(words, limits, further))
        super().__init__(name, lambda: Child(words, cage()), seats, limits, memory=memory)


class Child:
    """An operating-system process, its streams and its end.

    It is in a cage, and the launcher (:mod:`mensura.agents.isolation.launcher`) between it and us ends
    it with all that it started, also when we are gone. It leads a session of its own: a Ctrl-C in the
    terminal reaches only us. Its standard error is read whenever we wait, so that it never blocks there.
    """

    def __init__(self, command: Sequence[str], cage: Cage) -> None:
        forbid_looking_in()
        self._launched, told = started(command, cage)
        self._cage = cage
        self._pid: int = told["pid"]
        self.holds: Mapping[str, Any] = told["holds"]
        """What could be done to confine it, as the launcher tells."""
        # Also when it is forgotten, or when the interpreter exits, it does not stay behind.
        self._release = weakref.finalize(self, self._launched.release)
        self._in, self._out, self._err = (stream.fileno() for stream in self._launched.streams)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._unsent = bytearray()
        self._lines = Lines()
        self.longest = LONGEST
        self._words = b""
        self._printed = Printed()

    @property
    def pid(self) -> int:
        """The number that the operating system gave it."""
        return self._pid

    def cpu_seconds(self) -> float:
        """Its processor time so far, all threads; nan where the system does not tell or it is gone."""
        if sys.platform != "linux":
            return math.nan
        try:
            return time.clock_gettime((~self.pid << 3) | _CPU_CLOCK)
        except OSError:
            return math.nan

    def send(self, data: bytes) -> None:
        """Write as much as the pipe takes; the rest is written while waiting for lines."""
        if not self._unsent:
            try:
                sent = os.write(self._in, data)
            except BlockingIOError:
                sent = 0
            except BrokenPipeError:  # its output will tell whether it died
                return
            if sent == len(data):
                return
            data = data[sent:]
            self._poll.register(self._in, select.POLLOUT)
        self._unsent += data

    def lines(self, until: float) -> list[bytes]:
        """The complete lines that came, as soon as there are any; none when the time is over."""
        lines: list[bytes] = []
        while True:
            left = until - perf_counter()
            for stream, _ in self._poll.poll(min(max(left, 0.0), _LONGEST_WAIT) * 1000):
                if stream == self._out:
                    chunk = os.read(stream, _CHUNK)
                    if not chunk:
                        raise Ended
                    lines = self._lines.cut(chunk, self.longest)
                elif stream == self._err:
                    self._listen()
                else:
                    self._send_rest()
            if lines:
                return lines
            if left <= 0:
                return []

    def output(self) -> str:
        """What it has written to its standard error, shortened; a class's standard output goes there too."""
        return self._printed.text()

    def epitaph(self) -> str:
        """How it died, once its output has ended, and its last words."""
        self._close_input()
        by_itself = self._ends(SECONDS_TO_TERMINATE)
        code, why = self._launched.last_word() if by_itself else (0, "")
        self._release()
        if why:
            how = why
        elif not by_itself:
            how = "it closed its standard output"
        elif code < 0:
            how = f"signal {_signal_name(-code)}"
        else:
            how = f"exit status {code}"
        words = self._words.decode(errors="replace").strip().splitlines()
        how = f"{how}; its last words: {one_line(words[-1])}" if words else how
        return self.explained(how, "\n".join(words))

    def explained(self, said: str, words: str = "") -> str:
        """What it said, with what to do where that was of a file that it is not shown."""
        help_with_it = advice(words or said, self._cage)
        return f"{said}; {help_with_it}" if help_with_it else said

    def close(self, patience: float = SECONDS_TO_END) -> None:
        """Let it end by itself for a while, then terminate it, then kill it and all its kin."""
        if self._release.alive:
            self._close_input()
            if not self._ends(patience):
                self._launched.terminate()
                self._ends(SECONDS_TO_TERMINATE)
            self._release()

    def _send_rest(self) -> None:
        try:
            del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent.clear()
        if not self._unsent:
            self._poll.unregister(self._in)

    def _listen(self) -> bytes:
        """Read what is on the standard error, and keep the end of it."""
        chunk = os.read(self._err, _CHUNK)
        if not chunk:
            self._poll.unregister(self._err)
        self._words = (self._words + chunk)[-KEPT:]
        self._printed.add(chunk)
        return chunk

    def _close_input(self) -> None:
        if self._unsent:
            self._poll.unregister(self._in)
            self._unsent.clear()
        self._launched.streams[0].close()

    def _ends(self, seconds: float) -> bool:
        """Whether it exits within so many seconds; what it still writes is read meanwhile."""
        until = perf_counter() + seconds
        pause = 1
        while not self._launched.exited():
            if perf_counter() >= until:
                return False
            for stream, _ in self._poll.poll(pause):
                if stream == self._err:
                    self._listen()
                elif not os.read(stream, _CHUNK):
                    self._poll.unregister(stream)
            pause = min(2 * pause, 20)
        for stream, _ in self._poll.poll(0):
            if stream == self._err:
                self._listen()
        return True


def forbid_looking_in() -> None:
    """On Linux, let nobody without privileges read our memory from now on, in which the keys are."""
    if sys.platform == "linux":
        from mensura.agents.isolation import linux

        linux.forbid_looking_in()


@functools.cache
def isolation_here() -> str:
    """How far a program that we start is isolated on this machine, in a few words: by starting one and asking."""
    command = (sys.executable, "-I", "-S", "-c", "")
    child = Child(command, for_command(command, DEFAULT))
    child.close()
    parts = {
        "namespaces": "namespaces",
        "landlock": "Landlock",
        "seccomp": "a filter of system calls",
        "user": "another user",
    }
    missing = [words for name, words in parts.items() if not child.holds[name]]
    held = f"isolation without {', '.join(missing)}" if missing else "full isolation"
    return f"{held}, {MEMORY_HELD[bool(child.holds['group'])]}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
