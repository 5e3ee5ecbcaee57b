"""From a run to a file: reports are whole or not there, and show the world as the subjects found it."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.reports.reading import check

from mensura.agent.errors import MensuraError
from mensura.cli import reporting
from mensura.records.results import StudyResult
from mensura.studies.files import read_study
from mensura.studies.reproduce import comparison, outcomes, with_episodes
from mensura.studies.runs import run_study
from mensura.studies.study import study_from_plain
from mensura.studies.views import first_place


def small(*subjects: Any, episodes: int = 12, **more: Any) -> StudyResult:
    parameters = {"rows": 6, "cols": 6, "subjects": 3, "horizon": 20}
    return run_study(
        study_from_plain(
            {
                "mensura": 1,
                "name": "small",
                "seed": 7,
                "subjects": list(subjects),
                "worlds": [{"world": "lambda-star", "parameters": parameters}],
                "assessments": [
                    {
                        "assessment": "battery",
                        "parameters": {"episodes": episodes, "spread": [2, 8]},
                    }
                ],
                **more,
            }
        )
    )


@pytest.mark.usefixtures("words_only")
def test_a_report_is_written_with_a_picture_of_the_first_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = small("random", "oracle")
    path = tmp_path / "report.html"
    reporting.write_report(result, path)
    page = check(path.read_text(encoding="utf-8"))
    assert "6x6 torus" in page.prose
    assert "Three agents walk on a torus of 6x6 cells" in page.prose
    for one in result.conditions[0].subjects:
        assert f"{one.score.value:+.3f}" in page.prose
    assert str(path.name) in capsys.readouterr().out
    assert [item.name for item in tmp_path.iterdir()] == ["report.html"]


def test_the_picture_shows_the_subjects_where_the_first_episode_began(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "class Settler:\n"
        "    def act(self, observation, reward):\n"
        f"        with open({str(tmp_path / 'began.txt')!r}, 'a') as file:\n"
        "            print(*observation['position'], file=file)\n"
        "        return 5\n"
    )
    result = small(
        {"subject": f"{tmp_path}/own.py:Settler", "in_process": True}, "random", episodes=1
    )
    environment: Any = first_place(result).first_environment()[0]
    began = [
        tuple(int(float(number)) for number in line.split())
        for line in (tmp_path / "began.txt").read_text().splitlines()
    ]
    assert environment.positions()["subjects"] == began[:3]


@pytest.mark.usefixtures("words_only")
def test_a_world_or_a_subject_that_is_gone_gets_a_report_without_a_picture(tmp_path: Path) -> None:
    result = small("random", "oracle", episodes=2)
    study = {**result.study, "worlds": ["no-such-world"]}
    reporting.write_report(replace(result, study=study), tmp_path / "report.html")
    page = check((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "oracle" in page.prose
    assert "One example" not in page.prose


@pytest.mark.usefixtures("words_only")
def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="does not exist"):
        reporting.write_report(small("random", episodes=2), tmp_path / "nowhere" / "report.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("words_only")
def test_published_experiments_are_written_from_what_was_run(tmp_path: Path) -> None:
    whole = read_study("lambda-star-2016").to_plain()
    plain = {**whole, "worlds": whole["worlds"][1:2], "published": whole["published"][1:2]}
    small = with_episodes(study_from_plain(plain), 3)
    result = run_study(small, seed=1, command="mensura reproduce x --seed 1")
    rows = comparison(result)
    reporting.write_comparison(result, rows, tmp_path / "a.html")
    page = check((tmp_path / "a.html").read_text(encoding="utf-8"))
    (table,) = page.tables.values()
    assert [line[0] for line in table[1:]] == list(plain["published"][0]["values"])
    assert f"{rows[0].measured:+.3f}" in table[1]
    assert "mensura reproduce x --seed 1" in page.prose


def test_factorial_experiments_are_written_from_what_was_run(tmp_path: Path) -> None:
    whole = read_study("collective-factors").to_plain()
    size, _, protocol, *_ = whole["factors"]
    for factor in (size, protocol):
        factor["levels"] = factor["levels"][:2]
        del factor["baseline"]
    small = with_episodes(study_from_plain({**whole, "factors": [size, protocol]}), 3)
    result = run_study(small, seed=1)
    (outcome,) = outcomes(result)
    reporting.write_factors(result, outcome, tmp_path / "b.html")
    page = check((tmp_path / "b.html").read_text(encoding="utf-8"))
    words = [word for figure in page.figures() for word in figure.itertext()]
    for grid in outcome.pairs.values():
        for row in grid:
            for cell in row:
                assert f"{cell.score.value:.2f}" in words


def test_the_lack_of_a_library_is_found_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    reporting.check_can_report()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MensuraError, match="needs the extra report"):
        reporting.check_can_report()
