"""The prior over steps of complexity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.complexity.prior import masses

pytestmark = pytest.mark.quick


@given(st.sets(st.integers(0, 60), min_size=1, max_size=20).map(sorted), st.integers(0, 500))
def test_masses_add_up_and_halve_from_step_to_step(levels: list[int], up: int) -> None:
    found = masses(levels)
    assert sum(found) == pytest.approx(1.0)
    for level, mass in zip(levels, found, strict=True):
        assert mass / found[0] == pytest.approx(2.0 ** (levels[0] - level))
    # Only differences count: a world whose environments are all complex has the same prior.
    assert masses([level + up for level in levels]) == found
