"""Sittings of a run: paths and faults from the records, and episodes that are stepped through in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.web.conftest import Serve, Served, log_in, violations

from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.files import parse_study
from mensura.studies.replay import replay
from mensura.web import sitting_readings
from mensura.web.pages import phrases

STUDY = """\
mensura: 1
name: {name}
seed: 5
worlds: [lambda-v1]
subjects: {subjects}
assessments:
  - assessment: exercises
    parameters: {{sittings: {sittings}}}
"""

BROKEN = '''\
class Broken:
    """Prints, and answers what is no action, once in a while."""

    count = 0

    def act(self, observation, reward):
        self.count += 1
        print("thinking", self.count)
        return 99 if self.count == 3 else 0
'''


LETTERS = """\
mensura: 1
name: letters
seed: 5
worlds:
  - {world: constraints-v1, parameters: {n: 4, horizon: 20}}
subjects: [abt]
assessments:
  - {assessment: battery, parameters: {episodes: 2}}
"""


@pytest.fixture(scope="module")
def desk(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A server whose store has a run of programs, and one of a class in a file."""
    served = serve()
    code = tmp_path_factory.mktemp("code") / "broken.py"
    code.write_text(BROKEN, encoding="utf-8")
    with open_store(served.settings.store) as store:
        for name, subjects, sittings in (
            ("programs", "[random, follower]", 30),
            ("own", f"['{code}:Broken']", 1),
        ):
            text = STUDY.format(name=name, subjects=subjects, sittings=sittings)
            run = runs.begin(store, parse_study(text).study)
            runs.resume(store, run, manner=runs.Manner("threads", 1))
        run = runs.begin(store, parse_study(LETTERS).study)
        runs.resume(store, run, manner=runs.Manner("threads", 1))
    return served


@pytest.fixture(scope="module")
def client(desk: Served) -> Iterator[httpx.Client]:
    """The experimenter, logged in once."""
    with desk.experimenter() as client:
        yield client


def test_sittings_come_some_at_a_time_each_with_the_path_of_its_score(
    desk: Served, client: httpx.Client
) -> None:
    found = client.get("/api/runs/programs/sittings").json()
    assert (len(found["rows"]), found["sittings"], found["next"]) == (25, 60, 25)
    with open_store(desk.settings.store) as store:
        played = replay(store, store.find("programs"), 3)
    rewards = [episode.replayed for episode in played.episodes]
    path = [sum(rewards[: at + 1]) / (at + 1) for at in range(len(rewards))]
    assert found["rows"][3]["path"] == pytest.approx(path)
    last = client.get(
        "/api/runs/programs/sittings", params={"subject": "follower", "first": 25}
    ).json()
    assert [row["number"] for row in last["rows"]] == list(range(55, 60))
    assert {row["subject"] for row in last["rows"]} == {"follower"}
    assert last["next"] is None


def test_a_long_path_is_thinned_out_and_ends_where_it_ends() -> None:
    path = sitting_readings._path([1.0] * 1000 + [0.0] * 1000)
    assert len(path) <= sitting_readings.POINTS
    assert path[0] == (1, 1.0)
    assert path[-1] == (2000, 0.5)


def test_steps_are_those_of_the_replay_and_paged(desk: Served, client: httpx.Client) -> None:
    with open_store(desk.settings.store) as store:
        played = replay(store, store.find("programs"), 1, look=True)
    first = client.get("/api/runs/programs/sittings/1").json()
    second = client.get("/api/runs/programs/sittings/1", params={"first": first["next"]}).json()
    assert first["identical"]
    assert first["score"] == played.recorded
    assert first["steps"] == len(played.interactions)
    assert second["interactions"][0]["step"] == first["interactions"][-1]["step"] + 1
    for one, seen in zip(
        [*first["interactions"], *second["interactions"]], played.interactions, strict=False
    ):
        assert (one["action"], one["reward"]) == (seen.action, seen.reward)
        assert one["observation"] == seen.observation
        assert one["svg"].startswith("<svg")
    assert [one["first"] for one in first["episodes"]][:2] == [0, played.episodes and next(
        seen.step for seen in played.interactions if seen.sequence == 1
    )]  # fmt: skip
    assert first["path"][-1][1] == pytest.approx(
        sum(seen.reward for seen in played.interactions) / len(played.interactions)
    )


def test_faults_are_told_by_cause_and_what_a_program_printed(client: httpx.Client) -> None:
    (cause,) = client.get("/api/runs/own/faults").json()
    assert (cause["kind"], cause["times"], cause["number"]) == ("illegal", 1, 0)
    told = client.get("/api/runs/own/sittings/0").json()
    assert "thinking 1" in told["printed"]
    assert "names code" in told["hindrance"]
    assert told["interactions"] == []
    assert phrases("es").knows(told["hindrance"])
    assert client.get("/api/runs/programs/faults").json() == []


def test_a_sitting_that_is_too_long_or_whose_subject_lives_elsewhere_is_not_played_again(
    desk: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitting_readings, "LONGEST", 10)
    where = str(desk.settings.store)
    told = sitting_readings.steps(where, "programs", 0, 0)
    assert "a page plays at most 10 again" in told["hindrance"]
    assert phrases("es").knows(told["hindrance"])
    assert client.get("/api/runs/programs/sittings/60").status_code == 400
    assert client.get("/runs/nowhere/sittings/0").status_code == 404


def test_strangers_see_no_sitting(desk: Served) -> None:
    with desk.client() as stranger:
        for path in ("sittings", "sittings/0", "faults"):
            assert stranger.get(f"/api/runs/programs/{path}").status_code == 401


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "es"])
def test_an_episode_is_stepped_through_by_mouse_and_keyboard(
    desk: Served, browser_page: Any, language: str, tmp_path: Path
) -> None:
    page = browser_page
    log_in(page, desk.url)
    page.goto(f"{desk.url}/language/{language}?back=/runs/programs")
    page.locator("#sittings a").first.click()
    page.locator("html[data-ready]").wait_for(state="attached")
    assert violations(page) == []
    where = page.locator("#where")
    assert " 1 " in where.inner_text()
    page.locator("#next").click()
    page.locator("#next").press("Enter")
    assert " 3 " in where.inner_text()
    page.locator("#previous").click()
    assert " 2 " in where.inner_text()
    page.locator("#line").focus()
    page.keyboard.press("End")  # beyond what has come so far
    page.locator("#next:disabled").wait_for()
    assert page.locator("#seats .picture svg").is_visible()
    page.locator("#episode").select_option("1")
    page.locator("#where", has_text=" 2 ").wait_for()
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page) == []
    assert page.problems == []
    assert all(url.startswith(desk.url) for url in page.requested)


def test_episodes_of_worlds_that_make_pages_of_them_have_theirs(client: httpx.Client) -> None:
    assert client.get("/api/runs/letters/sittings/0").json()["has_page"]
    answer = client.get("/runs/letters/sittings/0/episodes/0")
    assert answer.status_code == 200
    assert 'id="episode-data"' in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts;")
    beyond = client.get("/runs/letters/sittings/0/episodes/9")
    assert (beyond.status_code, "no episode 10" in beyond.text) == (400, True)
    assert not client.get("/api/runs/programs/sittings/0").json()["has_page"]
    assert client.get("/runs/programs/sittings/0/episodes/0").status_code == 400


def test_strangers_see_no_page_of_an_episode(desk: Served) -> None:
    with desk.client() as stranger:
        answer = stranger.get("/runs/letters/sittings/0/episodes/0")
        assert "episode-data" not in answer.text


@pytest.mark.thorough
def test_the_viewer_leads_to_the_page_of_the_episode(desk: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, desk.url)
    page.goto(f"{desk.url}/runs/letters/sittings/1")
    page.locator("html[data-ready]").wait_for(state="attached")
    page.get_by_role("link", name="Step through this episode").click()
    page.locator("#episode canvas.drawing").wait_for()
    assert "/sittings/1/episodes/0" in page.url
    assert page.problems == []


@pytest.mark.thorough
def test_runs_are_found_filtered_and_sorted(desk: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, desk.url)
    page.goto(f"{desk.url}/dashboard")
    rows = page.locator("#runs tbody tr:visible th a[data-name=link]")
    page.locator("#tools").wait_for()
    assert rows.all_inner_texts() == ["letters", "own", "programs"]
    page.get_by_label("Sort by").select_option("episodes")
    assert rows.all_inner_texts()[0] == "programs"
    page.get_by_role("searchbox").fill("follow")
    assert rows.all_inner_texts() == ["programs"]
    page.get_by_role("searchbox").fill("")
    page.get_by_label("Subject").select_option("random")
    assert rows.all_inner_texts() == ["programs"]
    page.get_by_label("Subject").select_option("")
    page.get_by_label("Status").select_option("finished")
    assert len(rows.all_inner_texts()) == 3
    page.get_by_role("checkbox", name="Choose programs").check()
    assert page.locator("#chosen").inner_text() == "1 chosen"
    assert violations(page) == []
