"""The path of sittings in a report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reports.printing import empty_figures
from tests.reports.reading import check
from tests.reports.studies import condition, study
from tests.reports.test_protocols import given

from mensura.records.paths import SITTINGS, SittingPath, Step
from mensura.records.results import RunResult
from mensura.reports.study import Drawings, render_study
from mensura.statistics.sample import Sample


def chain(item: int, steps: int, *, wanted: bool = True, error: float | None = None) -> SittingPath:
    """Complexity goes up by one from step to step; the third could not be had as wanted."""
    return SittingPath(
        item,
        tuple(
            Step(
                sequence=i,
                complexity=1.0 + i,
                wanted=(1.5 if i == 2 else 1.0 + i) if wanted else None,
                used=1.0 + i if wanted else None,
                slot=10.0 * (i + 1),
                interactions=10 * (i + 1),
                seconds=0.1,
                reward=0.5,
                score=0.25 + 0.01 * i,
                error=error,
            )
            for i in range(steps)
        ),
        steps + 50 * (item == 0 and steps == 15),
    )


def anytime(
    steps: int = 15, name: str = "anytime", **fields: float | bool | None
) -> tuple[RunResult, list[Sample]]:
    one, samples = condition("world", {"strong": 0.7, "weak": 0.0})
    paths = tuple(chain(item, steps, **fields) for item in range(SITTINGS))
    subjects = tuple(replace(subject, paths=paths) for subject in one.subjects)
    return replace(one, subjects=subjects, assessment={**given(name), "measure": "K"}), samples


def test_the_path_of_a_chain_has_a_figure_and_a_table_for_each_subject() -> None:
    with empty_figures(but="from one environment"):
        page = check(render_study(*study([anytime()])))
    assert "path" in page.ids
    figures = [f for f in page.figures() if "from one environment" in f.get("aria-label", "")]
    assert len(figures) == 2
    words = list(figures[0].itertext())
    for text in ("environment [number in the chain]", "wanted", "not available", "[mean reward]"):
        assert text in words
    assert "for the first 10 chains of each subject" in page.prose
    assert (
        "The first chain: 65 environments, of which the first 15 are shown, complexity from 1 to 15, at last 15, "
        "1 time not available as wanted, score +0.390." in page.prose
    )
    (table,) = {
        tuple(map(tuple, rows)) for rows in page.tables.values() if "complexity wanted" in rows[0]
    }
    head, *rows = table
    assert head == (
        "environment",
        "complexity wanted",
        "complexity",
        "slot [interactions]",
        "interactions",
        "reward",
        "score after it",
    )
    assert rows[0] == ("1", "1", "1", "10", "10", "+0.500", "+0.250")
    assert rows[2][1] == "1.5 (asked for 3)"
    assert len(rows) == 15


def test_tests_tell_no_wanted_complexity_and_how_sure_they_were() -> None:
    with empty_figures(but="from one environment"):
        page = check(render_study(*study([anytime(5, "adaptive", wanted=False, error=0.125)])))
    assert "of the complexity that was expected to tell most" in page.prose
    assert "Complexity follows reward" not in page.prose
    rows = next(rows for rows in page.tables.values() if "score after it" in rows[0])
    assert "complexity wanted" not in rows[0]
    assert rows[1][-1] == "0.125"
    figure = next(f for f in page.figures() if "from one environment" in f.get("aria-label", ""))
    assert "wanted" not in list(figure.itertext())


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize("subjects", [1, 2])
def test_tables_are_folded_where_they_are_long_or_many(subjects: int) -> None:
    one, samples = anytime(5)
    short = replace(one, subjects=one.subjects[:subjects])
    text = render_study(*study([(short, samples[:subjects])]))
    assert ("<details open>" in text) == (subjects == 1)
    assert "<details open>" not in render_study(*study([anytime(15)]))


@pytest.mark.usefixtures("words_only")
def test_of_several_conditions_each_has_its_paths() -> None:
    first, second = anytime(), anytime()
    both = [
        (replace(result, title=title), [replace(one, condition=title) for one in samples])
        for title, (result, samples) in (("a", first), ("b", second))
    ]
    result, samples = study(both)
    page = check(render_study(result, samples))
    assert "path" not in page.ids
    names = [drawing.name for drawing in Drawings(result, samples).all()]
    assert {"condition-0-path-0", "condition-1-path-1"} <= set(names)
    assert "Twice as many chains are expected to move a score" in page.prose


@pytest.mark.usefixtures("words_only")
def test_a_battery_has_no_path() -> None:
    assert "path" not in check(render_study(*study([condition("world")]))).ids
