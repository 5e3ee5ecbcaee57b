"""People who are not there: the studies for people as the experimenter's area sees them, kept in memory.

Used only where the application has no part for participants.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mensura.core.errors import MensuraError
from mensura.web.refusals import Refused


@dataclass(frozen=True)
class Study:
    id: int
    name: str
    title: str
    assessment: str
    parameters: Mapping[str, Any]
    world: str
    world_parameters: Mapping[str, Any]
    seed: int
    places: int
    theme: str
    language: str
    created: str = "2026-01-01T00:00:00+00:00"
    closed: bool = False


@dataclass(frozen=True)
class Participant:
    study: int
    number: int
    pseudonym: str
    state: str = "invited"
    exercise: int = 0
    exercises: int = 7
    answered: int = 0
    started: str = ""
    last: str = ""
    score: float | None = None


class StandIn:
    def __init__(self) -> None:
        self._studies: dict[str, Study] = {}
        self._who: dict[str, list[Participant]] = {}

    def create(self, **given: Any) -> Study:
        if given["name"] in self._studies:
            raise MensuraError(f"There is already a run {given['name']} in the store.")
        if given["language"] not in ("", "en", "es"):
            raise MensuraError("There is no such language.")
        if given["world"] != "lambda-v0":
            raise MensuraError("People are shown cells: take lambda-v0.")
        study = Study(id=len(self._studies) + 1, **{**given, "seed": given["seed"] or 1})
        self._studies[study.name] = study
        self._who[study.name] = []
        return study

    def studies(self) -> list[Study]:
        return list(self._studies.values())[::-1]

    def study(self, name: str) -> Study:
        if name not in self._studies:
            raise Refused(404, f"There is no study of people called {name!r}.")
        return self._studies[name]

    def invite(self, study: Study, count: int) -> list[tuple[Participant, str]]:
        who = self._who[study.name]
        if study.closed or len(who) + count > study.places:
            raise Refused(409, "Nobody can be invited.")
        first = max((one.number for one in who), default=-1) + 1
        new = [Participant(study.id, first + i, f"P{first + i + 1:04}") for i in range(count)]
        who += new
        return [(one, secrets.token_urlsafe(18)) for one in new]

    def participants(self, study: Study) -> list[Participant]:
        return list(self._who[study.name])

    def close(self, study: Study) -> None:
        self._studies[study.name] = replace(study, closed=True)

    def rows(self, study: Study) -> Iterator[Mapping[str, Any]]:
        return iter(())

    def questionnaires(self, study: Study) -> Iterator[Mapping[str, Any]]:
        return iter(())

    def forget(self, study: Study, number: int) -> None:
        self._who[study.name] = [one for one in self._who[study.name] if one.number != number]
