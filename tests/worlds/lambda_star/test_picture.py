"""Pictures of Lambda Star: everybody is where they are, seats see no more than they observe, films stay small."""

from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from tests.sizes import examples

from mensura.core import palette
from mensura.pictures.film import Film
from mensura.pictures.picture import Area, Disc, Line, Picture, Shape, Words
from mensura.pictures.pixels import as_array
from mensura.pictures.svg import as_svg
from mensura.worlds.lambda_star.environment import LambdaStarEnvironment
from mensura.worlds.lambda_star.games.search.drawing import segments
from mensura.worlds.lambda_star.picture import worth_of
from mensura.worlds.lambda_star.torus.drawing import Grid
from mensura.worlds.lambda_star.world import LambdaStar

keys = st.integers(0, 10**6)
TASKS: dict[str, dict[str, Any]] = {
    "search": {"guided": True},
    "coverage": {"track": True},
    "company": {"company": 2},
    "reactive": {"good_reacts": "flees", "evil_reacts": "tires", "guided": True},
    "future": {"future": (0, 2)},
    "landscape": {"task": "landscape", "drift": 0.5},
    "commons": {"task": "commons"},
    "dilemma": {"task": "dilemma"},
    "opinion": {"task": "opinion"},
}


def made(name: str = "search", key: int = 3, steps: int = 0, **more: Any) -> LambdaStarEnvironment:
    """An environment after some random steps."""
    world = LambdaStar(
        **{"rows": 6, "cols": 7, "subjects": 3, "horizon": 20, **TASKS[name], **more}
    )
    environment = world.build(world.sample(key))
    environment.reset(key)
    rng = np.random.default_rng(key)
    for _ in range(steps):
        space = environment.spaces(0)[1]
        environment.step(rng.integers(space.start, space.start + space.n, world.subjects).tolist())
    return environment


def labeled(picture: Picture, label: str) -> list[Shape]:
    return [shape for shape in picture.shapes if shape.label == label]


def middle(shape: Shape) -> tuple[float, float]:
    left, top, right, bottom = shape.bounds
    return (left + right) / 2, (top + bottom) / 2


def cell_at(grid: Grid, place: tuple[float, float]) -> tuple[int, int]:
    return int(place[1] // grid.steps[1]), int(place[0] // grid.steps[0])


# All of it


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([*TASKS]), keys, st.integers(0, 5), st.integers(1, 12))
def test_everybody_stands_on_their_cell_however_many_share_it(
    name: str, key: int, steps: int, subjects: int
) -> None:
    more = {"future": ()} if name == "future" else {}
    environment = made(name, key, steps, subjects=subjects, rows=3, cols=4, **more)
    picture, grid, at = environment.picture(), Grid(3, 4), environment.positions()
    for label, cell in (("Good", at["good"]), ("Evil", at["evil"]), ("guide", at["guide"])):
        assert [cell_at(grid, middle(one)) for one in labeled(picture, label)] == (
            [cell] if cell is not None else []
        )
    places = set()
    for seat, cell in enumerate(at["subjects"]):
        (ring,) = labeled(picture, f"subject {seat}" if subjects > 1 else "subject")
        assert cell_at(grid, middle(ring)) == cell
        places.add(middle(ring))
    assert len(places) == subjects


def test_evil_is_shown_where_the_authors_program_has_it() -> None:
    """In pictures, in text and in tables, where it goes along with Good and where it leaps to another row."""
    world = LambdaStar.preset("authors-2016", rows=5, cols=5, subjects=2, horizon=12)
    environment = world.build(world.sample(3))
    turn, grid, view = environment.reset(4), Grid(5, 5), world.view()
    gaps = set()
    while turn.ended is None:
        turn = environment.step([5, 5])
        (y, x), evil = environment.positions()["good"], environment.positions()["evil"]
        assert evil == divmod((5 * y + x + 1 + 25 // 3) % 25, 5)
        (shown,) = labeled(environment.picture(), "Evil")
        assert cell_at(grid, middle(shown)) == evil
        assert f"Evil {evil}" in view.text(environment, turn)
        rows = {row[0]: row for row in view.tables(environment)[0].rows}
        assert rows["Evil"][1] == 5 * evil[0] + evil[1] + 1
        assert rows["Evil"][5] is None  # it makes no moves of a pattern
        gaps.add(((evil[0] - y) % 5, (evil[1] - x) % 5))
    assert len(gaps) > 1
    assert view.remarks(environment)[1] == (
        f"Evil: from cell {environment.description.evil_start}, always 9 cells after Good, by their numbers"
    )


@pytest.mark.parametrize("name", TASKS)
def test_every_cell_can_be_pointed_at_and_is_shaded_by_what_it_is_worth(name: str) -> None:
    environment = made(name, steps=3)
    cells = [one for one in environment.picture().shapes if one.cell is not None]
    worth = worth_of(environment).ravel().tolist()
    assert [one.cell for one in cells] == list(range(42))
    for shape, value in zip(cells, worth, strict=True):
        assert isinstance(shape, Area)
        assert f"reward {value:g}" in shape.label
        assert (shape.strength > 0) == (value != 0)
        if value:
            role = "stock" if name == "commons" else "good" if value > 0 else "evil"
            assert shape.role == role
    by_worth = sorted(zip(map(abs, worth), cells, strict=True), key=lambda pair: pair[0])
    strengths = [one.strength for _, one in by_worth if isinstance(one, Area)]
    assert strengths == sorted(strengths)


@settings(max_examples=40)
@given(
    seed=keys,
    rows=st.integers(3, 8),
    cols=st.integers(3, 8),
    generator=st.sampled_from(["recurrent", "walk"]),
)
def test_drawn_paths_never_leap_across_the_picture_and_pass_every_cell(
    seed: int, rows: int, cols: int, generator: Any
) -> None:
    world = LambdaStar(rows=rows, cols=cols, generator=generator, horizon=30)
    environment = world.build(world.sample(seed))
    environment.reset(seed)
    path = environment.parts.path[:, :2]
    lines = segments(path, rows, cols)
    passed = {(float(y), float(x)) for line in lines for y, x in line}
    for line in lines:
        for a, b in pairwise(line.tolist()):
            assert 0 < max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1
            assert min(*a, *b) > -1
    steps = {tuple(cell) for cell in path.tolist()}
    assert len(steps) == 1 or steps <= passed


@settings(max_examples=20, deadline=None)
@given(keys)
def test_paths_are_cut_at_the_border_and_go_straight_there(key: int) -> None:
    environment = made("search", key, generator="walk")
    picture, leaps = environment.picture(), environment.description.evil_shift
    width, height = Grid(6, 7).size
    unit = Grid(6, 7).unit
    for one in picture.shapes:
        if isinstance(one, Line) and one.role in ("good", "evil"):
            for (x, y), (a, b) in pairwise(one.points):
                assert 0 <= x <= width + 1e-9
                assert 0 <= y <= height + 1e-9
                across, down = abs(a - x), abs(b - y)
                assert max(across, down / 2 if leaps and one.role == "evil" else down) < unit + 1e-9
                if one.role == "good":
                    assert min(across, down, abs(across - down)) < 1e-9


def test_a_picture_names_the_grid_its_complexity_the_iteration_and_what_is_what() -> None:
    environment = made(steps=2)
    picture = environment.picture()
    k = LambdaStar().complexity(environment.description, "K")
    assert picture.title == (f"6x7 torus, K = {k}, H = 10.75 bits, iteration 2 of 20",)
    words = {one for _, one in picture.legend}
    assert words == {
        *("Good and its path", "Evil and its path", "pays", "costs", "subjects", "guide"),
    }
    assert {"0", "1", "2"} <= {one.text for one in picture.shapes if isinstance(one, Words)}
    assert all(one in as_svg(picture) for one in (*words, *picture.title))


def test_what_a_task_has_of_its_own_is_drawn() -> None:
    coverage = made("coverage", steps=2)
    shown = [one for one in coverage.picture().shapes if one.label == "seen"]
    assert len(shown) == int((coverage.parts.seen >= 0).sum()) > 0
    landscape = made("landscape", steps=2)
    (top,) = labeled(landscape.picture(), "the global optimum")
    worth = landscape.worth()
    assert worth is not None
    assert cell_at(Grid(6, 7), middle(top)) == np.unravel_index(worth.argmax(), worth.shape)
    company = made("company", steps=2)
    near = company.parts.around[0]
    assert f"felt by 2 or more together; near now: Good {near}" in company.picture().title
    reactive = made("reactive", steps=4).picture()
    assert len([one for one in reactive.shapes if isinstance(one, Line) and one.dashed]) <= 2 * 4


@pytest.mark.parametrize(
    "parameters",
    [
        {"rows": 1, "cols": 2, "subjects": 30, "horizon": 5},
        {"rows": 2, "cols": 300, "subjects": 2},
        {"rows": 70, "cols": 70, "subjects": 40, "radius": 40},
    ],
)
def test_odd_grids_can_be_drawn_too(parameters: dict[str, Any]) -> None:
    world = LambdaStar(**parameters)
    environment = world.build(world.sample(3))
    environment.reset(3)
    root = ElementTree.fromstring(as_svg(environment.picture()))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert 100 < height <= 600
    assert 100 < width <= 600
    assert as_array(environment.picture(0)).shape[2] == 3


# What a seat sees


@settings(max_examples=examples(8, 40), deadline=None)
@given(st.sampled_from([*TASKS]), keys, st.integers(0, 5), keys)
def test_a_seats_picture_shows_nothing_that_it_does_not_observe(
    name: str, key: int, steps: int, other: int
) -> None:
    """Whatever else is in the row may be anything: places of all, paths, fields, beliefs, counts, keys."""
    environment = made(name, key, steps)
    before = [as_svg(environment.picture(seat)) for seat in range(3)]
    rng = np.random.default_rng(other)
    for part in environment.parts[3:]:  # after the head, rights, and what is looked at
        if part is not environment.parts.obs:
            part[...] = rng.integers(0, 3, part.shape)
    assert [as_svg(environment.picture(seat)) for seat in range(3)] == before


@settings(max_examples=examples(16, 40), deadline=None)
@given(st.sampled_from([*TASKS]), keys, st.integers(0, 5))
def test_a_seats_picture_shows_what_it_observes(name: str, key: int, steps: int) -> None:
    environment = made(name, key, steps)
    for seat in range(3):
        observation, picture = environment.observation(seat), environment.picture(seat)
        for plane, label in (
            *(("good", "the star"), ("evil", "the diamond"), ("guide", "guide")),
            ("others", "another subject"),
        ):
            assert len(labeled(picture, label)) == observation[plane].sum()
        assert len(labeled(picture, "you")) == 1
        marked = [one for one in picture.shapes if one.role == "mark" and isinstance(one, Disc)]
        assert len(marked) == (
            observation["deeds"].sum() if "deeds" in observation.dtype.names else 0
        )
        told = " ".join(picture.title)
        ahead = observation["future"].astype(int).tolist()
        assert (f"goes to row {ahead[0]}, column {ahead[1]} next" in told) == (ahead[0] >= 0)
        assert ("private signal" in told) == (name == "opinion")


@pytest.mark.parametrize("name", ["search", "commons"])
def test_a_click_on_a_cell_of_a_seats_picture_is_the_move_that_leads_there(name: str) -> None:
    environment = made(name)
    space = environment.spaces(0)[1]
    acting = {one.action: one for one in environment.picture(1).shapes if one.action is not None}
    assert sorted(acting) == list(range(1, space.n + 1))
    for action, shape in acting.items():
        row, column = cell_at(Grid(3, 3), middle(shape))
        assert 3 * row + column + 1 == (action - 1) % 9 + 1
        assert shape.label


# Films


def filmed(name: str, steps: int, **more: Any) -> Film:
    environment = made(name, 5, horizon=steps, **more)
    film = Film(LambdaStar().view().picture)
    film.started(environment, environment.reset(5))
    rng = np.random.default_rng(1)
    for _ in range(steps):
        actions = rng.integers(1, 10, len(environment.seats)).tolist()
        film.stepped(environment, actions, environment.step(actions))
    return film


def test_a_film_has_a_frame_for_each_moment_good_where_it_is_and_stays_small(
    tmp_path: Path,
) -> None:
    film = filmed("search", 12, rows=10, cols=10, subjects=5)
    film.save(tmp_path / "a.gif", pause=0.1)
    film.save(tmp_path / "a.svg")
    assert (tmp_path / "a.gif").stat().st_size < 100_000, "those of 24 seeds had 34 to 88 kB"
    assert (tmp_path / "a.svg").stat().st_size < 30_000
    environment = made("search", 5, horizon=12, rows=10, cols=10, subjects=5)
    blue = palette.rgb(palette.GOOD)
    with Image.open(tmp_path / "a.gif") as image:
        assert getattr(image, "n_frames", 1) == len(film) == 13
        at = []
        for frame in (0, 7, 12):
            image.seek(frame)
            pixels = np.array(image.convert("RGB"))[:400]  # above the legend
            found = np.argwhere((pixels == blue).all(axis=2))
            at.append(found.mean(axis=0))
        ways = [environment.parts.path[frame, :2] for frame in (0, 7, 12)]
        for (here, there), (a, b) in zip(pairwise(at), pairwise(ways), strict=True):
            assert np.abs((there - here) / 40 - (b - a)).max() < 0.25


@pytest.mark.parametrize(("name", "most"), [("landscape", 60_000), ("commons", 40_000)])
def test_films_of_fields_change_the_colors_of_cells(name: str, most: int, tmp_path: Path) -> None:
    film = filmed(name, 15)
    film.save(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert len(text) < most
    assert '<animate attributeName="fill-opacity"' in text
