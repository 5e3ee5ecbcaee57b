"""Executors: the same bits whoever computes, and a death harms nobody else."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.results import StudyResult
from mensura.studies.desk import Job
from mensura.studies.executors import make_executor
from mensura.studies.runs import Manner, run_study
from mensura.studies.study import Study, study_from_plain

AGENTS = '''
import os, sys, time

class Dice:
    def begin(self, task, rng):
        self.rng = rng
        self.luck = int(rng.integers(12))

    def act(self, observation, reward):
        return int(self.rng.integers(1, 10))

class Mortal(Dice):
    """Its draws decide whether it takes the whole process with it."""

    def act(self, observation, reward):
        if self.luck == 3:
            os.kill(os.getpid(), 9)
        return super().act(observation, reward)

class Once(Dice):
    """The same, but only the first of all."""

    def act(self, observation, reward):
        mark = os.path.join(os.path.dirname(os.path.abspath(__file__)), "died")
        if self.luck == 3 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), 9)
        return super().act(observation, reward)

class Stuck(Dice):
    def act(self, observation, reward):
        if self.luck == 3:
            time.sleep(3600)
        return super().act(observation, reward)

class Hungry(Dice):
    def act(self, observation, reward):
        bytearray(3_000_000_000)
        return 5

class Sleepy(Dice):
    def act(self, observation, reward):
        time.sleep(0.15)
        return 5
'''


def study(folder: Path, subjects: list[Any], episodes: int = 24, **more: Any) -> Study:
    """Of a compiled world, unless another is given."""
    (folder / "agents.py").write_text(
        AGENTS.replace("integers(1, 10)", "integers(2)") if "worlds" in more else AGENTS
    )
    return study_from_plain(
        {
            "mensura": 1,
            "name": "small",
            "seed": 7,
            "worlds": [
                {
                    "world": "lambda-star",
                    "parameters": {"rows": 4, "cols": 4, "subjects": 2, "horizon": 5},
                }
            ],
            "subjects": [
                {**one, "subject": one["subject"].replace("agents.py", str(folder / "agents.py"))}
                for one in subjects
            ],
            "assessments": [{"assessment": "battery", "parameters": {"episodes": episodes}}],
            **more,
        }
    )


def plain(world: str) -> list[Any]:
    """Only a world in plain Python, which a new worker plays in a third of the time."""
    return [{"world": world, "parameters": {"walkers": 1, "horizon": 5}}]


class Watch:
    """Counts deaths."""

    def __init__(self) -> None:
        self.deaths: list[str] = []
        self.attempts: dict[tuple[str, int], int] = {}

    def counted(self, cell: Cell, batch: Batch) -> None:
        for item, attempts in zip(batch.item.tolist(), batch.attempts.tolist(), strict=True):
            assert (cell.name, item) not in self.attempts
            self.attempts[cell.name, item] = attempts

    def died(self, cell: Cell, job: Job, death: str) -> None:
        self.deaths.append(death)

    def stepped(self, cell: Cell, step: Any) -> None:
        pass


def facts(result: StudyResult) -> list[Any]:
    """All that must not depend on who computed it."""
    return [
        (
            one.subject,
            one.moments,
            one.by_complexity,
            one.histogram,
            one.learning,
            one.interactions,
            one.faults,
            one.lost,
            one.fault_examples,
        )
        for condition in result.conditions
        for one in condition.subjects
    ]


CALM = [
    {"subject": "local-search"},
    {"subject": "q-learning", "training": 4},
    {"subject": "agents.py:Dice", "name": "inside", "in_process": True},
    {"subject": "agents.py:Dice", "name": "own process"},
]


def test_results_are_identical_to_the_bit_whoever_computes(tmp_path: Path, full_size: bool) -> None:
    small = study(tmp_path, CALM, 9, repetitions=2)
    # One worker is two of whom one has nothing to do.
    workers = (1, 2) if full_size else (2,)
    first, *others = [
        facts(run_study(small, manner=manner))
        for manner in (
            Manner("threads", 1),
            Manner("threads", 3),
            *(Manner("processes", count) for count in workers),
        )
    ]
    assert all(other == first for other in others)
    assert len(first) == 4


@pytest.mark.thorough
@pytest.mark.long
def test_ray_gives_the_same_bits_and_outlives_the_death_of_its_workers(
    tmp_path: Path, full_size: bool
) -> None:
    name, deaths = ("Mortal", 3) if full_size else ("Once", 1)
    deadly = [*CALM, {"subject": f"agents.py:{name}", "name": "mortal", "in_process": True}]
    small = study(tmp_path, deadly, episodes=2, seed=5)  # its first sitting is deadly
    watch = Watch()
    cluster = run_study(small, manner=Manner("ray", 2), watcher=watch)
    processes = run_study(small, manner=Manner("processes", 2))
    assert facts(cluster)[:4] == facts(processes)[:4]
    mortal, other = facts(cluster)[4], facts(processes)[4]
    assert mortal[:-1] == other[:-1]
    assert mortal[7] == (deaths == 3)
    assert len(watch.deaths) == deaths
    assert "its Ray worker died" in watch.deaths[0]


@pytest.mark.thorough
def test_a_dead_worker_is_replaced_and_the_third_death_is_the_subjects_fault(
    tmp_path: Path, full_size: bool, plain_world: str
) -> None:
    # With seed 4 just one of four sittings is deadly.
    episodes, seed = (40, 1) if full_size else (4, 4)
    worlds: dict[str, Any] = {} if full_size else {"worlds": plain(plain_world)}
    watch = Watch()
    subjects = [
        {"subject": "agents.py:Mortal", "name": "mortal", "in_process": True},
        {"subject": "agents.py:Dice", "name": "dice", "in_process": True},
    ]
    deadly = study(tmp_path, subjects, episodes, seed=seed, **worlds)
    # A worker that is alone, and its successors, play for both subjects.
    workers = 2 if full_size else 1
    result = run_study(deadly, manner=Manner("processes", workers), watcher=watch)
    mortal, dice = result.conditions[0].subjects
    lost = [name for (name, _), attempts in watch.attempts.items() if attempts == 3]
    assert mortal.lost == len([name for name in lost if name == "mortal"]) > 0
    assert mortal.moments.count == dice.moments.count == episodes
    assert "died: its worker process died (signal SIGKILL), 3 times" in mortal.fault_examples[0]
    assert dice.lost == dice.faults == 0
    calm = study(tmp_path, subjects[1:], episodes, seed=seed, **worlds)
    alone = run_study(calm, manner=Manner("threads", 1))
    assert alone.conditions[0].subjects[0].moments == dice.moments


@pytest.mark.thorough
def test_an_agent_that_hangs_inside_a_worker_is_ended_by_its_limits(
    tmp_path: Path, plain_world: str
) -> None:
    watch = Watch()
    subjects = [{"subject": "agents.py:Stuck", "name": "stuck", "in_process": True}]
    limits = {"seconds_per_episode": 0.2, "seconds_to_start": 0.1}
    worlds = plain(plain_world)
    small = study(tmp_path, subjects, 2, limits=limits, seed=365, worlds=worlds)  # both hang
    result = run_study(small, manner=Manner("processes", 1), watcher=watch)
    (stuck,) = result.conditions[0].subjects
    assert stuck.moments.count == 2
    assert stuck.lost > 0
    assert "it took longer than" in stuck.fault_examples[0]


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="memory is limited on Linux only")
def test_an_agent_that_eats_memory_is_stopped_by_its_limit(tmp_path: Path) -> None:
    subjects = [{"subject": "agents.py:Hungry", "name": "hungry"}]
    result = run_study(study(tmp_path, subjects, 2, limits={"memory_mb": 1000}))
    (hungry,) = result.conditions[0].subjects
    assert hungry.faults == 2 * 2 * 3
    assert "MemoryError" in hungry.fault_examples[0]


def test_an_agent_that_uses_up_its_time_is_not_asked_again_in_that_episode(tmp_path: Path) -> None:
    subjects = [{"subject": "agents.py:Sleepy", "name": "sleepy"}]
    limits = {"seconds_per_episode": 0.25, "seconds_per_action": 5.0}
    # One seat: two that answer in turn hardly ever use up their times at the same moment.
    alone = {"rows": 4, "cols": 4, "subjects": 1, "horizon": 5}
    worlds = [{"world": "lambda-star", "parameters": alone}]
    result = run_study(study(tmp_path, subjects, 1, limits=limits, worlds=worlds))
    (sleepy,) = result.conditions[0].subjects
    assert sleepy.faults == 1
    assert "late" in sleepy.fault_examples[0]


@pytest.mark.thorough
def test_bad_input_inside_a_worker_is_one_sentence(tmp_path: Path, plain_world: str) -> None:
    (tmp_path / "agents.py").write_text(
        "class Broken:\n    def __init__(self):\n        1 / 0\n    def act(self, o, r):\n        return 5\n"
    )
    small = study_from_plain(
        {
            "mensura": 1,
            "name": "small",
            "worlds": plain(plain_world),
            "subjects": [{"subject": f"{tmp_path}/agents.py:Broken", "in_process": True}],
        }
    )
    with pytest.raises(MensuraError, match="could not be made: ZeroDivisionError"):
        run_study(small, manner=Manner("processes", 1))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("proceses", None, None), "There is no executor 'proceses'; did you mean"),
        (("threads", 0, None), "0 workers cannot do any work"),
        (("threads", 2, "localhost:1"), "needs no address"),
    ],
)
def test_an_executor_that_cannot_be_gets_a_sentence(
    arguments: tuple[str, int | None, str | None], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        make_executor(*arguments)


@pytest.mark.parametrize(
    ("workers", "concurrent", "chosen"),
    [(2, True, "Threads"), (2, False, "Processes"), (1, False, "Threads")],
)
def test_processes_are_chosen_where_threads_would_wait_for_each_other(
    workers: int, concurrent: bool, chosen: str
) -> None:
    assert type(make_executor("auto", workers, concurrent=concurrent)).__name__ == chosen


@pytest.mark.thorough
def test_a_cluster_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match=r"There is no Ray cluster at 127\.0\.0\.1:1"):
        run_study(study(tmp_path, CALM[:1]), manner=Manner("ray", 1, "127.0.0.1:1"))


def test_an_address_that_is_none_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="'head' of a Ray cluster is not understood"):
        run_study(study(tmp_path, CALM[:1]), manner=Manner("ray", 1, "head"))


class Recorded:
    """Ray, as far as a cluster asks it, which has some GPUs and starts nobody."""

    def __init__(self, gpus: int) -> None:
        self.resources = {"CPU": 3.0, "GPU": float(gpus)}
        self.asked: list[dict[str, Any]] = []
        self.devices: list[str] = []
        self._private = SimpleNamespace(worker=SimpleNamespace())

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return self.resources

    def put(self, what: Any) -> Any:
        return what

    def kill(self, *_: Any, **__: Any) -> None:
        pass

    def remote(self, _: Any) -> Any:
        def options(**given: Any) -> Any:
            self.asked.append(given)
            return SimpleNamespace(remote=self._made)

        return SimpleNamespace(options=options)

    def _made(self, *given: Any) -> Any:
        self.devices.append(given[-2])
        return SimpleNamespace(ready=SimpleNamespace(remote=lambda: None))


def test_on_a_cluster_each_gpu_has_a_worker_and_the_others_play_on_processors() -> None:
    pytest.importorskip("ray")
    executor: Any = make_executor("ray", 3, device="gpu")
    executor._ray = recorded = Recorded(2)
    executor.start([], None)
    assert [one.get("num_gpus", 0) for one in recorded.asked] == [1, 1, 0]
    assert recorded.devices == ["gpu", "gpu", "cpu"]
    executor._replace(executor.hands[1], RuntimeError("gone"))
    assert recorded.asked[-1].get("num_gpus") == 1


def test_a_cluster_without_a_gpu_is_told_before_anything_is_played() -> None:
    pytest.importorskip("ray")
    executor: Any = make_executor("ray", 3, device="gpu")
    executor._ray = recorded = Recorded(0)
    with pytest.raises(MensuraError, match="has no GPU"):
        executor.start([], None)
    assert not recorded.asked
