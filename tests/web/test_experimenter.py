"""The experimenter's area: studies for people, links, progress, exports, deleting; and who is kept out of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.web.conftest import Serve, Served, log_in, violations

from mensura.core.registry import WORLDS
from mensura.web.people.fitting import worlds_for

STUDIES = "/api/experimenter/studies"


@pytest.fixture(scope="module")
def desk(serve: Serve) -> Served:
    """A server with studies for people."""
    served = serve()
    return served


@pytest.fixture(scope="module")
def client(desk: Served) -> Iterator[httpx.Client]:
    """The experimenter, logged in once."""
    with desk.experimenter() as client:
        client.timeout = httpx.Timeout(120)  # the first study may have to compile its world
        yield client


def test_a_study_is_made_watched_and_closed(desk: Served, client: httpx.Client) -> None:
    made = client.post(STUDIES, json={"name": "first", "places": 5})
    assert made.status_code == 201
    assert (made.json()["assessment"], made.json()["world"]) == ("exercises", "lambda-v1")
    invited = client.post(f"{STUDIES}/first/invitations", json={"count": 3}).json()
    assert len({one["code"] for one in invited}) == 3
    assert all(len(one["code"]) >= 22 for one in invited), "128 bits are 22 letters"
    assert all(one["link"] == f"{desk.url}/p/{one['code']}" for one in invited)
    who = client.get(f"{STUDIES}/first/participants").json()
    assert [one["state"] for one in who] == ["invited"] * 3
    assert client.post(f"{STUDIES}/first/invitations", json={"count": 3}).status_code == 409
    assert client.post(f"{STUDIES}/first/close").json()["closed"]
    assert client.post(f"{STUDIES}/first/invitations", json={"count": 1}).status_code == 409


def test_a_code_is_shown_once(desk: Served, client: httpx.Client) -> None:
    client.post(STUDIES, json={"name": "once"})
    (made,) = client.post(f"{STUDIES}/once/invitations", json={"count": 1}).json()
    for path in ("/experimenter/once", "/experimenter", f"{STUDIES}/once/participants"):
        assert made["code"] not in client.get(path).text


def test_somebody_is_deleted_only_by_number_and_pseudonym(
    desk: Served, client: httpx.Client
) -> None:
    client.post(STUDIES, json={"name": "deleting"})
    one, other = client.post(f"{STUDIES}/deleting/invitations", json={"count": 2}).json()
    path = f"{STUDIES}/deleting/participants/{one['number']}"
    wrong = client.delete(path, params={"pseudonym": other["pseudonym"]})
    assert wrong.status_code == 409
    assert client.delete(path).status_code == 422
    assert client.delete(path, params={"pseudonym": one["pseudonym"]}).status_code == 200
    assert client.delete(path, params={"pseudonym": one["pseudonym"]}).status_code == 404
    left = client.get(f"{STUDIES}/deleting/participants").json()
    assert [who["pseudonym"] for who in left] == [other["pseudonym"]]


def test_progress_comes_as_events(desk: Served, client: httpx.Client) -> None:
    client.post(STUDIES, json={"name": "watched"})
    client.post(f"{STUDIES}/watched/invitations", json={"count": 2})
    with client.stream("GET", f"{STUDIES}/watched/progress") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        told = [
            json.loads(line.removeprefix("data: "))
            for line, _ in zip(stream.iter_lines(), range(8), strict=False)
            if line.startswith("data: ")
        ]
    assert [one["state"] for one in told] == ["invited", "invited"]


@pytest.mark.parametrize("what", ["interactions", "questionnaires"])
def test_exports_are_files(desk: Served, client: httpx.Client, what: str) -> None:
    client.post(STUDIES, json={"name": "exported"})
    table = client.get(f"{STUDIES}/exported/{what}.csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.headers["content-disposition"].endswith(f'exported-{what}.csv"')
    assert table.text.startswith("pseudonym,")
    parquet = client.get(f"{STUDIES}/exported/{what}.parquet")
    assert parquet.content[:4] == b"PAR1"


@pytest.mark.parametrize(
    "given",
    [
        {"name": "../../etc"},
        {"name": "a/b"},
        {"name": "..%2f"},
        {"name": "<script>"},
        {"name": ""},
        {"name": "x", "places": 0},
        {"name": "x", "language": "xx"},
        {"name": "x", "theme": "dark"},
        {"name": "x", "assessment": "battery"},
        {"name": "x", "world": "no-such-world"},
        {"name": "x", "world": "framotec-v1", "world_parameters": {"task": "/etc/passwd"}},
        {"name": "x", "seed": -1},
        {"name": "x", "title": "t" * 201},
        {},
        [],
    ],
)
def test_a_wrong_study_is_refused_with_a_sentence(
    desk: Served, client: httpx.Client, given: Any
) -> None:
    answer = client.post(STUDIES, json=given)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"].endswith(".")


@pytest.mark.thorough
@pytest.mark.parametrize("assessment", ["exercises", "anytime", "attempts"])
def test_every_world_that_is_offered_is_taken_and_no_other(
    client: httpx.Client, assessment: str
) -> None:
    offered = client.get("/api/experimenter/worlds", params={"assessment": assessment}).json()
    assert offered[0] == "lambda-v1"
    for world in WORLDS.names():
        asked = {"name": f"{assessment}-{world}", "assessment": assessment, "world": world}
        assert client.post(STUDIES, json=asked).status_code == (201 if world in offered else 400)


def test_worlds_are_offered_without_a_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    def dear(*_: Any) -> None:
        raise AssertionError("it plays thousands of episodes")

    monkeypatch.setattr("mensura.assessments.adaptive.scale_of", dear)
    offered = worlds_for.__wrapped__("adaptive")
    assert {"lambda-v1", "echo-v1", "items-v1"} <= set(offered)
    assert not {"atari-v1", "ratings-v1", "lambda-star-v2"} & set(offered)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/experimenter/worlds?assessment=exercises"),
        ("GET", "/api/experimenter/worlds/items-v1/parameters"),
        ("GET", STUDIES),
        ("POST", STUDIES),
        ("GET", f"{STUDIES}/first"),
        ("POST", f"{STUDIES}/first/close"),
        ("POST", f"{STUDIES}/first/invitations"),
        ("GET", f"{STUDIES}/first/participants"),
        ("GET", f"{STUDIES}/first/progress"),
        ("GET", f"{STUDIES}/first/interactions.csv"),
        ("GET", f"{STUDIES}/first/questionnaires.parquet"),
        ("GET", f"{STUDIES}/first/report.html"),
        ("DELETE", f"{STUDIES}/first/participants/0?pseudonym=P0001"),
        ("GET", "/experimenter"),
        ("GET", "/experimenter/new"),
        ("GET", "/experimenter/first"),
    ],
)
def test_strangers_are_kept_out(desk: Served, method: str, path: str) -> None:
    body = {"name": "stranger", "count": 1} if method == "POST" else None
    with desk.client() as client:
        answer = client.request(method, path, json=body)
    assert answer.status_code == 401


def test_other_sites_cannot_act_for_the_experimenter(desk: Served, client: httpx.Client) -> None:
    client.post(STUDIES, json={"name": "theirs"})
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        for method, path in (
            ("POST", f"{STUDIES}/theirs/close"),
            ("DELETE", f"{STUDIES}/theirs/participants/0?pseudonym=P0001"),
        ):
            assert client.request(method, path, headers=headers).status_code == 403
    assert not client.get(f"{STUDIES}/theirs").json()["closed"]


def test_the_experimenters_day_in_a_browser(
    desk: Served, browser_page: Any, tmp_path: Path
) -> None:
    page = browser_page
    log_in(page, desk.url)
    page.goto(f"{desk.url}/dashboard")
    page.get_by_role("link", name="Studies for people").click()
    assert violations(page) == []
    page.get_by_role("link", name="Make a study").click()
    assert violations(page) == []
    title = "<img src=x onerror=\"document.title='owned'\">'\"</script><script>1</script>"
    page.get_by_label("Name (").fill("browser")
    page.get_by_label("Title").fill(title)
    page.get_by_label("Seed").fill("18446744073709551615")
    page.get_by_text("Parameters of the assessment").first.click()
    page.locator("#exercises-most").fill("5")
    page.locator("#new button:enabled").wait_for()
    assert page.locator("#world option").all_inner_texts() == ["lambda-v1"]
    page.locator("#assessment").select_option("attempts")
    page.locator("#world option", has_text="framotec-v1").wait_for(state="attached")
    page.locator("#world").select_option("framotec-v1")
    page.locator("#assessment").select_option("exercises")
    assert page.locator("#world").input_value() == "lambda-v1"
    page.get_by_role("button", name="Make the study").click()
    page.get_by_role("heading", name="browser").wait_for()
    assert page.get_by_text(title).is_visible()
    page.locator("#invite button:enabled").wait_for()
    page.get_by_label("How many").fill("3")
    page.keyboard.press("Enter")
    page.locator("#links dd").nth(2).wait_for()
    links = page.locator("#links dd").all_inner_texts()
    assert all(link.startswith(f"{desk.url}/p/") for link in links)
    page.get_by_role("row", name="P0003").wait_for()
    assert violations(page) == []

    page.get_by_role("button", name="Delete P0002").click()
    assert violations(page) == []
    page.get_by_role("button", name="Delete for good").click()
    page.get_by_text("That is not the pseudonym.").wait_for()
    page.get_by_label("Type the pseudonym").fill("P0002")
    page.keyboard.press("Enter")
    page.get_by_text("P0002 was deleted for good.").wait_for()
    assert page.get_by_role("row", name="P0002").count() == 0
    with page.expect_download() as download:
        page.get_by_role("link", name="Interactions as CSV").click()
    assert download.value.suggested_filename == "browser-interactions.csv"

    page.get_by_role("button", name="Close the study").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Close the study").click()
    page.get_by_text("This study is closed.").wait_for()
    page.set_viewport_size({"width": 360, "height": 740})
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.title() == "browser · Mensura"
    assert page.problems == []
    assert all(url.startswith(desk.url) for url in page.requested)


@pytest.mark.thorough
def test_a_study_of_any_world_is_made_with_its_parameters(desk: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, desk.url)
    page.goto(f"{desk.url}/experimenter/new")
    page.locator("#new button[type=submit]:enabled").wait_for()
    page.locator("#name").fill("questions")
    page.locator("#assessment").select_option("attempts")
    page.locator("#world option", has_text="items-v1").wait_for(state="attached")
    page.locator("#world").select_option("items-v1")
    page.locator("[data-world=items-v1] summary").click()
    family = page.get_by_label("family (letter-series")
    family.fill("matrices")
    assert "mixed" in page.locator("label", has_text="family").inner_text()
    assert violations(page) == []
    page.locator("#new button[type=submit]").click()
    page.wait_for_url("**/experimenter/questions")
    made = desk.app.state.people.study("questions")
    assert (made.world, made.world_parameters["family"]) == ("items-v1", "matrices")
    assert page.problems == []
