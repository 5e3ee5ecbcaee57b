"""Where cells and arrows are drawn: every arrow once, from rim to rim, and no two cells upon each other."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_class.spaces import draw_space

from mensura.worlds.lambda_class.layout import DRAWN, LEGIBLE, Layout, layout
from mensura.worlds.lambda_class.space import Space, grid, ring, torus

FIGURE_4_1 = Space.parse("1+2++3|1+23-|1+23|1+2--3-")

spaces = st.builds(
    lambda key, cells: draw_space(key, cells=cells, actions=min(cells, 5)),
    st.integers(0, 10**6),
    st.integers(2, 26),
)


def bundles(space: Space) -> dict[tuple[int, int], list[int]]:
    found: dict[tuple[int, int], list[int]] = {}
    for cell, ways in enumerate(space.arrows):
        for action, target in enumerate(ways):
            if action:
                found.setdefault((cell, target), []).append(action)
    return found


def away(laid: Layout, point: np.ndarray, cell: int) -> float:
    return float(np.hypot(*(point - laid.cells[cell])))


@settings(max_examples=examples(5, 25), deadline=None)
@given(spaces)
def test_every_arrow_leads_from_its_cell_to_its_target_and_within_the_picture(space: Space) -> None:
    laid = layout(space)
    assert {(arrow.source, arrow.target) for arrow in laid.arrows} == set(bundles(space))
    assert len(laid.arrows) == len(bundles(space))
    for arrow in laid.arrows:
        assert 0 <= away(laid, arrow.points[0], arrow.source) - laid.radius < 8
        assert 0 <= away(laid, arrow.points[-1], arrow.target) - laid.radius < 8
        for points in (arrow.points, [arrow.label_at], laid.cells):
            assert np.min(points) >= 0
            assert (np.max(points, axis=0) <= (laid.width, laid.height)).all()


@settings(max_examples=examples(5, 25), deadline=None)
@given(spaces)
def test_cells_never_touch(space: Space) -> None:
    laid = layout(space)
    for a, b in combinations(laid.cells, 2):
        assert np.hypot(*(a - b)) > 2.3 * laid.radius


@pytest.mark.parametrize("space", [FIGURE_4_1, ring(12), grid(5, 5), grid(6), grid(2, 3)])
def test_no_arrow_runs_over_a_cell_of_these(space: Space) -> None:
    laid = layout(space)
    for arrow in laid.arrows:
        for cell in set(range(space.cells)) - {arrow.source, arrow.target}:
            assert np.hypot(*(arrow.points - laid.cells[cell]).T).min() > laid.radius


def test_actions_that_lead_to_one_cell_share_an_arrow() -> None:
    labels = {(a.source + 1, a.target + 1): a.label for a in layout(FIGURE_4_1).arrows}
    assert labels[3, 3] == "2,3"
    assert labels[1, 2] == "1"
    space = Space.from_arrows([[0, 1, 1, 1, 0, 1], [1, 0, 0, 0, 0, 0]])
    labels = {(a.source, a.target): a.label for a in layout(space).arrows}
    assert labels == {(0, 1): "1-3,5", (0, 0): "4", (1, 0): "1-5"}


def test_arrows_to_and_fro_are_bent_apart() -> None:
    there, back = layout(ring(2, ways=1)).arrows
    middle = len(there.points) // 2
    assert abs(there.points[middle][1] - back.points[middle][1]) > 20


def test_named_actions_are_named() -> None:
    labels = {arrow.label for arrow in layout(grid(4), ("s", "l", "r")).arrows}
    assert labels == {"l", "r"}


@pytest.mark.parametrize(("rows", "cols"), [(1, 6), (2, 3), (5, 5), (4, 3)])
@pytest.mark.parametrize("diagonal", [False, True])
def test_rows_and_grids_look_like_it(rows: int, cols: int, diagonal: bool) -> None:
    laid = layout(grid(rows, cols, diagonal=diagonal))
    places = laid.cells.reshape(rows, cols, 2)
    assert np.allclose(np.ptp(places[..., 1], axis=1), 0)
    assert np.allclose(np.ptp(places[..., 0], axis=0), 0)
    assert not any(arrow.stub for arrow in laid.arrows)


def test_long_rows_are_folded_and_long_rings_are_round() -> None:
    row, ringed = layout(grid(30)), layout(ring(40))
    assert max(row.width, row.height) < 700
    for laid in (row, ringed):
        steps = np.hypot(*np.diff(laid.cells, axis=0).T)
        assert np.allclose(steps, steps[0])
    assert np.allclose(np.ptp(np.hypot(*(ringed.cells - ringed.cells.mean(axis=0)).T)), 0)


def test_arrows_over_the_border_of_a_torus_are_stubs_that_name_their_target() -> None:
    laid = layout(torus(4, 5))
    stubs = {(a.source + 1, a.label) for a in laid.arrows if a.stub}
    assert len(stubs) == 2 * (4 + 5)
    assert {(5, "4→1"), (1, "3→5"), (1, "1→16"), (20, "2→5")} <= stubs


def test_a_label_lies_in_a_gap_of_its_arrow() -> None:
    for arrow in layout(FIGURE_4_1).arrows:
        for points in arrow.lines():
            assert (np.abs(points - arrow.label_at).max(axis=1) > 5).all()


def test_many_cells_lose_their_labels_and_then_their_arrows() -> None:
    some, many = layout(ring(LEGIBLE + 1)), layout(ring(DRAWN + 1))
    assert not some.legible
    assert {arrow.label for arrow in some.arrows} == {""}
    assert many.arrows == ()
    assert layout(ring(20_000)).width < 700


def test_a_grid_of_too_many_arrows_keeps_its_shape_without_them() -> None:
    laid = layout(grid(11, 12))
    assert laid.arrows == ()
    assert len(np.unique(laid.cells[:, 0].round(3))) == 12
    assert len(np.unique(laid.cells[:, 1].round(3))) == 11
