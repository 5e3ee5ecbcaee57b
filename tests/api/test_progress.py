"""What is shown of a run under way."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pytest
from rich.console import Console

from mensura.api.progress import SHOWN, Events, Lines, Pace, Paths, sparks
from mensura.core.steps import RUNNING
from mensura.records.cell import Cell
from mensura.studies.stepped import Step

pytestmark = pytest.mark.quick

CELL = Cell(
    number=0,
    condition="here",
    world="lambda-v1",
    parameters={},
    assessment="anytime",
    assessment_parameters={},
    subject="planner",
    name="planner",
    seed=1,
    sittings=9,
)


def step(item: int, sequence: int, **changes: Any) -> Step:
    told: dict[str, Any] = {
        "complexity": 12.0,
        "reward": 0.25,
        "interactions": 1297,
        "slot": 1297.0,
        "measures": {RUNNING: 0.5},
    }
    return Step(0, item, sequence, **{**told, **changes})


def shown(paths: Paths) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(paths)
    return console.export_text()


def test_the_last_episodes_of_sittings_under_way_are_shown() -> None:
    paths = Paths()
    assert not shown(paths).strip()
    for sequence in range(3):
        paths.add(CELL, step(4, sequence, complexity=float(sequence)))
    (line,) = [line for line in shown(paths).splitlines() if "planner" in line]
    assert line.split() == ["planner", "5", "3", "2", "1,297", "+0.25", "+0.500", "▁▅█"]
    paths.drop(CELL, [4])
    assert "planner" not in shown(paths)


def test_no_more_of_them_than_there_is_room_for() -> None:
    paths = Paths()
    for item in range(3 * SHOWN):
        paths.add(CELL, step(item, 0))
    assert shown(paths).count("planner") == SHOWN


def test_sittings_of_one_episode_have_no_path() -> None:
    paths = Paths()
    paths.add(CELL, step(0, 0, slot=None))
    assert not shown(paths).strip()


def test_sparks_draw_numbers_that_are_known() -> None:
    assert sparks([]) == sparks([math.nan]) == ""
    assert sparks([3.0, 3.0]) == "▁▁"
    assert sparks([0.0, math.nan, 7.0]) == "▁ █"


def test_without_a_terminal_a_line_comes_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines(Pace(9))
    lines.stepped(CELL, step(0, 1))
    assert capsys.readouterr().err == ""
    lines.pace.due = lambda interval: True  # type: ignore[method-assign]
    lines.stepped(CELL, step(0, 11))
    assert capsys.readouterr().err == (
        "planner, item 0, environment 12: complexity 12, slot 1,297, reward +0.250, score before it +0.500\n"
    )


def test_programs_are_told_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    Events(Pace(9)).stepped(CELL, step(2, 5, complexity=math.nan))
    told = json.loads(capsys.readouterr().out)
    assert told["event"] == "episode"
    assert (told["sitting"], told["episode"], told["complexity"]) == (2, 5, None)
