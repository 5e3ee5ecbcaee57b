"""Programs over every transport: alike where they play, and each way of breaking the protocol has its answer."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.agents import misbehaving
from tests.agents.toy import ACTION, OBSERVATION, Toy, episode

from mensura.agent import protocol
from mensura.agent.asks import Ask
from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits, Seat, Task
from mensura.agents.address import parse
from mensura.agents.connection import Turns
from mensura.agents.listening import TOKEN, Listener, is_loopback
from mensura.agents.peer import Flooded, Lines
from mensura.agents.program import from_command
from mensura.agents.sockets import from_listening, from_tcp, from_websocket
from mensura.core.contract import Episode

needs_websockets = pytest.mark.skipif(
    find_spec("websockets") is None, reason="the library websockets is not installed"
)
TRANSPORTS = [
    "streams",
    "tcp",
    pytest.param("ws", marks=needs_websockets),
    "listen",
    pytest.param("listen-ws", marks=needs_websockets),
]
CONNECTED = [pytest.param("streams", marks=pytest.mark.thorough), *TRANSPORTS[1:]]
"""A program of ours that misbehaves has tests of its own."""
QUICK = Limits(seconds_per_action=0.3)


class Plain:
    """The program's end of a TCP connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.first = True
        self._socket = connection
        self._file = connection.makefile("rb")

    def hear(self) -> dict[str, Any] | None:
        try:
            line = self._file.readline()
        except OSError:
            return None
        return json.loads(line) if line else None

    def say(self, text: str) -> None:
        self._socket.sendall(text.encode() + b"\n")

    def close(self) -> None:
        self._file.close()
        self._socket.close()


class Framed:
    """The program's end of a WebSocket."""

    def __init__(self, connection: Any) -> None:
        self.first = True
        self._connection = connection

    def hear(self) -> dict[str, Any] | None:
        from websockets.exceptions import ConnectionClosed

        try:
            return json.loads(self._connection.recv())
        except ConnectionClosed:
            return None

    def say(self, text: str) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            self._connection.send(text)
        except ConnectionClosed:
            raise BrokenPipeError from None

    def close(self) -> None:
        self._connection.close()


class Elsewhere:
    """Programs in threads of this process, and what they heard last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._closing: list[Callable[[], object]] = []
        self._threads: list[threading.Thread] = []
        self._starts = 0
        self.errors: list[str] = []

    def subject(self, transport: str, deed: Callable[[Any], None], limits: Limits = QUICK) -> Any:
        """A subject that does this deed, over this transport."""
        world: Any = None
        if transport == "streams":
            program = Path(misbehaving.__file__)
            words = f"cmd:{sys.executable} {program} {deed.__name__} {self._folder / 'mark'}"
            # What it was started for it marks in a file, which a program in a cage could not.
            return from_command(parse(words)[0], world, replace(limits, isolation=False))
        if transport == "tcp":
            server = socket.create_server(("127.0.0.1", 0))
            self._closing.append(lambda: (server.shutdown(socket.SHUT_RDWR), server.close()))
            self._thread(self._accept, server, deed)
            return from_tcp(parse(f"tcp://127.0.0.1:{server.getsockname()[1]}")[0], world, limits)
        if transport == "ws":
            from websockets.sync.server import serve

            ours = serve(lambda one: self._do(Framed(one), deed), "127.0.0.1", 0, max_size=None)
            self._closing.append(ours.shutdown)
            self._thread(ours.serve_forever)
            place = f"ws://127.0.0.1:{ours.socket.getsockname()[1]}/agent"
            return from_websocket(parse(place)[0], world, limits)
        part = parse("listen://127.0.0.1:0?token=sesame")[0]
        listener = Listener.at(part)
        self._closing.insert(0, listener.close)
        self._thread(self._connect, transport, listener.port, deed)
        return from_listening(part, world, limits)

    def _thread(self, *work: Any) -> None:
        self._threads.append(threading.Thread(target=work[0], args=work[1:]))
        self._threads[-1].start()

    def _accept(self, server: socket.socket, deed: Callable[[Any], None]) -> None:
        with suppress(OSError):
            while True:
                self._do(Plain(server.accept()[0]), deed)

    def _connect(self, transport: str, port: int, deed: Callable[[Any], None]) -> None:
        with suppress(OSError):
            while True:
                first = {"version": 1, "token": "sesame"}
                if transport == "listen":
                    self._do(Plain(socket.create_connection(("127.0.0.1", port))), deed, first)
                    continue
                from websockets.exceptions import WebSocketException
                from websockets.sync.client import connect

                try:
                    with connect(f"ws://127.0.0.1:{port}", max_size=None, proxy=None) as line:
                        self._do(Framed(line), deed, first)
                except WebSocketException:  # nobody listens any more
                    return

    def _do(self, line: Any, deed: Callable[[Any], None], first: Any = None) -> None:
        self._starts += 1
        line.first = self._starts == 1
        hear = line.hear

        def listening() -> Any:
            message = hear()
            if message is not None and message["ask"] == "error":
                self.errors.append(message["error"])
            return message

        line.hear = listening
        with closing(line), suppress(OSError):
            if first is not None:
                line.say(json.dumps(first))
            deed(line)

    def close(self) -> None:
        for close in self._closing:
            with suppress(OSError):
                close()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Elsewhere]:
    made = Elsewhere(tmp_path)
    yield made
    made.close()


def play(subject: Any, horizon: int = 4, limits: Limits = QUICK) -> Episode:
    with closing(subject.sit(1)) as player:
        return episode(player, Toy(horizon=horizon), limits)


def kinds(played: Episode) -> list[str]:
    return [fault.kind for fault in played.faults]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_program_plays_over_every_transport(elsewhere: Elsewhere, transport: str) -> None:
    patient = Limits()
    subject = elsewhere.subject(transport, misbehaving.plays, patient)
    for _ in range(2):
        played = play(subject, limits=patient)
        assert played.faults == ()
        assert played.rewards == (2.0,)


@needs_websockets
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_wss_goes_by_tls_and_only_with_a_certificate_that_is_trusted(
    elsewhere: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from websockets.sync.server import serve

    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(
        [*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = serve(
        lambda one: elsewhere._do(Framed(one), misbehaving.plays), "127.0.0.1", 0, ssl=context
    )
    elsewhere._closing.append(server.shutdown)
    elsewhere._thread(server.serve_forever)
    (part,) = parse(f"wss://127.0.0.1:{server.socket.getsockname()[1]}/agent")
    world: Any = None
    patient = Limits()
    with pytest.raises(MensuraError, match="certificate"):
        from_websocket(part, world, patient).sit(1)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    played = play(from_websocket(part, world, patient), limits=patient)
    assert played.faults == ()
    assert played.rewards == (2.0,)


@pytest.mark.parametrize("transport", CONNECTED)
def test_an_action_out_of_range_is_illegal(elsewhere: Elsewhere, transport: str) -> None:
    patient = Limits()
    subject = elsewhere.subject(transport, misbehaving.acts_out_of_range, patient)
    played = play(subject, limits=patient)
    assert kinds(played) == ["illegal"] * 3
    assert played.faults[0].detail == "99 is not an action of this seat now"


@pytest.mark.parametrize("transport", CONNECTED)
def test_broken_json_is_garbled_and_the_next_question_is_asked(
    elsewhere: Elsewhere, transport: str
) -> None:
    patient = Limits()
    played = play(elsewhere.subject(transport, misbehaving.breaks_json, patient), limits=patient)
    assert [(one.kind, one.detail) for one in played.faults] == [
        ("garbled", '\'{"id": 1, "val\' is not a JSON object')
    ]
    assert played.rewards == (2.0,)


@pytest.mark.parametrize("transport", CONNECTED)
def test_a_line_too_long_is_garbled_and_the_program_is_hung_up_on(
    elsewhere: Elsewhere, transport: str
) -> None:
    patient = Limits()
    subject = elsewhere.subject(transport, misbehaving.says_a_line_too_long, patient)
    played = play(subject, limits=patient)
    assert kinds(played)[0] == "garbled"
    assert (
        played.faults[0].detail == f"it wrote a line of over {protocol.LONGEST} bytes and was ended"
    )
    if transport in ("tcp", "listen"):  # a WebSocket has a code for it
        assert (
            elsewhere.errors[0] == "A line may hold 1048576 bytes; a longer one ends the sitting."
        )


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(
    ("deed", "sentence"),
    [
        (misbehaving.speaks_another_version, "speaks version 99 of the protocol and this Mensura"),
        (
            misbehaving.answers_no_handshake,
            "answered the handshake with 'good morning'; right would",
        ),
    ],
)
def test_who_cannot_shake_hands_is_told_so_and_so_is_the_user(
    elsewhere: Elsewhere, transport: str, deed: Any, sentence: str
) -> None:
    subject = elsewhere.subject(transport, deed, Limits())
    with pytest.raises(MensuraError, match=sentence):
        subject.sit(1)
    elsewhere.close()
    if transport != "streams":
        assert sentence in elsewhere.errors[0]


@pytest.mark.parametrize("transport", CONNECTED)
def test_a_silent_program_is_late(elsewhere: Elsewhere, transport: str) -> None:
    limits = Limits(seconds_per_action=0.05, seconds_to_start=5.0)
    subject = elsewhere.subject(transport, misbehaving.falls_silent, limits)
    with closing(subject.sit(1)) as player:
        task = Task("toy-v0", Seat(0), 1, OBSERVATION, ACTION, horizon=4)
        (answer,) = player.answer([Ask("begin", 0, task=task, deadline=0.1)])
        assert answer.fault == ("late", "no answer after 0.1 s")


@pytest.mark.parametrize("transport", CONNECTED)
def test_a_program_that_never_is_ready_is_not_waited_for_forever(
    elsewhere: Elsewhere, transport: str
) -> None:
    limits = Limits(seconds_to_start=0.5)
    subject = elsewhere.subject(transport, misbehaving.is_silent_from_the_start, limits)
    with pytest.raises(MensuraError, match=r"was not ready after 0.5 s"):
        subject.sit(1)


@pytest.mark.thorough
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_flood_does_not_hold_up_the_clock(elsewhere: Elsewhere, transport: str) -> None:
    played = play(elsewhere.subject(transport, misbehaving.floods))
    assert kinds(played) == ["late"] * 3
    assert played.interactions == (4,)


@pytest.mark.parametrize("transport", CONNECTED)
def test_who_leaves_in_the_middle_is_reached_again_once(
    elsewhere: Elsewhere, transport: str
) -> None:
    patient = Limits()
    played = play(elsewhere.subject(transport, misbehaving.leaves_once, patient), limits=patient)
    assert kinds(played) == ["died"]
    assert played.rewards == (0.25 + 3 * 0.5,)


@pytest.mark.parametrize("transport", CONNECTED)
def test_who_leaves_twice_is_not_asked_again(elsewhere: Elsewhere, transport: str) -> None:
    patient = Limits()
    subject = elsewhere.subject(transport, misbehaving.leaves_twice, patient)
    assert kinds(play(subject, limits=patient)) == ["died"] * 3


# Reaching somebody ---------------------------------------------------------------


def test_where_nobody_listens_the_user_is_told_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    for address, made in (("tcp", from_tcp), ("ws", from_websocket)):
        if address == "ws" and find_spec("websockets") is None:
            continue
        subject = made(parse(f"{address}://127.0.0.1:{port}")[0], None, QUICK)  # type: ignore[arg-type]
        with pytest.raises(
            MensuraError, match=r"^Nobody listens at .*; start the program first\.$"
        ):
            subject.sit(1)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("tcp://127.0.0.1", "names no host and port; write it as in tcp://127.0.0.1:7001"),
        ("tcp://127.0.0.1:port", "names no host and port"),
        ("tcp:127.0.0.1:7001", "names no host and port"),
        ("tcp://127.0.0.1:7001/agent", "has more than a host and a port"),
        ("tcp://127.0.0.1:7001?token=x", "has more than a host and a port"),
        ("listen://127.0.0.1", "names no host and port"),
        ("listen://127.0.0.1:0?word=x", "has no parameter 'word'; the one that it has is token"),
        ("listen://0.0.0.0:0", "need a token"),
        ("listen://127.0.0.1:99999", "names no host and port"),
    ],
)
def test_an_address_that_names_no_place_is_refused(
    address: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    (part,) = parse(address)
    made = {"tcp": from_tcp, "listen": from_listening}[part.scheme]
    with pytest.raises(MensuraError, match=sentence):
        made(part, None, QUICK)  # type: ignore[arg-type]


@needs_websockets
def test_a_web_server_that_speaks_no_websocket_is_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                connection.recv(10_000)

        thread = threading.Thread(target=refuse)
        thread.start()
        (part,) = parse(f"ws://127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(MensuraError, match=r"does not speak WebSocket as it should.*404"):
            from_websocket(part, None, Limits()).sit(1)  # type: ignore[arg-type]
        thread.join()


def test_without_the_library_the_user_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "websockets", None)
    monkeypatch.setitem(sys.modules, "websockets.client", None)
    (part,) = parse("ws://127.0.0.1:7001")
    with pytest.raises(MensuraError, match=r"pip install 'mensura\[remote\]'"):
        from_websocket(part, None, QUICK)  # type: ignore[arg-type]


# Being reached ---------------------------------------------------------------------


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener("127.0.0.1", 0, "sesame")
    yield made
    made.close()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (b'{"version":1}\n', "The token is missing or wrong."),
        (b'{"version":1,"token":"sesam"}\n', "The token is missing or wrong."),
        (b'{"version":1,"token":"sesam\xc3\xa9"}\n', "The token is missing or wrong."),
        (b'{"version":2,"token":"sesame"}\n', "The program speaks version 2 of the protocol"),
        (b"good morning\n", "introduces itself with"),
        (b"POST / HTTP/1.1\r\n\r\n", "introduces itself with"),
        (b'{"token":"sesame"}\n', "introduces itself with"),
        (b'{"version":1,"token":7}\n', "introduces itself with"),
    ],
)
def test_who_may_not_come_is_told_why_and_the_next_one_is_let_in(
    listener: Listener, said: bytes, sentence: str
) -> None:
    heard: list[bytes] = []

    def come() -> None:
        with socket.create_connection(("127.0.0.1", listener.port)) as one:
            one.sendall(said)
            heard.append(one.makefile("rb").readline())
        with socket.create_connection(("127.0.0.1", listener.port)) as one:
            one.sendall(b'{"version":1,"token":"sesame"}\n')
            one.recv(1)

    thread = threading.Thread(target=come)
    thread.start()
    from mensura.agent.waiting import finish

    channel = finish(listener.arriving(10.0))
    channel.close()
    thread.join()
    assert listener.refused == 1
    message = json.loads(heard[0])
    assert message["ask"] == "error"
    assert sentence in message["error"]


@needs_websockets
def test_pages_in_a_browser_are_refused_where_there_is_no_token() -> None:
    """A page of anybody's could reach this machine through the browser of somebody who looks at it."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    from mensura.agent.waiting import finish

    listener = Listener("127.0.0.1", 0)
    refused: list[bool] = []

    def come() -> None:
        try:
            place = f"ws://127.0.0.1:{listener.port}"
            with connect(place, origin="http://evil.example", proxy=None):  # type: ignore[arg-type]
                pass
        except InvalidStatus as error:
            refused.append(error.response.status_code == 403)

    thread = threading.Thread(target=come)
    thread.start()
    with closing(listener), pytest.raises(MensuraError, match=r"1 came that were refused"):
        finish(listener.arriving(1.0))
    thread.join()
    assert refused == [True]


def test_nobody_but_this_machine_is_reached_without_a_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(MensuraError, match="need a token"):
        Listener("0.0.0.0", 0)
    monkeypatch.setenv(TOKEN, "from the environment")
    with closing(Listener.at(parse("listen://0.0.0.0:0")[0])) as listener:
        assert listener.token == "from the environment"
    monkeypatch.delenv(TOKEN)
    with closing(Listener.at(parse("listen://0.0.0.0:0")[0], make_token=True)) as listener:
        assert len(listener.token) >= 16


@pytest.mark.parametrize(
    ("host", "near"),
    [
        *[(host, True) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9")],
        *[(host, False) for host in ("0.0.0.0", "::", "192.0.2.1", "example.org")],
    ],
)
def test_which_hosts_are_this_machine_alone(host: str, near: bool) -> None:
    assert is_loopback(host) == near


def test_a_port_that_is_taken_is_told_in_a_sentence() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(MensuraError, match=r"^Nobody can connect to 127.0.0.1:\d+: Address already"),
    ):
        Listener("127.0.0.1", server.getsockname()[1])


def test_an_address_that_is_named_again_is_the_same_port() -> None:
    part = parse("listen://127.0.0.1:0?token=a")[0]
    with closing(Listener.at(part)) as listener:
        assert Listener.at(part) is listener
        assert Listener.at(parse("listen://127.0.0.1:0")[0]) is listener
        with pytest.raises(MensuraError, match="different tokens"):
            Listener.at(parse("listen://127.0.0.1:0?token=b")[0])


def test_the_name_of_a_subject_holds_no_token() -> None:
    part = parse("listen://127.0.0.1:0?token=sesame")[0]
    subject = from_listening(part, None, QUICK)  # type: ignore[arg-type]
    with closing(Listener.at(part)):
        assert subject.name == "listen://127.0.0.1:0"


# Pieces ------------------------------------------------------------------------------


def test_who_is_served_one_after_another_is_not_late_meanwhile() -> None:
    turns = Turns()
    first = turns.deadline(1.0)
    turns.entered()
    assert turns.deadline(1.0) == float("inf")
    turns.left()
    assert first < turns.deadline(1.0) < float("inf")


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_lines_are_cut_alike_however_they_come(size: int) -> None:
    data = b"one\n\nthree, which is longer\n" + b"x" * 1000 + b"\nrest"
    lines = Lines()
    got = [line for at in range(0, len(data), size) for line in lines.cut(data[at : at + size])]
    assert got == data.split(b"\n")[:-1]


def test_a_line_without_end_is_a_flood_as_soon_as_it_is_too_long() -> None:
    lines = Lines()
    assert lines.cut(b"x" * 100, 100) == []
    with pytest.raises(Flooded):
        lines.cut(b"x", 100)


def test_no_descriptor_stays_open(elsewhere: Elsewhere) -> None:
    before = len(os.listdir("/dev/fd"))
    subject = elsewhere.subject("tcp", misbehaving.plays, Limits())
    for _ in range(3):
        play(subject, limits=Limits())
    elsewhere.close()
    assert len(os.listdir("/dev/fd")) == before
