"""Series, statistics of samples, and what a study file may ask for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reports.printing import empty_figures

from mensura.agent.errors import MensuraError
from mensura.records.results import StudyResult
from mensura.records.store import open_store
from mensura.reports.experiment import render_experiment
from mensura.reports.study_figures import figures_of, speed_table
from mensura.statistics.sample import Sample
from mensura.studies import runs
from mensura.studies.conditions import conditions
from mensura.studies.expand import expand
from mensura.studies.figure_series import asked_figures, asked_statistics, chosen, series_of
from mensura.studies.files import STUDIES, read_study
from mensura.studies.study import Study, study_from_plain


def study(**changes: Any) -> Study:
    plain: dict[str, Any] = {
        "mensura": 1,
        "name": "small",
        "repetitions": 6,
        "subjects": [
            {"subject": "random", "worlds": ["three", "four"]},
            {"subject": "follower", "worlds": ["three", "four"]},
            {"subject": "random+oracle", "name": "both", "worlds": ["together"]},
        ],
        "worlds": [
            {"name": "three", "world": "lambda-v1", "parameters": {"cells": 3, "horizon": 20}},
            {"name": "four", "world": "lambda-v1", "parameters": {"cells": 4, "horizon": 20}},
            {
                "name": "together",
                "world": "lambda-v1",
                "parameters": {"cells": 4, "horizon": 20, "subjects": 2},
            },
        ],
        "assessments": [
            {"assessment": "battery", "parameters": {"episodes": 4, "measure": "zlib_pattern"}}
        ],
        **changes,
    }
    return study_from_plain(plain)


def played(one: Study, folder: Path) -> tuple[Any, list[Sample]]:
    with open_store(str(folder / "runs.db")) as store:
        run = runs.begin(store, one, seed=3)
        result = runs.resume(store, run, manner=runs.Manner(workers=1))
        return result, store.samples(store.find(run.name))


def test_members_of_a_collective_are_series_of_their_own(tmp_path: Path) -> None:
    one = study()
    _, samples = played(one, tmp_path)
    series = series_of(one, samples)
    assert [(s.world, s.subject) for s in series] == [
        ("three", "random"),
        ("three", "follower"),
        ("four", "random"),
        ("four", "follower"),
        ("together", "oracle"),
        ("together", "random"),
    ]
    both = next(sample for sample in samples if sample.label == "both")
    oracle, random = series[-2:]
    assert (oracle.score + random.score) / 2 == pytest.approx(both.score)
    assert oracle.score.mean() > random.score.mean()
    picked = chosen(one, series, worlds=["four"], subjects=["follower", "random"])
    assert [s.subject for s in picked] == ["follower", "random"]
    assert len(picked[0].score) == 24
    assert (picked[0].of(2).score == picked[0].score[8:12]).all()


def sample(label: str, world: str, scores: np.ndarray, complexity: np.ndarray) -> Sample:
    """Scores of shape (repetitions, sittings)."""
    repetitions, sittings = scores.shape
    return Sample(
        label=label,
        score=scores.ravel(),
        environment=np.arange(scores.size, dtype=np.uint64),
        run=np.repeat(np.arange(repetitions), sittings),
        complexity=np.tile(complexity, repetitions),
        condition=world,
    )


def test_statistics_are_those_of_each_sample() -> None:
    rng = np.random.default_rng(1)
    complexity = np.arange(8.0)
    scores = {
        (who, world): rng.normal(size=(50, 8)) + (1 + 0.3 * complexity) * (who == "random")
        for who in ("random", "follower")
        for world in ("three", "four")
    }
    one = study(
        statistics=[
            {"statistic": "mean", "published": {"random": 1.0, "people": 0.2}},
            {"statistic": "standard deviation", "subjects": ["follower"], "worlds": ["three"]},
            {"statistic": "standard deviation of tests", "subjects": ["follower"]},
            {"statistic": "correlation", "subjects": ["random"]},
            {
                "statistic": "anova",
                "subjects": ["random", "follower"],
                "worlds": ["three", "four"],
                "published": {"subject": 1e6},
            },
        ]
    )
    result = StudyResult("small", "", "finished", (), study=one.to_plain())
    told = asked_statistics(
        result, [sample(who, world, values, complexity) for (who, world), values in scores.items()]
    )
    by = {(row.statistic, row.subject): row for row in told}
    means = [
        np.concatenate([scores["random", w][r] for w in ("three", "four")]).mean()
        for r in range(50)
    ]
    mean = by["mean", "random"]
    assert mean.samples == 50
    assert mean.middle == pytest.approx(np.median(means))
    assert mean.beyond == np.mean(
        np.array(means) <= 1.0 if mean.middle > 1.0 else np.array(means) >= 1.0
    )
    people = by["mean", "people"]
    assert (people.published, people.samples) == (0.2, 0)
    assert np.isnan(people.middle)
    three = by["standard deviation", "follower"]
    assert three.worlds == ("three",)
    assert three.middle == pytest.approx(np.median(scores["follower", "three"].std(axis=1, ddof=1)))
    tests = (scores["follower", "three"] + scores["follower", "four"]) / 2
    assert by["standard deviation of tests", "follower"].middle == pytest.approx(
        np.median(tests.std(axis=1, ddof=1))
    )
    assert by["correlation", "random"].low > 0.2
    f = by["F of subject", "random and follower"]
    assert f.beyond == 0.0
    assert f.significant > 0.8
    assert by["F of interaction", "random and follower"].significant < 0.3
    assert by["F of world", "random and follower"].to_json()["worlds"] == ["three", "four"]


FIGURES = [
    {"kind": "curve", "title": "A curve", "factors": ["length"], "worlds": ["three", "four"]},
    {"kind": "map", "title": "A map", "factors": ["length", "drop"], "mark": [5, 0.5]},
    {"kind": "complexity", "title": "By complexity", "together": True, "caption": "All & sundry"},
    {"kind": "histogram", "title": "Spread"},
    {"kind": "boxes", "title": "Boxes", "subjects": ["random", "follower"]},
    {"kind": "interactions", "title": "Together", "worlds": ["three"]},
]

FACTORS = [
    {
        "name": "length",
        "levels": [
            {"label": "5", "value": 5, "world": {"horizon": 5}},
            {"label": "9", "value": 9, "world": {"horizon": 9}},
        ],
    },
    {
        "name": "drop",
        "levels": [
            {"label": "half", "value": 0.5, "world": {"good_drops": [0.5], "evil_drops": [0.5]}},
            {"label": "all", "value": 1.0},
        ],
    },
]


def test_a_map_names_levels_that_have_no_numbers_and_tells_its_cells(tmp_path: Path) -> None:
    named = [
        {
            **factor,
            "levels": [
                {k: v for k, v in level.items() if k != "value"} for level in factor["levels"]
            ],
        }
        for factor in FACTORS
    ]
    figure = {"kind": "map", "title": "A matrix", "factors": ["length", "drop"]}
    one = study(factors=named, figures=[figure], repetitions=1)
    result, samples = played(one, tmp_path)
    (shown,) = figures_of(result, asked_figures(result, samples))
    for panel in shown["panels"]:
        drawing = str(panel)
        assert ">half<" in drawing
        assert ">all<" in drawing
        assert len(re.findall(r">[+-]\d\.\d\d<", drawing)) == 4
        assert re.search(r"Best: .* at length [59] and drop (half|all)\.", drawing)


@pytest.mark.thorough
def test_every_kind_of_figure_is_drawn(tmp_path: Path) -> None:
    one = study(
        factors=FACTORS,
        figures=FIGURES,
        repetitions=2,
        statistics=[{"statistic": "mean", "published": {"random": 0.9, "people": 0.1}}],
    )
    result, samples = played(one, tmp_path)
    asked = asked_figures(result, samples)
    with empty_figures(even_at_full_size=True):  # they are drawn for the page below
        figures = figures_of(result, asked)
    assert [(one["title"], len(one["panels"])) for one in figures] == [
        ("A curve", 2),
        ("A map", 6),
        ("By complexity", 4),
        ("Spread", 3),
        ("Boxes", 1),
        ("Together", 2),
        ("Learning speed", 3),
    ]
    page = render_experiment(result, asked, asked_statistics(result, samples))
    assert page.count("<svg") == 22
    assert "All &amp; sundry" in page
    assert "0 of 1 published statistic lie" in page or "1 of 1 published statistic" in page
    assert "people" in page
    speeds = figures[-1]["table"]
    assert speeds["head"][:4] == ["world", "subject", "level", "reached in"]
    oracle = next(row for row in speeds["rows"] if row[:2] == ["together", "oracle"])
    assert oracle[3].endswith(" of 8")


def test_learning_speed_has_the_level_that_a_study_asks_for() -> None:
    """Of 4 environments, the learner gets to 0.5 in two by 5 interactions, in one by 9, and in one never."""
    figure = {"kind": "speed", "title": "Speed", "level": 0.5, "worlds": ["three"]}
    one = study(factors=FACTORS[:1], figures=[figure], repetitions=1)
    scores = {"5": [0.6, 0.7, 0.1, 0.6], "9": [0.6, 0.6, 0.5, 0.4]}
    samples = [
        Sample(
            "follower",
            np.array(own),
            np.arange(4, dtype=np.uint64),
            np.zeros(4, np.int64),
            np.full(4, np.nan),
            next(c.text for c in conditions(one) if (c.world_name, c.labels["length"]) == at),
        )
        for label, own in scores.items()
        for at in [("three", label)]
    ]
    (asked,) = asked_figures(StudyResult("r", "", "finished", (), study=one.to_plain()), samples)
    assert asked.level == 0.5
    (row,) = speed_table(asked)["rows"]
    assert row[:3] == ["follower", "+0.500", "3 of 4"]
    assert row[3].startswith("5 [5, ")


def test_a_figure_shows_the_gain_over_a_subject_or_another_measure() -> None:
    one = study(
        factors=FACTORS[:1],
        figures=[
            {"kind": "curve", "title": "Gain", "against": "random", "worlds": ["three"]},
            {"kind": "curve", "title": "Seen", "measure": "coverage_area"},
            {"kind": "histogram", "title": "More", "measure": "coverage_area", "against": "random"},
        ],
        repetitions=1,
    )
    at = next(
        c.text for c in conditions(one) if (c.world_name, c.labels["length"]) == ("three", "5")
    )

    def sample(name: str, score: list[float], met: list[int], seen: list[float]) -> Sample:
        count = len(score)
        return Sample(
            name,
            np.array(score),
            np.array(met, np.uint64),
            np.zeros(count, np.int64),
            np.full(count, np.nan),
            at,
            {"coverage_area": np.array(seen)},
        )

    samples = [
        sample("random", [0.25, -0.5, 0.0], [7, 8, 9], [0.5, 0.25, np.nan]),
        sample("follower", [1.0, 0.5, 0.75], [8, 7, 5], [0.75, 1.0, 0.5]),
    ]
    result = StudyResult("r", "", "finished", (), study=one.to_plain())
    gain, seen, more = (
        asked for asked in asked_figures(result, samples) if asked.title != "Learning speed"
    )
    assert gain.measure == "score, gain over random"
    assert [(s.subject, s.score.tolist()) for s in gain.series] == [("follower", [1.5, 0.25])]
    assert seen.measure == "coverage_area"
    assert [s.score.tolist() for s in seen.series] == [[0.5, 0.25], [0.75, 1.0, 0.5]]
    assert more.measure == "coverage_area, gain over random"
    assert [s.score.tolist() for s in more.series] == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        ({"kind": "boxes", "against": "nobody"}, "no subject called 'nobody' in this study"),
        ({"kind": "interactions"}, "between two factors or more, not 0"),
        (
            {"kind": "attempts", "measure": "coverage"},
            "of its own and has no measure",
        ),
        (
            {"kind": "attempts", "against": "random"},
            "of its own and has no against",
        ),
    ],
)
def test_figures_that_cannot_be_are_refused(figure: dict[str, Any], words: str) -> None:
    with pytest.raises(MensuraError, match=words):
        expand(study(figures=[{"title": "One", **figure}]), 1)


def test_a_figure_may_show_a_further_measure_and_a_difference(tmp_path: Path) -> None:
    one = study_from_plain(
        {
            "mensura": 1,
            "name": "seen",
            "subjects": ["random", "crowd"],
            "worlds": [
                {"world": "lambda-star", "preset": "coverage", "parameters": {"horizon": 8}}
            ],
            "assessments": [{"assessment": "battery", "parameters": {"episodes": 5}}],
            "factors": [
                {
                    "name": "agents",
                    "levels": [
                        {"label": "few", "world": {"subjects": 2}},
                        {"label": "many", "world": {"subjects": 4}},
                    ],
                }
            ],
            "figures": [
                {"kind": "curve", "title": "Seen", "measure": "coverage"},
                {"kind": "curve", "title": "Gain", "less": {"agents": "few"}},
                {"kind": "boxes", "title": "Boxes", "measure": "coverage_half"},
                {"kind": "curve", "title": "Nowhere", "measure": "company_met"},
            ],
        }
    )
    result, samples = played(one, tmp_path)
    by = {(s.label, s.condition): s for s in samples}
    few, many = (one.text for one in conditions(one))
    seen, gain, boxes, nowhere = asked_figures(result, samples)
    assert seen.measure == "coverage"
    assert [s.score.tolist() for s in seen.series] == [
        by[who, where].measures["coverage"].tolist()
        for where in (few, many)
        for who in ("random", "crowd")
    ]
    assert gain.measure == "score, minus that of: few"
    assert len(gain.series) == 4
    crowd = next(s for s in gain.series if (s.subject, s.levels["agents"]) == ("crowd", "many"))
    assert crowd.score == pytest.approx(by["crowd", many].score - by["crowd", few].score)
    assert not any(s.score.any() for s in gain.series if s.levels["agents"] == "few")
    assert not nowhere.series
    assert boxes.series[0].score.max() <= 9
    figures = figures_of(result, [seen, gain, boxes, nowhere])
    assert [one["title"] for one in figures] == ["Seen", "Gain", "Boxes", "Nowhere"]
    assert figures[3]["panels"] == []
    assert figures[3]["caption"].startswith(
        "No sitting tells of 'company_met'; known are: coverage"
    )
    table = figures[0]["table"]
    assert table["head"] == ["subject", "few", "many"]
    mean = by["random", few].measures["coverage"].mean()
    assert table["rows"][0][1].startswith(f"{mean:.3f} [")
    assert "coverage" in figures[0]["panels"][0]["svg"]


def test_studies_over_one_horizon_have_no_learning_speed() -> None:
    one = study(factors=FACTORS[1:])
    assert asked_figures(StudyResult("r", "", "finished", (), study=one.to_plain()), []) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"figures": [{"kind": "curve", "title": "C", "factors": ["lenght"]}]},
            "There is no factor 'lenght' in this study; did you mean length?",
        ),
        (
            {"figures": [{"kind": "curve", "title": "C", "less": {"length": "7"}}]},
            "'7' is no level of length",
        ),
        (
            {"figures": [{"kind": "speed", "title": "C", "measure": "coverage"}]},
            "The figure 'C' is of speed, which goes by measures of its own and has no measure; leave it out",
        ),
        (
            {"figures": [{"kind": "map", "title": "C", "factors": ["length"]}]},
            "The figure 'C' is a map over 2 factors, not 1",
        ),
        (
            {
                "figures": [{"kind": "speed", "title": "C", "factors": ["who"]}],
                "factors": [{"name": "who", "levels": [{"label": "a"}, {"label": "b"}]}],
            },
            "every level of who needs a value of its own, the number of interactions",
        ),
        (
            {"figures": [{"kind": "boxes", "title": "C", "levels": {"length": "6"}}]},
            "'6' is no level of length",
        ),
        (
            {"figures": [{"kind": "boxes", "title": "C", "worlds": ["tree"]}]},
            "There is no world called 'tree' in this study; did you mean three or together?",
        ),
        (
            {"statistics": [{"statistic": "anova", "subjects": ["random"]}]},
            "An analysis of variance here has two subjects, not 1",
        ),
        (
            {"subjects": [{"subject": "random", "worlds": ["three"]}]},
            "Nobody is assessed in the world 'four'",
        ),
    ],
)
def test_what_is_not_there_gets_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence.replace("?", r"\?")):
        expand(study(**{"factors": FACTORS, **changes}), 1)


def test_levels_can_set_parameters_of_subjects() -> None:
    one = study(
        subjects=["q-learning"],
        worlds=["lambda-v1"],
        factors=[
            {
                "name": "rate",
                "levels": [
                    {"label": "slow", "parameters": {"alpha": 0.1}},
                    {"label": "fast", "parameters": {"alpha": 0.9}},
                ],
            }
        ],
        repetitions=1,
    )
    cells = expand(one, 1)
    assert [(cell.name, cell.subject) for cell in cells] == [
        ("q-learning", "q-learning?alpha=0.1"),
        ("q-learning", "q-learning?alpha=0.9"),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["insa-2011-ai", "insa-2011-sweep", "insa-2011-humans"])
def test_the_experiments_of_the_thesis_can_be_run(name: str) -> None:
    found = read_study(STUDIES.load(name))
    assert expand(found, 1)
    if name == "insa-2011-sweep":
        assert len(expand(found, 1)) == 400


def test_worlds_with_streams_of_their_own_share_no_draws() -> None:
    worlds = [
        {"name": name, "world": "lambda-v1", "parameters": {"cells": 3}, **stream}
        for name, stream in (
            ("one", {}),
            ("same", {}),
            ("own", {"stream": "own"}),
            ("also own", {"stream": "own"}),
        )
    ]
    one, same, own, also = expand(study(subjects=["random"], worlds=worlds, repetitions=1), 1)
    assert one.seed == same.seed == 1
    assert own.seed == also.seed != 1
