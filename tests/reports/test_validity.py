"""A score that is not its subject's own is shown as such: it leads nothing, and equals are called equal."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.reports.reading import check
from tests.reports.studies import condition, grid, study

from mensura.assessments.references import placed, references
from mensura.records.batch import FaultRow, PrintedRow
from mensura.records.faults import FaultGroup
from mensura.records.results import RunResult, StudyResult, SubjectResult, plain_numbers
from mensura.reports import sections
from mensura.reports.standing import measured, standings
from mensura.reports.study import render_study
from mensura.statistics.moments import Moments

pytestmark = pytest.mark.usefixtures("words_only")

BROKEN: dict[str, Any] = {
    "actions": 4000,
    "defaults": 4000.0,
    "faults": 120,
    "asked": 120.0,
    "fault_groups": (
        FaultGroup(FaultRow(0, 0, 0, 0, "raised", "KeyError: 'x' (bad.py, line 7)"), 120),
    ),
    "printed": (PrintedRow(0, "I am <here>\x1b[2J"),),
}


def with_broken(name: str = "strong", **fields: Any) -> tuple[StudyResult, list[Any]]:
    result, samples = study([condition("world")])
    (one,) = result.conditions
    subjects = tuple(
        replace(each, **{**BROKEN, **fields})
        if each.subject == name
        else replace(each, actions=4000)
        for each in one.subjects
    )
    return replace(result, conditions=(replace(one, subjects=subjects),)), samples


def headline(subjects: list[SubjectResult], **fields: Any) -> str:
    one, _ = condition("world")
    run = replace(one, subjects=tuple(subjects))
    return " ".join(sections.found(standings(measured([run], [])), 1, **fields))


def scoring(name: str, scores: Any, **fields: Any) -> SubjectResult:
    return SubjectResult(name, moments=Moments.of(np.asarray(scores, float)), **fields)


def test_who_only_played_the_default_leads_nothing() -> None:
    page = check(render_study(*with_broken()))
    assert "middling scored highest of 2 subjects" in page.prose
    assert "strong scored" not in page.prose
    assert "No valid score: strong (100% of its actions were the default)." in page.prose
    head, *rows = page.tables["score-table"]
    assert [row[0] for row in rows] == ["middling", "weak", "strong (invalid)"]
    assert [row[head.index("played by default")] for row in rows] == ["0%", "0%", "100%"]


def test_the_figures_and_rates_of_who_only_played_the_default_are_marked() -> None:
    page = check(render_study(*with_broken()))
    head, *rows = page.tables["time-table"]
    rates = {row[0]: row[head.index("interactions per second")] for row in rows}
    assert rates["strong (invalid)"] == "unknown"
    assert rates["weak"] != "unknown"


def test_no_number_stands_beside_a_subject_that_has_no_valid_score() -> None:
    result, samples = with_broken()
    page = check(render_study(result, samples))
    head, *rows = page.tables["score-table"]
    cells = dict(zip(head, rows[-1], strict=True))
    assert cells["subject"] == "strong (invalid)"
    assert {cells[one] for one in ("score", "95% interval", "spread", "spread at 1000")} == {"none"}
    assert cells["interquartile mean"] == ""
    assert not any("(invalid)" in "".join(figure.itertext()) for figure in page.figures())
    row = plain_numbers(next(one for one in result.conditions[0].rows() if not one["valid"]))
    assert [row[name] for name in ("score", "low", "high", "spread")] == [None] * 4
    assert row["reason"] == "100% of its actions were the environment's default"


def test_faults_are_counted_over_what_was_asked_and_shown_with_what_was_printed() -> None:
    page = check(render_study(*with_broken()))
    assert (
        "strong: 120 faults in 120 questions (100%); 100% of its actions were the default."
        in page.prose
    )
    assert "raised: KeyError: 'x' (bad.py, line 7) (and 119 more like it)" in page.prose
    assert "I am <here>\\x1b[2J" in page.prose
    assert "Where more than 5% of the actions are the environment's default" in page.prose


def test_where_nobody_has_a_valid_score_nothing_is_said_of_anybody() -> None:
    result, samples = study([condition("world", **BROKEN)])
    page = check(render_study(result, samples), drawn=False)
    assert "No subject has a valid score: strong" in page.prose
    for word in (
        "scored highest",
        "acting at random,",
        "falls with complexity",
        "was not measured",
    ):
        assert word not in page.prose


def test_a_few_faults_leave_a_score_valid_and_are_told() -> None:
    page = check(render_study(*with_broken(defaults=120.0, faults=3)))
    assert "strong scored highest of 3 subjects" in page.prose
    assert "strong (3 faults, 3.0% of its actions were the default)" in page.prose


def test_records_of_earlier_versions_say_that_they_do_not_know() -> None:
    page = check(render_study(*with_broken(defaults=float("nan"), asked=float("nan"))))
    assert "strong scored highest of 3 subjects" in page.prose
    assert "strong: 120 faults, in how many questions was not recorded;" in page.prose
    head, first, *_ = page.tables["score-table"]
    assert first[head.index("played by default")] == "not recorded"


@pytest.mark.usefixtures("words_only")
def test_one_invalid_condition_makes_the_whole_invalid_and_moves_no_factor() -> None:
    result, samples = grid()
    first, *others = result.conditions
    subjects = tuple(
        replace(one, actions=100, defaults=60.0) if one.subject == "strong" else one
        for one in first.subjects
    )
    result = replace(result, conditions=(replace(first, subjects=subjects), *others))
    page = check(render_study(result, samples))
    assert "middling scored highest of 2 subjects" in page.prose
    assert (
        "strong (60% of its actions were the default under the worst of its conditions)"
        in page.prose
    )


def test_equal_scores_are_called_equal() -> None:
    same = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    both = headline([scoring("a", same), scoring("b", [*same[::-1]])])
    assert "a and b scored equally: +0.350." in both
    assert "highest" not in both
    three = headline([scoring("a", same), scoring("b", same), scoring("c", [-0.1, 0.1] * 3)])
    assert "a and b scored equally, above the other 1: +0.350." in three


def test_nobody_is_held_against_acting_at_random_who_acts_at_random() -> None:
    below = -0.2 + 0.01 * np.arange(8)
    said = headline([scoring("random", below), scoring("bad", below - 0.1)])
    assert "Worse than acting at random: bad." in said
    assert headline([scoring("random*3+random?x=1", below)]).count("random") == 3


def test_verdicts_are_corrected_for_how_many_are_made() -> None:
    rng = np.random.default_rng(5)
    # A score whose own interval just excludes 0: beyond chance alone, not among thirty.
    near = rng.normal(0, 1, 30)
    near = 0.1 * (near - near.mean()) / near.std(ddof=1)
    below = near - 0.1 / np.sqrt(30) * 2.2
    assert Moments.of(below).estimate().high < 0.0
    assert "Worse than acting at random: near." in headline([scoring("near", below)])
    others = [scoring(f"other-{i}", rng.normal(0, 0.1, 30)) for i in range(29)]
    assert "Worse than acting at random" not in headline([scoring("near", below), *others])


def test_few_sittings_get_a_warning_in_place_of_an_interval() -> None:
    said = headline([scoring("a", [0.9, -0.8, 0.8]), scoring("b", [0.1, 0.2, 0.3])])
    assert "[" not in said
    assert "Fewer than 5 episodes are too few for an interval or a verdict" in said
    assert "open: that difference may be chance" in said


def test_no_interval_reaches_beyond_the_ends_of_the_scale() -> None:
    one = scoring("a", [1.0, 1.0, 1.0, 0.9, 1.0, 0.8])
    assert one.moments.estimate().high > 1.0
    assert one.score.high == 1.0
    assert (
        standings(measured([replace(condition("world")[0], subjects=(one,))], []))[0].score.high
        == 1.0
    )


def test_invalid_scores_are_not_placed_among_references() -> None:
    reference = references()[0]
    run = RunResult(
        "world",
        reference.world,
        reference.parameters,
        {"name": reference.assessment, **reference.given},
        1,
        subjects=(
            scoring("good", [0.1, 0.2, 0.3, 0.2, 0.1], actions=10),
            scoring("broken", [0.1, 0.2, 0.3, 0.2, 0.1], actions=10, defaults=10.0),
        ),
    )
    sentences = placed(StudyResult("run", "run", "finished", (run,)))
    assert [sentence.split()[0] for sentence in sentences] == ["good"]


def test_what_an_honest_subject_printed_is_shown_too() -> None:
    honest = {"faults": 0, "asked": 4000.0, "defaults": 0.0, "fault_groups": ()}
    page = check(render_study(*with_broken(**honest)))
    assert "strong: 0 faults" in page.prose
    assert "I am <here>" in page.prose
