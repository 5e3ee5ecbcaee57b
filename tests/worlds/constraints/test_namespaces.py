"""Real runs in a network namespace whose loopback delays and loses packets, where the kernel permits one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache

import pytest

pytestmark = pytest.mark.thorough

UP = "ip link set lo up"
NETEM = "tc qdisc add dev lo root netem delay 5ms 2ms loss 3%"
PROGRAM = """
import numpy as np
from mensura.worlds.constraints.execution.processes import run_in_processes
from mensura.worlds.constraints.execution.replay import check_log
from mensura.worlds.constraints.execution.runs import Plan
from mensura.worlds.constraints.generators import FAMILIES

for n, verdict in ((3, "no solution"), (6, "solved")):
    problem = FAMILIES["queens"].problem(np.random.default_rng(1), n=n)
    run = run_in_processes(Plan(problem, "abt", logs=True), 3)
    assert run.verdict == verdict, run.sentence
    assert check_log(problem, run.log()).left_out == 0
"""


def inside(*commands: str) -> subprocess.CompletedProcess[str]:
    """Run shell commands in a network of their own."""
    return subprocess.run(
        ["unshare", "--map-root-user", "--net", "sh", "-c", " && ".join(commands)],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"},
        timeout=240,
        check=False,
    )


@cache
def refused(*commands: str) -> str:
    """Why these commands cannot be run in a network of their own; empty where they can."""
    if shutil.which("unshare") is None:
        return "no program unshare"
    return inside(*commands).stderr.strip()


@pytest.mark.parametrize("network", [(UP,), (UP, NETEM)], ids=["plain", "lossy"])
def test_runs_are_right_in_a_network_of_their_own(network: tuple[str, ...]) -> None:
    why = refused(*network)
    if why:
        pytest.skip(f"this kernel permits no such network: {why}")
    done = inside(*network, f"exec {sys.executable} -P -c '{PROGRAM.replace(chr(39), chr(34))}'")
    assert done.returncode == 0, done.stderr
