"""Many conversations at once against a real server: ``python benchmarks/talks.py --rooms 100 --seconds 60``.

Starts ``mensura serve`` on a store of its own, with rooms of three people each, who all listen to their streams of
events and say something every five seconds. Prints how long it took from the post until it was shown to whom it was
said, without typing times; and whether anything was lost, doubled or out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from people import Connection, free_port, start

from mensura.web.people.studies import People, PeopleStudy

PERIOD = 5.0
"""Seconds between two messages of a participant."""


@dataclass
class Participant:
    """Somebody in a room, and what their page was shown."""

    number: int
    code: str
    role: str = ""
    room: str = ""
    seen: dict[str, float] = field(default_factory=dict)
    """When each message was first shown, by its text."""
    order: list[str] = field(default_factory=list)
    doubled: int = 0
    said: int = 0

    def show(self, told: dict[str, Any]) -> None:
        """What an event says."""
        page = told.get("page")
        if page is None:
            return
        self.role = page["role"]
        now = time.perf_counter()
        texts = [one["text"] for one in page["messages"]]
        self.doubled += len(texts) - len(set(texts))
        for text in texts:
            self.seen.setdefault(text, now)
        self.order = texts


@dataclass
class Load:
    """All participants, and what was sent."""

    port: int
    people: list[Participant]
    sent: dict[str, float] = field(default_factory=dict)
    by: dict[str, Participant] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    async def listen(self, one: Participant) -> None:
        """Follow the stream of somebody, again and again."""
        while True:
            try:
                await self._stream(one)
            except (ConnectionError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.1)

    async def _stream(self, one: Participant) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1",
            self.port,
            limit=1 << 24,
            local_addr=(f"127.2.{1 + one.number // 250}.{1 + one.number % 250}", 0),
        )
        writer.write(
            f"GET /api/talks/{one.code}/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        )
        try:
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    one.show(json.loads(line[6:]))
        finally:
            writer.close()

    async def talk(self, one: Participant, phase: float, until: float) -> None:
        """Say something every five seconds."""
        await asyncio.sleep(phase)
        way = Connection(self.port, one.number)
        while time.perf_counter() < until:
            text = f"{one.number} says number {one.said}"
            action: Any = text
            if one.role == "judge":
                channel = "AB"[one.said % 2]
                action = {
                    "kind": "say",
                    "channel": channel,
                    "text": text,
                    "choice": "",
                    "value": 50,
                }
            one.said += 1
            began = time.perf_counter()
            self.sent[text], self.by[text] = began, one
            body = {"id": f"{one.number:04}-{one.said:08}", "action": action}
            status, told = await _sent(way, f"/api/talks/{one.code}/doings", body)
            if status != 200:
                del self.sent[text]
                self.refused.append(str(told))
            await asyncio.sleep(max(0.0, began + PERIOD - time.perf_counter()))


async def _sent(way: Connection, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Post, and again where the connection was lost, as a page does."""
    while True:
        try:
            return await way.ask(path, body)
        except OSError:
            await asyncio.sleep(0.01)


async def played(port: int, codes: list[str], seconds: float) -> Load:
    """Everybody comes, then talks for so many seconds."""
    load = Load(port, [Participant(number, code) for number, code in enumerate(codes)])
    came = time.perf_counter()
    streams = [asyncio.create_task(load.listen(one)) for one in load.people]
    while any(not one.role for one in load.people):
        await asyncio.sleep(0.1)
    print(f"everybody is in a room after {time.perf_counter() - came:.1f} s")
    until = time.perf_counter() + seconds
    talks = [load.talk(one, PERIOD * at / len(codes), until) for at, one in enumerate(load.people)]
    await asyncio.gather(*talks)
    await asyncio.sleep(1.0)
    for task in streams:
        task.cancel()
    return load


def told(load: Load, rooms: dict[str, list[str]]) -> dict[str, Any]:
    """How long messages took to be shown to others in their room, and what is wrong with any."""
    by_code = {one.code: one for one in load.people}
    took, lost, disordered = [], 0, 0
    for text, began in load.sent.items():
        author = load.by[text]
        others = [by_code[code] for code in rooms[author.code] if code != author.code]
        shown = [one.seen[text] for one in others if text in one.seen]
        if author.role == "judge":
            lost += not shown
        else:
            lost += not any(one.role == "judge" and text in one.seen for one in others)
        took += [1000.0 * (at - began) for at in shown]
    for one in load.people:
        by_author: dict[str, list[int]] = {}
        for text in one.order:
            by_author.setdefault(text.split()[0], []).append(int(text.split()[-1]))
        disordered += sum(numbers != sorted(numbers) for numbers in by_author.values())
    took.sort()
    return {
        "messages": len(load.sent),
        "median_ms": took[len(took) // 2],
        "p99_ms": took[int(0.99 * len(took))],
        "most_ms": took[-1],
        "within_200_ms": sum(one <= 200.0 for one in took) / len(took),
        "lost": lost,
        "doubled": sum(one.doubled for one in load.people),
        "out_of_order": disordered,
        "refused": len(load.refused),
    }


def study_of(people: People, rooms: int) -> tuple[PeopleStudy, list[str]]:
    """A study of rooms of three people, and the codes of those who have agreed."""
    study = people.create(
        name="talks",
        title="",
        assessment="games",
        parameters={},
        world="imitation-v1",
        world_parameters={
            "exchange": "open",
            "seated": "all",
            "typing": False,
            "minutes": 30.0,
        },
        places=3 * rooms,
        theme="colors",
        language="",
        people={"together": {"people": 3}, "usual_questions": False},
    )
    codes = []
    for one, code in people.invite(study, 3 * rooms):
        people.consent(one)
        codes.append(code)
    return study, codes


def by_room(people: People, study: PeopleStudy, codes: list[str]) -> dict[str, list[str]]:
    """Who is in a room with whom, by code."""
    inside: dict[int | None, list[str]] = {}
    for code in codes:
        inside.setdefault(people.by_code(code).room, []).append(code)
    return {code: group for group in inside.values() for code in group}


def _processor(process: int) -> float:
    """The processor seconds that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store, port = Path(folder) / "talks.db", free_port()
        people = People(store)
        study, codes = study_of(people, given.rooms)
        server = start(store, port)
        try:
            load = asyncio.run(played(port, codes, given.seconds))
            found = told(load, by_room(people, study, codes))
            found["ms_of_processor_a_message"] = 1000.0 * _processor(server.pid) / len(load.sent)
        finally:
            server.terminate()
            server.wait()
            people.end()
    for name, value in found.items():
        print(f"{name}: {value:.4g}")
    for one in load.refused[:3]:
        print(one)


if __name__ == "__main__":
    main()
