"""Logs of runs: a file of lines of JSON, a head and then turns, merged into one order by their vector clocks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.records.results import write_whole
from mensura.worlds.constraints.execution.crew import Event

FORMAT = 1
MOST_BYTES = 1 << 30
"""A log of more is not read."""


@dataclass(frozen=True)
class Head:
    """What a run was, all that is needed to play it again."""

    digest: str
    """Of the problem."""
    algorithm: str
    agents: int
    seed: int
    order: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    ended: str = ""
    lost: tuple[int, ...] = ()
    """Agents whose turns are not in the log, since their host died."""


@dataclass(frozen=True)
class Log:
    """The turns of all agents, in an order in which everything is after what it follows from."""

    head: Head
    events: tuple[Event, ...]


def merged(events: Iterable[Event]) -> list[Event]:
    """Turns in one order that respects causality: who knows of more is later.

    The clock of a turn is in every entry at least that of any turn that it follows from, and higher in its own, so the
    sum of its entries is larger.
    """
    return sorted(events, key=lambda one: (sum(one.clock.values()), one.agent, one.turn))


def replayable(events: Sequence[Event]) -> tuple[list[Event], int]:
    """The turns all of whose causes are there too, and how many others there are."""
    known = {(one.agent, one.turn) for one in events}
    kept = [one for one in events if all(item in known for item in one.clock.items())]
    return kept, len(events) - len(kept)


def event(data: Any) -> Event:
    """A turn from plain data; MensuraError where it is none."""
    try:
        clock = {int(one): turn for one, turn in dict(data["clock"]).items()}
        found = Event(
            data["agent"],
            data["turn"],
            clock,
            list(data["read"]),
            list(data["wrote"]),
            dict(data["value"]),
            data["counter"],
        )
    except (TypeError, ValueError, KeyError) as error:
        raise MensuraError("it is no turn of an agent") from error
    whole = (found.agent, found.turn, found.counter, *clock.values(), *found.value.values())
    if not all(type(one) is int and one >= 0 for one in whole):
        raise MensuraError("agents, turns, counters, clocks and values are whole numbers from 0 on")
    if not all(isinstance(one, str) for one in (*found.read, *found.wrote)):
        raise MensuraError("letters are texts")
    if clock.get(found.agent) != found.turn:
        raise MensuraError("the clock of a turn counts it")
    return found


def write_log(path: Path, log: Log) -> None:
    """Write a log, all of it or nothing."""
    lines = [json.dumps({"mensura": FORMAT, "log": "constraints", **asdict(log.head)})]
    lines += [json.dumps(one._asdict(), separators=(",", ":")) for one in log.events]
    write_whole(path, "\n".join([*lines, ""]))


def read_log(path: Path) -> Log:
    """Read a log; MensuraError, with the line, where it is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise MensuraError(f"{path} has more than {MOST_BYTES:,} bytes; no log has.")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise MensuraError(f"The log {path} cannot be read: {why}.") from error
    events = []
    head: Head | None = None
    for number, line in enumerate(lines, 1):
        try:
            data = json.loads(line)
            if head is None:
                head = _head(data)
            else:
                events.append(event(data))
        except (MensuraError, ValueError, RecursionError) as error:
            why = str(error) if isinstance(error, MensuraError) else "it is no JSON"
            raise MensuraError(f"{path}, line {number}: {why}.") from error
    if head is None:
        raise MensuraError(f"{path} is empty; a log begins with a line that says what was run.")
    return Log(head, tuple(events))


def _head(data: Any) -> Head:
    if not isinstance(data, dict) or (data.get("mensura"), data.get("log")) != (
        FORMAT,
        "constraints",
    ):
        raise MensuraError("it is no head of a log, which has mensura: 1 and log: constraints")
    data = {name: value for name, value in data.items() if name not in ("mensura", "log")}
    try:
        head = Head(**{**data, "lost": tuple(data["lost"])})
    except (TypeError, KeyError) as error:
        raise MensuraError("it does not say what was run") from error
    numbers = (head.agents, head.seed, *head.lost)
    texts = (head.digest, head.algorithm, head.order, head.ended)
    if (
        not all(type(one) is int and one >= 0 for one in numbers)
        or not all(isinstance(one, str) for one in texts)
        or not isinstance(head.parameters, dict)
        or head.seed >> 64
    ):
        raise MensuraError("it does not say what was run")
    return head
