"""Renderings: any picture becomes text, SVG and pixels, nothing of it is cut off, and outside text is only text."""

import json
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from tests.pictures import drawn
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.pictures.files import save
from mensura.pictures.picture import Area, Disc, Image, Line, Picture, Words
from mensura.pictures.pixels import as_array
from mensura.pictures.svg import as_svg
from mensura.pictures.text import as_text

pytestmark = pytest.mark.quick

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "rect", "title", "text", "circle", "polygon", "polyline", "g", "image"}
WHITE = (255, 255, 255)


@settings(max_examples=examples(20, 60), deadline=None)
@given(drawn.pictures)
def test_any_picture_is_svg_that_holds_nothing_but_its_shapes(picture: Picture) -> None:
    for page in (False, True):
        for part in ElementTree.fromstring(as_svg(picture, page=page)).iter():
            assert part.tag.removeprefix(SVG) in ELEMENTS
            assert "style" not in part.attrib
            assert not any(name.startswith("on") for name in part.attrib)


@settings(max_examples=60, deadline=None)
@given(drawn.pictures)
def test_any_picture_is_text_without_control_characters(picture: Picture) -> None:
    for letter in as_text(picture).replace("\n", ""):
        assert unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


@settings(max_examples=40, deadline=None)
@given(drawn.pictures)
def test_any_picture_is_pixels(picture: Picture) -> None:
    array = as_array(picture, 80)
    assert array.dtype == np.uint8
    assert array.shape[1:] in ((80, 3), (79, 3), (array.shape[1], 3))
    assert max(array.shape) <= 1601


def test_files_are_the_same_every_time_and_other_endings_are_refused(tmp_path: Path) -> None:
    picture = Picture([Disc((1, 1), 0.5)], (2, 2))
    for ending, beginning in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        path = tmp_path / f"one{ending}"
        save(picture, path)
        first = path.read_bytes()
        assert first.startswith(beginning)
        save(picture, path)
        assert path.read_bytes() == first
    with pytest.raises(MensuraError, match=r"\.svg, \.png or \.pdf, not to one\.jpg"):
        save(picture, tmp_path / "one.jpg")


def test_what_sticks_out_of_the_sheet_is_not_cut_off() -> None:
    """A disc at negative coordinates is whole in pixels, and inside the SVG's box."""
    picture = Picture([Disc((-3, -2), 1, "evil")], (2, 2))
    assert picture.bounds == (-4.0, -3.0, 2.0, 2.0)
    array = as_array(picture, 60)
    assert tuple(array[10, 10]) == (0xD5, 0x5E, 0x00)
    root = ElementTree.fromstring(as_svg(picture, width=60))
    assert root.attrib["viewBox"] == "0 0 60 50"
    (disc,) = root.iter(f"{SVG}circle")
    assert (disc.attrib["cx"], disc.attrib["cy"], disc.attrib["r"]) == ("10", "10", "10")


def test_turned_words_have_room() -> None:
    flat, upright = (
        Picture([Words("a long line", (1, 1), 0.5, turned=a)], (2, 2)) for a in (0, 90)
    )
    assert flat.bounds[2] - flat.bounds[0] == pytest.approx(upright.bounds[3] - upright.bounds[1])
    dark = np.argwhere(as_array(upright, 100).sum(axis=2) < 300)
    assert np.ptp(dark[:, 0]) > 2 * np.ptp(dark[:, 1])


def test_shapes_lie_one_above_the_other_in_their_order() -> None:
    below, above = Area.box(0, 0, 2, 2, "good"), Area.box(0, 0, 2, 2, "evil")
    for shapes, color, sign in (
        ((below, above), (0xD5, 0x5E, 0), "-"),
        ((above, below), (0, 0x72, 0xB2), "+"),
    ):
        picture = Picture(shapes, (2, 2))
        assert tuple(as_array(picture)[5, 5]) == color
        assert as_text(picture).startswith(sign)
        order = [
            one.attrib["fill"]
            for one in ElementTree.fromstring(as_svg(picture)).iter(f"{SVG}polygon")
        ]
        assert order[-1] == "#{:02X}{:02X}{:02X}".format(*color)


def test_strength_lets_through_what_is_below() -> None:
    picture = Picture([Area.box(0, 0, 1, 1, "ink"), Area.box(0, 0, 1, 1, "paper", 0.5)], (1, 1))
    assert 120 < as_array(picture)[9, 9, 0] < 136


def test_a_page_can_point_at_shapes_and_press_them() -> None:
    picture = Picture(
        [Disc((1, 1), action=[1, "a<"], cell=3, label='say "go"'), Disc((1, 1))], (2, 2)
    )
    root = ElementTree.fromstring(as_svg(picture, page=True))
    one, other = root.iter(f"{SVG}circle")
    assert json.loads(one.attrib["data-action"]) == [1, "a<"]
    assert one.attrib["data-cell"] == "3"
    assert (one.attrib["tabindex"], one.attrib["role"], one.attrib["aria-label"]) == (
        "0",
        "button",
        'say "go"',
    )
    assert [part.text for part in one] == ['say "go"']
    assert "tabindex" not in other.attrib
    assert root.attrib["role"] == "group"  # an image would hide what is in it


def test_ink_takes_the_color_of_a_page() -> None:
    picture = Picture([Words("a", (1, 1))], (2, 2))
    assert "currentColor" in as_svg(picture, page=True)
    assert "currentColor" not in as_svg(picture)


def test_text_shows_where_things_are_and_lists_what_found_no_place() -> None:
    picture = Picture(
        [
            Area.box(0, 0, 1, 1, "good", label="goal"),
            Disc((2.6, 0.3), 0.1, "subject", label="you"),
            Words("hello", (2, 1.6)),
            Words("again", (2.1, 1.6)),
        ],
        (4, 2),
        legend=(("evil", "a trap"),),
    )
    assert as_text(picture).splitlines() == [
        "++++      o",
        "++++",
        "",
        "      hello",
        "- a trap   + goal   o you",
        "again",
    ]


def test_lines_and_arrows_are_seen_in_text_too() -> None:
    picture = Picture([Line([(0, 0.2), (3, 0.2)], arrow=True), Line([(0, 0.2), (0, 2)])], (4, 2.5))
    assert as_text(picture).splitlines()[0].rstrip() == "|----------->"


def test_a_legend_is_drawn_below() -> None:
    picture = Picture(
        [Disc((1, 1))], (2, 2), legend=(("good", "a goal"), ("evil", "a trap & more"))
    )
    assert "a trap &amp; more" in as_svg(picture)
    drawings = (as_svg(picture, width=200), as_svg(picture, width=200, legend=False))
    height = [float(ElementTree.fromstring(one).attrib["height"]) for one in drawings]
    assert height[0] > height[1]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Picture([Disc((0, 0), role="god")]), "'god' is no role of a shape; did you mean good"),
        (lambda: Picture([Disc((float("nan"), 0))]), "Disc reaches from"),
        (lambda: Picture([Line([])]), "Line has no points"),
        (lambda: Picture([Area.box(0, 0, 1, 1, strength=2)]), "it is from 0 to 1"),
        (lambda: Picture([], (0, 1)), "both sides are above 0"),
        (lambda: Picture([Image(np.zeros((2, 2)))]), "they are uint8"),  # type: ignore[arg-type]
        (lambda: as_svg(Picture([Disc((0, 0), action=object())])), "nothing that JSON can write"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_gets_a_sentence(make, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(MensuraError, match=sentence):
        make()


def test_a_legend_shows_shapes_as_they_are_in_the_picture() -> None:
    square = Area.box(-0.4, -0.4, 0.8, 0.8, "evil", outline="ink")
    picture = Picture([], (4, 3), legend=(((square, Words("E", (0, 0), 0.5)), "Evil"),))
    drawn = as_svg(picture)
    assert drawn.count("<polygon") == 2  # with the ground
    assert ">E<" in drawn
    assert as_text(picture).endswith("- Evil")
    with pytest.raises(MensuraError, match="no role"):
        Picture([], legend=(((Disc((0, 0), 1, "nobody"),), "nobody"),))


def test_shapes_over_cells_are_not_in_the_way_of_the_pointer() -> None:
    cell, token = Area.box(0, 0, 1, 1, cell=3), Disc((0.5, 0.5), 0.3)
    assert 'pointer-events="none"' in as_svg(Picture([cell, token])).splitlines()[-2]
    assert "pointer-events" not in as_svg(Picture([cell]))
    assert "pointer-events" not in as_svg(Picture([token]))
