"""Free play: clients come and go, may arrange the world, and somebody watches, types and plays by keys."""

from __future__ import annotations

import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.agents.listening import Listener

pytest.importorskip("pymunk")
pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

from mensura.web.pagi.free_play import FreePlay
from mensura.web.pagi.image_size import pixels_of, size_of_picture
from mensura.web.pagi.live import create_live_app

TASK = """
name: mine
instructions: Look around.
bodies: [[0, 1.14]]
objects:
- {kind: ground, x: 0, y: -2}
- {kind: apple, name: food, x: 8, y: 0.5}
"""
OTHER = """
name: other
bodies: [[0, 1.14], [5, 1.14]]
objects:
- {kind: ground, x: 0, y: -2}
"""
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 200, 100)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "tasks"
    inside.mkdir()
    (inside / "mine.yaml").write_text(TASK)
    (inside / "other.yaml").write_text(OTHER)
    (inside / "broken.yaml").write_text("name: [")
    (inside / "cat.png").write_bytes(PNG)
    (tmp_path / "secret.yaml").write_text(TASK)
    return inside


@pytest.fixture
def play(folder: Path) -> Iterator[FreePlay]:
    made = FreePlay(str(folder / "mine.yaml"), Listener.without_introduction("127.0.0.1", 0))
    yield made
    made.stop()


@pytest.fixture
def connected(play: FreePlay) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", play.listener.port), 60) as made:
        yield made


def asked(play: FreePlay, client: socket.socket, lines: str) -> list[str]:
    """The answers to lines, each of which has one."""
    client.sendall(lines.encode())
    with client.makefile() as heard:
        answers: list[str] = []
        while len(answers) < lines.count("\n"):
            before = play._lines.said
            while play._lines.said == before or not any(one.way == "out" for one in play._lines):
                play.frame()
            told = [one.text for one in play._lines if one.way == "out"]
            answers += [heard.readline().strip() for _ in range(len(told) - len(answers))]
    return answers


def test_a_client_may_arrange_the_world_and_stay_in_the_folder_of_the_task(
    play: FreePlay, connected: socket.socket
) -> None:
    answers = asked(
        play,
        connected,
        "dropItem,bacon,3,5\ngetInfoAboutItem,food\ncreateItem,c,cat.png,-5,3,1,1,0,0,5\ncreateItem,d,none.png,0,0,1,1,0,0,5\n"
        "loadTask,../secret.yaml\nloadTask,broken.yaml\nloadTask,missing.yaml\nloadTask,other.yaml\n",
    )
    assert answers[0] == "dropItem,bacon,OK"
    assert answers[1].startswith("getInfoAboutItem,food,8,")
    assert answers[2:4] == ["createItem,c,OK", "createItem,d,FAILED,fileNotFound"]
    assert "is not in the folder of the task" in answers[4]
    assert answers[5].startswith("loadTask,broken.yaml,ERR,")
    assert answers[6:] == ["loadTask,missing.yaml,ERR,fileNotFound", "loadTask,other.yaml,OK"]
    item = play.environment.room.find("c")
    assert item is not None
    assert (item.width, item.height) == (2.0, 1.0)
    play.frame()
    assert play.environment.setup.name == "other"
    assert [one is not None for one in play.clients] == [True, False]


def test_clients_take_bodies_in_turn_and_leave_them(play: FreePlay) -> None:
    place = ("127.0.0.1", play.listener.port)
    with socket.create_connection(place, 60) as first, socket.create_connection(place, 60) as other:
        while play.clients[0] is None:
            play.frame()
        told = b""
        other.settimeout(0.01)
        while not told:
            play.frame()
            try:
                told = other.recv(1000)
            except TimeoutError:
                continue
        assert told == b"ERR: all bodies have a client already\n"
        first.close()
        while play.clients[0] is not None:
            play.frame()
    assert [one.text for one in play._lines if one.way == "note"] == [
        "connected",
        "gone: it closed the connection",
    ]


def test_the_page_shows_the_room_and_takes_what_is_typed(play: FreePlay) -> None:
    with TestClient(create_live_app(play)) as browser:
        assert "Clients connect to 127.0.0.1" in browser.get("/").text
        told = browser.get("/api/live").json()
        assert told["task"] == "mine"
        assert {one["name"] for one in told["scene"]["items"]} == {"ground", "food"}
        assert len(told["sensed"]["touch"]) == 18
        assert len(told["sensed"]["vision"]) == 21
        answers = browser.post("/api/live/commands", json={"text": "sensorRequest,BP"}).json()
        assert answers["answers"][0].startswith("BP,0,1.1")
        browser.post("/api/live/typed", json={"text": "hello"})
        play.frame()
        lines = browser.get("/api/live").json()["lines"]
        assert [one["text"] for one in lines if one["way"] == "out"] == ["SC,hello"]
        newest = lines[-1]["number"]
        assert browser.get(f"/api/live?since={newest}").json()["lines"] == []
        assert browser.get("/api/live?seat=7").status_code == 400
        assert browser.post("/api/live/typed", json={"text": "x" * 3000}).status_code == 422
        wrong = browser.post("/api/live/restart", headers={"origin": "http://elsewhere"})
        assert wrong.status_code == 403


def test_keys_play_a_body_that_no_client_has(play: FreePlay) -> None:
    room = play.environment.room
    for _ in range(5):
        play.frame()
    play.press(0, ["KeyG", "KeyW", "Nonsense"])
    for _ in range(10):
        play.frame()
    assert room.place(0)[0] > 1.0
    assert room.hand(0, "L")[1] > 0.5
    play.press(0, ["ShiftLeft"])
    play.frame()
    play.press(0, [])
    play.frame()
    play.frame()
    assert play.environment.forces == {}
    play.restart()
    play.frame()
    assert play.environment.room.place(0)[0] == pytest.approx(0.0, abs=0.01)


def test_free_play_goes_on_through_keyframes_and_with_its_folder(
    play: FreePlay, connected: socket.socket
) -> None:
    for _ in range(60):
        play.frame()
    assert asked(play, connected, "loadTask,other.yaml\n") == ["loadTask,other.yaml,OK"]


def test_a_task_that_is_none_is_refused(tmp_path: Path) -> None:
    listener = Listener.without_introduction("127.0.0.1", 0)
    try:
        with pytest.raises(MensuraError, match="no sample task 'nothing'"):
            FreePlay("nothing", listener)
    finally:
        listener.close()


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (PNG, (200, 100)),
        (b"GIF89a" + struct.pack("<HH", 30, 20), (30, 20)),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + struct.pack(">HH", 7, 9), (9, 7)),
        (b"", None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"\xff\xd8\xff\xe0\xff\xff", None),
        (b"hello", None),
    ],
)
def test_the_size_of_a_picture_is_read_from_its_head(data: bytes, size: Any) -> None:
    assert pixels_of(data) == size


def test_a_huge_or_missing_picture_is_none(folder: Path) -> None:
    huge = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 100_000, 100)
    (folder / "huge.png").write_bytes(huge)
    (folder / "heavy.png").write_bytes(PNG + bytes(6_000_000))
    (folder / "link.png").symlink_to(folder.parent / "secret.yaml")
    assert size_of_picture(folder, "huge.png") == "pictureTooLarge"
    assert size_of_picture(folder, "heavy.png") == "fileTooLarge"
    assert size_of_picture(folder, "link.png") == "fileNotFound"
    assert size_of_picture(folder, "mine.yaml") == "noPicture"
    assert size_of_picture(folder, "cat.png") == (2.0, 1.0)


@pytest.mark.thorough
def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(TASK)
    command = [
        sys.executable,
        "-m",
        "mensura.cli.main",
        "pagi",
        "serve",
        "--task",
        "mine.yaml",
        "--port",
        "0",
        "--web-port",
        "0",
    ]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        clients, page = (served.stdout.readline().rpartition("127.0.0.1:")[2] for _ in range(2))
        with socket.create_connection(("127.0.0.1", int(clients)), 60) as client:
            client.sendall(b"sensorRequest,A\n")
            with client.makefile() as heard:
                assert heard.readline() == "A,0\n"
        with socket.create_connection(("127.0.0.1", int(page.partition("/")[0])), 60) as browser:
            browser.sendall(b"GET / HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n")
            assert b"200 OK" in browser.recv(1000)
        served.send_signal(signal.SIGINT)
        assert served.wait(60) in (0, 130)


@pytest.mark.parametrize("option", ["--port", "--web-port"])
def test_a_port_in_use_is_said_in_a_sentence(option: str) -> None:
    from typer.testing import CliRunner

    from mensura.web.pagi.commands import app

    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = {"--port": "0", "--web-port": "0", option: str(taken.getsockname()[1])}
        words = [word for pair in ports.items() for word in pair]
        result = CliRunner().invoke(app, ["serve", "--task", "catch", *words])
    assert isinstance(result.exception, MensuraError)
    assert "Address already in use" in str(result.exception)


def test_moves_have_the_keys_of_the_original_on_pages() -> None:
    from mensura.pictures.view import view_of
    from mensura.web.people.forms import form_of
    from mensura.worlds.pagi.world import Pagi

    world = Pagi(task="catch", actions="discrete")
    environment = world.build(world.sample(0))
    environment.reset(1)
    form = form_of(environment.spaces(0)[1], view_of(world).controls(environment)[0])
    keys = {one["name"]: one.get("key") for one in form["choices"]}
    assert (keys["left"], keys["jump"], keys["grip left"]) == ("KeyF", "Space", "ShiftLeft")
    assert len(set(keys.values())) == len(keys)


def test_who_is_watched_is_shown_and_left_alone() -> None:
    from mensura.web.pagi.watched import Watched
    from mensura.worlds.pagi.world import Pagi

    watched = Watched("127.0.0.1:42209")
    page = TestClient(create_live_app(watched), base_url="http://127.0.0.1")
    assert "No client has connected" in page.get("/api/live").json()["error"]
    world = Pagi(task="catch", actions="commands")
    environment = world.build(world.sample(0))
    watched.started(environment, environment.reset(1))
    actions = ["print,hello\nsensorRequest,BP\n"]
    watched.stepped(environment, actions, environment.step(actions, [0.0]))
    told = page.get("/api/live").json()
    lines = [(one["way"], one["text"]) for one in told["lines"]]
    assert ("in", "sensorRequest,BP") in lines
    assert ("console", "hello") in lines
    assert any(way == "out" and text.startswith("BP,") for way, text in lines)
    assert len(told["sensed"]["touch"]) == 18
    assert told["scene"]["seconds"] == 0.1
    assert page.get("/api/live?seat=1").status_code >= 400
    before = environment.snapshot()
    for path, body in (
        ("typed", {"text": "left!"}),
        ("commands", {"text": "dropItem,bacon,0,5"}),
        ("keys", {"keys": ["KeyF"]}),
        ("restart", {}),
    ):
        answer = page.post(f"/api/live/{path}", json=body)
        assert answer.status_code >= 400
        assert "only watched" in answer.json()["error"]
    assert environment.snapshot() == before
    text = page.get("/").text
    assert 'id="room"' in text
    assert 'id="typed"' not in text


@pytest.mark.parametrize("address", ["random", "tcp://127.0.0.1:1", "pagi://:1,pagi://:2"])
def test_only_a_client_is_watched(address: str) -> None:
    from mensura.web.pagi.watching import watch_client

    with (
        socket.create_server(("127.0.0.1", 0)) as page,
        pytest.raises(MensuraError),
    ):
        watch_client(address, "catch", 1, 1, page)
