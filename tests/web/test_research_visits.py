"""Visits: an environment played step by step, by subjects and by hand, exactly the same after going back."""

from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.toys import RelayWorld

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key
from mensura.api.watching import OneEnvironment
from mensura.core.abilities import (
    describe_from_json,
)
from mensura.core.sitting import sit
from mensura.studies.subjects import resolve
from mensura.web.refusals import Refused
from mensura.web.research import visit as visit_module
from mensura.web.research import visits as kept_visits
from mensura.web.research import worlds
from mensura.web.research.showing import about_of, state_of
from mensura.web.research.visit import MOST_TRAINING, Visit
from mensura.web.research.visits import Visits
from mensura.worlds.lambda_class.markov import Program

PLAYED = [
    ("lambda-v1", {}, ""),
    ("lambda-v1", {"subjects": 2}, "oracle+q-learning"),
    ("lambda-star-v2", {"subjects": 2, "horizon": 20}, "stigmergy"),
    pytest.param(
        "lambda-star-v2",
        {"subjects": 2, "horizon": 12},
        "q-learning?training=5",
        marks=pytest.mark.thorough,
    ),
    ("framotec-v1", {"horizon": 30}, "pid"),
    ("framotec-v1", {"task": "plotter-2d", "subjects": 2, "clock": "simulated"}, "random"),
]


def visit_of(world: str, parameters: dict[str, Any], subject: str = "", seed: int = 7) -> Visit:
    home = worlds.make_world(world, parameters=parameters)
    return Visit(home, worlds.sample(home, seed, None), seed, subject)


def seen(visit: Visit) -> dict[str, Any]:
    return state_of("", visit).model_dump()


@pytest.mark.parametrize(("world", "parameters", "subject"), PLAYED)
@settings(max_examples=examples(2, 8))
@given(data=st.data())
def test_going_back_is_exact(
    world: str, parameters: dict[str, Any], subject: str, data: st.DataObject
) -> None:
    """Whatever was played, by whom, and wherever one goes back to: all of the state is as it was."""
    visit = visit_of(world, parameters, subject, seed=data.draw(st.integers(0, 2**64 - 1)))
    moments = [seen(visit)]
    for _ in range(data.draw(st.integers(1, 6))):
        chosen = {}
        if data.draw(st.booleans()):
            seat = data.draw(st.sampled_from(visit.due))
            controls = state_of("", visit).seats[seat]
            action = (
                data.draw(st.sampled_from(controls.choices)).action
                if controls.choices
                else [data.draw(st.sampled_from((-1.0, 0.0, 0.5))) for _ in controls.knobs]
            )
            chosen = visit.read_actions([action if one == seat else None for one in visit.due])
        visit.step(chosen)
        moments.append(seen(visit))
    to = data.draw(st.integers(0, len(moments) - 1))
    steps = visit.steps[:]
    visit.back(to)
    assert seen(visit) == moments[to]
    assert visit.steps == steps[:to]
    for one in steps[to:]:  # and so it goes on as it did
        visit.step({seat: one.actions[seat] for seat in one.chosen}, one.seconds)
    assert seen(visit) == moments[-1]


@pytest.mark.parametrize(
    ("world", "subject"),
    [
        ("lambda-v1", "q-learning"),
        ("lambda-v1", "oracle"),
        ("lambda-star-v2", "auction"),
        ("lambda-star-v2", "sarsa?training=7"),
        ("framotec-v1", "coasting"),
    ],
)
def test_a_visit_is_the_episode_that_watch_plays(world: str, subject: str) -> None:
    """The same seed and subject: the same environment, the same training, the same rewards."""
    seed = 11
    visit = visit_of(world, {}, subject, seed)
    while not visit.ended:
        visit.play(1000)
    home = worlds.make_world(world)
    player_of = resolve(subject, home)
    host = home.hosting(player_of)
    watched = sit(
        OneEnvironment(None, getattr(player_of, "training", 0)),
        host,
        player_of.sit(host.subjects),
        fold(key(seed, "watch"), 0),
        fold(seed, 1),
    )
    (_, episode) = watched.episodes[-1]
    assert visit.episode is not None
    assert visit.episode.rewards == episode.rewards
    assert visit.totals() == list(zip(episode.rewards, episode.interactions, strict=True))


def test_what_is_chosen_by_hand_is_played_instead() -> None:
    visit = visit_of("lambda-star-v2", {"subjects": 2}, "oracle")
    for _ in range(5):
        visit.step(visit.read_actions([5, None]))
        assert visit.steps[-1].actions[0] == 5
        assert visit.steps[-1].chosen == {0}
    places = [one["cell"] for one in _everybody(visit) if one["who"] == "subject 0"]
    visit.back(0)
    assert places == [one["cell"] for one in _everybody(visit) if one["who"] == "subject 0"]


def _everybody(visit: Visit) -> list[dict[str, Any]]:
    (found,) = (one for one in state_of("", visit).tables if one.name == "everybody")
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_an_oracle_has_its_rights_and_the_saved_environment_does_not() -> None:
    visit = visit_of("lambda-v1", {}, "oracle")
    assert "sees_future" in state_of("", visit).seats[0].rights
    assert about_of(visit).description["future"] == []


@pytest.mark.parametrize("world", ["lambda-v1", "lambda-star-v2", "framotec-v1"])
def test_every_built_in_subject_plays(world: str) -> None:
    home = worlds.make_world(world)
    for name, _, _ in worlds.subjects_of(home):
        parameters = {"task": "n-dimensional", "dimensions": 2} if name == "selector" else {}
        home = worlds.make_world(world, parameters=parameters)
        visit = Visit(home, worlds.sample(home, 7, None), 7, name, training=1)
        visit.play(3)
        assert len(visit.steps) == 3
        assert visit.faults == []


def test_the_end_is_told_and_one_can_go_back_from_it() -> None:
    visit = visit_of("lambda-v1", {"horizon": 3}, "random")
    visit.play(10)
    assert (visit.ended, len(visit.steps), visit.due) == ("terminated", 3, ())
    with pytest.raises(MensuraError, match="has ended"):
        visit.step({})
    visit.back(2)
    assert visit.ended is None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([0, 0], "2 actions do not fit the 1 seats"),
        (["up"], "'up' is not an action of seat 0"),
        ([99], "99 is not an action of seat 0"),
        ([True], "True is not an action"),
        ([[0]], r"\[0\] is not an action"),
    ],
)
def test_what_is_no_action_is_refused(given: list[Any], sentence: str) -> None:
    visit = visit_of("lambda-v1", {})
    with pytest.raises(MensuraError, match=sentence):
        visit.step(visit.read_actions(given))
    assert visit.steps == []
    visit.step({})


def test_what_cannot_be_begun_leaves_the_visit_as_it_is() -> None:
    visit = visit_of("lambda-v1", {"subjects": 2}, "random")
    visit.play(4)
    before = seen(visit)
    for wrong in ("oracle+random*7", "nobody", "q-learning?alpha=7", "cmd:ls"):
        with pytest.raises(MensuraError):
            visit.begin(1, wrong, None)
        assert seen(visit) == before
    with pytest.raises(MensuraError, match="too many here"):
        visit.begin(1, "random", 100_000)
    visit.step({})
    assert len(visit.steps) == 5


FAILING = """
name: falls apart
objects: [{name: car, value: 1, mass: 1, bounds: [-10, 10]}]
motors: [{name: engine, targets: {car: 1}, power: 5}]
sensors: [{name: reading, source: car}]
transitions: [{name: gone, assignments: [car.value <- 1 / (2 - time)], when: time >= 2}]
goals: [{name: there, of: car, value: 5, tolerance: 1}]
limits: {time: 20}
"""


def test_a_task_that_fails_in_the_middle_is_told_and_can_be_gone_back_in() -> None:
    from mensura.worlds.framotec.model.files import canonical, parse_task

    visit = visit_of("framotec-v1", {"task": canonical(parse_task(FAILING))})
    with pytest.raises(MensuraError, match="gone"):
        visit.play(1000)
    reached = len(visit.steps)
    assert reached > 0
    moment = seen(visit)
    with pytest.raises(MensuraError, match="gone"):
        visit.step({})
    assert seen(visit) == moment
    visit.back(reached - 1)
    assert len(visit.steps) == reached - 1


@pytest.mark.thorough
def test_programs_that_take_long_hold_nobody_up() -> None:
    """Measures that play many episodes are left out where that would take minutes; the others are told."""
    rules = [*(f"b{'c' * (i % 7)} -> c" for i in range(2000)), "π -> ππ"]
    home = worlds.make_world("lambda-v1")
    data = worlds.sample(home, 1, None).to_json() | {
        "good_and_evil": {"kind": "markov", "program": Program.parse("\n".join(rules)).to_json()},
        "horizon": 10_000,
    }
    told = {
        one.name: one
        for one in about_of(Visit(home, describe_from_json(home, data), 1)).complexities
    }
    assert told["kt_max"].value is None
    assert "too long" in told["kt_max"].sentence
    assert told["description_length"].value is not None
    quick = describe_from_json(home, data | {"horizon": 1})
    assert all(one.value is not None for one in about_of(Visit(home, quick, 1)).complexities)


def test_training_stops_at_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit_module, "SECONDS_OF_TRAINING", 0.0)
    home = worlds.make_world("lambda-v1")
    with pytest.raises(MensuraError, match="Training takes too long"):
        Visit(home, worlds.sample(home, 1, None), 1, "q-learning", 5)


def test_training_has_a_bound() -> None:
    home = worlds.make_world("lambda-v1")
    description = worlds.sample(home, 1, None)
    with pytest.raises(MensuraError, match="too many here"):
        Visit(home, description, 1, "q-learning", MOST_TRAINING)


@pytest.mark.parametrize(
    ("world", "parameters", "sentence"),
    [
        ("lambda-v1", {"cells": 500, "actions": 2}, "cells is 500"),
        ("lambda-v1", {"subjects": 21}, "subjects is 21"),
        ("lambda-v1", {"horizon": 30_001}, "horizon is 30001"),
        ("lambda-v1", {"junk": 1_000_000}, "junk is 1000000"),
        ("lambda-star-v2", {"rows": 50, "cols": 50}, "rows x cols is 2500"),
        ("framotec-v1", {"task": "n-dimensional", "dimensions": 45}, "objects"),
    ],
)
def test_what_no_page_could_show_is_refused(
    world: str, parameters: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        worlds.sample(worlds.make_world(world, parameters=parameters), 1, None)


def test_tasks_are_never_read_from_the_files_of_the_server(tmp_path: Any) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("password: 12345\n", encoding="utf-8")
    with pytest.raises(MensuraError, match="no sample task") as refused:
        worlds.make_world("framotec-v1", parameters={"task": str(secret)})
    assert "12345" not in str(refused.value)


@pytest.mark.parametrize("address", ["cmd:ls", "agent.py:Mine", "os:system", "random+tcp://h:1"])
def test_an_address_that_names_code_is_refused(address: str) -> None:
    with pytest.raises(Refused, match="only built-in subjects"):
        worlds.seated_by(address, worlds.make_world("lambda-v1"))


def test_another_world_gets_a_plain_view_without_new_code() -> None:
    """The toy has no drawing, no parameters, and seats that act at different times."""
    home = RelayWorld()
    for subject in ("", "random"):
        visit = Visit(home, home.sample(3), 3, subject)
        first = seen(visit)
        assert [one["action"] for one in first["seats"][1]["choices"]] == [-1, 0, 1]
        assert first["due"] == [0, 1]
        visit.step(visit.read_actions([1, -1]))
        assert visit.due != (0, 1)
        visit.play(100)
        assert visit.ended == "truncated"
        assert (
            about_of(visit).command
            == "mensura assess random --world relay-v0 --from relay-v0-3.json"
        )
        visit.back(0)
        assert seen(visit) == first


# Visits of a server ---------------------------------------------------------------------


def test_visits_are_bounded_in_number_and_end_when_nobody_looks() -> None:
    now = [0.0]
    visits = Visits(clock=lambda: now[0])
    one = visit_of("lambda-v1", {})
    names = [visits.add(one) for _ in range(kept_visits.MOST)]
    with visits.at(names[0]):  # looked at, so that it is not the next to go
        pass
    visits.add(one)
    assert len(visits) == kept_visits.MOST
    with visits.at(names[0]) as visit:
        assert visit is one
    with pytest.raises(Refused, match="This visit is over") as gone, visits.at(names[1]):
        pass
    assert gone.value.status == 404
    now[0] = kept_visits.IDLE + 1
    with pytest.raises(Refused), visits.at(names[0]):
        pass
    assert len(visits) == 0


def test_a_crowd_does_not_take_all_threads_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few work at once, a few more wait, and whoever comes then is told at once."""
    monkeypatch.setattr(kept_visits, "PATIENCE", 0.0)
    visits = Visits()
    with ExitStack() as stack:
        for _ in range(kept_visits.AT_ONCE):
            stack.enter_context(visits.working())
        with pytest.raises(Refused, match="busy") as refused, visits.working():
            pass
        assert refused.value.status == 503
    name = visits.add(visit_of("lambda-v1", {}))
    with visits.at(name), pytest.raises(Refused, match="busy"), visits.at(name):
        pass
    with ExitStack() as stack:
        for _ in range(kept_visits.ROOM):
            stack.enter_context(visits._inside())
        with pytest.raises(Refused, match="busy"), visits.at(name):
            pass
    with visits.at(name) as visit:
        visit.step({})


def test_names_of_visits_cannot_be_guessed() -> None:
    visits = Visits()
    one = visit_of("lambda-v1", {})
    names = {visits.add(one) for _ in range(20)}
    assert len(names) == 20
    assert all(len(name) >= 24 for name in names)


def test_an_episode_is_cut_off_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure 4.4: a session may stop after so many seconds; going back gives back the time that it undoes."""
    now = [100.0]
    monkeypatch.setattr("mensura.web.research.visit.monotonic", lambda: now[0])
    home = worlds.make_world("lambda-v1")
    visit = Visit(home, worlds.sample(home, 7, None), 7, limit=10.0)
    assert visit.left == 10.0
    for moment in (103.0, 108.0):
        now[0] = moment
        visit.step({})
    assert visit.left == 2.0
    assert not visit.cut_off()
    now[0] = 110.5
    visit.step({})
    assert (len(visit.steps), visit.ended, visit.due) == (2, "truncated", ())
    with pytest.raises(MensuraError, match="has ended"):
        visit.step({})
    visit.back(1)
    assert (visit.ended, visit.left) == (None, 7.0)
    now[0] = 200.0
    assert visit.cut_off()
    visit.begin(8, "random", None)
    assert (visit.limit, visit.left) == (None, None)
    visit.play(1000)
    assert len(visit.steps) == visit.description.horizon
