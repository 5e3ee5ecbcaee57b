"""The generator of section 4.1.3: numbers, arrows and the sieve."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats
from tests.sizes import examples
from tests.worlds.lambda_class.spaces import draw_space, draw_spaces

from mensura.agent.errors import MensuraError
from mensura.core.compiled import JIT, door
from mensura.worlds.lambda_class import generator
from mensura.worlds.lambda_class.generator import TOPOLOGIES
from mensura.worlds.lambda_class.kernels.generator import connected
from mensura.worlds.lambda_class.space import Space

pytestmark = [pytest.mark.bounds, pytest.mark.pure]

DRAWS = examples(3000, 8000) if JIT else 1000
"""Uncompiled kernels are slow."""

keys = st.integers(0, 2**64 - 1)
topologies = st.sampled_from(list(TOPOLOGIES))


def check_frequencies(seen: Mapping[Any, int], expected: Mapping[Any, float]) -> None:
    """A chi-squared test that an honest generator fails once in a million."""
    assert set(seen) <= set(expected)
    total = sum(seen.values())
    scale = total / sum(expected.values())
    observed = [seen.get(case, 0) for case in expected]
    assert stats.chisquare(observed, [p * scale for p in expected.values()]).pvalue > 1e-6


@given(keys, st.integers(2, 9), st.integers(0, 5), topologies)
def test_every_space_is_one_and_is_connected_as_asked(
    key: int, least: int, more: int, topology: Any
) -> None:
    space = draw_space(key, cells=(least, least + more), topology=topology)
    assert least <= space.cells <= least + more
    assert 2 <= space.actions <= space.cells
    assert all(abs(shift) <= space.cells for cell in space.shifts for shift in cell)
    space.require(topology)
    assert draw_space(key, cells=(least, least + more), topology=topology) == space


def test_numbers_are_geometric_and_gather_at_their_maximum() -> None:
    spaces = draw_spaces(range(DRAWS), cells=(2, 6))
    check_frequencies(
        Counter(space.cells for space in spaces),
        {2: 1 / 2, 3: 1 / 4, 4: 1 / 8, 5: 1 / 16, 6: 1 / 16},
    )
    for n_c in (3, 4, 5):
        actions = Counter(space.actions for space in spaces if space.cells == n_c)
        expected = {n: 2.0 ** (1 - n) for n in range(2, n_c)} | {n_c: 2.0 ** (2 - n_c)}
        check_frequencies(actions, expected)


def test_numbers_may_be_given() -> None:
    for space in draw_spaces(range(20), cells=5, actions=7):
        assert (space.cells, space.actions) == (5, 7)
    for space in draw_spaces(range(20), cells=3, actions=(4, None)):
        assert space.actions == 4
    assert {s.actions for s in draw_spaces(range(200), cells=3, actions=(2, 6))} == {2, 3, 4, 5, 6}


def weights(n_c: int) -> dict[int, float]:
    """How likely an arrow is written so: an even sign, an even length from 0 to n_c."""
    shifts: Counter[int] = Counter()
    for sign, length in itertools.product((1, -1), range(n_c + 1)):
        shifts[sign * length] += 1
    return {shift: count / shifts.total() for shift, count in shifts.items()}


def test_signs_and_lengths_are_even() -> None:
    """Two cells, three actions: what one cell gets, given that an arrow leaves it."""
    spaces = draw_spaces(range(DRAWS), cells=2, actions=3)
    expected = {
        (a, b): p * q
        for (a, p), (b, q) in itertools.product(weights(2).items(), repeat=2)
        if a % 2 or b % 2
    }
    for cell in (0, 1):
        check_frequencies(Counter(space.shifts[cell][1:] for space in spaces), expected)


def test_spaces_with_two_actions_are_drawn_as_the_sieve_would_leave_them() -> None:
    """Every way to write every cycle through four cells, equally often."""
    expected = {}
    for shifts in itertools.product(weights(4), repeat=4):
        if all(shift % 4 for shift in shifts):
            space = Space(tuple((0, shift) for shift in shifts))
            if space.strongly_connected:
                expected[space] = 1.0
    assert len(expected) == 6 * 2**4
    check_frequencies(Counter(draw_spaces(range(DRAWS), cells=4, actions=2)), expected)


def test_the_sieve_leaves_three_cells_and_three_actions_as_likely_as_they_were() -> None:
    """Counted by how many arrows stay and how many go one cell ahead; to stay is twice as likely as the others."""

    def kind(space: Space) -> tuple[int, int]:
        ahead = Counter(shift % 3 for row in space.shifts for shift in row[1:])
        return ahead[0], ahead[1]

    expected: Counter[tuple[int, int]] = Counter()
    for shifts in itertools.product(range(3), repeat=6):
        if all(any(shifts[at : at + 2]) for at in (0, 2, 4)):
            space = Space(tuple((0, *shifts[at : at + 2]) for at in (0, 2, 4)))
            if space.strongly_connected:
                expected[kind(space)] += 2 ** kind(space)[0]
    seen = Counter(kind(space) for space in draw_spaces(range(DRAWS), cells=3, actions=3))
    check_frequencies(seen, expected)


@door
def connected_door(shifts: Any, topology: Any, marks: Any) -> Any:
    return connected(shifts, shifts.shape[0], shifts.shape[1], topology, marks)


@given(st.integers(2, 7), st.integers(2, 4), st.data())
def test_the_compiled_sieve_agrees_with_the_space(n_c: int, n_a: int, data: st.DataObject) -> None:
    shift = st.integers(-n_c, n_c)
    rows = []
    for _ in range(n_c):
        row = data.draw(st.lists(shift, min_size=n_a - 1, max_size=n_a - 1))
        rows.append((0, *row) if any(d % n_c for d in row) else (0, 1, *row[1:]))
    space = Space(tuple(rows))
    holds = {
        "strong": space.strongly_connected,
        "weak": space.weakly_connected,
        "unrestricted": True,
    }
    for topology, code in TOPOLOGIES.items():
        found = connected_door(np.array(rows, np.int64), code, np.zeros(n_c, np.int64))
        assert found == holds[topology]


def test_what_hardly_ever_connects_is_given_up_in_good_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(generator, "ARROWS_DRAWN", 20_000)
    draw_space(1, cells=4)  # compiled by now
    begun = time.process_time()
    with pytest.raises(MensuraError) as error:
        draw_space(1, cells=200, actions=3)
    assert time.process_time() - begun < 5
    assert str(error.value) == (
        "No strongly connected space of 200 cells and 3 actions was found among 20000 arrows drawn; "
        "more actions, fewer cells or a weaker topology would do."
    )
    assert draw_space(1, cells=200, actions=2).strongly_connected
    assert draw_space(1, cells=200, actions=3, topology="unrestricted").cells == 200


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"cells": 1}, "A space has at least 2 cells, not 1."),
        ({"cells": (2, 1.5)}, "A space has at least 2 cells, not 1.5."),
        ({"cells": (2, None)}, "A space has at least 2 cells, not None."),
        ({"cells": (5, 3)}, "The least number of cells, 5, is above the most, 3."),
        ({"actions": 1}, "A space has at least 2 actions, not 1."),
        ({"actions": (4, 3)}, "The least number of actions, 4, is above the most, 3."),
        ({"actions": 2000}, "2000 actions are too many; at most 1000 can be drawn."),
        ({"cells": 3000}, "Spaces of up to 3000 cells would have up to 3000 actions"),
        ({"cells": 10**6, "actions": 3}, "at most 1000000 arrows fit."),
        ({"topology": "weakly"}, "'weakly' is no topology; did you mean weak?"),
    ],
)
def test_what_cannot_be_drawn_gets_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        draw_space(1, **arguments)
    assert sentence in str(error.value)
