"""Subjects in a process of their own: foreign code that can crash or hang without harm to the run.

:class:`ProcessSubject` runs a Python class with the client that we ship; :class:`Child`, the channel
to a process, and :class:`ProcessPlayer` know nothing of Python. What is said over the pipes, and how
it is judged, is :mod:`mensura.agents.peer`'s.

The host waits with ``poll`` on the raw descriptors and keeps its own buffers: one interaction costs
one write and one read on each side.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from time import perf_counter

from mensura.agents.address import Part, is_code
from mensura.agents.peer import DEFAULT, SECONDS_TO_END, Ended, Lines, Peer
from mensura.agents.protocol import LONGEST, one_line
from mensura.core.contract import Limits
from mensura.core.errors import MensuraError

PASSED = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS",
)
"""The variables of our environment that a child sees, and no others: the rest may hold secrets."""

KEPT = 8192
"""So many of the last bytes that a child wrote to its standard error are kept."""

SECONDS_TO_TERMINATE = 0.5
"""How long it may take after SIGTERM; then it is killed."""

_CHUNK = 1 << 16
_CPU_CLOCK = 2
"""The kind of clock, in Linux's numbers for them, that counts the time a process was given."""
_LONGEST_WAIT = 86_400.0


class ProcessSubject:
    """A class at an address, run in a process of its own: one for each sitting, with all its seats.

    On Linux a child dies with the thread that started it, so the thread that sits down stays until
    the sitting is over.
    """

    concurrent = True
    """Sittings may be played side by side: each has a process of its own."""

    def __init__(
        self,
        part: Part,
        limits: Limits = DEFAULT,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``environment``: further variables for the child, beside those in :data:`PASSED`."""
        if not is_code(part):
            raise MensuraError(
                f"{part.name!r} names no code that could run in a process of its own; "
                "code is named as file.py:Class or package.module:Class."
            )
        self.name = part.label
        self.limits = limits
        # -P: a file of the user's that is called as a module of Python's must not take its place
        # before the client has started.
        self.command = (python, "-P", "-m", "mensura.agents.client", part.label)
        self.environment = dict(environment or {})

    def sit(self, seats: int) -> ProcessPlayer:
        """Start the process; an address that cannot be loaded raises here what ``load`` raises."""
        return ProcessPlayer(self.name, self.command, seats, self.limits, self.environment)


class ProcessPlayer(Peer):
    """A program that we start, in its seats for one sitting. It is restarted once if it dies."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        seats: int,
        limits: Limits = DEFAULT,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``environment``: further variables for the child, beside those in :data:`PASSED`."""
        variables = child_environment(environment or {})
        super().__init__(
            name, lambda: Child(tuple(command), variables, limits.memory_mb), seats, limits
        )


class Child:
    """An operating-system process, its streams and its end.

    It leads a session of its own: a Ctrl-C in the terminal reaches only us, and what it started
    ends with it. Its standard error is read whenever we wait, so that it never blocks there.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], memory_mb: int | None = None
    ) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise MensuraError(
                f"The program {command[0]} could not be started: {error.strerror}."
            ) from error
        if memory_mb is not None:
            limit_memory(self._process.pid, memory_mb)
        # Also when it is forgotten, or when the interpreter exits, it does not stay behind.
        self._release = weakref.finalize(self, _release, self._process, os.getpid())
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (stream.fileno() for stream in streams if stream)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._unsent = bytearray()
        self._lines = Lines()
        self.longest = LONGEST
        self._words = b""

    @property
    def pid(self) -> int:
        """The number that the operating system gave it."""
        return self._process.pid

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

    def epitaph(self) -> str:
        """How it died, once its output has ended, and its last words."""
        self._close_input()
        by_itself = self._ends(SECONDS_TO_TERMINATE)
        self._release()
        code = self._process.returncode
        if not by_itself:
            how = "it closed its standard output"
        elif code < 0:
            how = f"signal {_signal_name(-code)}"
        else:
            how = f"exit status {code}"
        words = self._words.decode(errors="replace").strip().splitlines()
        return f"{how}; its last words: {one_line(words[-1])}" if words else how

    def close(self, patience: float = SECONDS_TO_END) -> None:
        """Let it end by itself for a while, then terminate it, then kill it and all its kin."""
        if self._release.alive:
            self._close_input()
            if not self._ends(patience):
                _signal_group(self._process, signal.SIGTERM)
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
        return chunk

    def _close_input(self) -> None:
        if self._unsent:
            self._poll.unregister(self._in)
            self._unsent.clear()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _ends(self, seconds: float) -> bool:
        """Whether it exits within so many seconds; what it still writes is read meanwhile."""
        until = perf_counter() + seconds
        pause = 1
        while not _exited(self._process):
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


def limit_memory(pid: int, megabytes: int) -> None:
    """On Linux, let a process write to no more memory than this; what it asks for beyond is refused to it.

    The limit is on its own data (RLIMIT_DATA), not on addresses, of which libraries reserve far more than they use.
    """
    if sys.platform == "linux":
        import resource

        limit = megabytes << 20
        try:
            resource.prlimit(pid, resource.RLIMIT_DATA, (limit, limit))
        except ProcessLookupError:  # it has just gone
            pass


def child_environment(further: Mapping[str, str]) -> dict[str, str]:
    """The environment of a child: little of ours, and the same order of sets in every run."""
    passed = {name: os.environ[name] for name in PASSED if name in os.environ}
    return {**passed, "PYTHONHASHSEED": "0", **further}


def _exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether it exited, without burying it: until then its number belongs to it alone."""
    if process.returncode is None and hasattr(os, "waitid"):
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, process.pid, options) is not None
        except ChildProcessError:
            return True
    return process.poll() is not None


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if process.returncode is None:
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):  # it has just gone
            pass


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _release(process: subprocess.Popen[bytes], owner: int) -> None:
    """Kill what is left of a child, bury it and close its streams; a fork of us only closes."""
    if os.getpid() == owner:
        _signal_group(process, signal.SIGKILL)
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
