"""Analogies rated by people: from consent to the export, what a withdrawal takes away, and what the command reads."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.web.conftest import Served, violations
from tests.web.test_participant import agree, wait_for_answer
from tests.web.test_people import new_study
from typer.testing import CliRunner

from mensura.agent.errors import MensuraError
from mensura.cli.analogy import app
from mensura.texts.evaluations.ratings import WORLD
from mensura.web.people.rated import ratings_in
from mensura.web.people.studies import People

RUNNER = CliRunner()

SHOWN: dict[str, dict[str, Any]] = {
    "atom and sun": {"source": "An <b>atom</b>.", "target": "The sun.", "pairs": ["atom = sun"]},
    "gate and valve": {"source": "A gate.", "target": "A valve.", "pairs": ["gate = valve"]},
    "rope and kite": {"source": "A rope.", "target": "A kite.", "pairs": ["rope = kite"]},
}


def file_of(name: str) -> str:
    return yaml.safe_dump(
        {
            "mensura": 1,
            "name": name,
            "seed": 7,
            "worlds": [
                {"world": WORLD, "name": pair, "parameters": {"analogy": json.dumps(given)}}
                for pair, given in SHOWN.items()
            ],
            "assessments": [{"assessment": "attempts", "parameters": {"attempts": 1}}],
            "people": {
                "places": 9,
                "design": "within",
                "usual_questions": False,
                "show_score": False,
            },
        }
    )


def invited(served: Served, name: str, count: int) -> list[str]:
    """The codes of so many who are invited to a new study, made from its file."""
    with served.experimenter() as client:
        made = client.post("/api/experimenter/study-files", json={"text": file_of(name)})
        assert made.status_code == 201, made.text
    people: People = served.app.state.people
    return [code for _, code in people.invite(people.study(name), count)]


def rate(served: Served, code: str, novel: dict[str, int], comment: str = "") -> None:
    """Agree, and rate every pair: how novel as is said, useful 3, challenging not at all."""
    people: People = served.app.state.people
    people.consent(people.by_code(code))
    path = f"/api/participants/{code}"
    met = []
    with served.client() as client:
        state = client.get(f"{path}/state").json()
        while state["phase"] != "done":
            body: dict[str, Any] = {"number": state["number"]}
            if state["phase"] == "act":
                pair = next(
                    one for one, shown in SHOWN.items() if shown["source"] in state["words"][-1]
                )
                met.append(pair)
                body["action"] = {
                    "novel": novel[pair], "useful": 3, "challenging": 0, "comment": comment
                }  # fmt: skip
            answer = client.post(f"{path}/answers", json=body)
            assert answer.status_code == 200, answer.text
            state = answer.json()
            assert state["reward"] is None, "a rating is neither good nor bad"
    assert sorted(met) == sorted(SHOWN)


def read(served: Served, name: str, folder: Path) -> tuple[str, dict[str, Any], str]:
    data, report = folder / "ratings.json", folder / "ratings.html"
    found = RUNNER.invoke(
        app,
        ["ratings", "read", name, "--store", str(served.settings.store),
         "--json", str(data), "--report", str(report)],
        catch_exceptions=False,
    )  # fmt: skip
    assert found.exit_code == 0, found.output
    return " ".join(found.output.split()), json.loads(data.read_text()), report.read_text()


def test_raters_come_agree_rate_and_one_withdraws(served: Served, tmp_path: Path) -> None:
    one, two, three = invited(served, "rated", 3)
    with pytest.raises(MensuraError, match="Nobody has rated anything in the study rated yet"):
        read(served, "rated", tmp_path)
    rate(served, one, dict(zip(SHOWN, (1, 3, 5), strict=True)), "  <i>fine</i>\nindeed ")
    rate(served, two, dict(zip(SHOWN, (2, 3, 4), strict=True)))
    rate(served, three, dict(zip(SHOWN, (5, 5, 1), strict=True)), "gone")
    said, before, _ = read(served, "rated", tmp_path)
    assert len(before["ratings"]) == 9
    assert "gone" in said
    people: People = served.app.state.people
    people.withdraw(people.by_code(three))
    said, data, report = read(served, "rated", tmp_path)
    assert len(data["ratings"]) == 6
    assert data["agreement"]["novel"]["alpha"] == pytest.approx(5 / 6)
    assert data["agreement"]["novel"]["published"] == 0.344
    assert data["agreement"]["useful"]["alpha"] is None
    assert data["means"]["atom and sun"]["novel"] == {"mean": 1.5, "ratings": 2}
    assert "0.833" in said
    assert "gone" not in said + report + json.dumps(data)
    assert "&lt;i&gt;fine&lt;/i&gt; indeed" in report
    with served.experimenter() as client:
        table = client.get("/api/experimenter/studies/rated/interactions.csv").text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == 6
    assert {row["condition"] for row in rows} == set(SHOWN)
    assert "gone" not in table


def test_the_pages_of_raters_speak_of_no_reward(served: Served) -> None:
    (code,) = invited(served, "instructed", 1)
    people: People = served.app.state.people
    people.consent(people.by_code(code))
    with served.client() as client:
        page = client.get(f"/p/{code}/instructions").text
        assert "How novel is this analogy" in page
        assert "Nothing is right or wrong here" in page
        assert "reward" not in page
        spanish = client.get(f"/p/{code}/instructions", headers={"accept-language": "es"}).text
    assert "Lea los dos textos" in spanish
    assert "recompensa" not in spanish


def test_what_is_no_rating_is_refused(served: Served) -> None:
    (code,) = invited(served, "refused", 1)
    people: People = served.app.state.people
    people.consent(people.by_code(code))
    path = f"/api/participants/{code}/answers"
    good = {"novel": 1, "useful": 5, "challenging": 0, "comment": ""}
    with served.client() as client:
        client.post(path, json={"number": 0})
        for wrong in ({"novel": 6}, {"novel": 1.5}, {"useful": -1}, {"comment": "x" * 2001}):
            body = {"number": 1, "action": {**good, **wrong}}
            assert client.post(path, json=body).status_code == 422, wrong
        assert client.post(path, json={"number": 1, "action": good}).status_code == 200


def test_a_study_of_something_else_has_no_ratings(served: Served) -> None:
    people: People = served.app.state.people
    new_study(people, "cells")
    with pytest.raises(MensuraError, match="is about something else"):
        ratings_in(served.settings.store, "cells")
    with pytest.raises(MensuraError, match="no study of people called 'other'"):
        ratings_in(served.settings.store, "other")


@pytest.mark.thorough
def test_an_analogy_is_rated_in_the_browser(served: Served, browser_page: Any) -> None:
    page = browser_page
    (code,) = invited(served, "looked", 1)
    agree(page, f"{served.url}/p/{code}")
    for _ in SHOWN:
        with wait_for_answer(page):
            page.locator("#go").click()
        assert "First text:" in page.locator("#words").inner_text()
        assert page.locator("#picture svg").is_visible()
        assert page.locator("#words b").count() == 0, "texts are shown as they are written"
        assert violations(page) == []
        for scale, value in (("novel", "4"), ("useful", "2"), ("challenging", "5")):
            page.get_by_label(scale).select_option(value)
        page.get_by_label("comment").fill("<script>alert(1)</script>")
        with wait_for_answer(page) as answered:
            page.locator("#form button[type=submit]").click()
        assert answered.value.status == 200
    rated = ratings_in(served.settings.store, "looked").ratings
    assert [one.values for one in rated] == [{"novel": 4, "useful": 2, "challenging": 5}] * 3
    assert page.problems == []
