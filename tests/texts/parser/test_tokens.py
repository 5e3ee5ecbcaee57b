"""Sentences and words by rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.texts.parser.tokens import sentences_in, words_in


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences_in(text)]


def words(text: str) -> str:
    return " ".join(one.form for one in words_in(text))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("It rains. The road is wet.", 2),
        ("Dr. Lee met Mrs. Brown.", 1),
        ("J. K. Lee wrote it.", 1),
        ("It cost 3.50 dollars. He paid.", 2),
        ('"Why?" he asked. "Because!" said she.', 2),
        ("He waited... and waited.", 1),
        ("He left at 5 p.m. She stayed.", 2),
        ("See Fig. 3 for it, e.g. the left one.", 1),
        ("A heading\n\nA sentence. Another one!", 3),
        ("No period at the end", 1),
        ("He shouted (loudly.) Then he went.", 2),
        ("", 0),
        (" \n\n ", 0),
    ],
)
def test_sentences_end_where_people_end_them(text: str, number: int) -> None:
    assert len(cut(text)) == number


@pytest.mark.parametrize(
    ("text", "divided"),
    [
        ("Don't go.", "Do n't go ."),
        ("The dog's bone, the dogs' bones", "The dog 's bone , the dogs ' bones"),
        ("I cannot see Mr. Lee.", "I can not see Mr. Lee ."),
        ("They'll've it", "They 'll 've it"),
        ("a well-known e-mail", "a well - known e-mail"),
        ("1,000.5 people at 10:30!!", "1,000.5 people at 10:30 !!"),
        ("see www.example.org, now", "see www.example.org , now"),
        ("the U.S. army", "the U.S. army"),
        ("(x)...", "( x ) ..."),
        ("I saw an A.", "I saw an A ."),
    ],
)
def test_words_are_divided_as_in_the_treebank(text: str, divided: str) -> None:
    assert words(text) == divided


@given(st.text(max_size=80) | st.text("ab.'!? \nA1-", max_size=80))
def test_nothing_but_spaces_is_left_out_and_nothing_is_there_twice(text: str) -> None:
    place = 0
    for start, end in sentences_in(text):
        assert text[place:start].strip() == ""
        place = start
        for word in words_in(text, start, end):
            assert place <= word.start < word.end <= end
            assert text[place : word.start].strip() == ""
            assert text[word.start : word.end] == word.form
            place = word.end
        assert text[place:end].strip() == ""
        place = end
    assert text[place:].strip() == ""
