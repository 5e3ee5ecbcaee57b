"""People who are asked about a phenomenon: the same questions as everybody, as forms."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.web.conftest import Served
from tests.web.test_participant import agree, invited, violations, wait_for_answer

from mensura.agent.asks import PROBES, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete
from mensura.agents.probe_schema import answer_schema
from mensura.core.registry import WORLDS
from mensura.studies.inquiry import Inquiry
from mensura.studies.replay import replay
from mensura.studies.respondents import Readers
from mensura.web.page_texts import DEFAULT, languages
from mensura.web.pages import phrases
from mensura.web.people.analysis import report_of, report_page
from mensura.web.people.live import Live
from mensura.web.people.probes import SIGNS, form_of_schema, probe_form, problem_of, told_of
from mensura.web.people.studies import People

OTHERS = [code for code in languages() if code != DEFAULT]
SMALL = {"cells": 4, "actions": 2}
UNDERSTAND: dict[str, Any] = {
    "assessment": "understand",
    "parameters": {"phenomenon": "good", "questions": 1, "training_episodes": 1},
    "world": "lambda-v1",
    "world_parameters": SMALL,
    "people": {"usual_questions": False},
}
MODELS = {
    "lambda-v1": '{"objects": []}',
    "lambda-star-v2": '{"good_moves": [5], "evil_moves": [5]}',
    "framotec-v1": "transitions: []",
}
"""Models that can be run, and are wrong in something."""


def begun(served: Served, name: str, **more: Any) -> tuple[People, Any, str]:
    people, one, code, _ = invited(served, name, **{**UNDERSTAND, **more})
    people.consent(one)
    return people, one, f"/api/participants/{code}"


def good_answer(live: Live) -> Any:
    """What somebody answers who has read the rules: the truth, as far as the question tells it."""
    ask = live.person.probe
    assert ask is not None
    question = ask.question
    if ask.kind == "predict":
        return 0.5 if question["answer"] == "probability" else 1
    if ask.kind == "plan":
        return [question["phenomenon"]["actions"][-1]] * question["length"]
    if ask.kind == "explain":
        first, *_, last = question["phenomenon"]["parts"]
        causes = [{"cause": first, "effect": last, "sign": 0}]
        return {"causes": causes, "without": [True for _ in question["cases"]]}
    return MODELS[live.place.cell.world]


def to_the_end(
    client: Any, path: str, people: People, one: Any, choose: Any
) -> list[dict[str, Any]]:
    """Act and answer until all is over; what was shown on the way."""
    state = client.get(f"{path}/state").json()
    seen = [state]
    while state["phase"] != "done":
        body: dict[str, Any] = {"number": state["number"]}
        if state["phase"] == "act":
            body["action"] = (
                choose(people.live(one.study, one.number))
                if state["probe"]
                else state["form"]["choices"][0]["action"]
            )
        answered = client.post(f"{path}/answers", json=body)
        assert answered.status_code == 200, answered.text
        state = answered.json()
        seen.append(state)
    return seen


def test_a_person_is_asked_all_four_probes_and_stands_in_the_run_like_any_subject(
    served: Served,
) -> None:
    people, one, path = begun(served, "asked")
    with served.client() as client:
        seen = to_the_end(client, path, people, one, lambda live: {"answer": good_answer(live)})
        page = client.get(f"{path.replace('/api/participants', '/p')}/result")
    probes = [state["probe"]["kind"] for state in seen if state["probe"]]
    assert set(probes) == set(PROBES)
    assert [state["step"] for state in seen if state["probe"]] == list(range(1, len(probes) + 1))
    assert {state["kind"] for state in seen} == {"plain"}, "questions name what cells would hide"
    study = people.study("asked")
    (batch,) = people.results(people.participants(study)[one.number])
    measured = {row.name: row.value for row in batch.measures}
    assert batch.score[0] == min(measured[name] for name in ("predict", "explain", "recreate"))
    run = people.store.find(str(study.id))
    again = replay(people.store, run, one.number)
    assert again.from_journal
    assert again.identical
    rows = [row for row in people.rows(study) if row["reward"] is None]
    assert len(rows) == len(probes)
    assert "text" in rows[0]["observation"]
    assert "to say what will happen" in page.text
    (group,) = report_of(people, study).groups
    assert (group.by_exercise, group.reliability) == ([], None), "probes are no exercises"


def test_a_bad_answer_is_refused_in_a_sentence_and_can_be_corrected(served: Served) -> None:
    people, one, path = begun(
        served, "corrected", parameters={"questions": 1, "training_episodes": 0}
    )
    wrong: dict[str, list[tuple[Any, str]]] = {
        "predict": [("soon", "prediction"), (None, "prediction"), ([], "prediction")],
        "plan": [("up", "no plan"), ([99], "no action of the task"), ([0] * 99, "no plan")],
        "explain": [
            ({"causes": []}, "does not say what would have happened"),
            ({"causes": [["luck", "good", 1]], "without": []}, "no part of the task"),
        ],
        "model": [("{", "JSON"), (3, "no model"), ("x" * 30_000, "20000 are the most")],
    }
    met = set()
    with served.client() as client:
        state = client.post(f"{path}/answers", json={"number": 0}).json()
        while state["phase"] != "done":
            kind, number = state["probe"]["kind"], state["number"]
            if state["form"]["kind"] == "number" or kind != "predict":
                met.add(kind)
                for answer, sentence in wrong[kind]:
                    body = {"number": number, "action": {"answer": answer}}
                    refused = client.post(f"{path}/answers", json=body)
                    assert refused.status_code == 422, (kind, answer)
                    assert sentence in refused.json()["error"], refused.json()
            nothing = client.post(f"{path}/answers", json={"number": number, "action": {"a": 1}})
            assert nothing.status_code == 422
            live = people.live(one.study, one.number)
            assert live.number == number, "what was refused is not kept"
            body = {"number": number, "action": {"answer": good_answer(live)}}
            first = client.post(f"{path}/answers", json=body)
            assert first.status_code == 200, first.text
            assert client.post(f"{path}/answers", json=body).json() == first.json()
            state = first.json()
    assert met == set(PROBES)
    (batch,) = people.results(people.participants(people.study("corrected"))[one.number])
    assert not batch.faults


@pytest.mark.thorough
def test_whoever_leaves_a_question_out_is_not_measured_there(served: Served) -> None:
    people, one, path = begun(served, "left")

    def choose(live: Live) -> Any:
        probe = live.person.probe
        assert probe is not None
        keep = probe.kind == "explain" or probe.question.get("kind") == "later"
        return {"answer": good_answer(live)} if keep else {"left_out": True}

    with served.client() as client:
        seen = to_the_end(client, path, people, one, choose)
    asked = [state["probe"]["kind"] for state in seen if state["probe"]]
    study = people.study("left")
    (batch,) = people.results(people.participants(study)[one.number])
    measured = {row.name: row.value for row in batch.measures}
    assert set(measured) >= {"predict", "explain", "predict: left out", "recreate: left out"}
    assert "recreate" not in measured
    assert measured["predict: left out"] == asked.count("predict") - 1
    again = replay(people.store, people.store.find(str(study.id)), one.number)
    assert again.identical


def test_whoever_leaves_all_out_has_finished_without_a_score(served: Served) -> None:
    people, one, path = begun(served, "silent")
    with served.client() as client:
        to_the_end(client, path, people, one, lambda live: {"left_out": True})
        page = client.get(f"{path.replace('/api/participants', '/p')}/result")
    found = people.participants(people.study("silent"))[one.number]
    assert (found.state, found.score) == ("finished", None)
    assert "Nobody has a score yet." in report_page(people, people.study("silent"))
    assert page.status_code == 200
    assert "nothing was measured" in page.text


def test_after_a_restart_nobody_is_asked_twice(served: Served, serve: Any) -> None:
    people, one, path = begun(served, "restarted")
    with served.client() as client:
        state = client.post(f"{path}/answers", json={"number": 0}).json()
        while not state["probe"] or state["step"] < 3:
            body: dict[str, Any] = {"number": state["number"]}
            if state["phase"] == "act":
                body["action"] = (
                    {"answer": good_answer(people.live(one.study, one.number))}
                    if state["probe"]
                    else state["form"]["choices"][0]["action"]
                )
            state = client.post(f"{path}/answers", json=body).json()
    other = serve(store=served.settings.store)
    with other.client() as client:
        assert client.get(f"{path}/state").json() == state


@pytest.mark.thorough
@pytest.mark.parametrize("world", ["lambda-star-v2", "framotec-v1"])
def test_questions_of_other_worlds_have_forms_too(served: Served, world: str) -> None:
    name = world.partition("-")[0] + "-forms"
    asked, given = {
        "framotec-v1": ("plot_it", {"task": "locking-plotter"}),
        "lambda-star-v2": ("good", {"subjects": 1}),
    }[world]
    parameters = {"phenomenon": asked, "questions": 1, "training_episodes": 0}
    people, one, path = begun(
        served, name, world=world, world_parameters=given, parameters=parameters
    )
    with served.client() as client:
        seen = to_the_end(client, path, people, one, lambda live: {"answer": good_answer(live)})
    assert {state["probe"]["kind"] for state in seen if state["probe"]} == set(PROBES)
    plan = next(
        state["form"] for state in seen if state["probe"] and state["probe"]["kind"] == "plan"
    )
    assert plan["first"] == plan["most"] == 12
    told = next(state["probe"] for state in seen if state["probe"])
    assert told["actions"][0]["name"].split()[0] in (
        "position_motor",
        "up-left",
        "up",
        "stay",
        "down",
        "left",
        "right",
        "up-right",
        "down-left",
        "down-right",
    )


@pytest.mark.thorough
def test_a_study_of_conditions_asks_in_each_of_them(served: Served) -> None:
    conditions = {"three": {"cells": 3}, "four": {"cells": 4}}
    people, one, path = begun(
        served,
        "within",
        conditions=conditions,
        people={"design": "within", "usual_questions": False},
    )
    with served.client() as client:
        to_the_end(client, path, people, one, lambda live: {"answer": good_answer(live)})
    assert len(people.results(people.participants(people.study("within"))[one.number])) == 2


def test_every_schema_has_a_form_that_gives_what_the_schema_allows() -> None:
    about = {"parts": ["a", "b"], "variables": [], "actions": [[0.0, 0.0]]}
    share = answer_schema("predict", {"answer": "probability"}, Discrete(2))
    assert form_of_schema(share)["kind"] == "share"
    variable = {"low": 0, "high": 3}
    few = form_of_schema(
        answer_schema("predict", {"answer": "value", "variable": variable}, Discrete(2))
    )
    assert [one["action"] for one in few["choices"]] == [0, 1, 2, 3]
    many = answer_schema(
        "predict", {"answer": "value", "variable": {"low": 0, "high": 99}}, Discrete(2)
    )
    assert form_of_schema(many) == {"kind": "number", "low": 0, "high": 99, "whole": True}
    case = {"start": {"x": 1.0}, "actions": [[0.5, 1.0]] * 2, "without": "b"}
    ask = Ask("explain", 0, question={"text": "Why?", "phenomenon": about, "cases": [case]})
    form = dict(probe_form(ask, Box(-1, 1, (2,)), None)["fields"])
    pair = dict(form["causes"]["item"]["fields"])
    assert [one["action"] for one in pair["cause"]["choices"]] == ["a", "b"]
    assert [one["action"] for one in pair["sign"]["choices"]] == [1, -1, 0]
    assert form["without"]["about"] == [
        {"part": "b", "course": {"start": ["x 1"], "actions": [{"name": "[0.5, 1.0]", "times": 2}]}}
    ]
    assert told_of(ask, Box(-1, 1, (2,)), None)["parts"] == ["a", "b"]
    assert problem_of(ask, {"answer": 1, "more": 2}).startswith("That is not an answer")


def answered_in(page: Any) -> None:
    """Fill in the form that is shown, and send it."""
    if page.locator(".share").count():
        page.get_by_role("slider").fill("0.25")
        assert page.locator(".share input[type=number]").input_value() == "0.25"
    elif page.locator(".probe.predict input[type=number]").count():
        page.locator(".probe.predict input[type=number]").fill("1")
    elif page.locator(".probe.model").count():
        page.locator("textarea").fill('{"objects": []}')
    for select in page.locator(".pair select").all():
        select.select_option(index=1)
    for group in page.locator(".radios").all():
        group.get_by_role("radio").first.check()
    page.get_by_role("button", name="Answer", exact=True).click()


@pytest.mark.thorough
def test_the_forms_of_all_probes_in_a_browser(served: Served, browser_page: Any) -> None:
    people, one, _, url = invited(served, "browser", **UNDERSTAND)
    page = browser_page
    agree(page, url)
    kinds, phase = [], ""
    while phase != "done":
        probe = page.locator(".probe")
        if probe.count():
            kind = probe.get_attribute("class").split()[-1]
            if kind not in kinds:
                assert violations(page) == []
                page.set_viewport_size({"width": 390, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= 390
                page.set_viewport_size({"width": 1100, "height": 800})
            kinds.append(kind)
            if kind == "model":
                page.locator("textarea").fill("{")
                with wait_for_answer(page) as refused:
                    page.get_by_role("button", name="Answer", exact=True).click()
                assert refused.value.status == 422
                page.locator(".wrong", has_text="JSON").wait_for()
                assert page.locator("textarea").input_value() == "{", "what was written stays"
        with wait_for_answer(page) as answered:
            if page.locator("#go").is_visible():
                page.locator("#go").click()
            elif probe.count():
                answered_in(page)
            else:
                page.locator("#form button").first.click()
        assert answered.value.status == 200, answered.value.text()
        phase = answered.value.json()["phase"]
    assert set(kinds) == set(PROBES)
    page.locator("#go").click()
    page.wait_for_url("**/result")
    page.get_by_text("the least of the parts that were measured").wait_for()
    (batch,) = people.results(people.participants(people.study("browser"))[one.number])
    assert batch.score[0] >= 0.0
    assert [one for one in page.problems if "422" not in one] == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    ("world", "parameters", "phenomenon"),
    [
        ("lambda-v1", SMALL, "good"),
        ("lambda-star-v2", {"subjects": 1}, "reward"),
        pytest.param(
            "framotec-v1", {"task": "locking-plotter"}, "lock", marks=pytest.mark.thorough
        ),
    ],
)
def test_all_questions_are_there_in_every_language(
    language: str, world: str, parameters: dict[str, Any], phenomenon: str
) -> None:
    say = phrases(language)
    examination = Inquiry(WORLDS.load(world)(**parameters), phenomenon, 3, 2).examination()
    asked = [one.plain for one in (*examination.questions, *examination.goals)]
    asked += [examination.plain_explanation(), examination.plain_model()]
    meanings = [one.meaning for one in examination.system.variables if one.meaning]
    told = [*(one["text"] for one in asked), *meanings, *SIGNS.values()]
    assert [text for text in told if not say.knows(text)] == []
    english = {"the", "happens", "when", "start", "actions", "interactions", "is", "of", "from"}
    for text in told:
        said = say(text).replace("good_and_evil", "")
        assert not {word.strip(".,:;?()") for word in said.split()} & english, said


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_wrong_with_an_answer_is_told_in_every_language(language: str) -> None:
    examination = Inquiry(WORLDS.load("lambda-v1")(**SMALL), "good", 3, 1).examination()
    read = Readers(examination)
    whole = next(one for one in examination.questions if one.form == "number")
    tried = [
        (read.prediction(whole), "soon"),
        (read.plan, [99]),
        (read.plan, "up"),
        (read.explanation, {"causes": [], "without": 1}),
        (read.explanation, {"causes": [["luck", "good", 1]]}),
        (read.explanation, 1),
        (read.model, "{"),
        (read.model, "[]"),
        (read.model, 1),
    ]
    for reader, answer in tried:
        with pytest.raises(MensuraError) as refused:
            reader(answer)
        assert phrases(language).knows(str(refused.value)), str(refused.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=20,
)


@cache
def asks(world: str) -> list[Ask]:
    """One question of each probe of a world."""
    parameters, name = {
        "lambda-v1": (SMALL, "good"),
        "lambda-star-v2": ({"subjects": 1}, "good"),
        "framotec-v1": ({"task": "locking-plotter"}, "plot_it"),
    }[world]
    examination = Inquiry(WORLDS.load(world)(**parameters), name, 3, 1).examination()
    read = Readers(examination)
    found = [
        Ask("predict", 0, question=one.plain, check=read.prediction(one))
        for one in examination.questions
    ]
    readers: dict[Any, Any] = {"plan": read.plan, "explain": read.explanation, "model": read.model}
    return [*found, *(Ask(kind, 0, check=reader) for kind, reader in readers.items())]


@pytest.mark.parametrize(
    "world",
    ["lambda-v1", "lambda-star-v2", pytest.param("framotec-v1", marks=pytest.mark.thorough)],
)
@settings(max_examples=examples(10, 60), deadline=None)
@given(answer=JSON)
def test_whatever_a_page_sends_is_taken_or_refused_in_a_sentence(world: str, answer: Any) -> None:
    for ask in asks(world):
        for sent in (answer, {"answer": answer}):
            problem = problem_of(ask, sent)
            assert problem == "" or problem.endswith((".", "?")), problem
