"""Subjects in a process of their own: foreign code that can crash or hang without harm to the run.

:class:`ProcessSubject` runs a Python class with the client that we ship; :class:`Child` and
:class:`ProcessPlayer` know nothing of Python and will carry programs in any language. What is said
over the pipes stands in :mod:`mensura.agents.protocol` and ``docs/protocol.md``.

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
from typing import Any

from mensura.agents.address import Part, is_code
from mensura.agents.protocol import (
    HELLO,
    LONGEST,
    VERSION,
    FaultOfAnswer,
    Shape,
    greeting,
    hello,
    one_line,
    read_reply,
    request,
    shorten,
)
from mensura.core.contract import Limits
from mensura.core.errors import MensuraError
from mensura.core.loop import Answer, Ask
from mensura.core.spaces import Box, Record, Space, from_plain

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

SECONDS_TO_END = 1.0
"""How long a child may take to end by itself once its input is closed."""

SECONDS_TO_TERMINATE = 0.5
"""How long it may take after SIGTERM; then it is killed."""

_CHUNK = 1 << 16
_CPU_CLOCK = 2
"""The kind of clock, in Linux's numbers for them, that counts the time a process was given."""
_LONGEST_WAIT = 86_400.0
_DEFAULT = Limits()
_NONE = Answer()


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
        limits: Limits = _DEFAULT,
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


class ProcessPlayer:
    """A program in its seats for one sitting. It is restarted once if it dies."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        seats: int,
        limits: Limits = _DEFAULT,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._name = name
        self._command = tuple(command)
        self._seats = seats
        self._limits = limits
        self._environment = child_environment(environment or {})
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
        self._child: Child | None
        self._child, self.speakers = self._start()
        self._cpu_start = self._child.cpu_seconds()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Send all asks at once and wait for the answers, each within its deadline.

        The program answers in turn, so the clock of an answer starts when the one before it came;
        if one is late, so are those behind it.
        """
        begins = asks if asks and asks[0].kind == "begin" else []
        if begins:
            self._begun = {}
        unfit: dict[int, Answer] = {}
        if self._child is None and self._restarts:
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
        if self._child is not None:
            self._cpu = self._cpu_before + self._child.cpu_seconds() - self._cpu_start
        return self._cpu

    def close(self) -> None:
        """End the process: politely, then firmly. A second call does nothing."""
        if self._child is not None:
            self._child.close(0.0 if self._behind else SECONDS_TO_END)
            self._child = None
            self._cause = "the sitting is over"
        self._restarts = 0

    def _start(self) -> tuple[Child, frozenset[int]]:
        """A new process that has shaken hands; MensuraError with the reason where it cannot."""
        child = Child(self._command, self._environment, self._limits.memory_mb)
        try:
            return child, self._shake_hands(child)
        except BaseException:
            child.close(0.0)
            raise

    def _shake_hands(self, child: Child) -> frozenset[int]:
        seconds = self._limits.seconds_to_start
        child.send(hello(self._seats))
        try:
            lines = child.lines(perf_counter() + seconds)
        except Ended:
            raise MensuraError(f"{self._name} died while starting: {child.epitaph()}.") from None
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
            self._child, _ = self._start()
            self._cpu_before, self._cpu_start = self._cpu, self._child.cpu_seconds()
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
        child = self._child
        if child is None:
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
        child.send(b"".join(out))
        while waiting:
            number, place = next(iter(waiting.items()))
            oldest, deadline = number, asks[place].deadline
            # Lines that answer nothing may come without end, so there is one last look when the time is over.
            last_look = perf_counter() >= mark + deadline
            late: FaultOfAnswer = ("late", f"no answer after {deadline:g} s")
            fault: FaultOfAnswer | None = None
            lines: list[bytes] = []
            try:
                lines = child.lines(mark + deadline)
            except Ended:
                self._cause = child.epitaph()
                self._child = None
                fault = ("died", self._cause)
            except Flooded:
                self._cause = f"it wrote a line of over {LONGEST} bytes and was ended"
                child.close(0.0)
                self._child = None
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


class Ended(Exception):
    """The child has closed its output, mostly because it died."""


class Flooded(Exception):
    """The child wrote a line that is longer than any message."""


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
        self._rest = b""
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
                    *lines, self._rest = (self._rest + chunk).split(b"\n")
                    if len(self._rest) > LONGEST or (lines and len(lines[0]) > LONGEST):
                        raise Flooded
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
