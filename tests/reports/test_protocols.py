"""What reports say of each assessment: the words fit, and nothing of another one is said."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from tests.reports.reading import Page, check
from tests.reports.studies import condition, study

from mensura.core.registry import ASSESSMENTS
from mensura.core.steps import ALONE, GAIN
from mensura.records.results import RunResult
from mensura.reports import company
from mensura.reports.protocols import assessed, balanced, common_unit, meaning, unit_of
from mensura.reports.standing import measured, standings
from mensura.reports.study import render_study
from mensura.statistics.moments import Moments

GIVEN: dict[str, dict[str, Any]] = {
    "battery": {"episodes": 40, "spread": (2, 7), "measure": "K"},
    "exercises": {"sittings": 20, "fewest": 3, "most": 9, "per_cell": 10, "memory": "fresh"},
    "fixed-battery": {"sittings": 3, "environments": [], "count": 20, "weights": "complexity"},
    "anytime": {
        "sittings": 12,
        "interactions": 2000,
        "seconds": None,
        "first": 10.0,
        "growth": 0.5,
        "approach": "fast",
        "average": "plain",
        "memory": "fresh",
    },
    "universal": {"sittings": 12, "environments": 100, "pilot": 3, "strata": 12, "memory": "fresh"},
    "aiq": {"sittings": 10, "programs": 100, "interactions": 1000, "pilot": 3, "memory": "fresh"},
    "human-starts": {
        "pool": '{"digest":"00112233445566778899aabbccddeeff","world":"lambda-v1","checkpoints":100,'
        '"episodes":12,"players":["p1","p2"]}',
        "evaluations": 100,
        "limit": 450,
        "memory": "fresh",
    },
    "timed": {"sittings": 9, "environments": 1, "seconds": 0.5, "average": "diminishing"},
    "adaptive": {"sittings": 5, "standard_error": 0.05, "least": 10, "most": 200},
    "coordination": {"environments": 40, "talk": "numbers"},
    "attempts": {"sittings": 4, "attempts": 200, "training": 0, "curriculum": 10},
    "transfer": {"family": "{}", "interactions": 2000, "learners": 8, "measures": "raw"},
    "games": {"sittings": 40},
    "pairs": {"sittings": 0},
    "halves": {"sittings": 75, "items": 40},
    "understand": {"phenomenon": "plot_it", "questions": 10, "sittings": 4},
    "social": {"sittings": 40, "company": ["follower", "oracle"], "memory": "continuous"},
}


def given(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, **GIVEN[name], **more}


def of(assessment: dict[str, Any]) -> RunResult:
    return replace(condition("world")[0], world="lambda-v1", assessment=assessment)


def page(assessment: dict[str, Any]) -> Page:
    one, samples = condition("world", {"one": 0.5}, episodes=5)
    return check(
        render_study(*study([(replace(one, world="lambda-v1", assessment=assessment), samples)]))
    )


def test_every_assessment_that_comes_with_mensura_has_words_of_its_own() -> None:
    assert set(ASSESSMENTS.names()) <= set(GIVEN)
    told = {name: " ".join(assessed(of(given(name)), ())) for name in GIVEN}
    meant = {name: " ".join(meaning("lambda-v1", given(name))) for name in GIVEN}
    assert len(set(told.values())) == len(set(meant.values())) == len(GIVEN)
    assert not any("The assessment was" in text for text in told.values())
    # The definitions of the paper on Lambda Star are those of a battery.
    assert [name for name, text in meant.items() if "Chmait" in text] == ["battery"]
    for text in (*told.values(), *meant.values()):
        assert "None" not in text
        assert "  " not in text


def test_whether_acting_at_random_is_worth_nothing_depends_on_the_parameters_of_a_world() -> None:
    assert balanced("lambda-star-v2", {})
    assert balanced("lambda-star-v2", {"company": 2, "company_for": "both"})
    assert not balanced("lambda-star-v2", {"company": 2})
    assert not balanced("lambda-star-v0", {"company": 2})  # of records under older rules
    assert balanced("lambda-v1", {})
    assert not balanced("lambda-v1", {"good_drops": [0.5], "sieves": []})
    assert not balanced("framotec-v1", {})
    assert balanced("nowhere-v0", {})
    assert balanced("lambda-star-v2", {"gone": 1})
    one = meaning("lambda-star-v2", given("battery"), {"company": 2})
    assert "They are not balanced" in " ".join(one)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("anytime", "12 chains of environments, each with a budget of 2"),
        ("anytime", "at first in large steps, every slot is 50% longer"),
        (
            "fixed-battery",
            "the same 20 environments in 3 rounds; they were drawn as the world draws them",
        ),
        (
            "exercises",
            "took 20 tests of 7 exercises, in spaces of 3 to 9 cells, with 10 interactions",
        ),
        ("universal", "estimated 12 times, each time from 100 environments"),
        ("timed", "0.5 s in each environment of 9 environments"),
        ("timed", "also depends on how quick it was"),
        ("adaptive", "when the standard error of its expected reward is 0.05 or less"),
        ("social", "in the company of follower and oracle"),
        ("social", "goes on from one environment to the next with what it knows"),
    ],
)
def test_what_was_done_is_told(name: str, sentence: str) -> None:
    assert sentence in " ".join(assessed(of(given(name)), ()))


@pytest.mark.parametrize(
    ("assessment", "many"),
    [
        (given("battery"), "episodes"),
        (given("anytime"), "chains"),
        (given("universal"), "estimates"),
        (given("fixed-battery"), "rounds"),
        (given("exercises"), "tests"),
        (given("timed"), "episodes"),
        (given("timed", environments=3), "sittings"),
        (given("adaptive"), "tests"),
        (given("social"), "pairs"),
        (given("attempts"), "sittings"),
        ({"name": "somebody-elses"}, "sittings"),
    ],
)
def test_a_sitting_has_a_name(assessment: dict[str, Any], many: str) -> None:
    assert unit_of(assessment).many == many


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize("name", ["battery", "anytime", "somebody-elses"])
def test_a_report_calls_sittings_by_their_name(name: str) -> None:
    assessment = given(name) if name in GIVEN else {"name": name}
    many = unit_of(assessment).many
    found = page(assessment)
    head, *_ = found.tables["score-table"]
    assert many in head
    assert ("spread at 1000" in " ".join(" ".join(head).split())) == (many == "episodes")
    assert f"Distribution over {many}" in found.prose
    assert ("Chmait" in found.prose) == (name == "battery")


@pytest.mark.usefixtures("words_only")
def test_where_assessments_differ_sittings_are_sittings() -> None:
    assert common_unit([of(given("anytime")), of(given("social"))]).one == "sitting"
    assert common_unit([of(given("anytime")), of(given("anytime"))]).one == "chain"


def test_another_assessment_is_named() -> None:
    text = " ".join(assessed(of({"name": "somebody-elses"}), ()))
    assert text.startswith("The assessment was somebody-elses. All was drawn from the seed 99")


@pytest.mark.usefixtures("words_only")
def test_a_complexity_is_explained_as_its_world_does() -> None:
    told = "How complex an environment is: Lempel-Ziv 76 complexity"
    one, samples = condition("world")
    star = replace(one, world="lambda-star-v2", assessment=given("battery"))
    assert told in check(render_study(*study([(star, samples)]))).prose
    gone = replace(one, world="gone-v0", assessment=given("battery"))
    assert told not in check(render_study(*study([(gone, samples)]))).prose
    assert told not in page(given("anytime", measure="kt_max")).prose


@pytest.mark.usefixtures("words_only")
def test_who_gains_and_who_loses_by_company_is_told() -> None:
    gains = {
        "strong": [0.13, 0.14, 0.13, 0.13, 0.14],
        "middling": [-0.3, -0.2, -0.3, -0.3, -0.2],
        "weak": [-0.1, 0.1, 0.0, 0.1, -0.1],
    }
    one, _ = condition("world")
    subjects = tuple(
        replace(
            subject,
            measures={
                GAIN: Moments.of(gains[subject.subject]),
                ALONE: Moments.of([0.5, 0.6, 0.5, 0.6, 0.5]),
            },
        )
        for subject in one.subjects
    )
    whole = replace(one, subjects=subjects)
    found = list(company.words(company.found(standings(measured([whole], [])))))
    assert re.fullmatch(
        r"Company helps strong \(alone \+0.540 \[.*\], in company \+0.6.. \[.*\], gain \+0.134 \[.*\]\)\.",
        found[0],
    )
    assert found[1].startswith("Company costs middling (alone +0.540 [")
    assert found[2].startswith("No gain or loss by company beyond noise: weak (alone +0.540 [")
    assert not company.found(standings(measured([one], [])))
    head, *rows = check(render_study(*study([(whole, [])]))).tables["company-table"]
    assert head == ["subject", "alone", "in company", "gain by company"]
    assert [row[0] for row in rows] == ["strong", "middling", "weak"]
    assert [len(re.findall(r"\[.*?\]", cell)) for row in rows for cell in row[1:]] == [1] * 9


@pytest.mark.usefixtures("words_only")
def test_where_acting_at_random_is_not_worth_0_a_report_does_not_say_so() -> None:
    one, samples = condition("world", {"one": -0.4}, episodes=5)
    for world, random in (("lambda-star-v2", True), ("framotec-v1", False), ("gone-v0", True)):
        own = replace(one, world=world, assessment=given("battery"))
        prose = check(render_study(*study([(own, samples)]))).prose
        assert ("acting at random is worth 0" in prose) is random
        assert ("Worse than acting at random" in prose) is random
