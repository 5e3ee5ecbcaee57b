"""The world of the how-to is one: it is read from the page, checked and played."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.in_process import InProcess
from mensura.agent.random import RandomAgent
from mensura.assessments.battery import Battery
from mensura.core.sitting import sit
from mensura.pictures.svg import as_svg
from mensura.testing import check_world

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "write-a-world.md"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    (code,) = re.findall(
        r'```python\n("""Guess: .*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    file = tmp_path_factory.mktemp("guess") / "guess_world.py"
    file.write_text(code, encoding="utf-8")
    spec = spec_from_file_location("guess_world", file)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["guess_world"] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.Guess
    del sys.modules["guess_world"]


def test_the_world_of_the_how_to_keeps_the_contract(world: Any) -> None:
    assert check_world(world()) == []


def test_it_can_be_played_and_shows_a_seat_nothing_that_is_hidden(world: Any) -> None:
    player = InProcess("random", RandomAgent).sit(1)
    sitting = sit(Battery(1), world(), player, 1, 2)
    assert -0.1 <= sitting.score <= 1.0
    environment = world().build(world().sample(1))
    environment.reset(1)
    environment.step([3], [0.0])
    assert "the right one" in as_svg(environment.picture())
    assert "the right one" not in as_svg(environment.picture(0))
