"""Values survive the way into a column and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.records.encoding import clean, from_text, or_none, signed, to_text, unsigned

pytestmark = pytest.mark.quick


@given(st.integers(0, 2**64 - 1))
def test_a_key_comes_back_from_its_signed_form(key: int) -> None:
    assert -(2**63) <= signed(key) < 2**63
    assert unsigned(signed(key)) == key
    assert np.array([key], np.uint64).view(np.int64).tolist() == [signed(key)]


@given(st.text())
def test_cleaned_text_is_what_every_database_takes_and_ordinary_text_is_left_alone(
    text: str,
) -> None:
    cleaned = clean(text)
    assert "\0" not in cleaned
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned


def test_numbers_of_numpy_are_plain_and_other_things_are_refused() -> None:
    assert from_text(to_text({"a": np.int64(3), "b": [np.float64(0.5)]})) == {"a": 3, "b": [0.5]}
    with pytest.raises(TypeError, match="is not plain data"):
        to_text({"a": object()})


def test_what_is_not_a_number_is_none() -> None:
    assert or_none(np.array([1.0, np.nan, -0.0])) == [1.0, None, -0.0]
