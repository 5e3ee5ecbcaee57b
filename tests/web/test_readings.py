"""What is read out of the store for pages: reports of people, and of runs with nothing done yet."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.test_people import new_study, play

from mensura.assessments.references import placed
from mensura.records.store import open_store
from mensura.studies.runs import Manner, begin, resume
from mensura.studies.study import study_from_plain
from mensura.web import readings
from mensura.web.people.studies import People, PeopleStudy


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with a study that two people have played and one has yet to."""
    return str(tmp_path_factory.mktemp("readings") / "store.db")


@pytest.fixture(scope="module")
def study(where: str) -> Iterator[PeopleStudy]:
    people = People(where)
    study = new_study(people, seed=None)
    for one, _ in people.invite(study, 2):
        people.finish(play(people, study, one), study.id)
    yield study
    people.end()


def words_of(page: str) -> str:
    """What is read of a page."""
    text = re.sub(r"<(style|svg).*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.mark.usefixtures("words_only")
def test_a_report_of_people_promises_only_what_there_is(where: str, study: PeopleStudy) -> None:
    text = words_of(readings.report(where, ["short"]))
    assert "code of your own" not in text
    assert "people, each in a browser" in text
    assert "study resume" not in text
    assert "This study is open to people: 2 of 5 places are played to the end." in text
    assert "mensura serve" not in text
    assert "mensura replay short 0" in text
    assert str(study.seed) in text


@pytest.mark.usefixtures("words_only")
def test_a_study_that_was_started_from_a_browser_is_repeated_by_its_file(tmp_path: Path) -> None:
    plain = {
        "mensura": 1,
        "name": "small",
        "worlds": ["echo-v1"],
        "subjects": ["random"],
        "assessments": [{"assessment": "battery", "parameters": {"episodes": 2}}],
    }
    where = str(tmp_path / "store.db")
    with open_store(where) as store:
        run = begin(store, study_from_plain(plain), command="mensura serve")
        resume(store, run, manner=Manner("threads", 1))
    text = words_of(readings.report(where, ["small"]))
    assert "mensura serve" not in text
    assert "mensura study run study.yaml" in text


def test_strangers_are_told_no_seed_of_people(where: str, study: PeopleStudy) -> None:
    page = readings.report(where, ["short"], with_seeds=False)
    assert str(study.seed) not in page
    assert "The first environment" not in page
    assert "not shown here" in page


def test_a_run_with_nothing_done_is_placed_nowhere(tmp_path: Path) -> None:
    """Not even where references took the same test."""
    plain = {
        "mensura": 1,
        "name": "waiting",
        "worlds": ["lambda-v1"],
        "subjects": ["random"],
        "assessments": ["battery"],
    }
    with open_store(tmp_path / "store.db") as store:
        assert placed(store.result(begin(store, study_from_plain(plain)))) == []
