"""Work that would hold up everybody, done in another process: reports, comparisons, standings over many runs."""

from __future__ import annotations

import asyncio
import multiprocessing.connection as connections
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from mensura.agent.errors import MensuraError
from mensura.core.interpreter import our_python
from mensura.web.refusals import Refused

T = TypeVar("T")

SECONDS = 180.0
"""What is not done by then is given up."""

WAITING = 16
"""So many may wait at a time."""

NICE = 5
"""Whoever waits for a page comes before this."""


class Apart:
    """One process beside the server, started when there is something to do, and again if it dies."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "apart")
        self._process: _Process | None = None
        self._waiting = 0

    async def __call__(self, work: Callable[..., T], *given: Any) -> T:
        """What a function of a module gives for what it is given; a sentence of ours is raised here."""
        if self._waiting >= WAITING:
            raise Refused(429, "Too much is being worked out at the moment; try again in a minute.")
        self._waiting += 1
        try:
            error, found = await asyncio.get_running_loop().run_in_executor(
                self._thread, self._asked, work, given
            )
        finally:
            self._waiting -= 1
        if error is not None:
            raise error
        return found  # type: ignore[no-any-return]

    @property
    def pid(self) -> int | None:
        """The number of the process, if there is one."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.end()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _asked(self, work: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, Any]:
        """In the thread, one at a time: an error, or what came of it."""
        process = self._process = self._process or _Process()
        try:
            return process.ask(work, given)
        except TimeoutError:
            why = f"This took longer than {SECONDS:g} seconds and was given up."
        except (EOFError, OSError):
            why = "The process that worked on this died; try again."
        self._process = None
        process.end()
        return Refused(503, why), None


class _Process:
    """The process, behind a socket."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                our_python("mensura.web.apart", str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                # Ctrl-C is the server's to answer.
                start_new_session=True,
            )
        self._pipe: connections.Connection[Any, Any] = connections.Connection(ours.detach())
        self.pid = self._process.pid

    def ask(self, work: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, Any]:
        """An error, or what came of the work."""
        self._pipe.send((work, given))
        if not self._pipe.poll(SECONDS):
            raise TimeoutError
        said: tuple[Any, Any] = self._pipe.recv()
        return said

    def end(self) -> None:
        """End it at once; whoever waits for it is told that it died."""
        self._process.kill()
        self._process.wait()


# Inside the process --------------------------------------------------------------


def main() -> None:
    """Do the work that comes over the socket of the given number until it is closed."""
    from mensura.agent.client import die_with_parent

    die_with_parent()
    os.nice(NICE)
    pipe: connections.Connection[Any, Any] = connections.Connection(int(sys.argv[1]))
    while True:
        try:
            work, given = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(_done(work, given))


def _done(work: Callable[..., Any], given: tuple[Any, ...]) -> tuple[BaseException | None, Any]:
    """Errors are sent as ours, or as text: not every one can be sent as it is."""
    try:
        return None, work(*given)
    except MensuraError as error:
        return MensuraError(str(error)), None
    except Exception as error:
        return RuntimeError("".join(traceback.format_exception(error))), None
