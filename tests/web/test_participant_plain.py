"""People in worlds of any kind: a picture, words and a form that follow from what the world says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.web.conftest import Served
from tests.web.test_participant import agree, invited, violations, wait_for_answer
from tests.web.test_people import new_study

from mensura.agent.spaces import Box, Discrete, Record, Several, Text, default, space_from_json
from mensura.core.registry import WORLDS
from mensura.pictures.scenes import Choice, Controls, Knob
from mensura.web.people.forms import check_form, form_of
from mensura.web.people.studies import People
from mensura.worlds.kit import Area, BaseWorld, Measure, Picture, State, parameter

ANYTIME = {"assessment": "anytime", "parameters": {"interactions": 6, "first": 3, "growth": 0.0}}


class Desk(BaseWorld):
    """Fill in what is asked for; whoever writes "yes" gains."""

    id = "desk-v0"
    horizon: int = parameter(2, "Interactions", at_least=1)
    measures = {"length": Measure("length", "nothing much")}  # noqa: RUF012

    def draw(self, rng: Any) -> Mapping[str, Any]:
        return {"length": int(rng.integers(1, 4))}

    def complexity(self, description: Any, measure: str) -> float:
        return float(description.length)

    def spaces(self, description: Any, seat: int) -> Any:
        letter = Record((("to", Discrete(3)), ("body", Text(20))))
        return Text(30), Record(
            (
                ("word", Text(5)),
                ("size", Box(0, 2)),
                ("way", Discrete(2)),
                ("letters", Several(letter, 2)),
            )
        )

    def start(self, state: State, rng: Any) -> None:
        state.said = ""

    def observe(self, state: State, seat: int) -> str:
        return f"<b>you said</b> {state.said}"

    def advance(self, state: State, actions: Any, rng: Any) -> list[float]:
        state.said = actions[0]["word"]
        state.sent = [one["body"] for one in actions[0]["letters"]]
        return [1.0 if state.said == "yes" else -1.0]


class Doors(BaseWorld):
    """Two doors to click on; one may not be opened twice in a row."""

    id = "doors-v0"
    horizon: int = parameter(3, "Interactions", at_least=1)
    measures = {"length": Measure("length", "nothing much")}  # noqa: RUF012
    draw, complexity = Desk.draw, Desk.complexity

    def spaces(self, description: Any, seat: int) -> Any:
        return Discrete(3), Discrete(2, 1)

    def start(self, state: State, rng: Any) -> None:
        state.last = 0
        state.secret = "behind the second door"

    def observe(self, state: State, seat: int) -> int:
        return int(state.last)

    def legal(self, state: State, seat: int, action: Any) -> bool:
        return bool(action != state.last)

    def advance(self, state: State, actions: Any, rng: Any) -> list[float]:
        state.last = int(actions[0])
        return [1.0 if state.last == 2 else 0.0]

    def picture(self, state: State, seat: int | None = None) -> Picture:
        doors = [
            Area.box(2 * i, 0, 1, 2, "subject", 0.4, label=f"door {i}", action=i) for i in (1, 2)
        ]
        told = [] if seat is not None else [Area.box(0, 0, 1, 1, label=state.secret)]
        return Picture([*doors, *told], (6, 2), "Two doors")


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """The toy worlds among those that are installed."""
    known = {"desk-v0": Desk, "doors-v0": Doors}
    WORLDS._loaded |= known
    yield
    for name in known:
        del WORLDS._loaded[name]


def begun(served: Served, world: str) -> tuple[People, Any, str]:
    name = world.partition("-")[0]
    people, one, code, _ = invited(served, name, world=world, **ANYTIME)
    people.consent(one)
    return people, one, f"/api/participants/{code}"


def test_a_world_of_one_number_is_played_through_the_api(served: Served) -> None:
    people, guest, path = begun(served, "echo-v1")
    with served.client() as client:
        state = client.post(f"{path}/answers", json={"number": 0}).json()
        assert (state["kind"], state["phase"]) == ("plain", "act")
        assert [choice["action"] for choice in state["form"]["choices"]] == [0, 1, 2, 3]
        assert "the right answer" not in state["svg"], "what a seat may not see is not drawn for it"
        assert state["words"][0].startswith("You are in an environment of the world echo-v1.")
        for action in (7, -1, "0", [0], {"a": 1}, 0.5, True):
            body = {"number": 1, "action": action}
            assert client.post(f"{path}/answers", json=body).status_code == 422, action
        wrong = client.post(f"{path}/answers", json={"number": 1, "cell": 0})
        assert wrong.status_code == 422
        first = client.post(f"{path}/answers", json={"number": 1, "action": 3, "response_ms": 5})
        again = client.post(f"{path}/answers", json={"number": 1, "action": 3})
        assert first.json() == again.json()
        stale = client.post(f"{path}/answers", json={"number": 1, "action": 2})
        assert stale.status_code == 409
        state = first.json()
        while state["phase"] != "done":
            body = {"number": state["number"]} | ({"action": 0} if state["phase"] == "act" else {})
            answered = client.post(f"{path}/answers", json=body)
            assert answered.status_code == 200, answered.text
            state = answered.json()
    study = people.study("echo")
    rows = list(people.rows(study))
    assert len(rows) == 6
    assert rows[0]["action"] == 3
    assert people.participants(study)[guest.number].score is not None


def test_an_action_of_several_parts_is_kept_exactly_and_played_again(served: Served) -> None:
    people, one, path = begun(served, "desk-v0")
    letters = [{"to": 2, "body": 'said "so" ☃'}]
    action = {"word": "yes", "size": 1.5, "way": 1, "letters": letters}
    with served.client() as client:
        state = client.post(f"{path}/answers", json={"number": 0}).json()
        assert [name for name, _ in state["form"]["fields"]] == ["word", "size", "way", "letters"]
        too_long = {**action, "word": "yes yes"}
        for wrong in (
            too_long,
            {**action, "size": 3},
            {"word": "yes"},
            {**action, "letters": letters * 3},
        ):
            refused = client.post(f"{path}/answers", json={"number": 1, "action": wrong})
            assert refused.status_code == 422, wrong
        after = client.post(f"{path}/answers", json={"number": 1, "action": action}).json()
        assert after["reward"] == 1
        assert after["words"][-1] == "<b>you said</b> yes"
    study = people.study("desk")
    (row,) = people.rows(study)
    assert row["action"] == action
    served.app.state.sittings._seats.clear()
    with served.client() as client:
        assert client.get(f"{path}/state").json() == after
    participant = people.participants(study)[one.number]
    assert (participant.answered, participant.exercise) == (1, 1)


def test_what_may_not_be_done_now_is_neither_offered_nor_taken(served: Served) -> None:
    _, _, path = begun(served, "doors-v0")
    with served.client() as client:
        client.post(f"{path}/answers", json={"number": 0})
        state = client.post(f"{path}/answers", json={"number": 1, "action": 2}).json()
        assert [one["action"] for one in state["form"]["choices"]] == [1]
        again = client.post(f"{path}/answers", json={"number": 2, "action": 2})
        assert again.status_code == 422
        assert "behind the second door" not in state["svg"]


@pytest.mark.thorough
def test_doors_are_opened_by_mouse_and_by_keyboard(served: Served, browser_page: Any) -> None:
    page = browser_page
    people, one, _, url = invited(served, "browsed", world="doors-v0", **ANYTIME)
    agree(page, url)
    with wait_for_answer(page):
        page.get_by_role("button", name="Begin").click()
    assert violations(page) == []
    with wait_for_answer(page) as answered:
        page.locator('#picture [data-action="2"]').click()
    assert answered.value.json()["reward"] == 1
    with wait_for_answer(page):
        page.locator('#picture [data-action="1"]').press("Enter")
    with wait_for_answer(page):
        page.keyboard.press("1")
    assert violations(page) == []
    assert page.problems == []
    actions = [row["action"] for row in people.rows(people.study("browsed"))]
    assert actions == [2, 1, 2]
    assert one.number == 0


@pytest.mark.thorough
def test_a_form_is_filled_in_in_a_browser(served: Served, browser_page: Any) -> None:
    page = browser_page
    people, _, _, url = invited(served, "written", world="desk-v0", **ANYTIME)
    agree(page, url)
    with wait_for_answer(page):
        page.get_by_role("button", name="Begin").click()
    assert violations(page) == []
    assert page.locator("#words b").count() == 0, "what a world says is text and never markup"
    page.get_by_label("word").fill("yes")
    page.get_by_label("size").fill("0.5")
    page.get_by_label("way").select_option("1")
    page.get_by_role("button", name="One more").click()
    page.get_by_label("body").fill("dear reader")
    with wait_for_answer(page) as answered:
        page.get_by_role("button", name="Do it").click()
    assert answered.value.json()["reward"] == 1
    assert violations(page) == []
    assert page.problems == []
    (row,) = people.rows(people.study("written"))
    assert row["action"] == {
        "word": "yes",
        "size": 0.5,
        "way": 1,
        "letters": [{"to": 0, "body": "dear reader"}],
    }


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        (Discrete(1000), "There are 1000 actions"),
        (Box(0, 1, (100,)), "An action has 100 numbers and texts"),
        (Record((("a", Box(0, 1, (40,))), ("b", Box(0, 1, (30,))))), "An action has 70 numbers"),
    ],
)
def test_a_form_that_nobody_would_fill_in_is_refused(space: Any, sentence: str) -> None:
    with pytest.raises(Exception, match=sentence):
        check_form(space)


def test_every_space_has_a_form() -> None:
    space = Record((("a", Several(Text(3, "ab"), 2)), ("b", Box(0, 255, (2, 2), "uint8"))))
    assert form_of(space) == {
        "kind": "record",
        "fields": [
            [
                "a",
                {
                    "kind": "several",
                    "most": 2,
                    "item": {"kind": "text", "longest": 3, "characters": "ab"},
                },
            ],
            [
                "b",
                {
                    "kind": "numbers",
                    "shape": [2, 2],
                    "low": 0,
                    "high": 255,
                    "whole": True,
                    "names": [],
                },
            ],
        ],
    }
    assert space.contains(default(space_from_json(space.to_json())))
    controls = Controls((Choice(1, "right"),), (Knob("motor", -1, 1),))
    controls = Controls((Choice(1, "right"),), (Knob("motor", -1, 1),))
    assert form_of(Box(-1, 1, (1,)), controls)["names"] == ["motor"]
    named = form_of(Discrete(2), controls, lambda one: one == 1)
    assert named["choices"] == [{"action": 1, "name": "right"}]


def test_a_study_of_a_world_with_several_seats_is_refused(served: Served) -> None:
    with pytest.raises(Exception, match="a participant is alone"):
        new_study(served.app.state.people, "crowd", world="lambda-star-v2", **ANYTIME)
