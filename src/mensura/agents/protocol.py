"""The words that Mensura and a foreign program exchange: JSON, one message a line.

``docs/protocol.md`` is the page for those who write a client. Both ends in Python use this module:
:mod:`mensura.agents.process` asks, :mod:`mensura.agents.client` answers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from mensura.core.contract import Limits, Message, Seat, Task
from mensura.core.errors import MensuraError
from mensura.core.loop import Ask
from mensura.core.spaces import Record, Space, from_plain, space_from_json, to_plain

VERSION = 1
"""Raised whenever a client written for the old version would misunderstand the new one."""

LONGEST = 1 << 20
"""A line may hold so many bytes."""

HELLO = 0
"""The number of the handshake; those of the asks are larger and never repeated in a sitting."""

LONGEST_DETAIL = 300
"""So many characters of a reason go into a record."""

FaultOfAnswer: TypeAlias = tuple[Literal["raised", "late", "illegal", "died", "garbled"], str]
"""What went wrong, and the reason in a sentence: the ``fault`` of an Answer."""

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")


_SCAN = json.JSONDecoder(parse_constant=_refuse).scan_once


def encode(value: Any) -> str:
    """JSON in one line; ValueError, TypeError or RecursionError where JSON cannot write it."""
    return _ENCODER.encode(value)


def decode(line: bytes) -> dict[str, Any]:
    """The message of a line; ValueError or RecursionError where it is none."""
    text = line.decode().strip()
    try:
        message, end = _SCAN(text, 0)
    except StopIteration:
        raise ValueError("not JSON") from None
    if end != len(text) or type(message) is not dict:
        raise ValueError("not one object")
    return message


def finite(value: Any) -> Any:
    """The value with "NaN", "Infinity" and "-Infinity" for the numbers that JSON cannot write.

    NumPy and ``float`` read these words, so that :func:`mensura.core.spaces.from_plain` gives the
    numbers back.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return value


# What the host says -----------------------------------------------------------


def hello(seats: int) -> bytes:
    """The handshake: the version, and how many seats one process takes."""
    message = {"id": HELLO, "ask": "hello", "version": VERSION, "seats": seats}
    return f"{encode(message)}\n".encode()


def request(number: int, ask: Ask, shape: Shape | None = None) -> bytes:
    """An ask as a line. Its key is the subject's own: nothing here tells of the environment's.

    ``shape`` is that of the seat's observations, if it is known.
    """
    if ask.kind == "begin":
        assert ask.task is not None
        more = f',"task":{_json(task_to_json(ask.task))},"seed":{ask.key}'
    else:
        seen = shape.write(ask.observation) if shape else _json(to_plain(ask.observation))
        more = f',"observation":{seen},"reward":{_json(float(ask.reward))}'
        if ask.heard:
            more += f',"heard":{_heard(ask.heard)}'
        if ask.kind == "end":
            more += f',"terminated":{_json(ask.terminated)}'
    return f'{{"id":{number},"ask":"{ask.kind}","seat":{ask.seat}{more}}}\n'.encode()


class Shape:
    """How the observations of one seat are written and read, worked out once for all of them."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._dtype: np.dtype[np.void] | None = None
        self._template = ""
        self._names: tuple[str, ...] = ()
        if isinstance(space, Record):
            self._dtype = space.dtype
            self._names = tuple(name for name, _ in space.fields)
            fields = (
                f"{encode(name).replace('%', '%%')}:{_slots(box.shape)}"
                for name, box in space.fields
            )
            self._template = f"{{{','.join(fields)}}}"

    def write(self, observation: Any) -> str:
        """The observation as JSON: what :func:`mensura.core.spaces.to_plain` makes of it."""
        if type(observation) is np.void and observation.dtype == self._dtype:
            numbers = np.frombuffer(observation).tolist()
            total = sum(numbers)
            if total - total == 0.0:  # all are finite
                return self._template % tuple(numbers)
        return _json(to_plain(observation))

    def read(self, plain: Any) -> Any:
        """The observation from JSON: what :func:`mensura.core.spaces.from_plain` makes of it."""
        if self._dtype is None:
            return from_plain(self._space, plain)
        return np.array(tuple([plain[name] for name in self._names]), self._dtype)[()]


def _slots(shape: tuple[int, ...]) -> str:
    """Nested lists of this shape with a place for every number."""
    return f"[{','.join([_slots(shape[1:])] * shape[0])}]" if shape else "%r"


def _json(value: Any) -> str:
    if type(value) is float and value - value == 0.0:
        return repr(value)
    try:
        return encode(value)
    except ValueError:
        return encode(finite(value))


def _heard(heard: Mapping[int, Message]) -> str:
    try:
        return encode({str(seat): to_plain(told) for seat, told in heard.items()})
    except (ValueError, TypeError, RecursionError):
        return encode(dict(_writable(heard)))


def _writable(heard: Mapping[int, Message]) -> Iterator[tuple[str, Any]]:
    """What was told, but for what JSON cannot write: agents in our own process may tell it."""
    for seat, told in heard.items():
        try:
            plain = finite(to_plain(told))
            encode(plain)
        except (ValueError, TypeError, RecursionError):
            continue
        yield str(seat), plain


def task_to_json(task: Task) -> dict[str, Any]:
    """All that a subject is told, field by field, so that a new field is not told by accident."""
    return {
        "world": task.world,
        "seat": {
            "index": task.seat.index,
            "group": task.seat.group,
            "rights": sorted(task.seat.rights),
        },
        "seats": task.seats,
        "observation_space": task.observation_space.to_json(),
        "action_space": task.action_space.to_json(),
        "horizon": task.horizon,
        "clock": task.clock,
        "limits": {
            "seconds_per_action": task.limits.seconds_per_action,
            "seconds_to_start": task.limits.seconds_to_start,
            "faults": task.limits.faults,
        },
        "learning": task.learning,
    }


# What the host understands ----------------------------------------------------


def greeting(line: bytes, seats: int) -> tuple[int, frozenset[int]]:
    """The version that the other end speaks and its seats that tell before they act.

    MensuraError with the other end's own sentence where it reports an error; ValueError where the
    line is no answer to the handshake.
    """
    message = decode(line)
    if message.get("id") != HELLO:
        raise ValueError("not the number of the handshake")
    if "error" in message:
        raise MensuraError(one_line(message["error"]))
    value = message.get("value")
    if not isinstance(value, dict) or type(value.get("version")) is not int:
        raise ValueError("no version")
    speakers = value.get("speakers", [])
    if not isinstance(speakers, list) or any(
        type(seat) is not int or not 0 <= seat < seats for seat in speakers
    ):
        raise ValueError("speakers are seats")
    return value["version"], frozenset(speakers)


def read_reply(line: bytes, last: int) -> tuple[int | None, Any, FaultOfAnswer | None]:
    """The number of the ask that a line answers, the value, and the fault if there is one.

    No number where the line cannot be told to belong to any ask up to ``last``.
    """
    try:
        message = decode(line)
    except (ValueError, RecursionError):
        return None, None, ("garbled", f"{shorten(line)} is not a JSON object")
    number = message.get("id")
    if type(number) is not int or not HELLO < number <= last:
        return None, None, ("garbled", f"{shorten(line)} has not the id of a question")
    if "error" in message:
        detail = one_line(message["error"])
        return number, None, ("garbled" if message.get("kind") == "garbled" else "raised", detail)
    if "value" not in message:
        return number, None, ("garbled", f"{shorten(line)} has neither a value nor an error")
    return number, message["value"], None


def one_line(text: object) -> str:
    """What another program says, fit for a record."""
    return " ".join(str(text).split())[:LONGEST_DETAIL]


def shorten(line: bytes) -> str:
    """The beginning of a line that nobody understands."""
    return repr(line[:60].decode(errors="replace")) + ("..." if len(line) > 60 else "")


# What the client understands --------------------------------------------------


def task_from_json(data: Mapping[str, Any]) -> Task:
    """The task that :func:`task_to_json` wrote."""
    seat = data["seat"]
    limits = data["limits"]
    return Task(
        world=data["world"],
        seat=Seat(seat["index"], seat["group"], frozenset(seat["rights"])),
        seats=data["seats"],
        observation_space=space_from_json(data["observation_space"]),
        action_space=space_from_json(data["action_space"]),
        horizon=data["horizon"],
        clock=data["clock"],
        limits=Limits(
            float(limits["seconds_per_action"]),
            float(limits["seconds_to_start"]),
            limits["faults"],
        ),
        learning=data["learning"],
    )


def ask_from_json(message: Mapping[str, Any], shape: Shape | None) -> Ask:
    """The ask that :func:`request` wrote; ``shape`` is that of the seat's observations."""
    kind = message["ask"]
    if kind == "begin":
        return Ask(kind, message["seat"], task=task_from_json(message["task"]), key=message["seed"])
    if shape is None:
        raise ValueError(f"{kind} before begin")
    heard = message.get("heard")
    return Ask(
        kind,
        message["seat"],
        shape.read(message["observation"]),
        float(message["reward"]),
        None if heard is None else {int(other): told for other, told in heard.items()},
        terminated=message.get("terminated", False),
    )
