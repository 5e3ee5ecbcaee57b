"""What the tests cost: measured in every run, printed at its end, and summed over the runs of `make test`.

A test's time is divided by cause:

- compiling: translating kernels, in the test's own process
- computing: processor time of the test's own process, without compiling
- processes: processor time of the processes that it started and that ended
- waiting: the rest, in which the test's process did nothing

Processor time is what a folder has a share of, since two cores have to serve all: `python -m tests.costs` prints the
sum of the last runs, and says which folders went beyond their share, at the pace of these runs (see `pace`). It is a
report, never a failure.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / ".cache" / "costs"
"""Where each run leaves its figures; `make test` empties it first."""

SHARE_OF_A_WORLD = 30
"""Processor seconds that the tests of one world may take in all runs together, without compiling."""

SHARES = {
    "": 15,
    "adapters": 8,
    "agent": 20,
    "agents": 64,
    "api": 32,
    "assessments": 15,
    "audit": 30,
    "cli": 61,
    "complexity": 5,
    "core": 12,
    "pictures": 4,
    "records": 22,
    "reports": 28,
    "shared": 22,
    "statistics": 20,
    "studies": 62,
    "terminal": 3,
    "testing": 9,
    "texts": 14,
    "training": 6,
    "web": 96,
    "worlds": 15,
}
"""Processor seconds of the folders that are no world, four tenths more than they took on two idle cores; what laws take
in `make test` was saved in other folders."""

YARDSTICK = 0.0078
"""Processor seconds that `yardstick` took in the run of `make test` that shares were set by."""

MEASURED_EVERY = 100
"""After so many tests `yardstick` is measured again, a hundredth of a second."""

SHARED = "tests/shared/fixtures.py::what_the_tests_of_a_process_share"
"""Stands for the browsers and servers that live as long as a process of the tests; not a test."""

SLOWEST = 10


@dataclass
class Cost:
    """Seconds by cause, of a test or of many."""

    compiling: float = 0.0
    computing: float = 0.0
    processes: float = 0.0
    waiting: float = 0.0

    @property
    def processor(self) -> float:
        """What a folder has a share of."""
        return self.computing + self.processes

    @property
    def total(self) -> float:
        return self.compiling + self.computing + self.processes + self.waiting

    def add(self, other: Cost) -> None:
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


class Clock:
    """What this process has used so far, and how much of it by compiling."""

    compiled = 0.0
    depth = 0

    @classmethod
    def now(cls) -> tuple[float, float, float, float]:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (
            time.monotonic(),
            time.process_time(),
            children.ru_utime + children.ru_stime,
            cls.compiled,
        )

    @classmethod
    def since(
        cls,
        before: tuple[float, float, float, float],
        until: tuple[float, float, float, float] | None = None,
    ) -> Cost:
        after = until or cls.now()
        wall, own, children, compiled = (b - a for a, b in zip(before, after, strict=True))
        computing = max(own - compiled, 0.0)
        return Cost(compiled, computing, children, max(wall - own - children, 0.0))

    @classmethod
    def watch_compilation(cls) -> None:
        """Count the processor time inside Numba's compiler; what it calls for callees is part of it.

        Without coverage's tracer, under which the compiler takes half as long again.
        """
        from numba.core.dispatcher import Dispatcher

        compile_ = Dispatcher.compile

        def compile_and_count(self: Dispatcher, signature: Any) -> Any:
            start, tracer = time.process_time(), sys.gettrace()
            sys.settrace(None)
            cls.depth += 1
            try:
                return compile_(self, signature)
            finally:
                sys.settrace(tracer)
                cls.depth -= 1
                if cls.depth == 0:
                    cls.compiled += time.process_time() - start

        Dispatcher.compile = compile_and_count


def yardstick() -> float:
    """Processor seconds of a piece of work that is always the same: what Python does most, without compiled code."""
    start = time.thread_time()  # other threads of the process read what the tests' processes send
    words = [f"{number:x}" for number in range(20_000)]
    sum({word: len(word) for word in sorted(words)}.values())
    return time.thread_time() - start


def pace(measures: Iterable[float]) -> float:
    """How much longer a run took than the one that shares were set by, as `yardstick` tells that was measured in it.

    The median: tests, too, take longer while other work goes on beside them.
    """
    return median(measures) / YARDSTICK


def pytest_configure(config: pytest.Config) -> None:
    Clock.watch_compilation()
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Costs(config), "mensura-costs")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, Any, Any]:
    item.stash[_BEFORE] = Clock.now()
    item.stash[_LAST] = nextitem is None
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Attach the cost to the last report of a test, which takes it to the process that prints.

    After the last test of a process ends what all of them shared, browsers and servers: the test does not pay for them.
    """
    report = yield
    if report.when != "teardown":
        item.stash[_PLAYED] = Clock.now()
    elif item.stash[_LAST]:
        report.shared = asdict(Clock.since(item.stash[_PLAYED]))
        report.cost = asdict(Clock.since(item.stash[_BEFORE], item.stash[_PLAYED]))
    else:
        report.cost = asdict(Clock.since(item.stash[_BEFORE]))
    return report


_BEFORE = pytest.StashKey[tuple[float, float, float, float]]()
_PLAYED = pytest.StashKey[tuple[float, float, float, float]]()
_LAST = pytest.StashKey[bool]()


class Costs:
    """Gathers the costs of a run, prints them, and keeps them for the sum."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.costs: dict[str, Cost] = {}
        self.began = time.monotonic()
        self.yardsticks = [yardstick()]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if cost := getattr(report, "cost", None):
            self.costs[report.nodeid] = Cost(**cost)
            if len(self.costs) % MEASURED_EVERY == 0:
                self.yardsticks.append(yardstick())
        if shared := getattr(report, "shared", None):
            self.costs.setdefault(SHARED, Cost()).add(Cost(**shared))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        name = os.environ.get("MENSURA_COSTS")
        if name:
            FOLDER.mkdir(parents=True, exist_ok=True)
            kept = {
                "seconds": time.monotonic() - self.began,
                "yardsticks": self.yardsticks,
                "tests": self.costs,
            }
            text = json.dumps(kept, default=asdict)
            (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
        # `make test` tells what the plain run took at its own end.
        if self.costs and (name not in (None, "plain") or self.config.option.verbose > 0):
            terminalreporter.section("costs")
            for line in table(self.costs):
                terminalreporter.write_line(line)


def folder(test: str) -> str:
    """The folder of tests that a test belongs to: of worlds, the world's."""
    parts = test.split("::")[0].split("/")[1:-1]
    return "/".join(parts[:2]) if parts[:1] == ["worlds"] else "".join(parts[:1])


def table(costs: dict[str, Cost]) -> Iterator[str]:
    """Seconds by folder and cause, the sum, and the slowest tests."""
    folders: dict[str, Cost] = defaultdict(Cost)
    counts: dict[str, int] = defaultdict(int)
    for test, cost in costs.items():
        for name in (folder(test) or "(others)", "all"):
            folders[name].add(cost)
            counts[name] += 1
    heads = ("tests", "compiling", "computing", "processes", "waiting")
    yield f"{'seconds by folder and cause':28}" + "".join(f"{head:>11}" for head in heads)
    for name in sorted(folders, key=lambda name: (name == "all", -folders[name].processor)):
        numbers = "".join(f"{value:11.1f}" for value in asdict(folders[name]).values())
        yield f"{name:28}{counts[name]:11d}{numbers}"
    yield f"The slowest {SLOWEST}:"
    for test in sorted(costs, key=lambda test: -costs[test].total)[:SLOWEST]:
        causes = {cause: s for cause, s in asdict(costs[test]).items() if s >= 0.1}
        told = ", ".join(f"{cause} {s:.1f}" for cause, s in causes.items())
        yield f"{costs[test].total:7.1f} s {test} ({told})"


def beyond(costs: dict[str, Cost], slowness: float = 1.0) -> Iterator[str]:
    """A sentence for each folder beyond its share, in a run that took so much longer for everything."""
    folders: dict[str, Cost] = defaultdict(Cost)
    for test, cost in costs.items():
        folders[folder(test)].add(cost)
    for name, cost in sorted(folders.items()):
        share = SHARES.get(name, SHARE_OF_A_WORLD)
        if cost.processor > share * slowness:
            here = "" if slowness == 1 else f", {share * slowness:.0f} at the pace of this run"
            yield (
                f"tests/{name} took {cost.processor:.0f} processor seconds; its share is {share}{here}. See "
                "CONTRIBUTING.md, What tests may cost."
            )


def runs() -> Iterable[Path]:
    return sorted(FOLDER.glob("*.json"), key=lambda path: path.stat().st_mtime)


def main() -> None:
    """Print the sum of the runs that `make test` has just made."""
    total: dict[str, Cost] = defaultdict(Cost)
    yardsticks: list[float] = []
    for path in runs():
        kept = json.loads(path.read_text(encoding="utf-8"))
        yardsticks += kept["yardsticks"]
        tests = {test: Cost(**cost) for test, cost in kept["tests"].items()}
        compiling = sum(cost.compiling for cost in tests.values())
        sys.stdout.write(
            f"{path.stem:10} {kept['seconds'] / 60:5.1f} min {len(tests):6d} tests"
            + (f", {compiling:.0f} s of compiling\n" if compiling >= 1 else "\n")
        )
        for test, cost in tests.items():
            total[test].add(cost)
    if total:
        slowness = pace(yardsticks)
        lines = [*table(total), *beyond(total, slowness)]
        lines.append(
            f"A fixed piece of work took {slowness:.2f} times as long as in the run that shares were set by."
        )
        sys.stdout.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
