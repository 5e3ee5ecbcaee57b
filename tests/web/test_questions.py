"""People and questions with one answer: shown as a table and options, answered in every way, and never given away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.sizes import at_full_size
from tests.web.conftest import Served, violations
from tests.web.test_participant import agree, finish, invited, wait_for_answer

from mensura.agent.keys import fold
from mensura.assessments.calibration import calibrate
from mensura.core.players import Renewed
from mensura.core.sitting import sit
from mensura.web.page_texts import DEFAULT, languages
from mensura.web.people.live import Given
from mensura.web.people.questions import example_in_words_of, plain_example, plain_question
from mensura.web.phrases import phrases
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.world import Items

OTHERS = [code for code in languages() if code != DEFAULT]
THREE = {"assessment": "attempts", "parameters": {"attempts": 3}, "world": "items-v1"}


def asked(served: Served, name: str, **parameters: Any) -> tuple[Any, Any, str, str]:
    """A participant of a study of three items."""
    return invited(served, name, world_parameters=parameters, **THREE)


def strings(data: Any) -> Iterator[str]:
    """All names and texts in plain data."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield name
            yield from strings(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from strings(value)
    elif isinstance(data, str):
        yield data


@pytest.mark.parametrize("answer", ["choice", "open"])
def test_nothing_that_is_sent_gives_an_answer_away(served: Served, answer: str) -> None:
    people, one, code, _ = asked(served, f"secret-{answer}", family="mixed", answer=answer)
    people.consent(one)
    path = f"/api/participants/{code}"
    with served.client() as client:
        state = client.post(f"{path}/answers", json={"number": 0}).json()
        number = 1
        while state["phase"] != "done":
            seats = served.app.state.sittings._seats
            description = seats[next(reversed(seats))].live.environment.description
            names = {*strings(state)}
            assert names.isdisjoint({"right", "rule", "surface", "seed", "answer", "why"})
            assert "the right answer" not in json.dumps(state)
            assert str(description.surface) not in json.dumps(state)
            question = state["question"]
            assert bool(question["options"]) == (answer == "choice")
            body = {"number": number} | ({"action": question["none"]} if state["form"] else {})
            state = client.post(f"{path}/answers", json=body).json()
            number += 1
    assert people.participants(people.study(f"secret-{answer}"))[one.number].score == 0.0


@pytest.mark.thorough
def test_a_matrix_is_a_table_and_options_are_labelled_buttons(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people, _, _, url = asked(served, "matrices", family="matrices")
    page.goto(url)
    page.get_by_role("checkbox").check()
    page.get_by_role("button").click()
    page.wait_for_url("**/instructions")
    page.locator("#examples[data-ready]").wait_for()
    assert page.locator("#examples .right").count() == 1
    (example,) = map(plain_example, Items.preset("matrices").questions().examples())
    actions = [option["action"] for option in example["question"]["options"]]
    number = 1 + actions.index(example["right"])
    assert f"The right answer is option {number}." in page.locator("#examples").inner_text()
    assert "right" in page.locator("#examples .option").nth(number - 1).get_attribute("class")
    assert violations(page) == []
    page.get_by_role("link", name="To the exercises").click()
    with wait_for_answer(page) as began:
        page.locator("#go").click()
    question = began.value.json()["question"]
    cell = page.get_by_role("table").get_by_role("cell").first
    assert cell.inner_text() == question["rows"][0][0]["text"]
    assert page.get_by_role("columnheader").all_inner_texts()[1:] == [
        "Column 1",
        "Column 2",
        "Column 3",
    ]
    assert page.get_by_role("rowheader").all_inner_texts() == ["Row 1", "Row 2", "Row 3"]
    assert "this is missing" in page.get_by_role("cell").last.inner_text()
    second = f"Option 2: {question['options'][1]['text']}"
    assert page.get_by_role("button", name=second, exact=True).is_visible()
    assert page.locator(".asked:focus").count() == 1, "a screen reader begins with the question"
    assert violations(page) == []

    with wait_for_answer(page):  # by mouse
        page.get_by_role("button", name=second, exact=True).click()
    with wait_for_answer(page):
        page.locator("#go").click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    with wait_for_answer(page):  # by arrows
        page.keyboard.press("Enter")
    with wait_for_answer(page):
        page.locator("#go").click()
    with wait_for_answer(page) as answered:  # by number
        page.keyboard.press("8")
    assert answered.value.json()["phase"] == "done"
    rows = list(people.rows(people.study("matrices")))
    assert [row["action"] for row in rows] == [2, 3, 8]
    assert all(0.0 < row["response_ms"] < 60_000.0 for row in rows), "the time of every item"
    assert violations(page) == []
    assert page.problems == []


@pytest.mark.thorough
def test_on_a_phone_in_spanish_by_touch(served: Served, chromium: Any) -> None:
    people, _, _, url = asked(served, "phone", family="matrices")
    context = chromium.new_context(
        locale="es-ES", viewport={"width": 390, "height": 800}, has_touch=True
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    agree(page, url)
    with wait_for_answer(page):
        page.locator("#go").tap()
    assert page.locator(".asked").inner_text().startswith("¿Qué casilla va en el último lugar")
    assert "relleno" in page.get_by_role("cell").first.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert (
        min(one["height"] for one in (b.bounding_box() for b in page.locator(".option").all())) > 44
    )
    assert violations(page) == []
    with wait_for_answer(page):
        page.get_by_role("button", name="Sin respuesta").tap()
    with wait_for_answer(page):
        page.locator("#go").tap()
    with wait_for_answer(page):
        page.locator(".option").nth(6).tap()
    assert [row["action"] for row in people.rows(people.study("phone"))] == [0, 7]
    context.close()


@pytest.mark.thorough
def test_an_answer_is_written_and_one_of_another_form_is_told_kindly(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people, _, _, url = asked(served, "written", family="letter-series", answer="open")
    agree(page, url)
    with wait_for_answer(page):
        page.locator("#go").click()
    field = page.get_by_label("Your answer")
    assert field.evaluate("one => one === document.activeElement")
    assert "Write one small letter, as k." in page.locator("#form").inner_text()
    assert violations(page) == []
    page.keyboard.press("Enter")
    wrong = "That has another form. Write one small letter, as k, or choose No answer."
    page.get_by_role("alert").filter(has_text=wrong).wait_for()
    with wait_for_answer(page) as refused:
        field.fill("7")
        page.keyboard.press("Enter")
    assert refused.value.status == 422
    page.locator("#answer[aria-invalid=true]").wait_for()
    assert field.input_value() == "7", "what was written stays"
    assert violations(page) == []
    with wait_for_answer(page):
        field.fill("k")
        page.keyboard.press("Enter")
    finish(page, lambda one: one.get_by_role("button", name="No answer").click())
    assert [row["action"] for row in people.rows(people.study("written"))] == ["k", "", ""]
    assert "How did you choose cells?" not in page.locator("main").inner_text()
    assert page.problems == [one for one in page.problems if "status of 422" in one]


@pytest.mark.thorough
def test_what_is_being_written_stays_and_its_clock_runs_on_when_somebody_comes_back(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people, _, _, url = asked(served, "back", family="number-series", answer="open")
    agree(page, url)
    with wait_for_answer(page):
        page.locator("#go").click()
    page.get_by_label("Your answer").fill("12")
    page.wait_for_timeout(300)
    with page.expect_response("**/state"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(100)
    assert page.get_by_label("Your answer").input_value() == "12"
    with wait_for_answer(page):
        page.get_by_role("button", name="Answer", exact=True).click()
    (row,) = people.rows(people.study("back"))
    assert row["action"] == "12"
    assert row["response_ms"] >= 300.0


@pytest.mark.thorough
def test_people_take_the_adaptive_test_by_family_and_complexity_as_programs_do(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale = calibrate(
        Items(family="mixed"), "bits", environments=120, references=("random", "n-gram")
    )
    assert {band.kind for band in scale.bands} == {
        name for name, family in FAMILIES.items() if family.is_mixed
    }
    monkeypatch.setattr("mensura.assessments.adaptive.scale_of", lambda world, measure: scale)
    people, one, _, _ = invited(
        served,
        "adaptive",
        assessment="adaptive",
        parameters={"least": 12, "most": 12},
        world="items-v1",
        world_parameters={"family": "mixed"},
    )
    people.consent(one)
    study = people.study("adaptive")
    live = people.live(study.id, one.number)
    while not live.is_over:
        action = None
        if not live.waits_for_beginning:
            action = live.place.world.item(live.environment.description).right + 1
        live.take(Given(live.number, action, 0.0, 1500.0, 1600.0))
    person = people.finish(live, study.id)
    told = {row.name: row.value for row in people.results(one)[0].measures}
    assert told["environments"] == 12.0
    assert told["ability"] > 1.0
    place = live.place
    subject = place.world.group([("n-gram", {}, 1)])
    program = sit(place.assessment, place.world, Renewed(subject, 1), fold(1, 0), fold(2, 0))
    assert program.score < person, "on the same scale"


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("answer", ["choice", "open"])
@pytest.mark.parametrize("family", FAMILIES)
def test_all_that_people_are_told_is_there_in_every_language(
    language: str, answer: str, family: str
) -> None:
    say = phrases(language)
    world = Items.preset(family, answer=answer)
    questions = world.questions()
    told = [questions.scoring]
    plain = [
        plain_question(
            questions.question(world.build(world.sample(fold(5, i))).reset(0).observations[0])
        )
        for i in range(20 if at_full_size() else 5)
    ]
    examples = list(map(plain_example, questions.examples()))
    told += [one["why"] for one in examples]
    for one in [*plain, *(one["question"] for one in examples)]:
        told += [one["asked"], one["form"] or one["asked"]]
        parts = [part for row in one["rows"] for part in row if part] + one["options"]
        told += [part["text"] for part in parts if part["svg"]]
    assert [text for text in told if not say.knows(text)] == []
    english = {"small", "large", "white", "turned", "from", "the", "letter", "number"}
    for example in examples:
        other = example_in_words_of(say, example)
        words = {
            word.strip(".,:;?")
            for text in (
                other["question"]["asked"],
                other["why"],
                # Schemas are sentences of one language, and so are their answers.
                "" if family == "winograd" else other["answer"]["text"],
            )
            for word in text.split()
        }
        assert not words & english, words & english
