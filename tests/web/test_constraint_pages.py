"""Distributed constraints on pages: episodes stepped through letter by letter, and people as agents in rooms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.web.conftest import Served, in_a_loop, log_in, violations

from mensura.core.registry import EDITORS
from mensura.web.people.rooms.hall import Hall
from mensura.web.people.studies import People, PeopleStudy

API = "/api/research/episodes"

pytestmark = pytest.mark.skipif(
    "constraints-v1" not in EDITORS.entries(), reason="the installation is older: make venv"
)


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[httpx.Client]:
    with served.experimenter() as one:
        yield one


def played(client: httpx.Client, **more: Any) -> dict[str, Any]:
    body = {"preset": "queens", "parameters": {"n": 6}, "subject": "abt", "seed": "1", **more}
    answer = client.post(API, json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_an_episode_is_asked_for_part_by_part(client: httpx.Client) -> None:
    name = played(client)["name"]
    over = client.get(f"{API}/{name}").json()
    assert over["form"] == "board"
    assert over["curves"]["cost"][-1] == 0
    turns = client.get(f"{API}/{name}/turns", params={"first": 2, "count": 3}).json()
    assert [one["turn"] for one in turns] == [2, 3, 4]
    letters = client.get(f"{API}/{name}/turns/2/letters", params={"count": 2}).json()
    assert [one[0] for one in letters] == list(range(min(2, turns[0]["letters"])))
    agent = client.get(f"{API}/{name}/turns/3/agents/3").json()
    assert agent["tables"]
    again = played(client)
    assert client.get(f"{API}/{again['name']}").json() == over


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"world": "lambda-v1", "preset": "", "parameters": {}, "subject": "random"}, "Only episodes of"),
        ({"parameters": {"n": 5000}}, "at most 1200"),
        ({"parameters": {"task": "/etc/passwd"}}, "There is no sample"),
        ({"subject": "os:system"}, "not built in"),
        ({"preset": "sensors", "parameters": {}}, "has costs"),
        ({"parameters": {"horizon": 20_000}}, "at most 10000"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_told_in_a_sentence(
    client: httpx.Client, body: dict[str, Any], sentence: str
) -> None:
    asked = {"preset": "queens", "parameters": {"n": 6}, "subject": "abt", **body}
    answer = client.post(API, json=asked)
    assert 400 <= answer.status_code < 500
    assert sentence in answer.json()["error"]


def test_no_description_names_a_file_of_the_server(client: httpx.Client) -> None:
    drawn = client.post(
        "/api/research/environments", json={"world": "constraints-v1", "preset": "queens"}
    ).json()["description"]
    begun = client.post(
        "/api/research/visits",
        json={"world": "constraints-v1", "description": {**drawn, "task": "/etc/passwd"}},
    )
    assert begun.status_code == 400
    assert "never names a file" in begun.json()["error"]


def test_the_episode_of_a_visit_is_stepped_through(client: httpx.Client) -> None:
    """The same environment, seed and subject as in the research view give the same episode."""
    body = {"world": "constraints-v1", "preset": "coloring", "parameters": {"nodes": 6, "links": 9}}
    drawn = client.post("/api/research/environments", json={**body, "seed": "4"}).json()
    begun = client.post(
        "/api/research/visits",
        json={**body, "description": drawn["description"], "seed": "9", "subject": "dsa"},
    ).json()
    visit, described = begun["state"]["visit"], begun["about"]["description"]
    state = client.post(f"/api/research/visits/{visit}/steps", json={"count": 3}).json()
    name = played(client, preset="", parameters={}, description=described, subject="dsa", seed="9")
    turn = client.get(f"{API}/{name['name']}/turns/2/letters", params={"count": 400}).json()
    (letters,) = [one for one in state["tables"] if one["name"] == "letters written"]
    assert [one[1:] for one in turn] == letters["rows"]


def test_what_is_no_longer_kept_says_so(client: httpx.Client) -> None:
    name = played(client)["name"]
    for _ in range(8):
        played(client, parameters={"n": 4})
    answer = client.get(f"{API}/{name}")
    assert (answer.status_code, "play it again" in answer.json()["error"]) == (404, True)
    name = played(client)["name"]
    assert client.get(f"{API}/{name}/turns/5000/letters").status_code == 400
    assert client.get(f"{API}/{name}/turns/0/agents/99").status_code == 400


@pytest.mark.thorough
def test_letters_are_stepped_through_in_a_browser(served: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, served.url)
    page.goto(f"{served.url}/research/episodes?preset=queens&set=n%3D6&subject=abt&seed=1")
    assert violations(page) == []
    page.get_by_role("button", name="Play it").click()
    page.get_by_text("Turn 1 of").wait_for()
    page.get_by_role("button", name="Next turn").click()
    page.get_by_text("Turn 2 of").wait_for()
    page.get_by_role("button", name="Next letter").click()
    page.get_by_text("Letter 1 of").wait_for()
    reason = page.locator(".episode li").filter(has_text="is the first that is left").first
    reason.wait_for()
    page.get_by_role("button", name="Back a letter").click()
    page.get_by_text("Turn 1 of").wait_for()
    page.get_by_label("Agent", exact=True).fill("4")
    page.get_by_label("Agent", exact=True).press("Enter")
    page.get_by_role("heading", name="Agent 4").first.wait_for()
    assert violations(page) == []
    assert page.problems == []


# People ---------------------------------------------------------------------------------


def class_study(people: People, name: str = "class", **together: Any) -> PeopleStudy:
    return people.create(
        name=name,
        title="A class against AWCS",
        assessment="attempts",
        parameters={"attempts": 1},
        world="constraints-v1",
        world_parameters={"family": "coloring", "nodes": 5, "links": 6, "horizon": 6},
        places=4,
        theme="colors",
        language="",
        seed=7,
        people={
            "together": {"people": 2, "programs": "awcs*3", "turn": 600.0, **together},
            "usual_questions": False,
        },
    )


def agreed(people: People, study: PeopleStudy) -> list[str]:
    codes = []
    for one, code in people.invite(study, 2):
        people.consent(one)
        codes.append(code)
    return codes


@pytest.mark.thorough
@pytest.mark.parametrize("programs", ["awcs*3", "abt*3", "dsa*3", "mgm*3"])
def test_people_pick_values_among_algorithms(tmp_path: Path, programs: str) -> None:
    people = People(tmp_path / "people.db")
    codes = agreed(people, class_study(people, programs=programs))

    async def work() -> None:
        hall = Hall(people)
        told: dict[str, Any] = {}
        for _ in range(8):
            for code in codes:
                told = await hall.state(code)
                if told["phase"] != "act":
                    continue
                assert told["form"]["kind"] == "choices"
                assert told["beside"]
                assert "is open" in told["words"][-1] or "are open" in told["words"][-1]
                assert "awcs" not in str(told["words"])
                actions = [one["action"] for one in told["form"]["choices"]]
                shown = [one["name"] for one in told["form"]["choices"]]
                assert shown
                await hall.answer(code, told["turn"], actions[0], None, 5.0)
            if told["phase"] == "done":
                break
        assert told["phase"] == "done"
        await hall.end()

    in_a_loop(work())
    people.end()


@pytest.mark.thorough
def test_a_person_sees_their_values_and_neighbors_in_a_browser(
    served: Served, chromium: Any
) -> None:
    people: People = served.app.state.people
    codes = agreed(people, class_study(people, name="seen"))
    contexts = [chromium.new_context() for _ in codes]
    pages = [context.new_page() for context in contexts]
    try:
        for page, code in zip(pages, codes, strict=True):
            page.goto(f"{served.url}/p/{code}")
            page.get_by_role("link", name="To the exercises").click()
        for page in pages:
            page.get_by_text("It is your turn.").first.wait_for()
            page.get_by_text("your numbers must differ").first.wait_for()
            assert violations(page) == []
            page.locator("#form button").first.click()
        pages[0].get_by_text("is at number").first.wait_for()
    finally:
        for context in contexts:
            context.close()
