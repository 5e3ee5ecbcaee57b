"""Names of measures that tell what a score is made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.core.steps import STEPS, contributing, contribution_of

pytestmark = pytest.mark.quick


@given(st.integers(0, 10**6))
def test_the_name_of_a_contribution_tells_its_complexity(level: int) -> None:
    assert contributing(contribution_of(level)) == level


@given(st.text(max_size=30).filter(lambda name: not name.startswith("from complexity ")))
def test_other_names_tell_none(name: str) -> None:
    assert contributing(name) is None


def test_where_an_episode_stands_is_no_contribution() -> None:
    assert all(contributing(name) is None for name in STEPS)
    assert contributing("from complexity high") is None
