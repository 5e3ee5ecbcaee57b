"""The dashboard: runs followed wherever they are played, reports, comparisons, studies started from a browser."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from tests.api.test_profiling import SMALL
from tests.records.toys import make_batch, make_cells, new_run
from tests.reports.printing import empty_figures
from tests.web.conftest import PASSWORD, Serve, Served, violations
from tests.web.test_people import new_study, play

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api import profile_parts, profile_sizes
from mensura.core.abilities import FIXED
from mensura.records.holding import IN_PROCESS
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.files import parse_study
from mensura.web import readings
from mensura.web.dashboard import ALONE
from mensura.web.people.studies import People

NASTY = "<script>document.title='owned'</script><img src=x onerror=\"1\">'&"


def text(name: str, episodes: int = 6, subjects: str = "[random, local-search]") -> str:
    return f"""\
mensura: 1
name: {name}
title: {json.dumps(NASTY)}
seed: 5
worlds: [lambda-star-v2]
subjects: {subjects}
assessments:
  - assessment: battery
    parameters: {{episodes: {episodes}}}
"""


def until(ready: Callable[[], bool]) -> None:
    end = monotonic() + 120
    while not ready():
        assert monotonic() < end, "it takes too long"
        sleep(0.1)


@pytest.fixture(scope="module")
def desk(serve: Serve) -> Served:
    """A server whose store has two finished runs."""
    served = serve()
    with open_store(served.settings.store) as store:
        for name in ("one", "two"):
            study = parse_study(text(name)).study
            run = runs.begin(store, study, fresh_seed=True)
            runs.resume(store, run, manner=runs.Manner("threads", 1))
    return served


@pytest.fixture(scope="module")
def client(desk: Served) -> Iterator[httpx.Client]:
    """The experimenter, logged in once."""
    with desk.experimenter() as client:
        client.timeout = httpx.Timeout(120)
        yield client


# Reading ---------------------------------------------------------------------------


def test_runs_are_listed_the_newest_first(client: httpx.Client) -> None:
    found = client.get("/api/runs").json()
    assert [(one["run"], one["status"], one["done"]) for one in found if one["run"] in ("one", "two")] == [
        ("two", "finished", 12),
        ("one", "finished", 12),
    ]  # fmt: skip
    assert client.get("/api/runs/one").json()["sittings"] == 12


def test_scores_have_intervals(client: httpx.Client) -> None:
    found = client.get("/api/runs/one/scores").json()
    assert [one["subject"] for one in found] == ["random", "local-search"]
    assert all(one["low"] <= one["score"] <= one["high"] for one in found)


@pytest.mark.thorough
def test_a_process_that_died_is_told_and_replaced(desk: Served, serve: Serve) -> None:
    real = serve(desk.settings.store, process_apart=True)
    with real.experimenter() as client:
        assert client.get("/api/runs/one/scores").status_code == 200
        os.kill(real.app.state.apart.pid, signal.SIGKILL)
        statuses = [client.get("/api/runs/one/scores").status_code for _ in range(3)]
    assert statuses[-1] == 200
    assert set(statuses) <= {200, 503}


def test_a_report_stands_alone_and_runs_nothing(client: httpx.Client) -> None:
    for path in ("/runs/one/report", "/report?run=one&run=two", "/compare?run=one"):
        with nullcontext() if path.startswith("/runs") else empty_figures():
            answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"] == ALONE
        assert "<script" not in answer.text
        assert "<img src=x" not in answer.text


@pytest.mark.thorough
@pytest.mark.usefixtures("words_only")
def test_profiles_are_listed_and_their_report_is_the_profile(
    desk: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_sizes, "QUICK", SMALL)
    given: dict[str, Any] = {"quick": True, "seed": 1, "references": ["oracle"], "name": "profiled"}
    ms.profile("follower", store=desk.settings.store, **given)
    facts = client.get("/api/runs/profiled").json()
    assert facts["profile"]
    assert facts["status"] == "finished"
    assert facts["title"] == "Profile of follower on lambda-v1"
    assert not client.get("/api/runs/one").json()["profile"]
    page = client.get("/api/runs/profiled/report")
    assert '<h2 id="robustness">' in page.text
    assert page.headers["content-security-policy"] == ALONE
    assert "Open the profile" in client.get("/dashboard").text
    with desk.experimenter() as reader:
        assert ">Profile</a>" in reader.get("/runs/profiled").text


def test_runs_are_compared_within_and_between(client: httpx.Client) -> None:
    (within,) = client.get("/api/comparison", params={"run": "one"}).json()
    assert (within["one"], within["two"], within["verdict"]) == ("random", "local-search", "lower")
    between = client.get("/api/comparison?run=one&run=two").json()
    assert [one["verdict"] for one in between] == ["same", "same"]
    assert between[0]["one"] == "random in one"
    several = client.get("/api/comparison?run=one&run=two&subject=random").json()
    assert len(several) == 1


def test_runs_in_different_worlds_are_not_compared_unless_somebody_insists(
    desk: Served, client: httpx.Client
) -> None:
    with open_store(desk.settings.store) as store:
        cells = make_cells(("random",), 12)
        run = store.begin(new_run("other-world", cells))
        with store.seize(run) as lease:
            lease.commit([make_batch(cells[0])])
            lease.finish("finished")
    for path in ("/api/comparison", "/compare"):
        refused = client.get(f"{path}?run=one&run=other-world")
        assert refused.status_code == 400
        assert (
            "cannot be compared, since more than the subject differs: the world (" in refused.text
        )
    (row,) = client.get("/api/comparison?run=one&run=other-world&anyway=true").json()
    assert row["differs"][0].startswith("the world (lambda-star-v2 and ")
    assert row["conclusion"].startswith("not comparable: ")
    page = client.get("/compare?run=one&run=other-world&anyway=true")
    assert "of scores that are not comparable" in page.text


def test_the_leaderboard_counts_the_same_environments_once(client: httpx.Client) -> None:
    board = next(
        row for row in client.get("/api/leaderboard").json() if row["world"] == "lambda-star-v2"
    )
    rows = {row["subject"]: row for row in board["standings"]}
    assert rows["random"]["count"] == 6
    assert rows["local-search"]["score"] > rows["random"]["score"]
    assert rows["local-search"]["low"] < rows["local-search"]["score"] < rows["local-search"]["high"]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "apart"), [("en", "They have no places"), ("es", "No tienen puesto")]
)
def test_the_page_of_the_leaderboard_marks_what_is_not_ranked(
    serve: Serve, tmp_path: Path, language: str, apart: str
) -> None:
    where = tmp_path / "marked.db"
    cells = [
        replace(cell, content=FIXED, isolation=IN_PROCESS)
        for cell in make_cells(("cheat.py:Cheat",), 5)
    ]
    with open_store(where) as store:
        run = store.begin(new_run("cheating", cells, fresh_seed=True))
        with store.seize(run) as lease:
            lease.commit([make_batch(cells[0])])
    with serve(where, public=True).client() as stranger:
        page = stranger.get("/leaderboard", headers={"Accept-Language": language}).text
    assert apart in page
    assert IN_PROCESS in page.replace("&#39;", "'")
    assert ("(fixed)" if language == "en" else "(son fijos)") in page
    assert "\N{EN DASH}</td>" in page


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/runs/nope", 404),
        ("/runs/nope", 404),
        ("/runs/nope/report", 404),
        ("/api/runs/nope/scores", 404),
        ("/api/runs/99999999999999999999999999", 404),
        ("/api/runs/..%2f..%2fetc%2fpasswd", 404),
        ("/api/runs/%2e%2e", 422),
        ("/api/runs/%00", 422),
        ("/api/runs/a%27--", 422),
        ("/api/runs/<script>", 422),
        ("/runs/<script>", 422),
        ("/api/comparison", 422),
        ("/api/comparison?run=nope", 404),
        ("/api/comparison?run=one&subject=nobody", 400),
        ("/api/comparison?run=one&level=2", 422),
        ("/api/comparison?run=one&correction=x", 422),
        ("/report?run=<b>", 404),
        ("/static/..%2fapp.py", 404),
    ],
)
def test_what_is_not_there_is_told_in_a_sentence(
    client: httpx.Client, path: str, status: int
) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert "<script>" not in answer.text
    assert "<b>" not in answer.text
    if path.startswith("/api"):
        assert answer.json()["error"].endswith((".", "?"))


def test_progress_of_a_run_of_another_process_comes_as_events(
    desk: Served, client: httpx.Client
) -> None:
    with (
        open_store(desk.settings.store) as store,
        client.stream("GET", "/api/progress") as stream,
    ):
        lines = stream.iter_lines()

        def told(name: str, status: str) -> bool:
            facts: dict[str, Any] = {}
            while (facts.get("run"), facts.get("status")) != (name, status):
                line = next(lines)
                facts = json.loads(line[6:]) if line.startswith("data: ") else {}
            return True

        assert told("one", "finished")
        run = runs.begin(store, parse_study(text("elsewhere")).study)
        assert told("elsewhere", "interrupted")
        runs.resume(store, run, manner=runs.Manner("threads", 1))
        assert told("elsewhere", "finished")
        store.delete(run)
        assert any(line == "event: gone" for line in lines)


# Who may ---------------------------------------------------------------------------

READING = [
    "/api/runs",
    "/api/runs/one",
    "/api/runs/one/scores",
    "/api/runs/one/report",
    "/api/report?run=one",
    "/api/comparison?run=one",
    "/api/leaderboard",
    "/dashboard",
    "/leaderboard",
    "/runs/one",
    "/compare?run=one",
]
CHANGING = ["/api/runs/one/stop", "/api/runs/one/resume", "/api/studies", "/api/studies/check"]


def test_strangers_neither_read_nor_change(desk: Served) -> None:
    with desk.client() as stranger:
        for path in [*READING, "/api/progress", "/api/studies", "/studies/new"]:
            assert stranger.get(path).status_code == 401, path
        for path in CHANGING:
            assert stranger.post(path, json={"text": text("x")}).status_code == 401, path


@pytest.mark.usefixtures("words_only")
@pytest.mark.usefixtures("words_only")
def test_where_it_is_public_everybody_reads_and_nobody_changes(desk: Served, serve: Serve) -> None:
    public = serve(desk.settings.store, public=True)
    with public.client() as stranger:
        stranger.timeout = httpx.Timeout(120)
        for path in READING:
            assert stranger.get(path).status_code == 200, path
        for path in CHANGING:
            assert stranger.post(path, json={"text": text("x")}).status_code == 401, path
        assert stranger.get("/api/studies").status_code == 401
        assert "machine" not in stranger.get("/runs/one").text.casefold()
        people: People = public.app.state.people
        study = new_study(people, "guarded", seed=None)
        early = stranger.get("/runs/guarded/report")
        assert early.status_code == 409
        assert "No sitting of guarded is done yet" in early.text
        ((one, _),) = people.invite(study, 1)
        people.finish(play(people, study, one), study.id)
        public.app.state.follower.forget()
        with (
            public.experimenter() as experimenter
        ):  # what was made for the experimenter is for nobody else
            assert str(study.seed) in experimenter.get("/runs/guarded/report").text
        read = {}
        for route in public.app.state.routes:
            path = route.path.replace("{name}", "guarded")
            if (
                "GET" in getattr(route, "methods", ())
                and "{" not in path
                and not path.endswith("progress")
            ):
                read[path] = stranger.get(path, params={"run": ["guarded", "one"]})
        assert {read[path].status_code for path in ("/runs/guarded/report", "/report")} == {200}
        assert [path for path, answer in read.items() if str(study.seed) in answer.text] == []


def test_other_sites_start_nothing(client: httpx.Client) -> None:
    for path in CHANGING:
        answer = client.post(
            path, json={"text": text("x")}, headers={"origin": "https://evil.example"}
        )
        assert answer.status_code == 403


# Studies ---------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_study_is_checked_with_the_line_of_what_is_wrong(client: httpx.Client) -> None:
    right = client.post("/api/studies/check", json={"text": text("fine")})
    assert right.json()["sittings"] == 12
    for wrong, sentence in (
        (text("x").replace("lambda-star-v2", "lambda-start-v1"), "line 5: "),
        (text("x").replace("episodes", "episode"), "line 9: "),
        (text("x", subjects="[cmd:ls]"), "line 6: 'cmd:ls' is not a built-in subject"),
        ("a: [", "the study, line 1"),
        ("", "the study"),
        ("&a [*a, *a]", "the study"),
        ("!!python/object/apply:os.system [ls]", "the study"),
    ):
        answer = client.post("/api/studies/check", json={"text": wrong})
        assert answer.status_code == 400
        assert sentence in answer.json()["error"]
    misspelt = text("x").replace("lambda-star-v2", "lambda-start-v1")
    assert misspelt != text("x")
    answer = client.post("/api/studies", json={"text": misspelt})
    assert "line 5: " in answer.json()["error"]
    answer = client.post("/api/studies", json={"text": text("x", subjects="[cmd:ls]")})
    assert "names code" in answer.json()["error"]


@pytest.mark.parametrize("name", ["../x", "a/b", "<b>", "a" * 101, "-", "7;ls"])
def test_names_that_are_no_names_are_refused(client: httpx.Client, name: str) -> None:
    assert client.post("/api/studies", json={"text": text("x"), "name": name}).status_code == 422


@pytest.mark.thorough
def test_a_stopped_study_goes_on_and_survives_a_kill(desk: Served, client: httpx.Client) -> None:
    def facts() -> Any:
        return client.get("/api/runs/long").json()

    begun = client.post("/api/studies", json={"text": text("x", 1_000_000), "name": "long"})
    assert begun.status_code == 201
    until(lambda: facts()["done"] > 0)
    assert facts()["stoppable"]
    assert client.post("/api/runs/long/resume").status_code == 409
    assert client.post("/api/runs/long/stop").status_code == 200
    until(lambda: facts()["resumable"])
    assert facts()["status"] == "stopped"
    assert client.post("/api/runs/long/stop").status_code == 409
    done = facts()["done"]
    assert client.post("/api/runs/long/resume").status_code == 200
    until(lambda: facts()["done"] > done)
    process = desk.app.state.jobs._jobs["long"].process
    os.killpg(process.pid, signal.SIGKILL)
    until(lambda: facts()["resumable"])
    assert facts()["status"] == "interrupted"
    with open_store(desk.settings.store) as store:
        store.delete(store.find("long"))


@pytest.mark.thorough
def test_a_profile_that_was_stopped_goes_on_from_here(
    desk: Served, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(profile_sizes, "QUICK", SMALL)
    monkeypatch.setattr(profile_parts, "measure_own_transfer", interrupted)
    given: dict[str, Any] = {"quick": True, "seed": 1, "references": ["oracle"], "name": "half"}
    with pytest.raises(MensuraError, match="Go on with"):
        ms.profile("follower", store=desk.settings.store, **given)
    facts = client.get("/api/runs/half").json()
    assert (facts["status"], facts["resumable"]) == ("stopped", True)
    assert '<h2 id="points">' not in client.get("/api/runs/half/report").text
    assert client.post("/api/runs/half/resume").status_code == 200
    until(lambda: client.get("/api/runs/half").json()["status"] == "finished")
    assert '<h2 id="points">' in client.get("/api/runs/half/report").text


def test_a_run_whose_subjects_are_code_is_not_resumed_from_here(
    desk: Served, client: httpx.Client
) -> None:
    with open_store(desk.settings.store) as store:
        study = parse_study(text("code", subjects="['mensura.agent.random:Random']")).study
        runs.begin(store, study)
    answer = client.post("/api/runs/code/resume")
    assert answer.status_code == 400
    assert "names code" in answer.json()["error"]


@pytest.mark.thorough
def test_a_study_started_and_watched_in_a_browser(desk: Served, browser_page: Any) -> None:
    page = browser_page
    page.set_default_timeout(120_000)
    page.goto(f"{desk.url}/login")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Runs").click()
    page.get_by_role("row", name="one").first.wait_for()
    assert violations(page) == []
    page.get_by_role("link", name="Start a study").click()
    page.locator("#shipped option").nth(1).wait_for(state="attached")
    assert violations(page) == []
    page.get_by_label("Study (YAML)").fill(text("x", subjects="[cmd:ls]"))
    page.get_by_role("button", name="Check").click()
    page.get_by_text("line 6: 'cmd:ls' is not a built-in subject").wait_for()
    page.get_by_label("File").set_input_files(
        {"name": "study.yaml", "mimeType": "text/yaml", "buffer": text("watched").encode()}
    )
    for _ in range(1200):  # the file is read meanwhile
        if "watched" in page.get_by_label("Study (YAML)").input_value():
            break
        page.wait_for_timeout(50)
    page.get_by_label("Name of the run").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="watched").wait_for()
    page.locator("[data-name=status]", has_text="finished").wait_for()
    page.locator("#scores").get_by_role("row", name="local-search").wait_for()
    page.locator("#sittings").get_by_role("link", name="Sitting 11").wait_for()
    assert page.get_by_text(NASTY).is_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Report").click()
    page.get_by_role("heading", level=1).wait_for()
    assert "owned" not in page.title().replace(NASTY, "")
    page.goto(f"{desk.url}/leaderboard")
    assert page.get_by_role("row", name="local-search").first.is_visible()
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    for path in ("/dashboard", "/runs/watched", "/leaderboard", "/studies/new"):
        page.goto(desk.url + path)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert all(url.startswith(desk.url) for url in page.requested)
    assert [one for one in page.problems if "400" not in one] == []


@pytest.mark.thorough
def test_the_list_of_runs_works_by_keyboard_alone(desk: Served, browser_page: Any) -> None:
    page = browser_page
    page.goto(f"{desk.url}/login")
    page.keyboard.press("Tab")
    page.get_by_label("Password").focus()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Runs").wait_for()
    page.goto(f"{desk.url}/dashboard")
    page.get_by_role("checkbox", name="Choose one").focus()
    page.keyboard.press("Space")
    while page.evaluate("document.activeElement.tagName") != "BUTTON":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare?run=one", timeout=60_000)
    assert violations(page) == []


@pytest.mark.thorough
def test_readings_of_a_store_are_remembered_as_far_as_they_went(desk: Served) -> None:
    where = str(desk.settings.store)
    readings.leaderboard(where)
    kept = {key: value for key, value in readings._scores.items() if key[0] == where}
    readings.leaderboard(where)
    assert all(readings._scores[key] is value for key, value in kept.items())
