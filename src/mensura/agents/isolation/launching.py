"""How Mensura starts a launcher, the program between itself and a subject, speaks with it, and ends it.

There are two ways to one: a fresh interpreter, which executes any program; and on Linux, for classes on our own Python,
a fork of the nursery (:mod:`mensura.agents.isolation.nursery`), which takes a fifth of the time.
"""

from __future__ import annotations

import atexit
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from io import FileIO
from typing import IO, Any

from mensura.agent.errors import MensuraError
from mensura.agents.isolation.cage import PASSED, Cage
from mensura.agents.isolation.product import BASES, PACKAGE

CLIENT = ("-P", "-m", "mensura.agent.client")
"""What our Python is told to run a class. -P: a file of the user's that is called as a module of Python's must not take
its place before the client has started."""

SECONDS_TO_CAGE = 60.0
"""How long it may take until the cage stands and the program is in it."""

SECONDS_TO_BURY = 10.0
"""How long all processes of a subject may take to die once they are killed."""

MOST_DEATHS = 3
"""After so many deaths of the nursery in a row all are started as fresh interpreters."""

# After Python's own modules, and before whatever else is installed: another Mensura, perhaps.
_LAUNCH = (
    "import sys; "
    "sys.path.insert(sum('-packages' not in one for one in sys.path), sys.argv[1]); "
    "from mensura.agents.isolation.{} import main; main(int(sys.argv[2]))"
)
_PLACE = os.path.dirname(PACKAGE)

_USUAL = frozenset(
    {"PATH", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", BASES, *PASSED}
)
"""The variables of a subject that was given no further ones."""


class Launched(ABC):
    """A launcher with its subject: the subject's standard streams, and our line to the launcher."""

    def __init__(self, line: socket.socket, streams: Sequence[IO[bytes]]) -> None:
        self.line = line
        self.streams = tuple(streams)
        self._owner = os.getpid()

    @abstractmethod
    def exited(self) -> bool:
        """Whether it is over, without burying it: until then its number belongs to it alone."""

    @abstractmethod
    def _bury(self, seconds: float) -> bool:
        """Wait for its end; whether it came."""

    @abstractmethod
    def _kill(self) -> None:
        """End the launcher by force."""

    def asked(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """What the launcher says to what is wanted; nothing where it died."""
        data = marshal.dumps(wanted)
        self.line.settimeout(SECONDS_TO_CAGE)
        try:
            self.line.sendall(len(data).to_bytes(4, "big") + data)
            return self._heard()
        except OSError:
            return {}

    def last_word(self) -> tuple[int, str]:
        """After its end: the subject's exit status, negative for a signal, and why the launcher ended it, if it did."""
        self.line.settimeout(0.0)
        try:
            told = self._heard()
        except OSError:
            told = {}
        return int(told.get("code", -signal.SIGKILL)), str(told.get("why", ""))

    def terminate(self) -> None:
        """Let the launcher send SIGTERM to the subject."""
        try:
            self.line.send(b"t")
        except OSError:  # it has just gone
            pass

    def release(self) -> None:
        """Let the launcher kill what is left, bury it and close its streams; a fork of us only closes."""
        self.line.close()
        if os.getpid() == self._owner and not self._bury(SECONDS_TO_BURY):
            self._kill()
            self._bury(SECONDS_TO_BURY)
        for stream in self.streams:
            stream.close()

    def _heard(self) -> dict[str, Any]:
        """One message of the launcher's; nothing where there is none."""
        size = self.line.recv(4, socket.MSG_WAITALL)
        if len(size) < 4:
            return {}
        data = self.line.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
        told: dict[str, Any] = marshal.loads(data)
        return told


class Spawned(Launched):
    """A launcher in a fresh interpreter."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        needed = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        code = _LAUNCH.format("launcher")
        with theirs:
            try:
                process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", code, _PLACE, str(theirs.fileno())],
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=needed,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise MensuraError(
                    f"The program {sys.executable} could not be started: {error.strerror}."
                ) from error
        streams = (process.stdin, process.stdout, process.stderr)
        super().__init__(ours, [one for one in streams if one is not None])
        self._process = process

    def exited(self) -> bool:
        """Whether it is over."""
        process = self._process
        if process.returncode is None and hasattr(os, "waitid"):
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            try:
                return os.waitid(os.P_PID, process.pid, options) is not None
            except ChildProcessError:
                return True
        return process.poll() is not None

    def _bury(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _kill(self) -> None:
        self._process.kill()


class Forked(Launched):
    """A launcher that the nursery forked; it is not our child, so we hold on to it by a descriptor."""

    def __init__(self, line: socket.socket, streams: Sequence[FileIO], process: int) -> None:
        super().__init__(line, streams)
        self._process = process
        self._poll = select.poll()
        self._poll.register(process, select.POLLIN)

    def exited(self) -> bool:
        """Whether it is over."""
        return bool(self._poll.poll(0))

    def _bury(self, seconds: float) -> bool:
        return bool(self._poll.poll(1000 * seconds))

    def _kill(self) -> None:
        if sys.platform == "linux":
            try:
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def release(self) -> None:
        """As always, and let go of it."""
        super().release()
        os.close(self._process)


def started(command: Sequence[str], cage: Cage) -> tuple[Launched, dict[str, Any]]:
    """A launcher with the program behind it, and what it told; MensuraError where it cannot be."""
    launched = _launched(command, cage)
    try:
        told = launched.asked(cage.plain(command))
        if "again" in told:
            launched.release()
            launched = _launched(command, cage)
            told = launched.asked(replace(cage, namespaces=False).plain(command))
        if "pid" in told:
            return launched, told
        why = told.get("failed") or told.get("again") or "its launcher died"
        raise MensuraError(f"The program {command[0]} could not be started: {why}.")
    except BaseException:
        launched.release()
        raise


def _launched(command: Sequence[str], cage: Cage) -> Launched:
    if (
        sys.platform == "linux"
        and cage.isolated
        and tuple(command[:-1]) == (sys.executable, *CLIENT)
        and _USUAL.issuperset(cage.environment)
    ):
        forked = _nursery.launched(cage)
        if forked is not None:
            return forked
    return Spawned()


# The nursery ----------------------------------------------------------------------


class Nursery:
    """Our end of it: started when it is first needed, one for this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._owner = 0
        self._deaths = 0
        """In a row: one that cannot live here is not tried for ever."""

    def launched(self, cage: Cage) -> Forked | None:
        """A new launcher; None where there can be none, so that a fresh interpreter has to do."""
        with self._lock:
            if self._deaths == MOST_DEATHS:
                return None
            if self._owner != os.getpid():
                self._forget()
            try:
                if self._control is None:
                    self._start(cage)
                forked = self._fork()
            except OSError:
                self._deaths += 1
                self._close()
                return None
            self._deaths = 0
            return forked

    def close(self) -> None:
        """End it, if there is one; who is in a sitting stays there."""
        with self._lock:
            if self._owner == os.getpid():
                self._close()

    def _start(self, cage: Cage) -> None:
        ours, theirs = socket.socketpair()
        passed = {name: cage.environment[name] for name in PASSED if name in cage.environment}
        code = _LAUNCH.format("nursery")
        with theirs:
            try:
                self._process = subprocess.Popen(
                    # Not -I, since it reads the variables that are set here; its path is that of a fresh
                    # interpreter, whatever we have added to ours.
                    [sys.executable, "-P", "-s", "-c", code, _PLACE, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    # With a home nobody looks for one in the system's list of users, which a subject does not see.
                    env={**passed, "PYTHONHASHSEED": "0", "HOME": os.path.expanduser("~")},
                    cwd="/",
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except OSError:
                ours.close()
                raise
        ours.settimeout(SECONDS_TO_CAGE)
        self._control, self._owner = ours, os.getpid()

    def _fork(self) -> Forked:
        """One of its forks, given pipes and a line of its own."""
        assert self._control is not None
        ours: list[int] = []
        theirs: list[int] = []
        try:
            for inward in (False, True, True):
                reading, writing = os.pipe()
                ours.append(reading if inward else writing)
                theirs.append(writing if inward else reading)
            line, end = socket.socketpair()
            ours.append(line.detach())
            theirs.append(end.detach())
            socket.send_fds(self._control, [b"!"], theirs)
            answer = self._control.recv(8, socket.MSG_WAITALL)
            if len(answer) < 8:
                raise ConnectionError("the nursery is gone")
            process = os.pidfd_open(int.from_bytes(answer, "big"))
        except BaseException:
            for one in ours:
                os.close(one)
            raise
        finally:
            for one in theirs:
                os.close(one)
        streams = [FileIO(one, mode) for one, mode in zip(ours, ("wb", "rb", "rb"), strict=False)]
        return Forked(socket.socket(fileno=ours[3]), streams, process)

    def _close(self) -> None:
        process = self._process
        self._forget()
        if process is not None:
            try:
                process.wait(SECONDS_TO_BURY)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _forget(self) -> None:
        """Also what a fork of us has of our parent's."""
        if self._control is not None:
            self._control.close()
        self._control = self._process = None
        self._owner = 0


_nursery = Nursery()
atexit.register(_nursery.close)
