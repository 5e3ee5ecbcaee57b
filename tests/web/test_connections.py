"""Connections: whoever never finishes a request takes the server from nobody."""

from __future__ import annotations

import socket
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.web.conftest import Serve, Served

from mensura.web.connections import Gate

HALF = b"GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: "


def connect(served: Served, data: bytes) -> socket.socket:
    """A connection on which this was sent."""
    there = urlsplit(served.url)
    made = socket.create_connection((str(there.hostname), int(there.port or 0)), timeout=60)
    made.sendall(data)
    return made


def is_closed(one: socket.socket) -> bool:
    """Wait until the server has closed a connection, without an answer."""
    try:
        return one.recv(1000) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    "before", [b"", b"GET /static/icon.svg HTTP/1.1\r\nhost: localhost\r\n\r\n"]
)
def test_half_a_request_is_not_waited_for(serve: Serve, before: bytes) -> None:
    """Nor is one after another that was whole."""
    served = serve(header_seconds=0.05)
    with connect(served, before) as one:
        answer = b""
        while before and b"</svg>" not in answer:
            answer += one.recv(100_000)
        one.sendall(HALF)
        assert is_closed(one)


def test_a_body_that_does_not_come_is_not_waited_for(serve: Serve) -> None:
    head = (
        b"POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 50\r\n"
        b"content-type: application/x-www-form-urlencoded\r\n\r\npassword="
    )
    with connect(serve(body_seconds=0.05), head) as one:
        assert one.recv(1000).startswith(b"HTTP/1.1 408")


def test_many_half_requests_of_one_address_make_room_for_a_whole_one(serve: Serve) -> None:
    served = serve(connections=8, connections_each=4, header_seconds=600.0)
    slow = [connect(served, HALF) for _ in range(20)]
    with served.client() as client:
        assert client.get("/").status_code == 200
    assert all(is_closed(one) for one in slow[:16])
    for one in slow:
        one.close()


def test_streams_of_one_client_leave_some_for_others(serve: Serve) -> None:
    served = serve(public=True, streams_each=2)
    ask = b"GET /api/progress HTTP/1.1\r\nhost: localhost\r\n\r\n"
    streams = [connect(served, ask) for _ in range(2)]
    for one in streams:
        read = b""
        while b"retry: 1000" not in read:
            read += one.recv(1000)
    with served.client() as client:
        assert client.get("/api/progress").status_code == 429
        assert client.get("/api/runs").status_code == 200
    for one in streams:
        one.close()


class Held:
    """A connection that is only counted."""

    def __init__(self, address: str, at_work: bool) -> None:
        self.address = address
        self.at_work = at_work
        self.given_up = False

    def give_up(self) -> None:
        self.given_up = True


def test_a_gate_refuses_only_where_all_are_at_work() -> None:
    gate: Any = Gate(most=4, most_each=3)
    busy = [Held("a", True) for _ in range(3)]
    assert all(gate.enter(one) for one in busy)
    assert not gate.enter(Held("a", False)), "three of one address are at work"
    other = Held("b", False)
    assert gate.enter(other)
    assert not gate.enter(Held("c", False)), "four are there, and the address with most is at work"
    busy[1].at_work = False
    late = Held("c", False)
    assert gate.enter(late)
    assert [one.given_up for one in (*busy, other)] == [False, True, False, False]
    for one in (*busy, other, late):
        gate.leave(one)
        gate.leave(one)
    assert len(gate) == 0
