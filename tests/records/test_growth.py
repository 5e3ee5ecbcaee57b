"""A million episodes do not live in memory. How quickly they are written is in benchmarks/studies.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def grown(folder: Path, episodes: int) -> dict[str, float]:
    """What room writing, summing up and exporting so many took."""
    said = subprocess.run(
        [sys.executable, "-m", "tests.records.growth", str(folder), str(episodes)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    figures: dict[str, float] = json.loads(said.stdout)
    return figures


@pytest.mark.thorough
def test_memory_and_room_stay_flat(tmp_path: Path, full_size: bool) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "large").mkdir()
    most = 40_000 if full_size else 10_000
    small, large = grown(tmp_path / "small", most // 10), grown(tmp_path / "large", most)
    # Less than three kilobytes an episode, which all of them together would take.
    assert large["megabytes"] < small["megabytes"] + most / 400
    assert large["bytes"] < 120


@pytest.mark.slow
def test_a_million_episodes_are_written_in_flat_memory(tmp_path: Path) -> None:
    figures = grown(tmp_path, 1_000_000)
    assert figures["megabytes"] < 500
    assert figures["bytes"] < 120
