"""Hosts that are processes of this machine, started for one run."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from mensura.agent.errors import MensuraError
from mensura.core.running import run_to_end
from mensura.worlds.constraints.execution.coordinator import Coordinator
from mensura.worlds.constraints.execution.runs import Plan, Run
from mensura.worlds.constraints.execution.wire import Address

MOST_PROCESSES = 256
SECONDS_TO_START = 120.0
SECONDS_TO_LEAVE = 5.0


@dataclass(frozen=True)
class Started:
    """Processes that listen on loopback."""

    addresses: list[Address]
    pids: list[int]
    token: str


@asynccontextmanager
async def processes(count: int) -> AsyncIterator[Started]:
    """So many processes; none of them outlives the context."""
    if not 1 <= count <= MOST_PROCESSES:
        raise MensuraError(
            f"{count} processes were asked for; there are from 1 to {MOST_PROCESSES}."
        )
    token = secrets.token_hex(32)
    running: list[asyncio.subprocess.Process] = []
    try:
        for _ in range(count):
            # The token goes through a pipe, since every user of the machine can read command lines.
            one = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "mensura.worlds.constraints.execution.host"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            running.append(one)
            assert one.stdin is not None
            one.stdin.write(f"{token}\n".encode())
        addresses = [("127.0.0.1", await _port(one)) for one in running]
        yield Started(addresses, [one.pid for one in running], token)
    finally:
        for one in running:
            await _end(one)


async def _port(one: asyncio.subprocess.Process) -> int:
    assert one.stdout is not None
    try:
        async with asyncio.timeout(SECONDS_TO_START):
            return int(await one.stdout.readline())
    except (TimeoutError, ValueError) as error:
        raise MensuraError("A process for agents could not start; nothing was run.") from error


async def _end(one: asyncio.subprocess.Process) -> None:
    """Let a process leave by itself, and end it where it does not."""
    try:
        async with asyncio.timeout(SECONDS_TO_LEAVE):
            await one.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            one.kill()
        await one.wait()


def run_in_processes(plan: Plan, count: int) -> Run:
    """Run a plan in so many processes of this machine, or as many as it has agents."""

    async def whole() -> Run:
        async with processes(min(count, len(plan.problem.agents))) as started:
            return await Coordinator(plan, started.addresses, started.token).run()

    return run_to_end(whole)
