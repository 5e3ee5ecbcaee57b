"""The words that Mensura and a foreign program exchange: JSON, one message a line.

``docs/protocol.md`` is the page for those who write a client. Both ends in Python use this module:
:mod:`mensura.agents.process` asks, :mod:`mensura.agent.client` answers.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from mensura.agent.asks import PROBES, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Record, Space, from_plain, space_from_json, to_plain
from mensura.agent.task import Limits, Message, Seat, Task

VERSION = 1
"""Raised whenever a client written for the old version would misunderstand the new one."""

LONGEST = 1 << 20
"""A line may hold so many bytes."""

LONGEST_MEMORY = 64 << 20
"""What a program saves may hold so many, in the answer to ``save`` and in ``hello``."""

HELLO = 0
"""The number of the handshake; those of the asks are larger and never repeated in a sitting."""

LONGEST_DETAIL = 300
"""So many characters of a reason go into a record."""

FaultOfAnswer: TypeAlias = tuple[Literal["raised", "late", "illegal", "died", "garbled"], str]
"""What went wrong, and the reason in a sentence: the ``fault`` of an Answer."""

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has no {constant}")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def encode(value: Any) -> str:
    """JSON in one line; ValueError, TypeError or RecursionError where JSON cannot write it."""
    return _ENCODER.encode(value)


def decode(line: bytes) -> dict[str, Any]:
    """The message of a line; ValueError or RecursionError where it is none."""
    text = line.decode().strip()
    message, end = _DECODER.raw_decode(text)
    if end != len(text) or type(message) is not dict:
        raise ValueError("not one object")
    return message


def finite(value: Any) -> Any:
    """The value with "NaN", "Infinity" and "-Infinity" for the numbers that JSON cannot write.

    NumPy and ``float`` read these words, so that :func:`mensura.agent.spaces.from_plain` gives the
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


def hello(seats: int, memory: str | None = None) -> bytes:
    """The handshake: the version, how many seats one program takes, and what it saved in another sitting."""
    message = {"id": HELLO, "ask": "hello", "version": VERSION, "seats": seats}
    if memory is not None:
        message["memory"] = memory
    return f"{encode(message)}\n".encode()


def save(number: int) -> bytes:
    """The wish to have all that the program remembers."""
    return b'{"id":%d,"ask":"save"}\n' % number


def switch_off(number: int, component: str) -> bytes:
    """The wish that the program goes on without one of the components that it named."""
    return f'{{"id":{number},"ask":"switch_off","component":{encode(component)}}}\n'.encode()


def last_word(why: str) -> bytes:
    """Why we hang up, where the other end broke the protocol. It has no number: nothing is to be answered."""
    return f"{encode({'ask': 'error', 'error': one_line(why)})}\n".encode()


def request(number: int, ask: Ask, shape: Shape | None = None) -> bytes:
    """An ask as a line. Its key is the subject's own: nothing here tells of the environment's.

    ``shape`` is that of the seat's observations, if it is known.
    """
    kind, seat = ask.kind, ask.seat
    if kind in PROBES:
        return f'{{"id":{number},"ask":"{kind}","seat":{seat},"question":{_json(ask.question)}}}\n'.encode()
    if kind == "act" and shape and not ask.heard:  # as nearly always
        seen, reward = shape.write(ask.observation), _json(float(ask.reward))
        return f'{{"id":{number},"ask":"act","seat":{seat},"observation":{seen},"reward":{reward}}}\n'.encode()
    if kind == "begin":
        assert ask.task is not None
        more = f',"task":{_json(task_to_json(ask.task))},"seed":{ask.key}'
    else:
        seen = shape.write(ask.observation) if shape else _json(to_plain(ask.observation))
        more = f',"observation":{seen},"reward":{_json(float(ask.reward))}'
        if ask.heard:
            more += f',"heard":{_heard(ask.heard)}'
        if kind == "end":
            more += f',"terminated":{_json(ask.terminated)}'
    return f'{{"id":{number},"ask":"{kind}","seat":{seat}{more}}}\n'.encode()


class Shape:
    """How the observations of one seat are written and read, worked out once for all of them.

    The results are those of :func:`mensura.agent.spaces.to_plain` and ``from_plain``.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._dtype: np.dtype[np.void] | None = None
        self._act: re.Pattern[bytes] | None = None
        if isinstance(space, Record) and space.flat:
            self._dtype = space.dtype
            self._fields = [(name, len(box.shape)) for name, box in space.boxes.items()]
            self._pack = struct.Struct(f"={space.size}d").pack
            parts = [
                (f"{encode(name)}:{_nested(box.shape)}", box.size)
                for name, box in space.boxes.items()
            ]
            self._pieces = list(_pieces(parts))
            self._text = f"{{{','.join(text for text, _ in parts)}}}"

    def write(self, observation: Any) -> str:
        """An observation as JSON."""
        if type(observation) is np.void and (
            observation.dtype is self._dtype or observation.dtype == self._dtype
        ):
            row = observation.tobytes()
            if len(self._pieces) == 1:
                return f"{{{self._pieces[0].write(row)}}}"
            return f"{{{','.join([piece.write(row) for piece in self._pieces])}}}"
        return _json(to_plain(observation))

    def read(self, plain: Any) -> Any:
        """The observation that JSON gave back."""
        if self._dtype is None:
            return from_plain(self.space, plain)
        numbers: list[float] = []
        for name, depth in self._fields:
            value = plain[name]
            if not depth:
                numbers.append(value)
                continue
            for _ in range(1, depth):
                value = chain.from_iterable(value)
            numbers.extend(value)
        try:
            return self._record(numbers)
        except struct.error:  # words among the numbers: one is not finite
            return from_plain(self.space, plain)

    def read_act(self, line: bytes) -> tuple[int, Ask] | None:
        """The number and the ask of a line that asks for an action of a seat with this shape.

        None where it is another line, or one that takes more care: :func:`decode` and :func:`ask_from_json` read it.
        """
        if self._act is None:
            if self._dtype is None or self._text.count(_NUMBER) > _MOST_GROUPS:
                return None
            self._act = _pattern(self._text)
        found = self._act.fullmatch(line)
        if found is None:
            return None
        number, seat, *numbers, reward = found.groups()
        seen = self._record(map(float, numbers))
        return int(number), Ask("act", int(seat), seen, float(reward))

    def _record(self, numbers: Iterable[float]) -> Any:
        return np.frombuffer(bytearray(self._pack(*numbers)), self._dtype)[0]


@lru_cache(maxsize=64)
def shape_of(space: Space) -> Shape:
    """The shape of a space, the same for all sittings in this process."""
    return Shape(space)


_MOST_GROUPS = 256
"""Records of more numbers are read by the general way."""

_NUMBER = "\0"
"""Stands for a number in the text of a field. No text of JSON holds it."""


class _Texts(dict[int, str]):
    """Numbers as JSON, by the bits of the number: most are seen again and again, and to write one takes longer."""

    def __missing__(self, bits: int) -> str:
        if len(self) >= _MOST_TEXTS:
            self.clear()
        (number,) = struct.unpack("=d", struct.pack("=q", bits))
        text = self[bits] = _json(number)
        return text


_MOST_TEXTS = 1 << 14
_text_of = _Texts().__getitem__


class _Piece:
    """Neighboring fields of a record, as bytes and as text.

    Much of what is seen is seen again, so the last texts of a long field are kept.
    """

    def __init__(self, text: str, start: int, size: int, keep: bool = False) -> None:
        """``text`` is that of the fields; ``start`` the number in the record that is their first."""
        self._start, self._stop = 8 * start, 8 * (start + size)
        self._unpack = struct.Struct(f"={size}q").unpack
        self._format = text.replace("%", "%%").replace(_NUMBER, "%s")
        self._known: dict[bytes, str] = {}
        self._keep = 256 if keep else 0

    def write(self, row: bytes) -> str:
        part = row[self._start : self._stop]
        if self._keep:
            known = self._known.get(part)
            if known is not None:
                return known
        text = self._format % tuple(map(_text_of, self._unpack(part)))
        if self._keep:
            if len(self._known) >= self._keep:
                self._known.clear()
            self._known[part] = text
        return text


_LONG = 4
"""A field of so many numbers is looked up sooner than written."""


def _pieces(fields: Iterable[tuple[str, int]]) -> Iterator[_Piece]:
    """The fields of a record in pieces: each long one by itself, the short ones between them together."""
    texts: list[str] = []
    start = place = 0
    for text, size in fields:
        if size >= _LONG:
            if texts:
                yield _Piece(",".join(texts), start, place - start)
                texts.clear()
            yield _Piece(text, place, size, keep=size <= 64)
            start = place + size
        else:
            texts.append(text)
        place += size
    if texts:
        yield _Piece(",".join(texts), start, place - start)


def _nested(shape: tuple[int, ...]) -> str:
    """The text of an array as nested lists."""
    if not shape:
        return _NUMBER
    return f"[{','.join([_nested(shape[1:])] * shape[0])}]"


def _pattern(text: str) -> re.Pattern[bytes]:
    """What :func:`request` writes to ask for an action, with the numbers as groups."""
    number = r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)"
    seen = number.join(re.escape(part) for part in text.split(_NUMBER))
    return re.compile(
        rf'\{{"id":([0-9]+),"ask":"act","seat":([0-9]+),"observation":{seen},"reward":{number}\}}'.encode()
    )


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
        **({"instructions": task.instructions} if task.instructions else {}),
    }


# What the host understands ----------------------------------------------------


def introduction(line: bytes) -> tuple[int, str]:
    """The version and the token in the first line of a program that connects to us; no token is an empty one.

    ValueError or RecursionError where it is no such line.
    """
    message = decode(line)
    version, token = message.get("version"), message.get("token", "")
    if type(version) is not int or not isinstance(token, str):
        raise ValueError("no version")
    return version, token


def memory_of(value: Any) -> bytes | None:
    """What a program saved; ValueError where it is neither a text nor nothing."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("not a text")
    return value.encode()


def greeting(line: bytes, seats: int) -> tuple[int, frozenset[int], frozenset[str]]:
    """The version that the other end speaks, its seats that tell before they act, and the probes that it answers.

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
    probes = value.get("probes", [])
    if not isinstance(probes, list):
        raise ValueError("probes are a list")
    return value["version"], frozenset(speakers), frozenset(one for one in PROBES if one in probes)


def components_named(line: bytes) -> tuple[str, ...]:
    """What a program can switch off, in its answer to the handshake; ValueError where these are no names."""
    named = decode(line)["value"].get("components", [])
    if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
        raise ValueError("components are names")
    return tuple(dict.fromkeys(named))


_USUAL_REPLY = re.compile(
    rb'\{"id": ?([1-9][0-9]{0,17}), ?"value": ?(0|[1-9][0-9]{0,17})\}'
).fullmatch
"""What nearly all replies are: a whole number to a question. :func:`decode` reads the others."""


def read_reply(line: bytes, last: int) -> tuple[int | None, Any, FaultOfAnswer | None]:
    """The number of the ask that a line answers, the value, and the fault if there is one.

    No number where the line cannot be told to belong to any ask up to ``last``.
    """
    usual = _USUAL_REPLY(line)
    if usual is not None and (answered := int(usual[1])) <= last:
        return answered, int(usual[2]), None
    try:
        message = decode(line)
        finite = _is_finite(message.get("value"))
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
    if not finite:
        return number, None, ("garbled", f"{shorten(line)} has a number that is too large")
    return number, message["value"], None


def _is_finite(value: Any) -> bool:
    """Whether all numbers of a value are finite; 1e999 is read as infinity, which JSON does not have."""
    if type(value) is float:
        return math.isfinite(value)
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, dict) or all(map(_is_finite, value.values()))


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
        instructions=data.get("instructions", ""),
    )


def ask_from_json(message: Mapping[str, Any], shape: Shape | None) -> Ask:
    """The ask that :func:`request` wrote; ``shape`` is that of the seat's observations."""
    kind = message["ask"]
    if kind == "begin":
        return Ask(kind, message["seat"], task=task_from_json(message["task"]), key=message["seed"])
    if kind in PROBES:
        return Ask(kind, message["seat"], question=message["question"])
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
