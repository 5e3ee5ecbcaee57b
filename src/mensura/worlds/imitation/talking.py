"""An open exchange: messages are on their way for a typing time, and the conversation closes by the clock.

Settled readings: five minutes from the judge's first message; a message is delivered no earlier than a typing time of 2
seconds and 0.15 seconds a character, with drawn noise, the same for people and machines, counted from when its author
could begin: the last message in that channel. Whoever took longer is delivered at once, which alone would tell slow
people from quick machines. So witnesses are given each other's pace: a message takes at least as many times the typing
time as one of the other witness took, drawn among those that it has not yet taken over. Who types says nothing else
until it is delivered. Whoever is silent is asked again when something new is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mensura.agent.keys import choice, fold, prf, unit
from mensura.worlds.imitation import rules
from mensura.worlds.imitation.records import JURY
from mensura.worlds.imitation.rules import TALK
from mensura.worlds.kit import State

BEFORE_TYPING, A_CHARACTER, NOISE = 2.0, 0.15, 0.2
"""Seconds, and the share by which the time is shorter or longer at most."""
SLOWEST = 4.0
"""At most so many times the typing time a message is held for the sake of the other witness's pace."""
USUAL_PACE, SPREAD = 1.8, 0.35
"""What is drawn where the other witness has said nothing yet: the median, and the spread of its logarithm."""
PATIENCE = 600.0
"""A conversation that no judge begins is over after so many seconds."""


def begin(state: State, channels: Mapping[int, str]) -> None:
    """Nobody has said anything; ``channels`` are those of the witnesses, by place."""
    state.phase = TALK
    state.now, state.opened = 0.0, -1.0
    state.on_the_way = []
    state.quiet = {}
    state.since = {}
    state.paces = {str(place): [] for place in channels}
    state.taken = {}
    state.deliberating, state.spoken, state.ready = -1.0, {}, {}
    state.witness_of = {label: place for place, label in channels.items()}


def begin_round(state: State) -> None:
    """After a verdict that is not the last, the conversation goes on; its time starts with that verdict."""
    state.phase = TALK
    state.opened = state.now
    state.quiet, state.asides = {}, {}
    state.deliberating, state.spoken, state.ready = -1.0, {}, {}


def typing_time(text: str, key: int) -> float:
    """How long a message takes at least."""
    noise = 1.0 + NOISE * (2.0 * unit(prf(key, 0, 0)) - 1.0)
    return (BEFORE_TYPING + A_CHARACTER * len(text)) * noise


def _normal(key: int) -> float:
    """A standard normal draw (Box and Muller)."""
    first, second = max(unit(prf(key, 0, 1)), 1e-12), unit(prf(key, 0, 2))
    return math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second)


def _pace(state: State, place: int, own: float, key: int) -> float:
    """How many times its typing time a witness's message takes: its own pace, or one of the other witness."""
    if len(state.paces) == 1:
        return own
    others = [one for who, paces in state.paces.items() if who != str(place) for one in paces]
    if others:
        used = state.taken.setdefault(str(place), [])
        free = [one for one in range(len(others)) if one not in used] or list(range(len(others)))
        at = free[choice(key, 0, 3, len(free))]
        used.append(at)
        taken = others[at]
        # A pace that was taken over is nobody's own: else each would slow the other down more and more.
        state.paces[str(place)].append(min(max(own, 1.0), SLOWEST))
        return float(max(own, 1.0, taken))
    pace = max(own, 1.0, min(USUAL_PACE * math.exp(SPREAD * _normal(key)), SLOWEST))
    state.paces[str(place)].append(min(pace, SLOWEST))
    return float(pace)


def say(state: State, place: int, channel: str, author: str, text: str, typing: bool) -> None:
    """Something is said; it is delivered when it is typed. Nothing at all is silence."""
    text = " ".join(text.split())
    if not text:
        be_quiet(state, place)
        return
    witness = author == "witness"
    if state.opened < 0 and not witness:
        state.opened = state.now
    if not typing:
        state.on_the_way.append([state.now, place, channel, author, text, state.now])
        _deliver(state, state.now)
        return
    key = fold(state.keys[place], len(state.messages) + len(state.on_the_way))
    least, began = typing_time(text, key), state.since.get(str(place), state.now)
    pace = (state.now - began) / least
    pace = _pace(state, place, pace, key) if witness else max(pace, 1.0)
    when = max(state.now, began + pace * least)
    state.on_the_way.append([when, place, channel, author, text, state.now])
    state.on_the_way.sort(key=lambda one: one[0])


def is_typing(state: State, place: int) -> bool:
    """Whether a message of somebody is on its way."""
    return any(one[1] == place for one in state.on_the_way)


def be_quiet(state: State, place: int) -> None:
    """Somebody has nothing to say until something new is there."""
    state.quiet[str(place)] = True


def asking(state: State, jurors: int) -> int:
    """The juror who asks now: one in turn."""
    return int(sum(one["author"] != "witness" for one in state.messages)) % jurors


def due(state: State, jurors: int, labels: Mapping[int, str]) -> Sequence[int]:
    """Who may speak: one juror in turn, and every witness, unless they type or are quiet."""
    may = [asking(state, jurors), *sorted(labels)]
    return [
        place for place in may if not is_typing(state, place) and not state.quiet.get(str(place))
    ]


def closes_at(state: State, minutes: float) -> float:
    """When the time is over."""
    return float(state.opened + 60.0 * minutes) if state.opened >= 0 else PATIENCE


def next_event(state: State, minutes: float, deliberation: float) -> float:
    """When a message is delivered, or the time is over."""
    if state.phase == rules.DELIBERATE:
        return float(state.deliberating + 60.0 * deliberation)
    if state.phase != TALK:
        return math.inf
    delivered = state.on_the_way[0][0] if state.on_the_way else math.inf
    return min(float(delivered), closes_at(state, minutes))


def pass_time(state: State, at: float, minutes: float, deliberation: float) -> None:
    """Time goes on; what is typed by then is delivered, and conversation or deliberation may be over."""
    if state.phase == TALK:
        end = closes_at(state, minutes)
        _deliver(state, min(at, end))
        if at >= end:
            close(state)
    elif state.phase == rules.DELIBERATE and at >= next_event(state, minutes, deliberation):
        end_deliberation(state)
    state.now = max(state.now, at)


def _deliver(state: State, at: float) -> None:
    while state.on_the_way and state.on_the_way[0][0] <= at:
        when, place, channel, author, text, said = state.on_the_way.pop(0)
        rules.say(state, channel, author, text)
        state.messages[-1] |= {
            "at": round(float(when), 3),
            "waited": round(float(when - said), 3),
        }
        state.quiet = {}
        state.since[str(place)] = float(when)
        if author == "witness":
            for other in {str(one) for one in range(state.first_witness)}:
                state.since[other] = float(when)
        else:
            state.since[str(state.witness_of[channel])] = float(when)


def close(state: State) -> None:
    """No more questions: now come the votes. What was not delivered by then is lost."""
    state.on_the_way = []
    state.phase, state.ballots = rules.VOTE, {}


def deliberate(state: State, juror: int, text: str) -> None:
    """Something is said among jurors, at once; nothing at all says that one is ready to vote."""
    if text:
        rules.say(state, JURY, f"juror {juror + 1}", text)
        state.spoken[str(juror)] = True
    else:
        state.ready[str(juror)] = True
    if len(state.ready) == state.first_witness:
        end_deliberation(state)


def end_deliberation(state: State) -> None:
    """Now comes the second vote."""
    state.phase, state.ballots = rules.SECOND_VOTE, {}
