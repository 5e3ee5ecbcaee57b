"""A Ray cluster that is lost: which node has died, and how to go on, in one sentence."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.records.store import open_store
from mensura.studies.executors import cluster
from mensura.studies.executors.executor import Lost
from mensura.studies.executors.threads import Threads
from mensura.studies.runs import Manner, begin, resume
from mensura.studies.study import study_from_plain

STUDY = {
    "mensura": 1,
    "name": "small",
    "worlds": ["lambda-star"],
    "subjects": ["random"],
    "assessments": [{"assessment": "battery", "parameters": {"episodes": 2}}],
}


@pytest.fixture
def head() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture
def raylet(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "raylet"))
        listening.listen()
        yield listening


def made(raylet: socket.socket, head: socket.socket) -> cluster.Node:
    return cluster.Node(raylet.getsockname(), f"127.0.0.1:{head.getsockname()[1]}")


def test_the_death_of_our_node_is_noticed(raylet: socket.socket, head: socket.socket) -> None:
    node = made(raylet, head)
    line, _ = raylet.accept()
    assert node.lost() == ""
    line.close()
    assert node.lost() == "the node that this command is connected to has died"
    node.close()


def test_a_head_that_stays_away_is_noticed(
    raylet: socket.socket, head: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(cluster, "monotonic", lambda: clock[0])
    node = made(raylet, head)
    clock[0] = 20.0
    assert node.lost() == ""
    head.close()
    clock[0] = 40.0
    assert node.lost() == ""
    clock[0] = 60.0
    assert "its head node has not answered for 30 seconds" in node.lost()
    node.close()


def test_who_lost_the_cluster_is_told_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(executor: Threads, timeout: float) -> None:
        raise Lost("The Ray cluster on this machine is lost: its node has died.")

    with open_store(tmp_path / "store.db") as store:
        run = begin(store, study_from_plain(STUDY))
        with monkeypatch.context() as patch:
            patch.setattr(Threads, "wait", wait)
            with pytest.raises(MensuraError, match=r"has died.*go on with:  mensura study resume"):
                resume(store, run, manner=Manner("threads", 1))
        assert store.find(run.name).status == "failed"
        assert resume(store, store.find(run.name)).status == "finished"
