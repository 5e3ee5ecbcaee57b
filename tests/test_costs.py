"""What tests cost is added up by folder and cause, and told where a folder goes beyond its share."""

from __future__ import annotations

import itertools
import time
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest
from tests import costs
from tests.costs import (
    MEASURED_EVERY,
    SHARE_OF_A_WORLD,
    SHARED,
    SHARES,
    YARDSTICK,
    Clock,
    Cost,
    Costs,
    beyond,
    folder,
    pace,
    table,
    yardstick,
)

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("test", "where"),
    [
        ("tests/test_costs.py::test_x", ""),
        ("tests/web/test_api.py::test_x[a/b]", "web"),
        ("tests/agents/language_model/test_text.py::test_x", "agents"),
        ("tests/worlds/test_scenes.py::test_x", "worlds"),
        ("tests/worlds/lambda_star/test_rules.py::test_x", "worlds/lambda_star"),
    ],
)
def test_a_test_belongs_to_its_room_or_to_its_world(test: str, where: str) -> None:
    assert folder(test) == where


def test_a_folder_beyond_its_share_gets_a_sentence_and_compilation_and_waiting_do_not_count() -> (
    None
):
    new = {
        "tests/worlds/new/test_a.py::test_x": Cost(99, SHARE_OF_A_WORLD - 1, 0, 99),
        "tests/web/test_a.py::test_x": Cost(0, SHARES["web"] / 2, SHARES["web"] / 2, 0),
    }
    assert list(beyond(new)) == []
    new["tests/worlds/new/test_b.py::test_x"] = Cost(0, 0, 2, 0)
    (sentence,) = beyond(new)
    assert sentence.startswith("tests/worlds/new took 31 processor seconds; its share is 30.")
    assert list(beyond(new, 1.1)) == []  # in a slower run
    sentences = list(beyond(new, 0.9))
    assert len(sentences) == 2
    assert "its share is 30, 27 at the pace of this run." in sentences[1]


def test_a_run_in_which_the_same_work_takes_twice_as_long_has_a_pace_of_two() -> None:
    assert pace([YARDSTICK, 2 * YARDSTICK, 9]) == 2  # other work beside one of three
    assert yardstick() > 0


def test_the_pace_is_measured_again_and_again_while_tests_run(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count(1)
    monkeypatch.setattr(costs, "yardstick", lambda: next(seconds))
    run = Costs(pytestconfig)
    for number in range(2 * MEASURED_EVERY + 1):
        report: Any = SimpleNamespace(nodeid=f"tests/test_{number}.py::test_x", cost=asdict(Cost()))
        run.pytest_runtest_logreport(report)
    assert run.yardsticks == [1, 2, 3]


def test_the_table_adds_up_and_names_the_slowest() -> None:
    costs = {f"tests/core/test_a.py::test_{i}": Cost(0, i, 1, 0) for i in range(12)}
    lines = list(table(costs))
    row = next(line for line in lines if line.startswith("core")).split()
    assert row == ["core", "12", "0.0", "66.0", "12.0", "0.0"]
    assert next(line.split()[-5] for line in lines if "test_a.py" in line).endswith("test_11")
    assert len([line for line in lines if "test_a.py" in line]) == 10


def test_what_the_tests_of_a_process_share_is_not_counted_to_its_last(
    pytestconfig: pytest.Config,
) -> None:
    costs = Costs(pytestconfig)
    for name in ("a", "b"):  # two processes
        report: Any = SimpleNamespace(
            nodeid=f"tests/cli/test_{name}.py::test_x",
            cost=asdict(Cost(computing=1.0)),
            shared=asdict(Cost(processes=10.0)),
        )
        costs.pytest_runtest_logreport(report)
    assert folder(SHARED) == "shared"
    assert costs.costs[SHARED] == Cost(processes=20.0)
    assert costs.costs["tests/cli/test_b.py::test_x"] == Cost(computing=1.0)


def test_time_is_divided_between_computing_and_waiting() -> None:
    before = Clock.now()
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    busy = Clock.since(before)
    before = Clock.now()
    time.sleep(0.05)
    idle = Clock.since(before)
    assert busy.computing >= 0.05
    assert idle.waiting >= 0.04
    assert idle.computing < 0.05
