"""Run a command while processes below it stand still for moments, as on a machine that has too much to do.

::

    python -m tests.stall .venv/bin/pytest -n 1 tests/web

Who is stopped, when and for how long is drawn at random, so that one process waits for another that has stopped: what
passes only by luck fails here sooner or later. Linux only.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

AT_ONCE = 2
"""So many processes are stopped at the same time."""


def below(process: int) -> list[int]:
    """The processes that one has started, and those that they have."""
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            children[int(parent)].append(int(folder.name))
    found = list(children[process])
    for one in found:  # grows meanwhile
        found += children[one]
    return found


def signaled(processes: Iterable[int], number: int) -> None:
    for one in processes:
        with suppress(OSError):  # it has ended
            os.kill(one, number)


def run(command: list[str], longest: float, rng: np.random.Generator) -> int:
    """The exit status of a command whose processes stand still now and then, each time at most so many seconds."""
    with subprocess.Popen(command) as started:
        while started.poll() is None:
            processes = below(started.pid)
            stopped = rng.permutation(processes)[:AT_ONCE].astype(int).tolist()
            try:
                signaled(stopped, signal.SIGSTOP)
                time.sleep(rng.uniform(0, longest) if stopped else 0.0)
            finally:
                signaled(stopped, signal.SIGCONT)
            time.sleep(rng.uniform(0.02, 0.3))
    return started.returncode


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.stall", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "--longest", type=float, default=0.5, help="seconds of a stop at most (0.5)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run, with its options")
    given = parser.parse_args()
    if not given.command:
        parser.error("name the command to run, as .venv/bin/pytest -n 1 tests/web")
    return run(given.command, given.longest, np.random.Generator(np.random.PCG64(given.seed)))


if __name__ == "__main__":
    sys.exit(main())
