"""One link for all: each id once, quotas that hold, an end, waves, ways back, and a pilot that counts nowhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.postgres import Cluster
from tests.web.conftest import Served, log_in, violations
from tests.web.test_people import new_study, play

from mensura.agent.errors import MensuraError
from mensura.records.store import open_store
from mensura.web.people.admission import NotAdmitted
from mensura.web.people.joining import change, join, study_of
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Refused

STUDIES = "/api/experimenter/studies"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    made = People(tmp_path / "people.db")
    yield made
    made.end()


def came(people: People, study: PeopleStudy, external: str, *, pilot: bool = False) -> Any:
    """Whoever joined with an id."""
    arrival = join(people, study, external, pilot=pilot)
    assert arrival.why is None
    return people.by_code(arrival.code)


def test_an_id_has_one_entry_however_often_and_from_how_many_tabs_it_comes(people: People) -> None:
    study = new_study(people, places=50)
    with ThreadPoolExecutor(8) as threads:
        codes = set(
            threads.map(lambda i: join(people, study, f"id{i % 3}", pilot=False).code, range(24))
        )
    assert len(codes) == 3
    found = people.participants(study)
    assert sorted(str(one.external) for one in found) == ["id0", "id1", "id2"]
    assert sorted(one.number for one in found) == [0, 1, 2]
    one = came(people, study, "id1")
    live = play(people, study, one, 4)
    assert came(people, study, " id1 ").answered == live.number - live.person.exercise
    assert people.study("short") == study


def test_another_server_on_the_same_store_knows_the_id(people: People, tmp_path: Path) -> None:
    study = new_study(people)
    code = join(people, study, "one", pilot=False).code
    other = People(tmp_path / "people.db")
    try:
        assert join(other, other.study("short"), "one", pilot=False).code == code
    finally:
        other.end()
    assert len(people.participants(study)) == 1


def test_a_code_is_not_kept_and_differs_between_studies(people: People, tmp_path: Path) -> None:
    first, second = new_study(people), new_study(people, "other")
    codes = {
        join(people, study, "one", pilot=pilot).code
        for study in (first, second)
        for pilot in (False, True)
    }
    assert len(codes) == 4
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert not any(code.encode() in kept for code in codes)


@pytest.mark.parametrize("external", ["", "  ", "x" * 201, "a\x00b", "a\nb"])
def test_what_is_no_id_is_refused(people: People, external: str) -> None:
    study = new_study(people)
    with pytest.raises(Refused, match="PROLIFIC_PID") as refused:
        join(people, study, external, pilot=False)
    assert refused.value.status == 422
    assert people.participants(study) == []


def test_the_quota_counts_who_agrees_and_whoever_withdraws_makes_room(people: People) -> None:
    study = new_study(people, places=20, people={"quota": 2})
    entries = [came(people, study, f"id{i}") for i in range(10)]

    def agree(one: Any) -> bool:
        with suppress(NotAdmitted):
            people.consent(one)
            return True
        return False

    with ThreadPoolExecutor(10) as threads:
        admitted = list(threads.map(agree, entries))
    assert sum(admitted) == 2
    states = [one.state for one in people.participants(study)]
    assert (states.count("consented"), states.count("invited")) == (2, 8)
    assert join(people, study, "late", pilot=False).why == "full"
    inside = entries[admitted.index(True)]
    people.consent(inside)  # once more changes nothing
    assert (
        people.barred(people.participants(study)[entries[admitted.index(False)].number]) == "full"
    )
    people.withdraw(inside)
    assert join(people, study, "late", pilot=False).why is None
    assert agree(entries[admitted.index(False)])
    assert not agree(came(people, study, "late"))


def test_places_are_never_given_twice(people: People) -> None:
    study = new_study(people, places=3)
    with ThreadPoolExecutor(8) as threads:
        whys = list(threads.map(lambda i: join(people, study, f"{i}", pilot=False).why, range(12)))
    assert whys.count(None) == 3
    assert whys.count("full") == 9
    assert [one.number for one in people.participants(study)] == [0, 1, 2]


def test_after_the_end_nobody_begins_and_whoever_has_begun_goes_on(people: People) -> None:
    study = new_study(people, people={"ends": "2100-01-01", "wave": "1"})
    one, other = came(people, study, "one"), came(people, study, "other")
    play(people, study, one, 3)
    change(people, study, quota=None, ends="2001-01-01", wave="2")
    assert join(people, people.study("short"), "late", pilot=False).why == "ended"
    with pytest.raises(NotAdmitted, match="has ended"):
        people.consent(other)
    live = people.live(study.id, one.number)
    assert live.number == 3
    assert came(people, study, "one").state == "playing"
    change(people, study, quota=None, ends=None, wave="2")
    assert [came(people, study, name).wave for name in ("one", "new")] == ["1", "2"]
    with pytest.raises(MensuraError, match="ends is 'soon'"):
        change(people, study, quota=None, ends="soon", wave=None)


def test_the_pilot_is_in_no_result_and_takes_no_place(people: People, tmp_path: Path) -> None:
    study = new_study(people, places=1, people={"quota": 1})
    for name in ("a", "b"):
        pilot = came(people, study, name, pilot=True)
        live = play(people, study, pilot)
        score = people.finish(live, study.id)
    pilot = people.participants(study)[0]
    assert (pilot.pseudonym, pilot.state, pilot.pilot) == ("T0001", "finished", True)
    (batch,) = people.results(people.participants(study)[1])
    assert batch is not None
    assert float(batch.score[0]) == score
    with open_store(tmp_path / "people.db") as store:
        run = store.find("short")
        assert store.sitting(run, 0)[2] is None
        assert run.status != "finished"
    with sqlite3.connect(tmp_path / "people.db") as connection:
        assert connection.execute("SELECT count(*) FROM sitting").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM episode").fetchone() == (0,)
    connection.close()
    one = came(people, study, "a")
    assert (one.number, one.pseudonym, one.pilot) == (0, "P0001", False)
    people.finish(play(people, study, one), study.id)
    people.answer_questions(one, {"age": "18-29"})
    people.answer_questions(pilot, {"age": "60-over"})
    assert {row["pseudonym"] for row in people.rows(study)} == {"P0001"}
    assert {row["pseudonym"] for row in people.rows(study, pilot=True)} == {"T0001", "T0002"}
    assert [row["answer"] for row in people.questionnaires(study)] == ["18-29"]
    assert [row["answer"] for row in people.questionnaires(study, pilot=True)] == ["60-over"]
    other = new_study(people, "beside", places=3)
    ((beside, _),) = people.invite(other, 1)
    people.finish(play(people, other, beside), other.id)
    people.withdraw(pilot)
    people.forget(study, people.participants(study)[-1].number)
    assert people.results(one)
    assert people.results(beside)


@pytest.mark.thorough
def test_ids_and_quotas_hold_in_postgresql(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Cluster
) -> None:
    monkeypatch.setenv("MENSURA_FILES", str(tmp_path / "files"))
    where = cluster.create()
    servers = [People(where), People(where)]
    study = new_study(servers[0], places=20, people={"quota": 3})
    with ThreadPoolExecutor(8) as threads:
        arrivals = list(
            threads.map(lambda i: join(servers[i % 2], study, f"id{i % 6}", pilot=False), range(24))
        )

        def agree(i: int) -> None:
            with suppress(NotAdmitted):
                servers[i % 2].consent(servers[i % 2].by_code(arrivals[i].code))

        list(threads.map(agree, range(24)))
    states = [one.state for one in servers[0].participants(study)]
    assert (len(states), states.count("consented")) == (6, 3)
    for server in servers:
        server.end()


# On the web ----------------------------------------------------------------------------------------


def made(served: Served, name: str, **people: Any) -> tuple[People, PeopleStudy]:
    found: People = served.app.state.people
    return found, new_study(found, name, people=people)


def test_the_link_leads_to_ones_own_pages_and_back_there(served: Served) -> None:
    people, study = made(served, "web", parameter="workerId")
    path = f"/join/{study.token}"
    with served.client() as client:
        first = client.get(path, params={"workerId": "A1", "other": "x"})
        again = client.get(path, params={"workerId": "A1"})
        lacking = client.get(path)
        spanish = client.get(path, headers={"accept-language": "es"})
        twice = client.get(f"{path}?workerId=A1&workerId=A2")
        unknown = client.get("/join/nothing", params={"workerId": "A1"})
    assert (first.status_code, again.status_code) == (303, 303)
    assert first.headers["location"] == again.headers["location"]
    assert (lacking.status_code, twice.status_code, unknown.status_code) == (422, 422, 404)
    assert "The link lacks workerId" in lacking.text
    assert "Al enlace le falta workerId" in spanish.text
    assert len(people.participants(study)) == 1
    assert study_of(people, study.pilot_token) == (study, True)


def test_a_full_study_sends_people_back_to_the_experimenters_address_only(served: Served) -> None:
    people, study = made(
        served,
        "full",
        quota=1,
        screened={"url": "https://example.org/s?cc=NO&who={id}", "code": "NO<1>"},
        completed={"url": "https://example.org/done"},
    )
    people.consent(came(people, study, "first"))
    with served.client() as client:
        barred = client.get(
            f"/join/{study.token}",
            params={"PROLIFIC_PID": '"><script>', "url": "https://evil.example"},
        )
    assert barred.status_code == 409
    assert 'href="https://example.org/s?cc=NO&amp;who=%22%3E%3Cscript%3E"' in barred.text
    assert "NO&lt;1&gt;" in barred.text
    assert "example.org/done" not in barred.text
    assert 'href="https://evil' not in barred.text


def test_whoever_finishes_sees_the_way_back_and_nobody_before(served: Served) -> None:
    people, study = made(
        served, "done", completed={"url": "https://example.org/done?cc=YES", "code": "YES"}
    )
    arrival = join(people, study, "one", pilot=False)
    one = people.by_code(arrival.code)
    with served.client() as client:
        client.follow_redirects = True
        for _ in range(2):
            assert "example.org/done" not in client.get(f"/p/{arrival.code}").text
            live = play(people, study, one, 3)
        people.finish(play(people, study, one), study.id)
        assert "example.org/done" not in client.get(f"/p/{arrival.code}").text
        people.answer_questions(one, {"age": ""})
        text = client.get(f"/p/{arrival.code}").text
    assert live.number > 0
    assert 'href="https://example.org/done?cc=YES"' in text
    assert "YES</strong>" in text


def test_the_experimenter_sets_who_may_still_come(served: Served) -> None:
    made(served, "set")
    with served.experimenter() as client:
        found = client.get(f"{STUDIES}/set/recruiting").json()
        assert found["link"].startswith(f"{served.url}/join/")
        assert found["link"].endswith("?PROLIFIC_PID=ID")
        changed = client.post(f"{STUDIES}/set/recruiting", json={"quota": 3, "wave": "2"})
        assert (changed.json()["quota"], changed.json()["wave"]) == (3, "2")
        wrong = client.post(f"{STUDIES}/set/recruiting", json={"ends": "soon"})
        assert wrong.status_code == 400
        assert "ends is 'soon'" in wrong.json()["error"]
        assert client.get(f"{STUDIES}/set/recruiting").json()["quota"] == 3
        bad: httpx.Response = client.post(
            STUDIES, json={"name": "bad", "people": {"completed": {"url": "http://x.example"}}}
        )
        assert bad.status_code == 400
        assert "https://" in bad.json()["error"]
        exported = client.get(f"{STUDIES}/set/interactions.csv", params={"pilot": "true"})
        assert 'filename="set-interactions-pilot.csv"' in exported.headers["content-disposition"]
    with served.client() as stranger:
        assert stranger.get(f"{STUDIES}/set/recruiting").status_code == 401


@pytest.mark.thorough
def test_a_study_is_recruited_for_in_a_browser(served: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, served.url)
    page.goto(f"{served.url}/experimenter/new")
    page.get_by_label("Name (").fill("recruited")
    page.get_by_text("Recruiting, quota and end").click()
    page.get_by_label("Parameter of the link").fill("id")
    page.get_by_label("Quota").fill("1")
    page.get_by_label("Address for those who cannot").fill("https://example.org/no?who={id}")
    assert violations(page) == []
    page.locator("#new button:enabled").wait_for()
    page.get_by_role("button", name="Make the study").click()
    page.get_by_role("heading", name="recruited").wait_for()
    link = page.locator("#join-link").inner_text()
    page.locator("#recruit button:enabled").wait_for()
    assert page.get_by_label("Quota").input_value() == "1"
    page.get_by_label("Wave of those").fill("first")
    page.get_by_role("button", name="Set").click()
    page.get_by_text("Set; it holds from now on.").wait_for()
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.goto(link.replace("=ID", "=ada"))
    assert page.get_by_text("The id ada").is_visible()
    assert violations(page) == []
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/instructions")
    page.goto(link.replace("=ID", "=ada"))
    assert page.url.endswith("/instructions")
    page.goto(link.replace("=ID", "=eva"))
    page.get_by_role("link", name="Español").click()
    assert page.get_by_role("link", name="Volver").get_attribute("href") == (
        "https://example.org/no?who=eva"
    )
    assert violations(page) == []
    page.goto(f"{served.url}/experimenter/recruited")
    page.get_by_role("row", name="P0001 ada").wait_for()
    assert "first" in page.get_by_role("row", name="P0001 ada").inner_text()
