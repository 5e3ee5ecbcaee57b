"""Figures: well-formed, the same every time, and with the points where the numbers are."""

import math
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.reports import drawing, experiment_figures, figures
from mensura.statistics.interval import Estimate
from mensura.statistics.moments import Grouped, Histogram

SVG = "{http://www.w3.org/2000/svg}"


def estimate(value: float, reach: float = 0.05) -> Estimate:
    return Estimate(value, value - reach, value + reach, 0.95, 100, reach / 2)


def markers(svg: str, color: str) -> list[tuple[float, float]]:
    """Where round markers of a color are drawn."""
    root = ElementTree.fromstring(svg)
    round_ones = {
        f"#{path.get('id')}"
        for path in root.iter(f"{SVG}path")
        if path.get("id") and " C " in path.attrib["d"]
    }
    return [
        (float(use.attrib["x"]), float(use.attrib["y"]))
        for use in root.iter(f"{SVG}use")
        if use.get("href") in round_ones and f"fill: {color}" in use.get("style", "")
    ]


def test_scores_stand_in_proportion_from_the_top_down() -> None:
    svg = figures.scores([("a", estimate(0.9)), ("b", estimate(0.5)), ("c", estimate(0.1))])
    (xa, ya), (xb, yb), (xc, yc) = markers(svg, "#0072b2")
    assert xa - xb == pytest.approx(xb - xc, abs=0.05)
    assert xa > xb > xc
    assert ya < yb < yc


def test_the_same_data_give_the_same_text_whatever_was_drawn_before() -> None:
    entries = [("a", estimate(0.9)), ("b", estimate(0.5))]
    first = figures.scores(entries)
    experiment_figures.interactions(["x", "y"], {("x", "y"): (0.2, True)})
    assert figures.scores(entries) == first


def test_a_users_own_matplotlib_settings_do_not_matter() -> None:
    import matplotlib

    entries = [("a", estimate(0.9))]
    first = figures.scores(entries)
    with matplotlib.rc_context({"axes.grid": True, "font.size": 30, "svg.fonttype": "path"}):
        assert figures.scores(entries) == first


def test_unknown_intervals_are_drawn_as_bare_points() -> None:
    once = Estimate(0.4, -math.inf, math.inf, 0.95, 1, math.nan)
    svg = figures.scores([("once", once), ("often", estimate(0.2))])
    assert len(markers(svg, "#0072b2")) == 2
    assert "nan" not in svg
    assert "inf" not in svg


def test_one_wild_interval_does_not_flatten_the_others() -> None:
    low, high = drawing.score_range([estimate(0.2), estimate(0.6), estimate(0.4, reach=9.0)])
    assert -0.1 < low <= 0.0
    assert 0.6 < high < 0.8


def test_ridges_hold_mean_median_and_name() -> None:
    scores = np.random.default_rng(2).normal(0.3, 0.1, 500).clip(-1, 1)
    histogram = Histogram.even(-1.0, 1.0, 80).add(scores)
    empty = Histogram.even(-1.0, 1.0, 80)
    svg = figures.distributions([("somebody", histogram, 0.3), ("nobody", empty, 0.0)])
    words = list(ElementTree.fromstring(svg).itertext())
    assert "somebody" in words
    assert "nobody" in words
    assert "nan" not in svg


def test_levels_without_numbers_stand_apart_or_in_rows() -> None:
    points = [estimate(0.1), estimate(0.2), estimate(0.3)]
    mixed = experiment_figures.factor_alone(
        ["2", "4", "any"], [2.0, 4.0, None], points, 2, "K", (0.0, 1.0), "f", "label"
    )
    assert "any" in list(ElementTree.fromstring(mixed).itertext())
    named = experiment_figures.factor_alone(
        ["x", "y", "z"], [None, None, None], points, 0, "who", (0.0, 1.0), "f", "label"
    )
    heights = [y for _, y in markers(named, "#0072b2")]
    assert heights == sorted(heights)
    assert len(set(heights)) == 3


def test_crowded_numbers_get_a_logarithmic_axis_that_says_so() -> None:
    points = [estimate(0.1)] * 4
    crowded = experiment_figures.factor_alone(
        list("abcd"), [1.0, 2.0, 20.0, 400.0], points, 0, "n", (0.0, 1.0), "f", "label"
    )
    even = experiment_figures.factor_alone(
        list("abcd"), [1.0, 2.0, 3.0, 4.0], points, 0, "n", (0.0, 1.0), "f", "label"
    )
    assert "n, logarithmic" in list(ElementTree.fromstring(crowded).itertext())
    assert "n" in list(ElementTree.fromstring(even).itertext())


def test_cells_of_a_pair_show_their_numbers() -> None:
    svg = experiment_figures.table_of_pair(
        ["r1", "r2"],
        ["c1", "c2", "c3"],
        [[0.11, 0.22, 0.33], [0.44, 0.55, 0.66]],
        "rows",
        "columns",
        "p",
        "label",
    )
    words = list(ElementTree.fromstring(svg).itertext())
    for text in ("0.11", "0.22", "0.33", "0.44", "0.55", "0.66", "r1", "c3", "rows", "columns"):
        assert text in words


def test_a_matrix_of_interactions_stars_what_is_beyond_noise() -> None:
    shares = {("a", "b"): (0.25, True), ("a", "c"): (0.04, False), ("b", "c"): (0.0, False)}
    words = list(
        ElementTree.fromstring(experiment_figures.interactions(["a", "b", "c"], shares)).itertext()
    )
    assert "25%*" in words
    assert "4.0%" in words
    assert "0%" in words


def test_a_learning_curve_is_joined_where_it_is_long_and_ends_in_what_was_assessed() -> None:
    episodes = np.repeat(np.arange(501), 5)
    curve = Grouped().add(episodes, episodes / 500)
    numbers, points = figures.joined(curve)
    assert len(points) <= figures.CURVE
    assert numbers[0] >= 1
    assert sum(point.n for point in points) == 501 * 5
    svg = figures.learning(curve, 500, (0, 510), (0, 1.1), "curve", "label")
    assert "episode in the environment [number]" in list(ElementTree.fromstring(svg).itertext())
    assert "nan" not in svg


def test_more_subjects_than_colors_are_told_apart_by_their_lines() -> None:
    seen = {str(drawing.look_of(i)) for i in range(18)}
    assert len(seen) == 18


def test_open_and_settled_differences_look_different() -> None:
    svg = figures.differences(
        [("a less b", estimate(0.4), True), ("a less c", estimate(0.01), False)],
        "difference [unit]",
        0.0,
        "d",
        "label",
    )
    words = list(ElementTree.fromstring(svg).itertext())
    for text in ("a less b", "a less c", "settled", "open", "difference [unit]"):
        assert text in words


def test_a_drawing_is_saved_the_same_every_time(tmp_path: Path) -> None:
    drawing = figures.scores([("a", estimate(0.9)), ("b", estimate(0.5))])
    first = [path.read_bytes() for path in drawing.save(tmp_path)]
    assert [path.read_bytes() for path in drawing.save(tmp_path)] == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.pdf", "scores.svg"]
    with pytest.raises(MensuraError, match="does not exist"):
        drawing.save(tmp_path / "nowhere")


@pytest.mark.parametrize("kind", ["svg", pytest.param("pdf", marks=pytest.mark.thorough)])
def test_a_figure_is_written_as_matplotlib_itself_writes_it(kind: str) -> None:
    scores = figures.scores([("a", estimate(0.9)), ("somebody else", estimate(0.5))])
    date: dict[str, None] = {"Date" if kind == "svg" else "CreationDate": None}
    own, direct = BytesIO(), BytesIO()
    with drawing._style():
        drawing._write(scores.paint, own, kind, date)
        scores.paint().savefig(direct, format=kind, metadata=date)
    assert own.getvalue() == direct.getvalue()
