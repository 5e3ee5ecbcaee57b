"""Frames between hosts: JSON with its length before it, and the proof that both ends know the token.

A frame is four bytes of length and so many of JSON, an object. Who connects and who is connected to each send a random
number and answer that of the other by an HMAC with the token, which is itself never sent. What follows is not
encrypted: on networks of others hosts belong into a tunnel.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import socket
from collections.abc import Mapping
from typing import Any

from mensura.agent.errors import MensuraError

Frame = dict[str, Any]
Address = tuple[str, int]

LONGEST_FRAME = 1 << 26
"""Bytes of a frame at most, from those who know the token."""
LONGEST_HELLO = 4096
"""Bytes of a frame at most, from those of whom nobody knows yet whether they do."""
SILENCE = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 11_000}
"""After 5 seconds of silence a connection is tried every 2; after 11 without an answer it is over. Where the system
has such settings."""
SECONDS_TO_GREET = 10.0
"""So long a handshake may take."""


class BadFrame(ValueError):
    """What came is no frame; the next one may be."""


class Stranger(ConnectionError):
    """Somebody who does not know the token, or who speaks something else."""


def packed(data: Mapping[str, Any]) -> bytes:
    """An object as a frame."""
    body = json.dumps(data, separators=(",", ":")).encode()
    if len(body) > LONGEST_FRAME:
        raise MensuraError(
            f"A host has {len(body):,} bytes to send at once; {LONGEST_FRAME:,} are allowed."
        )
    return len(body).to_bytes(4, "big") + body


async def read_frame(reader: asyncio.StreamReader, longest: int = LONGEST_FRAME) -> Frame:
    """The next frame; ConnectionError where the connection is over or what comes is too long."""
    try:
        size = int.from_bytes(await reader.readexactly(4), "big")
        if size > longest:
            raise Stranger(f"a frame of {size} bytes")
        body = await reader.readexactly(size)
    except asyncio.IncompleteReadError as error:
        raise ConnectionResetError("the connection is over") from error
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadFrame("no JSON") from error
    if not isinstance(data, dict):
        raise BadFrame("no object")
    return data


def _proof(token: str, role: str, *nonces: str) -> str:
    words = "\n".join((role, *nonces)).encode()
    return hmac.new(token.encode(), words, hashlib.sha256).hexdigest()


def _right(given: Any, wanted: str) -> bool:
    return isinstance(given, str) and hmac.compare_digest(given.encode(), wanted.encode())


def keep_alive(writer: asyncio.StreamWriter) -> None:
    """Let the system find out within seconds that a machine at the other end is gone without a word."""
    one = writer.get_extra_info("socket")
    if one is not None:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in SILENCE.items():
            if hasattr(socket, name):
                one.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def greet(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str
) -> tuple[Frame, str]:
    """Ask who has connected for a proof: what it says of itself, and our own proof, to be sent with the answer."""
    nonce = secrets.token_hex(16)
    keep_alive(writer)
    writer.write(packed({"nonce": nonce}))
    try:
        async with asyncio.timeout(SECONDS_TO_GREET):
            hello = await read_frame(reader, LONGEST_HELLO)
    except (TimeoutError, BadFrame) as error:
        raise Stranger("no greeting") from error
    theirs = hello.get("nonce")
    if not isinstance(theirs, str) or not _right(
        hello.get("proof"), _proof(token, "who connects", nonce, theirs)
    ):
        raise Stranger("a wrong token")
    return hello, _proof(token, "who listens", theirs, nonce)


async def connect(
    address: Address, token: str, hello: Mapping[str, Any]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Frame]:
    """Connect to a host, prove that we know the token, and have it proven: what it answers."""
    async with asyncio.timeout(SECONDS_TO_GREET):
        reader, writer = await asyncio.open_connection(*address)
        keep_alive(writer)
        try:
            nonce = (await read_frame(reader, LONGEST_HELLO)).get("nonce")
            if not isinstance(nonce, str):
                raise Stranger("no host of ours")
            ours = secrets.token_hex(16)
            proof = _proof(token, "who connects", nonce, ours)
            writer.write(packed({**hello, "nonce": ours, "proof": proof}))
            answer = await read_frame(reader, LONGEST_HELLO)
            if not _right(answer.get("proof"), _proof(token, "who listens", ours, nonce)):
                raise Stranger("a host that does not know the token")
        except BadFrame as error:
            writer.close()
            raise Stranger("no host of ours") from error
        except BaseException:
            writer.close()
            raise
    return reader, writer, answer


def address_of(text: str) -> Address:
    """An address as people write it: HOST:PORT, and [HOST]:PORT where the host has colons."""
    host, colon, port = text.rpartition(":")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not (
        colon
        and host
        and port.isdecimal()
        and port.isascii()
        and len(port) <= 5
        and int(port) < 1 << 16
    ):
        raise MensuraError(f"{text!r} is no address; one is HOST:PORT, as 127.0.0.1:7000.")
    return host, int(port)


def shown(address: Address) -> str:
    """An address as people read it."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
