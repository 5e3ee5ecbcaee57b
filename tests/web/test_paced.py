"""Games at their own pace: what is held goes over a WebSocket, answers are kept, and whoever leaves goes on later."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.web.conftest import Serve, Served
from tests.web.controls import controls_that_are_covered
from tests.web.test_participant import invited, number_shown

from mensura.web import paced
from mensura.web.people.live import Live
from mensura.web.people.studies import People

GAME = {
    "assessment": "attempts",
    "parameters": {"attempts": 2},
    "world": "atari-v1",
    "world_parameters": {"game": "pong", "skip": 1, "horizon": 600},
}


@pytest.fixture(scope="module")
def served(serve: Serve) -> Served:
    pytest.importorskip("ale_py")
    return serve()


@contextmanager
def talking(served: Served, code: str, **more: Any) -> Iterator[Any]:
    from websockets.sync.client import connect

    there = served.url.replace("http", "ws")
    with connect(
        f"{there}/api/participants/{code}/play", proxy=None, open_timeout=60, **more
    ) as socket:
        yield socket


def begun(served: Served, name: str) -> tuple[People, Any, str]:
    people, one, code, _ = invited(served, name, **GAME)
    people.consent(one)
    with served.client() as client:
        first = client.post(f"/api/participants/{code}/answers", json={"number": 0})
        assert first.json()["phase"] == "act"
        assert first.json()["pace"] == 60.0
    return people, one, code


def made_again(people: People, one: Any) -> Live:
    """The sitting as the store has it, without the server's memory."""
    return people.live(one.study, one.number)


def test_answers_that_are_sent_without_waiting_are_taken_in_order(served: Served) -> None:
    people, one, code = begun(served, "in-order")
    with talking(served, code) as socket:
        for number in range(1, 31):
            socket.send(json.dumps({"number": number, "action": number % 3}))
        told = [json.loads(socket.recv(60)) for _ in range(30)]
    assert [each["taken"] for each in told] == list(range(1, 31))
    assert [each["state"]["number"] for each in told] == list(range(2, 32))
    assert len({each["state"]["svg"] for each in told}) > 1
    kept = [given for given in people.given(one.study, one.number) if given.number]
    assert [given.action for given in kept] == [number % 3 for number in range(1, 31)]
    again = made_again(people, one)
    assert again.number == 31
    assert again.shown().svg == told[-1]["state"]["svg"]


def test_an_answer_to_what_is_not_asked_is_not_played(served: Served) -> None:
    people, one, code = begun(served, "stale")
    with talking(served, code) as socket:
        for number, action in ((5, 0), (1, 99), (1, 0), (1, 0)):
            socket.send(json.dumps({"number": number, "action": action}))
        told = [json.loads(socket.recv(60)) for _ in range(4)]
    assert [each["taken"] for each in told] == [None, None, 1, 1]  # the same once more is no other
    assert told[-1]["state"]["number"] == 2
    assert len(people.given(one.study, one.number)) == 2


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("no JSON", 4400),
        ('{"number": -1}', 4400),
        (json.dumps({"number": 1, "action": "x" * 5000}), 4400),
    ],
)
def test_what_cannot_be_read_ends_the_conversation(
    served: Served, message: str, status: int
) -> None:
    from websockets.exceptions import ConnectionClosed

    people, one, code = begun(served, "unreadable")
    with talking(served, code) as socket:
        socket.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == status
    assert len(people.given(one.study, one.number)) == 1


def test_a_flood_ends_the_conversation(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    from websockets.exceptions import ConnectionClosed

    monkeypatch.setattr(paced, "BURST", 15.0)
    monkeypatch.setattr(paced, "MOST", 5.0)
    _, _, code = begun(served, "flood")
    with talking(served, code) as socket, pytest.raises(ConnectionClosed) as closed:  # noqa: PT012
        for number in range(1, 200):
            socket.send(json.dumps({"number": number, "action": 0}))
        while True:
            socket.recv(60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4429


def test_other_sites_cannot_play(served: Served) -> None:
    from websockets.exceptions import InvalidStatus

    people, one, code = begun(served, "elsewhere")
    with (
        pytest.raises(InvalidStatus),
        talking(served, code, origin="http://elsewhere.example"),
    ):
        pass
    assert len(people.given(one.study, one.number)) == 1


def test_whoever_has_no_code_holds_no_connection(serve: Serve) -> None:
    from websockets.exceptions import InvalidStatus

    served = serve(connections=20, connections_each=20)
    _, _, code = begun(served, "nobody")
    for _ in range(30):
        with pytest.raises(InvalidStatus), talking(served, "a-code-that-nobody-has"):
            pass
    with talking(served, code) as socket:
        socket.send(json.dumps({"number": 0}))
        assert json.loads(socket.recv(60))["taken"] is not None


def test_conversations_leave_their_places_when_they_end(serve: Serve) -> None:
    pytest.importorskip("ale_py")
    served = serve(connections=20, connections_each=3)
    _, _, code = begun(served, "places")
    for _ in range(10):
        with talking(served, code) as socket:
            socket.send(json.dumps({"number": 0}))
            assert json.loads(socket.recv(60))["taken"] is not None


@pytest.mark.thorough
@pytest.mark.long
def test_a_game_is_played_by_keys_paused_left_and_gone_on_with(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people, one, _, url = invited(served, "by-keys", **GAME, people={"reuse": True})
    page.goto(url)
    page.get_by_label("I have read this").check()
    page.get_by_label("What I do here may also").check()
    page.get_by_role("button").click()
    page.wait_for_url("**/instructions")
    page.goto(f"{url}/exercises")
    page.locator("#go").click()
    page.locator(".pad").wait_for()
    assert controls_that_are_covered(page) == []
    page.keyboard.down("ArrowUp")
    wait_for_beats(page, 41)
    page.keyboard.up("ArrowUp")
    page.keyboard.press("Escape")
    page.locator("#form button").first.wait_for()  # one action at a time
    stopped = number_shown(page)
    names = [each["name"] for each in _choices(page)]
    actions = [given.action for given in people.given(one.study, one.number)]
    assert actions.count(names.index("up")) > 10
    page.get_by_role("button", name="Mark this moment").click()
    page.locator("#form button").first.click()
    wait_for_beats(page, stopped + 1)
    assert number_shown(page) == stopped + 1
    kept = people.given(one.study, one.number)
    assert [given.number for given in kept if given.marked] == [stopped]
    page.reload()
    page.get_by_role("button", name="Play").click()
    page.locator("[data-hold=fire]").dispatch_event("pointerdown", {"pointerId": 1})
    wait_for_beats(page, stopped + 20)
    assert page.problems == []
    page.get_by_role("button", name="Pause").click()
    page.locator("#form button").first.wait_for()
    assert made_again(people, one).number == number_shown(page)


def wait_for_beats(page: Any, count: int) -> None:
    """Until the page shows what came after so many answers."""
    until = time.monotonic() + 60
    while int(page.locator("#play").get_attribute("data-number")) < count:
        assert time.monotonic() < until


def _choices(page: Any) -> Any:
    code = page.locator("#play").get_attribute("data-code")
    here = page.url.partition("/p/")[0]
    state = page.request.get(f"{here}/api/participants/{code}/state").json()
    return state["form"]["choices"]
