"""What studies cost: records, growth, workers, the runner itself, and how quickly a command is there."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from measure import Figure, best_rate

AGENT = """
from time import perf_counter

class Busy:
    '''Computes for so many seconds an answer.'''

    seconds = {seconds}

    def act(self, observation, reward):
        until = perf_counter() + self.seconds
        while perf_counter() < until:
            pass
        return 5
"""

COMPILED = [{"subject": "random"}, {"subject": "local-search"}]


def study(name: str, subjects: list[dict[str, Any]], episodes: int, /, **world: int) -> Any:
    """A study of one condition, with so many episodes of each subject."""
    from mensura.studies.study import study_from_plain

    return study_from_plain(
        {
            "mensura": 1,
            "name": name,
            "seed": 1,
            "worlds": [{"world": "lambda-star", "parameters": world}],
            "subjects": subjects,
            "assessments": [{"assessment": "battery", "parameters": {"episodes": episodes}}],
        }
    )


# Records ---------------------------------------------------------------------------------------------


def records(quick: bool) -> Iterator[Figure]:
    """The bare commit of batches, as a study makes them, to SQLite."""
    from mensura.records.run import NewRun
    from mensura.records.store import open_store
    from mensura.studies.executors import make_executor
    from mensura.studies.runner import conduct
    from mensura.studies.runs import lay_out

    count = 10_000 if quick else 200_000
    cells, places = lay_out(study("records", COMPILED, count // 2, rows=5, cols=5, horizon=10), 1)
    commits: list[Any] = []
    conduct(places, make_executor("threads", 1), commits.append)
    with tempfile.TemporaryDirectory() as folder:
        begun = 0

        def write() -> int:
            nonlocal begun
            begun += 1
            with open_store(Path(folder) / f"{begun}.db") as store:
                run = store.begin(NewRun("records", "", {}, "", 1, cells))
                with store.seize(run) as lease:
                    for batches in commits:
                        lease.commit(batches)
            return count

        rate = best_rate(write, 3)
    yield Figure("records, bare commits to SQLite", rate, "episodes/s", 20_000)


GROWTH = """
import json, os, sys
from pathlib import Path
from time import perf_counter
sys.path[:0] = [sys.argv[1], os.path.dirname(sys.argv[1])]
from tests.peak import peak
from studies import COMPILED, study
from mensura.records.store import open_store
from mensura.studies.runs import begin, resume

episodes = int(sys.argv[3])
with open_store(sys.argv[2]) as store:
    for name, count in (("warm-up", 64), ("growth", episodes // 2)):
        run = begin(store, study(name, COMPILED, count, rows=5, cols=5, horizon=10))
        start = perf_counter()
        resume(store, run)
        seconds = perf_counter() - start
size = os.path.getsize(sys.argv[2])
print(json.dumps([seconds, peak(), size]))
"""


def growth(quick: bool) -> Iterator[Figure]:
    """A whole study into a store, at each decade: cost of an episode, memory, room on the disk."""
    decades = (3, 4) if quick else (3, 4, 5, 6)
    costs: list[float] = []
    for decade in decades:
        episodes = 10**decade
        taken = [_grown(episodes) for _ in range(3 if decade < 5 else 2)]
        seconds, megabytes, size = min(taken)
        costs.append(seconds / episodes)
        yield Figure(f"a study of 10^{decade} episodes", 1e6 * costs[-1], "us an episode")
    rate = 1 / costs[-1]
    yield Figure(f"a study of 10^{decades[-1]} episodes: rate", rate, "episodes/s", 20_000)
    flat = costs[-1] / min(costs)
    yield Figure(
        f"a study of 10^{decades[-1]} episodes: cost over the least", flat, "x", 1.2, False
    )
    yield Figure(f"a study of 10^{decades[-1]} episodes: memory", megabytes, "MB", 500, False)
    room = size / 1e6
    yield Figure(f"a study of 10^{decades[-1]} episodes: database", room, "MB", None, False)


def _grown(episodes: int) -> tuple[float, float, int]:
    with tempfile.TemporaryDirectory() as folder:
        here = str(Path(__file__).resolve().parent)
        command = [sys.executable, "-c", GROWTH, here, f"{folder}/store.db", str(episodes)]
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, megabytes, size = json.loads(said.stdout)
    return seconds, megabytes, size


# Workers ---------------------------------------------------------------------------------------------


class Clock:
    """Counts sittings and takes the time from the first that is counted to the last: once workers are there."""

    def __init__(self) -> None:
        self.counts: list[tuple[float, int]] = []

    def counted(self, cell: Any, batch: Any) -> None:
        """Some are done."""
        self.counts.append((perf_counter(), len(batch)))

    def died(self, cell: Any, job: Any, death: str) -> None:
        """Nobody does here."""
        raise AssertionError(death)

    def rate(self, skip: float = 0.1) -> float:
        """Sittings a second, once the first tenth is done: jobs have grown to their size by then."""
        total = sum(count for _, count in self.counts)
        passed = 0
        for at, (moment, count) in enumerate(self.counts):
            passed += count
            if passed >= skip * total:
                rest = sum(count for _, count in self.counts[at + 1 :])
                return rest / (self.counts[-1][0] - moment)
        raise AssertionError("nothing was counted")


def _rate(one: Any, executor: str, workers: int) -> float:
    """Sittings a second of a study into a store with so many workers."""
    from mensura.records.store import open_store
    from mensura.studies.runs import Manner, begin, resume

    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "store.db") as store:
        clock = Clock()
        resume(store, begin(store, one), manner=Manner(executor, workers), watcher=clock)
        return clock.rate()


def workers(quick: bool) -> Iterator[Figure]:
    """Two local workers over one: compiled work with training, and Python agents in processes."""
    learners = [{"subject": "q-learning", "training": 100}, {"subject": "sarsa", "training": 100}]
    size = 500 if quick else 8000
    compiled = study("compiled", learners, size, rows=10, cols=10, subjects=5, horizon=50)
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "agents.py"
        code.write_text(AGENT.format(seconds=0))
        own = {"subject": f"{code}:Busy", "in_process": True}
        size = 300 if quick else 6000
        python = study("python", [own], size, rows=10, cols=10, subjects=5, horizon=50)
        for name, one, executor in (
            ("compiled learners, threads", compiled, "threads"),
            ("compiled learners, processes", compiled, "processes"),
            ("Python agents, processes", python, "processes"),
        ):
            rates = {count: max(_rate(one, executor, count) for _ in range(2)) for count in (1, 2)}
            yield Figure(f"two workers over one: {name}", rates[2] / rates[1], "x", 1.8)


# The runner itself -----------------------------------------------------------------------------------


def overhead(quick: bool) -> Iterator[Figure]:
    """Sittings of 10 ms through runner, worker and store, over the same sittings in a plain loop."""
    from mensura.studies.runs import lay_out
    from mensura.studies.stepped import step

    count = 300 if quick else 2000
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "agents.py"
        code.write_text(AGENT.format(seconds=0.002))
        own = {"subject": f"{code}:Busy", "in_process": True}
        one = study("overhead", [own], count, rows=5, cols=5, subjects=1, horizon=5)
        _, (place,) = lay_out(one, 1)
        step(place, 0)

        def plain() -> int:
            for item in range(count // 4):
                step(place, item)
            return count // 4

        alone = best_rate(plain, 3)
        through = max(_rate(one, "processes", 1) for _ in range(3))
    yield Figure("a sitting in a plain loop", 1e3 / alone, "ms")
    share = 100 * (alone / through - 1)
    yield Figure("overhead of the runner for sittings of 10 ms", share, "%", 5.0, False)


def nothing_to_do(quick: bool) -> Iterator[Figure]:
    """A command that finds its study finished."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.yaml"
        plain = study("done", COMPILED, 10, rows=5, cols=5, horizon=10).to_plain()
        file.write_text(json.dumps(plain))
        command = [sys.executable, "-m", "mensura.cli.main", "study", "run", str(file)]

        def run() -> int:
            subprocess.run(
                [*command, "--store", f"{folder}/store.db"], capture_output=True, check=True
            )
            return 1

        run()
        seconds = 1 / best_rate(run, 3)
    yield Figure("start-up: mensura study run, nothing to do", seconds, "s")


PARTS = (records, growth, workers, overhead, nothing_to_do)
