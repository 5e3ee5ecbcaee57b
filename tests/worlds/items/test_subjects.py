"""Subjects of items: what they find, and that they take any item."""

from __future__ import annotations

import pytest

from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.observations import Seen
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
