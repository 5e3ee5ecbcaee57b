"""How a Lambda Star environment looks: everybody is where they are, in text, picture and film."""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from mensura.core.errors import MensuraError
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.worlds.lambda_star import field_drawing, view
from mensura.worlds.lambda_star.environment import Description, LambdaStarEnvironment
from mensura.worlds.lambda_star.film import HOLD
from mensura.worlds.lambda_star.world import LambdaStar

SVG = "{http://www.w3.org/2000/svg}"


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
    cells = wide_cells(view.text(environment), rows, cols)
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
    worth = view.rewards_of(d, at["good"], at["evil"], np.arange(6), np.arange(7))
    cells = wide_cells(view.text(environment), 6, 7)
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
    environment.step([5, 5])
    at = environment.positions()
    shown = view.text(environment, [0.5, -1.0])
    assert "iteration 1 of 50" in shown
    assert f"Good {at['good']}" in shown
    assert f"Evil {at['evil']}" in shown
    assert f"0 {at['subjects'][0]}   1 {at['subjects'][1]}" in shown
    assert "0 +0.50   1 -1.00" in shown
    assert "mean reward -0.250" in shown
    assert "guide" not in shown


def test_several_on_one_cell_are_listed_or_counted() -> None:
    few = handmade(4)
    cells = wide_cells(view.text(few), 1, 2)
    for cell in ((0, 0), (0, 1)):
        seats = [str(seat) for seat, at in enumerate(few.positions()["subjects"]) if at == cell]
        assert cells[cell][2:] == ",".join(seats)
    many = handmade(60)
    cells = wide_cells(view.text(many), 1, 2)
    count = many.positions()["subjects"].count((0, 0))
    assert cells[0, 0] == f"+G*{count}"


def test_a_larger_grid_gets_one_sign_for_a_cell_and_rulers() -> None:
    environment = sampled(rows=25, cols=40, subjects=12)
    lines = view.text(environment).splitlines()
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
    shown = view.text(environment)
    assert "3x200 cells is too large" in shown
    assert "60 columns around Good" in shown
    assert max(map(len, shown.splitlines())) < 110
    assert "G" in "".join(shown.splitlines()[3:6])


def test_text_is_plain_ascii() -> None:
    assert view.text(sampled(guided=True), [0.0] * 5).isascii()


@pytest.mark.parametrize("task", ["landscape", "commons"])
def test_cells_that_differ_in_worth_are_shown_by_bars_as_high_as_that(task: str) -> None:
    environment = sampled(task=task, subjects=1)
    worth = environment.worth()
    cells = wide_cells(view.text(environment), *worth.shape)
    heights = [view.BARS.index(cells[cell][0]) for cell in sorted(cells, key=worth.__getitem__)]
    assert heights == sorted(heights)
    assert len(set(heights)) > 2
    if worth.max() == 1.0:
        assert heights[-1] == len(view.BARS) - 1


# Pictures


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(3, 8),
    cols=st.integers(3, 8),
    generator=st.sampled_from(["recurrent", "walk"]),
)
def test_drawn_paths_never_leap_across_the_picture_and_pass_every_cell(
    seed: int, rows: int, cols: int, generator: Any
) -> None:
    environment = sampled(seed, rows=rows, cols=cols, generator=generator, horizon=30)
    path = environment.parts.path[:, :2]
    lines = view.segments(path, rows, cols)
    passed = {(float(y), float(x)) for line in lines for y, x in line}
    for line in lines:
        for a, b in pairwise(line.tolist()):
            assert 0 < max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1
            assert min(*a, *b) > -1
    steps = {tuple(cell) for cell in path.tolist()}
    assert len(steps) == 1 or steps <= passed


def test_a_picture_names_the_grid_its_complexity_and_the_iteration() -> None:
    environment = sampled(guided=True)
    svg = view.figure_svg(environment)
    words = " ".join(ElementTree.fromstring(svg).itertext())
    k = LambdaStar().complexity(environment.description, "K")
    assert f"10x10 torus, K = {k}, H = 13.27 bits, iteration 0 of 50" in words
    for word in ("Good and its path", "Evil and its path", "subjects", "guide", "pays", "costs"):
        assert word in words
    assert {"0", "1", "2", "3", "4"} <= set(words.split())


def test_a_picture_is_the_same_every_time_and_loads_nothing() -> None:
    svg = view.figure_svg(sampled(), name="here")
    assert svg == view.figure_svg(sampled(), name="here")
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    root = ElementTree.fromstring(svg)
    assert all(part.get("id", "here-").startswith("here-") for part in root.iter())
    assert not [part for part in root.iter() if part.tag in (f"{SVG}script", f"{SVG}image")]


@pytest.mark.parametrize(
    "parameters",
    [
        {"rows": 1, "cols": 2, "subjects": 30, "horizon": 5},
        {"rows": 2, "cols": 300, "subjects": 2},
        {"rows": 70, "cols": 70, "subjects": 40, "radius": 40},
    ],
)
def test_odd_grids_can_be_drawn_too(parameters: dict[str, Any]) -> None:
    root = ElementTree.fromstring(view.figure_svg(sampled(**parameters)))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert 100 < height <= 600
    assert 100 < width <= 600


@pytest.mark.parametrize(
    ("name", "begins"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.SVG", b"<svg")]
)
def test_a_picture_is_written_in_the_format_of_its_suffix(
    name: str, begins: bytes, tmp_path: Path
) -> None:
    view.draw(sampled(), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_picture_with_an_unknown_suffix_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match=r"ends in \.svg, \.png or \.pdf, not to a\.bmp"):
        view.draw(sampled(), tmp_path / "a.bmp")
    with pytest.raises(MensuraError, match="does not exist"):
        view.draw(sampled(), tmp_path / "nowhere" / "a.svg")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("matplotlib", "matplotlib.style"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MensuraError, match=r"needs the extra report: pip install 'mensura\[report\]'"
    ):
        view.draw(sampled(), tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def test_the_explanation_names_the_numbers_of_this_environment() -> None:
    words = " ".join(
        view.explain(sampled(rows=7, cols=9, subjects=1, horizon=33, range=2, radius=2))
    )
    for part in ("One agent", "7x9", "33 interactions", "up to 2 cells", "0.33 at distance 2"):
        assert part in words


# Films


def filmed(name: str = "local-search", **parameters: Any) -> tuple[view.Film, float]:
    """A film of one episode, and its score."""
    world = LambdaStar(**parameters)
    group = world.group([(name, {}, 1)])
    world = world.hosting(group)
    film = view.Film()
    environment = world.build(world.sample(5))
    episode = drive(
        play(environment, 5, world=world.id, seed=6, observers=[film]), group.sit(world.subjects)
    )
    return film, episode.mean_reward


def test_an_animated_gif_has_a_frame_for_each_moment_and_stays_small(tmp_path: Path) -> None:
    film, _ = filmed()
    path = tmp_path / "a.gif"
    film.save(path, pause=0.1)
    with Image.open(path) as image:
        assert getattr(image, "n_frames", 1) == len(film) == 51
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
    assert path.stat().st_size < 300_000


def test_frames_of_a_gif_show_good_where_it_is(tmp_path: Path) -> None:
    film, _ = filmed("random", subjects=1)
    film.save(tmp_path / "a.gif")
    world = LambdaStar(subjects=1)
    environment = world.build(world.sample(5))
    environment.reset(5)
    path = environment.parts.path
    with Image.open(tmp_path / "a.gif") as image:
        for frame in (0, 7, 50):
            image.seek(frame)
            gy, gx = path[frame, :2].tolist()
            # Near the rim of Good's disc, where no subject covers it.
            pixel = image.convert("RGB").getpixel((round(8 + gx * 40 + 20), round(8 + gy * 40 + 6)))
            assert pixel == (0x00, 0x72, 0xB2)


def test_an_animated_svg_moves_everybody_once_a_frame_and_tells_the_score(tmp_path: Path) -> None:
    film, score = filmed("imitation", subjects=3, horizon=20)
    path = tmp_path / "a.svg"
    film.save(path, pause=0.5)
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    moves = [
        part for part in root.iter(f"{SVG}animateTransform") if part.get("type") == "translate"
    ]
    assert (
        len(moves) == 2 + 2 + 1 + 3 + 1
    )  # zones, Good and Evil, the guide, subjects, the line below
    for move in moves:
        assert len(move.attrib["values"].split(";")) == 21 + HOLD - 1
        assert move.attrib["dur"] == f"{0.5 * (21 + HOLD - 1):g}s"
    words = list(root.itertext())
    assert "iteration 20 of 20" in words
    assert f"score so far {score:+.3f}" in words
    assert "script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_new_episode_begins_a_new_film(tmp_path: Path) -> None:
    film, _ = filmed(horizon=10)
    world = LambdaStar(horizon=4)
    environment = world.build(world.sample(5))
    film.started(environment, environment.reset(1))
    assert len(film) == 1
    film.save(tmp_path / "a.gif", pause=0.0)
    with Image.open(tmp_path / "a.gif") as image:
        assert getattr(image, "n_frames", 1) == 1


def test_a_film_that_cannot_be_saved_says_why(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="No episode was filmed"):
        view.Film().save(tmp_path / "a.gif")
    film, _ = filmed(horizon=2)
    with pytest.raises(MensuraError, match=r"ends in \.gif or \.svg, not to a\.mp4"):
        film.save(tmp_path / "a.mp4")
    with pytest.raises(MensuraError, match="pause of -1"):
        film.save(tmp_path / "a.gif", pause=-1.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("task", ["landscape", "commons"])
def test_a_field_is_drawn_with_a_color_bar_and_a_star_for_each_subject(
    task: str, tmp_path: Path
) -> None:
    """As figure 5 of the paper: colors for what cells are worth, black stars for subjects."""
    world = LambdaStar(task=task, subjects=3, horizon=4)
    environment = world.build(world.sample(1))
    environment.reset(1)
    name = {"landscape": "fitness", "commons": "stock"}[task]
    svg = view.figure_svg(environment)
    assert f">{name}<" in svg
    assert f"with their {name} as colors" in svg
    figure = field_drawing.figure(environment)
    stars = [line for line in figure.axes[0].lines if line.get_marker() == "*"]
    places = [(float(s.get_ydata()[0]), float(s.get_xdata()[0])) for s in stars]
    assert places == [(float(y), float(x)) for y, x in environment.positions()["subjects"]]
    image = figure.axes[0].images[0]
    assert (image.get_array() == environment.worth()).all()
    assert image.get_clim() == ((-1.0, 1.0) if task == "landscape" else (0.0, 1.0))
    view.draw(environment, tmp_path / "field.png")
    assert (tmp_path / "field.png").stat().st_size > 1000


@pytest.mark.parametrize("ending", ["gif", "svg"])
def test_a_film_of_a_drifting_landscape_has_stars_and_colors_that_change(
    ending: str, tmp_path: Path
) -> None:
    world = LambdaStar(task="landscape", subjects=2, horizon=6, drift=1.0)
    environment = world.build(world.sample(1))
    film = view.Film()
    turn = environment.reset(1)
    film.started(environment, turn)
    while turn.ended is None:
        turn = environment.step([5, 5])
        film.stepped(environment, [5, 5], turn)
    path = tmp_path / f"film.{ending}"
    film.save(path)
    if ending == "svg":
        text = path.read_text(encoding="utf-8")
        assert text.count("<polygon") == 2
        assert 'attributeName="fill"' in text
    else:
        assert path.read_bytes().startswith(b"GIF")


@pytest.mark.parametrize("task", ["landscape", "commons"])
def test_what_pays_in_a_task_is_explained(task: str) -> None:
    world = LambdaStar(task=task)
    environment = world.build(world.sample(1))
    told = " ".join(view.explain(environment))
    for word in {"landscape": ("peaks", "stands still"), "commons": ("harvests", "0.849")}[task]:
        assert word in told, told
