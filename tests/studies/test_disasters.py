"""Disasters that meet the whole command: afterwards `mensura study resume` completes the study as if nothing was."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import Cluster
from tests.sizes import examples
from tests.studies.survival import Disturbed, children, ended, gone, kill, sentence

from mensura.records.store import open_store

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
    pytest.mark.usefixtures("plain_world"),
]

ROOT = Path(__file__).resolve().parent.parent.parent
EPISODES = examples(120, 250)
ALL = 4 * EPISODES
WORKERS = ("--executor", "processes", "--workers", "2")


@pytest.fixture
def hands(full_size: bool) -> tuple[str, ...]:
    """Who computes, where the disaster is one of the coordinator."""
    return WORKERS if full_size else ("--executor", "threads")


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory, plain_world: str) -> Disturbed:
    """The study as it goes when nothing happens."""
    study = Disturbed(tmp_path_factory.mktemp("calm"), EPISODES)
    study.play()
    return study


@pytest.fixture(scope="module")
def wanted(calm: Disturbed) -> dict[str, Any]:
    """What every study must have found in the end."""
    return calm.tables()


# A full disk -----------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_full_disk_is_one_sentence_and_the_study_goes_on_when_there_is_room(
    tmp_path: Path, calm: Disturbed, hands: tuple[str, ...], full_size: bool
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    # In a name space of its own for mounts, so that nothing stays mounted whatever happens.
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    mount = f"mount -t tmpfs -o size=440k tmpfs {disk}"
    if (
        not shutil.which("unshare")
        or subprocess.run([*alone, "sh", "-c", mount], capture_output=True, check=False).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    scenario = (
        f"tests.studies.full_disk {tmp_path} {disk} {calm.folder} {EPISODES} "
        f"{'full' if full_size else 'small'} {' '.join(hands)}"
    )
    program = f"{mount} && exec {sys.executable} -m {scenario}"
    said = subprocess.run(
        [*alone, "sh", "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr


@pytest.mark.thorough
def test_a_limit_on_the_size_of_files_is_one_sentence_and_goes_on_without_it(
    tmp_path: Path,
    calm: Disturbed,
    wanted: dict[str, Any],
    hands: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What measures coverage could not write its own file either, and would say so at length.
    for name in [name for name in os.environ if name.startswith("COVERAGE_PROCESS")]:
        monkeypatch.delenv(name)
    wild = Disturbed(tmp_path, EPISODES, calm=calm)
    wild.brake()
    process = wild.start(*hands)
    wild.wait_for(process, 1)
    limit = Path(f"{wild.store}-wal").stat().st_size + 50_000
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
    wild.release()
    assert "everything committed before is safe" in sentence(process)
    assert 0 < wild.done() < ALL
    wild.play()
    assert wild.tables() == wanted


# PostgreSQL ------------------------------------------------------------------------------------------


@pytest.fixture
def served(
    tmp_path: Path, calm: Disturbed, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> Disturbed:
    """The study with its store in PostgreSQL, and the brake on."""
    monkeypatch.setenv("MENSURA_FILES", str(tmp_path / "files"))
    study = Disturbed(tmp_path, EPISODES, cluster.create(), calm=calm)
    study.brake()
    return study


@pytest.mark.slow
def test_a_connection_that_is_cut_again_and_again_does_not_even_stop_the_study(
    served: Disturbed, cluster: Cluster, wanted: dict[str, Any], hands: tuple[str, ...]
) -> None:
    process = served.start(*hands)
    cuts = 0
    while cuts < 3:
        served.wait_for(process, served.done() + 1)
        ours = "datname <> 'postgres' AND pid <> pg_backend_pid()"
        cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours}"
        cuts += len(cluster.execute(cut))
    assert served.done() < ALL
    served.release()
    ended(process)
    assert served.tables() == wanted


IMPATIENT = (
    "from mensura.records import lease; lease.WAIT = 2.0; from mensura.cli.main import main; main()"
)
"""The command, with less patience for a server that is away."""


@pytest.mark.thorough
def test_a_server_that_stays_away_is_one_sentence_and_the_study_goes_on_when_it_is_back(
    served: Disturbed,
    cluster: Cluster,
    wanted: dict[str, Any],
    hands: tuple[str, ...],
    full_size: bool,
) -> None:
    process = served.start(*hands, program=() if full_size else ("-c", IMPATIENT))
    served.wait_for(process, 1)
    cluster.stop()
    served.release()
    try:
        said = sentence(process)
    finally:
        cluster.start()
    assert f"was not available for {30 if full_size else 2} seconds" in said
    assert "`mensura study resume disturbed` goes on from there" in said
    assert 0 < served.done() < ALL
    served.resume(*hands)
    assert served.tables() == wanted


@pytest.mark.thorough
def test_the_lock_of_a_coordinator_that_is_killed_goes_with_it(
    served: Disturbed, wanted: dict[str, Any], full_size: bool
) -> None:
    process = served.start(*(WORKERS if full_size else (*WORKERS[:-1], "1")))
    served.wait_for(process, 1)
    workers = children(process.pid)
    assert workers
    kill(process.pid)
    process.communicate(timeout=60)
    assert all(gone(pid) for pid in workers)
    assert served.done() < ALL
    served.play()
    assert served.tables() == wanted


# Two at once -----------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_second_coordinator_is_refused_and_harms_nothing(
    kind: str,
    tmp_path: Path,
    calm: Disturbed,
    wanted: dict[str, Any],
    request: pytest.FixtureRequest,
    hands: tuple[str, ...],
    full_size: bool,
) -> None:
    if kind == "postgresql" and not full_size:
        pytest.skip("its lock is tested with the store: give --full-size")
    wild: Disturbed = (
        Disturbed(tmp_path, EPISODES, calm=calm)
        if kind == "sqlite"
        else request.getfixturevalue("served")
    )
    wild.brake()
    first = wild.start(*hands)
    wild.wait_for(first, 1)
    # Held still, so that it is there when the others come, however busy the machine is.
    kill(first.pid, signal.SIGSTOP)
    try:
        others = [wild.start(*hands), wild.command("resume", "--executor", "threads")]
        for said in map(sentence, others):
            assert "The run disturbed is being written by another process" in said
            assert (f"(process {first.pid})" in said) == (kind == "sqlite")
    finally:
        kill(first.pid, signal.SIGCONT)
    wild.release()
    ended(first)
    assert wild.tables() == wanted


# Agents that are disasters themselves ----------------------------------------------------------------

DISASTERS = """
import os, time

class Dice:
    def begin(self, task, rng):
        self.rng = rng
        self.luck = int(rng.integers(6))

    def act(self, observation, reward):
        if self.luck == 3:
            self.disaster()
        return int(self.rng.integers(2))

    def disaster(self):
        pass

class Exits(Dice):
    def disaster(self):
        os._exit(0)

class Eats(Dice):
    kept = []

    def disaster(self):
        while True:
            self.kept.append(bytearray(10_000_000))

class Hangs(Dice):
    def disaster(self):
        while True:
            time.sleep(1)
"""

TERRIBLE = """
mensura: 1
name: disturbed
seed: {seed}
worlds:
  - {{world: line, parameters: {{walkers: 1, horizon: 3}}}}
subjects:
{subjects}
assessments:
  - {{assessment: battery, parameters: {{episodes: {episodes}}}}}
limits: {{seconds_per_episode: 3.0, seconds_to_start: 0.2, memory_mb: 300}}
"""


def terrible(folder: Path, names: list[str], full_size: bool) -> Disturbed:
    """A study of such agents, all of them inside the workers; with two episodes, each has one disaster."""
    study = Disturbed(folder, 6 if full_size else 2)
    code = folder.parent / "disasters.py"
    code.write_text(DISASTERS)
    line = '  - {{subject: "{code}:{name}", name: {name}, in_process: true}}'
    subjects = "\n".join(line.format(code=code, name=name) for name in names)
    seed = 96
    study.file.write_text(TERRIBLE.format(subjects=subjects, episodes=study.episodes, seed=seed))
    return study


@pytest.mark.thorough
def test_agents_that_exit_eat_memory_or_hang_inside_a_worker_harm_only_themselves(
    tmp_path: Path, full_size: bool
) -> None:
    wild = terrible(tmp_path / "wild", ["Dice", "Exits", "Eats", "Hangs"], full_size)
    wild.finish(*WORKERS)
    alone = terrible(tmp_path / "alone", ["Dice"], full_size)
    alone.play()
    with open_store(wild.store, create=False) as store, open_store(alone.store) as calm:
        (condition,) = store.result(store.find("disturbed")).conditions
        found = {one.subject: one for one in condition.subjects}
        (dice,) = calm.result(calm.find("disturbed")).conditions[0].subjects
    assert found["Dice"].moments == dice.moments
    assert found["Dice"].faults == 0
    for name, cause in (
        ("Exits", "its worker process died (exit status 0), 3 times"),
        ("Eats", "MemoryError"),
        ("Hangs", "it took longer than the 3.2 s that it may take, 3 times"),
    ):
        assert found[name].moments.count == wild.episodes
        assert any(cause in example for example in found[name].fault_examples), name
        assert found[name].lost > 0 or name == "Eats"


@pytest.mark.thorough
def test_an_agent_that_ends_the_coordinator_itself_leaves_a_run_that_goes_on_elsewhere(
    tmp_path: Path, full_size: bool
) -> None:
    wild = terrible(tmp_path / "wild", ["Dice", "Exits"], full_size)
    process = wild.start("--executor", "threads")
    process.communicate(timeout=240)
    assert process.returncode == 0  # as the agent wished
    assert wild.done() < 2 * wild.episodes
    wild.resume(*WORKERS)
    assert wild.done() == 2 * wild.episodes
