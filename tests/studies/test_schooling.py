"""Training before sittings: shared beginnings are trained once, whoever plays, and a killed run goes on to the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.task import Task
from mensura.agents import at_hand
from mensura.records.memories import ANEW, TRAINED, MemoriesOnDisk, Memory
from mensura.records.store import open_store
from mensura.studies.files import parse_study, read_study
from mensura.studies.layout import Layout, lay_out
from mensura.studies.replay import replay
from mensura.studies.runs import Manner, begin, resume, run_study
from mensura.studies.schooling import name_of
from mensura.studies.sweeping import Sweeper

STUDY = """
mensura: 1
name: school
seed: 3
subjects: [{subjects}]
worlds:
  - {{world: lambda, parameters: {{cells: 4, actions: 3, horizon: 10}}}}
assessments:
  - {{assessment: battery, parameters: {{episodes: {episodes}, spread: any}}}}
phases:
  - {{name: newborn, interactions: 0}}
  - {{name: one, environment: 1, interactions: 40, measure: checkpoints}}
  - name: two
    environment: 2
    interactions: 20
    then:
      - [{{name: back, environment: 1, interactions: 16}}]
      - [{{name: quiet, interactions: 16, measure: never}}, {{name: more, interactions: 16}}]
"""


class Counting:
    """Acts by how much it has lived through; notes each answer in training in a list of the class."""

    trained: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.count = 0

    def begin(self, task: Task, rng: object) -> None:
        self.actions: Any = task.action_space
        self.learning = task.learning

    def act(self, observation: object, reward: float) -> int:
        if self.learning:
            self.trained.append(self.count)
        self.count += 1
        return int(self.actions.start + self.count % self.actions.n)

    def save(self) -> bytes:
        return str(self.count).encode()

    def load(self, memory: bytes) -> None:
        self.count = int(memory)


class Forgetful(Counting):
    save = None  # type: ignore[assignment]


COUNTING, FORGETFUL = (f"{at_hand.__name__}:{name}" for name in ("counting", "forgetful"))
LENT = {"counting": Counting, "forgetful": Forgetful}


def laid(subject: str, episodes: int = 3) -> Layout:
    entry = f'{{subject: "{subject}", name: me, in_process: {str(":" in subject).lower()}}}'
    return lay_out(parse_study(STUDY.format(subjects=entry, episodes=episodes)).study)


def scores(layout: Layout, manner: Manner | None = None) -> list[Any]:
    result = run_study(layout, manner=manner or Manner("threads", 1))
    return [
        (one.title, one.subjects[0].moments.mean, one.subjects[0].measures.get(TRAINED))
        for one in result.conditions
    ]


def test_a_shared_beginning_is_trained_once_for_each_learner() -> None:
    Counting.trained = []
    with at_hand.lend(LENT):
        scores(laid(COUNTING))
    once = [*range(40), *range(40, 60), *range(60, 76), *range(60, 76), *range(76, 92)]
    assert sorted(Counting.trained) == sorted(once * 3)


@pytest.mark.parametrize(
    "subject", ["q-learning", pytest.param(COUNTING, marks=pytest.mark.thorough)]
)
def test_neither_workers_nor_a_store_change_a_number(subject: str, tmp_path: Path) -> None:
    with at_hand.lend(LENT):
        one = scores(laid(subject), Manner("threads", 1))
        assert scores(laid(subject), Manner("threads", 3)) == one
        with open_store(tmp_path / "s.db") as store:
            layout = laid(subject)
            run = begin(store, layout)
            result = resume(store, run, manner=Manner("threads", 2), layout=layout)
            assert not store.journals(run).exists(), "memories are swept"
            assert all(replay(store, run, number).identical for number in range(0, 24, 5))
    found = [(condition.subjects[0].moments.mean) for condition in result.conditions]
    assert found == [score for _, score, _ in one]
    taken = [0, 16, 32, 40, 60, 76, 92]
    assert [measure.mean for _, _, measure in one if measure is not None] == taken


@pytest.mark.thorough
def test_processes_share_what_was_learned() -> None:
    assert scores(laid("q-learning"), Manner("processes", 2)) == scores(laid("q-learning"))


def test_whoever_cannot_be_saved_is_trained_anew_and_scores_the_same() -> None:
    with at_hand.lend(LENT):
        saved = scores(laid(COUNTING))
        Counting.trained = []
        anew = run_study(laid(FORGETFUL), manner=Manner("threads", 1))
    found = [condition.subjects[0] for condition in anew.conditions]
    assert [one.moments.mean for one in found] == [score for _, score, _ in saved]
    assert len(Counting.trained) == 3 * (16 + 32 + 40 + 60 + 76 + 92)
    assert ANEW in found[-1].measures
    assert (
        "me cannot be saved, so all of its training was done anew" in anew.conditions[-1].notes[0]
    )


def test_who_is_to_forget_goes_back_to_what_the_phases_taught() -> None:
    text = STUDY.replace(
        "{{assessment: battery, parameters: {{episodes: {episodes}, spread: any}}}}",
        "{{assessment: anytime, parameters: {{sittings: 2, interactions: 60, memory: fresh}}}}",
    )
    with at_hand.lend(LENT):
        found = []
        for subject in (COUNTING, FORGETFUL):
            entry = f'{{subject: "{subject}", name: me, in_process: true}}'
            layout = lay_out(parse_study(text.format(subjects=entry)).study)
            found.append([score for _, score, _ in scores(layout)])
    assert found[0] == found[1]
    assert len(set(found[0])) > 1


def test_memories_are_dropped_as_soon_as_no_cell_needs_them(tmp_path: Path) -> None:
    places = laid("q-learning").places
    sweeper = Sweeper(places, None, tmp_path)
    needed: dict[str, int] = {}
    for at, place in enumerate(places):
        assert place.school is not None
        for path in filter(None, place.school.stops):
            needed[name_of(place.cell.subject, place.cell.seed, 0, path)] = at
    for name in needed:
        (tmp_path / name).touch()
    for at, place in enumerate(places):
        batch: Any = SimpleNamespace(cell=place.cell.number, item=np.array([0]))
        sweeper.counted(batch)
        left = {one.name for one in tmp_path.iterdir()}
        assert left == {name for name, last in needed.items() if last > at}
    assert len(needed) == 7


def test_the_memory_of_another_subject_is_refused(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db") as store:
        layout = laid("q-learning")
        run = begin(store, layout)
        place = layout.places[1]
        assert place.school is not None
        name = name_of(place.cell.subject, place.cell.seed, 0, place.school.goal)
        folder = store.journals(run) / "memories"
        MemoriesOnDisk(folder, "sarsa").put(name, Memory(b"?"))
        with pytest.raises(MensuraError, match="is that of sarsa, and q-learning is to go on"):
            resume(store, run, layout=layout)


def test_what_another_world_taught_is_refused_where_it_is_of_no_use() -> None:
    text = STUDY.format(subjects="q-learning", episodes=2)
    text += "      - [{world: lambda-star, name: torus, interactions: 16}]\n"
    with pytest.raises(MensuraError, match="What q-learning learned cannot be used in torus"):
        run_study(lay_out(parse_study(text).study))


SLOW = """
import os, time

class Slow:
    count = 0

    def begin(self, task, rng):
        self.actions = task.action_space

    def act(self, observation, reward):
        if os.path.exists("brake"):
            time.sleep(0.02)
        self.count += 1
        return self.actions.start + self.count % self.actions.n

    def save(self):
        return str(self.count).encode()

    def load(self, memory):
        self.count = int(memory)
"""


@pytest.mark.thorough
def test_a_killed_study_goes_on_to_the_same_result(tmp_path: Path, full_size: bool) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    entry = f'{{subject: "{tmp_path}/slow.py:Slow", name: slow, in_process: true}}, q-learning'
    file = tmp_path / "school.yaml"
    file.write_text(STUDY.format(subjects=entry, episodes=3))
    (tmp_path / "brake").touch()
    command = [
        sys.executable,
        "-m",
        "mensura.cli.main",
        "study",
        "run",
        str(file),
    ]
    memories = tmp_path / "s.db.files" / "journals" / "1" / "memories"
    met: set[str] = set()
    for wanted in (1, 3) if full_size else (3,):
        process = subprocess.Popen(
            [*command, "--store", "s.db", "--workers", "2"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        while len(met) < wanted:
            assert process.poll() is None, process.communicate()
            met |= {one.name for one in memories.glob("*") if len(one.name) == 32}
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    (tmp_path / "brake").unlink()
    tables = []
    for store in ("s.db", "calm.db"):
        ending = [*command, "--store", store, "--workers", "2" if full_size else "1"]
        done = subprocess.run(ending, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        with open_store(tmp_path / store, create=False) as records:
            run = records.find("school")
            columns = ["number", "subject", "condition", "score", "interactions"]
            tables.append(records.frame("sittings", run).sort("number")[columns].to_dicts())
            assert not records.journals(run).exists()
    assert tables[0] == tables[1]
    assert read_study(file).phases
