"""Films: an observer keeps pictures, and writes a GIF or an SVG that moves by itself."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from tests.pictures import drawn

from mensura.agent.errors import MensuraError
from mensura.pictures.film import Film
from mensura.pictures.picture import Area, Disc, Picture, Words
from mensura.pictures.svg import as_svg
from mensura.pictures.text import as_text
from mensura.pictures.tracks import tracks

pytestmark = pytest.mark.quick

SVG = "{http://www.w3.org/2000/svg}"


def discs(environment: Any, turn: Any) -> Picture:
    """Three discs that move over a board of cells, and a number that changes."""
    at = environment.frame
    return Picture(
        [
            *(Area.box(x, y, 1, 1, "ground", 0.3, label=f"cell {x}, {y}") for x in range(6) for y in range(4)),
            *(Disc(((at * k) % 6 + 0.5, (at // k) % 4 + 0.5), 0.3, role) for k, role in ((1, "good"), (2, "evil"))),
            Disc((at * 0.1, 2), label=f"you, at {at}"),
            Words(str(at % 3), (5, 1)),
        ],
        (6, 4),
        "Discs",
        (("good", "Good"), ("evil", "Evil")),
    )  # fmt: skip


def test_a_gif_has_a_frame_for_each_moment_and_a_legend(tmp_path: Path) -> None:
    film = drawn.film_of(Film(discs, width=300), 51)
    film.save(tmp_path / "film.gif")
    with Image.open(tmp_path / "film.gif") as image:
        assert image.n_frames == 51
        assert image.size[0] == 300
        assert image.size[1] > 300 * 4 / 6 + 20
    assert (tmp_path / "film.gif").stat().st_size < 150_000


def test_fifty_frames_of_moving_discs_are_a_small_svg(tmp_path: Path) -> None:
    film = drawn.film_of(Film(discs), 51)
    film.save(tmp_path / "film.svg")
    text = (tmp_path / "film.svg").read_text()
    assert len(text) < 20_000
    root = ElementTree.fromstring(text)
    # What never changes is written once; a disc is one element that moves, a number as many as it has values.
    assert len(list(root.iter(f"{SVG}polygon"))) == 24
    assert len(list(root.iter(f"{SVG}circle"))) == 3 + 2  # with the legend
    words = [one.text for one in root.iter(f"{SVG}text") if "dy" in one.attrib]
    assert sorted(words) == ["0", "1", "2", "Evil", "Good"]


def places_at(found: list[Any], frame: int) -> list[tuple[str, tuple[str, str]]]:
    return [(one.form, one.places[frame]) for one in found if one.places[frame] is not None]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1, max_size=6))
def test_every_frame_of_a_moving_svg_has_its_shapes_in_their_order(frames: list[list[str]]) -> None:
    pictures = [
        Picture([Words(one, (float(i), 1.0), 1.0) for i, one in enumerate(letters)], (9, 2))
        for letters in frames
    ]
    found = tracks(pictures, 10.0, (0.0, 0.0))
    for at, letters in enumerate(frames):
        shown = [(form.partition(">")[2][0], place) for form, place in places_at(found, at)]
        assert shown == [(one, (str(10 * i), "10")) for i, one in enumerate(letters)]


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(frames=st.lists(drawn.pictures, min_size=1, max_size=3))
def test_any_pictures_make_a_film(frames: list[Picture], tmp_path: Path) -> None:
    film = drawn.film_of(
        Film(lambda environment, turn: frames[environment.frame], width=60), len(frames)
    )
    for name in ("film.gif", "film.svg"):
        film.save(tmp_path / name)
    with Image.open(tmp_path / "film.gif") as image:
        assert image.n_frames == len(frames)
    tags = {part.tag.removeprefix(SVG) for part in ElementTree.parse(tmp_path / "film.svg").iter()}
    assert tags <= {
        *("svg", "rect", "clipPath", "g", "text", "circle", "polygon", "polyline", "image"),
        *("animate", "animateTransform"),
    }


def test_the_score_so_far_is_the_mean_over_actions_also_where_seats_act_in_turn() -> None:
    film = drawn.film_of(Film(discs), 3, reward=0.5)
    assert [film.caption(i) for i in range(3)] == [
        ("iteration 0 of 2", "score so far +0.000"),
        ("iteration 1 of 2", "score so far +0.500"),
        ("iteration 2 of 2", "score so far +0.500"),
    ]


def test_a_film_of_nothing_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="No episode was filmed"):
        Film(discs).save(tmp_path / "film.gif")
    with pytest.raises(MensuraError, match=r"\.gif or \.svg"):
        drawn.film_of(Film(discs), 2).save(tmp_path / "film.mp4")


def squares(strengths: list[float]) -> Picture:
    return Picture([Area.box(i, 0, 1, 1, "good", one) for i, one in enumerate(strengths)], (6, 1))


def saved(frames: list[Picture], path: Path) -> str:
    film = drawn.film_of(Film(lambda environment, turn: frames[environment.frame]), len(frames))
    film.save(path)
    return path.read_text()


def test_what_only_changes_its_color_is_written_once(tmp_path: Path) -> None:
    frames = [squares([((i + 3 * k) % 7) / 7 for i in range(6)]) for k in range(12)]
    text = saved(frames, tmp_path / "film.svg")
    assert text.count("<polygon") == 6
    assert text.count('<animate attributeName="fill-opacity"') == 6
    assert text.count('type="translate"') == 1  # the line below


def test_what_moves_together_is_one_group(tmp_path: Path) -> None:
    frames = [
        Picture([Disc((i, 1), 0.4), Words("me", (i, 1)), Area.box(9, 0, 1, 1)], (10, 2))
        for i in range(5)
    ]
    text = saved(frames, tmp_path / "film.svg")
    assert text.count('type="translate"') == 2  # with the line below


@settings(max_examples=40, deadline=None)
@given(st.lists(st.permutations("abcde"), min_size=2, max_size=4))
def test_what_stays_is_the_same_shape_in_all_frames(orders: list[list[str]]) -> None:
    """Whatever else comes and goes around it."""
    pictures = [
        Picture(
            [
                Words("before", (1.0, 1.0), 1.0),
                *(Words(one, (float(i), 2.0), 1.0) for i, one in enumerate(letters)),
                Words("after", (1.0, 3.0), 1.0),
            ],
            (9, 4),
        )
        for letters in orders
    ]
    found = [one for one in tracks(pictures, 10.0, (0.0, 0.0)) if ">before<" in one.form]
    assert [one.places for one in found] == [[("10", "10")] * len(orders)]


def test_a_title_stands_above_a_picture_and_not_in_a_film(tmp_path: Path) -> None:
    picture = Picture([Disc((1, 1))], (4, 3), title=("when & where",))
    assert ">when &amp; where<" in as_svg(picture)
    assert as_text(picture).startswith("when & where\n")
    assert "when" not in saved([picture, picture], tmp_path / "film.svg")
