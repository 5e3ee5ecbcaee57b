"""What pictures of several worlds share: however many stand on a cell, all of them are seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.pictures.layout import abreast

pytestmark = pytest.mark.quick


@given(st.integers(0, 1000))
def test_all_who_share_a_cell_have_a_place_of_their_own_in_it(count: int) -> None:
    placed = abreast(count)
    assert len({place for place, _ in placed}) == count
    assert all(abs(down) < 0.5 and abs(along) < 0.5 for (down, along), _ in placed)
    if count:
        scale = placed[0][1]
        assert all(one == scale for _, one in placed)
        assert scale <= abreast(max(count - 1, 1))[0][1]
