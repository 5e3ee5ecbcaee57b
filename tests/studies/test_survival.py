"""Whatever is killed, at whatever moment: the study is completed and every sitting is counted exactly once."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.studies.survival import Disturbed, children, drawn, gone, kill

from mensura.agent.keys import fold, fresh, key

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
    pytest.mark.usefixtures("plain_world"),
]


DEATHS = ("worker", "worker", "coordinator", "starting", "worker", "coordinator")
"""Half of them are workers. Coordinators die at work or, after another death, while they are still starting."""


@pytest.mark.timeout(900)
def test_a_study_survives_the_death_of_its_coordinator_and_workers_again_and_again(
    tmp_path: Path, full_size: bool, record_property: pytest.RecordProperty
) -> None:
    """Real processes are killed with SIGKILL at moments that are drawn anew in every run of the tests."""
    seed = key(fresh(), "kills")
    record_property("seed", seed)
    deaths = DEATHS * 10 if full_size else ("worker", "coordinator", "starting")
    episodes = 3000 if full_size else 100
    calm = Disturbed(tmp_path / "calm", episodes)
    wild = Disturbed(tmp_path / "wild", episodes, calm=calm)
    calm.play()
    wild.brake()
    killed: list[str] = []
    progress = [0]
    while len(killed) < len(deaths):
        assert progress[-1] < 4 * episodes, f"finished after {killed}; it needs more episodes"
        process = wild.start("--executor", "processes", "--workers", "2")
        try:
            while process.poll() is None:
                number = len(killed)
                death = deaths[number]
                workers = [] if death == "starting" else crew(process)
                time.sleep(drawn(seed, number, 0.0, 1.2))
                if workers and death == "worker":
                    kill(workers[fold(seed, 2000 + number) % len(workers)])
                    killed.append("worker")
                else:
                    kill(process.pid)
                    killed.append("nobody" if death == "worker" else death)
                    process.communicate(timeout=60)
                    assert all(gone(pid) for pid in workers), "a worker outlived its coordinator"
        finally:
            kill(process.pid)
            process.communicate(timeout=60)
        progress.append(wild.done())
    assert progress == sorted(progress), "something acknowledged was lost"
    wild.release()
    if full_size:
        wild.finish("--executor", "processes", "--workers", "2")
    else:
        wild.play()
    assert wild.tables() == calm.tables(), f"seed {seed}, {killed}, {progress}"
    assert killed == [*deaths]
    assert "finished; there is nothing left to do" in wild.finish()


def crew(process: subprocess.Popen[str]) -> list[int]:
    """The workers of a coordinator, once it has any."""
    while process.poll() is None:
        if found := children(process.pid):
            return found
        time.sleep(0.02)
    return []


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_end_leaves_a_resumable_run_and_says_how(tmp_path: Path, number: int) -> None:
    study = Disturbed(tmp_path, 50)
    study.brake()
    process = study.start("--executor", "processes", "--workers", "1")
    study.wait_for(process, 1)
    kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "mensura study resume disturbed" in out
    assert 0 < study.done() < 200
    study.play()
    assert study.done() == 200
