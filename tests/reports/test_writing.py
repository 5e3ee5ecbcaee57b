"""From a run to a file: reports are whole or not there, and show the world as the subjects found it."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.reports.reading import check
from tests.toys import RelayWorld

from mensura.assessments.battery import Battery
from mensura.cli import reporting
from mensura.core.errors import MensuraError
from mensura.core.players import InProcess
from mensura.studies.files import read_study
from mensura.studies.reproduce import comparison, outcomes, with_episodes
from mensura.studies.runner import run
from mensura.studies.runs import run_study
from mensura.studies.study import study_from_plain
from mensura.worlds.lambda_star.world import LambdaStar

WORLD = LambdaStar(rows=6, cols=6, subjects=3, horizon=20)


class Settler:
    """Stays, and remembers where it began."""

    began: list[tuple[int, int]]

    def act(self, observation: Any, reward: float) -> int:
        self.began.append((int(observation["position"][0]), int(observation["position"][1])))
        return 5


def test_a_report_is_written_with_a_picture_of_the_first_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subjects = [WORLD.group([(name, {}, 1)]) for name in ("random", "oracle")]
    result = run(WORLD, subjects, Battery(12, spread=(2, 8)), 7)
    path = tmp_path / "report.html"
    reporting.write_report(result, WORLD, path)
    page = check(path.read_text(encoding="utf-8"))
    assert "6x6 torus" in page.prose
    assert "Three agents walk on a torus of 6x6 cells" in page.prose
    for one in result.subjects:
        assert f"{one.score.value:+.3f}" in page.prose
    assert str(path.name) in capsys.readouterr().out
    assert [item.name for item in tmp_path.iterdir()] == ["report.html"]


def test_the_picture_shows_the_subjects_where_the_first_episode_began() -> None:
    began: list[tuple[int, int]] = []
    kind = type("Own", (Settler,), {"began": began})
    result = run(WORLD, [InProcess("own", kind)], Battery(2, spread=(2, 8)), 99)
    environment: Any = reporting._first_environment(result, WORLD)
    assert environment.positions()["subjects"] == began[:3]


def test_a_world_without_a_view_gets_a_report_without_a_picture(tmp_path: Path) -> None:
    class Pusher:
        def act(self, observation: Any, reward: float) -> int:
            return 1

    world = RelayWorld()
    result = run(world, [InProcess("pusher", Pusher)], Battery(3), 5)
    reporting.write_report(result, world, tmp_path / "report.html")
    page = check((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "pusher" in page.prose
    assert "The first environment" not in page.prose


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    result = run(WORLD, [WORLD.group([("random", {}, 1)])], Battery(2, spread=(2, 8)), 7)
    with pytest.raises(MensuraError, match="does not exist"):
        reporting.write_report(result, WORLD, tmp_path / "nowhere" / "report.html")
    assert not list(tmp_path.iterdir())


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
