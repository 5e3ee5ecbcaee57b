"""The report of a run: its numbers are the result's, it stands alone, and nobody's name breaks it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.reports.reading import Page, check

from mensura.agent.errors import MensuraError
from mensura.records.batch import FaultRow
from mensura.records.faults import FaultGroup
from mensura.records.results import RunResult, SubjectResult
from mensura.reports import sections
from mensura.reports.html import Picture, render
from mensura.statistics.moments import Grouped, Histogram, Moments
from mensura.statistics.spread import predicted_spread


def subject(
    name: str, mean: float = 0.4, episodes: int = 60, slope: float = 0.0, **fields: Any
) -> SubjectResult:
    rng = np.random.default_rng(len(name))
    complexity = rng.integers(2, 24, episodes)
    scores = (mean + slope * (complexity - 12) + rng.normal(0, 0.05, episodes)).clip(-1, 1)
    return SubjectResult(
        name,
        **{
            "summary": f"a subject called {name}",
            "moments": Moments.of(scores),
            "by_complexity": Grouped().add(complexity, scores),
            "histogram": Histogram.even(-1.0, 1.0, 80).add(scores),
            "interactions": 250 * episodes,
            "seconds": 0.5,
            "compiled": True,
            **fields,
        },
    )


def result(subjects: Sequence[SubjectResult], **fields: Any) -> RunResult:
    return RunResult(
        **{
            "title": "A test of reports",
            "world": "lambda-star-v2",
            "world_parameters": {"rows": 10, "cols": 12, "blind_start": False, "future": ()},
            "assessment": {"name": "battery", "episodes": 60, "measure": "K", "spread": (2, 23)},
            "seed": 12345,
            "subjects": tuple(subjects),
            "seconds": 3.5,
            "started": "2026-01-02T03:04:05+00:00",
            **fields,
        }
    )


THREE = (subject("random", 0.0), subject("falls", 0.5, slope=-0.02), subject("best-of-all", 0.9))


@pytest.fixture(scope="module")
def page() -> Page:
    return check(render(result(THREE, notes=("A note for the reader.",))))


def test_the_table_holds_the_scores_of_the_result_best_first(page: Page) -> None:
    head, *rows = page.tables["score-table"]
    assert head[:3] == ["subject", "score", "95% interval"]
    expected = sorted(THREE, key=lambda one: -one.score.value)
    assert [row[0] for row in rows] == [one.subject for one in expected]
    for row, one in zip(rows, expected, strict=True):
        low, high = (float(end) for end in row[2].strip("[]").split(","))
        assert float(row[1]) == pytest.approx(one.score.value, abs=0.0005)
        assert low == pytest.approx(one.score.low, abs=0.0005)
        assert high == pytest.approx(one.score.high, abs=0.0005)
        assert row[3] == f"{one.score.n} environments"
        assert float(row[4]) == pytest.approx(one.spread.value, abs=0.00005)
        assert float(row[5]) == pytest.approx(
            predicted_spread(one.moments, 1000).value, abs=0.00005
        )
        assert int(row[6]) == one.moments.count
        assert row[-1] == one.summary


def test_the_reader_is_told_what_was_run_and_what_a_score_means(page: Page) -> None:
    for part in (
        "the same 60 environments",
        "complexity K is drawn evenly from 2 to 23",
        "seed 12345",
        "Definition 2",
        "Definition 3",
        "acting at random is worth 0",
        "A note for the reader.",
        "2026-01-02 03:04:05 UTC",
    ):
        assert part in page.prose


def test_the_spread_stands_beside_the_remark_of_the_paper(page: Page) -> None:
    predicted = {one.subject: predicted_spread(one.moments, 1000).value for one in THREE}
    low, high = min(predicted, key=predicted.__getitem__), max(predicted, key=predicted.__getitem__)
    assert "usually a standard deviation of less than 0.001" in page.prose
    assert (
        f"from {predicted[low]:.4f} ({low}) to {predicted[high]:.4f} ({high}) for 1000 episodes"
        in page.prose
    )
    below = sum(value < 0.001 for value in predicted.values())
    assert f"{below} of 3 subjects" in page.prose


def test_each_subject_has_a_panel_with_its_slope(page: Page) -> None:
    labels = [figure.get("aria-label", "") for figure in page.figures()]
    for one in THREE:
        assert f"Score of {one.subject} against the complexity of environments" in labels
    assert "The score falls with complexity for falls." in page.prose
    assert "Slope -0.0" in page.prose


def test_figures_label_their_axes_with_units(page: Page) -> None:
    words = [" ".join(figure.itertext()) for figure in page.figures()]
    assert all("[" in text and "]" in text for text in words)
    assert any("complexity K [Lempel-Ziv phrases]" in text for text in words)
    assert any("score [mean reward per subject and iteration]" in text for text in words)


def test_time_is_told_with_rates(page: Page) -> None:
    _, *rows = page.tables["time-table"]
    assert [row[1:] for row in rows] == [
        ["500 ms", "15\N{NARROW NO-BREAK SPACE}000", "30\N{NARROW NO-BREAK SPACE}000", "compiled"]
    ] * 3


def test_the_first_sentence_says_who_scored_highest_and_by_what_margin(page: Page) -> None:
    best = THREE[2].score
    assert f"best-of-all scored highest of 3 subjects: {best.value:+.3f}" in page.prose
    assert (
        "the difference is more than chance explains (5%, corrected for 2 comparisons" in page.prose
    )
    assert "acting at random, as far as" not in page.prose
    assert "Worse than acting at random" not in page.prose


@pytest.mark.usefixtures("words_only")
def test_rivals_that_differ_by_no_more_than_chance_are_not_ranked() -> None:
    close = (subject("one", 0.500), subject("two", 0.501), subject("low", 0.1))
    prose = check(render(result(close))).prose
    best, second, _ = sorted(close, key=lambda one: -one.score.value)
    assert f"{best.subject} scored highest of 3 subjects" in prose
    assert (
        f"Whether it is better than {second.subject} is open: that difference may be chance (5%, corrected for 2 "
        "comparisons by Holm's method)." in prose
    )


def faults_of(kind: str, detail: str, count: int) -> FaultGroup:
    return FaultGroup(FaultRow(3, 0, 0, 0, kind, detail), count)


def test_nothing_that_users_write_becomes_part_of_the_page() -> None:
    words = {
        place: f"<script>{place}</script> & $a_b$ \"'"
        for place in ("subject", "summary", "title", "note", "fault", "command", "machine")
    }
    one = subject(
        words["subject"],
        summary=words["summary"],
        faults=2,
        fault_groups=(faults_of("raised", words["fault"], 2),),
    )
    run = result(
        [one],
        title=words["title"],
        notes=(words["note"],),
        command=words["command"],
        machine=words["machine"],
    )
    text = render(run)
    page = check(text)
    assert "<script" not in text
    for place, word in words.items():
        assert word in page.prose, place


def test_a_nasty_name_is_written_out_in_figures_too() -> None:
    name = "<b>$x$&"
    page = check(render(result([subject(name), subject("other", 0.2)])))
    assert any(name in list(figure.itertext()) for figure in page.figures())


@pytest.mark.usefixtures("words_only")
def test_faults_are_counted_with_examples() -> None:
    faulty = subject(
        "shaky",
        0.2,
        faults=7,
        fault_groups=(faults_of("raised", "KeyError", 7),),
    )
    page = check(render(result([*THREE, faulty])))
    head, *rows = page.tables["score-table"]
    assert {row[0]: row[head.index("faults")] for row in rows}["shaky"] == "7"
    assert "item 3, seat 0, interaction 0: raised: KeyError (and 6 more like it)" in page.prose
    assert "shaky (7 faults, 0% of its actions were the default)" in page.prose
    assert "faults" not in check(render(result(THREE))).tables["score-table"][0]


@pytest.mark.usefixtures("words_only")
def test_the_command_comes_with_the_seed_that_was_drawn() -> None:
    prose = check(render(result(THREE, command="mensura assess random -e 60"))).prose
    assert "mensura assess random -e 60 --seed 12345" in prose
    prose = check(render(result(THREE, command="mensura demo --seed 12345"))).prose
    assert "mensura demo --seed 12345 " in f"{prose} "
    assert "--seed 12345 --seed" not in prose
    assert "started from Python" in check(render(result(THREE))).prose


@pytest.mark.usefixtures("words_only")
def test_a_single_episode_has_no_interval_and_says_so() -> None:
    page = check(render(result([subject("once", episodes=1)])))
    row = page.tables["score-table"][1]
    assert row[2] == "too few (1)"
    assert row[4] == "unknown"
    assert "Fewer than 5 episodes are too few for an interval or a verdict" in page.prose
    assert "nan" not in page.prose.lower().replace("nanosecond", "")


@pytest.mark.usefixtures("words_only")
def test_environments_without_a_measured_complexity_get_a_sentence() -> None:
    scores = np.linspace(0.1, 0.3, 9)
    bare = subject("bare", by_complexity=Grouped().add(np.full(9, -1), scores))
    prose = check(render(result([bare]))).prose
    assert "was not measured" in prose
    level = subject("level", by_complexity=Grouped().add(np.full(9, 5), scores))
    assert "All environments have the same complexity K" in check(render(result([level]))).prose


@pytest.mark.usefixtures("words_only")
def test_pictures_and_sentences_of_the_world_stand_in_the_report() -> None:
    picture = Picture(
        "How <it> looks", '<svg xmlns="http://www.w3.org/2000/svg"><g id="mine"/></svg>', "A & B"
    )
    page = check(render(result(THREE), [picture], ["A world of <two> cells."]))
    assert "mine" in page.ids
    assert "How <it> looks" in page.prose
    assert "A & B" in page.prose
    assert "A world of <two> cells." in page.prose


@pytest.mark.usefixtures("words_only")
def test_settings_show_plain_values_only() -> None:
    odd = {"rows": 3, "promises": frozenset({"x"}), "measures": {"K": object()}, "future": (0, 2)}
    prose = check(render(result(THREE, world_parameters=odd))).prose
    assert "rows 3" in prose
    assert "future 0, 2" in prose
    assert "frozenset" not in prose
    assert "object at" not in prose


@pytest.mark.thorough
def test_the_same_result_is_the_same_page() -> None:
    assert render(result(THREE[:2])) == render(result(THREE[:2]))


def test_a_run_without_subjects_is_refused_in_a_sentence() -> None:
    with pytest.raises(MensuraError, match="nothing to report"):
        render(result([]))
    with pytest.raises(MensuraError, match="nothing to report"):
        render(result([SubjectResult("never-played")]))


@pytest.mark.usefixtures("words_only")
def test_thirteen_subjects_and_long_names_fit() -> None:
    many = [subject(f"package.module:Agent{'x' * i}?alpha=0.{i}", 0.05 * i) for i in range(13)]
    page = check(render(result(many)))
    assert len(page.tables["score-table"]) == 14
    assert len(page.figures()) == 2 + 13
    width = max(float(figure.attrib["width"]) for figure in page.figures())
    assert math.isfinite(width)
    assert width <= 520


def test_what_the_paper_says_of_lambda_star_is_not_said_of_other_worlds() -> None:
    one = SubjectResult("one", moments=Moments.of([0.1, 0.2, 0.4]))
    assert any("The paper reports" in line for line in sections.spread([one], "lambda-star-v2"))
    assert not any("paper" in line for line in sections.spread([one], "lambda-v1"))
