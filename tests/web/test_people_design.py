"""The design of a study of people: conditions drawn evenly, orders, quotas, practice, breaks, clocks, study files."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.postgres import Cluster
from tests.web.conftest import PASSWORD, Served, in_a_loop, log_in, violations
from tests.web.test_participant import wait_for_answer
from tests.web.test_people import new_study, play

from mensura.agent.errors import MensuraError
from mensura.records.store import open_store
from mensura.studies.expand import places_of
from mensura.studies.files import parse_study
from mensura.studies.layout import lay_out
from mensura.web.experimenter import study_from_text
from mensura.web.people.admission import NotAdmitted
from mensura.web.people.live import LATE, Given, Live
from mensura.web.people.sittings import Sittings, Stale
from mensura.web.people.studies import People, PeopleStudy

TWO: dict[str, dict[str, Any]] = {"plain": {}, "with objects": {"objects": 1}}
THREE = {**TWO, "more objects": {"objects": 2}}

FILE = """mensura: 1
name: from-file
seed: 7
subjects: [random]
worlds:
  - {world: lambda, name: plain}
  - {world: lambda, name: objects, parameters: {objects: 1}}
assessments:
  - {assessment: exercises, parameters: {fewest: 3, most: 3, per_cell: 2, sittings: 3}}
people:
  places: 12
  quotas: {plain: 1}
"""


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    made = People(tmp_path / "people.db")
    yield made
    made.end()


def course_of(people: People, study: PeopleStudy, number: int) -> int | None:
    return people.one(study.id, number).course


def agreed(people: People, study: PeopleStudy, count: int) -> list[int]:
    """The ways that so many people are given, who agree one after the other."""
    found = []
    for one, _ in people.invite(study, count):
        people.consent(one)
        course = course_of(people, study, one.number)
        assert course is not None
        found.append(course)
    return found


def test_every_block_of_participants_has_every_condition_once(people: People) -> None:
    study = new_study(people, places=40, conditions=THREE)
    assert study.conditions == tuple(THREE)
    drawn = agreed(people, study, 24)
    blocks = [tuple(drawn[i : i + 3]) for i in range(0, 24, 3)]
    assert all(sorted(block) == [0, 1, 2] for block in blocks)
    assert len(set(blocks)) > 1


def test_conditions_stay_even_whoever_agrees_at_the_same_time(
    people: People, cluster: Cluster
) -> None:
    elsewhere = People(cluster.create())
    for each in (people, elsewhere):
        study = new_study(each, places=40, conditions=TWO)
        invited = [one for one, _ in each.invite(study, 30)]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(each.consent, invited))
        counts = Counter(one.course for one in each.participants(study))
        assert counts == {0: 15, 1: 15}
    elsewhere.end()


def test_whoever_withdraws_is_replaced_in_the_same_condition(people: People) -> None:
    study = new_study(people, places=40, conditions=TWO)
    agreed(people, study, 10)
    gone = [one for one in people.participants(study) if one.course == 0][:3]
    for one in gone:
        people.withdraw(one)
    assert agreed(people, study, 3) == [0, 0, 0]


def test_a_quota_of_a_condition_holds_and_the_study_is_full_with_the_last(people: People) -> None:
    quotas = {"quotas": {"plain": 1, "with objects": 3}}
    study = new_study(people, places=40, conditions=TWO, people=quotas)
    assert Counter(agreed(people, study, 4)) == {0: 1, 1: 3}
    ((one, _),) = people.invite(study, 1)
    with pytest.raises(NotAdmitted, match="full"):
        people.consent(one)
    assert people.barred(one) == "full"
    ((pilot, _),) = people.invite(study, 1, pilot=True)
    people.consent(pilot)  # the pilot counts in no quota


def test_everybody_sits_in_their_condition_alone(people: People, tmp_path: Path) -> None:
    study = new_study(people, places=6, conditions=TWO)
    scores = {}
    for one, _ in people.invite(study, 4):
        scores[one.number] = people.finish(play(people, study, one), study.id)
    courses = {one.number: one.course for one in people.participants(study)}
    with open_store(tmp_path / "people.db") as store:
        done = store.done(store.find("short"))
        result = store.result(store.find("short"))
    for number, course in courses.items():
        assert [bool(cell[number]) for cell in done] == [course == 0, course == 1]
    for i, condition in enumerate(result.conditions):
        own = [scores[number] for number, course in courses.items() if course == i]
        assert condition.subjects[0].moments.mean == pytest.approx(np.mean(own))


@pytest.fixture
def within(people: People) -> PeopleStudy:
    about = {"design": "within", "practice": {}, "breaks": {"every": 2, "seconds": 30}}
    return new_study(people, places=8, conditions=THREE, people=about)


def test_within_everybody_goes_through_all_conditions_in_balanced_orders(
    people: People, within: PeopleStudy, tmp_path: Path
) -> None:
    assert len(within.courses) == 6
    ((one, _),) = people.invite(within, 1)
    live = play(people, within, one)
    score = people.finish(live, within.id)
    assert people.finish(live, within.id) == score  # once however often
    (one,) = people.participants(within)
    order = within.courses[one.course or 0]
    assert [batch.cell for batch in live.results] == list(order)
    batches = people.results(one)
    assert [batch.cell for batch in batches] == list(order)
    assert score == pytest.approx(np.mean([float(batch.score[0]) for batch in batches]))
    people.withdraw(one)
    with open_store(tmp_path / "people.db") as store:
        assert not any(cell.any() for cell in store.done(store.find("short")))
    assert people.results(one) == []


def test_practice_counts_nowhere_and_breaks_come_between_exercises(
    people: People, within: PeopleStudy
) -> None:
    ((one, _),) = people.invite(within, 1)
    people.consent(one)
    live = people.live(within.id, one.number)
    begins = []
    while not live.is_over:
        shown = live.shown()
        if shown.phase == "begin":
            begins.append((shown.practice, shown.exercise, shown.exercises, shown.rest))
        answer_once(live)
    # One exercise of practice, then three conditions of two exercises each.
    assert begins == [
        (True, 1, 1, 0.0),
        (False, 1, 6, 0.0),
        (False, 2, 6, 0.0),
        (False, 3, 6, 30.0),
        (False, 4, 6, 0.0),
        (False, 5, 6, 30.0),
        (False, 6, 6, 0.0),
    ]
    assert len(live.results) == 3


def answer_once(live: Live, at: float | None = None) -> None:
    shown = live.shown()
    action = live.action_to(shown.reachable[0]) if shown.reachable else None
    when = time.time() if at is None else at
    live.take(Given(live.number, action, when, 300.0, 350.0))


def test_what_is_practised_is_not_what_is_tested(people: People) -> None:
    plain = new_study(people, "plain")
    practised = new_study(people, "practised", people={"practice": {"parameters": {"per_cell": 3}}})
    lives = []
    for study in (plain, practised):
        ((one, _),) = people.invite(study, 1)
        people.consent(one)
        lives.append(people.live(study.id, one.number))
    without, live = lives
    seen = []
    while live.practising:
        seen.append(live.shown().others)
        answer_once(live)
    assert len(seen) == 1 + 3 * 2
    while not without.is_over:
        assert live.person.exercise == without.person.exercise
        assert live.shown().others == without.shown().others or live.shown().phase == "begin"
        answer_once(live)
        answer_once(without)
    assert live.score == without.score


@pytest.mark.thorough
def test_a_sitting_with_several_parts_is_made_again_from_its_answers(
    people: People, within: PeopleStudy
) -> None:
    ((one, _),) = people.invite(within, 1)
    for _ in range(7):
        live = play(people, within, one, 5)
        again = people.live(within.id, one.number)
        assert again.shown() == live.shown()
        assert (again.at, again.number) == (live.at, live.number)


# The clock ----------------------------------------------------------------------------------------


def timed(people: People, **clock: float) -> tuple[PeopleStudy, Live]:
    study = new_study(people, people={"clock": clock})
    ((one, _),) = people.invite(study, 1)
    people.consent(one)
    return study, people.live(study.id, one.number)


def test_an_answer_after_the_time_of_an_exercise_ends_it_by_the_default(people: People) -> None:
    _, live = timed(people, exercise=10.0)
    answer_once(live, 1000.0)
    answer_once(live, 1009.0)
    assert live.shown().phase == "act"
    assert not live.is_late(1009.5)
    assert live.is_late(1010.5)
    answer_once(live, 1010.5)
    shown = live.shown()
    assert (shown.phase, shown.exercise, shown.late) == ("begin", 2, True)
    answer_once(live, 2000.0)  # the next exercise has a time of its own
    assert live.shown().phase == "act"
    assert live.shown().late is False


def test_after_the_time_of_the_test_all_is_over(people: People) -> None:
    _, live = timed(people, test=60.0)
    answer_once(live, 1000.0)
    answer_once(live, 1001.0)
    answer_once(live, 1061.0)
    assert live.is_over
    (batch,) = live.results
    assert batch.episodes.interactions.tolist() == [4, 6]


def test_time_is_over_only_once_it_is(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    study = new_study(people, people={"clock": {"exercise": 30.0}})
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    moment = 1000.0
    monkeypatch.setattr("mensura.web.people.sittings.time.time", lambda: moment)

    async def go() -> None:
        nonlocal moment
        sittings = Sittings(people)
        shown = await sittings.answer(code, 0, None, None)
        assert (shown.seconds, shown.seconds_of_test) == (30.0, None)
        with pytest.raises(Stale):
            await sittings.answer(code, 1, None, None, late=True)
        moment = 1031.0
        shown = await sittings.answer(code, 1, None, None, late=True)
        assert (shown.phase, shown.late) == ("begin", True)
        again = await sittings.answer(code, 1, None, None, late=True)
        assert again == shown

    in_a_loop(go())
    assert [given.action for given in people.given(study.id, one.number)] == [None, LATE]


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        ({"design": "within", "quotas": {"plain": 3}}, "write quota"),
        ({"quotas": {"simple": 3}}, "no condition 'simple'"),
        ({"clock": {}}, "A clock needs seconds"),
        ({"practice": {"parameters": {"speed": 1}}}, "has no parameter 'speed'"),
        ({"practice": {"parameters": {"fewest": "a"}}}, "must be a whole number"),
        ({"practice": {"world_parameters": {"subjects": 2}}}, "a participant is alone"),
        ({"breaks": {"every": 0}}, "every"),
        ({"exclude": [{"measured": "score", "above": 0}]}, "measured"),
        ({"exclude": [{"measured": "tries"}]}, "neither above nor below"),
    ],
)
def test_bad_designs_are_refused_in_a_sentence(
    people: People, about: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        new_study(people, conditions=TWO, people=about)
    assert people.studies() == []


# Study files --------------------------------------------------------------------------------------


def test_people_take_what_programs_take_from_one_file(people: People) -> None:
    study = people.begin(study_from_text(FILE))
    assert (study.places, study.seed) == (12, 7)
    assert study.conditions == ("plain", "objects")
    mine = [place.root for place in people.places(study.id)]
    theirs = [place.root for place in lay_out(parse_study(FILE).study).places]
    assert mine == theirs
    assert Counter(agreed(people, study, 5)) == {0: 1, 1: 4}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("{plain: 1}", "{flat: 1}"), "line 12: There is no condition 'flat'"),
        (("assessment: exercises", "assessment: battery"), "line 9: People cannot take"),
        (("seed: 7", "repetitions: 2"), "line 3: Nobody takes a test twice"),
        (("objects: 1", "objects: -1"), "line 7"),
        (("objects: 1", "space: here.yaml"), "line 7: .*names a file"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line(
    change: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        study_from_text(FILE.replace(*change))


def test_a_file_without_programs_is_for_people_alone(people: People) -> None:
    text = FILE.replace("subjects: [random]\n", "")
    assert people.begin(study_from_text(text)).conditions == ("plain", "objects")
    with pytest.raises(MensuraError, match="Only people take part"):
        list(places_of(parse_study(text).study))


def test_a_study_file_is_sent_to_the_server(served: Served) -> None:
    with served.client() as client:
        assert client.post("/login", data={"password": PASSWORD}).is_redirect
        path = "/api/experimenter/study-files"
        made = client.post(path, json={"text": FILE})
        assert made.status_code == 201
        assert made.json()["conditions"] == ["plain", "objects"]
        assert client.post(path, json={"text": FILE}).status_code == 409
        wrong = client.post(path, json={"text": FILE.replace("lambda", "lambada")})
        assert wrong.status_code == 400
        assert "line 6" in wrong.json()["error"]


@pytest.mark.thorough
def test_practice_conditions_breaks_and_the_clock_in_a_browser(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people: People = served.app.state.people
    about = {"practice": {}, "breaks": {"every": 1, "seconds": 30}, "clock": {"exercise": 600.0}}
    study = new_study(people, "browser", conditions=TWO, people=about)
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    page.goto(f"{served.url}/p/{code}")
    assert "First there is some practice" in page.locator("main").inner_text()
    assert "Time is limited" in page.locator("main").inner_text()
    page.get_by_role("link", name="To the exercises").click()
    page.get_by_role("heading", name="Practice").wait_for()
    said = []
    phase = ""
    while phase != "done":
        if page.locator("#go").is_visible():
            said.append(page.locator("#told").inner_text())
            assert violations(page) == []
        with wait_for_answer(page) as answered:
            if page.locator("#go").is_visible():
                page.locator("#go").click()
            else:
                page.locator(".cell.reachable").last.click()
        phase = answered.value.json()["phase"]
        if phase == "act":
            shown = answered.value.json()["practice"]
            assert page.locator("#clock").is_visible() is not shown
    assert "does not count" in said[0]
    assert "Now the test begins" in said[1]
    assert "break" in said[2]
    assert len(said) == 3


@pytest.mark.thorough
def test_a_clock_that_runs_out_ends_the_exercise_in_the_browser(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people: People = served.app.state.people
    study = new_study(people, "out", people={"clock": {"exercise": 1.0}})
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    page.goto(f"{served.url}/p/{code}/exercises")
    with page.expect_response(lambda sent: '"late":true' in (sent.request.post_data or "")):
        page.get_by_role("button", name="Begin").click()
    page.locator("#told", has_text="The time was over.").wait_for()
    assert [given.action for given in people.given(study.id, one.number)] == [None, LATE]


@pytest.mark.thorough
def test_the_form_makes_a_study_with_conditions_and_one_from_a_file(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    log_in(page, served.url)
    people: People = served.app.state.people
    page.goto(f"{served.url}/experimenter/new")
    page.locator("#name").fill("by-form")
    page.locator("#design summary").click()
    page.locator("#conditions-text").fill("plain: {}\nobjects: {objects: 1}")
    page.locator("#design-kind").select_option("within")
    page.locator("#practice").check()
    page.locator("#break-every").fill("2")
    page.locator("#clock-test").fill("600")
    assert violations(page) == []
    page.locator("#new button[type=submit]").click()
    page.wait_for_url("**/experimenter/by-form")
    made = people.study("by-form")
    assert made.conditions == ("plain", "objects")
    assert made.courses == ((0, 1), (1, 0))
    assert made.people.practice is not None
    assert made.people.clock is not None
    page.goto(f"{served.url}/experimenter/new")
    page.locator("#file-text").fill(
        FILE.replace("{plain: 1}", "{flat: 1}").replace("from-file", "by-file")
    )
    page.locator("#from-file button").click()
    page.get_by_text("no condition 'flat'").wait_for()
    page.locator("#file-text").fill(FILE.replace("from-file", "by-file"))
    page.locator("#from-file button").click()
    page.wait_for_url("**/experimenter/by-file")
    assert people.study("by-file").conditions == ("plain", "objects")
