"""An open exchange: messages are on their way for a typing time, and the conversation closes by the clock.

Settled readings: five minutes from the judge's first message; a message is delivered no earlier than a typing time of 2
seconds and 0.15 seconds a character, with drawn noise, the same for people and machines. Who types says nothing else
until it is delivered. Whoever is silent is asked again when something new is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mensura.core.keys import fold, unit
from mensura.worlds.imitation import rules
from mensura.worlds.imitation.rules import TALK
from mensura.worlds.kit import State

__all__ = ["TALK", "be_quiet", "begin", "close", "due", "next_event", "pass_time", "say", "settle"]

BEFORE_TYPING, A_CHARACTER, NOISE = 2.0, 0.15, 0.2
"""Seconds, and the share by which the time is shorter or longer at most."""
PATIENCE = 600.0
"""A conversation that no judge begins is over after so many seconds."""


def begin(state: State) -> None:
    """Nobody has said anything."""
    state.phase = TALK
    state.now, state.opened = 0.0, -1.0
    state.on_the_way = []
    state.quiet = {}


def typing_time(text: str, key: int) -> float:
    """How long a message takes at least."""
    noise = 1.0 + NOISE * (2.0 * unit(key) - 1.0)
    return (BEFORE_TYPING + A_CHARACTER * len(text)) * noise


def say(state: State, place: int, channel: str, author: str, text: str, typing: bool) -> None:
    """Something is said; it is delivered when it is typed. Nothing at all is silence."""
    text = " ".join(text.split())
    if not text:
        be_quiet(state, place)
        return
    if state.opened < 0 and author != "witness":
        state.opened = state.now
    number = len(state.messages) + len(state.on_the_way)
    takes = typing_time(text, fold(state.keys[place], number)) if typing else 0.0
    state.on_the_way.append([state.now + takes, place, channel, author, text])
    state.on_the_way.sort(key=lambda one: one[0])
    if not typing:
        _deliver(state, state.now)


def be_quiet(state: State, place: int) -> None:
    """Somebody has nothing to say until something new is there."""
    state.quiet[str(place)] = True


def due(state: State, jurors: int, labels: Mapping[int, str]) -> Sequence[int]:
    """Who may speak: one juror in turn, and every witness, unless they type or are quiet."""
    typing = {one[1] for one in state.on_the_way}
    asked = sum(one["author"] not in ("witness",) for one in state.messages)
    may = [asked % jurors, *sorted(labels)]
    return [place for place in may if place not in typing and not state.quiet.get(str(place))]


def closes_at(state: State, minutes: float) -> float:
    """When the time is over."""
    return float(state.opened + 60.0 * minutes) if state.opened >= 0 else PATIENCE


def next_event(state: State, minutes: float) -> float:
    """When a message is delivered, or the time is over."""
    if state.phase != TALK:
        return math.inf
    delivered = state.on_the_way[0][0] if state.on_the_way else math.inf
    return min(float(delivered), closes_at(state, minutes))


def pass_time(state: State, at: float, minutes: float) -> None:
    """Time goes on; what is typed by then is delivered, and the conversation may be over."""
    if state.phase != TALK:
        return
    end = closes_at(state, minutes)
    _deliver(state, min(at, end))
    state.now = max(state.now, min(at, end))
    if at >= end:
        close(state)


def _deliver(state: State, at: float) -> None:
    while state.on_the_way and state.on_the_way[0][0] <= at:
        _, _, channel, author, text = state.on_the_way.pop(0)
        rules.say(state, channel, author, text)
        state.quiet = {}


def close(state: State) -> None:
    """No more questions: now come the votes. What was not delivered by then is lost."""
    state.on_the_way = []
    state.phase, state.ballots = rules.VOTE, {}


def settle(state: State, jurors: int, labels: Mapping[int, str], minutes: float) -> None:
    """Where nobody may speak, time goes on by itself."""
    while state.phase == TALK and not due(state, jurors, labels):
        pass_time(state, next_event(state, minutes), minutes)
