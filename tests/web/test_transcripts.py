"""Transcripts as pages: what language models were sent and answered, read by the experimenter alone."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from tests.agents.language_model.server import Server, completion, first_action
from tests.web.conftest import Serve, Served, log_in, violations

from mensura.cli.main import main
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.files import parse_study
from mensura.studies.study import study_from_plain
from mensura.web import transcript_readings as readings

NASTY = "<script>document.title='owned'</script></pre><img src=x onerror=\"1\">'&"
HIDDEN = "back\x1b[2J\u202eward\x00"
"""What would command a terminal, turn the direction of writing, and end a string."""
HALF = "\ud800half"
"""What is no character at all, and cannot be sent."""

CODE = """\
mensura: 1
name: code
seed: 5
worlds: [lambda-star-v2]
subjects: [{subject: "tests.no.such.module:Agent", ask_once: true}]
assessments:
  - assessment: battery
    parameters: {episodes: 2}
"""


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """A model whose first answers are hostile text in place of actions, and that reasons."""
    if request["max_tokens"] == 16 or "no call" in request["messages"][-1]["content"]:
        good = first_action(request)
        good["choices"][0]["message"]["reasoning"] = f"Thinking {NASTY} {HALF}"
        return good
    return completion(f"Which one? {NASTY} {HIDDEN}")


@pytest.fixture(scope="module")
def desk(serve: Serve) -> Served:
    """A server whose store has a run of a language model and a random subject, and one of neither."""
    pytest.importorskip("openai")
    served = serve()
    study = {
        "mensura": 1,
        "name": "models",
        "seed": 7,
        "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 14}}],
        "assessments": [{"assessment": "battery", "parameters": {"episodes": 2, "spread": "any"}}],
    }
    with pytest.MonkeyPatch.context() as patch, Server(reply).running() as server:
        patch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
        model = {
            "subject": "openai:toy",
            "parameters": {"base_url": server.url, "retries": 1, "concurrency": 1},
        }
        with open_store(served.settings.store) as store:
            for name, subjects in (("models", ["random", model]), ("plain", ["random"])):
                run = runs.begin(
                    store, study_from_plain({**study, "name": name, "subjects": subjects})
                )
                runs.resume(store, run, manner=runs.Manner("threads", 1))
    return served


@pytest.fixture(scope="module")
def client(desk: Served) -> Iterator[httpx.Client]:
    """The experimenter, logged in once."""
    with desk.experimenter() as client:
        client.timeout = httpx.Timeout(120)
        yield client


def test_sittings_are_listed_with_answers_repairs_faults_and_scores(client: httpx.Client) -> None:
    found = client.get("/api/runs/models/transcripts").json()
    assert [one["number"] for one in found["rows"]] == [2, 3]
    assert {one["answers"] for one in found["rows"]} == {14}
    assert {one["repaired"] for one in found["rows"]} == {14}
    assert found["next"] is None
    assert client.get("/api/runs/models/transcripts?first=3").json()["rows"] == found["rows"][1:]
    assert client.get("/api/runs/plain/transcripts").json() == {"rows": [], "next": None}
    page = client.get("/runs/models")
    assert "/runs/models/transcripts" in page.text
    assert "/runs/plain/transcripts" not in client.get("/runs/plain").text
    assert "No language model" in client.get("/runs/plain/transcripts").text


def test_a_sitting_is_given_some_steps_at_a_time(client: httpx.Client) -> None:
    one = client.get("/api/runs/models/transcripts/2").json()
    assert one["identical"]
    assert one["steps"] == 14
    assert [each["step"] for each in one["interactions"]] == list(range(readings.STEPS))
    assert (one["previous"], one["next"]) == (None, readings.STEPS)
    rest = client.get("/api/runs/models/transcripts/2?first=10").json()
    assert [each["step"] for each in rest["interactions"]] == [10, 11, 12, 13]
    assert (rest["previous"], rest["next"]) == (0, None)
    assert client.get("/api/runs/models/transcripts/2?first=9999").json()["interactions"] == []
    step = rest["interactions"][0]
    assert step["svg"].startswith("<svg")
    assert "data-action" not in step["svg"]
    (exchange,) = step["exchanges"]
    assert [each["what"] for each in exchange["added"]] == [
        "told",
        "first answer",
        "told",
        "reasoning",
        "answer",
    ]
    assert len(exchange["requests"]) == 2
    assert exchange["requests"][1][: len(exchange["requests"][0])] == exchange["requests"][0]
    assert exchange["answer"]["usage"]["tokens_in"] == 200


def test_words_are_given_as_they_were_but_for_halves_of_characters(client: httpx.Client) -> None:
    one = client.get("/api/runs/models/transcripts/2").json()
    first = one["interactions"][0]["exchanges"][0]["added"][2]
    assert first["what"] == "first answer"
    assert NASTY in first["text"]
    assert "\x1b[2J\u202eward\x00" in first["text"]
    reasoning = one["interactions"][0]["exchanges"][0]["answer"]["reasoning"]
    assert reasoning.endswith("\\ud800half")


def test_hostile_words_are_text_in_pages(client: httpx.Client) -> None:
    for path in (
        "/runs/models/transcripts/2",
        "/runs/models/transcripts?text=which",
        f"/runs/models/transcripts?text={quote(NASTY)}%00%1b",
    ):
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        assert "<script>document" not in answer.text
        assert "<img" not in answer.text
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", answer.text)
    page = client.get("/runs/models/transcripts/2").text
    assert "&lt;/pre&gt;&lt;img src=x" in page
    assert r"back\x1b[2J\u202eward\x00" in page


def test_a_text_is_found_in_all_transcripts(client: httpx.Client) -> None:
    found = client.get("/api/runs/models/transcripts/search?text=WHICH one").json()
    assert len(found["rows"]) == 28
    assert {one["number"] for one in found["rows"]} == {2, 3}
    assert {one["where"] for one in found["rows"]} == {"first answer"}
    assert found["next"] is None
    none = client.get("/runs/models/transcripts?text=nobody says this")
    assert "“nobody says this” was not said." in none.text


def test_a_search_that_finds_much_or_takes_long_pauses(
    desk: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = str(desk.settings.store)
    monkeypatch.setattr(readings, "MATCHES", 5)
    found = readings.matches(where, "models", "which", 0)
    assert (len(found["rows"]), found["next"], found["left_out"]) == (5, 3, 9)
    monkeypatch.setattr(readings, "SECONDS", -1.0)
    assert readings.matches(where, "models", "which", 0)["next"] == 2
    monkeypatch.setattr(readings, "SITTINGS", 1)
    assert readings.sittings(where, "models", 0)["next"] == 3


def test_a_sitting_of_somebody_else_is_told_in_a_sentence(
    desk: Served, client: httpx.Client
) -> None:
    with open_store(desk.settings.store) as store:
        runs.begin(store, parse_study(CODE, "code.yaml").study)
    for path, status, words in (
        ("models/transcripts/0", 400, "random is not a language model"),
        ("models/transcripts/99", 400, "has no sitting 99"),
        ("nope/transcripts", 404, "There is no run"),
        ("nope/transcripts/0", 404, "There is no run"),
        ("nope/transcripts/search?text=x", 404, "There is no run"),
        ("models/transcripts/-1", 422, "number"),
        ("models/transcripts/x", 422, "number"),
        ("models/transcripts/search", 422, "text"),
        ("models/transcripts?frist=3", 422, "frist"),
        ("code/transcripts/0", 400, "names code"),
    ):
        answer = client.get(f"/api/runs/{path}")
        assert answer.status_code == status, path
        assert words in answer.json()["error"]
    assert client.get("/api/runs/code/transcripts").json()["rows"] == []


def test_only_the_experimenter_reads_them(desk: Served, serve: Serve) -> None:
    public = serve(desk.settings.store, public=True)
    for one in (desk, public):
        with one.client() as stranger:
            for path in ("transcripts", "transcripts/2", "transcripts/search?text=x"):
                assert stranger.get(f"/api/runs/models/{path}").status_code == 401
            for path in ("transcripts", "transcripts/2", "transcripts?text=x"):
                assert stranger.get(f"/runs/models/{path}").status_code == 401
    with public.client() as stranger:
        assert "/runs/models/transcripts" not in stranger.get("/runs/models").text


@pytest.mark.thorough
def test_transcripts_read_in_a_browser(desk: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, desk.url)
    page.goto(f"{desk.url}/runs/models")
    page.get_by_role("link", name="Transcripts").click()
    page.get_by_role("heading", name="Transcripts of models").wait_for()
    assert violations(page) == []
    page.get_by_role("link", name="Sitting 2").click()
    page.get_by_role("heading", name="Episode 1, interaction 1", exact=True).wait_for()
    assert page.locator("figure svg").count() == readings.STEPS
    assert page.get_by_text(NASTY).first.is_visible()
    assert page.title() == "Sitting 2 of models · Mensura"
    page.locator("summary").first.click()
    assert violations(page) == []
    page.get_by_role("link", name="Further interactions").click()
    page.get_by_role("heading", name="Episode 1, interaction 14", exact=True).wait_for()
    page.get_by_label("Search all transcripts").fill("thinking <SCRIPT>")
    page.keyboard.press("Enter")
    page.get_by_role("row", name="Reasoning").nth(27).wait_for()
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    for path in ("/runs/models/transcripts", "/runs/models/transcripts/3?first=4"):
        page.goto(desk.url + path)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert all(url.startswith(desk.url) for url in page.requested)
    assert page.problems == []


@pytest.mark.thorough
def test_the_page_of_the_command_stands_alone(
    desk: Served, tmp_path: Path, browser_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "said.html"
    words = ["transcript", "models", "2", "--html", str(file), "--store", str(desk.settings.store)]
    monkeypatch.setattr(sys, "argv", ["mensura", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    text = file.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<link" not in text
    assert r"back\x1b[2J\u202eward\x00" in text
    page = browser_page
    page.goto(file.as_uri())
    assert page.locator("figure svg").count() == 14
    assert page.get_by_text(NASTY).first.is_visible()
    assert violations(page) == []
    assert page.requested == [file.as_uri()]
    assert page.problems == []
