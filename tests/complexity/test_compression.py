"""The compressed length of chapters 5 and 6 of Insa-Cabrera (2011)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.complexity import zlib_length

pytestmark = pytest.mark.quick


def test_the_pattern_of_chapter_6_takes_19_bytes() -> None:
    assert zlib_length("20122220022222200222222002") == 19


def test_the_shortest_texts_take_8_and_9_bytes() -> None:
    assert (zlib_length(""), zlib_length("0")) == (8, 9)


@given(st.text("0123", max_size=200))
def test_no_text_takes_more_than_itself_and_the_frame(text: str) -> None:
    assert 8 <= zlib_length(text) <= len(text) + 11


def test_a_text_of_other_letters_is_measured_too() -> None:
    assert zlib_length("πω_2A_1:⊖:⊕ω_1A_2:") > 8


def test_repetition_costs_next_to_nothing() -> None:
    assert zlib_length("203210200" * 100) < zlib_length("203210200") + 20
