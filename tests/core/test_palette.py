"""What all drawings share: distinct colors, tidy SVG, and a sentence where a library is missing."""

import sys
from itertools import combinations
from xml.etree import ElementTree

import pytest

from mensura.agent.errors import MensuraError
from mensura.core import palette

pytestmark = pytest.mark.quick

RAW = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10.2 20">
 <metadata><a xmlns="http://purl.org/dc/elements/1.1/">made on a Monday</a></metadata>
 <defs><style type="text/css">*{stroke-linecap: butt}</style></defs>
 <g id="figure_1"><path id="m1" d="M 1.234567 2
 L 3 4" style="stroke: #010203"/>
  <use xlink:href="#m1" x="0.999999"/><g clip-path="url(#c1)"/>
  <text style="font: 10px 'DejaVu Sans'">url(#m1) id="m1" #010203 1.234567 &lt;b&gt;</text>
  <clipPath id="c1"/></g>
</svg>"""


def test_tidy_svg_holds_only_what_is_seen_and_prefixes_the_ids_that_are_used() -> None:
    tidy = palette.tidy_svg(RAW, "fig", 'a "label" & more')
    root = ElementTree.fromstring(tidy)
    everything = list(root.iter())
    assert {part.get("id") for part in everything} - {None} == {"fig-m1", "fig-c1"}
    assert "Monday" not in tidy
    assert "stroke-linecap" not in tidy
    assert "http" not in tidy.replace("http://www.w3.org/2000/svg", "")
    (use,) = root.iter("{http://www.w3.org/2000/svg}use")
    assert use.attrib == {"href": "#fig-m1", "x": "1"}
    path = next(root.iter("{http://www.w3.org/2000/svg}path"))
    assert path.attrib["d"] == "M 1.23 2 L 3 4"
    assert path.attrib["style"] == "stroke: currentColor"
    assert root.get("aria-label") == 'a "label" & more'
    assert root.get("viewBox") == "0 0 10 20"


def test_words_of_users_in_a_figure_stay_as_they_are() -> None:
    root = ElementTree.fromstring(palette.tidy_svg(RAW, "fig", ""))
    (text,) = root.iter("{http://www.w3.org/2000/svg}text")
    assert text.text == 'url(#m1) id="m1" #010203 1.234567 <b>'


def test_series_differ_in_color_and_in_marker() -> None:
    for one, other in combinations(palette.SERIES, 2):
        assert one[0] != other[0]
        assert one[1] != other[1]


def test_a_missing_drawing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with (
        pytest.raises(MensuraError, match=r"A figure needs the extra report: pip install"),
        palette.extra("A figure"),
    ):
        import matplotlib  # noqa: F401


def test_a_missing_module_of_another_kind_is_not_taken_for_one() -> None:
    with pytest.raises(ModuleNotFoundError), palette.extra("A figure"):
        import mensura.there_is_no_such_module  # type: ignore[import-not-found]  # noqa: F401


def test_every_role_of_a_shape_has_a_color_and_a_sign_of_its_own_or_is_a_shade() -> None:
    signs = [palette.sign_of(role) for role in palette.ROLES]
    assert len(set(signs)) == len(signs)
    assert all(len(palette.rgb(palette.color_of(role))) == 3 for role in palette.ROLES)
    assert (palette.color_of("shade-0"), palette.color_of("shade-1")) == ("#440154", "#FDE725")
    shades = [palette.rgb(palette.color_of(f"shade-{i / 20}")) for i in range(21)]
    lightness = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in shades]
    assert lightness == sorted(lightness)
    for role in ("shade-2", "shade-x", "shade-nan", "god"):
        with pytest.raises(MensuraError, match=f"'{role}' is no role of a shape"):
            palette.color_of(role)
