"""Pictures of Lambda: everybody is where they are, seats see no more than they observe, films stay small."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_class.environments import made, sampled

from mensura.core.contract import Turn
from mensura.pictures.film import Film
from mensura.pictures.picture import Disc, Line, Picture, Shape, Words
from mensura.pictures.svg import as_svg
from mensura.worlds.lambda_class.behaviors import Markov, Pattern, Random, Shy
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.picture import (
    PIXELS,
    complexity_of,
    everybody,
    layout_of,
    reward_shade,
    reward_text,
    token_places,
)
from mensura.worlds.lambda_class.space import Space, grid, ring
from mensura.worlds.lambda_class.switches import PRESETS
from mensura.worlds.lambda_class.world import Lambda

MINUS = "\N{MINUS SIGN}"
NOTHING = Turn((), [], [])


def words_of(picture: Picture) -> list[str]:
    legend = [words for _, words in picture.legend]
    written = [one.text for one in picture.shapes if isinstance(one, Words)]
    return [*picture.title, *written, *legend]


def labeled(picture: Picture, label: str) -> list[Shape]:
    return [one for one in picture.shapes if one.label == label]


def cells_of(picture: Picture) -> list[Disc]:
    return [one for one in picture.shapes if isinstance(one, Disc) and one.cell is not None]


def middle(shape: Shape) -> tuple[float, float]:
    left, top, right, bottom = shape.bounds
    return (left + right) / 2, (top + bottom) / 2


def cell_below(picture: Picture, shape: Shape) -> int:
    """The cell whose middle is next to that of a shape."""
    x, y = middle(shape)
    cells = cells_of(picture)
    near = min(cells, key=lambda one: (one.center[0] - x) ** 2 + (one.center[1] - y) ** 2)
    assert near.cell is not None
    return near.cell


# All of it


def test_a_picture_tells_pattern_complexity_iteration_cells_and_actions() -> None:
    environment = made()
    environment.step([1])
    words = words_of(environment.picture())
    complexity = Lambda().complexity(environment.description, "zlib_space_pattern")
    for line in (
        "4 cells, 4 actions, iteration 1 of 100",
        "Good and Evil: pattern 20122220022222200222222002",
        f"zlib_space_pattern = {complexity:g}",
        "Good (+)",
        f"Evil ({MINUS})",
        "subject",
        "pays",
        "costs",
        "2,3",
    ):
        assert line in words
    assert {"1", "2", "3", "4"} <= set(words)


def test_rewards_are_numbers_only_where_they_are_not_whole() -> None:
    theory = made(**{**PRESETS["theory"], "junk": 0})
    assert {"+0.5", f"{MINUS}0.5"} <= set(words_of(theory.picture()))
    assert not [word for word in words_of(made().picture()) if word[0] in ("+", MINUS)]
    assert [reward_text(value) for value in (0.125, -0.0004)] == ["+0.12", f"{MINUS}4e{MINUS}4"]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["thesis", "theory"]), st.integers(1, 12))
def test_cells_have_their_rewards_and_everybody_stands_on_theirs_and_on_nobody(
    seed: int, preset: str, subjects: int
) -> None:
    environment = sampled(seed, preset, subjects=subjects, objects=2, sieves=())
    at, picture = environment.positions(), environment.picture()
    cells = cells_of(picture)
    assert [one.cell for one in cells] == list(range(environment.description.space.cells))
    for one, reward in zip(cells, environment.cell_rewards(), strict=True):
        assert (one.role, one.strength) == reward_shade(reward)
        assert one.label == f"cell {one.cell + 1}, reward {reward:g}"  # type: ignore[operator]
    for label, cell in (("Good", at["good"]), ("Evil", at["evil"]), ("ω_2", at["objects"][1])):
        (token,) = labeled(picture, label)
        assert cell_below(picture, token) == cell
    for seat, cell in enumerate(at["subjects"]):
        (token,) = labeled(picture, f"subject {seat}" if subjects > 1 else "subject")
        assert cell_below(picture, token) == cell
    laid = layout_of(environment.description)
    people = everybody(at)
    places = token_places(laid, people)
    for token, ((x, y), size) in zip(people, places, strict=True):
        here = laid.cells[token.cell] / PIXELS
        assert abs(x - here[0]) + size <= laid.radius / PIXELS * 1.1
        assert abs(y - here[1]) + size <= laid.radius / PIXELS * 1.1
    sharing = [sum(other.cell == token.cell for other in people) for token in people]
    few = [place for place, count in zip(places, sharing, strict=True) if count <= 9]
    assert len({at for at, _ in few}) == len(few)


def test_what_has_no_pattern_or_too_much_to_draw_is_drawn_and_says_so() -> None:
    program = Markov(Program.parse("->. a_2"))
    words = words_of(made(good_and_evil=program).picture())
    assert "Good and Evil: a Markov program of 1 rule" in words
    assert not any("zlib" in word for word in words)
    assert complexity_of(made(good_and_evil=program).description) is None
    for space, sentence in (
        (ring(90), "Too many cells to show their numbers and actions."),
        (ring(500), "Too many cells to draw: only those are seen where something is."),
        (grid(11, 11), "Too many arrows to draw."),
    ):
        picture = made(space=space).picture()
        assert sentence in picture.title
        assert len(cells_of(picture)) in (space.cells, 3)


def test_the_view_draws_the_arrows_that_everybody_has_just_gone_along() -> None:
    environment = made(good_and_evil=Pattern((1,)))
    view = Lambda().view()
    view.started(environment, environment.reset(1))
    first = view.picture(environment, NOTHING)
    assert "ways just gone" not in words_of(first)
    before = environment.positions()
    view.stepped(environment, [1], environment.step([1]))
    now = environment.positions()
    picture = view.picture(environment, NOTHING)
    lines = [one for one in picture.shapes if isinstance(one, Line) and one.width == 0.09]
    for role, here, there in (
        ("good", before["good"], now["good"]),
        ("evil", before["evil"], now["evil"]),
        ("subject", before["subjects"][0], now["subjects"][0]),
    ):
        assert here != there
        ends = [
            point for one in lines if one.role == role for point in (one.points[0], one.points[-1])
        ]
        for cell in (here, there):
            x, y = cells_of(picture)[cell].center
            nearest = min(np.hypot(a - x, b - y) for a, b in ends)
            assert nearest < cells_of(picture)[cell].radius + 0.15
    view.started(environment, environment.reset(1))
    assert as_svg(view.picture(environment, NOTHING)) == as_svg(first)


# What a seat sees


EVERYWHERE = Space.from_arrows([tuple((cell + step) % 4 for step in range(4)) for cell in range(4)])
RIGHTS: list[dict[str, Any]] = [
    {},
    {"future": (0, 1)},
    {"rewards_seen": (0,)},
    {"observability": "partial"},
    {"observability": "partial", "future": (1,), "rewards_seen": (1,)},
]


@settings(max_examples=examples(16, 40), deadline=None)
@given(st.sampled_from(RIGHTS), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_seats_picture_shows_nothing_that_it_does_not_observe(
    rights: dict[str, Any], key: int, other: int
) -> None:
    """Places, arrows, rewards, patterns, memories and clocks may all be others, and so may the space itself."""
    common: dict[str, Any] = {"subjects": 2, "objects": (Random(),), "starts": (), **rights}
    environment = made(good_and_evil=Pattern((1, 2)), **common)
    environment.reset(key)
    before = [as_svg(environment.picture(seat)) for seat in (0, 1)]
    another = made(space=EVERYWHERE, good_and_evil=Random(), **common)
    rng = np.random.default_rng(other)
    for name, part in environment._parts._asdict().items():
        if name not in ("head", "rights", "obs") and part.size:
            part[...] = rng.integers(0, 2, part.shape)
    assert [as_svg(environment.picture(seat)) for seat in (0, 1)] == before
    another._parts.obs[...] = environment._parts.obs
    assert [as_svg(another.picture(seat)) for seat in (0, 1)] == before


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(RIGHTS), st.integers(0, 10**6))
def test_a_seats_picture_shows_what_it_observes_and_where_its_actions_lead(
    rights: dict[str, Any], key: int
) -> None:
    environment = made(subjects=2, objects=(Random(),), starts=(), **rights)
    turn = environment.reset(key)
    for seat, observation in enumerate(turn.observations):
        picture = environment.picture(seat)
        for label, cell in (
            ("you", observation["cell"]),
            ("the star", observation["good"]),
            ("the diamond", observation["evil"]),
            ("object 1", observation["objects"][0]),
            (f"seat {1 - seat}", observation["subjects"][1 - seat]),
        ):
            assert [cell_below(picture, one) for one in labeled(picture, label)] == (
                [cell] if cell >= 0 else []
            )
        ways = observation["ways"].astype(int).tolist()
        acting = {one.cell: one.action for one in cells_of(picture) if one.action is not None}
        assert acting == {cell: ways.index(cell) for cell in ways}
        lying = observation["rewards"] if "rewards" in observation.dtype.names else [0.0] * 4
        assert [(one.role, one.strength) for one in cells_of(picture)] == [
            reward_shade(value) for value in lying
        ]
        told = f"the star goes to cell {int(observation['next_good']) + 1} next"
        assert (told in picture.title) == (observation["next_good"] >= 0)


# Films


@pytest.mark.parametrize("name", ["film.gif", "film.svg"])
def test_a_film_has_a_frame_for_each_moment_and_stays_small(name: str, tmp_path: Path) -> None:
    environment = made(horizon=12, subjects=2, objects=(Shy(),), starts=(0, 1, 2, 3, 3))
    view = Lambda().view()
    film = Film(view.picture)
    turn = environment.reset(1)
    for observer in (view, film):
        observer.started(environment, turn)
    for i in range(12):
        actions = [i % 4, (i + 1) % 4]
        turn = environment.step(actions)
        for observer in (view, film):
            observer.stepped(environment, actions, turn)
    film.save(tmp_path / name)
    assert len(film) == 13
    data = (tmp_path / name).read_bytes()
    assert len(data) < 40_000
    if name.endswith("svg"):
        assert b'<animate attributeName="fill"' in data
