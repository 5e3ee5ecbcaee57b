"""Following runs through the store, whichever process plays them: how far each is, asked for seldom, told to many."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.records.cell import is_of_people
from mensura.records.facts import facts_of
from mensura.records.run import Run
from mensura.records.store import Store, open_store
from mensura.web.refusals import Refused

AGE = 0.8
"""So many seconds old what is told may be."""

PATIENCE = 4.0
"""Counting the rows of long runs takes time: it is done again no sooner than after so many times as long."""


class Follower:
    """How far all runs are; safe in threads."""

    def __init__(self, store: str | Path | None) -> None:
        self._store = store
        self._lock = Lock()
        self._facts: dict[str, dict[str, Any]] = {}
        self._ended: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._played: dict[tuple[int, str], dict[str, Any]] = {}
        self._until = 0.0

    def facts(self) -> Mapping[str, Mapping[str, Any]]:
        """What is known of each run, by name, the newest first."""
        with self._lock:
            begun = monotonic()
            if begun >= self._until:
                self._facts = self._look()
                took = monotonic() - begun
                self._until = monotonic() + max(AGE, PATIENCE * took)
            return self._facts

    def forget(self) -> None:
        """Look anew the next time: something has just changed."""
        with self._lock:
            self._until = 0.0
            self._ended = {}

    def find(self, name: str) -> Mapping[str, Any]:
        """What is known of one run."""
        found = self.facts().get(name)
        if found is None:  # it may have begun just now
            with self._lock:
                self._until = 0.0
            known = self.facts()
            found = known.get(name)
            if found is None:
                near = f"; {neighbors(name, list(known))}" if known else ": the store is empty."
                raise Refused(404, f"There is no run {name!r}{near}")
        return found

    def _look(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        ended: dict[int, tuple[Any, dict[str, Any]]] = {}
        with open_store(self._store) as store:
            profiles = store.profiles()
            for run in store.runs():
                state = (run.status, run.ended, run.seconds)
                known = self._ended.get(run.id)
                if known is not None and known[0] == state:
                    facts = known[1]
                else:
                    try:
                        facts = {
                            **facts_of(store, run),
                            **self._whose(store, run, run.id in profiles),
                        }
                    except MensuraError:  # deleted since it was listed
                        continue
                if run.status == "finished":
                    ended[run.id] = (state, facts)
                found[run.name] = facts
        self._ended = ended
        return found

    def _whose(self, store: Store, run: Run, is_profile: bool) -> dict[str, Any]:
        """Who plays a run and where, which never changes."""
        which = (run.id, run.started)
        if which not in self._played:
            cells = store.cells(run)
            self._played[which] = {
                "people": is_of_people(run.study),
                "profile": is_profile,
                "worlds": list(dict.fromkeys(cell.world for cell in cells)),
                "subjects": list(dict.fromkeys(cell.name for cell in cells)),
            }
        return self._played[which]
