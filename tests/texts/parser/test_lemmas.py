"""Edits that make lemmas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.texts.parser.lemmas import applied, script_of

WORDS = st.text("abcdefgABCÄß", min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_an_edit_makes_the_lemma_that_it_was_made_from(form: str, lemma: str) -> None:
    assert applied(script_of(form, lemma), form) == lemma


@given(st.text(max_size=6), WORDS)
def test_any_edit_makes_some_lemma_of_any_word(script: str, form: str) -> None:
    assert applied(script, form)


@pytest.mark.parametrize(
    ("form", "lemma", "other", "its"),
    [("Dogs", "dog", "cats", "cat"), ("making", "make", "taking", "take"), ("Ann", "Ann", "Bo", "Bo")],
)  # fmt: skip
def test_words_of_one_kind_share_an_edit(form: str, lemma: str, other: str, its: str) -> None:
    assert applied(script_of(form, lemma), other) == its
