"""Runs by Ray, for thousands of agents: actors with many agents each, who call each other with letters.

Ray carries the calls of one actor to another in order, so channels are FIFO; what is played, how the end is found out
and what is logged is the code of hosts. A local Ray is started where this process is not connected to one.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.ray_paths import found_here, ray_job_config
from mensura.worlds.constraints.execution.crew import Crew, Event, Letter, Seat
from mensura.worlds.constraints.execution.runs import Ended, Plan, Run, added, dealt
from mensura.worlds.constraints.execution.termination import Detector, Token

SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Nothing is reported to anybody, and a local Ray listens to this machine only."""
BETWEEN_LOOKS = 1.0
"""Seconds between two looks whether all actors live."""
SECONDS_TO_COLLECT = 60.0
MOST_ACTORS = 4096


class Board:
    """Where actors tell how a run ends."""

    def __init__(self) -> None:
        self._news: tuple[str, str] | None = None
        self._told = asyncio.Event()

    async def tell(self, kind: str, detail: str) -> None:
        """The first who tells is heard."""
        self._news = self._news or (kind, detail)
        self._told.set()

    async def news(self) -> tuple[str, str]:
        """How it ends, once somebody has told."""
        await self._told.wait()
        assert self._news is not None
        return self._news


class Place:
    """Some agents of a run, in one actor."""

    def __init__(self, index: int, plan: dict[str, Any], seats: list[Seat], board: Any) -> None:
        self._crew = Crew(
            plan["algorithm"], plan["parameters"], seats, turns=plan["turns"], logs=plan["logs"]
        )
        self._index, self._board = index, board
        self._detector = Detector(index)
        self._over = False

    def meet(self, actors: list[Any], home: dict[int, int]) -> None:
        """Be told where all agents are."""
        self._actors, self._home = actors, home

    def ping(self) -> None:
        """Live."""

    def take(self, letters: list[Letter]) -> None:
        """Take letters of another actor, and go on."""
        for one in letters:
            self._detector.received()
            self._crew.deliver(one)
        self.work()

    def take_token(self, token: Token) -> None:
        """Take the token, and go on."""
        self._detector.take(token)
        self.work()

    def work(self) -> None:
        """Let each agent that has letters act about once; then come back to it after what others have sent."""
        crew = self._crew
        leaving: dict[int, list[Letter]] = {}
        try:
            for _ in range(len(crew.seats)):
                if crew.idle or self._over:
                    break
                for one in crew.turn():
                    if one.to not in self._home:
                        crew.give_up(one)
                        continue
                    self._detector.sent()
                    leaving.setdefault(self._home[one.to], []).append(one)
                if crew.claimed_by is not None:
                    self._end("claim", str(crew.claimed_by))
        except MensuraError as error:
            self._end("failed", str(error))
        for host, letters in leaving.items():
            self._actors[host].take.remote(letters)
        if self._over:
            return
        if crew.idle:
            self._pass_token()
        else:
            self._actors[self._index].work.remote()

    def _pass_token(self) -> None:
        passed = self._detector.pass_on(self._crew.idle)
        if passed == "quiet":
            self._end("quiet", "")
        elif isinstance(passed, Token):
            self._actors[(self._index + 1) % len(self._actors)].take_token.remote(passed)

    def _end(self, kind: str, detail: str) -> None:
        self._over = True
        self._board.tell.remote(kind, detail)

    def collect(self) -> tuple[dict[int, dict[str, int]], dict[str, int], int, bool, list[Event]]:
        """Stop: values, counts, the largest counter, whether somebody had no turn left, and the log."""
        self._over = True
        crew = self._crew
        nccc = max(crew.counters.values(), default=0)
        return crew.values, crew.counts, nccc, crew.limited, crew.log


def run_by_ray(
    plan: Plan, count: int, started: Callable[[list[Any]], None] = lambda _: None
) -> Run:
    """Run a plan in so many actors, or as many as it has agents; ``started`` is told the actors."""
    if not 1 <= count <= MOST_ACTORS:
        raise MensuraError(f"{count} actors were asked for; there are from 1 to {MOST_ACTORS:,}.")
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError:
        raise MensuraError("Actors need the library ray: pip install 'mensura[cluster]'.") from None
    mine = not ray.is_initialized()
    if mine:
        with found_here():
            ray.init(
                address="local",
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                job_config=ray_job_config(),
            )
    try:
        return _run(ray, plan, min(count, len(plan.problem.agents)), started)
    finally:
        if mine:
            ray.shutdown()


def _run(ray: Any, plan: Plan, count: int, started: Callable[[list[Any]], None]) -> Run:
    parts = dealt(plan.seats(), count)
    home = {one.seat: at for at, part in enumerate(parts) for one in part}
    told = {
        "algorithm": plan.algorithm,
        "parameters": plan.given,
        "turns": plan.most_turns,
        "logs": plan.logs,
    }
    board = ray.remote(Board).options(num_cpus=0).remote()
    make = ray.remote(Place).options(num_cpus=0)
    actors = [make.remote(at, told, part, board) for at, part in enumerate(parts)]
    try:
        try:
            ray.get([one.meet.remote(actors, home) for one in actors])
        except ray.exceptions.RayError as error:
            raise MensuraError(
                f"Actors could not start; nothing was run: {str(error).splitlines()[0]}."
            ) from error
        for one in actors:
            one.work.remote()
        started(actors)
        ended, detail = _wait(ray, board, actors, monotonic() + plan.seconds)
        return _collected(ray, plan, actors, ended, detail)
    finally:
        for one in (*actors, board):
            ray.kill(one)


def _wait(ray: Any, board: Any, actors: list[Any], until: float) -> tuple[Ended, str]:
    """How it ends; whether actors live is looked at from time to time."""
    news = board.news.remote()
    pings = {one.ping.remote(): at for at, one in enumerate(actors)}
    while monotonic() < until:
        ready, _ = ray.wait([news], timeout=max(0.0, min(BETWEEN_LOOKS, until - monotonic())))
        if ready:
            ended, detail = ray.get(news)
            if ended == "failed":
                raise MensuraError(detail)
            return ended, detail
        done, _ = ray.wait(list(pings), num_returns=len(pings), timeout=0)
        for ping in done:
            at = pings.pop(ping)
            try:
                ray.get(ping)
            except ray.exceptions.RayError:
                return "lost", f"actor {at} is gone"
            pings[actors[at].ping.remote()] = at
    return "time", ""


def _collected(ray: Any, plan: Plan, actors: Iterable[Any], ended: Ended, detail: str) -> Run:
    values: dict[int, dict[str, int]] = {}
    counts, events, limited, nccc = [], [], False, 0
    for at, answer in enumerate([one.collect.remote() for one in actors]):
        try:
            own, counted, counter, out_of_turns, log = ray.get(answer, timeout=SECONDS_TO_COLLECT)
        except ray.exceptions.RayError:
            if ended not in ("claim", "lost"):
                ended, detail = "lost", f"actor {at} did not tell what it had"
            continue
        values.update(own)
        counts.append(counted)
        nccc = max(nccc, counter)
        events += log
        limited = limited or out_of_turns
    if ended == "quiet" and limited:
        ended = "limit"
    return Run(plan, ended, detail, values, added(counts, nccc), tuple(events))
