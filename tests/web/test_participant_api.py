"""The API of participants without a browser: each answer counts once, and nobody gets in with a guess."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.ports import free_port
from tests.web.conftest import PASSWORD, Serve, Served, plain_http
from tests.web.test_people import new_study

from mensura.web.people.participants import Participant
from mensura.web.people.sittings import Sittings
from mensura.web.people.studies import People


def seated(served: Served, name: str = "api") -> tuple[People, int, str]:
    """Somebody who has agreed to take part."""
    people: People = served.app.state.people
    known = {study.name: study for study in people.studies()}
    study = known.get(name) or new_study(people, name, places=100)
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    return people, one.number, f"/api/participants/{code}"


def test_an_answer_again_is_answered_the_same_and_changes_nothing(served: Served) -> None:
    people, number, path = seated(served)
    with served.client() as client:
        first = client.post(f"{path}/answers", json={"number": 0})
        again = client.post(f"{path}/answers", json={"number": 0})
        assert first.status_code == again.status_code == 200
        assert first.json() == again.json()
        cell = first.json()["reachable"][0]
        moved = client.post(f"{path}/answers", json={"number": 1, "cell": cell, "response_ms": 5})
        repeated = client.post(f"{path}/answers", json={"number": 1, "cell": cell})
        assert moved.json() == repeated.json()
        other = first.json()["reachable"][1]
        stale = client.post(f"{path}/answers", json={"number": 1, "cell": other})
        assert stale.status_code == 409
        assert stale.json()["state"] == moved.json()
        early = client.post(f"{path}/answers", json={"number": 5, "cell": cell})
        assert early.status_code == 409
    study = people.study("api")
    assert [one.number for one in people.given(study.id, number)] == [0, 1]


def test_the_same_answer_from_everywhere_at_once_counts_once(served: Served) -> None:
    people, number, path = seated(served)
    with served.client() as client, ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: client.post(f"{path}/answers", json={"number": 0}), range(8))
        )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert len(people.given(people.study("api").id, number)) == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"number": -1},
        {"number": 0, "cell": -1},
        {"number": 0, "more": 1},
        {"number": "zero"},
        {"number": 0, "response_ms": -5},
        {"number": 10**30},
        [],
        None,
        "text",
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(served: Served, body: Any) -> None:
    _, _, path = seated(served)
    with served.client() as client:
        answer = client.post(f"{path}/answers", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".")


def test_a_cell_out_of_reach_is_refused(served: Served) -> None:
    _, _, path = seated(served)
    with served.client() as client:
        view = client.post(f"{path}/answers", json={"number": 0}).json()
        far = next(cell for cell in range(99) if cell not in view["reachable"])
        answer = client.post(f"{path}/answers", json={"number": 1, "cell": far})
        assert answer.status_code == 422
        assert "cannot be reached" in answer.json()["error"]
        assert client.get(f"{path}/state").json() == view


@pytest.mark.parametrize("answered", [3, 11])
def test_whoever_withdraws_in_one_tab_leaves_no_answer_of_another(
    served: Served, answered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer, or the last one, that comes when the others are removed and the withdrawal is not over."""
    people, number, path = seated(served, "tabs")
    removed, came = threading.Event(), threading.Event()

    def withdraw(one: Participant) -> None:
        People.withdraw(people, one)
        removed.set()
        assert came.wait(60)

    async def answer(*given: Any, **more: Any) -> Any:
        if removed.is_set():
            came.set()
        return await Sittings.answer(sittings, *given, **more)

    sittings: Sittings = served.app.state.sittings
    monkeypatch.setattr(people, "withdraw", withdraw)
    monkeypatch.setattr(sittings, "answer", answer)
    with served.client() as one, served.client() as other, ThreadPoolExecutor(1) as pool:
        view = one.get(f"{path}/state").json()
        for _ in range(answered):
            view = one.post(f"{path}/answers", json=_next(view)).json()
        page = path.replace("/api/participants/", "/p/")
        withdrawing = pool.submit(other.post, f"{page}/withdraw")
        assert removed.wait(60)
        late = one.post(f"{path}/answers", json=_next(view))
        assert withdrawing.result(60).status_code == 303
    assert late.status_code == 410
    study = people.study("tabs")
    assert people.given(study.id, number) == []
    (left,) = (one for one in people.participants(study) if one.number == number)
    assert (left.state, left.answered, left.score) == ("withdrawn", 0, None)
    assert people.results(left) == []
    with served.experimenter() as client:
        for kind in ("csv", "parquet"):
            found = client.get(f"/api/experimenter/studies/tabs/interactions.{kind}")
            assert found.status_code == 200


def _next(view: dict[str, Any]) -> dict[str, Any]:
    """The first thing that can be done now."""
    return {"number": view["number"], "cell": next(iter(view["reachable"]), None)}


def test_nobody_plays_before_they_agreed_or_in_a_closed_study(served: Served) -> None:
    people: People = served.app.state.people
    study = new_study(people, "closing")
    (one, code), (_, later) = people.invite(study, 2)
    with served.client() as client:
        answer = client.post(f"/api/participants/{code}/answers", json={"number": 0})
        assert answer.status_code == 409
        people.consent(one)
        people.close(study)
        answer = client.post(f"/api/participants/{code}/answers", json={"number": 0})
        assert answer.status_code == 409
        assert "closed" in answer.json()["error"]
        assert client.post(f"/p/{later}/consent", data={"agreed": "yes"}).status_code == 409
        assert "closed" in client.get(f"/p/{later}/consent").text


def test_codes_cannot_be_guessed_for_long(serve: Serve) -> None:
    with serve().client() as client:
        api = [client.get(f"/api/participants/guess{i}/state").status_code for i in range(40)]
        pages = [client.get(f"/p/guess{i}").status_code for i in range(3)]
    assert api[0] == 404
    assert 429 in api
    assert 429 in pages


def test_other_sites_cannot_act_for_a_participant(served: Served) -> None:
    people, number, path = seated(served)
    with served.client() as client:
        answer = client.post(
            f"{path}/answers", json={"number": 0}, headers={"origin": "https://evil.example"}
        )
    assert answer.status_code == 403
    assert people.given(people.study("api").id, number) == []


def test_whoever_is_forgotten_in_the_middle_is_gone(served: Served) -> None:
    people, number, path = seated(served)
    with served.client() as client:
        view = client.post(f"{path}/answers", json={"number": 0}).json()
        people.forget(people.study("api"), number)
        body = {"number": 1, "cell": view["reachable"][0]}
        statuses = [client.post(f"{path}/answers", json=body).status_code for _ in range(2)]
        assert statuses[-1] == 404
        assert set(statuses) <= {404, 409}


def test_script_in_a_title_is_text(served: Served) -> None:
    people: People = served.app.state.people
    study = new_study(people, "scripted", title="<script>alert(1)</script>")
    ((_, code),) = people.invite(study, 1)
    with served.client() as client:
        text = client.get(f"/p/{code}/consent").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_answers_to_questions_are_those_that_are_offered(served: Served) -> None:
    _, _, path = seated(served)
    code = path.rsplit("/", 1)[1]
    with served.client() as client:
        early = client.post(f"/p/{code}/questions", data={"age": ""})
        wrong = client.post(f"/p/{code}/questions", data={"age": "4000"})
        long = client.post(f"/p/{code}/questions", data={"comment": "x" * 2001})
    assert (early.status_code, wrong.status_code, long.status_code) == (409, 422, 422)


def start(store: Path, port: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from mensura.cli.main import main; main()",
            "serve",
            "--store",
            str(store),
            "--port",
            str(port),
        ],
        env={**os.environ, "MENSURA_PASSWORD": PASSWORD},
        stdout=subprocess.DEVNULL,
    )
    with plain_http(timeout=60.0) as client:
        for _ in range(600):
            try:
                client.get(f"http://127.0.0.1:{port}/static/icon.svg")
                return process
            except httpx.TransportError:
                time.sleep(0.1)
    process.kill()
    raise AssertionError("the server does not answer")


@pytest.mark.thorough
@pytest.mark.long
def test_killing_the_server_loses_nothing_that_was_acknowledged(
    tmp_path: Path, full_size: bool
) -> None:
    store, port = tmp_path / "killed.db", free_port()
    people = People(store)
    study = new_study(people, "killed")
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    people.end()
    path = f"http://127.0.0.1:{port}/api/participants/{code}"
    server = start(store, port)
    client = plain_http(timeout=60.0)
    try:
        view = client.get(f"{path}/state").json()
        count = 0
        while view["phase"] != "done":
            cell = None if view["phase"] == "begin" else view["reachable"][-1]
            body = {"number": view["number"], "cell": cell, "response_ms": 10.0}
            view = client.post(f"{path}/answers", json=body).json()
            count += 1
            if count in ((1, 4) if full_size else (4,)):
                server.send_signal(signal.SIGKILL)
                server.wait()
                server = start(store, port)
                assert client.get(f"{path}/state").json() == view
                again = client.post(f"{path}/answers", json=body)
                assert (again.status_code, again.json()) == (200, view)
    finally:
        client.close()
        server.terminate()
        server.wait()
    after = People(store)
    assert [given.number for given in after.given(study.id, one.number)] == list(range(2 + 4 + 6))
    assert after.by_code(code).state == "finished"
    assert after.store.progress(after.store.find("killed")).done == 1
    after.end()
