"""A study that takes more memory than there is: found out when it is checked, with the line of its world."""

from __future__ import annotations

from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.core.room import available
from mensura.studies import rehearse
from mensura.studies.files import read_study

STUDY = """
mensura: 1
name: large
worlds:
  - {{world: {world}, parameters: {parameters}}}
subjects: [{subject}]
assessments: [{{assessment: battery, parameters: {{episodes: 3}}}}]
"""

LAMBDA_STAR = "{rows: 20, cols: 20, subjects: 2, horizon: 5}"


def checked(folder: Path, world: str, parameters: str, subject: str) -> None:
    file = folder / "study.yaml"
    file.write_text(STUDY.format(world=world, parameters=parameters, subject=subject))
    read_study(file, rehearsed=True)


def test_tables_that_nobody_has_room_for_are_refused(tmp_path: Path) -> None:
    large = "{rows: 1000, cols: 1000, subjects: 1000, horizon: 20}"
    with pytest.raises(MensuraError, match=r"line 5: .*q-learning would take 671 GiB; a smaller"):
        checked(tmp_path, "lambda-star", large, "q-learning")
    checked(tmp_path, "lambda-star", LAMBDA_STAR, "q-learning")


@pytest.mark.parametrize(
    ("world", "parameters", "subject", "advice"),
    [
        ("lambda-star", LAMBDA_STAR, "q-learning", r"grid \(rows, cols\)"),
        ("lambda", "{}", "q-learning", "fewer states"),
        ("framotec", "{}", "random", "latency of sensors"),
    ],
)
def test_every_world_is_held_against_the_memory_that_is_there(
    world: str,
    parameters: str,
    subject: str,
    advice: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rehearse, "available", lambda: 100)
    with pytest.raises(MensuraError, match=rf"line 5: .*GiB of memory, and .*{advice}.*would fit"):
        checked(tmp_path, world, parameters, subject)


def test_the_limit_of_a_container_counts_where_it_is_lower(tmp_path: Path) -> None:
    machine = tmp_path / "meminfo"
    machine.write_text("MemTotal:       64 kB\nMemAvailable:   32 kB\n")
    limit = tmp_path / "max"
    for written, found in (("max\n", 32 << 10), ("1000\n", 1000), ("99999999\n", 32 << 10)):
        limit.write_text(written)
        assert available(str(machine), (str(limit), str(tmp_path / "none"))) == found
    assert available(str(tmp_path / "none"), ()) > 1 << 20
