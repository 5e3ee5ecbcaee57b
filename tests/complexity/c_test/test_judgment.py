"""Which series are unquestionable, and which condition others fail."""

from __future__ import annotations

import pytest

from mensura.complexity.c_test.judgment import CONDITIONS, judge
from mensura.complexity.c_test.published import PUBLISHED
from mensura.complexity.c_test.search import explain


@pytest.mark.parametrize("series", ["a b c d", "a d g j", "a a z z y y", "a _ a z a y a"])
def test_plain_series_are_unquestionable(series: str) -> None:
    judged = judge(explain(series))
    assert judged.unquestionable
    assert judged.failed is None
    assert tuple(condition.name for condition in judged.conditions) == CONDITIONS


@pytest.mark.parametrize(
    ("series", "condition"),
    [
        ("a a b", "goes on"),  # the cheapest program ends
        ("a a z", "no rival"),  # W A<-C W LOOPTOP or W W - LOOPTOP
        ("a a a a b", "stable"),
        ("a a b b b", "no exceptions"),
    ],
)
def test_the_condition_that_fails_is_named(series: str, condition: str) -> None:
    judged = judge(explain(series))
    assert judged.unquestionable is False
    assert condition in {one.name for one in judged.conditions if one.holds is False}


def test_what_was_not_tried_is_not_settled() -> None:
    judged = judge(explain("a c b d c e", length=6))
    assert judged.unquestionable is None
    assert judged.failed is not None
    assert judged.failed.name == "no rival"
    assert judge(explain("a q c x", length=3)).unquestionable is None


def test_the_published_items_say_where_the_machine_disagrees() -> None:
    assert [item.k for item in PUBLISHED if item.k is not None] == [7, 9, 9, 12, 14]
    marked = [item.series for item in PUBLISHED if item.differs]
    assert marked == ["y y x w w v", "c a b d b c c e c d"]
