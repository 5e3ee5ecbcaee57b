"""What a call returns is the same whether Numba is asked or it is remembered, and only while a door is compiled."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit, types
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from mensura.core import call_types
from mensura.core.call_types import asked_once

pytestmark = pytest.mark.quick

FUNCTIONS = [
    operator.add,
    operator.eq,
    operator.floordiv,
    operator.getitem,
    operator.invert,
    operator.lt,
    operator.not_,
    operator.rshift,
    operator.truediv,
    abs,
    len,
    math.sqrt,
    min,
]
KINDS = [
    types.boolean,
    types.float64,
    types.int64,
    types.literal(3),
    types.none,
    types.uint64,
    types.unicode_type,
    types.Array(types.int64, 1, "C"),
    types.UniTuple(types.int64, 2),
]


def answer(function: Any, kinds: tuple[Any, ...]) -> Any:
    """What Numba says of a call: the types and what implements it, or that it cannot be."""
    context = cpu_target.typing_context
    asked = context.resolve_value_type(function)
    try:
        found = asked.get_call_type(context, kinds, {})
    except Exception as error:  # some of its implementations fail on what they did not foresee
        return type(error)
    return found and (found, asked.get_impl_key(found))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(FUNCTIONS), st.lists(st.sampled_from(KINDS), min_size=1, max_size=2)
        ),
        max_size=6,
    )
)
def test_what_is_remembered_is_what_numba_says(calls: list[tuple[Any, list[Any]]]) -> None:
    cpu_target.typing_context.refresh()
    for function, kinds in calls:
        with asked_once():
            first, again = (answer(function, tuple(kinds)) for _ in range(2))
        assert first == again == answer(function, tuple(kinds))


def test_an_addition_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask(*call: Any) -> Any:
        asked.append(call)
        return numbas(*call)

    numbas = call_types._ask
    monkeypatch.setattr(call_types, "_ask", ask)
    monkeypatch.setattr(call_types, "_answers", {})
    cpu_target.typing_context.refresh()
    with asked_once():
        for _ in range(3):
            answer(operator.add, (types.int64, types.float64))
        answer(operator.add, (types.int64, types.int64))
    assert len(asked) == 2


def test_numbas_own_method_is_back_afterwards() -> None:
    own = BaseFunction.get_call_type
    with asked_once():
        assert BaseFunction.get_call_type is not own
        with asked_once():  # a door that another one calls
            pass
        assert BaseFunction.get_call_type is not own
    assert BaseFunction.get_call_type is own
    with pytest.raises(ZeroDivisionError), asked_once():
        raise ZeroDivisionError
    assert BaseFunction.get_call_type is own


def test_functions_of_others_are_compiled_as_ever() -> None:
    own = BaseFunction.get_call_type
    seen = []

    @njit
    def other(x: Any) -> Any:
        return x + 1

    try:
        BaseFunction.get_call_type = lambda *call: seen.append(call) or own(*call)
        assert other(np.int64(1)) == 2
    finally:
        BaseFunction.get_call_type = own
    assert seen
