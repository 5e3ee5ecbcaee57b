"""Where a score comes from, in a report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.reports.printing import empty_figures
from tests.reports.reading import check
from tests.reports.studies import condition, study
from tests.reports.test_protocols import given

from mensura.complexity.prior import masses
from mensura.core.steps import contribution_of
from mensura.records.results import RunResult
from mensura.reports.study import render_study
from mensura.statistics.moments import Moments
from mensura.statistics.sample import Sample

LEVELS = [2, 3, 4, 5, 6]


def universal() -> tuple[RunResult, list[Sample]]:
    """The strong subject gets 1 in the simplest environments and 0 in others; the weak one 0 with noise."""
    one, samples = condition("world", {"strong": 0.5, "weak": 0.0})
    noise = np.linspace(-0.01, 0.01, 40)
    subjects = []
    for subject, reward in zip(one.subjects, (1.0, 0.0), strict=True):
        measures = {
            contribution_of(level): Moments.of(
                mass * (reward if level == 2 else 0.0) + mass * noise
            )
            for level, mass in zip(LEVELS, masses(LEVELS), strict=True)
        }
        subjects.append(replace(subject, measures={**measures, "tokens": Moments.of([1.0, 2.0])}))
    return replace(one, subjects=tuple(subjects), assessment=given("universal")), samples


def test_what_each_complexity_adds_is_drawn_beside_its_weight() -> None:
    result, samples = study([universal()])
    with empty_figures(but="What each complexity adds"):
        page = check(render_study(result, samples))
    assert "contributions" in page.ids
    figures = [f for f in page.figures() if "What each complexity adds" in f.get("aria-label", "")]
    assert len(figures) == 2
    assert {"its weight", "what it adds"} <= set(figures[0].itertext())
    assert "The 3 lowest steps of complexity, 2, 3 and 4, have 90.3% of the weight" in page.prose
    score = f"{result.conditions[0].subjects[0].moments.mean:+.3f}"
    assert f"What they add to the scores: +0.516 of {score} for strong" in page.prose
    assert f"Most comes from complexity 2: +0.516 of {score}." in page.prose


@pytest.mark.usefixtures("words_only")
def test_of_a_score_of_nothing_no_share_is_told() -> None:
    page = check(render_study(*study([universal()])))
    sentence = page.prose.partition("What they add to the scores: ")[2].partition(".  ")[0]
    weak = sentence.partition("for strong")[2].partition("for weak")[2][:4]
    assert "%" not in weak
    assert "The score is indistinguishable from 0" in page.prose


@pytest.mark.usefixtures("words_only")
def test_contributions_are_no_further_measures() -> None:
    page = check(render_study(*study([universal()])))
    assert page.tables["measure-table"][0] == ["subject", "tokens"]
    assert "contributions" not in check(render_study(*study([condition("world")]))).ids
