"""The page of robustness: sentences that are true of every input, and a page that is sound."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.reports.reading import check

from mensura.records.results import StudyResult
from mensura.reports.robustness_page import render_robustness
from mensura.reports.robustness_words import measures_table, plain, recovery_table, told
from mensura.statistics.degradation import Breakdown, degradation, noticing, recovery
from mensura.statistics.interval import Estimate, mean_interval

STRENGTHS = (0.0, 0.5, 1.0)


def breakdown(
    subject: str = "mine",
    means: tuple[float, ...] = (0.5, 0.3, 0.0),
    n: int = 30,
    strengths: tuple[float, ...] = STRENGTHS,
    valid: bool = True,
    noticed: Estimate | None = None,
    back: tuple[Estimate | None, ...] = (),
) -> Breakdown:
    rng = np.random.default_rng(1)
    own = np.array(means) + rng.normal(0.0, 0.02, (n, len(means)))
    chance = rng.normal(0.0, 0.02, (n, len(means)))
    return Breakdown(
        subject,
        "action-noise",
        tuple(mean_interval(column) for column in own.T),
        tuple(mean_interval(column) for column in chance.T),
        degradation(strengths, own, chance, 1, resamples=200),
        valid,
        noticed,
        back,
    )


def page(*breakdowns: Breakdown) -> str:
    result = StudyResult(
        name="robust", title="Robustness of mine", status="finished", conditions=()
    )
    return render_robustness(result, breakdowns, "mensura robustness mine")


@pytest.mark.usefixtures("words_only")
def test_the_page_has_the_table_and_a_curve_for_each() -> None:
    one, two = breakdown(), breakdown("<b>other</b>", (0.5, 0.5, 0.5))
    found = check(page(one, two))
    rows = found.tables["robustness-table"]
    assert rows[0][0] == "subject"
    assert rows[1][0] == "mine"
    assert rows[2][4] == "> 1 [> 1, > 1]"
    assert page(one, two).count("<svg") == 2
    assert "<b>other" not in page(one, two)


def test_nobody_is_told_as_nobody() -> None:
    assert list(told([])) == ["Nobody was measured."]
    assert "Nothing has been played to its end yet." in page()


def test_two_subjects_that_tie_are_both_told() -> None:
    (sentence, _) = told([breakdown("one"), breakdown("two")])
    assert sentence.count("breaks at a strength of") == 2


def test_what_is_not_defined_is_no_number() -> None:
    chance = breakdown(means=(0.0, 0.0, 0.0))
    _, ((_, _, _, *cells),) = measures_table([chance])
    assert cells == ["not defined"] * 4
    data = plain(chance)
    assert (data["area"], data["breaking_point"], data["breakdown"]) == (None, None, None)
    assert any("not told apart from acting at random" in one for one in told([chance]))
    check(page(chance))


def test_scores_that_are_not_the_subjects_own_define_nothing() -> None:
    one = breakdown(valid=False)
    assert not one.defined
    assert any("actions were the environment's default" in sentence for sentence in told([one]))


@pytest.mark.parametrize("n", [1, 2, 4])
def test_too_few_environments_define_nothing(n: int) -> None:
    one = breakdown(n=n)
    assert not one.defined
    assert any("too few; 5 are the least." in sentence for sentence in told([one]))
    check(page(one))


def test_a_subject_below_chance_is_said_to_be_there() -> None:
    sentences = list(told([breakdown(means=(-0.5, -0.3, 0.0))]))
    assert any("mine is below acting at random" in one for one in sentences)


def test_strengths_that_end_before_1_say_where_they_end() -> None:
    one = breakdown(means=(0.5, 0.45), strengths=(0.0, 0.4))
    _, ((_, _, _, area, breaking, manner, half),) = measures_table([one])
    assert area == half == "not measured"
    assert breaking.startswith("> 0.4 ")
    assert manner == "not reached"
    assert "up to a strength of 0.4" in next(told([one]))


def test_noticing_and_recovery_have_their_places_where_they_were_measured() -> None:
    rng = np.random.default_rng(2)
    noticed = noticing(rng.random(20), 1 + rng.random((20, 2)), 0)
    clean = rng.normal(0.5, 0.1, 20)
    back = recovery(clean, clean - 0.4 + rng.normal(0, 0.01, 20), clean - 0.2, 0)
    one = breakdown(noticed=noticed, back=(None, back, None))
    heads, rows = measures_table([one, breakdown("silent")])
    assert heads[-1] == "noticing"
    assert [row[-1] for row in rows] == ["1.00 [1.00, 1.00]", "not measured"]
    table = recovery_table([one])
    assert table is not None
    assert table[0] == ["subject", "operator", "at 0.5", "at 1"]
    assert table[1][0][-1] == "not defined"
    assert table[1][0][2].startswith("0.5")
    assert recovery_table([breakdown()]) is None
    assert "recovery-table" in check(page(one)).tables


def test_sentences_end_and_data_is_json() -> None:
    breakdowns = [breakdown(), breakdown("other", (0.5, 0.5, 0.5)), breakdown("third", n=3)]
    assert all(one.endswith((".", "?")) for one in told(breakdowns))
    text = json.dumps([plain(one) for one in breakdowns[:2]], allow_nan=False)
    assert "> 1" in text
    assert not any(math.isinf(one.scores[0].value) for one in breakdowns)
