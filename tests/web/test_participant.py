"""A whole participation in a real browser: by mouse, by touch on a phone, by keyboard alone; and what harms nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.web.conftest import Served, violations
from tests.web.test_people import new_study, play

from mensura.web.people.live import Given
from mensura.web.people.participants import Participant
from mensura.web.people.showing import symbols
from mensura.web.people.studies import People, PeopleStudy


def invited(served: Served, name: str, **more: Any) -> tuple[People, Participant, str, str]:
    """A participant of a short study, with the address of their page."""
    people: People = served.app.state.people
    known = {study.name: study for study in people.studies()}
    study = known.get(name) or new_study(people, name, places=50, **more)
    ((one, code),) = people.invite(study, 1)
    return people, one, code, f"{served.url}/p/{code}"


def agree(page: Any, url: str) -> None:
    page.goto(url)
    page.get_by_role("checkbox").check()
    page.get_by_role("button").click()
    page.wait_for_url("**/instructions")
    page.goto(f"{url}/exercises")
    page.locator("#go").wait_for()


def number_shown(page: Any) -> int:
    """How many answers the server has taken, by what it says itself."""
    code = page.locator("#play").get_attribute("data-code")
    here = page.url.partition("/p/")[0]
    return int(page.request.get(f"{here}/api/participants/{code}/state").json()["number"])


@contextmanager
def wait_for_answer(page: Any) -> Iterator[Any]:
    """What is done within it sends an answer; after it, the page shows what the server said to it."""
    with page.expect_response(re.compile(r"/answers$")) as answered:
        yield answered
    page.locator("#cells:not([aria-busy])").wait_for(state="attached")


def finish(page: Any, choose: Any) -> int:
    """Play to the end; how many answers it took."""
    count = 0
    phase = ""
    while phase != "done":
        with wait_for_answer(page) as answered:
            if page.locator("#go").is_visible():
                page.locator("#go").click()
            else:
                choose(page)
        assert answered.value.status == 200
        phase = answered.value.json()["phase"]
        count += 1
    page.get_by_role("button", name=re.compile("Go on|Continuar")).click()
    page.wait_for_url("**/questions")
    return count


def click_some(page: Any) -> None:
    page.locator(".cell.reachable").last.click()


def test_a_whole_participation(served: Served, browser_page: Any) -> None:
    page = browser_page
    people, one, code, url = invited(served, "whole")
    page.goto(url)
    assert violations(page) == []
    assert one.pseudonym in page.locator("main").inner_text()
    page.get_by_role("button", name="Go on").click()
    assert page.url.endswith("/consent"), "without a tick nobody goes on"
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/instructions")
    assert violations(page) == []
    assert "Speed does not count" in page.locator("main").inner_text()
    page.get_by_role("link", name="To the exercises").click()
    page.get_by_role("button", name="Begin").wait_for()
    assert violations(page) == []
    assert finish(page, click_some) == 2 + 4 + 6
    assert violations(page) == []
    page.get_by_label("How old are you?").select_option("30 to 44")
    page.get_by_label("Is there anything").fill("<script>alert(1)</script>")
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/result")
    assert violations(page) == []
    score = people.by_code(code).score
    assert score is not None
    assert f"{score:+.2f}".replace("-", "\N{MINUS SIGN}") in page.locator(".score").inner_text()
    assert page.problems == []
    assert all(asked.startswith(served.url) for asked in page.requested)
    study = people.study("whole")
    answers = {row["question"]: row["answer"] for row in people.questionnaires(study)}
    assert answers["age"] == "30-44"
    assert answers["comment"] == "<script>alert(1)</script>"
    times = [row["response_ms"] for row in people.rows(study)]
    assert len(times) == 10
    assert all(0.0 < time < 60_000.0 for time in times)


@pytest.mark.thorough
def test_with_references_the_score_stands_beside_them(served: Served, browser_page: Any) -> None:
    people, one, _, url = invited(served, "full", parameters={})
    people.consent(one)
    study = people.study("full")
    people.finish(play(people, study, one), study.id)
    people.answer_questions(one, {"comment": ""})
    browser_page.goto(url)
    assert violations(browser_page) == []
    names = browser_page.locator("tbody th .name").all_inner_texts()
    assert set(names) == {"you", "random", "follower", "q-learning", "planner", "oracle"}
    assert browser_page.locator("tr.own td").nth(1).inner_text().count("…") == 1


@pytest.mark.thorough
def test_in_the_anytime_test_time_counts_and_a_slot_may_end_while_one_thinks(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people, _, _, url = invited(
        served,
        "clock",
        assessment="anytime",
        parameters={"seconds": 8.5, "first": 4.0, "growth": 0.1},
    )
    page.goto(url)
    page.get_by_role("checkbox").check()
    page.get_by_role("button").click()
    page.wait_for_url("**/instructions")
    assert "Time counts." in page.locator("main").inner_text()
    assert "Speed does not count" not in page.locator("main").inner_text()
    page.get_by_role("link", name="To the exercises").click()
    page.get_by_role("button", name="Begin").wait_for()
    assert "Time counts from when you go on." in page.locator("#told").inner_text()
    assert page.locator("h1").inner_text() == "Exercise 1"
    with wait_for_answer(page):
        page.locator("#go").click()
    with wait_for_answer(page) as answered:
        page.locator(".cell.reachable").first.click()
    assert not answered.value.json()["late"]
    page.wait_for_timeout(4100)
    with wait_for_answer(page) as answered:
        page.locator(".cell.reachable").first.click()
    assert answered.value.json()["late"]
    page.locator("#told", has_text="your last step does not count").wait_for()
    assert "your last step does not count" in page.locator("#announced").inner_text()
    assert violations(page) == []
    finish(page, click_some)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/result")
    assert page.locator(".score").is_visible()
    assert "stands alone" in page.locator("main").inner_text()
    exercises = [row["exercise"] for row in people.rows(people.study("clock"))]
    assert exercises.count(1) == 1, "the late step is not among what was played"
    assert page.problems == []


@pytest.mark.thorough
def test_the_adaptive_test_ends_with_score_and_interval_beside_the_references(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    people, one, code, url = invited(served, "adaptive", assessment="adaptive", parameters={})
    study = people.study("adaptive")
    people.consent(one)
    # As far as the last few steps: how many there are is known from playing on a copy of the sitting.
    play(people, study, one, played_alone(people, study, one) - 5)
    page.goto(url)
    page.locator(".cell.reachable").first.wait_for()
    assert "of" not in page.locator("h1").inner_text(), "nobody knows how many exercises there are"
    finish(page, click_some)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/result")
    assert violations(page) == []
    names = page.locator("tbody th .name").all_inner_texts()
    assert set(names) == {"you", "random", "follower", "q-learning", "planner", "oracle"}
    assert page.locator("tr.own td").nth(1).inner_text().count("…") == 1
    assert "With a confidence of 95%" in page.locator("main").inner_text()
    assert people.by_code(code).state == "finished"


def played_alone(people: People, study: PeopleStudy, one: Participant) -> int:
    """How many answers it takes to the end of a sitting, of which nothing is kept."""
    live = people.live(study.id, one.number)
    while not live.is_over:
        shown = live.shown()
        cell = shown.reachable[live.number % len(shown.reachable)] if shown.reachable else None
        action = None if cell is None else live.action_to(cell)
        live.take(Given(live.number, action, 0.0, 300.0, 350.0))
    return live.number


@pytest.fixture
def phone(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(
        locale="es-ES",
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    yield context.new_page()
    context.close()


@pytest.mark.thorough
def test_a_phone_by_touch_in_spanish_without_colors(served: Served, phone: Any) -> None:
    _, _, _, url = invited(
        served, "phone", theme="neutral", parameters={"fewest": 9, "per_cell": 1}
    )
    agree(phone, url)
    assert phone.locator("html").get_attribute("lang") == "es"
    phone.locator("#go").tap()
    phone.locator(".cell.reachable").first.wait_for()
    assert violations(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    for box in [cell.bounding_box() for cell in phone.locator(".cell").all()]:
        assert box["width"] >= 44
        assert box["height"] >= 44
    backgrounds = {
        cell.evaluate("one => getComputedStyle(one).backgroundColor")
        for cell in phone.locator(".cell:not(.reachable)").all()
    }
    assert len(backgrounds) == 1
    with wait_for_answer(phone):
        phone.locator(".cell.reachable").last.tap()
    finish(phone, lambda page: page.locator(".cell.reachable").first.tap())


def test_the_keyboard_alone(served: Served, browser_page: Any) -> None:
    page = browser_page
    _, _, _, url = invited(served, "keys")
    page.goto(url)
    while page.evaluate("document.activeElement.name") != "agreed":
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/instructions")
    while "exercises" not in str(page.evaluate("document.activeElement.href || ''")):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#go").wait_for()
    with wait_for_answer(page):
        page.keyboard.press("Enter")
    page.locator(".cell:focus").wait_for()
    # By number.
    target = int(page.locator(".cell.reachable .name").last.inner_text())
    with wait_for_answer(page) as answered:
        page.keyboard.press(str(target))
    assert answered.value.json()["you"] == target - 1
    # By arrow and Enter.
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    for _ in range(3):
        focused = page.locator(".cell:focus")
        if "reachable" in (focused.get_attribute("class") or ""):
            break
        page.keyboard.press("ArrowRight")
    here = int(page.locator(".cell:focus .name").inner_text())
    with wait_for_answer(page) as answered:
        page.keyboard.press("Enter")
    assert answered.value.json()["you"] == here - 1
    status = page.locator("#announced").inner_text()
    assert f"You are on cell {here}." in status
    assert "reward" in status or "neither" in status


@pytest.mark.thorough
def test_borders_are_seen_on_a_dark_screen(served: Served, chromium: Any) -> None:
    context = chromium.new_context(color_scheme="dark", locale="en-US")
    page = context.new_page()
    _, _, _, url = invited(served, "dark", parameters={"fewest": 9, "per_cell": 1})
    agree(page, url)
    page.locator("#go").click()
    border = page.locator(".cell.reachable").first.evaluate(
        "one => getComputedStyle(one).borderTopColor"
    )
    around = page.locator("#cells").evaluate("one => getComputedStyle(one).backgroundColor")
    dark, light = (sum(map(int, re.findall(r"\d+", color)[:3])) for color in (border, around))
    assert light - dark > 400
    assert violations(page) == []
    context.close()


@pytest.mark.thorough
def test_cells_that_cannot_be_reached_do_nothing_and_say_so(
    served: Served, browser_page: Any
) -> None:
    page = browser_page
    _, _, _, url = invited(served, "far", parameters={"fewest": 9, "per_cell": 1})
    agree(page, url)
    page.locator("#go").click()
    page.locator(".cell.reachable").first.wait_for()
    far = page.locator(".cell:not(.reachable)").first
    assert far.get_attribute("aria-disabled") == "true"
    far.click(force=True)
    assert number_shown(page) == 1
    thick = page.locator(".cell.reachable").first.evaluate(
        "one => getComputedStyle(one).borderTopWidth"
    )
    thin = far.evaluate("one => getComputedStyle(one).borderTopWidth")
    assert float(thick[:-2]) > float(thin[:-2])
    near = page.locator(".cell.reachable").last
    calm = near.evaluate("one => getComputedStyle(one).backgroundColor")
    near.hover()
    assert near.evaluate("one => getComputedStyle(one).borderTopStyle") == "double"
    assert near.evaluate("one => getComputedStyle(one).backgroundColor") != calm


@pytest.mark.thorough
def test_coming_back_continues_where_it_was(served: Served, chromium: Any) -> None:
    _, _, _, url = invited(served, "back")
    seen = []
    for visit in range(2):
        context = chromium.new_context(base_url=served.url)
        page = context.new_page()
        if visit == 0:
            agree(page, url)
            for _ in range(3):
                with wait_for_answer(page):
                    page.locator("#go:visible, .cell.reachable").first.click()
        else:
            page.goto(url)
            page.locator(".cell.reachable").first.wait_for()
        seen.append(page.locator("#cells").inner_html())
        assert number_shown(page) == 3
        context.close()
    assert _shown(seen[0]) == _shown(seen[1])


def _shown(html: str) -> str:
    """Without focus, and with the attributes of each tag in order: the script sets and takes away some of them."""
    return re.sub(
        r'(<\w+)((?: [\w-]+="[^"]*")*)',
        lambda tag: tag[1] + "".join(sorted(re.findall(r' (?!tabindex=)[\w-]+="[^"]*"', tag[2]))),
        html,
    )


@pytest.mark.thorough
def test_double_clicks_two_tabs_and_the_back_button_do_no_harm(
    served: Served, chromium: Any
) -> None:
    _, _, _, url = invited(served, "harm", parameters={"fewest": 5, "most": 5, "per_cell": 5})
    context = chromium.new_context(base_url=served.url)
    page = context.new_page()
    agree(page, url)
    with wait_for_answer(page):
        page.locator("#go").click()
    other = context.new_page()
    other.goto(url)
    other.locator(".cell.reachable").first.wait_for()
    with wait_for_answer(page):
        page.locator(".cell.reachable").last.dblclick()
    done = number_shown(page)
    assert done in (2, 3), (
        "the second click counts only if it was on what was shown after the first"
    )
    with wait_for_answer(other) as answered:
        other.locator(".cell.reachable").first.click()
    assert answered.value.status == 409
    assert "another window" in other.locator("#told").inner_text()
    assert number_shown(other) == done
    page.go_back()
    page.goto(url)
    page.locator(".cell.reachable").first.wait_for()
    assert number_shown(page) == done
    context.close()


@pytest.mark.thorough
def test_withdrawing_deletes_what_was_answered(served: Served, browser_page: Any) -> None:
    people, _, code, url = invited(served, "leave")
    agree(browser_page, url)
    with wait_for_answer(browser_page):
        browser_page.locator("#go").click()
    browser_page.get_by_role("link", name="Stop taking part").click()
    assert violations(browser_page) == []
    browser_page.get_by_role("button", name="Delete my answers and stop").click()
    browser_page.wait_for_url("**/withdrawn")
    assert violations(browser_page) == []
    left = people.by_code(code)
    assert (left.state, left.answered) == ("withdrawn", 0)
    browser_page.goto(f"{url}/exercises")
    assert browser_page.url.endswith("/withdrawn")


@pytest.mark.thorough
def test_a_code_can_be_typed(served: Served, browser_page: Any) -> None:
    _, _, code, _ = invited(served, "typed")
    browser_page.goto(served.url)
    browser_page.get_by_role("link", name="Take part").click()
    assert violations(browser_page) == []
    browser_page.get_by_label("Code").fill(f" {code} ")
    browser_page.get_by_role("button", name="Go on").click()
    assert browser_page.url.endswith(f"/p/{code}/consent")


def test_there_is_no_clue_in_the_page_its_traffic_or_its_storage(
    served: Served, browser_page: Any
) -> None:
    """All that the browser holds tells what the observation tells, by symbols that are the same for everybody."""
    page = browser_page
    people, one, code, url = invited(served, "clue", world_parameters={"objects": 2})
    bodies: list[str] = []
    page.on(
        "response",
        lambda answer: (
            bodies.append(answer.text())
            if "/api/" in answer.url or "/static/participant" in answer.url
            else None
        ),
    )
    agree(page, url)
    pages = [page.content()]
    for _ in range(7):
        with wait_for_answer(page):
            page.locator("#go:visible, .cell.reachable").last.click()
        pages.append(page.content())
    everything = "\n".join([*bodies, *pages])
    for word in ("good", "evil", "seed", "pattern", "planner", "oracle"):
        assert not re.search(word, everything, re.IGNORECASE), word
    kept = page.evaluate(
        "async () => [localStorage.length, sessionStorage.length, document.cookie,"
        " (await indexedDB.databases()).length]"
    )
    assert kept == [0, 0, "", 0]
    assert page.context.cookies() == []
    live = people.live(people.study("clue").id, one.number)
    state = page.request.get(f"{served.url}/api/participants/{code}/state").json()
    assert (state["kind"], state["svg"], state["words"], state["form"]) == ("cells", "", [], None)
    assert state["question"] is state["probe"] is state["pace"] is None
    assert set(state) - {"kind", "svg", "words", "form", "question", "probe", "pace"} == {
        "number",
        "phase",
        "exercise",
        "exercises",
        "reward",
        "beside",
        "cells",
        "you",
        "reachable",
        "others",
        "colors",
        "late",
        "practice",
        "rest",
        "seconds",
        "seconds_of_test",
        "step",
        "steps",
    }
    assert (state["step"], state["steps"]) == (
        live.person.interactions + 1,
        live.person.task.horizon,
    )
    seen = live.person.observation
    names = symbols(live.person.exercise, live.symbols)
    cells = [seen["good"], seen["evil"], *seen["objects"]]
    assert state["others"] == sorted(
        [name, int(cell)] for name, cell in zip(names, cells, strict=False)
    )
    assert state["reachable"] == sorted({int(cell) for cell in seen["ways"]})


def test_all_people_see_the_same_colors_in_an_exercise_and_symbols_of_their_own(
    served: Served,
) -> None:
    people: People = served.app.state.people
    known = {study.name: study for study in people.studies()}
    study = known.get("alike") or new_study(people, "alike")
    shown = [play(people, study, one, 2).shown() for one, _ in people.invite(study, 3)]
    assert len({one.colors for one in shown}) == 1
    assert len({tuple(sorted(symbol for symbol, _ in one.others)) for one in shown}) > 1
