"""What counts as a number of others."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.numbers import is_number

pytestmark = pytest.mark.quick


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**300), 10**300))
def test_what_a_float_can_hold_is_a_number(value: float) -> None:
    assert is_number(value)
    assert math.isfinite(float(value))


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, True, False, None, "1", [1], 10**400, -(10**400), 1j]
)
def test_nothing_else_is_one(value: Any) -> None:
    assert is_number(value) is False
