"""Difficulty in reports: tables, figures, sentences and data, of any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reports.studies import condition, study
from tests.statistics.test_difficulty import series

from mensura.reports.difficulty_tables import data, solved_panels, table, words
from mensura.reports.study import render_study
from mensura.statistics.series import Asked, Series

KINDS = ("profile", "solved", "difficulty", "agreement")


def asked(kind: str, *own: Series) -> Asked:
    return Asked(kind, kind, "", own)  # type: ignore[arg-type]


ABLE = (series("able"), series("other"), series("able", "two"), series("guesser", ability=None))


def test_a_profile_names_who_generalizes() -> None:
    found = table(asked("profile", *ABLE))
    assert found is not None
    assert found["head"] == ["subject", "one", "two", "above guessing"]
    assert [(row[0], row[-1]) for row in found["rows"]] == [
        ("able", "2 of 2"),
        ("other", "1 of 1"),
        ("guesser", "0 of 1"),
    ]
    assert "(100%)" in found["rows"][0][1]
    (told,) = words(asked("profile", *ABLE))
    assert "in none: guesser" in told
    assert "in all 2: able" in told


def test_a_regression_says_what_solving_depends_on() -> None:
    (told,) = words(asked("difficulty", *ABLE))
    assert "fall with bits (times 0." in told
    assert "no effect beyond noise of size" in told
    found = table(asked("difficulty", *ABLE))
    assert found is not None
    assert [row[0] for row in found["rows"]] == ["all together", "one", "two"]


@pytest.mark.usefixtures("words_only")
def test_agreement_counts_pairs() -> None:
    (told,) = words(asked("agreement", *ABLE))
    assert "of 1 pair of subjects in a world, 1 agree beyond noise" in told


def test_a_panel_for_each_world_shows_who_solves_how_much() -> None:
    panels = list(solved_panels(asked("solved", *ABLE), "f", {"able": 0, "other": 1}, "bits"))
    assert [one["name"] for one in panels] == ["one", "two"]
    assert all("<svg" in str(one["svg"]) for one in panels)


@pytest.mark.usefixtures("words_only")
def test_the_report_of_any_study_says_what_they_show() -> None:
    result, samples = study([condition("world", {"one": 0.5}, episodes=5)])
    figures = [asked("profile", *ABLE), asked("difficulty", *ABLE)]
    page = render_study(result, samples, asked=figures)
    for one in figures:
        assert one.title in page
        for told in words(one):
            assert told.partition(":")[0] in page


@pytest.mark.parametrize("kind", KINDS)
def test_data_are_plain(kind: str) -> None:
    rows = data(asked(kind, *ABLE))
    assert rows
    for row in rows:
        for value in row.values():
            assert value is None or isinstance(value, (str, bool, int, float))
            assert not isinstance(value, float) or np.isfinite(value)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.lists(st.lists(st.sampled_from([1.0, -1.0, 0.0]), max_size=6), max_size=3),
)
def test_nothing_breaks_on_little_or_nothing(kind: str, scores: list[list[float]]) -> None:
    own = [
        Series(
            f"s{i}",
            "w",
            {},
            np.array(some),
            np.arange(len(some), dtype=float),
            np.zeros(len(some), np.int64),
            np.arange(len(some), dtype=np.uint64),
        )
        for i, some in enumerate(scores)
    ]
    table(asked(kind, *own))
    for told in words(asked(kind, *own)):
        assert told.endswith(".")
        assert "nan" not in told
    data(asked(kind, *own))
