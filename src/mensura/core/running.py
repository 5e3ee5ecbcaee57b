"""Work of asyncio, run to its end wherever one is: also where a loop runs already, as in a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_to_end(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """What the work gives; in a thread of its own, where this one has a loop that runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
