"""A study in a process of its own, which :mod:`mensura.web.jobs` starts: whatever becomes of it harms nobody else.

It reads one JSON object from its standard input and answers with one line of JSON on its standard output: what the
study comes to, the name of the run that has begun and goes on, or a sentence on what is wrong. SIGTERM leaves a run
that can be resumed, as Ctrl-C does in a terminal.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import asdict
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.interrupts import interrupt, noticed

NICE = 10
"""Whoever plays in a browser comes before studies."""


def main() -> int:
    """Do what was asked for."""
    signal.signal(signal.SIGTERM, interrupt)
    os.nice(NICE)
    try:
        asked = json.load(sys.stdin)
        _DOING[asked["do"]](asked)
    except MensuraError as error:
        _say(error=str(error))
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        noticed()
        return 130
    return 0


def _say(**said: Any) -> None:
    try:
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # nobody listens any more; the run is in the store
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def _check(asked: dict[str, Any]) -> None:
    from mensura.studies.expand import places_of
    from mensura.studies.files import parse_study
    from mensura.studies.rehearse import forecast, rehearse

    file = parse_study(asked["text"], asked["place"])
    with file.located():
        made = list(places_of(file.study))
        rehearse(file.study, made)
    conditions = list(dict.fromkeys(place.cell.condition for place in made))
    _say(
        name=file.study.name,
        title=file.study.title,
        condition_names=conditions[:50],
        **asdict(forecast(made)),
    )


def _run(asked: dict[str, Any]) -> None:
    from mensura.records.store import open_store
    from mensura.studies import runs
    from mensura.studies.files import parse_study
    from mensura.studies.layout import lay_out
    from mensura.studies.rehearse import rehearse

    file = parse_study(asked["text"], asked["place"])
    with file.located():
        layout = lay_out(file.study)
        rehearse(file.study, layout.places)
    with open_store(asked["store"]) as store:
        run = runs.begin(store, layout, name=asked["name"], command="mensura serve")
        _say(run=run.name)
        runs.resume(store, run, layout=layout)


def _resume(asked: dict[str, Any]) -> None:
    from mensura.api.kept_profile import is_profile, resume_profile
    from mensura.records.store import open_store
    from mensura.studies import runs

    with open_store(asked["store"], create=False) as store:
        run = store.find(asked["name"])
        _say(run=run.name)
        if not is_profile(store, run):
            runs.resume(store, run)
            return
    resume_profile(asked["store"], run.name)


_DOING = {"check": _check, "run": _run, "resume": _resume}
