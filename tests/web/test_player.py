"""The player: progress, moves, sounds, an example that plays itself, and where one stands at the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.web.conftest import Served, violations
from tests.web.test_participant import agree, invited, wait_for_answer
from tests.web.test_people import new_study, play

from mensura.web.people import outcome
from mensura.web.people.outcome import others_of, outcome_of
from mensura.web.people.studies import People

NOTED = """
window.moves = 0;
window.tones = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  if (this.dataset.symbol) window.moves += 1;
  return animate.apply(this, given);
};
const Plain = window.OscillatorNode;
window.OscillatorNode = class extends Plain {
  constructor(...given) {
    super(...given);
    window.tones += 1;
  }
};
"""
"""Counts moves of symbols and tones, whether or not anybody sees and hears them."""


def go_elsewhere(page: Any) -> None:
    with wait_for_answer(page):
        page.locator(".cell.reachable:not(.here)").first.click()


@pytest.mark.thorough
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_symbols_move_for_those_who_want_it_and_steps_are_counted(
    served: Served, chromium: Any, motion: str
) -> None:
    context = chromium.new_context(reduced_motion=motion, locale="en-US")
    context.add_init_script(NOTED)
    page = context.new_page()
    _, _, _, url = invited(served, "moving", parameters={"fewest": 4, "per_cell": 5})
    agree(page, url)
    with wait_for_answer(page):
        page.locator("#go").click()
    counted = page.locator("#by-step")
    assert counted.inner_text().startswith("Step 1 of ")
    go_elsewhere(page)
    assert counted.inner_text().startswith("Step 2 of ")
    assert (page.evaluate("window.moves") > 0) == (motion == "no-preference")
    assert page.locator("#in-exercise").evaluate("one => one.value") == 1
    assert 0 < page.locator("#in-test").evaluate("one => one.value") < 1
    box, room = page.locator("#cells").bounding_box(), page.viewport_size
    assert abs(box["x"] + box["width"] / 2 - room["width"] / 2) < 10, "the board is in the middle"
    assert violations(page) == []
    context.close()


@pytest.mark.thorough
def test_sounds_are_off_until_somebody_wants_them(served: Served, chromium: Any) -> None:
    context = chromium.new_context(locale="en-US")
    context.add_init_script(NOTED)
    page = context.new_page()
    _, _, _, url = invited(served, "sounding", parameters={"fewest": 4, "per_cell": 5})
    agree(page, url)
    with wait_for_answer(page):
        page.locator("#go").click()
    go_elsewhere(page)
    assert page.evaluate("window.tones") == 0
    button = page.get_by_role("button", name="Sounds: off")
    button.click()
    page.locator("#sounds[aria-pressed=true]").wait_for()
    begun = page.evaluate("window.tones")
    assert begun > 0
    go_elsewhere(page)
    assert page.evaluate("window.tones") > begun
    page.reload()
    page.get_by_role("button", name="Sounds: on").wait_for()
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("locale", "chosen"), [("en-US", "Cell 3 was chosen"), ("es-ES", "Se eligió")]
)
def test_an_example_shows_how_a_step_goes(
    served: Served, chromium: Any, locale: str, chosen: str
) -> None:
    context = chromium.new_context(
        locale=locale, reduced_motion="reduce", viewport={"width": 360, "height": 740}
    )
    page = context.new_page()
    people, one, _, url = invited(served, "example")
    people.consent(one)
    page.goto(f"{url}/instructions")
    said = page.locator("#example-said")
    first = said.inner_text()
    assert page.locator("#example .cell.reachable").count() == 3
    assert page.locator("#example-play").get_attribute("aria-pressed") == "false"
    page.locator("#example-next").click()
    assert chosen in said.inner_text()
    page.locator("#example-next").press("Enter")
    assert page.locator("#example .sign").count() == 1
    page.locator("#example-play").click()
    page.locator("#example .cell.reachable").first.wait_for()
    page.locator("#example-said", has_text=first).wait_for()  # by itself, and round again
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """Others are told of where there are as few as this."""
    monkeypatch.setattr(outcome, "FEWEST_OTHERS", 3)
    return 3


@pytest.mark.thorough
def test_the_end_shows_ones_path_and_where_one_stands(
    served: Served, browser_page: Any, few: int
) -> None:
    people, one, _, url = invited(served, "standing", parameters={})
    people.consent(one)
    study = people.study("standing")
    people.finish(play(people, study, one), study.id)
    people.answer_questions(one, {"comment": ""})
    browser_page.goto(url)
    assert browser_page.locator("svg.course circle").count() == 7
    assert "other people" not in browser_page.locator("main").inner_text()
    for _ in range(few):
        _, another, _, _ = invited(served, "standing")
        people.consent(another)
        people.finish(play(people, study, another), study.id)
    browser_page.reload()
    assert "other people who have finished" in browser_page.locator("main").inner_text()
    assert "other people" in browser_page.locator("tbody").inner_text()
    assert violations(browser_page) == []
    browser_page.get_by_role("link", name="What this test is").first.click()
    browser_page.get_by_role("heading", name="What this test is").wait_for()
    assert violations(browser_page) == []


@pytest.mark.thorough
def test_others_are_told_of_only_where_the_study_says_so(served: Served, few: int) -> None:
    people: People = served.app.state.people
    hidden = new_study(people, "hidden", places=30, people={"show_others": False}, parameters={})
    shown = new_study(people, "shown", places=30, parameters={})
    for study, there in ((hidden, 0), (shown, few)):
        everybody = [one for one, _ in people.invite(study, few + 1)]
        for one in everybody:
            people.consent(one)
            people.finish(play(people, study, one), study.id)
        me = everybody[0]
        others = others_of(people, study, me)
        assert len(others) == there
        told = outcome_of(study, people.results(me), others)
        assert told.people == there
        assert told.path[-1] == pytest.approx(told.own.score)
        if there:
            (line,) = [line for line in told.lines if line.name == "people"]
            assert line.score == pytest.approx(float(np.mean(others)))
            assert told.below == sum(other < told.own.score for other in others)
