"""One run, as one host plays it: its agents, the ways to other hosts, and the token of termination detection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.execution.crew import Crew, Letter, Seat
from mensura.worlds.constraints.execution.links import Link
from mensura.worlds.constraints.execution.termination import Detector, Token
from mensura.worlds.constraints.execution.wire import BadFrame, Frame

PROBE_PAUSE = 0.01
"""Seconds that the first host waits before it sends the token round once more."""

Tell = Callable[[Frame], None]
"""Tells the coordinator."""


class Session:
    """Agents act when they have letters; letters go straight to the hosts of those to whom they are written."""

    def __init__(self, frame: Frame, seats: list[Seat], token: str, tell: Tell) -> None:
        self.run: str = frame["run"]
        self.index: int = frame["index"]
        self.hosts: int = frame["hosts"]
        self.crew = Crew(
            frame["algorithm"],
            frame["parameters"],
            seats,
            turns=frame["turns"],
            logs=frame["logs"],
        )
        self.received: dict[int, int] = {}
        """How many frames each other host has sent that were received."""
        self.bad_frames = 0
        self._token, self._tell = token, tell
        self._where: dict[int, int] = {int(seat): host for seat, host in frame["where"].items()}
        """The hosts of agents."""
        self._addresses = {int(host): tuple(one) for host, one in frame["addresses"].items()}
        self._asked: dict[int, list[Letter]] = {}
        """Letters to agents whose host the directory was asked for."""
        self._links: dict[int, Link] = {}
        self._detector = Detector(self.index)
        self._stir = asyncio.Event()
        self._working: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Let the agents begin."""
        self._working = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Nobody acts any more, and no letter leaves."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        for one in self._links.values():
            await one.close()

    async def _work(self) -> None:
        crew = self.crew
        while True:
            if crew.idle:
                await self._pass_token()
                await self._stir.wait()
                self._stir.clear()
                continue
            try:
                leaving = crew.turn()
                for one in leaving:
                    self._send(one)
            except MensuraError as error:
                self._tell({"is": "failed", "sentence": str(error)})
                return
            if crew.claimed_by is not None:
                self._tell({"is": "claim", "agent": crew.claimed_by})
                return
            await asyncio.sleep(0)

    async def _pass_token(self) -> None:
        """Pass the token on, where it is here; letters that wait for the directory are work to be done."""
        passed = self._detector.pass_on(self.crew.idle and not self._asked)
        if passed == "quiet":
            self._tell({"is": "quiet", "probes": self._detector.probes})
        elif isinstance(passed, Token):
            if self._detector.probes > 1:
                await asyncio.sleep(PROBE_PAUSE)
            following = (self.index + 1) % self.hosts
            if following == self.index:
                self._detector.take(passed)
                self._stir.set()
            else:
                self._link(following).send({"token": list(passed)})

    def _send(self, one: Letter) -> None:
        host = self._where.get(one.to)
        if host is None:
            waiting = self._asked.setdefault(one.to, [])
            waiting.append(one)
            if len(waiting) == 1:
                self._tell({"is": "where", "agent": one.to})
            return
        self._detector.sent()
        self._link(host).send({"letter": [one.sender, one.to, one.text, one.clock, one.counter]})

    def tell_where(self, agent: int, host: int | None, address: Any) -> None:
        """The directory has answered: letters to this agent leave, or are given up where there is no such agent."""
        waiting = self._asked.pop(agent, [])
        if host is not None:
            self._where[agent] = host
            self._addresses[host] = tuple(address)
        for one in waiting:
            if host is None:
                self.crew.give_up(one)
            else:
                self._send(one)
        self._stir.set()

    def _link(self, host: int) -> Link:
        if host not in self._links:
            hello = {"is": "host", "run": self.run, "from": self.index}
            address: Any = self._addresses[host]
            self._links[host] = Link(
                address,
                self._token,
                hello,
                lambda why: self._tell({"is": "out of reach", "host": host, "why": why}),
            )
        return self._links[host]

    def take(self, host: int, frame: Frame) -> bool:
        """Take a frame of another host; whether it was the next one. BadFrame where it makes no sense."""
        number, count = frame.get("number"), self.received.get(host, 0)
        if number != count + 1:
            return False
        self.received[host] = count + 1
        if "token" in frame:
            self._detector.take(_token(frame["token"]))
        else:
            self._detector.received()
            self.crew.deliver(self._letter(frame.get("letter")))
        self._stir.set()
        return True

    def _letter(self, given: Any) -> Letter:
        """A letter out of a frame."""
        try:
            sender, to, text, clock, counter = given
            numbers = (sender, to, counter, *(one for pair in clock for one in pair))
            whole = all(type(one) is int for one in numbers)
            entries = [(seat, turn) for seat, turn in clock]
        except (TypeError, ValueError) as error:
            raise BadFrame("no letter") from error
        if not whole or not isinstance(text, str) or to not in self.crew.seats:
            raise BadFrame("no letter to an agent of this host")
        return Letter(sender, to, text, entries, counter)


def _token(given: Any) -> Token:
    try:
        count, black = given
    except (TypeError, ValueError) as error:
        raise BadFrame("no token") from error
    if type(count) is not int or type(black) is not bool:
        raise BadFrame("no token")
    return Token(count, black)
