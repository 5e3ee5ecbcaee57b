"""Published values beside ours: each number once, in its place, and doubts with their reasons."""

from typing import Any

import pytest
from tests.reports.reading import check

from mensura.agent.errors import MensuraError
from mensura.reports.published_page import render_comparison

pytestmark = pytest.mark.quick


def row(
    setting: str,
    subject: str,
    preset: str,
    published: float | None,
    measured: float,
    doubt: str = "",
) -> dict[str, Any]:
    return {
        "setting": setting,
        "subject": subject,
        "preset": preset,
        "published": published,
        "doubt": doubt,
        "measured": measured,
        "low": measured - 0.01,
        "high": measured + 0.01,
        "episodes": 1000,
    }


ROWS = [
    row("10x10", "oracle", "authors", 0.958, 0.953),
    row("10x10", "hierarchy", "authors", 0.468, 0.5, "it acts as <another>"),
    row("10x10", "oracle", "paper", 0.958, 0.922),
    row("10x10", "hierarchy", "paper", 0.468, 0.437, "it acts as <another>"),
    row("7x7", "oracle", "authors", 0.935, 0.938),
    row("7x7", "oracle", "paper", 0.935, 0.864),
]


@pytest.mark.usefixtures("words_only")
def test_every_setting_has_a_table_and_a_figure() -> None:
    page = check(render_comparison("Old & new", "Somebody (2016)", ["Mind <this>."], ROWS))
    first, second = page.tables.values()
    assert first[0][:4] == ["subject", "published", "ours, authors", "95% interval"]
    assert first[1] == [
        "oracle",
        "+0.958",
        "+0.953",
        "[+0.943, +0.963]",
        "+0.922",
        "[+0.912, +0.932]",
        "",
    ]
    assert first[2][1] == "+0.468"
    assert first[2][-1] == "it acts as <another>"
    assert second[1][:3] == ["oracle", "+0.935", "+0.938"]
    assert len(page.figures()) == 2
    for part in ("Old & new", "Somebody (2016)", "Mind <this>."):
        assert part in page.prose


def test_figures_tell_published_values_in_doubt_from_the_others() -> None:
    first, second = check(render_comparison("t", "s", [], ROWS)).figures()
    assert "published, in doubt" in list(first.itertext())
    assert "published" in list(first.itertext())
    assert "published, in doubt" not in list(second.itertext())
    assert "ours, paper" in list(second.itertext())


@pytest.mark.usefixtures("words_only")
def test_the_distance_to_values_not_in_doubt_is_told_in_numbers() -> None:
    prose = check(render_comparison("t", "s", [], ROWS)).prose
    assert (
        "Under authors, ours differ from the 2 published values that are not in doubt by 0.004 on average and by "
        "0.005 at most (oracle, 10x10); 2 of them lie within our intervals." in prose
    )
    assert "Under paper" in prose
    assert "0.071 at most (oracle, 7x7); 0 of them lie within our intervals" in prose
    assert "1 published value is in doubt" in prose


@pytest.mark.usefixtures("words_only")
def test_the_command_is_shown_where_it_is_known() -> None:
    assert (
        "mensura reproduce x --seed 1"
        in check(render_comparison("t", "s", [], ROWS, "mensura reproduce x --seed 1")).prose
    )


@pytest.mark.usefixtures("words_only")
def test_a_value_missing_under_one_preset_is_unknown() -> None:
    page = check(render_comparison("t", "s", [], ROWS[:3]))
    (table,) = page.tables.values()
    assert table[2][4:6] == ["unknown", "unknown"]


@pytest.mark.usefixtures("words_only")
def test_a_subject_that_was_not_published_stands_beside_the_others() -> None:
    page = check(
        render_comparison("t", "s", [], [*ROWS[:1], row("10x10", "mine", "authors", None, 0.7)])
    )
    (table,) = page.tables.values()
    assert table[2][:3] == ["mine", "", "+0.700"]
    assert "1 published value" in page.prose


def test_no_rows_are_refused_in_a_sentence() -> None:
    with pytest.raises(MensuraError, match="nothing to report"):
        render_comparison("t", "s", [], [])
