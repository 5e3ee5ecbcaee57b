"""A study that can be disturbed: run as a real command, killed at drawn moments, compared with a calm run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sizes import at_full_size

from mensura.agent.keys import Key, fold, unit
from mensura.records.store import open_store
from mensura.studies.files import read_study
from mensura.studies.runs import Manner, begin, resume

AGENTS = '''
import os, time

class Slow:
    """Takes its time over every answer while the brake is on, and acts as its draws tell."""

    def begin(self, task, rng):
        self.rng = rng

    def act(self, observation, reward):
        if os.path.exists("brake"):
            time.sleep(0.1)
        return self.drawn()

    def drawn(self):
        return int(self.rng.integers({low}, {high}))

class Quick(Slow):
    def act(self, observation, reward):
        return self.drawn()
'''

STUDY = """
mensura: 1
name: disturbed
seed: 2016
worlds:
  - {world}
subjects:
{subjects}
  - {{subject: "{folder}/agents.py:Slow", name: slow, in_process: true}}
  - {{subject: "{folder}/agents.py:Quick", name: quick, in_process: true}}
assessments:
  - {{assessment: battery, parameters: {{episodes: {episodes}}}}}
records: {{training: 20}}
"""


@dataclass(frozen=True)
class Played:
    """The world of the study, its actions, and two subjects beside those of :data:`AGENTS`, of which one is trained."""

    world: str
    low: int
    high: int
    subjects: str


PLAIN = Played(
    "{world: line, parameters: {walkers: 1, horizon: 5}}",
    -1,
    2,
    """\
  - random
  - {{subject: "{folder}/agents.py:Quick", name: trained, in_process: true, training: 3}}""",
)
"""A world in plain Python, which a process begins to play in a third of the time."""

COMPILED = Played(
    "{world: lambda-star, parameters: {rows: 4, cols: 4, subjects: 1, horizon: 5}}",
    1,
    10,
    """\
  - local-search
  - {{subject: q-learning, training: 3}}""",
)
"""One whose built-in subjects are played in batches, at full size."""

VARYING = ("wall", "cpu", "attempts", "run", "started", "ended", "seconds")
"""Columns that differ between identical runs: how long it took, how often, and what the run is called."""


class Disturbed:
    """The study in a folder with a store.

    While the brake is on, commands take minutes over the sittings of the slow agent, so that whatever is to happen in
    the midst of a study does, however busy the machine is.
    """

    def __init__(
        self,
        folder: Path,
        episodes: int,
        store: str | None = None,
        *,
        calm: Disturbed | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``calm`` is another one with the same study, against which this one will be held."""
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.episodes = episodes
        self.store = store or str(folder / "store.db")
        self.environment = {**os.environ, **(environment or {})}
        self.file = folder / "study.yaml"
        if calm is None:
            played = COMPILED if at_full_size() else PLAIN
            (folder / "agents.py").write_text(AGENTS.format(low=played.low, high=played.high))
            self.file.write_text(
                STUDY.format(
                    folder=folder,
                    episodes=episodes,
                    world=played.world,
                    subjects=played.subjects.format(folder=folder),
                )
            )
        else:
            self.file.write_text(calm.file.read_text())

    def command(self, verb: str, *words: str, program: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Start `mensura study VERB` on the store; another program may stand for the usual one."""
        program = program or ("-m", "mensura.cli.main")
        return subprocess.Popen(
            [sys.executable, *program, "study", verb, *words, "--store", self.store],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def brake(self) -> None:
        """Let commands be slow."""
        (self.folder / "brake").touch()

    def release(self) -> None:
        """Let commands be quick, also those under way."""
        (self.folder / "brake").unlink(missing_ok=True)

    def play(self) -> None:
        """Play it in this process, from its beginning or from where it was stopped, to its end."""
        with open_store(self.store) as store:
            run = begin(store, read_study(self.file))
            assert resume(store, run, manner=Manner("threads", 1)).status == "finished"

    def start(self, *options: str, program: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Start a command that runs the study, or goes on with it."""
        return self.command("run", str(self.file), *options, program=program)

    def finish(self, *options: str) -> str:
        """Let it end; what it printed."""
        return ended(self.start(*options))

    def resume(self, *options: str) -> str:
        """Go on with it to the end, without its file; what it printed."""
        return ended(self.command("resume", "disturbed", *options))

    def done(self) -> int:
        """Sittings with a done-mark, as another process sees them."""
        try:
            with open_store(self.store, create=False) as store:
                runs = store.runs()
                return store.progress(runs[0]).done if runs else 0
        except Exception:
            return 0

    def wait_for(self, process: subprocess.Popen[str], sittings: int) -> None:
        """Wait until so many are done, with the process still at work."""
        while self.done() < sittings:
            assert process.poll() is None, ("it ended too early", process.communicate())
            time.sleep(0.02)

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Everything that must be the same however the study was disturbed."""
        with open_store(self.store, create=False) as store:
            run = store.runs()[0]
            frames = {
                name: store.frame(name, run).drop(VARYING, strict=False)
                for name in ("sittings", "episodes", "faults", "measures")
            }
        return {
            name: frame.sort(by=[*_order(frame.columns)]).to_dicts()
            for name, frame in frames.items()
        }


def ended(process: subprocess.Popen[str]) -> str:
    """What a command printed that ends well."""
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, (process.returncode, out, err)
    return out


def sentence(process: subprocess.Popen[str]) -> str:
    """The one sentence of a command that ends badly, and what belongs to it: status 2 and no traceback."""
    out, err = process.communicate(timeout=240)
    assert process.returncode == 2, (process.returncode, out, err)
    assert "Traceback" not in out + err, err
    lines = [line for line in err.splitlines() if line.startswith("mensura: ")]
    assert len(lines) == 1, err
    return lines[0].removeprefix("mensura: ")


def _order(columns: list[str]) -> list[str]:
    return [name for name in ("number", "sequence", "seat", "name") if name in columns]


def children(pid: int) -> list[int]:
    """The living children of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def gone(pid: int, seconds: float = 60.0) -> bool:
    """Whether a process ends within so many seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a process that may just have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def drawn(key: Key, number: int, low: float, high: float) -> float:
    """A moment between low and high."""
    return low + (high - low) * unit(fold(key, number))
