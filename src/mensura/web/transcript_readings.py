"""Transcripts of language models as pages show them, a piece at a time. Each is a function that runs apart.

See :mod:`mensura.web.readings`. A transcript is made by playing the sitting again, so how much is given at a time is
limited: sittings of a list, steps of a sitting, and the seconds that a search may take.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.records.cell import Cell
from mensura.records.results import plain_numbers
from mensura.records.run import Run
from mensura.records.store import Store, open_store
from mensura.studies import transcripts
from mensura.studies.looking import Interaction, writable
from mensura.studies.place import Place
from mensura.studies.transcripts import Transcript

SITTINGS = 100
"""So many sittings are listed at a time."""

STEPS = 10
"""So many steps of a sitting are shown at a time, fewer where many seats take each."""

MATCHES = 200
"""After so many matches a search pauses; no more are listed at a time."""

SECONDS = 20.0
"""After so long a search pauses."""


def sittings(where: str | None, name: str, first: int) -> dict[str, Any]:
    """The sittings that have a transcript from a number on, a row each, and the number to go on with."""
    rows: list[dict[str, Any]] = []
    with open_store(where) as store:
        run = store.find(name)
        for number, cell in _numbers(store, run, first):
            if len(rows) == SITTINGS:
                return {"rows": rows, "next": number}
            one = transcripts.line(store, run, number, cell)
            if one is not None:
                rows.append(_plain(vars(one)))
    return {"rows": rows, "next": None}


def steps(where: str | None, name: str, number: int, first: int) -> dict[str, Any]:
    """Some steps of a sitting, word for word, with pictures."""
    with open_store(where) as store:
        run = store.find(name)
        cell, _, _ = store.sitting(run, number)
        if transcripts.names_code(cell):
            raise MensuraError(
                f"The subject of sitting {number} of the run {run.name} names code, which is not loaded here: "
                f"`mensura transcript {run.name} {number}` shows what it has."
            )
        count = max(1, STEPS // Place.of(cell).seats)
        some = range(first, first + count)
        one = transcripts.transcript(store, run, number, whole=some, pictures=True)
    return {
        **shown(one, [each for each in one.interactions if each.step in some]),
        "first": first,
        "previous": max(first - count, 0) if first else None,
        "next": first + count if first + count < one.steps else None,
    }


def matches(where: str | None, name: str, text: str, first: int) -> dict[str, Any]:
    """Where a text was said in the sittings from a number on, the number to go on with, and how many are not listed."""
    until = monotonic() + SECONDS
    rows: list[dict[str, Any]] = []
    with open_store(where) as store:
        run = store.find(name)
        for number, _ in _numbers(store, run, first):
            if len(rows) >= MATCHES or monotonic() > until:
                return _listed(rows, number)
            if store.sitting(run, number)[2] is None:
                continue
            one = transcripts.transcript(store, run, number, whole=())
            rows += [_plain(vars(match)) for match in transcripts.search([one], text)]
    return _listed(rows, None)


def _listed(rows: list[dict[str, Any]], number: int | None) -> dict[str, Any]:
    return {"rows": rows[:MATCHES], "next": number, "left_out": max(len(rows) - MATCHES, 0)}


def shown(one: Transcript, interactions: list[Interaction]) -> dict[str, Any]:
    """A transcript with some of its interactions as plain data, as the template of its page wants it."""
    found: dict[str, Any] = {
        "run": one.run,
        "number": one.number,
        "subject": one.subject,
        "condition": one.condition,
        "score": one.score,
        "identical": one.identical,
        "steps": one.steps,
        "episodes": [
            {"training": training, "mean_reward": reward} for training, reward in one.episodes
        ],
        "seats": 1 + max((each.seat for each in one.interactions), default=0),
        "interactions": [_interaction(each) for each in interactions],
    }
    return _plain(found)  # type: ignore[no-any-return]


def _interaction(one: Interaction) -> dict[str, Any]:
    return {
        "step": one.step,
        "episode": one.sequence,
        "interaction": one.interaction,
        "seat": one.seat,
        "asked": one.asked,
        "exchanges": [
            {
                **exchange.to_json(),
                "added": [{"what": what, "text": text} for what, text in added],
            }
            for exchange, added in zip(one.exchanges, transcripts.blocks(one), strict=True)
        ],
        "fault": ", ".join(one.fault or ()),
        "action": one.action,
        "reward": one.reward,
        "seconds": one.seconds,
        "svg": one.picture,
    }


def _numbers(store: Store, run: Run, first: int) -> Iterator[tuple[int, Cell]]:
    """The sittings that may have a transcript, from a number on. No code of a subject's is loaded."""
    return (one for one in transcripts.numbers(store, run, code=False) if one[0] >= first)


def _plain(value: Any) -> Any:
    """Plain data that can be sent: numbers that are finite, and text without halves of characters."""
    return plain_numbers(writable(value))
