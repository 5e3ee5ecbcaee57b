"""Spaces: what they are, how they hang together, and their two texts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_class.space import Space, grid, ring, torus

THESIS = "1+2++3|1+23-|1+23|1+2--3-"
"""The example of section 4.1.3."""


@st.composite
def spaces(draw: st.DrawFn, most_cells: int = 7, most_actions: int = 12) -> Space:
    """Spaces of any connections, written in any way."""
    n_c = draw(st.integers(2, most_cells))
    n_a = draw(st.integers(2, most_actions))
    shift = st.integers(-2 * n_c, 2 * n_c)
    cells = []
    for _ in range(n_c):
        cell = [0, *draw(st.lists(shift, min_size=n_a - 1, max_size=n_a - 1))]
        if all(d % n_c == 0 for d in cell):
            cell[draw(st.integers(1, n_a - 1))] = draw(st.sampled_from([1, -1]))
        cells.append(tuple(cell))
    return Space(tuple(cells))


# The example of the thesis ------------------------------------------------------


def test_the_example_of_the_thesis_reads_as_its_text_says() -> None:
    space = Space.parse(THESIS)
    assert (space.cells, space.actions) == (4, 4)
    assert space.arrows[0] == (0, 1, 2, 0)
    assert space.arrows[3] == (3, 0, 1, 2)
    assert space.arrows[1] == (1, 2, 1, 0)
    assert space.arrows[2] == (2, 3, 2, 2)
    assert space.text() == str(space) == THESIS


def test_the_same_space_in_the_form_of_the_theory_has_its_reflexive_action() -> None:
    space = Space.parse(THESIS)
    text = "a_1a_2+a_3++a_4:a_1a_2+a_3a_4-:a_1a_2+a_3a_4:a_1a_2+a_3--a_4-"
    assert space.text("theory") == text
    assert Space.parse(text) == space


def test_cells_lie_on_a_circle() -> None:
    """Section 3.6.6: 1 - 2 = n_c - 1."""
    space = Space.parse("1--|1--|1--")
    assert [cell[1] for cell in space.arrows] == [1, 2, 0]
    assert Space.parse("1-----|1+|1++++++++++").arrows == Space.parse("1+|1+|1+").arrows


def test_kernels_read_the_arrows_as_one_array() -> None:
    array = Space.parse(THESIS).array
    assert array.dtype == np.int64
    assert array.flags.c_contiguous
    assert array.tolist() == [[0, 1, 2, 0], [1, 2, 1, 0], [2, 3, 2, 2], [3, 0, 1, 2]]
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1


# Texts --------------------------------------------------------------------------


@given(spaces())
def test_both_texts_and_the_data_give_a_space_back_exactly(space: Space) -> None:
    for form in ("theory", "thesis"):
        text = space.text(form)  # type: ignore[arg-type]
        back = Space.parse(text, topology="unrestricted")
        assert back == space
        assert back.text(form) == text  # type: ignore[arg-type]
    assert Space.from_json(space.to_json()) == space
    again = Space.from_arrows(space.arrows)
    assert again.arrows == space.arrows
    assert all(abs(d) * 2 <= space.cells for cell in again.shifts for d in cell)


@given(st.text("012+-|:a_ ", max_size=30))
def test_any_text_is_a_space_or_gets_a_sentence(text: str) -> None:
    try:
        space = Space.parse(text, topology="unrestricted")
    except MensuraError:
        return
    assert text in (space.text("theory"), space.text("thesis"))


def test_actions_may_have_names() -> None:
    names = ("s", "l", "r")
    space = Space.parse("slr+:sl-r", "theory", names=names)
    assert space.arrows == ((0, 0, 1), (1, 0, 1))
    assert space.text("theory", names=names) == "slr+:sl-r"


def test_ten_actions_and_more_are_told_apart_by_their_order() -> None:
    shifts = tuple((0, *(k % 4 - 1 for k in range(11))) for _ in range(3))
    space = Space(shifts)
    assert "9-10" in space.text()
    assert "1011+" in space.text()
    assert Space.parse(space.text()) == space


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The space '' ends after character 0; a second cell belongs there, after | or :."),
        ("1+2", "The space '1+2' ends after character 3; a second cell belongs there"),
        (
            "1+2++3|1+3-",
            "The space '1+2++3|1+3-' has '3' at character 10; action 2 of cell 2 belongs there",
        ),
        ("1+2|1+", "ends after character 6; action 2 of cell 2 belongs there"),
        ("1+2|1+2|", "ends after character 8; action 1 of cell 3 belongs there"),
        ("1+2||1+2", "has '|' at character 5; action 1 of cell 2 belongs there"),
        ("01+|1-", "has '0' at character 1; the reflexive action 0 is left out"),
        ("1+-|1+", "has '-' at character 3; the signs of action 1 are all + or all -"),
        ("1+|1+2", "has '2' at character 6; cell 2 has all its 1 actions there, so | or the end"),
        ("1+ | 1+", "has ' ' at character 3; action 2 of cell 1 belongs there"),
        ("+1|1", "has '+' at character 1; action 1 of cell 1 belongs there"),
        ("1+2:1+2", "has '1' at character 1; action a_1 of cell 1 belongs there"),
        ("a_1+a_2:a_1a_2", "has '+' at character 4; a_1 is the reflexive action"),
        ("a_1:a_1", "has ':' at character 4; a second action belongs to cell 1"),
        ("a_1a_2+:a_1a_3", "has 'a' at character 12; action a_2 of cell 2 belongs there"),
        ("1|1+", "All arrows of cell 1 lead back to it; at least one leads to another cell."),
        ("1++|1+", "All arrows of cell 1 lead back to it"),
        ("1+|1|1", "All arrows of cell 2 lead back to it"),
        ("1+|1-|1+", "no path leads from cell 1 to cell 3; add arrows, or ask for the topology"),
        ("1+|1+|1-", "no path leads from cell 2 to cell 1"),
    ],
)
def test_a_text_that_is_no_space_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        Space.parse(text)
    assert sentence in str(error.value)


def test_only_the_place_that_is_wrong_is_quoted_of_a_long_text() -> None:
    text = "|".join(["1+"] * 500) + "|x" + "|1+" * 500
    with pytest.raises(MensuraError) as error:
        Space.parse(text)
    assert "has 'x' at character 1501" in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"form": "thesys"}, "'thesys' is no form of a space's text; did you mean thesis"),
        ({"topology": "strongly"}, "'strongly' is no topology; did you mean strong"),
        ({"form": "thesis", "names": ["s", "l"]}, "The form thesis numbers its actions"),
        ({"form": "theory", "names": ["s"]}, "Actions need at least 2 different names, not s."),
        ({"form": "theory", "names": ["s", "s"]}, "Actions need at least 2 different names"),
        ({"form": "theory", "names": ["s", "l+"]}, "An action cannot be called 'l+'"),
    ],
)
def test_a_reading_that_makes_no_sense_gets_a_sentence(
    arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError) as error:
        Space.parse("1+|1+", **arguments)
    assert sentence in str(error.value)


def test_names_must_fit_the_actions() -> None:
    with pytest.raises(MensuraError, match="2 names do not fit 4 actions"):
        Space.parse(THESIS).text("theory", names=("s", "l"))


@pytest.mark.parametrize(
    ("shifts", "sentence"),
    [
        ([], "A space has at least 2 cells, not 0."),
        ([[0, 1]], "A space has at least 2 cells, not 1."),
        ([[0], [0]], "A space has at least 2 actions, one of them reflexive; cell 1 has 1."),
        ([[0, 1], [0, 1, 1]], "Cell 2 has 3 actions and cell 1 has 2; all cells have the same."),
        ([[0, 1], [0, 1.0]], "An arrow of cell 2 leads 1.0 cells ahead; that is a whole number."),
        ([[0, True], [0, 1]], "An arrow of cell 1 leads True cells ahead"),
        ([[1, 0], [0, 1]], "The reflexive action leads +1 cells from cell 1; it stays there."),
        ([[0, 1], [0, 2]], "All arrows of cell 2 lead back to it"),
    ],
)
def test_data_that_are_no_space_get_a_sentence(shifts: Any, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        Space.from_json({"shifts": shifts})
    assert sentence in str(error.value)


@pytest.mark.parametrize("data", [None, {}, {"shifts": 3}, {"shifts": [3]}, {"arrows": []}])
def test_other_data_are_refused(data: Any) -> None:
    with pytest.raises(MensuraError, match="of a space"):
        Space.from_json(data)


def test_arrows_lead_to_cells() -> None:
    with pytest.raises(MensuraError, match="An arrow of cell 2 leads to 2; the cells are 0 to 1"):
        Space.from_arrows([[0, 1], [1, 2]])


def test_a_space_that_is_too_large_is_refused() -> None:
    with pytest.raises(MensuraError, match="too large; at most 1000000 arrows"):
        Space(((0, *[1] * 1000),) * 1000)
    with pytest.raises(MensuraError, match="too large"):
        torus(10**6, 10**6)


# Connections --------------------------------------------------------------------


def closure(arrows: Any, both: bool) -> list[list[bool]]:
    """Which cell has a path to which, by Warshall's algorithm."""
    n = len(arrows)
    to = [
        [b in arrows[a] or a == b or (both and a in arrows[b]) for b in range(n)] for a in range(n)
    ]
    for via, a, b in itertools.product(range(n), repeat=3):
        to[a][b] = to[a][b] or (to[a][via] and to[via][b])
    return to


@given(spaces(most_actions=3))
def test_connections_are_those_of_a_plain_search(space: Space) -> None:
    strong = all(map(all, closure(space.arrows, both=False)))
    weak = all(map(all, closure(space.arrows, both=True)))
    assert space.strongly_connected == strong
    assert space.weakly_connected == weak
    assert space.require("unrestricted") is space
    for topology, holds in (("strong", strong), ("weak", weak)):
        if holds:
            assert space.require(topology) is space  # type: ignore[arg-type]
        else:
            with pytest.raises(MensuraError, match=r"not (strongly )?connected"):
                space.require(topology)  # type: ignore[arg-type]


def test_weaker_topologies_are_read_on_request() -> None:
    one_way, apart = "1+|1+|1-", "1+|1-|1+|1-"
    assert Space.parse(one_way, topology="weak").weakly_connected
    with pytest.raises(MensuraError, match="it falls into parts without arrows between them"):
        Space.parse(apart, topology="weak")
    assert not Space.parse(apart, topology="unrestricted").weakly_connected


def test_a_long_corridor_is_searched_without_recursion() -> None:
    assert grid(5_000).strongly_connected


# Ready spaces -------------------------------------------------------------------


def test_a_grid_has_walls_and_a_torus_has_none() -> None:
    walled, closed = grid(2, 3), torus(2, 3)
    assert walled.arrows[0] == (0, 0, 3, 0, 1)  # stay, up, down, left, right
    assert walled.arrows[4] == (4, 1, 4, 3, 5)
    assert closed.arrows[0] == (0, 3, 3, 2, 1)


def test_rings_go_one_way_or_two() -> None:
    assert ring(4, ways=1).text() == "1+|1+|1+|1+"
    assert ring(4).arrows[0] == (0, 3, 1)
    assert ring(4) == torus(4)


def test_the_moore_neighborhood_has_nine_actions() -> None:
    space = torus(3, 3, diagonal=True)
    assert space.actions == 9
    assert sorted(space.arrows[4]) == list(range(9))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_ready_spaces_of_any_size_are_strongly_connected(
    sizes: list[int], diagonal: bool, wrap: bool
) -> None:
    if max(sizes) == 1:
        with pytest.raises(MensuraError, match="at least 2 cells, not 1"):
            grid(*sizes)
        return
    space = (torus if wrap else grid)(*sizes, diagonal=diagonal)
    wide = sum(size > 1 for size in sizes)
    assert space.cells == np.prod(sizes)
    assert space.actions == (3**wide if diagonal else 1 + 2 * wide)
    assert space.strongly_connected


@pytest.mark.parametrize("sizes", [(0,), (3, -1), (2.0,)])
def test_sizes_are_whole_numbers_from_one(sizes: Any) -> None:
    with pytest.raises(MensuraError, match="at least 1 is needed"):
        grid(*sizes)


def test_a_ring_has_one_or_two_ways() -> None:
    with pytest.raises(MensuraError, match="in 1 or 2 ways, not in 3"):
        ring(4, ways=3)
    with pytest.raises(MensuraError, match="at least 2 cells, not 1"):
        ring(1, ways=1)
