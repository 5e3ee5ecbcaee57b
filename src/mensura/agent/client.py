"""Runs a Python agent as a program that answers Mensura's questions over its standard streams.

::

    python -m mensura.agent.client agent.py:MyAgent

Mensura starts it itself, one for each sitting. The agent is called by the same code as inside
Mensura's own process (:mod:`mensura.agent.in_process`), so that a class behaves alike in both. An agent
with the methods ``save() -> bytes`` and ``load(bytes)`` can be continued in another sitting.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from mensura.agent.asks import Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import Agents, InProcess, call, describe, describe_with_line
from mensura.agent.loading import load_address
from mensura.agent.protocol import (
    LONGEST,
    LONGEST_MEMORY,
    VERSION,
    Shape,
    ask_from_json,
    decode,
    encode,
    shape_of,
)
from mensura.agent.spaces import to_plain

_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Answer what is asked of the agent at the address until the input ends."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m mensura.agent.client FILE_OR_MODULE:Class\n")
        return 2
    address = arguments[0]
    source, sink = take_streams()
    die_with_parent()
    sys.argv[:] = [address]
    try:
        serve(address, lines(source), lambda line: write(sink, line))
    except BrokenPipeError:  # whoever asked is gone
        return 1
    return 0


def serve(address: str, requests: Iterator[bytes], send: Callable[[bytes], None]) -> None:
    """Answer each request in turn, at once: an answer must not wait for a neighbor that hangs."""
    agents: list[Any] = []
    shapes: dict[int, Shape] = {}
    usual: Shape | None = None
    for line in requests:
        act = usual.read_act(line) if usual is not None else None
        if act is not None and shapes.get(act[1].seat) is usual:
            answer(agents, *act, send)
            continue
        message = decode(line)
        kind = message["ask"]
        if kind == "error":  # the last word of whoever asks
            sys.stderr.write(f"{message['error']}\n")
            return
        number = message["id"]
        if kind == "hello":
            try:
                player = seat_agents(address, message)
                components = player.components
            except MensuraError as error:
                send(failure(number, str(error)))
                return
            agents = player.agents
            told: dict[str, Any] = {"version": VERSION, "speakers": sorted(player.speakers)}
            if player.probes:
                told["probes"] = sorted(player.probes)
            if components:
                told["components"] = components
            send(success(number, told))
            continue
        if kind == "switch_off":
            try:
                player.switch_off(message["component"])
            except MensuraError as error:
                send(failure(number, str(error).rstrip(".")))
            else:
                send(success(number, None))
            continue
        if kind == "save":
            try:
                memory = player.save()
            except Exception as error:
                send(failure(number, describe(error)))
            else:
                text = None if memory is None else memory.decode()
                send(success(number, text, LONGEST_MEMORY))
            continue
        seat = message["seat"]
        ask = ask_from_json(message, shapes.get(seat))
        if ask.task is not None:
            usual = shapes[seat] = shape_of(ask.task.observation_space)
        answer(agents, number, ask, send)


def answer(agents: list[Any], number: int, ask: Ask, send: Callable[[bytes], None]) -> None:
    """Let the agent of a seat answer an ask."""
    try:
        value = call(agents[ask.seat], ask)
    except Exception as error:
        send(failure(number, describe_with_line(error)))
    else:
        send(success(number, value))


def seat_agents(address: str, hello: dict[str, Any]) -> Agents:
    """Load the class and make one agent for each seat."""
    if hello["version"] != VERSION:
        raise MensuraError(
            f"Mensura speaks version {hello['version']} of the protocol and its client version "
            f"{VERSION}; install the same Mensura for both."
        )
    memory = hello.get("memory")
    subject = InProcess(address, load_address(address))
    return subject.sit(hello["seats"], None if memory is None else memory.encode())


def success(number: int, value: Any, longest: int = LONGEST) -> bytes:
    """An answer as a line; one that JSON cannot write becomes a fault with its reason."""
    if type(value) is int:
        return b'{"id":%d,"value":%d}\n' % (number, value)
    try:
        line = f'{{"id":{number},"value":{encode(to_plain(value))}}}\n'.encode()
    except (TypeError, ValueError, RecursionError) as error:
        why = f"JSON cannot write the answer {shorten(value)}: {describe(error)}"
    else:
        if len(line) <= longest:
            return line
        why = f"the answer takes {len(line)} bytes; at most {longest} are allowed"
    return failure(number, why, "garbled")


def failure(number: int, why: str, kind: str = "raised") -> bytes:
    """That there is no answer, and the reason, as a line."""
    return f"{encode({'id': number, 'error': why, 'kind': kind})}\n".encode()


def shorten(value: object) -> str:
    """How a value looks, in a few characters; an object may fail even at this."""
    try:
        text = repr(value)
    except Exception:
        return f"of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


# The streams ------------------------------------------------------------------


def take_streams() -> tuple[int, int]:
    """Keep the standard streams for the protocol; the agent reads nothing and prints to stderr.

    At the level of descriptors, so that libraries in C and programs that the agent starts cannot
    write into the protocol either.
    """
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return source, sink


def lines(source: int) -> Iterator[bytes]:
    """The complete lines that come in, until the end of the input."""
    pieces: list[bytes] = []
    while chunk := os.read(source, 1 << 16):
        head, *tail = chunk.split(b"\n")
        pieces.append(head)
        if tail:
            yield b"".join(pieces)
            yield from tail[:-1]
            pieces = tail[-1:]


def write(sink: int, line: bytes) -> None:
    """Write all of a line."""
    while line:
        line = line[os.write(sink, line) :]


def die_with_parent() -> None:
    """On Linux, end when Mensura does, even in the middle of a computation.

    Elsewhere the program ends at the end of its input, when it next reads.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
