"""Numbers as people write them."""

import math

import pytest

from mensura.reports import number_words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "+0.500"),
        (-0.25, "-0.250"),
        (-0.0001, "+0.000"),
        (math.nan, "unknown"),
        (math.inf, "unknown"),
    ],
)
def test_scores_always_have_a_sign_and_zero_is_never_negative(value: float, text: str) -> None:
    assert number_words.signed(value) == text


def test_an_infinite_interval_is_unknown() -> None:
    assert number_words.interval(-math.inf, math.inf) == "unknown"
    assert number_words.interval(-0.1, 0.2) == "[-0.100, +0.200]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0001, "under 1 ms"),
        (0.0123, "12.3 ms"),
        (9.094, "9.09 s"),
        (100.0, "100 s"),
        (3725.0, "62 min 5 s"),
    ],
)
def test_times_have_about_three_digits(value: float, text: str) -> None:
    assert number_words.seconds(value) == text


def test_long_names_keep_their_beginning_and_end() -> None:
    name = "package.module.deeper:Learner?alpha=0.1"
    assert number_words.short(name) == "package.modu\N{HORIZONTAL ELLIPSIS}ner?alpha=0.1"
    assert len(number_words.short(name)) == 26
    assert number_words.short("oracle") == "oracle"


def test_lists_are_sentences_and_long_ones_are_cut() -> None:
    assert number_words.listed([]) == ""
    assert number_words.listed(["a"]) == "a"
    assert number_words.listed(["a", "b", "c"]) == "a, b and c"
    assert number_words.listed(list("abcdefgh"), most=4) == "a, b, c and 5 more"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (0.0001, "under 0.1%"),
        (0.048, "4.8%"),
        (0.5, "50%"),
        (0.998, "99.8%"),
        (0.9999, "over 99.9%"),
        (1.0, "100%"),
    ],
)
def test_shares_claim_neither_nothing_nor_all_in_vain(share: float, text: str) -> None:
    assert number_words.percent(share) == text


def test_zero_is_never_negative() -> None:
    assert number_words.number(-0.0001, 2) == "0.00"
    assert number_words.number(-0.25, 2) == "-0.25"


def test_counts_agree_with_their_noun() -> None:
    assert number_words.some(1, "subject") == "1 subject"
    assert number_words.some(2000, "subject") == "2\N{NARROW NO-BREAK SPACE}000 subjects"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.53, "0.530"), (-0.0001, "0.000"), (28575456.5, "28,575,456"), (-1500.4, "-1,500")],
)
def test_what_was_counted_in_thousands_has_no_decimals(value: float, text: str) -> None:
    assert number_words.measured(value) == text
