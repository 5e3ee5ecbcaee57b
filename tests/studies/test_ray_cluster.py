"""A real Ray cluster of two nodes on this machine: nodes and coordinators are killed, the study is completed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.studies.survival import Disturbed, drawn, gone, kill

from mensura.agent.keys import fold, fresh, key
from mensura.studies.executors.cluster import LOOPBACK, SETTINGS

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
    pytest.mark.usefixtures("plain_world"),
    pytest.mark.skipif(find_spec("ray") is None, reason="not installed: ray"),
]

NODES = """
import json, os, sys
from ray.cluster_utils import Cluster

answers = os.dup(1)
os.dup2(2, 1)

def answer(what):
    os.write(answers, (json.dumps(what) + "\\n").encode())

cluster = Cluster(
    initialize_head=True,
    shutdown_at_exit=True,
    head_node_args={"num_cpus": 1, "include_dashboard": False, "temp_dir": sys.argv[1]},
)
answer(cluster.address)
for line in sys.stdin:
    answer(cluster.add_node(num_cpus=1).all_processes["raylet"][0].process.pid)
"""
"""A head, and another node for every line that comes in; ends with its standard input."""

ENVIRONMENT = {
    **SETTINGS,
    # Nobody else reaches these nodes, and they forget about each other sooner than real ones.
    LOOPBACK: "0",
    "RAY_AUTH_MODE": "disabled",
    "RAY_health_check_initial_delay_ms": "500",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_failure_threshold": "4",
}


class Nodes:
    """A cluster, started by a process that ends with it."""

    def __init__(self) -> None:
        # Ray puts sockets there, whose paths may not be long.
        self.folder = Path(tempfile.mkdtemp(prefix="mensura-ray-", dir="/tmp"))
        self._log = (self.folder / "log").open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-c", NODES, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **ENVIRONMENT},
            text=True,
            start_new_session=True,
        )
        try:
            self.address: str = self._hear()
        except BaseException:
            self.close()
            raise

    def add(self) -> int:
        """Add a node of one processor; the number of its raylet, with which it lives."""
        assert self._process.stdin is not None
        self._process.stdin.write("another\n")
        self._process.stdin.flush()
        raylet: int = self._hear()
        return raylet

    def workers(self) -> list[int]:
        """Processes in which a study is played."""
        return [pid for pid in self.processes() if b"RemoteDesk" in _command_of(pid)]

    def processes(self) -> list[int]:
        """Everything that lives of the cluster."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[3]) == self._process.pid and fields[0] != "Z":
                    found.append(int(entry.name))
        return found

    def close(self) -> None:
        """End all nodes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            pass
        for pid in self.processes():
            kill(pid)
            assert gone(pid)
        self._process.wait(20)
        self._process.stdout.close()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, (self.folder / "log").read_text()
        return json.loads(line)


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.fixture
def nodes(plain_world: str) -> Iterator[Nodes]:
    """A cluster with nothing but its head, of one processor."""
    cluster = Nodes()
    yield cluster
    cluster.close()
    assert not cluster.processes()


@pytest.mark.slow
@pytest.mark.long
def test_a_study_survives_the_death_of_a_node_and_of_its_coordinator(
    tmp_path: Path, nodes: Nodes
) -> None:
    calm = Disturbed(tmp_path / "calm", 200)
    calm.play()
    wild = Disturbed(tmp_path / "wild", 200, calm=calm, environment=ENVIRONMENT)
    wild.brake()
    there = ("--executor", "ray", "--address", nodes.address)
    second = nodes.add()
    process = wild.start(*there)
    try:
        wild.wait_for(process, 50)
        kill(second)
        wild.wait_for(process, wild.done() + 100)
        kill(process.pid)
    finally:
        kill(process.pid)
        process.communicate(timeout=60)
    assert wild.done() < 800
    wild.release()
    wild.resume(*there)
    assert wild.done() == 800
    assert wild.tables() == calm.tables()
    assert all(gone(pid) for pid in nodes.workers()), "a worker outlived its coordinator"


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_study_on_a_cluster_survives_twenty_deaths(
    tmp_path: Path, nodes: Nodes, record_property: pytest.RecordProperty
) -> None:
    """Coordinators, nodes and workers are killed at moments that are drawn anew in every run of the tests."""
    seed = key(fresh(), "kills")
    record_property("seed", seed)
    episodes = 6000
    calm = Disturbed(tmp_path / "calm", episodes)
    calm.play()
    wild = Disturbed(tmp_path / "wild", episodes, calm=calm, environment=ENVIRONMENT)
    wild.brake()
    there = ("--executor", "ray", "--address", nodes.address, "--workers", "2")
    second = nodes.add()
    killed = {"coordinator": 0, "node": 0, "worker": 0}
    progress = [0]
    while sum(killed.values()) < 20:
        assert progress[-1] < 4 * episodes, f"finished after {killed}; it needs more episodes"
        process = wild.start(*there)
        try:
            wild.wait_for(process, progress[-1] + 1)
            while process.poll() is None:
                number = sum(killed.values())
                time.sleep(drawn(seed, number, 0.0, 4.0))
                victim = ("coordinator", "node", "worker")[fold(seed, 1000 + number) % 3]
                workers = nodes.workers()
                if victim == "worker" and workers:
                    kill(workers[fold(seed, 2000 + number) % len(workers)])
                elif victim == "node":
                    kill(second)
                    second = nodes.add()
                else:
                    victim = "coordinator"
                    kill(process.pid)
                    process.communicate(timeout=30)
                killed[victim] += 1
        finally:
            kill(process.pid)
            process.communicate(timeout=30)
        progress.append(wild.done())
    assert progress == sorted(progress), "something acknowledged was lost"
    wild.release()
    wild.resume(*there)
    assert wild.tables() == calm.tables(), f"seed {seed}, {killed}, {progress}"
