"""Subjects of items: what they find, and that they take any item."""

from __future__ import annotations

import pytest

from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.bounded_search import continued as searched
from mensura.worlds.items.subjects.pattern_inducer import induced
from mensura.worlds.items.subjects.predictors import ContextTree, NGram, Zlib
from mensura.worlds.items.subjects.sanghi_dowe import SanghiDowe, continued

FAMILY = next(iter(FAMILIES.values()))


def seen(series: str, options: str) -> Seen:
    return Seen(
        FAMILY,
        tuple((ord(one) - ord("a"),) for one in series),
        tuple((ord(one) - ord("a"),) for one in options),
    )


@pytest.mark.parametrize(
    ("series", "following"),
    [
        ([5, 5, 5], 5),
        ([1, 3, 5, 7], 9),
        ([1, 2, 4, 5, 7, 8], 10),
        ([1, 9, 2, 9, 3, 9], 4),
        ([1, 2, 4, 7, 11], 16),
        ([1, 2, 3, 5, 8], 13),
        ([2, 6, 18, 54], 162),
    ],
)
def test_cheap_rules_go_on_with_series(series: list[int], following: int) -> None:
    assert next(continued(series)) == following


def test_nothing_is_said_of_series_that_no_rule_explains() -> None:
    assert list(continued([3, 1, 4, 1, 5, 9, 2, 6])) == []


@pytest.mark.parametrize("subject", [NGram(), ContextTree(), Zlib()])
def test_who_predicts_goes_on_with_what_repeats(subject: NGram | ContextTree | Zlib) -> None:
    values = subject.values(seen("abcabcabcabcabcab", "xcby"))
    assert values is not None
    assert max(values) == values[1]


def test_probabilities_of_all_followers_are_one() -> None:
    import math

    for subject in (NGram(), ContextTree()):
        before = [0, 1, 2, 0, 1, 1]
        total = sum(math.exp(subject.likelihood(before, [one], 3)) for one in range(3))
        assert total == pytest.approx(1.0)


def test_who_has_no_idea_guesses_and_says_so() -> None:
    subject = SanghiDowe()
    assert subject.values(seen("dbeafzq", "xcby")) is None


@pytest.mark.parametrize(
    ("series", "least", "following"),
    [
        ("cdcdcd", 1, "c"),
        ("aaabbbcccdd", 1, "d"),
        ("abmcdmefmghm", 3, "i"),
        ("zyxwv", 2, "u"),
        ("aabbcc", 1, "d"),
    ],
)
def test_periods_and_relations_by_variant(series: str, least: int, following: str) -> None:
    numbers = [ord(one) - ord("a") for one in series]
    found = {variant: induced(numbers, variant) for variant in (1, 2, 3, 4)}
    for variant, letter in found.items():
        if variant >= least:
            assert letter == ord(following) - ord("a")


@pytest.mark.parametrize(
    ("series", "following"),
    [
        ([1, 2, 3, 5, 8, 13], 21),
        ([2, 4, 6, 8], 10),
        ([3, 6, 12, 24], 48),
        ([1, 4, 9, 16, 25], 36),
        ([1, 2, 6, 24, 120], 720),
        ([5, 1, 5, 1, 5], 1),
    ],
)
def test_the_shortest_expression_goes_on(series: list[int], following: int) -> None:
    assert searched(series, 5) == following


def test_a_smaller_memory_finds_less() -> None:
    series = [1, 4, 9, 16, 25]
    assert searched(series, 3) == 36
    assert searched([2, 5, 10, 17, 26], 3) is None
    assert searched([2, 5, 10, 17, 26], 5) == 37
