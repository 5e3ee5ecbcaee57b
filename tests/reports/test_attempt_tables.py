"""Attempts in reports: figures beside the front, and a table of what was measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.reports.reading import check
from tests.reports.studies import condition, study

from mensura.reports import attempt_figures
from mensura.reports.attempt_tables import data, panels, table, words
from mensura.reports.experiment import render_experiment
from mensura.statistics.attempts import Attempts, Frontier
from mensura.statistics.series import Asked

FRONT = Frontier(
    np.array([6.0, 8.0, 10.0]), np.array([1200.0, 900.0, 800.0]), 200.0, "By hand.", 60.0, 1300.0
)


def tried(
    subject: str = "learner",
    world: str = "race",
    factor: float = 1.0,
    front: Frontier | None = FRONT,
    sittings: int = 6,
) -> Attempts:
    rng = np.random.default_rng(3)
    time = factor * rng.uniform(7.0, 9.0, (sittings, 40))
    solved = rng.random((sittings, 40)) < np.linspace(0.2, 1.0, 40)
    return Attempts(subject, world, solved, time, 150.0 * time, 10, front)


def figure(*attempts: Attempts, published: str = "") -> Asked:
    return Asked("attempts", "Figure 9", "", (), attempts=attempts, published=published)


def test_a_figure_shows_every_solved_attempt_of_the_first_sitting_and_the_front() -> None:
    one = tried()
    drawing = attempt_figures.by_time_and_energy(one, "a", "attempts")
    assert drawing.count("<use") >= int(one.solved[0].sum())
    assert "least energy" in drawing
    assert "most energy" in drawing
    assert ">limit<" in drawing
    alone = attempt_figures.by_time_and_energy(tried(front=None), "a", "attempts")
    assert "least energy" not in alone


def test_early_attempts_are_light_and_late_ones_dark() -> None:
    solved = np.ones((1, 50), bool)
    time = np.linspace(1.0, 2.0, 50)[None]
    axes = (
        attempt_figures.by_time_and_energy(Attempts("a", "b", solved, time, time), "a", "attempts")
        .paint()
        .axes[0]
    )
    (dots,) = axes.collections
    dots.update_scalarmappable()
    lightness = dots.get_facecolor()[:, :3] @ [0.299, 0.587, 0.114]
    assert (np.diff(lightness) <= 0).all()
    red, green, _, _ = dots.get_facecolor()[0]
    assert green > red
    assert dots.get_facecolor()[-1][0] > 3 * dots.get_facecolor()[-1][1]


def test_where_nothing_was_solved_a_figure_says_so() -> None:
    none = Attempts("a", "b", np.zeros((2, 5), bool), np.ones((2, 5)), np.ones((2, 5)))
    assert "none was solved" in attempt_figures.by_time_and_energy(none, "a", "attempts")
    assert attempt_figures.as_they_go_on(none, "a", "attempts").startswith("<svg")
    assert set(table(figure(none))["rows"][0][2:]) == {"unknown", "0.00"}
    assert next(words(figure(none))) == "Figure 9: a (b) solved no attempt in 2 sittings."
    assert next(panels(figure(none), "x"))["caption"] == (
        "None of 5 attempts of the first sitting was solved."
    )


def test_two_sittings_have_no_intervals_and_no_bands_and_say_so() -> None:
    one = tried(sittings=2)
    told = table(figure(one, replace(one, subject="other")))
    assert "without intervals, for which 2 sittings are too few" in told["note"]
    assert not any("[" in text for row in told["rows"] for text in row)
    caption = [*panels(figure(one), "x")][1]["caption"]
    assert caption == (
        "Both sittings; there are no bands, since 2 sittings are too few for intervals."
    )
    axes = attempt_figures.as_they_go_on(one, "a", "attempts").paint().axes[0]
    (band,) = axes.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert np.ptp(np.interp([1, 20, 40], *axes.lines[0].get_data())) > 0
    assert set(heights.round(9)) <= set(axes.lines[0].get_ydata().round(9))


def test_sittings_that_are_all_alike_still_have_an_interval() -> None:
    solved = np.ones((6, 8), bool)
    one = Attempts("a", "b", solved, np.ones((6, 8)), np.ones((6, 8)))
    assert table(figure(one))["rows"][0][1].startswith("1.00 [0.")


def test_costs_are_told_of_the_sittings_that_solved_something() -> None:
    one = Attempts(
        "a", "b", np.array([[0, 0], [1, 0]], bool), np.full((2, 2), 3.0), np.ones((2, 2))
    )
    assert "3.0 s and 1 J on average, over the 1 of 2 sittings that solved something" in next(
        words(figure(one))
    )


def test_where_nobody_made_an_attempt_nothing_is_claimed() -> None:
    empty = Attempts("a", "b", np.zeros((0, 5), bool), np.zeros((0, 5)), np.zeros((0, 5)))
    for nobody in (figure(), figure(empty)):
        assert table(nobody)["note"] == "Nobody made an attempt."
        assert table(nobody)["rows"] == []
        assert [*panels(nobody, "x")] == []
        assert [*words(nobody)] == []


def test_one_attempt_is_not_early_and_late() -> None:
    once = Attempts("a", "b", np.ones((6, 1), bool), np.ones((6, 1)), np.ones((6, 1)))
    assert table(figure(once))["rows"][0][-1] == "unknown"


def test_a_table_has_a_line_for_each_and_the_ratio_of_two() -> None:
    told = table(figure(tried(), tried(world="long race", factor=2.0)))
    assert [row[0] for row in told["rows"]] == ["learner", "learner", "learner: ratio"]
    at = told["head"].index("time [s]")
    assert told["rows"][2][1] == "long race / race"
    assert told["rows"][2][at].startswith("2.00 [")
    assert "6 sittings of 40 attempts" in told["note"]
    assert len(table(figure(tried()))["rows"]) == 1
    assert data(figure(tried()))[0]["time [s]"]["measured"] == pytest.approx(8.0, abs=0.2)


@pytest.mark.usefixtures("words_only")
def test_the_page_has_what_was_published_beside_what_was_measured() -> None:
    result, _ = study([condition("race")])
    asked = [figure(tried(), published="It was solved in no time.")]
    page = check(render_experiment(result, asked, ()))
    assert "Published: It was solved in no time." in page.prose
    assert "Figure 9: learner (race) solved" in page.prose
    assert len([*panels(asked[0], "x")]) == 2
    assert "By hand. Red: what the motors can spend" in page.prose
