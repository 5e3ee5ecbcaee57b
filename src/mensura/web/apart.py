"""Work that would hold up everybody, done in another process: reports, comparisons, standings over many runs."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from threading import Lock
from typing import Any, TypeVar

from mensura.core.errors import MensuraError
from mensura.web.refusals import Refused

T = TypeVar("T")

SECONDS = 180.0
"""What is not done by then is given up."""

WAITING = 16
"""So many may wait at a time."""


class Apart:
    """One process beside the server, started when there is something to do, and again if it dies."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()
        self._waiting = 0

    async def __call__(self, work: Callable[..., T], *given: Any) -> T:
        """What a function of a module gives for what it is given; a sentence of ours is raised here."""
        if self._waiting >= WAITING:
            raise Refused(429, "Too much is being worked out at the moment; try again in a minute.")
        self._waiting += 1
        pool = self._open()
        try:
            future = asyncio.wrap_future(pool.submit(_done, work, given))
            said, found = await asyncio.wait_for(future, SECONDS)
        except BrokenExecutor:
            self._drop(pool)
            raise Refused(503, "The process that worked on this died; try again.") from None
        except TimeoutError:
            self._drop(pool)
            raise Refused(
                503, f"This took longer than {SECONDS:g} seconds and was given up."
            ) from None
        finally:
            self._waiting -= 1
        if said is not None:
            raise MensuraError(said)
        return found  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            self._drop(self._pool)

    def _open(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                spawning = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, spawning, os.nice, (5,))
            return self._pool

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._pool is pool:
                self._pool = None
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()


def _done(work: Callable[..., Any], given: tuple[Any, ...]) -> tuple[str | None, Any]:
    """Errors are sent as text: not every one can be sent as it is."""
    try:
        return None, work(*given)
    except MensuraError as error:
        return str(error), None
