"""The coordinator of a run over hosts: seats agents, lets them start, and collects what they found.

It answers where agents are, and hears that all is quiet or that somebody claims that there is no solution. It sees no
letter.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.running import run_to_end
from mensura.worlds.constraints.execution.crew import Event
from mensura.worlds.constraints.execution.logs import event
from mensura.worlds.constraints.execution.runs import Ended, Plan, Run, added, dealt
from mensura.worlds.constraints.execution.wire import (
    Address,
    BadFrame,
    Frame,
    connect,
    packed,
    read_frame,
    shown,
)

SECONDS_TO_COLLECT = 30.0
"""So long hosts may take to tell what they have."""
OVER: Frame = {"is": "over"}
"""What stands for the end of a host's connection."""


class Coordinator:
    """One run over hosts that listen."""

    def __init__(
        self,
        plan: Plan,
        hosts: Sequence[Address],
        token: str,
        started: Callable[[], None] = lambda: None,
    ) -> None:
        """``started`` is called when all agents may act."""
        count = len(plan.problem.agents)
        if not 1 <= len(hosts) <= count:
            raise MensuraError(
                f"{len(hosts)} hosts were named for {count} agents; there is at least one host, and one agent for each."
            )
        self._plan, self._hosts, self._token, self._started = plan, hosts, token, started
        self._addresses = list(hosts)
        """By which hosts reach each other."""
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._heard: asyncio.Queue[tuple[int, Frame]] = asyncio.Queue()
        self._dead: set[int] = set()

    async def run(self) -> Run:
        """Run it to its end, or to the end of its time."""
        try:
            seats = self._plan.seats()
            for at in range(len(self._hosts)):
                await self._call(at)
            self._parts = dealt(seats, len(self._hosts))
            self._home = {one.seat: at for at, part in enumerate(self._parts) for one in part}
            await self._seat()
            for at in range(len(self._hosts)):
                self._tell(at, {"do": "start"})
            self._started()
            ended, detail = await self._wait()
            return await self._collect(ended, detail)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for writer in self._writers:
                writer.close()

    async def _call(self, at: int) -> None:
        address = self._hosts[at]
        try:
            reader, writer, answer = await connect(address, self._token, {"is": "coordinator"})
        except (OSError, TimeoutError) as error:
            number = getattr(error, "errno", None)
            why = os.strerror(number) if number else str(error) or "it does not answer"
            raise MensuraError(
                f"The host {shown(address)} cannot be reached with this token: {why}."
            ) from error
        self._writers.append(writer)
        if "refused" in answer:
            raise MensuraError(f"The host {shown(address)} refused: {answer['refused']}.")
        known_as = answer.get("known_as")
        if known_as is not None:
            self._addresses[at] = (str(known_as[0]), int(known_as[1]))
        self._tasks.append(asyncio.create_task(self._listen(at, reader)))

    async def _listen(self, at: int, reader: asyncio.StreamReader) -> None:
        while True:
            try:
                frame = await read_frame(reader)
            except BadFrame:
                continue
            except OSError:
                self._dead.add(at)
                await self._heard.put((at, OVER))
                return
            if frame.get("is") == "where":
                self._answer(at, frame.get("agent"))
            else:
                await self._heard.put((at, frame))

    def _tell(self, at: int, frame: Frame) -> None:
        if at not in self._dead:
            self._writers[at].write(packed(frame))

    def _answer(self, at: int, agent: Any) -> None:
        """The directory: where an agent is, or that there is no such agent."""
        host = self._home.get(agent)
        address = None if host is None else list(self._addresses[host])
        self._tell(at, {"do": "where", "agent": agent, "host": host, "address": address})

    async def _seat(self) -> None:
        """Tell each host its agents, and where those are to whom they may write."""
        plan, run = self._plan, secrets.token_hex(8)
        for at, part in enumerate(self._parts):
            for seat in part:
                self._tell(at, {"do": "agent", "given": list(seat)})
            where = {one: self._home[one] for seat in part for one in seat.book}
            near = {*where.values(), (at + 1) % len(self._hosts)} - {at}
            self._tell(
                at,
                {
                    "do": "seat",
                    "run": run,
                    "index": at,
                    "hosts": len(self._hosts),
                    "algorithm": plan.algorithm,
                    "parameters": plan.given,
                    "turns": plan.most_turns,
                    "logs": plan.logs,
                    "where": where,
                    "addresses": {one: list(self._addresses[one]) for one in near},
                },
            )
        waiting = set(range(len(self._hosts)))
        while waiting:
            at, frame = await self._heard.get()
            if frame["is"] == "seated":
                waiting.discard(at)
            elif frame is OVER:
                raise MensuraError(
                    f"The host {shown(self._hosts[at])} left before the run began; nothing was run."
                )
            elif frame["is"] == "failed":
                raise MensuraError(str(frame["sentence"]))

    async def _wait(self) -> tuple[Ended, str]:
        """How it ends, and who or why."""
        try:
            async with asyncio.timeout(self._plan.seconds):
                while True:
                    at, frame = await self._heard.get()
                    match frame.get("is"):
                        case "quiet":
                            return "quiet", ""
                        case "claim":
                            return "claim", str(frame["agent"])
                        case "failed":
                            raise MensuraError(str(frame["sentence"]))
                        case "over":
                            return "lost", f"the host {shown(self._hosts[at])} is gone"
                        case "out of reach":
                            here, there = shown(self._hosts[at]), self._hosts[frame["host"]]
                            return (
                                "lost",
                                f"the host {shown(there)} is out of reach of {here} ({frame['why']})",
                            )
        except TimeoutError:
            return "time", ""

    async def _collect(self, ended: Ended, detail: str) -> Run:
        """What all hosts have that are still there."""
        for at in range(len(self._hosts)):
            self._tell(at, {"do": "collect"})
        values: dict[int, dict[str, int]] = {}
        counts: list[dict[str, int]] = []
        nccc = 0
        events: list[Event] = []
        waiting = set(range(len(self._hosts))) - self._dead
        limited = False
        try:
            async with asyncio.timeout(SECONDS_TO_COLLECT):
                while waiting:
                    at, frame = await self._heard.get()
                    if frame is OVER:
                        waiting.discard(at)
                        ended, detail = self._missed(at, ended, detail)
                    elif frame["is"] == "log":
                        events += map(event, frame["turns"])
                    elif frame["is"] == "end":
                        waiting.discard(at)
                        values.update(frame["values"])
                        counts.append(frame["counts"])
                        nccc = max(nccc, frame["nccc"])
                        limited = limited or frame["limited"]
        except TimeoutError:
            for at in waiting:
                ended, detail = self._missed(at, ended, detail)
        if ended == "quiet" and limited:
            ended = "limit"
        known = [one for one in events if one.agent in values]
        return Run(self._plan, ended, detail, values, added(counts, nccc), tuple(known))

    def _missed(self, at: int, ended: Ended, detail: str) -> tuple[Ended, str]:
        """A host is gone at the end; a claim still stands."""
        if ended in ("claim", "lost"):
            return ended, detail
        return "lost", f"the host {shown(self._hosts[at])} did not tell what it had"


def run_on_hosts(plan: Plan, hosts: Sequence[Address], token: str) -> Run:
    """Run a plan on hosts that listen."""

    async def whole() -> Run:
        return await Coordinator(plan, hosts, token).run()

    return run_to_end(whole)
