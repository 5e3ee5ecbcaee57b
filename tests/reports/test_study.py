"""The report of a study: one condition or hundreds, finished or not, with its numbers where they belong."""

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.reports.printing import empty_figures
from tests.reports.reading import Page, check
from tests.reports.studies import MEANS, condition, grid, study

from mensura.agent.errors import MensuraError
from mensura.records.results import RunResult
from mensura.reports.study import (
    Drawings,
    joined,
    render_study,
    save_figures,
)
from mensura.statistics.clusters import sample_mean
from mensura.statistics.moments import Moments
from mensura.statistics.replication import replication_of
from mensura.statistics.robust import interquartile_mean
from mensura.statistics.sample import Sample


@pytest.fixture(scope="module")
def crossed() -> Page:
    """Words and tables of the page on two factors."""
    with empty_figures():
        return check(render_study(*grid()))


@pytest.fixture(scope="module")
def single() -> Page:
    one = condition(
        "world",
        repetitions=3,
        training=12,
        cpu=0.5,
        lost=2,
        measures={"tokens": Moments.of([3.0, 4.0, 5.0, 3.0, 5.0])},
    )
    return check(render_study(*study([one], notes=("Mind <this>.",), source="Somebody (2016)")))


def cell(text: str) -> tuple[float, float, float]:
    value, _, ends = text.partition("[")
    low, high = ends.rstrip("]").split(",")
    return float(value), float(low), float(high)


def test_one_condition_reads_as_one_experiment(single: Page) -> None:
    headings = [given["href"][1:] for tag, given in single.tags if tag == "a"]
    assert headings == [
        "what",
        "scores",
        "complexity",
        "learning",
        "distribution",
        "settled",
        "measures",
        "time",
        "faults",
        "notes",
        "again",
        "words",
    ]
    for part in (
        "A trial of reports",
        "strong scored highest of 3 subjects",
        "the same 40 environments",
        "The experiment was published: Somebody (2016).",
        "The environments that were met have a complexity K of 2 to 7; half of them are at",
        "Mind <this>.",
    ):
        assert part in single.prose
    assert "condition" not in [heading.lower() for heading in single.tables["score-table"][0]]


def test_scores_and_interquartile_means_stand_with_intervals_by_unit(single: Page) -> None:
    _, samples = study([condition("world", repetitions=3, training=12)])
    head, *rows = single.tables["score-table"]
    assert head[6] == "interquartile mean"
    replication = replication_of(samples)
    for row, sample in zip(rows, samples, strict=True):
        mean = sample_mean(sample, share=replication.of(sample.label))
        assert cell(f"{row[1]} {row[2]}") == pytest.approx(
            (mean.value, mean.low, mean.high), abs=0.0006
        )
        value, low, high = cell(row[6])
        assert value == pytest.approx(interquartile_mean(sample.score), abs=0.0006)
        assert low < value < high
    assert "The experiment was made in 3 repetitions, with other seeds each." in single.prose


def apart(title: str, difference: float) -> tuple[RunResult, list[Sample]]:
    """A condition in two repetitions, the second of which scores higher by so much."""
    result, samples = condition(title, repetitions=2)
    moved = [replace(one, score=one.score + difference * (one.run - 0.5 - 0.2)) for one in samples]
    subjects = tuple(
        replace(one, moments=Moments.of(own.score))
        for one, own in zip(result.subjects, moved, strict=True)
    )
    return replace(result, subjects=subjects), moved


def unit_cells(page: Page, table: str) -> set[str]:
    return {row[3] for row in page.tables[table][1:]}


def test_neighboring_conditions_have_one_unit_and_it_stands_beside_every_table() -> None:
    """Two repetitions of 40 episodes: they differ a little under every other condition."""
    conditions = [apart(f"world, {i}", 0.06 * (i % 2)) for i in range(4)]
    with empty_figures():
        page = check(render_study(*study(conditions, [{"size": str(i)} for i in range(4)])))
    assert unit_cells(page, "score-table") == {"2 repetitions in each condition"}
    assert all(unit_cells(page, f"condition-{i}-scores") == {"2 repetitions"} for i in range(4))
    assert page.prose.count("The unit of the intervals is the repetition") == 2
    widths = [
        high - low
        for row in page.tables["condition-table"][1:]
        for _, low, high in map(cell, row[1:])
    ]
    assert max(widths) < 2 * min(widths)


def test_every_factor_has_a_table_of_subjects_by_levels(crossed: Page) -> None:
    tables = [crossed.tables[f"factor-table-{i}"] for i in range(2)]
    assert [table[0] for table in tables] == [
        ["subject", "small", "large"],
        ["subject", "red", "blue"],
    ]
    for table in tables:
        assert [row[0] for row in table[1:]] == ["strong", "middling", "weak"]
        assert all(cell(text)[1] < cell(text)[2] for row in table[1:] for text in row[1:])


def test_two_repetitions_that_differ_have_no_interval_and_nobody_is_better() -> None:
    result, samples = study([apart("world", 0.3)])
    with empty_figures():
        page = check(render_study(result, samples))
    rows = page.tables["score-table"][1:]
    assert {row[2] for row in rows} == {"not estimable with 2 repetitions"}
    assert "It takes more repetitions, not more episodes." in page.prose
    assert "Whether that is better than middling and weak is not estimable" in page.prose
    assert "more than chance explains" not in page.prose


def test_two_repetitions_that_agree_speak_of_environments_only_and_say_so() -> None:
    with empty_figures():
        page = check(render_study(*study([apart("world", 0.0)])))
    assert unit_cells(page, "score-table") == {"80 environments"}
    assert "they speak of other environments, not of other repetitions" in page.prose


def test_learning_curves_have_panels_with_labeled_axes(single: Page) -> None:
    curves = [f for f in single.figures() if "by the number" in f.get("aria-label", "")]
    assert len(curves) == 3
    for figure in curves:
        words = list(figure.itertext())
        assert "episode in the environment [number]" in words
        assert "reward of an episode [mean]" in words
    assert "10 sittings kept" in single.prose


def test_resources_lost_sittings_and_further_measures_are_told(single: Page) -> None:
    head, first, *_ = single.tables["time-table"]
    assert head == [
        "subject",
        "time",
        "processor time",
        "interactions",
        "interactions per second",
        "lost sittings",
        "played",
    ]
    assert first[2] == "500 ms"
    assert first[5] == "2"
    head, first, *_ = single.tables["measure-table"]
    assert head == ["subject", "tokens"]
    assert first[1].startswith("4 [")


def test_where_it_came_from_and_how_to_run_it_again(single: Page) -> None:
    for part in ("0123abc", "numpy 2.2", "a machine", "seed: 99", "mensura study run study.yaml"):
        assert part in single.prose


@pytest.mark.thorough
def test_every_figure_of_the_page_names_its_axes_and_units(single: Page) -> None:
    crossed = check(render_study(*grid()))
    for page in (single, crossed):
        for figure in page.figures():
            text = " ".join(figure.itertext())
            label = figure.get("aria-label", "")
            assert "[" in text or "Scores by" in label, label
    words = [word for figure in crossed.figures() for word in figure.itertext()]
    assert "side [cells]" in words


def test_the_distribution_has_histograms_boxes_and_profiles(single: Page) -> None:
    labels = [figure.get("aria-label", "") for figure in single.figures()]
    assert "Distributions of the scores of single episodes of 3 subjects" in labels
    assert "The share of episodes above each score, of 3 subjects" in labels


def test_of_several_conditions_each_counts_the_same(crossed: Page) -> None:
    result, _ = grid()
    head, *rows = crossed.tables["score-table"]
    assert [row[0] for row in rows] == ["strong", "middling", "weak"]
    for row in rows:
        means = [
            one.moments.mean
            for condition in result.conditions
            for one in condition.subjects
            if one.subject == row[0]
        ]
        assert float(row[1]) == pytest.approx(np.mean(means), abs=0.0006)
        assert row[head.index("conditions")] == "4"
    assert "Over 4 conditions, each counting the same" in crossed.prose


def test_the_table_of_conditions_has_every_score_and_leads_to_the_rest(crossed: Page) -> None:
    result, _ = grid()
    head, *rows = crossed.tables["condition-table"]
    assert head == ["condition", "strong", "middling", "weak"]
    for row, one in zip(rows, result.conditions, strict=True):
        assert row[0] == one.title
        for subject, text in zip(one.subjects, row[1:], strict=True):
            assert cell(text)[0] == pytest.approx(subject.moments.mean, abs=0.0006)
    assert "condition-3" in crossed.ids
    assert len(crossed.tables["condition-0-scores"]) == 4


def test_factors_are_told_with_what_they_moved(crossed: Page) -> None:
    assert "What was varied: size (small and large) and color (red and blue)." in crossed.prose
    moved = re.search(
        r"moves the score this far: size \(by ([\d.]+), 95% interval \[(.*?), (.*?)\]\) and color "
        r"\(by ([\d.]+), 95% interval \[(.*?), (.*?)\]\)",
        crossed.prose,
    )
    assert moved is not None
    assert float(moved[1]) == pytest.approx(0.2, abs=0.03)
    assert 0.1 < float(moved[2]) < float(moved[1]) < float(moved[3]) < 0.3
    assert float(moved[4]) < 0.03
    assert float(moved[5]) < 0.0
    labels = [figure.get("aria-label", "") for figure in crossed.figures()]
    assert "Scores at each level of size" in labels
    assert "Each point is the mean over 2 settings of all else" in crossed.prose


@pytest.mark.usefixtures("words_only")
def test_a_factor_varied_alone_is_compared_at_the_baseline_only() -> None:
    """The condition that differs in two factors at once has no part in either comparison."""
    conditions = [
        condition("world, s, r", {"x": 0.1, "y": 0.0}),
        condition("world, m, r", {"x": 0.3, "y": 0.2}),
        condition("world, s, b", {"x": 0.8, "y": 0.7}),
    ]
    levels = [
        {"size": "s", "color": "r"},
        {"size": "m", "color": "r"},
        {"size": "s", "color": "b"},
    ]
    page = check(render_study(*study(conditions, levels)))
    moved = dict(re.findall(r"(color|size) \(by ([\d.]+)", page.prose))
    assert float(moved["color"]) == pytest.approx(0.7, abs=0.03)
    assert float(moved["size"]) == pytest.approx(0.2, abs=0.03)
    assert "All else is the same at every point." in page.prose


@pytest.mark.usefixtures("words_only")
def test_who_acts_may_be_a_factor() -> None:
    conditions = [condition("world, a", {"a": 0.1}), condition("world, b", {"b": 0.5})]
    page = check(render_study(*study(conditions, [{"who": "a"}, {"who": "b"}])))
    assert "who (by 0.4" in page.prose
    assert "Not all subjects were assessed under the same conditions" in page.prose
    assert "scored highest" not in page.prose


@pytest.mark.usefixtures("words_only")
def test_an_unfinished_run_says_so_at_the_top() -> None:
    result, samples = study([condition("world")], status="stopped", sittings=480, done=120)
    prose = check(render_study(result, samples)).prose
    start = prose.index(
        "This run is not finished, it is stopped: 120 of 480 sittings (25%) are done."
    )
    assert start < prose.index("scored highest")
    assert "mensura study resume trial" in prose


def test_a_run_without_episodes_is_refused_in_a_sentence() -> None:
    empty, _ = study([condition("world")])
    bare = replace(
        empty,
        conditions=tuple(
            replace(one, subjects=tuple(replace(who, moments=Moments()) for who in one.subjects))
            for one in empty.conditions
        ),
    )
    for result in (bare, replace(empty, conditions=())):
        with pytest.raises(MensuraError, match="The run trial has no subjects with episodes"):
            render_study(result)


@pytest.mark.usefixtures("words_only")
def test_conditions_and_subjects_that_were_not_reached_are_left_out() -> None:
    full, samples = study([condition("world, one"), condition("world, two")], status="stopped")
    second = full.conditions[1]
    reached = replace(
        second,
        subjects=(
            second.subjects[0],
            *(replace(one, moments=Moments()) for one in second.subjects[1:]),
        ),
    )
    partly = replace(full, conditions=(full.conditions[0], reached))
    kept = [one for one in samples if one.condition == "world, one" or one.label == "strong"]
    page = check(render_study(partly, kept))
    assert page.tables["condition-table"][2][2:] == ["", ""]
    none = replace(reached, subjects=tuple(replace(s, moments=Moments()) for s in reached.subjects))
    alone = check(render_study(replace(full, conditions=(full.conditions[0], none)), samples[:3]))
    assert "condition-table" not in alone.tables


@pytest.mark.usefixtures("words_only")
def test_without_samples_the_page_is_whole() -> None:
    result, _ = grid()
    page = check(render_study(result))
    assert "interquartile mean" not in page.tables["score-table"][0]
    assert [row[0] for row in page.tables["score-table"][1:]] == list(MEANS)


@pytest.mark.thorough
@pytest.mark.usefixtures("words_only")
def test_hundreds_of_conditions_make_a_page_of_tables() -> None:
    conditions, levels = [], []
    for a in range(10):
        for b in range(15):
            conditions.append(condition(f"world, a{a}, b{b}", {"x": a / 20, "y": 0.1}, episodes=5))
            levels.append({"alpha": f"a{a}", "beta": f"b{b}"})
    result, samples = study(conditions, levels)
    page = check(render_study(result, samples))
    assert len(page.tables["condition-table"]) == 151
    assert len(page.figures()) < 12
    assert "alpha (by 0.2" in page.prose


@pytest.mark.parametrize("figures", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_nothing_that_users_write_becomes_part_of_the_page(figures: bool) -> None:
    nasty = "<script>alert(1)</script> & $x$"
    one = condition(f"{nasty} a", {nasty: 0.4, "other": 0.1})
    two = condition(f"{nasty} b", {nasty: 0.5, "other": 0.1})
    result, samples = study(
        [one, two], [{nasty: "1"}, {nasty: "2"}], title=nasty, study={"name": nasty}
    )
    with nullcontext() if figures else empty_figures():
        text = render_study(result, samples)
    assert "<script" not in text
    assert nasty in check(text).prose


@pytest.mark.usefixtures("words_only")
def test_the_same_study_is_the_same_page() -> None:
    means = {"strong": 0.7, "weak": 0.0}
    result, samples = study([condition("world", means, repetitions=2)])
    assert render_study(result, samples) == render_study(result, samples)


@pytest.mark.usefixtures("words_only")
def test_several_runs_stand_side_by_side() -> None:
    runs = [
        study([condition("world", {"x": mean, "y": 0.1})], name=name)
        for name, mean in (("before", 0.2), ("after", 0.6))
    ]
    page = check(render_study(*joined(runs)))
    assert [row[0] for row in page.tables["condition-table"][1:]] == [
        "before: world",
        "after: world",
    ]
    assert "2 runs: before and after" in page.prose
    assert "run (by 0.2" in page.prose
    assert check(render_study(*runs[0])).prose.count("before") > 0
    behind = (replace(runs[1][0], status="stopped", done=1), runs[1][1])
    prose = check(render_study(*joined([runs[0], behind]))).prose
    assert "This run is not finished" in prose
    assert "Not finished: after." in prose
    assert "study resume" not in prose
    with pytest.raises(MensuraError, match="The run before is named twice"):
        joined([runs[0], runs[0]])


@pytest.mark.slow
def test_figures_are_saved_for_a_paper(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    result, samples = study([condition("world", {"strong": 0.7, "weak": 0.0}, training=6)])
    paths = save_figures(result, samples, tmp_path / "figures" / "new")
    with empty_figures(even_at_full_size=True):
        drawn = Drawings(result, samples).all()
    assert len(paths) == 2 * len(drawn) == 2 * (3 + 2 + 2 + 2)
    assert len({path.name for path in paths}) == len(paths)
    for path in paths:
        if path.suffix == ".svg":
            root = ElementTree.parse(path).getroot()
            assert root.tag.endswith("svg")
            assert any("[" in text for text in root.itertext())
        else:
            content = path.read_bytes()
            assert content.startswith(b"%PDF-")
            assert content.rstrip().endswith(b"%%EOF")
            assert len(content) > 2000
    assert sorted(paths) == sorted((tmp_path / "figures" / "new").iterdir())


@pytest.mark.usefixtures("words_only")
def test_a_page_and_its_files_can_share_their_figures(tmp_path: Path) -> None:
    result, samples = study([condition("world", {"strong": 0.7, "weak": 0.0})])
    drawings = Drawings(result, samples)
    assert render_study(result, samples, drawings=drawings) == render_study(result, samples)
    shared = save_figures(result, samples, tmp_path / "a", formats=["svg"], drawings=drawings)
    again = save_figures(result, samples, tmp_path / "b", formats=["svg"])
    assert [path.name for path in shared] == [path.name for path in again]
    assert [path.read_bytes() for path in shared] == [path.read_bytes() for path in again]


@pytest.mark.usefixtures("words_only")
def test_figures_are_refused_in_a_format_that_nobody_draws(tmp_path: Path) -> None:
    result, samples = study([condition("world")])
    with pytest.raises(MensuraError, match="saved as svg or pdf, not as bmp"):
        save_figures(result, samples, tmp_path / "out", formats=("bmp",))
    assert not (tmp_path / "out").exists()
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(MensuraError, match="cannot be made"):
        save_figures(result, samples, blocked / "out")


@pytest.mark.usefixtures("words_only")
def test_a_single_episode_under_one_of_several_conditions_has_no_interval() -> None:
    result, samples = study([condition("world, a", episodes=1), condition("world, b")])
    page = check(render_study(result, samples))
    assert page.tables["condition-table"][1][1].endswith("too few (1)")
    assert "nan" not in page.prose.lower()
