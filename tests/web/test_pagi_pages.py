"""PAGI World on pages: tasks that are built and tried in the research view, and free play that is watched."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.ports import free_port
from tests.web.conftest import Served, log_in, violations
from tests.worlds.pagi.streams import Saved, stream

from mensura.core.registry import EDITORS

pytest.importorskip("pymunk")

API = "/api/research/pagi"

pytestmark = pytest.mark.skipif(
    "pagi-v1" not in EDITORS.entries(), reason="the installation is older: make venv"
)

TASK = {
    "name": "mine",
    "bodies": [[0, 1.14]],
    "objects": [{"kind": "ground", "x": 0, "y": -2}, {"kind": "apple", "name": "food", "x": 3, "y": 0.5}],
    "solved": "food.gone",
}  # fmt: skip


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[httpx.Client]:
    with served.experimenter() as one:
        yield one


def test_a_task_is_checked_as_text_and_as_data(client: httpx.Client) -> None:
    sample = client.get(f"{API}/tasks/catch").json()
    as_text = client.post(f"{API}/tasks", json={"text": sample["text"]}).json()
    assert as_text["plain"] == sample["plain"]
    edited = client.post(f"{API}/edited", json={"task": TASK}).json()
    assert edited["sentence"] == "'mine', one task: 2 objects, 1 body, 0 triggers."
    assert client.post(f"{API}/tasks", json={"text": edited["text"]}).json() == edited
    drawn = client.post(
        "/api/research/environments", json={"world": "pagi-v1", "parameters": {"task": edited["task"]}}
    ).json()  # fmt: skip
    assert drawn["description"]["setup"]["name"] == "mine"


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("tasks", {"text": "name: x\nobjects:\n- {kind: aple}\n"}, "line 3"),
        ("tasks", {"text": "name: ["}, "line"),
        ("edited", {"task": {"name": "x", "objects": [{"kind": "aple"}]}}, "aple"),
        ("edited", {"task": {"name": "x", "solved": "__import__('os')"}}, "means nothing here"),
        ("edited", {"task": {"name": "x", "reflexes": ["print,x"]}}, "no reflex or state"),
        (
            "edited",
            {"task": {**TASK, "objects": [*TASK["objects"], {"kind": "wallBlock", "x": 0, "y": 0.3}]}},  # type: ignore[misc]
            "overlap",
        ),
        ("files", {"name": "a.tsk", "content": "!!"}, "not base64"),
        ("files", {"name": "a.tsk", "content": base64.b64encode(b"hello").decode()}, "no stream of .NET"),
        ("trials", {"task": {"name": "x", "objects": 3}}, "objects"),
        ("trials/nobody", {"keys": []}, "no longer kept"),
    ],
)  # fmt: skip
def test_what_is_no_task_is_told_in_a_sentence(
    client: httpx.Client, path: str, body: dict[str, Any], sentence: str
) -> None:
    answer = client.post(f"{API}/{path}", json=body)
    assert 400 <= answer.status_code < 500
    assert sentence in answer.json()["error"]


def test_a_file_of_the_server_is_never_read(client: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "a.tsk").write_bytes(stream([Saved("apple", 1, 0, 5)]))
    for task in ("/etc/passwd", str(tmp_path / "a.tsk")):
        world = {"world": "pagi-v1", "parameters": {"task": task}}
        answer = client.post("/api/research/environments", json=world)
        assert 400 <= answer.status_code < 500


def test_a_file_of_the_authors_is_taken_over(client: httpx.Client) -> None:
    data = stream([Saved("apple", 1, 3.0, 1.0), Saved("floating wallBlock", 13, 3.0, -2.0)])
    content = base64.b64encode(data).decode()
    found = client.post(f"{API}/files", json={"name": "hero.tsk", "content": content}).json()
    assert found["plain"]["name"] == "hero"
    assert [one["kind"] for one in found["plain"]["objects"]] == ["apple", "floatingWallBlock"]


def test_a_task_is_tried_by_keys(client: httpx.Client) -> None:
    name = client.post(f"{API}/trials", json={"task": TASK}).json()["name"]
    told: list[str] = []
    for _ in range(40):
        frame = client.post(f"{API}/trials/{name}", json={"keys": ["KeyG", "Nonsense"]}).json()
        told += frame["told"]
    assert frame["solved"]
    assert frame["sensed"]["endorphins"] == 10
    assert any(one.startswith("RD,10,") for one in told)
    wrong = client.post(f"{API}/trials/{name}", json={"keys": [], "seat": 7})
    assert wrong.status_code == 400


@pytest.mark.thorough
def test_a_task_is_built_by_keyboard_tried_and_played(served: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, served.url)
    page.goto(f"{served.url}/research")
    page.locator("#world option[value='pagi-v1']").wait_for(state="attached")
    page.select_option("#world", "pagi-v1")
    page.locator("#build > summary").focus()
    page.keyboard.press("Enter")
    objects = page.locator("#editor select[size] option")
    objects.first.wait_for()
    before = objects.count()
    page.locator("#editor select").nth(1).select_option("steak")
    page.get_by_role("button", name="Add", exact=True).press("Enter")
    page.locator("#pagi-canvas").focus()
    field = {
        name: page.locator(f"#editor input[data-name={name}]").first
        for name in ("x", "degrees", "width")
    }
    x = float(field["x"].input_value())
    for key in ("ArrowRight", "ArrowRight", "]", "+"):
        page.keyboard.press(key)
    assert float(field["x"].input_value()) == x + 1
    assert field["degrees"].input_value() == "-5"
    assert field["width"].input_value() == "1.1"
    for _ in range(3):
        page.keyboard.press("Control+z")
    assert float(field["x"].input_value()) == x
    page.keyboard.press("Delete")
    assert objects.count() == before
    page.keyboard.press("Control+z")
    assert objects.count() == before + 1
    assert violations(page) == []
    page.locator("#pagi-try").click()
    page.locator("#editor p[role=status]", has_text="endorphins").wait_for()
    page.keyboard.press("Escape")
    page.locator("#pagi-play").click()
    page.locator("#status", has_text="Interaction 0").wait_for()
    assert page.problems == []


@pytest.mark.thorough
def test_free_play_is_watched(browser_page: Any, tmp_path: Path) -> None:
    from mensura.agents.listening import Listener
    from mensura.web.pagi.free_play import FreePlay
    from mensura.web.pagi.live import create_live_app
    from mensura.web.server import server_of
    from mensura.web.settings import Settings

    play = FreePlay("catch", Listener.without_introduction("127.0.0.1", 0), speed=2.0)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    server = server_of(Settings(), create_live_app(play))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    play.start()
    try:
        page = browser_page
        page.goto(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        page.locator("#touch tr").nth(17).wait_for()
        page.fill("#typed", "hello")
        page.press("#typed", "Enter")
        page.locator("#messages li", has_text="SC,hello").wait_for()
        with socket.create_connection(("127.0.0.1", play.listener.port), 60) as client:
            client.sendall(b"print,from a client\n")
            page.locator("#console li", has_text="from a client").wait_for()
            page.locator("#client", has_text="A client has this body.").wait_for()
        assert violations(page) == []
        assert page.problems == []
    finally:
        play.stop()
        server.should_exit = True
        thread.join(60)


@pytest.mark.thorough
def test_a_client_is_watched_as_when_it_is_assessed(browser_page: Any) -> None:
    from mensura.web.pagi.watching import watch_client

    port = free_port()
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"pagi://127.0.0.1:{port}?speed=2"
    results: list[Any] = []
    played = threading.Thread(
        target=lambda: results.extend(watch_client(address, "catch", 1, 1, listening)), daemon=True
    )
    played.start()
    page = browser_page
    page.goto(f"http://127.0.0.1:{listening.getsockname()[1]}/")
    page.locator("#trouble", has_text="No client has connected").wait_for()
    with closing(connected(port)) as client:
        client.sendall(b"print,here I am\ndropItem,bacon,0,5\nsetState,calm,-1\n")
        page.locator("#console li", has_text="here I am").wait_for()
        page.locator("#messages li", has_text="no right to arrange the world").wait_for()
        page.locator("#inner", has_text="calm").wait_for()
        assert page.locator("#touch tr").count() == 18
        assert page.locator("#type, #command, #restart").count() == 0, "nobody takes part"
        assert violations(page) == []
    played.join(60)
    assert len(results) == 1
    listening.close()


def connected(port: int) -> socket.socket:
    """A client, as soon as somebody listens."""
    end = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 60)
        except ConnectionRefusedError:
            assert time.monotonic() < end


@pytest.mark.thorough
def test_moves_are_taken_by_the_keys_of_the_original(served: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, served.url)
    page.goto(f"{served.url}/research")
    page.locator("#world option[value='pagi-v1']").wait_for(state="attached")
    page.select_option("#world", "pagi-v1")
    page.locator("#pagi-canvas").wait_for(state="attached")
    page.locator("#parameters > summary").click()
    page.get_by_label("actions", exact=False).first.select_option("discrete")
    page.locator("#generator button[type=submit]").click()
    page.locator("#status", has_text="Interaction 0").wait_for()
    for number, key in enumerate(("g", "ArrowUp", "Shift"), 1):
        page.keyboard.press(key)
        page.locator("#status", has_text=f"Interaction {number} ").wait_for()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("w")
    page.locator("#status", has_text="Interaction 4 ").wait_for()
    assert page.problems == []


@pytest.mark.thorough
def test_objects_are_dragged_turned_and_resized(served: Served, browser_page: Any) -> None:
    page = browser_page
    page.set_viewport_size({"width": 1500, "height": 1500})
    log_in(page, served.url)
    page.goto(f"{served.url}/research")
    page.locator("#world option[value='pagi-v1']").wait_for(state="attached")
    page.select_option("#world", "pagi-v1")
    page.locator("#build > summary").click()
    page.locator("#editor select[size] option").first.wait_for()
    page.locator("#editor select").nth(1).select_option("wallBlock")
    page.get_by_role("button", name="Add", exact=True).click()

    def value(name: str) -> float:
        return float(page.locator(f"#editor input[data-name={name}]").first.input_value())

    def drag(start: tuple[float, float], end: tuple[float, float]) -> None:
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=4)
        page.mouse.up()

    page.locator("#pagi-canvas").scroll_into_view_if_needed()
    box = page.locator("#pagi-canvas").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    x, y = value("x"), value("y")
    drag(middle, (middle[0] + 40, middle[1]))
    assert value("y") == pytest.approx(y, abs=0.3)
    moved = value("x") - x
    assert moved > 0
    unit = 40 / moved
    # The object was added at the middle of the view, rounded to half units.
    place = (middle[0] + 40, middle[1])
    handle = (place[0], place[1] - (2.55 / 2 + 1) * unit)
    drag(handle, (place[0] + 60, place[1]))
    assert value("degrees") == pytest.approx(-90, abs=15)
    page.locator("#pagi-canvas").focus()
    page.keyboard.press("Control+z")
    assert value("degrees") == 0
    corner = (place[0] + 2.55 / 2 * unit, place[1] + 2.55 / 2 * unit)
    drag(corner, (corner[0] + 30, corner[1] + 30))
    assert value("width") > 2.6
    assert value("height") > 2.6
    assert page.problems == []
