"""Real runs on loopback, for tests: hosts in one event loop, maybe with relays between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from tests.worlds.constraints.relay import Relay

from mensura.worlds.constraints.execution.coordinator import Coordinator
from mensura.worlds.constraints.execution.host import Host
from mensura.worlds.constraints.execution.runs import Plan, Run

TOKEN = "a token for tests, long enough"
LONG = 60.0
"""Seconds after which a test has failed."""


async def run_between(
    plan: Plan,
    count: int,
    relays: Sequence[Relay] = (),
    *,
    make: Callable[..., Coordinator] = Coordinator,
    **options: Any,
) -> Run:
    """Run a plan between so many hosts, each behind its relay where there are any."""
    hosts = []
    addresses = []
    try:
        for at in range(min(count, len(plan.problem.agents))):
            known_as = await relays[at].open() if relays else None
            hosts.append(Host(TOKEN, known_as))
            addresses.append(await hosts[-1].listen(("127.0.0.1", 0)))
            if relays:
                relays[at].lead_to(addresses[-1])
        async with asyncio.timeout(LONG):
            return await make(plan, addresses, TOKEN, **options).run()
    finally:
        for host in hosts:
            await host.close()
        for relay in relays[: len(hosts)]:
            await relay.close()


def run_on(plan: Plan, count: int, relays: Sequence[Relay] = (), **options: Any) -> Run:
    """The same, from outside an event loop."""
    return asyncio.run(run_between(plan, count, relays, **options))
