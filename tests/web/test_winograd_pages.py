"""Winograd schemas are calibrated in a real browser: both halves to nobody, and "both are possible" is an answer."""

from __future__ import annotations

from typing import Any

import pytest
from tests.web.conftest import Served, violations
from tests.web.test_participant import wait_for_answer
from tests.web.test_people import new_study

from mensura.web.people.studies import People
from mensura.worlds.items.winograd.files import parse_set, set_text
from mensura.worlds.items.winograd.kept_answers import answers_in
from mensura.worlds.items.winograd.making import make_set


@pytest.mark.thorough
def test_people_answer_halves_in_a_browser(served: Served, browser_page: Any) -> None:
    text = set_text(make_set(3, 1))
    people: People = served.app.state.people
    study = new_study(
        people,
        "halves",
        assessment="halves",
        parameters={"items": 3},
        world="items-v1",
        world_parameters={"family": "winograd", "options": 3, "file": text},
        places=2,
    )
    pairs = [{form.sentence for form in one.forms()} for one in parse_set(text).schemas]
    for one, code in people.invite(study, 2):
        people.consent(one)
        page, seen = browser_page, []
        page.goto(f"{served.url}/p/{code}/exercises")
        for _ in range(3):
            with wait_for_answer(page):
                page.locator("#go").click()
            page.get_by_role("button", name="Option 3: both are possible").wait_for()
            assert violations(page) == []
            seen.append(page.locator("#question").inner_text())
            with wait_for_answer(page):
                page.keyboard.press("3")
        shown = [_told(" ".join(one.split())) for one in seen]
        assert sum(_told(half) in one for pair in pairs for half in pair for one in shown) == 3
        for pair in pairs:
            halves = [half for half in pair if any(_told(half) in one for one in shown)]
            assert len(halves) <= 1, "nobody sees both halves"
    _, answers, sittings, _, _ = answers_in("halves", "people", served.settings.store)
    assert sittings == 2
    assert sum(one.both for one in answers.values()) == 6


def _told(sentence: str) -> str:
    return sentence.replace("[", "").replace("]", "")
