"""Own questions before and after, checks of comprehension and attention, a score that is hidden, feedback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Served, log_in, violations
from tests.web.test_people import new_study, play

from mensura.agent.errors import MensuraError
from mensura.studies.people import QuestionEntry
from mensura.web.people.answers import failed_checks, own_answers
from mensura.web.people.studies import People
from mensura.web.refusals import Refused

PEOPLE: dict[str, Any] = {
    "before": [
        {
            "name": "hand",
            "kind": "choice",
            "asked": {"en": "Which hand?", "es": "¿Qué mano?"},
            "choices": [
                "left",
                {"value": "right", "said": {"en": "The right one", "es": "La derecha"}},
            ],
            "required": True,
        },
        {"name": "years", "kind": "number", "asked": {"en": "Years?"}, "low": 0, "high": 99},
    ],
    "comprehension": {
        "tries": 2,
        "questions": [
            {
                "name": "aim",
                "kind": "choice",
                "asked": {"en": "What is the aim?"},
                "choices": ["rewards", "speed"],
                "right": "rewards",
            }
        ],
    },
    "after": [
        {
            "name": "attentive",
            "kind": "likert",
            "asked": {"en": "Choose two."},
            "lowest": {"en": "not at all"},
            "right": "2",
        },
        {"name": "why", "kind": "text", "asked": {"en": "Why?"}},
    ],
    "usual_questions": False,
    "show_score": False,
    "feedback": {"en": "We measured *learning*."},
    "screened": {"url": "https://example.org/no"},
    "completed": {"code": "DONE"},
}


def test_a_participant_goes_the_whole_way_and_nothing_is_skipped(served: Served) -> None:
    people: People = served.app.state.people
    study = new_study(people, "way", people=PEOPLE)
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    begin = f"/api/participants/{code}/answers"
    with served.client() as client:

        def where() -> str:
            return client.get(f"/p/{code}").headers["location"].rsplit("/", 1)[1]

        def send(step: str, **data: str) -> int:
            return client.post(f"/p/{code}/{step}", data=data).status_code

        assert where() == "before"
        assert client.get(f"/p/{code}/instructions").headers["location"].endswith("/before")
        assert client.post(begin, json={"number": 0}).status_code == 409
        assert send("before", **{"own-years": "3"}) == 422, "hand is needed"
        assert send("before", **{"own-hand": "both"}) == 422
        assert send("before", **{"own-hand": "left", "own-years": "100"}) == 422
        assert where() == "before"
        assert send("before", **{"own-hand": "left", "own-years": "3,50"}) == 303
        assert send("before", **{"own-hand": "right"}) == 303, "once is enough"
        assert where() == "instructions"
        assert "/comprehension" in client.get(f"/p/{code}/instructions").text
        assert client.get(f"/p/{code}/exercises").headers["location"].endswith("/instructions")
        assert client.post(begin, json={"number": 0}).status_code == 409
        assert people.by_code(code).answered == 0
        for _ in range(2):  # the same attempt from two tabs
            assert send("comprehension", **{"own-aim": "speed", "attempt": "0"}) == 303
        assert people.by_code(code).tries == 1
        assert "tries that are left: 1" in client.get(f"/p/{code}/instructions").text
        assert send("comprehension", **{"own-aim": "rewards", "attempt": "x"}) == 422
        assert send("comprehension", **{"own-aim": "rewards", "attempt": "1"}) == 303
        assert client.get(f"/p/{code}/exercises").status_code == 200
        people.finish(play(people, study, one), study.id)
        assert where() == "questions"
        assert "motivated" not in client.get(f"/p/{code}/questions").text
        assert send("questions", **{"own-attentive": "9"}) == 422
        assert send("questions", **{"own-attentive": "3", "own-why": "=1+1"}) == 303
        text = client.get(f"/p/{code}/result").text
    assert "<em>learning</em>" in text
    assert "DONE" in text
    assert "Your score" not in text
    assert people.by_code(code).excluded == "attention: attentive"
    answers = {row["question"]: row["answer"] for row in people.questionnaires(study)}
    assert answers == {
        "hand": "left",
        "years": "3.5",
        "aim#1": "speed",
        "aim#2": "rewards",
        "attentive": "3",
        "why": "=1+1",
    }


def test_whoever_fails_the_last_try_is_screened_out_for_good(served: Served) -> None:
    people: People = served.app.state.people
    study = new_study(people, "screened", people={**PEOPLE, "before": [], "quota": 1})
    ((one, code), (other, _)) = people.invite(study, 2)
    people.consent(one)
    with served.client() as client:
        for attempt in ("0", "1", "2"):
            data = {"own-aim": "speed", "attempt": attempt}
            assert client.post(f"/p/{code}/comprehension", data=data).status_code == 303
        text = client.get(f"/p/{code}/screened").text
        assert 'href="https://example.org/no"' in text
        assert client.get(f"/p/{code}/exercises").headers["location"].endswith("/screened")
        begun = client.post(f"/api/participants/{code}/answers", json={"number": 0})
        assert begun.status_code == 409
    left = people.by_code(code)
    assert (left.state, left.excluded, left.tries, left.answered) == (
        "screened",
        "comprehension",
        2,
        0,
    )
    people.consent(other)  # who is screened out makes room in the quota
    people.withdraw(left)
    gone = people.by_code(code)
    assert (gone.state, gone.excluded, gone.tries) == ("withdrawn", None, 0)


def test_the_usual_questions_are_asked_with_ones_own(served: Served) -> None:
    people: People = served.app.state.people
    study = new_study(people, "usual", people={"after": PEOPLE["after"][1:]})
    ((one, code),) = people.invite(study, 1)
    people.finish(play(people, study, one), study.id)
    with served.client() as client:
        data = {"age": "18-29", "own-why": "so"}
        assert client.post(f"/p/{code}/questions", data=data).status_code == 303
        assert client.post(f"/p/{code}/questions", data={"own-why": "other"}).status_code == 303
    answers = {row["question"]: row["answer"] for row in people.questionnaires(study)}
    assert (answers["age"], answers["why"]) == ("18-29", "so")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("1e2", "100"), ("-3", None), ("nan", None), ("1e999", None), ("", ""), ("two", None)],
)
def test_numbers_are_numbers_within_their_bounds(given: str, kept: str | None) -> None:
    one = QuestionEntry(name="n", kind="number", asked={"en": "?"}, low=0)
    if kept is None:
        with pytest.raises(Refused, match="not a number"):
            own_answers([one], {"own-n": given})
    else:
        assert own_answers([one], {"own-n": given}) == {"n": kept}


def test_a_right_answer_in_words_may_be_written_in_capitals() -> None:
    one = QuestionEntry(name="n", kind="text", asked={"en": "Write blue."}, right="blue")
    assert failed_checks([one], own_answers([one], {"own-n": " Blue "})) == []
    assert failed_checks([one], own_answers([one], {"own-n": "red"})) == ["n"]


def question(**more: Any) -> dict[str, Any]:
    return {"name": "q", "kind": "text", "asked": {"en": "?"}, **more}


@pytest.mark.parametrize(
    ("people", "sentence"),
    [
        ({"before": [question(), question()]}, "two questions q"),
        ({"before": [question(kind="choice", choices=["a", "a"])]}, "two different choices"),
        ({"before": [question(choices=["a", "b"])]}, "has no choices"),
        ({"after": [question(kind="likert", low=0, high=50)]}, "scale of 51 points"),
        ({"after": [question(kind="likert", right="7")]}, "none of its answers"),
        ({"after": [question(kind="number", low=2, high=1)]}, "low above its high"),
        ({"after": [question(name="age")]}, "another name"),
        ({"comprehension": {"questions": [question()]}}, "no right answer"),
        ({"comprehension": {"questions": []}}, "comprehension"),
        ({"before": [question(kind="slider")]}, "kind"),
    ],
)
def test_wrong_questions_are_refused_with_a_sentence(
    tmp_path: Path, people: dict[str, Any], sentence: str
) -> None:
    made = People(tmp_path / "people.db")
    try:
        with pytest.raises(MensuraError, match=sentence):
            new_study(made, people=people)
        assert made.studies() == []
    finally:
        made.end()


YAML = """
before:
  - {name: hand, kind: choice, asked: {en: "Which hand?", es: "¿Qué mano?"}, choices: [left, right], required: true}
  - {name: mood, kind: likert, asked: {en: Mood, es: Ánimo}, highest: {en: good, es: bueno}}
  - {name: years, kind: number, asked: {en: Years, es: Años}}
"""


@pytest.mark.thorough
def test_questions_are_written_and_answered_in_a_browser(served: Served, browser_page: Any) -> None:
    page = browser_page
    log_in(page, served.url)
    page.goto(f"{served.url}/experimenter/new")
    page.get_by_label("Name (").fill("asked")
    page.get_by_text("Own questions, checks, feedback").click()
    page.get_by_label("As in a study file").fill("before: [{name: x}]")
    page.locator("#new button:enabled").wait_for()
    page.get_by_role("button", name="Make the study").click()
    page.get_by_text("people.before[0] has no kind").wait_for()
    page.get_by_label("As in a study file").fill(YAML)
    assert violations(page) == []
    page.get_by_role("button", name="Make the study").click()
    page.get_by_role("heading", name="asked").wait_for()
    people: People = served.app.state.people
    study = people.study("asked")
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    page.goto(f"{served.url}/p/{code}")
    page.get_by_role("link", name="Español").click()
    assert violations(page) == []
    page.get_by_label("left").check()
    page.get_by_label("5: bueno").check()
    page.get_by_label("Años").fill("30")
    page.keyboard.press("Enter")
    page.wait_for_url("**/instructions")
    answers = {row["question"]: row["answer"] for row in people.questionnaires(study)}
    assert answers == {"hand": "left", "mood": "5", "years": "30"}
