"""Studies that were started from a browser: each in a process of its own, watched through the store."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Timer
from typing import IO, Any

from mensura.agent.errors import MensuraError
from mensura.core.interpreter import our_python
from mensura.core.yaml_text import Misfit
from mensura.records.store import open_store
from mensura.studies.files import parse_study
from mensura.studies.study import study_from_plain
from mensura.web.allowed import check_allowed
from mensura.web.refusals import Refused
from mensura.web.settings import Settings

AT_ONCE = 4
"""So many studies run at a time, and so many are being checked."""

SECONDS_TO_BEGIN = 120.0
"""A study that is not checked by then is given up."""

SECONDS_TO_STOP = 5.0
"""So long the server waits for its studies when it ends."""

PLACE = "the study"
"""How errors call a text that came from a browser, before the number of the line."""


@dataclass
class _Job:
    """A process that plays a run."""

    process: subprocess.Popen[str]
    errors: IO[str]
    stopped: bool = False

    @property
    def goes_on(self) -> bool:
        return self.process.poll() is None

    @property
    def trouble(self) -> str:
        """The last thing that it said of how it failed; nothing where it did not."""
        if self.goes_on or self.stopped or self.process.returncode in (0, 130):
            return ""
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        return lines[-1][:1000] if lines else f"It ended with status {self.process.returncode}."


class Jobs:
    """The studies that this server has started."""

    def __init__(self, settings: Settings) -> None:
        self._store = str(settings.store) if settings.store is not None else None
        self._allowed = settings.allowed
        self._jobs: dict[str, _Job] = {}
        self._lock = Lock()
        self._beginning = 0

    def check(self, text: str) -> Mapping[str, Any]:
        """What a study comes to; a sentence with the line where something is wrong with it."""
        self._look_at(text)
        with self._turn():
            job, said = self._start({"do": "check", "text": text, "place": PLACE})
            job.process.wait()
            job.errors.close()
        return said

    def start(self, text: str, name: str = "") -> str:
        """Begin a study; the name of its run, which goes on by itself."""
        self._look_at(text)
        return self._play({"do": "run", "text": text, "place": PLACE, "name": name})

    def resume(self, name: str) -> None:
        """Go on with a run; what it names is looked at as if it were new."""
        with open_store(self._store) as store:
            run = store.find(name)
            if run.status == "finished":
                raise Refused(409, f"The run {name} is finished; there is nothing to resume.")
            if store.held(run):
                raise Refused(409, f"Somebody is working on the run {name} already.")
        if not run.study:
            raise Refused(409, f"The run {name} is not of a study that can be resumed from here.")
        check_allowed(study_from_plain(dict(run.study)), self._allowed)
        self._play({"do": "resume", "name": run.name})

    def stop(self, name: str) -> None:
        """Stop a run that was started here; it can be resumed."""
        with self._lock:
            job = self._jobs.get(name)
        if job is None or not job.goes_on:
            raise Refused(
                409, f"The run {name} is not running here; it can be stopped where it was started."
            )
        job.stopped = True
        job.process.send_signal(signal.SIGTERM)

    def is_running(self, name: str) -> bool:
        """Whether a run is being played by a process of ours."""
        job = self._jobs.get(name)
        return job is not None and job.goes_on

    def trouble(self, name: str) -> str:
        """How a run that was started here failed; nothing where it did not."""
        job = self._jobs.get(name)
        return job.trouble if job is not None else ""

    def close(self) -> None:
        """Stop everything that was started here; all of it can be resumed."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            if job.goes_on:
                job.process.send_signal(signal.SIGTERM)
        for job in jobs:
            try:
                job.process.wait(SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                job.process.kill()
                job.process.wait()
            job.errors.close()

    # Within ------------------------------------------------------------------------------------------

    def _look_at(self, text: str) -> None:
        file = parse_study(text, PLACE)
        try:
            check_allowed(file.study, self._allowed)
        except Misfit as misfit:
            raise file.lines.located(misfit) from None

    def _play(self, asked: Mapping[str, Any]) -> str:
        with self._turn():
            job, said = self._start({**asked, "store": self._store})
            name = str(said["run"])
            with self._lock:
                before = self._jobs.get(name)
                self._jobs[name] = job
            if before is not None:
                before.process.wait()
                before.errors.close()
        return name

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock:
            running = sum(job.goes_on for job in self._jobs.values())
            if self._beginning + running >= AT_ONCE:
                raise Refused(
                    429, f"{AT_ONCE} studies run here at a time; wait until one of them has ended."
                )
            self._beginning += 1
        try:
            yield
        finally:
            with self._lock:
                self._beginning -= 1

    def _start(self, asked: Mapping[str, Any]) -> tuple[_Job, dict[str, Any]]:
        """A process, and what it said first."""
        errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        process = subprocess.Popen(
            our_python("mensura.web.study_process"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        job = _Job(process, errors)
        assert process.stdin is not None
        assert process.stdout is not None
        timer = Timer(SECONDS_TO_BEGIN, process.kill)
        timer.start()
        try:
            try:
                process.stdin.write(json.dumps(asked))
                process.stdin.close()
            except BrokenPipeError:
                pass
            line = process.stdout.readline()
        finally:
            timer.cancel()
            process.stdout.close()
        try:
            said = json.loads(line)
        except ValueError:
            process.kill()
            process.wait()
            trouble = job.trouble
            errors.close()
            raise Refused(
                409, f"The study could not be checked in {SECONDS_TO_BEGIN:g} seconds: {trouble}"
            ) from None
        if "error" in said:
            process.wait()
            errors.close()
            raise MensuraError(said["error"])
        return job, said
