"""The tables of scores that commands print."""

import re
from dataclasses import replace

import pytest
from tests.reports.studies import condition, grid, study

from mensura.cli.scores import score_table, study_table

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_a_study_of_one_factor_is_one_table_of_subjects_by_levels(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sizes = ["small", "middle", "large"]
    result, samples = study([condition(f"world, {s}") for s in sizes], [{"size": s} for s in sizes])
    study_table(result, samples)
    out = capsys.readouterr().out
    assert out.count("Scores") == 1
    assert "Scores by size, with 95% intervals over 40 environments each" in out
    head = next(line for line in out.splitlines() if "subject" in line)
    assert re.findall(r"\w+", head) == ["subject", *sizes]
    rows = [line for line in out.splitlines() if re.search("strong|middling|weak", line)]
    assert [len(re.findall(r"\[\S+, \S+\]", line)) for line in rows] == [3, 3, 3]


def test_several_factors_have_a_table_each_and_conditions_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    study_table(*grid())
    out = " ".join(capsys.readouterr().out.split())
    assert "Scores by size, each the mean over 2 settings, with 95% intervals" in out
    assert "Scores by color" in out
    assert "world, small, red" in out


def test_the_unit_stands_with_the_intervals_and_is_that_of_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one, samples = condition("world", repetitions=2)
    score_table(one, samples=samples)
    assert "with intervals over 80 environments" in " ".join(capsys.readouterr().out.split())
    apart = [replace(sample, score=sample.score + 0.2 * sample.run - 0.1) for sample in samples]
    score_table(one, samples=apart)
    out = " ".join(capsys.readouterr().out.split())
    assert "with intervals over 2 repetitions" in out
    assert out.count("not estimable with 2 repetitions") == 3 + 1
    assert "It takes more repetitions" in out
