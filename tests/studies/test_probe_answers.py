"""Answers to probes are read strictly: whatever comes is an answer, or a sentence, and never breaks anything."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.core.abilities import phenomena
from mensura.core.phenomena import Variable
from mensura.studies.probe_answers import (
    read_explanation,
    read_model,
    read_plan,
    read_prediction,
)

CELL = Variable("cell", "subject", 0, 3, whole=True)
PARTS = ("a", "b", "c")
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["causes", "without", "cause", "0", "1"]), inner)
    ),
    max_leaves=8,
)


class Odd:
    """Cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def found_out(error: MensuraError) -> None:
    """It is a sentence."""
    assert str(error).endswith((".", "?"))


@given(st.sampled_from(["number", "probability", "value"]), ANYTHING | st.builds(Odd))
def test_whatever_is_predicted_is_read_or_refused_in_a_sentence(form: Any, value: Any) -> None:
    try:
        found = read_prediction(form, value, CELL if form == "value" else None)
    except MensuraError as error:
        found_out(error)
        return
    if isinstance(found, dict):
        assert sum(found.values()) == pytest.approx(1.0)
    else:
        assert found


@given(ANYTHING | st.builds(Odd))
def test_whatever_explains_is_read_or_refused_in_a_sentence(value: Any) -> None:
    try:
        edges, without = read_explanation(value, PARTS, 2)
    except MensuraError as error:
        found_out(error)
        return
    assert all(cause in PARTS and effect in PARTS for cause, effect, _ in edges)
    assert len(without) == 2


@pytest.fixture(scope="module")
def system() -> Any:
    return phenomena(ms.make("lambda-star", rows=3, cols=3))[0].system


@given(value=ANYTHING | st.builds(Odd))
def test_whatever_is_planned_or_modeled_is_read_or_refused_in_a_sentence(
    system: Any, value: Any
) -> None:
    legal = system.environment(system.rules).legal
    for read in (
        lambda: read_plan(value, system, lambda one: legal(0, one)),
        lambda: read_model(value, system),
    ):
        try:
            read()
        except MensuraError as error:
            found_out(error)


def test_answers_as_people_write_them() -> None:
    assert read_prediction("probability", 0.25, None) == {1.0: 0.25, 0.0: 0.75}
    assert read_prediction("number", [1, 2.5], None) == [1.0, 2.5]
    assert read_prediction("value", 2, CELL) == {2.0: 1.0}
    assert read_prediction("value", {"0": 0.5, "3": 0.5}, CELL) == {0.0: 0.5, 3.0: 0.5}
    as_objects = {"causes": [{"cause": "a", "effect": "b", "sign": -1}], "without": [True]}
    assert read_explanation(as_objects, PARTS, 1) == ([("a", "b", -1)], [True])


@pytest.mark.parametrize(
    ("form", "value", "why"),
    [
        ("probability", 1.5, "1.5 is no probability; it is a number from 0 to 1."),
        ("probability", True, "True is no probability"),
        ("number", float("nan"), "nan is no prediction"),
        ("number", [], "is no prediction"),
        ("value", 7, "7 is no value of cell; it is a whole number from 0 to 3"),
        ("value", {"1": 0.9, "2": 0.9}, "sum to 1.8; they sum to 1"),
        ("value", {"1": -1.0}, "-1.0 is no probability"),
        # Larger than any float.
        ("probability", 10**400, "is no probability"),
        ("number", [1, 10**400], "is no prediction"),
        ("value", 10**400, "is no value of cell"),
        ("value", {10**400: 1.0}, "is no value of cell"),
        ("value", {"1": 10**400}, "is no probability"),
    ],
)
def test_what_is_none_is_told_what_would_be_right(form: Any, value: Any, why: str) -> None:
    with pytest.raises(MensuraError, match=why):
        read_prediction(form, value, CELL)


def test_a_short_plan_does_nothing_in_the_end(system: Any) -> None:
    plan = read_plan([1], system, lambda one: True)
    assert plan == [1, *[system.actions[0]] * (system.length - 1)]
