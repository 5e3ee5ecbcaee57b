"""The report of a study of people: the flow, exclusions both ways, reliability, programs on the same scale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.web.conftest import Served, log_in, violations
from tests.web.test_people import SHORT, new_study, play

from mensura.records.store import open_store
from mensura.reports.people_page import Arm, render_people
from mensura.studies.files import parse_study
from mensura.studies.runs import begin, resume
from mensura.web.people.analysis import report_of, report_page
from mensura.web.people.devices import keep_device
from mensura.web.people.studies import People, PeopleStudy

RULES: dict[str, Any] = {
    "exclude": [
        {"measured": "focus_losses", "above": 3, "because": "Whoever looks away does not play."},
        {"measured": "failed_checks", "above": 0},
    ]
}


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    made = People(tmp_path / "people.db")
    yield made
    made.end()


def filled(people: People, /, count: int = 6, **more: Any) -> PeopleStudy:
    """Some finish, the first looks away; one has agreed, one withdraws, one is only invited, one is in the pilot."""
    study = new_study(people, places=20, **more)
    for one, _ in people.invite(study, count):
        people.finish(play(people, study, one), study.id)
        losses = 9 if one.number == 0 else 1
        keep_device(people, one, "a", losses, {"device": "phone", "input": "touch"})
    agreed, gone, *_ = (one for one, _ in people.invite(study, 3))
    people.consent(agreed)
    play(people, study, gone, 3)
    people.withdraw(gone)
    ((pilot, _),) = people.invite(study, 1, pilot=True)
    people.finish(play(people, study, pilot), study.id)
    return study


def test_the_flow_and_both_results(people: People) -> None:
    study = filled(people, people=RULES)
    report = report_of(people, study)
    assert report.came == 9
    assert report.total == Arm("all", 8, 0, 1, 1, 6, 1)
    assert [count for _, _, count in report.rules] == [1, 0]
    (group,) = report.groups
    scores = [one.score for one in people.participants(study)][:6]
    assert group.everybody is not None
    assert group.kept is not None
    assert group.everybody.value == pytest.approx(np.mean(scores))
    assert (group.kept.n, group.kept.value) == (5, pytest.approx(np.mean(scores[1:])))
    assert len(group.by_exercise) == 2
    assert group.by_complexity
    assert group.reliability is not None
    assert group.reliability.method == "Cronbach's alpha"
    assert ("device", "phone 6") in report.facts


@pytest.mark.usefixtures("words_only")
def test_conditions_have_a_flow_of_their_own(people: People) -> None:
    study = filled(people, 4, conditions={"plain": {}, "objects": {"objects": 1}})
    report = report_of(people, study)
    assert [arm.name for arm in report.arms] == ["plain", "objects"]
    assert sum(arm.finished for arm in report.arms) == 4
    assert sum(arm.agreed for arm in report.arms) == report.total.agreed == 6
    assert [group.name for group in report.groups] == ["plain", "objects"]
    page = report_page(people, study)
    assert "in plain" in page
    assert "The study has no rules of exclusion" in page


@pytest.mark.usefixtures("words_only")
def test_nobody_is_told_as_nobody(people: People) -> None:
    study = new_study(people, people=RULES)
    page = report_page(people, study)
    assert "Nobody has a score yet." in page
    assert "Too few have finished to tell how reliable" in page
    assert "nan" not in page


@pytest.mark.usefixtures("words_only")
def test_when_all_are_left_out_the_page_says_so(people: People) -> None:
    rule = {"exclude": [{"measured": "median_response_ms", "above": 0}]}
    page = report_page(people, filled(people, 3, people=rule))
    assert "The rules leave everybody out of it." in page
    assert "nan" not in page


@pytest.mark.usefixtures("words_only")
def test_programs_of_the_same_store_stand_on_the_same_scale(people: People, tmp_path: Path) -> None:
    study = filled(people)
    given = ", ".join(f"{name}: {value}" for name, value in SHORT.items())
    text = (
        "mensura: 1\nname: programs\nseed: 7\nsubjects: [random]\nworlds: [lambda]\n"
        f"assessments: [{{assessment: exercises, parameters: {{sittings: 3, {given}}}}}]\n"
    )
    with open_store(tmp_path / "people.db") as store:
        resume(store, begin(store, parse_study(text).study))
    (group,) = report_of(people, study).groups
    found = dict(group.programs)
    assert found["random (programs)"].n == 3
    assert "random (programs)" in report_page(people, study)


@pytest.mark.thorough
def test_the_page_is_served_and_has_no_violation(served: Served, browser_page: Any) -> None:
    filled(served.app.state.people, people=RULES, name="shown")
    path = "/api/experimenter/studies/shown/report.html"
    with served.client() as client:
        assert client.get(path).status_code in (303, 401, 403)
    page = browser_page
    log_in(page, served.url)
    page.goto(f"{served.url}{path}")
    style = page.evaluate("getComputedStyle(document.querySelector('.found')).backgroundColor")
    assert style != "rgba(0, 0, 0, 0)", "the page has its styles"
    assert page.get_by_role("img", name="came or were invited").count() == 1
    assert violations(page) == []


def test_the_picture_is_drawn_for_any_number_of_conditions(people: People) -> None:
    for count in (2, 5):
        conditions = {f"with {i} objects": {"objects": i} for i in range(count)}
        study = filled(people, 2, name=f"c{count}", conditions=conditions, people=RULES)
        assert "<svg" in render_people(report_of(people, study), "Again.")
