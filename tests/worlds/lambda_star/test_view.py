"""How a Lambda Star environment is told: everybody is where they are in text, and what pays is explained."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.core.contract import Turn
from mensura.worlds.lambda_star import view
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.environment import LambdaStarEnvironment
from mensura.worlds.lambda_star.picture import rewards_of
from mensura.worlds.lambda_star.world import LambdaStar

VIEW = LambdaStar().view()


def sampled(seed: int = 3, **parameters: Any) -> LambdaStarEnvironment:
    world = LambdaStar(**parameters)
    environment = world.build(world.sample(seed))
    environment.reset(seed)
    return environment


def handmade(subjects: int, **changes: Any) -> LambdaStarEnvironment:
    fields: dict[str, Any] = {
        "rows": 1,
        "cols": 2,
        "subjects": subjects,
        "horizon": 4,
        "range": 1,
        "radius": 0,
        "good_start": 1,
        "evil_start": 2,
        "good_moves": (5,),
        "evil_moves": (5,),
    }
    environment = LambdaStarEnvironment(Description(**{**fields, **changes}))
    environment.reset(1)
    return environment


def text(environment: LambdaStarEnvironment) -> str:
    """An environment before the first interaction."""
    return VIEW.text(environment, Turn((), [], []))


def wide_cells(shown: str, rows: int, cols: int) -> dict[tuple[int, int], str]:
    """The cells of a text with wide cells, by row and column."""
    lines = shown.splitlines()
    starts = [lines[0].index(str(0)) + x * min(9, view.TEXT_WIDTH // cols) for x in range(cols)]
    width = starts[1] - starts[0]
    return {
        (y, x): lines[1 + y].ljust(200)[at : at + width].rstrip()
        for y in range(rows)
        for x, at in enumerate(starts)
    }


# Text


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), rows=st.integers(4, 14), cols=st.integers(4, 14))
def test_text_shows_everybody_on_their_cell(seed: int, rows: int, cols: int) -> None:
    environment = sampled(seed, rows=rows, cols=cols, subjects=3, guided=True)
    at = environment.positions()
    cells = wide_cells(text(environment), rows, cols)
    for letter, name in (("G", "good"), ("E", "evil"), ("g", "guide")):
        assert {cell for cell, shown in cells.items() if letter in shown} == {at[name]}
    for seat, cell in enumerate(at["subjects"]):
        numbers = cells[cell].lstrip("+-. GEg").split(",")
        assert str(seat) in numbers


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), radius=st.integers(0, 3))
def test_shown_rewards_are_those_that_subjects_observe(seed: int, radius: int) -> None:
    world = LambdaStar(rows=6, cols=7, radius=radius, subjects=4)
    environment = world.build(world.sample(seed))
    turn = environment.reset(seed)
    d, at = environment.description, environment.positions()
    worth = rewards_of(d, at["good"], at["evil"], np.arange(6), np.arange(7))
    cells = wide_cells(text(environment), 6, 7)
    for observation in turn.observations:
        y, x = (int(v) for v in observation["position"])
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                seen = observation["rewards"][dy + 1][dx + 1]
                cell = (y + dy) % 6, (x + dx) % 7
                assert worth[cell] == seen
                sign = cells[cell][0]
                assert (sign == "+", sign == "-") == (seen > 0, seen < 0)


def test_text_tells_the_iteration_the_places_and_the_last_rewards() -> None:
    environment = sampled(subjects=2)
    turn = environment.step([5, 5])
    at = environment.positions()
    shown = VIEW.text(environment, turn._replace(rewards=[0.5, -1.0]))
    assert "iteration 1 of 50" in shown
    assert f"Good {at['good']}" in shown
    assert f"Evil {at['evil']}" in shown
    assert f"0 {at['subjects'][0]}   1 {at['subjects'][1]}" in shown
    assert "0 +0.50   1 -1.00" in shown
    assert "mean of these rewards -0.250" in shown
    assert "guide" not in shown


def test_several_on_one_cell_are_listed_or_counted() -> None:
    few = handmade(4)
    cells = wide_cells(text(few), 1, 2)
    for cell in ((0, 0), (0, 1)):
        seats = [str(seat) for seat, at in enumerate(few.positions()["subjects"]) if at == cell]
        assert cells[cell][2:] == ",".join(seats)
    many = handmade(60)
    cells = wide_cells(text(many), 1, 2)
    count = many.positions()["subjects"].count((0, 0))
    assert cells[0, 0] == f"+G*{count}"


def test_a_larger_grid_gets_one_sign_for_a_cell_and_rulers() -> None:
    environment = sampled(rows=25, cols=40, subjects=12)
    lines = text(environment).splitlines()
    tens, units, body = lines[0], lines[1], lines[2:27]
    at = environment.positions()
    left = units.index("0123456789")
    assert tens[left + 10 : left + 13] == "111"
    assert all(len(line) <= 80 for line in body)
    gy, gx = at["good"]
    assert body[gy].split()[0] == str(gy)
    assert body[gy][left + gx] in "G*"
    for seat, (y, x) in enumerate(at["subjects"]):
        assert body[y][left + x] in (str(seat) if seat < 10 else "#", "*")


def test_a_grid_too_wide_for_a_terminal_says_so_and_shows_good() -> None:
    environment = sampled(rows=3, cols=200, subjects=1, horizon=100)
    shown = text(environment)
    assert "3x200 cells is too large" in shown
    assert "60 columns around Good" in shown
    assert max(map(len, shown.splitlines())) < 110
    assert "G" in "".join(shown.splitlines()[3:6])


def test_text_is_plain_ascii() -> None:
    assert VIEW.text(sampled(guided=True), Turn((), [], [0.0] * 5)).isascii()


@pytest.mark.parametrize("task", ["landscape", "commons"])
def test_cells_that_differ_in_worth_are_shown_by_bars_as_high_as_that(task: str) -> None:
    environment = sampled(task=task, subjects=1)
    worth = environment.worth()
    cells = wide_cells(text(environment), *worth.shape)
    heights = [view.BARS.index(cells[cell][0]) for cell in sorted(cells, key=worth.__getitem__)]
    assert heights == sorted(heights)
    assert len(set(heights)) > 2
    if worth.max() == 1.0:
        assert heights[-1] == len(view.BARS) - 1


# Sentences


def test_the_explanation_names_the_numbers_of_this_environment() -> None:
    words = " ".join(
        VIEW.explain(sampled(rows=7, cols=9, subjects=1, horizon=33, range=2, radius=2))
    )
    for part in ("One agent", "7x9", "33 interactions", "up to 2 cells", "0.33 at distance 2"):
        assert part in words


@pytest.mark.parametrize("task", ["landscape", "commons"])
def test_what_pays_in_a_task_is_explained(task: str) -> None:
    world = LambdaStar(task=task)
    environment = world.build(world.sample(1))
    told = " ".join(VIEW.explain(environment))
    for word in {"landscape": ("peaks", "stands still"), "commons": ("harvests", "0.849")}[task]:
        assert word in told, told
