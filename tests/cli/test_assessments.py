"""Assessing by another assessment than a battery, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reports.reading import check


def test_the_assessments_are_listed_with_what_they_can_be_told(mensura) -> None:
    typed = mensura("assessments", "--json", "a.json")
    assert typed.status == 0
    rows = {row["assessment"]: row for row in json.loads(Path("a.json").read_text())}
    assert set(rows) >= {"battery", "universal", "timed", "anytime", "adaptive", "social"}
    assert rows["anytime"]["parameters"]["growth"] == 0.5
    assert all(row["about"] for row in rows.values())


def test_an_assessment_says_what_it_can_be_told(mensura) -> None:
    typed = mensura("assessments", "anytime", "--json", "a.json")
    assert "Complexity follows reward" in typed.out
    rows = {row["parameter"]: row for row in json.loads(Path("a.json").read_text())}
    assert rows["growth"]["default"] == 0.5
    assert "slot grows" in rows["growth"]["meaning"]
    typed = mensura("assessments", "anytme")
    assert (typed.status, "did you mean anytime" in typed.err.lower()) == (2, True)


SMALL = ("--world", "lambda", "--set", "cells=3", "--set", "horizon=20", "--seed", "1")


@pytest.mark.parametrize(
    "words",
    [
        ("anytime", "--with", "interactions=500", "--with", "sittings=3"),
        pytest.param(
            ("timed", "--with", "interactions=20", "--with", "sittings=6"),
            marks=pytest.mark.thorough,
        ),
        ("universal", "--with", "sittings=2", "--with", "environments=20", "--with", "strata=4"),
        ("social", "--with", "sittings=4", "--with", "company=[follower]"),
    ],
    ids=lambda words: words[0],
)
def test_a_subject_is_assessed(mensura, words: tuple[str, ...]) -> None:
    typed = mensura("assess", "follower", "random", *SMALL, "-a", *words, "--json", "s.json")
    assert typed.status == 0, typed.err
    scores = {row["subject"]: row["score"] for row in json.loads(Path("s.json").read_text())}
    assert set(scores) == {"follower", "random"}
    assert all(-1 <= score <= 1 for score in scores.values())


@pytest.mark.usefixtures("words_only")
def test_a_report_without_a_store_tells_the_path_and_how_settled_it_is(mensura) -> None:
    words = ("anytime", "--with", "interactions=500", "--with", "sittings=3", "-o", "r.html")
    typed = mensura("assess", "follower", "random", *SMALL, "-a", *words)
    assert typed.status == 0, typed.err
    assert "chains" in typed.out
    page = check(Path("r.html").read_text(encoding="utf-8"))
    assert {"path", "settled"} <= set(page.ids)
    assert "the first chain, step by step" in page.prose
    assert not any("running score" in head for head in page.tables.get("measure-table", [[]])[0])


@pytest.mark.usefixtures("words_only")
def test_a_plain_average_in_seconds_is_marked_wherever_its_scores_are(mensura) -> None:
    words = ("anytime", "--with", "seconds=0.02", "--with", "sittings=2", "--with", "average=plain")
    typed = mensura("assess", "random", *SMALL, "-a", *words, "-o", "r.html")
    assert typed.status == 0, typed.err
    sentence = "who stops acting once it is ahead keeps its lead"
    assert sentence in " ".join(typed.out.split())
    page = check(Path("r.html").read_text(encoding="utf-8"))
    assert sentence in page.prose
    assert "the space does not count" in page.prose
    shown = mensura("assess", "random", *SMALL, "-a", *words[:-2])
    assert sentence not in " ".join(shown.out.split())


@pytest.mark.usefixtures("words_only")
def test_a_report_of_company_draws_the_place_and_tells_who_gains(mensura) -> None:
    words = ("social", "--with", "sittings=4", "--with", "company=[follower]", "-o", "r.html")
    assert mensura("assess", "follower", "random", *SMALL, "-a", *words).status == 0
    page = check(Path("r.html").read_text(encoding="utf-8"))
    assert "One example" in page.prose
    assert "y company" in page.prose


def test_the_anytime_test_is_kept_with_its_path(mensura) -> None:
    kept = ("-a", "anytime", "--with", "interactions=2000", "--with", "sittings=2")
    typed = mensura("assess", "oracle", *SMALL, *kept, "--name", "chain")
    assert typed.status == 0, typed.err
    assert mensura("runs", "export", "chain", "-o", "out", "--format", "csv").status == 0
    measures = next(Path("out").rglob("measures.csv")).read_text()
    for name in ("wanted", "xi", "running score"):
        assert name in measures


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--with", "interactions=2026-13-45"), "interactions is '2026-13-45'; it must be a whole"),
        (("--with", f"interactions={'[' * 3000}"), "interactions is '[["),
        (("-a", "anytyme"), "There is no assessment 'anytyme'; did you mean anytime"),
        (("-a", "anytime", "-e", "5"), "--episodes belongs to battery, and this is anytime"),
        (("-a", "anytime", "--with", "budget"), "--with 'budget' is not understood"),
        (("-a", "anytime", "--with", "interactions=0"), "budget"),
        (("--budget", "0"), "The budget is 0 interactions"),
        (("--budget", "0s"), "The budget is 0"),
        (("--budget", "much"), "write interactions as 1000000, or time as 60s, 10min or 1h"),
        (
            ("-a", "social", "--budget", "9"),
            "--budget belongs to anytime, timed, and this is social",
        ),
        (("-a", "battery", "-s", "9"), "and this is battery: add --assessment adaptive, or leave"),
        (("--training", "9"), "--training belongs to attempts, battery, and this is anytime"),
        (("-a", "anytime", "--with", "intractions=9"), "has no parameter 'intractions'"),
    ],
)
def test_bad_input_gets_a_sentence(mensura, words: tuple[str, ...], sentence: str) -> None:
    typed = mensura("assess", "random", *SMALL, *words)
    assert typed.status == 2
    assert sentence in typed.err


@pytest.mark.usefixtures("words_only")
def test_a_subject_is_placed_among_the_references(mensura) -> None:
    words = ("assess", "sarsa", "-s", "5", "--seed", "1")
    typed = mensura(*words, "--report", "r.html")
    assert typed.status == 0, typed.err
    assert "below planner (probability over 0.999)" in typed.out
    assert "below planner (probability over 0.999)" in Path("r.html").read_text()
    other = mensura(*words, "--set", "cells=3")
    assert "probability" not in other.out
