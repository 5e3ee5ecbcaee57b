"""Checkpoints that people marked while they played, as a pool: their answers are played again."""

from __future__ import annotations

import math
from pathlib import Path

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.api.checkpoints import Recorder
from mensura.core.contract import Turn
from mensura.pictures.view import view_of
from mensura.records.pools import Pool
from mensura.records.store import open_store
from mensura.web.people.live import Live
from mensura.web.people.studies import People


def marked_pool(store: str | Path | None, name: str, *, pictures: bool = True) -> Pool:
    """The moments that those who allow it marked in a study, by pseudonyms that are made here."""
    with open_store(
        store, create=False
    ):  # whoever mistypes its name gets a sentence, and no new store
        pass
    people = People(store)
    try:
        return _pool(people, name, pictures)
    finally:
        people.end()


def _pool(people: People, name: str, pictures: bool) -> Pool:
    study = people.study(name)
    run = people.store.find(study.name)
    recorder = Recorder(math.inf, None, "", pictures)
    worlds: set[str] = set()
    for one in people.participants(study):
        if not one.reuse or one.pilot:
            continue
        pseudonym = f"{key(run.seed, run.study_hash, 'pseudonym', one.number):016x}"
        recorder.player = f"person-{pseudonym}"
        live = people.began(study.id, one.number)
        for given in people.given(study.id, one.number):
            if given.marked and live.environment is not None:
                worlds.add(live.place.host.id)
                _keep(live, recorder, pseudonym)
            live.take(given)
    if not recorder.checkpoints:
        raise MensuraError(
            f"Nobody who allows it marked a checkpoint in the study {name}; participants can where it says people: "
            "{reuse: true}."
        )
    if len(worlds) > 1:
        raise MensuraError(
            f"The study {name} is in several worlds ({', '.join(sorted(worlds))}), and a pool is of one."
        )
    return recorder.pool(worlds.pop())


def _keep(live: Live, recorder: Recorder, pseudonym: str) -> None:
    """The moment before the next answer."""
    person, environment = live.person, live.environment
    assert environment is not None
    recorder.episode = f"{pseudonym}-{live.at}-{person.exercise}"
    now = [
        one.reward or 0.0
        for one in live.past
        if one.exercise == person.exercise and one.practice == live.practising
    ]
    view = view_of(live.place.host)
    turn = Turn((0,), (person.observation,), (person.reward or 0.0,))
    view.started(environment, turn)
    recorder.watch(view).keep(environment, turn, person.interactions, sum(now))
