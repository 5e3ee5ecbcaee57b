"""Real runs in network namespaces: with delay and loss, and with a machine that is gone, where the kernel permits."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

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


TWO = "ip link add here type veth peer name there"
"""A cable, whose other end another network gets."""
OTHER = """
import asyncio, subprocess, sys
from mensura.worlds.constraints.execution.host import Host

async def serve():
    sys.stdin.readline()  # the cable is there
    subprocess.run("ip link set lo up; ip addr add 10.9.0.2/24 dev there; ip link set there up", shell=True, check=True)
    await Host("a token for tests, long enough").listen(("10.9.0.2", 7000))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    subprocess.run("ip link set there down", shell=True, check=True)
    await asyncio.to_thread(sys.stdin.readline)

asyncio.run(serve())
"""
UNPLUGGED = """
import asyncio, subprocess, sys, numpy as np
from mensura.worlds.constraints.execution.coordinator import Coordinator
from mensura.worlds.constraints.execution.host import Host
from mensura.worlds.constraints.execution.runs import Plan
from mensura.worlds.constraints.generators import FAMILIES

TOKEN = "a token for tests, long enough"
other = subprocess.Popen(["unshare", "--net", sys.executable, "-P", "-c", sys.argv[1]], text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

async def unplug_in_use(host):
    while host._session is None or host._session.received.get(1, 0) < 100:
        await asyncio.sleep(0.01)
    other.stdin.write("unplug\\n"); other.stdin.flush()

def shell(line):
    subprocess.run(line, shell=True, check=True)

async def run():
    host = Host(TOKEN)
    await host.listen(("10.9.0.1", 7000))
    problem = FAMILIES["queens"].problem(np.random.default_rng(1), n=6)
    plan = Plan(problem, "dsa", turns=1 << 40, seconds=200.0)
    addresses = [("10.9.0.1", 7000), ("10.9.0.2", 7000)]
    tasks = []
    begun = lambda: tasks.append(asyncio.create_task(unplug_in_use(host)))
    one = await Coordinator(plan, addresses, TOKEN, begun).run()
    assert (one.ended, one.verdict) == ("lost", "unfinished"), one.sentence
    assert "10.9.0.2:7000 is gone" in one.sentence or "10.9.0.2:7000 is out of reach" in one.sentence, one.sentence
    assert "the values of 3 agents are not known" in one.sentence, one.sentence

try:
    shell(f"ip link set there netns {other.pid}; ip addr add 10.9.0.1/24 dev here; ip link set here up")
    other.stdin.write("plugged\\n"); other.stdin.flush()
    assert other.stdout.readline() == "ready\\n"
    asyncio.run(run())
finally:
    other.kill(); other.wait()
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


def test_a_machine_that_is_gone_without_a_word_is_found_out(tmp_path: Path) -> None:
    why = refused(UP, TWO)
    if why:
        pytest.skip(f"this kernel permits no such network: {why}")
    for name, program in (("other.py", OTHER), ("unplugged.py", UNPLUGGED)):
        (tmp_path / name).write_text(program)
    program = f'{sys.executable} -P {tmp_path / "unplugged.py"} "$(cat {tmp_path / "other.py"})"'
    done = inside(UP, TWO, f"exec {program}")
    assert done.returncode == 0, done.stderr
