"""Tasks as data: systems, ranges, plain data, and a sentence for everything that is wrong with one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.framotec.strategies import tasks

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.task import (
    Goal,
    Limits,
    Motor,
    Object,
    Range,
    Sensor,
    System,
    Task,
    Transition,
)
from mensura.worlds.framotec.play.simulation import Simulation


@settings(max_examples=examples(6, 100))
@given(tasks())
def test_a_task_goes_to_plain_data_and_back(task: Task) -> None:
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


@settings(max_examples=examples(15, 100))
@given(tasks(), st.integers(0, 2**64 - 1))
def test_a_sample_has_no_ranges_and_lies_within_them(task: Task, key: int) -> None:
    one = task.sample(key)
    assert one.concrete
    assert one == task.sample(key) == one.sample(key + 1 & (2**64 - 1))
    for family, concrete in zip(task.flat.objects, one.flat.objects, strict=True):
        wanted, found = family.value, concrete.value
        if isinstance(wanted, Range):
            assert wanted.low <= found <= wanted.high  # type: ignore[operator]
        else:
            assert wanted == found


def test_a_new_part_changes_no_draw_of_the_others() -> None:
    one = Task(objects=(Object("a", Range(0, 1)),))
    two = replace(one, objects=(Object("b", Range(0, 1)), *one.objects))
    assert two.sample(7).objects[1] == one.sample(7).objects[0]
    assert two.sample(7).objects[0].value != two.sample(7).objects[1].value
    assert one.sample(8) != one.sample(7)


# Systems --------------------------------------------------------------------------


def test_names_are_looked_for_inside_a_system_first_and_then_around_it() -> None:
    car = System(
        "car",
        (Object("x", 1.0), Object("own", 2.0)),
        (Motor("m", "x", 5.0),),  # type: ignore[arg-type]
        (Sensor("s", "x.velocity"), Sensor("t", "s"), Sensor("u", "wind")),
        (Transition("blow", "x.value <- own.value + wind.value when m.power > 0"),),  # type: ignore[arg-type]
        (System("fan", (Object("own", 3.0),), (), (), (Transition("t", "own.value <- x.value"),)),),  # type: ignore[arg-type]
    )
    task = Task(objects=(Object("wind", 9.0), Object("x", 8.0)), systems=(car,))
    flat = task.flat
    assert [one.name for one in flat.objects] == ["wind", "x", "car.x", "car.own", "car.fan.own"]
    assert flat.motors[0].targets == (("car.x", 1.0),)
    assert [one.source for one in flat.sensors] == ["car.x.velocity", "car.s", "wind"]
    assert flat.transitions[0].assignments == (
        "car.x.value <- car.own.value + wind.value when car.m.power > 0",
    )
    assert flat.transitions[1].assignments == ("car.fan.own.value <- car.x.value",)


def test_a_system_twice_makes_two_independent_things() -> None:
    def car(name: str) -> System:
        return System(
            name,
            (Object("x", attributes={"fuel": 46000.0}),),  # type: ignore[arg-type]
            (Motor("m", "x", 100.0),),  # type: ignore[arg-type]
            (),
            (Transition("t_mass", "x.mass <- 1 + x.fuel / 46000"),),  # type: ignore[arg-type]
        )

    simulation = Simulation(Task(systems=(car("red"), car("blue"))))
    simulation.set_power("red.m", 100.0)
    simulation.tick(1.0)
    assert simulation.value("red.x.value") > 1.0
    assert simulation.value("blue.x.value") == 0.0
    assert simulation.value("blue.x.mass") == 2.0


# What is wrong --------------------------------------------------------------------

X = Object("x")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"objects": (Object("x", mass=-3.0),)}, "Object 'x' has a mass of -3; it is above 0."),
        ({"objects": (Object("x", mass=Range(0, 1)),)}, "a mass of 0 to 1; it is above 0"),
        ({"objects": (Object("x", mu_k=-1.0),)}, "Object 'x' has a mu_k of -1"),
        ({"objects": (Object("x", angle=2.0),)}, "it is from -pi/2 to pi/2"),
        ({"objects": (Object("x", 5.0, bounds=(0.0, 1.0)),)}, "out of its bounds 0 to 1"),
        ({"objects": (Object("x", bounds=(1.0, 0.0)),)}, "the lower is first"),
        ({"objects": (Object("x", float("nan")),)}, "it must be a number or a range"),
        ({"objects": (Object("x", "1"),)}, "Value of object 'x' is '1'; it must be a number"),  # type: ignore[arg-type]
        ({"objects": (Object("x", Range(2, 1)),)}, "ranges from 2 to 1; the lower comes first"),
        ({"objects": (X, X)}, "The object 'x' has the name of another object"),
        ({"objects": (Object("2x"),)}, "An object cannot be called '2x'"),
        ({"objects": (Object("time"),)}, "cannot be called 'time', which means something else"),
        ({"objects": (Object("x", attributes={"mass": 1.0}),)}, "cannot have an attribute 'mass'"),  # type: ignore[arg-type]
        ({"motors": (Motor("m", "y"),)}, "Motor 'm' drives 'y', which is no object"),  # type: ignore[arg-type]
        ({"motors": (Motor("m", "x", -1.0),)}, "a power of -1 W"),  # type: ignore[arg-type]
        (
            {"sensors": (Sensor("s", "x.valeu"),)},
            "'x.valeu', which is no attribute; did you mean x.value",
        ),
        (
            {"sensors": (Sensor("s", "t"), Sensor("t", "s"))},
            "Sensor 's' depends on itself: s -> t -> s.",
        ),
        ({"sensors": (Sensor("s", "x", digits=99),)}, "a whole number from -12 to 12"),
        (
            {"transitions": (Transition("t", "y.value <- 1"),)},
            "column 1: 'y.value' names nothing",
        ),  # type: ignore[arg-type]
        (
            {"transitions": (Transition("t", "x.locked <- 1"),)},
            "is a boolean and cannot become a number",
        ),  # type: ignore[arg-type]
        (
            {"transitions": (Transition("t", "g.satisfied <- true"),)},
            "can be read and not assigned",
        ),  # type: ignore[arg-type]
        (
            {"transitions": (Transition("t", "x.value <- 1", "x.value"),)},
            "The condition of transition 't'",
        ),  # type: ignore[arg-type]
        ({"transitions": (Transition("t", ()),)}, "has no assignment"),
        ({"goals": (Goal("g", "x", prerequisites="g"),)}, "Goal 'g' depends on itself: g -> g."),  # type: ignore[arg-type]
        ({"goals": (Goal("g", "x", prerequisites="h"), Goal("h", "x", since="g"))}, "g -> h -> g"),  # type: ignore[arg-type]
        ({"goals": (Goal("g", "x", tolerance=-1.0),)}, "a tolerance of -1"),
        ({"goals": (Goal("g", "z"),)}, "Goal 'g' is on 'z', which is no attribute"),
        ({"goals": (Goal("g", "x.locked"),)}, "it is on a number of an object"),
        ({"goals": (Goal("g", "x", after=5.0, before=2.0),)}, "cannot be satisfied"),
        ({"goals": (Goal("g", "x", after_since=5.0),)}, "does not say which one"),
        ({"goals": (Goal("g", "x", reset_when="x.value +"),)}, "The reset of goal 'g'"),
        ({"limits": Limits(time=0.0)}, "The limit of time is 0.0"),
        ({"dt": 0.0}, "dt is 0.0 s"),
        ({"controller_step": 0.0015}, "it is a multiple of dt"),
        ({"integrator": "euler"}, "Integrator of the task is 'euler'"),
    ],
)
def test_what_is_wrong_with_a_task_is_one_sentence_that_names_the_part(
    wrong: dict[str, Any], words: str
) -> None:
    task: dict[str, Any] = {"objects": (X,), "goals": (Goal("g", "x"),), **wrong}
    with pytest.raises(MensuraError) as caught:
        Task(**task)
    text = str(caught.value)
    assert words in text
    assert text[0].isupper() or text.startswith(("dt", "controller_step"))
    assert "\n" not in text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"objcts": []}, "The task has no field 'objcts'; did you mean objects"),
        ({"objects": [{"value": 1}]}, "lacks 'name'"),
        ({"objects": [{"name": "x", "mas": 1}]}, "Object 'x' of the task has no field 'mas'"),
        ({"objects": {"name": "x"}}, "it must be a list"),
        ({"objects": [3]}, "it must be named fields"),
        ({"objects": [{"name": "x", "value": {"low": 1}}]}, "it has low and high"),
        ({"systems": [{"name": "s", "motors": [{"name": "m", "w": 1}]}]}, "'m' of system 's' of"),
        ({"limits": {"tme": 1}}, "The limits of the task has no field 'tme'"),
    ],
)
def test_plain_data_that_is_no_task_gets_a_sentence_with_the_place(
    data: dict[str, Any], words: str
) -> None:
    with pytest.raises(MensuraError) as caught:
        Task.from_json(data)
    assert words in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "objects", "value", "goals", "of", "low", "high", "motors", "targets"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(
    st.dictionaries(st.sampled_from(["name", "objects", "motors", "goals", "limits", "dt"]), JSON)
)
def test_any_plain_data_is_a_task_or_gets_a_sentence(data: dict[str, Any]) -> None:
    try:
        Task.from_json(data)
    except MensuraError as error:
        assert str(error)  # noqa: PT017
