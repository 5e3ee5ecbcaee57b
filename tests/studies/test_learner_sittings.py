"""Transfer in a store: killed and gone on with it is the same to the bit, and records alone tell all of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api.transferring import Transfer, transfers_of
from mensura.records.store import open_store
from mensura.studies.files import parse_study
from mensura.studies.layout import lay_out
from mensura.studies.replay import replay
from mensura.studies.runs import Manner, begin, resume

WORLD = ms.make("lambda", cells=4, actions=2, horizon=20)
SMALL: dict[str, Any] = {"interactions": 64, "learners": 3, "episodes": 2, "seed": 1}

AGENT = '''
import os, time

class Slow:
    """Waits over every answer while there is a brake; acts by how much it has lived through."""

    count = 0

    def begin(self, task, rng):
        self.actions = task.action_space

    def act(self, observation, reward):
        if os.path.exists({brake!r}):
            time.sleep(0.02)
        self.count += 1
        return self.actions.start + self.count % self.actions.n

    def save(self):
        return str(self.count).encode()

    def load(self, memory):
        self.count = int(memory)
'''

FAMILY = """
mensura: 1
tasks:
  - {name: one, world: lambda, parameters: {cells: 4, actions: 2, horizon: 10}, environment: 1}
  - {name: two, world: lambda, parameters: {cells: 4, actions: 2, horizon: 10}, environment: 2}
"""


def same(one: Transfer, two: Transfer) -> None:
    """All numbers of two tables are equal to the bit."""
    first, second = one.table.to_json(), two.table.to_json()
    assert first.keys() == second.keys()
    for name, value in first.items():
        if isinstance(value, list):
            assert np.array_equal(value, second[name], equal_nan=True), name
        else:
            assert value == second[name], name
    assert (one.trainings, one.notes, one.seed) == (two.trainings, two.notes, two.seed)


def test_what_is_kept_is_what_is_found_without_a_store(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    free = ms.transfer("q-learning", (WORLD, 1), (WORLD, 2), **SMALL)
    kept = ms.transfer("q-learning", (WORLD, 1), (WORLD, 2), **SMALL, store=store)
    same(free, kept)
    assert kept.to_json()["pairs"] == free.to_json()["pairs"]
    with open_store(store, create=False) as records:
        (again,) = transfers_of(records, records.find(kept.name))
    same(free, again)
    assert [one.to_json() for one in again.pairs] == [one.to_json() for one in free.pairs]


@pytest.mark.thorough
def test_the_same_again_plays_nothing(tmp_path: Path) -> None:
    one, two = (
        ms.transfer("q-learning", (WORLD, 1), (WORLD, 2), **SMALL, store=tmp_path / "s.db")
        for _ in range(2)
    )
    assert one.name == two.name
    same(one, two)


@pytest.mark.thorough
def test_a_subject_that_cannot_be_saved_is_said_to_be_trained_anew(tmp_path: Path) -> None:
    class Plain:
        def act(self, observation: object, reward: float) -> int:
            return 1

    found = ms.transfer(
        Plain, (WORLD, 1), (WORLD, 2), **SMALL, store=tmp_path / "s.db", in_process=True
    )
    assert "Plain cannot be saved, so it was trained anew for every cell" in " ".join(found.notes)


@pytest.mark.thorough
def test_a_killed_run_goes_on_and_finds_the_same(tmp_path: Path, full_size: bool) -> None:
    brake, agent = tmp_path / "brake", tmp_path / "slow.py"
    agent.write_text(AGENT.format(brake=str(brake)))
    (tmp_path / "family.yaml").write_text(FAMILY)
    words = ["transfer", f"{agent}:Slow", "--in-process", "--family", "family.yaml"]
    words += ["--measures", "all", "--interactions", "40", "--learners", "2", "--episodes", "2"]
    words += ["--seed", "3", "--name", "killed"]

    def start(store: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "mensura.cli.main", *words, "--store", store],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200"},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    journals = tmp_path / "killed.db.files" / "journals" / "1"
    brake.touch()
    for wanted in (4, 9) if full_size else (9,):
        process = start("killed.db")
        while sum(len(one.read_bytes().splitlines()) for one in journals.glob("*.looks")) < wanted:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert list((journals / "memories").glob("*")), "what was learned is on disk"
    brake.unlink()
    outs = []
    for store in ("killed.db", "calm.db"):
        process = start(store)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        outs.append(out)
    assert outs[0] == outs[1]
    found = []
    for store in ("killed.db", "calm.db"):
        with open_store(tmp_path / store, create=False) as records:
            found += transfers_of(records, records.find("killed"))
    same(*found)
    assert not journals.exists(), "memories are swept when no cell needs them"


STUDY = """
mensura: 1
name: families
seed: 5
subjects: [random, q-learning]
worlds:
  - {{world: lambda, parameters: {{cells: 4, actions: 2, horizon: 10}}}}
assessments:
  - assessment: transfer
    parameters: {{family: {family}, interactions: 32, learners: 2, test_episodes: 2{more}}}
"""

OPEN_FAMILY = "mensura: 1\ntasks:\n  - {name: one, environment: 1}\n  - {name: two, parameters: {horizon: 5}}\n"


@pytest.mark.parametrize(
    "executor", ["threads", pytest.param("processes", marks=pytest.mark.thorough)]
)
def test_a_study_file_names_transfer_and_its_tasks_take_the_world_of_the_study(
    tmp_path: Path, executor: str
) -> None:
    family = tmp_path / "open.yaml"
    family.write_text(OPEN_FAMILY)
    layout = lay_out(parse_study(STUDY.format(family=family, more="")).study)
    family.unlink()  # a run keeps what it was begun with
    with open_store(tmp_path / "s.db") as records:
        run = begin(records, layout)
        result = resume(records, run, manner=Manner(executor, 1))
        found = transfers_of(records, run)
        exported = records.frame("episodes", run)
        assert all(replay(records, run, number).identical for number in range(4))
    assert result.status == "finished"
    assert [one.table.subject for one in found] == ["random", "q-learning"]
    assert found[0].table.tasks == ("one", "two")
    scores = [one.moments.mean for one in result.conditions[0].subjects]
    off = [one.table.raw[:, [0, 1], [1, 0]].mean() for one in found]
    assert scores == pytest.approx(off)
    assert len(exported) == sum(one.table.learners for one in found) * (2 + 2 * 2 + 2 * 1)


@pytest.mark.parametrize(
    ("family", "more", "sentence"),
    [
        ("nowhere.yaml", "", "There is no file nowhere.yaml"),
        ("'{mensura: 1, tasks: [{name: one}]}'", "", "a family has at least 2 tasks"),
        ("'{mensura: 1, tasks: [{name: a}, {name: a}]}'", "", "Two tasks are called a"),
        ("'{mensura: 1, tasks: [{world: nolambda}, {name: a}]}'", "", "nolambda"),
        ("''", "", "write family: family.yaml"),
        (
            "'{mensura: 1, tasks: [{name: a}, {name: b}]}'",
            ", level: 1.5",
            "The level 1.5 is no performance",
        ),
        ("'{mensura: 1, tasks: [{name: a}, {name: b}]}'", ", measures: some", "measures"),
    ],
)
def test_bad_transfer_in_a_study_is_one_sentence(family: str, more: str, sentence: str) -> None:
    opened = parse_study(STUDY.format(family=family, more=more))
    with pytest.raises(MensuraError, match=sentence) as error, opened.located():
        lay_out(opened.study)
    assert re.search(r"the study, line (9|10): ", str(error.value))
