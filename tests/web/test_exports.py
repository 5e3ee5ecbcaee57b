"""What is taken away: the table of participants, what browsers tell, a codebook of every column, one folder of all."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.web.conftest import Served
from tests.web.test_own_questions import PEOPLE
from tests.web.test_people import new_study, play

from mensura.studies.study import study_from_plain
from mensura.web.codebook import TABLES
from mensura.web.people import devices
from mensura.web.people.consenting import revise
from mensura.web.people.devices import keep_device, participants_table
from mensura.web.people.joining import join
from mensura.web.people.participants import Participant
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Refused

STUDIES = "/api/experimenter/studies"


def filled(served: Served, name: str) -> tuple[People, PeopleStudy]:
    """A study with somebody who has finished, somebody who joined, and somebody in the pilot."""
    people: People = served.app.state.people
    given = {"after": PEOPLE["after"], "consent": {"en": "First."}, "wave": "w1"}
    study = new_study(people, name, people=given)
    one = joined(people, study, "=cmd|1")
    people.finish(play(people, study, one), study.id)
    people.answer_questions(one, {"why": '\tso,\n"so"'}, failed=["attentive"])
    keep_device(people, one, "a", 2, {"device": "phone", "viewport": "360x740", "input": "touch"})
    joined(people, study, "other")
    pilot = joined(people, study, "=cmd|1", pilot=True)
    people.finish(play(people, study, pilot), study.id)
    revise(people, study, {"en": "Second."})
    return people, study


def joined(
    people: People, study: PeopleStudy, external: str, *, pilot: bool = False
) -> Participant:
    return people.by_code(join(people, study, external, pilot=pilot).code)


def read(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_the_table_of_participants_says_who_came_how_far_and_with_what(served: Served) -> None:
    filled(served, "table")
    with served.experimenter() as client:
        one, other = read(client.get(f"{STUDIES}/table/participants.csv").text)
        (pilot,) = read(
            client.get(f"{STUDIES}/table/participants.csv", params={"pilot": "true"}).text
        )
        assert client.get(f"{STUDIES}/table/participants.parquet").content[:4] == b"PAR1"
    assert list(one) == list(TABLES["participants"])
    assert (one["pseudonym"], one["state"], one["wave"]) == ("P0001", "finished", "w1")
    assert one["external"] == "'=cmd|1", "no cell is a formula"
    assert (one["device"], one["viewport"], one["input"], one["focus_losses"]) == (
        "phone",
        "360x740",
        "touch",
        "2",
    )
    assert one["excluded"] == "attention: attentive"
    assert -1.0 <= float(one["score"]) <= 1.0
    assert (other["state"], other["score"], other["focus_losses"]) == ("invited", "", "")
    assert pilot["pseudonym"] == "T0001"


def test_the_codebook_explains_every_column_and_question(served: Served) -> None:
    filled(served, "explained")
    with served.experimenter() as client:
        rows = read(client.get(f"{STUDIES}/explained/codebook.csv").text)
        for table in TABLES:
            header = client.get(f"{STUDIES}/explained/{table}.csv").text.partition("\r\n")[0]
            told = [row["column"] for row in rows if row["table"] == table and not row["question"]]
            assert header.split(",") == told
    assert all(row["meaning"] and row["type"] for row in rows)
    (attentive,) = [row for row in rows if row["question"] == "attentive"]
    assert attentive["values"] == "1, 2, 3, 4, 5 (right: 2)"


def test_the_folder_has_all_that_a_reader_needs(served: Served) -> None:
    people, study = filled(served, "folder")
    with served.experimenter() as client:
        answer = client.get(f"{STUDIES}/folder/folder.zip")
        pilot = client.get(f"{STUDIES}/folder/folder.zip", params={"pilot": "true"})
    assert answer.headers["content-disposition"] == 'attachment; filename="folder.zip"'
    folder = zipfile.ZipFile(io.BytesIO(answer.content))
    texts = {name.removeprefix("folder/"): folder.read(name).decode() for name in folder.namelist()}
    assert set(texts) == {
        "README",
        "report.html",
        "dataset_description.json",
        "study.yaml",
        "versions.json",
        "consent/version-1_en.md",
        "consent/version-2_en.md",
        "codebook.tsv",
        "participants.tsv",
        "participants.json",
        "beh/interactions.tsv",
        "beh/interactions.json",
        "phenotype/questionnaires.tsv",
        "phenotype/questionnaires.json",
    }
    assert texts["consent/version-1_en.md"] == "First."
    assert study_from_plain(yaml.safe_load(texts["study.yaml"])).people is not None
    for path, table in (
        ("participants", "participants"),
        ("beh/interactions", "interactions"),
        ("phenotype/questionnaires", "questionnaires"),
    ):
        assert list(json.loads(texts[f"{path}.json"])) == list(TABLES[table])
        assert {row["pseudonym"][0] for row in read(texts[f"{path}.tsv"], "\t")} == {"P"}
    (said,) = read(texts["phenotype/questionnaires.tsv"], "\t")
    assert said["answer"] == '\'\tso,\n"so"'
    assert len(read(texts["beh/interactions.tsv"], "\t")) == len(list(people.rows(study)))
    apart = zipfile.ZipFile(io.BytesIO(pilot.content))
    rows = read(apart.read("folder-pilot/participants.tsv").decode(), "\t")
    assert [row["pseudonym"] for row in rows] == ["T0001"]


@pytest.fixture
def alone(tmp_path: Path) -> Any:
    people = People(tmp_path / "people.db")
    yield people, new_study(people)
    people.end()


def test_losses_of_focus_are_counted_once_for_each_page(
    alone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MOST_PAGES", 20)
    people, study = alone
    ((one, _), (other, _)) = people.invite(study, 2)
    with pytest.raises(Refused, match="agree"):
        keep_device(people, one, "a", 1, {})
    people.consent(one)
    for page, losses in (("a", 1), ("a", 2), ("a", 2), ("a", 1), ("b", 3)):
        keep_device(people, one, page, losses, {"device": "desktop", "input": ""})
    row, nothing = participants_table(people, study)
    assert (row["focus_losses"], row["device"], row.get("input")) == (5, "desktop", None)
    assert "focus_losses" not in nothing
    people.withdraw(one)
    with pytest.raises(Refused, match="withdrawn"):
        keep_device(people, one, "c", 1, {})
    assert "focus_losses" not in next(participants_table(people, study))
    people.consent(other)
    for page in range(devices.MOST_PAGES):
        keep_device(people, other, str(page), 0, {})
    with pytest.raises(Refused, match="too many pages"):
        keep_device(people, other, "more", 1, {})


def test_a_browser_tells_what_it_is(served: Served, browser_page: Any) -> None:
    people: People = served.app.state.people
    study = new_study(people, "browser")
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    page = browser_page
    page.set_viewport_size({"width": 900, "height": 700})
    with page.expect_response("**/device") as told:
        page.goto(f"{served.url}/p/{code}/exercises")
    assert told.value.status == 204
    with page.expect_response("**/device"):
        page.locator("#go").click()
    for _ in range(2):
        with page.expect_response("**/device"):
            page.evaluate("dispatchEvent(new Event('blur'))")
        page.evaluate("dispatchEvent(new Event('focus'))")
    (row,) = participants_table(people, study)
    assert (row["device"], row["viewport"], row["input"], row["language"]) == (
        "desktop",
        "900x700",
        "mouse",
        "en",
    )
    assert row["focus_losses"] == 2
    assert page.problems == []


@pytest.mark.parametrize(
    "told",
    [
        {"page": "a"},
        {"page": "../a", "focus_losses": 1},
        {"page": "a", "focus_losses": -1},
        {"page": "a", "focus_losses": 1, "viewport": "wide"},
        {"page": "a", "focus_losses": 1, "input": "thought"},
        {"page": "a", "focus_losses": 1, "name": "Ada"},
    ],
)
def test_what_is_no_browser_is_refused(served: Served, told: dict[str, Any]) -> None:
    with served.client() as client:
        answer = client.post("/api/participants/anybody/device", json=told)
    assert answer.status_code == 422
