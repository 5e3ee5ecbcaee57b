"""Clients of PAGI World that connect: which line falls into which frame, and those who misbehave."""

from __future__ import annotations

import json
import re
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds.pagi.small_room import SmallRoom

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Text
from mensura.agent.task import Limits, Seat, Task
from mensura.agents.address import parse
from mensura.agents.listening import Listener
from mensura.agents.pagi import (
    MOST_LINES,
    PORT,
    Client,
    Pace,
    PagiPlayer,
    from_pagi,
    place,
)
from mensura.agents.pagi_clients import Connection
from mensura.core.abilities import hosting
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import play
from mensura.core.players import Absent, drive
from mensura.worlds.pagi.contract import STEPS
from mensura.worlds.pagi.protocol.controls import SeatControls

SPACE = Text(100_000)
WAIT = 60.0
"""Seconds after which a test has failed."""


class Table:
    """A port, clients that connect to it, and one sitting of them."""

    def __init__(self) -> None:
        self.listener = Listener.without_introduction("127.0.0.1", 0)
        self.sockets: list[socket.socket] = []
        self.before = set(threading.enumerate())
        self.player: PagiPlayer | None = None

    def connect(self) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.listener.port), WAIT)
        self.sockets.append(made)
        return made

    def sit(self, seats: int = 1, pace: str = "speed=1000", space: Text = SPACE) -> PagiPlayer:
        subject = self.subject(pace)
        self.player = subject.sit(seats)
        self.player.answer([begin(seat, seats, space) for seat in range(seats)])
        return self.player

    def subject(self, pace: str = "speed=1000", limits: Limits | None = None) -> Any:
        (part,) = parse(f"pagi://127.0.0.1:0?{pace}")
        return from_pagi(part, None, limits or Limits())

    def start(self, deed: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=deed, daemon=True)
        thread.start()
        return thread

    def close(self) -> None:
        for one in self.sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in set(threading.enumerate()) - self.before:
            thread.join(WAIT)  # ours, and those that let clients read why they were hung up on
        if self.player is not None:
            self.player.close()
        self.listener.close()


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.close()


def begin(seat: int, seats: int, space: Text = SPACE) -> Ask:
    task = Task("pagi-v1", Seat(seat), seats, space, space, 10, "interactions", Limits(), False)
    return Ask("begin", seat, task=task)


def frame(player: PagiPlayer, told: str = "", seat: int = 0) -> Answer:
    [answer] = player.answer([Ask("act", seat, told)])
    return answer


def frames_until(player: PagiPlayer, enough: Callable[[list[str]], bool]) -> list[str]:
    """The actions of frames, until they are enough."""
    actions: list[str] = []
    while not enough(actions):
        answer = frame(player)
        assert answer.fault is None
        actions.append(answer.value)
    return actions


def test_the_usual_port_is_that_of_the_original() -> None:
    assert place(parse("pagi://:42209")[0]) == ("127.0.0.1", 42209)
    assert place(parse("pagi://localhost")[0]) == ("localhost", PORT)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("pagi://0.0.0.0:42209", "only those of this machine may connect"),
        ("pagi://:99999", "names no port"),
        ("pagi:42209", "names no port"),
        ("pagi://:42209/x", "names no port"),
        ("pagi://:42209?clock=sundial", "it is simulated or wall"),
        ("pagi://:42209?speed=0", "a number from 0.1"),
        ("pagi://:42209?speed=fast", "a number from 0.1"),
        ("pagi://:42209?latency=-1", "a number from 0 to 10"),
        ("pagi://:42209?token=x", "it has clock, speed and latency"),
    ],
)
def test_an_address_that_is_none_is_refused(address: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        from_pagi(parse(address)[0], None, Limits())


def test_no_line_is_an_empty_action_and_no_fault(table: Table) -> None:
    table.connect()
    player = table.sit()
    assert [frame(player) for _ in range(5)] == [Answer("")] * 5


def test_a_line_takes_its_latency_so_that_five_fall_into_a_frame(table: Table) -> None:
    client = table.connect()
    client.sendall(b"".join(b"print,%d\n" % i for i in range(12)))
    player = table.sit(pace="speed=0.1&latency=0.02")
    # What is sent in one piece comes in one piece, so idle time has no part in it.
    actions = [frame(player).value.split() for _ in range(2)]
    assert [len(one) for one in actions] == [5, 5]
    assert actions[0][0] == "print,0"
    assert actions[1][-1] == "print,9"


@pytest.mark.parametrize(("latency", "empty"), [("0", 0), ("0.1", 0), ("0.3", 2), ("0.25", 2)])
def test_a_slow_line_falls_into_a_later_frame(table: Table, latency: str, empty: int) -> None:
    table.connect().sendall(b"print,x\n")
    player = table.sit(pace=f"speed=0.1&latency={latency}")
    assert [frame(player).value for _ in range(empty + 1)] == [""] * empty + ["print,x\n"]


def test_what_the_observation_tells_reaches_the_client(table: Table) -> None:
    client = table.connect()
    player = table.sit()
    frame(player, "RD,10,3\nTB,box,LE\n")
    player.answer([Ask("act", 0, {"text": "S,1,2\n", "pose": 3})])
    player.answer([Ask("end", 0, "SC,bye\n")])
    with client.makefile() as lines:
        heard = [lines.readline() for _ in range(4)]
    assert heard == ["RD,10,3\n", "TB,box,LE\n", "S,1,2\n", "SC,bye\n"]


def test_any_bytes_become_a_text_that_the_world_takes(table: Table) -> None:
    client = table.connect()
    client.sendall(bytes(range(256)) + "\r\nprint,héllo\r\n".encode())
    player = table.sit()
    text = "".join(frames_until(player, lambda actions: "".join(actions).count("\n") >= 3))
    assert SPACE.contains(text)
    assert text.endswith("print,héllo\n")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_may_be_split_anywhere(table: Table, size: int) -> None:
    client = table.connect()
    sent = b"".join(b'{"messageType":"print","stringContent":"%d"}\n' % i for i in range(20))
    player = table.sit()

    def send() -> None:
        for start in range(0, len(sent), size):
            client.sendall(sent[start : start + size])

    table.start(send)
    text = "".join(frames_until(player, lambda actions: "".join(actions).count("\n") >= 20))
    assert text.encode() == sent


def test_a_client_that_floods_is_heard_frame_by_frame_and_held_up(table: Table) -> None:
    client = table.connect()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10_000)
    player = table.sit(pace="latency=0&speed=1000", space=Text(5000))
    stop = threading.Event()

    def flood() -> None:
        with suppress(OSError):
            while not stop.is_set():
                client.sendall(b"print,x\n" * 10_000)

    table.start(flood)
    held = 0
    for _ in range(100):
        answer = frame(player)
        assert answer.fault is None
        assert answer.value.count("\n") <= MOST_LINES
        assert Text(5000).contains(answer.value)
        held = max(held, len(player.clients[0]._lines))
    stop.set()
    assert held <= MOST_LINES + 65_536 // len("print,x\n") + 1


def test_a_client_that_never_reads_is_hung_up_on(table: Table) -> None:
    table.connect()
    player = table.sit()
    answers = [frame(player, "MDN," + "," * 1_000_000 + "\n") for _ in range(30)]
    fault = answers[-1].fault
    assert fault is not None
    assert fault[0] == "died"
    assert "unread" in fault[1]


def test_a_line_without_end_ends_the_connection(table: Table) -> None:
    client = table.connect()
    player = table.sit()
    table.start(lambda: client.sendall(b"x" * 200_000))
    while (answer := frame(player)).fault is None:
        assert answer.value == ""
    assert "a line of over 65536 bytes" in answer.fault[1]


def test_a_client_that_leaves_is_played_to_its_last_line_and_then_missing(table: Table) -> None:
    client = table.connect()
    player = table.sit()
    client.sendall(b"print,last\n")
    client.close()
    values = []
    while (answer := frame(player)).fault is None:
        values.append(answer.value)
    assert "".join(values) == "print,last\n"
    assert answer.fault == ("died", "it closed the connection")


def test_each_client_has_a_seat_in_the_order_of_coming(table: Table) -> None:
    first, second = table.connect(), table.connect()
    first.sendall(b"print,first\n")
    second.sendall(b'{"messageType":"print","stringContent":"second"}\n')
    player = table.sit(seats=2)
    asks = [Ask("act", 0, "for the first\n"), Ask("act", 1, "for the second\n")]
    texts = ["", ""]
    while not all(texts):
        for seat, answer in enumerate(player.answer(asks)):
            texts[seat] += answer.value
    assert texts[0] == "print,first\n"
    assert "second" in texts[1]
    assert second.makefile().readline() == "for the second\n"


def test_a_connection_serves_one_sitting_after_another(table: Table) -> None:
    client = table.connect()
    subject = table.subject()
    for sitting in range(3):
        player = subject.sit(1)
        player.answer([begin(0, 1)])
        client.sendall(b"print,%d\n" % sitting)
        text = "".join(frames_until(player, lambda actions: any(actions)))
        assert text == f"print,{sitting}\n"
        player.close()
        player.close()
    client.close()
    other = table.connect()
    player = subject.sit(1)
    other.sendall(b"print,other\n")
    player.answer([begin(0, 1)])
    assert "".join(frames_until(player, lambda actions: any(actions))) == "print,other\n"
    player.close()


def test_who_has_left_is_waited_for_once_and_briefly(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mensura.agents.pagi_clients.AGAIN", 0.01)
    client = table.connect()
    subject = table.subject(limits=Limits(seconds_to_start=10 * WAIT))
    player = subject.sit(1)
    player.answer([begin(0, 1)])
    client.close()
    while frame(player).fault is None:
        pass
    player.close()
    for _ in range(3):
        with pytest.raises(MensuraError, match=r"has left .* to connect again"):
            subject.sit(1)
    other = table.connect()
    player = subject.sit(1)
    player.answer([begin(0, 1)])
    player.close()
    other.close()  # while it is in no sitting
    with pytest.raises(MensuraError, match=r"has left .* to connect again"):
        subject.sit(1)


def test_without_a_client_the_sitting_does_not_begin(table: Table) -> None:
    subject = table.subject(limits=Limits(seconds_to_start=0.01))
    with pytest.raises(MensuraError, match="0 of 2 clients of PAGI World connected"):
        subject.sit(2)
    with pytest.raises(MensuraError, match="cannot be given a memory"):
        subject.sit(1, b"x")


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        subject = from_pagi(parse(f"pagi://:{port}")[0], None, Limits())
        with pytest.raises(MensuraError, match=f"127.0.0.1:{port}: Address already in use"):
            subject.sit(1)


# The published client of the comma generation ------------------------------------


class CommaClient:
    """Does what the published client for Python 3 does: each call sends a line and waits for an answer by its name."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._socket.settimeout(WAIT)
        self._rest = ""
        self._others: list[str] = []

    def ask(self, line: str, code: str) -> list[str]:
        self._socket.send(f"{line}\n".encode())
        while True:
            while "\n" not in self._rest:
                self._rest += self._socket.recv(4096).decode()
            answer, _, self._rest = self._rest.partition("\n")
            if answer[: len(code)] == code and answer[len(code)] == ",":
                return answer.split(",")
            self._others.append(answer)


def script(client: CommaClient) -> dict[str, list[str]]:
    """All its calls that work."""
    return {
        "print_text": client.ask("print,hello", "print"),
        "set_state": client.ask("setState,s,1000", "setState"),
        "remove_state": client.ask("setState,s,0", "setState"),
        "set_reflex": client.ask("setReflex,r,s,addForce|J|1", "setReflex"),
        "remove_reflex": client.ask("removeReflex,r", "removeReflex"),
        "jump": client.ask("addForce,J,1000", "J"),
        "rotate": client.ask("addForce,BR,90.000000", "BR"),
        "get_rotation": client.ask("sensorRequest,A", "A"),
        "send_force": client.ask("addForce,BMvec,1.000000,2.000000", "BMvec"),
        "get_position": client.ask("sensorRequest,BP", "BP"),
        "hand": client.ask("sensorRequest,LP", "LP"),
        "peripheral": client.ask("sensorRequest,MPN", "MPN"),
        "detailed": client.ask("sensorRequest,MDN", "MDN"),
    }


def test_the_calls_of_the_published_client_are_answered(table: Table) -> None:
    client = CommaClient(table.connect())
    player = table.sit(pace="speed=1000")
    found: dict[str, list[str]] = {}
    playing = table.start(lambda: found.update(script(client)))
    room, controls, told = SmallRoom(), SeatControls(0, frozenset({"names"})), ""
    while playing.is_alive():
        controls.take(frame(player, told).value, room)
        for _ in range(STEPS):
            controls.act(room)
            room.step()
        told = controls.answers(room)
    assert found["set_state"] == ["setState", "s", "OK"]
    assert found["jump"] == ["J", "1"]
    assert found["get_position"] == ["BP", "3", "-4.5"]
    assert len(found["peripheral"]) == 177
    assert len(found) == 13


# In the world ---------------------------------------------------------------------


class Watching:
    """Keeps what everybody was told in an episode."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def started(self, environment: Any, turn: Any) -> None:
        self.told.append(turn)

    def stepped(self, environment: Any, actions: list[Any], turn: Any) -> None:
        self.told.append((actions, turn))


def test_asynchronous_play_is_played_again_to_the_bit(table: Table, tmp_path: Path) -> None:
    pytest.importorskip("pymunk")
    from mensura.worlds.pagi.world import Pagi

    client = CommaClient(table.connect())
    subject = table.subject("speed=200")
    world = hosting(Pagi(task="catch", ends=True), subject)
    environment = world.build(world.sample(1))

    def move() -> None:
        with suppress(OSError, ValueError, IndexError):
            client.ask("setReflex,up,-never,addForce|LHvec|-50|[200-100*LPy]", "setReflex")
            while True:
                client.ask("sensorRequest,BP", "BP")
                client.ask("addForce,BMH,500", "BMH")

    table.player = subject.sit(1)
    table.start(move)
    watching, again = Watching(), Watching()
    with closing(Journal(tmp_path / "journal")) as journal:
        journaled = Journaled(table.player, journal)
        asking = play(environment, 2, world=world.id, seed=3, observers=[watching])
        first = drive(asking, journaled)
    assert first.faults == ()
    texts = [actions[0] for actions, _ in watching.told[1:]]
    assert any("sensorRequest" in one for one in texts)
    assert "" in texts
    with closing(Journal(tmp_path / "journal")) as journal:
        asking = play(environment, 2, world=world.id, seed=3, observers=[again])
        second = drive(asking, Journaled(Absent(subject.name), journal))
    assert again.told == watching.told
    assert second.rewards == first.rewards


def test_actions_become_commands_for_who_sends_them(table: Table) -> None:
    pytest.importorskip("pymunk")
    from mensura.worlds.echo import Echo
    from mensura.worlds.pagi.world import Pagi

    world = Pagi(task="catch")
    subject = from_pagi(parse("pagi://:42209")[0], world, Limits())
    assert hosting(world, subject).actions == "commands"  # type: ignore[attr-defined]
    assert hosting(world, object()) == world
    with pytest.raises(MensuraError, match="actions in echo-v1 are none"):
        from_pagi(parse("pagi://:42209")[0], Echo(), Limits())


@pytest.mark.parametrize("actions", ["forces", "commands"])
def test_a_task_gives_every_body_reflexes_to_begin_with(actions: str) -> None:
    pytest.importorskip("pymunk")
    from mensura.worlds.pagi.setup_reading import from_plain
    from mensura.worlds.pagi.world import Pagi

    plain = {
        "name": "x",
        "horizon": 60,
        "bodies": [[0, 1.14]],
        "objects": [{"kind": "ground", "x": 0, "y": -2}],
        "reflexes": ["setState,go,-1", "setReflex,r,go;Sx|<|2,addForce|BMH|500"],
    }
    world = Pagi(task=from_plain(plain).canonical, actions=actions)  # type: ignore[arg-type]
    environment = world.build(world.sample(0))
    environment.reset(1)
    for _ in range(20):
        environment.step([environment.default(0)], [0.0])
    state = environment.snapshot()
    assert environment.room.place(0)[0] > 1.0
    ends = []
    for _ in range(2):
        environment.restore(state)
        ends.append([environment.step([environment.default(0)], [0.0]) for _ in range(20)])
    assert str(ends[0]) == str(ends[1])


@pytest.mark.parametrize("actions", ["forces", "discrete"])
def test_a_body_observes_the_states_that_its_task_names(actions: str) -> None:
    pytest.importorskip("pymunk")
    from mensura.worlds.pagi.setup_reading import from_plain
    from mensura.worlds.pagi.world import Pagi

    plain = {
        "name": "x",
        "horizon": 60,
        "bodies": [[0, 1.14]],
        "objects": [{"kind": "ground", "x": 0, "y": -2}],
        "reflexes": ["setState,go,300", "setReflex,r,-go,setState|late|200"],
    }
    world = Pagi(task=from_plain(plain).canonical, actions=actions, sees="nothing")  # type: ignore[arg-type]
    environment = world.build(world.sample(0))
    turns = [environment.reset(1)]
    while len(turns) < 6:
        turns.append(environment.step([environment.default(0)], [0.0]))
    states = [turn.observations[0]["states"].tolist() for turn in turns]
    assert states == [[1, 0], [1, 0], [1, 0], [0, 0], [0, 1], [0, 1]], "go, then late"
    assert environment.spaces(0)[0].contains(turns[-1].observations[0])
    catch = Pagi(task="catch")
    assert "states" not in catch.spaces(catch.sample(0), 0)[0].boxes  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "line", ["print,x", "setReflex,r,s,dropItem|bacon|0|0", "setReflex,r,a|b", "setState,s", "{}"]
)
def test_what_is_no_reflex_to_begin_with_is_refused(line: str) -> None:
    pytest.importorskip("pymunk")
    from mensura.worlds.pagi.setup_reading import from_plain

    with pytest.raises(MensuraError, match="no reflex or state to begin with"):
        from_plain({"name": "x", "reflexes": [line]})


LINES = st.binary(max_size=30).map(lambda data: data.replace(b"\n", b""))


@given(st.lists(LINES, max_size=8), st.lists(LINES, max_size=8), st.data())
def test_what_two_clients_send_stays_apart_wherever_it_is_split(
    first: list[bytes], second: list[bytes], data: st.DataObject
) -> None:
    """Frames end anywhere between pieces; each client's lines come in order, each once, and as a text of the space."""
    sent = [b"".join(line + b"\n" for line in lines) for lines in (first, second)]
    with socket.create_server(("127.0.0.1", 0)) as server:
        far_ends = [socket.create_connection(server.getsockname()) for _ in sent]
        pairs = [(server.accept()[0], far) for far in far_ends]
    clients = [Client(Connection(near), Pace(latency=0.0)) for near, _ in pairs]
    heard = ["", ""]
    for one in clients:
        one.begin(1000)
    try:
        for which, text in enumerate(sent):
            at = 0
            while at < len(text):
                size = data.draw(st.integers(1, len(text) - at))
                pairs[which][1].sendall(text[at : at + size])
                at += size
                for number, one in enumerate(clients):
                    one.next_frame()
                    one.read()
                    heard[number] += one.action()
        for number, lines in enumerate((first, second)):
            while heard[number].count("\n") < len(lines):
                select.select([pairs[number][0]], [], [], WAIT)
                clients[number].next_frame()
                clients[number].read()
                heard[number] += clients[number].action()
    finally:
        for near, far in pairs:
            near.close()
            far.close()
    for text, lines in zip(heard, (first, second), strict=True):
        assert SPACE.contains(text)
        assert [plainly(one) for one in text.split("\n")[:-1]] == [
            plainly(line.rstrip(b"\r").decode("utf-8", "replace")) for line in lines
        ]


def plainly(text: str) -> str:
    """What of a line is plain ASCII."""
    return re.sub(r"[^\t -~]", "", text)


def test_no_assessment_lets_a_seat_arrange_the_world() -> None:
    pytest.importorskip("pymunk")
    from mensura.worlds.pagi.world import Pagi

    with pytest.raises(MensuraError, match="arranges"):
        Pagi(rights=("0:arranges",))


def test_by_the_clock_of_the_wall_lines_have_no_latency(table: Table) -> None:
    client = table.connect()
    client.sendall(b"".join(b"print,%d\n" % i for i in range(12)))
    player = table.sit(pace="clock=wall&speed=1000&latency=10")
    actions = frames_until(player, lambda actions: "".join(actions).count("\n") >= 12)
    assert actions[-1].count("\n") == 12  # they came in one piece
    client.close()
    while frame(player).fault is None:
        pass


def test_who_floods_and_reads_all_the_same_is_told_everything(table: Table) -> None:
    """While lines wait for their frames nothing more is read; what is told goes out nevertheless."""
    client = table.connect()
    player = table.sit(pace="clock=wall&speed=1000")
    client.sendall(b"print,x\n" * 8000)
    heard = 0

    def listen() -> None:
        nonlocal heard
        with suppress(OSError):
            while heard < 12_000_000:
                heard += len(client.recv(1 << 20))

    listening = table.start(listen)
    for _ in range(60):
        assert frame(player, "x" * 199_999 + "\n").fault is None
        while (
            player.clients[0].channel is not None and player.clients[0].channel.unsent > 1_000_000
        ):
            player.clients[0].channel.flush()
    while listening.is_alive():
        frame(player)
    assert heard >= 12_000_000


@pytest.mark.parametrize("in_json", [False, True])
def test_every_episode_begins_with_what_it_is_about(table: Table, in_json: bool) -> None:
    client = table.connect()
    subject = table.subject()
    heard: list[str] = []
    with client.makefile() as lines:
        for sitting in range(2):
            player = subject.sit(1)
            for episode in range(2):
                ask = begin(0, 1)
                assert ask.task is not None
                task = replace(ask.task, instructions=f"Task {sitting},\n{episode}")
                player.answer([ask._replace(task=task)])
                if not heard:
                    client.sendall(
                        b'{"messageType":"getStates"}\n' if in_json else b"getActiveStates\n"
                    )
                    frames_until(player, lambda actions: any(actions))
                heard.append(lines.readline().rstrip())
            player.close()
    expected = [f"SC,Task {sitting}, {episode}" for sitting in range(2) for episode in range(2)]
    if in_json:
        heard = [json.loads(one)["content"] for one in heard]
    assert heard == expected


def test_the_example_plays_several_episodes(table: Table) -> None:
    pytest.importorskip("pymunk")
    from mensura.worlds.pagi.world import Pagi

    example = Path(__file__).parents[3] / "examples" / "clients" / "pagi_client.py"
    subject = table.subject("speed=20")
    world = hosting(Pagi(task="catch", grade=1), subject)
    with subprocess.Popen(
        [sys.executable, example, str(table.listener.port)], stdout=subprocess.PIPE
    ) as playing:
        player = subject.sit(1)
        for key in range(2):
            environment = world.build(world.sample(key))
            drive(play(environment, key, world=world.id, seed=3), player)
            assert set(environment.controls[0].reflexes) == {"up", "close"}
        player.close()
        playing.kill()
