"""Reliance on looks: the slope of success over pull."""

import pytest

from mensura.agent.errors import MensuraError
from mensura.api.reliance import reliance_on_looks


@pytest.mark.parametrize(
    "preset",
    [
        "element",
        *(pytest.param(one, marks=pytest.mark.thorough) for one in ("retrieval", "figures")),
    ],
)
def test_who_maps_structures_is_flat_and_who_looks_is_not(preset: str) -> None:
    mapper, looker = reliance_on_looks(
        ["structure-mapper", "look-alike"], problems=10, pulls=(-1.0, 0.0, 1.0), preset=preset, seed=1
    )  # fmt: skip
    assert set(mapper.success.values()) == {1.0}
    assert mapper.slope.value == 0.0
    assert looker.success[1.0] == 1.0
    assert looker.success[-1.0] == 0.0
    assert looker.slope.value == pytest.approx(0.5)


def test_problems_are_the_same_at_every_pull() -> None:
    """Whoever sees no looks has the same success at each of them, problem by problem."""
    (reliance,) = reliance_on_looks(["bag-of-relations"], problems=40, pulls=(-0.5, 1.0), seed=3)
    assert reliance.slope.low <= 0.0 <= reliance.slope.high
    assert reliance.slope.high - reliance.slope.low < 0.15


def test_a_slope_needs_two_pulls_and_two_problems() -> None:
    with pytest.raises(MensuraError, match="two different pulls"):
        reliance_on_looks(["random"], pulls=(1.0, 1.0))
    with pytest.raises(MensuraError, match="no spread"):
        reliance_on_looks(["random"], problems=1)
