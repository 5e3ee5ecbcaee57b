"""Processes that stand still for moments end as they would have."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.stall import below, run

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux only")

PARENT = """
import subprocess, sys, time
children = [subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(0.3)"]) for _ in range(3)]
sys.exit(5 + sum(one.wait() for one in children))
"""


def test_a_command_ends_as_it_would_have_and_nobody_is_left_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[list[int]] = []

    def noted(process: int) -> list[int]:
        seen.append(below(process))
        return seen[-1]

    monkeypatch.setattr("tests.stall.below", noted)
    assert (
        run([sys.executable, "-S", "-c", PARENT], 0.05, np.random.Generator(np.random.PCG64(1)))
        == 5
    )
    assert any(seen)
    assert not [one for some in seen for one in some if Path(f"/proc/{one}").exists()]
