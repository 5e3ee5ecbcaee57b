"""Work of asyncio runs to its end, with a loop around it or without."""

from __future__ import annotations

import asyncio

import pytest

from mensura.core.running import run_to_end

pytestmark = pytest.mark.quick


async def work() -> int:
    await asyncio.sleep(0)
    return 7


async def broken() -> int:
    raise KeyError("gone")


def test_it_runs_where_no_loop_is() -> None:
    assert run_to_end(work) == 7


def test_it_runs_within_a_loop_as_in_a_notebook() -> None:
    async def notebook() -> int:
        return run_to_end(work)

    assert asyncio.run(notebook()) == 7


def test_what_breaks_is_told() -> None:
    async def notebook() -> int:
        return run_to_end(broken)

    for run in (lambda: run_to_end(broken), lambda: asyncio.run(notebook())):
        with pytest.raises(KeyError, match="gone"):
            run()
