"""The rules of the game with strict turns: who is due, what each kind of record does, and when it is over.

Settled readings: one channel for each witness; the judge sees both, a witness only its own; labels and sides are drawn
for each game. A verdict needs an answer from each witness, else the game is void. In a jury one juror in turn asks and
all read; votes are secret, before a deliberation and again after it. Turns stand for minutes here: a round has so
many questions to each witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.worlds.imitation.records import (
    CANNOT_TELL,
    JURY,
    MACHINE,
    MARK,
    MIDDLE,
    MOST,
    PERSON,
    SAY,
    SILENCE,
    SLIDER,
    VERDICT,
)
from mensura.worlds.imitation.safety import is_held_back, masked
from mensura.worlds.kit import State

TALK = "talk"
"""An open exchange under way."""
ASK, ANSWER, VOTE, DELIBERATE, SECOND_VOTE, OVER = (
    "ask",
    "answer",
    "vote",
    "deliberate",
    "second vote",
    "over",
)
ASIDES, ASIDES_OPEN = 4, 60
"""So many sliders and marks a judge may set before saying something: in strict turns, and in an open exchange."""
ENOUGH_MESSAGES = 900
"""After so many messages nothing more is said."""


def begin(state: State, channels: Sequence[str]) -> None:
    """Nothing was said yet."""
    state.phase = ASK
    state.round, state.exchange, state.at, state.asides = 0, 0, 0, {}
    state.channels = list(channels)
    state.messages, state.moves, state.marks = [], [], []
    state.speaking = 0
    state.votes, state.ballots = [], {}
    state.held_back = 0
    state.verdicts = []


def channel_now(state: State) -> str:
    """The channel whose turn it is."""
    if state.phase in (ASK, ANSWER):
        return str(state.channels[state.at])
    return JURY if state.phase == DELIBERATE else ""


def asking(state: State, jurors: int) -> int:
    """The juror who asks now: one in turn."""
    return int(state.exchange + state.round) % jurors


def say(state: State, channel: str, author: str, text: str) -> None:
    """One more message, as it may be delivered: with private data masked, and nothing of one that is held back."""
    masked_text = masked(text)
    delivered = masked_text[: state.description.longest]
    message = {
        "number": len(state.messages),
        "channel": channel,
        "author": author,
        "text": delivered,
        "round": state.round,
    }
    if is_held_back(delivered):
        state.held_back += 1
        message |= {"text": "", "held_back": True}
    elif masked_text != text:
        message["masked"] = True
    state.messages.append(message)


def note(state: State, juror: int, given: Mapping[str, Any]) -> None:
    """A slider that was moved, or a message that was marked."""
    state.asides[str(juror)] = state.asides.get(str(juror), 0) + 1
    after = len(state.messages) - 1
    if given["kind"] == SLIDER:
        state.moves.append([juror, given["channel"], int(given["value"]), after])
    else:
        state.marks.append([juror, int(given["value"])])


def problem_of(
    state: State, juror: int, given: Mapping[str, Any], *, alone: bool, is_open: bool = False
) -> str:
    """Why a judge may not do this now, in a sentence; nothing where it may. ``alone``: there is one witness."""
    kind = given["kind"]
    voting = state.phase in (VOTE, SECOND_VOTE)
    talk = state.phase == TALK
    if kind == SILENCE:
        return ""
    if kind in (SLIDER, MARK):
        most = ASIDES_OPEN if is_open else ASIDES
        if state.asides.get(str(juror), 0) >= most:
            return f"{most} sliders and marks in a turn are enough; now say something or be silent."
        if kind == SLIDER and (given["channel"] not in state.channels or given["value"] > MOST):
            return f"A slider is moved in a channel that there is, to a value of up to {MOST}."
        if kind == MARK and given["value"] not in {
            one["number"] for one in state.messages if one["author"] == "witness"
        }:
            return "Only a message of a witness can be marked, by its number."
        return ""
    if kind == SAY:
        if voting or not given["text"].strip():
            return "Something is said in words, before a vote."
        if len(state.messages) >= ENOUGH_MESSAGES:
            return "Enough was said in this room; now comes the verdict."
        if talk and given["channel"] not in state.channels:
            return f"The channels are {', '.join(state.channels)}."
        if not talk and given["channel"] != channel_now(state):
            return f"The channel is {channel_now(state)} now."
        return ""
    if kind == VERDICT:
        if not voting and not talk:
            return "A verdict is given when the questions are over."
        if voting and str(juror) in state.ballots:
            return "You have voted already, and a vote counts once."
        allowed = (PERSON, MACHINE) if alone else tuple(state.channels)
        if given["choice"] not in (*allowed, CANNOT_TELL):
            return f"The choice is one of {', '.join(allowed)}, or empty where one cannot tell."
        if not MIDDLE <= given["value"] <= MOST:
            return f"A confidence is from {MIDDLE} to {MOST}."
        return ""
    return "There is no such kind of record."


def answered(state: State) -> bool:
    """Whether every witness has said something."""
    spoke = {one["channel"] for one in state.messages if one["author"] == "witness" and one["text"]}
    return spoke >= set(state.channels)


def decided(choices: Sequence[str], rule: str) -> str:
    """What a jury says: by majority or unanimity; a tie, or no unanimity, is "cannot tell"."""
    counts: dict[str, int] = {}
    for one in choices:
        if one != CANNOT_TELL:
            counts[one] = counts.get(one, 0) + 1
    if not counts:
        return CANNOT_TELL
    most = max(counts.values())
    best = [one for one, count in counts.items() if count == most]
    if rule == "unanimity":
        return best[0] if most == len(choices) else CANNOT_TELL
    return best[0] if len(best) == 1 and 2 * most > len(choices) else CANNOT_TELL


def seen_by_witness(state: State, channel: str) -> Iterator[dict[str, Any]]:
    """The messages of one channel, without who of the jurors asked, and how many messages others got."""
    own = [one for one in state.messages if one["channel"] == channel]
    for number, one in enumerate(own):
        author = "you" if one["author"] == "witness" else "judge"
        yield {"number": number, "channel": "", "author": author, "text": one["text"]}


def seen_by_judge(state: State, juror: int, jury: bool) -> Iterator[dict[str, Any]]:
    """All messages; in a jury, deliberation too."""
    for one in state.messages:
        author = one["author"]
        if author == f"juror {juror + 1}":
            author = "you"
        yield {key: one[key] for key in ("number", "channel", "text")} | {
            "author": author if jury or author in ("you", "witness") else "judge"
        }


def sliders(state: State, juror: int) -> dict[str, int]:
    """Where the sliders are that a judge has moved, by channel."""
    return {channel: value for who, channel, value, _ in state.moves if who == juror}


def broken(state: State, juror: int, channel: str) -> int | None:
    """The break: the first message of a witness after which the slider stays on the machine's side until the verdict.

    It is counted in messages of that witness, from 1; None where there is no break.
    """
    own = [
        one["number"]
        for one in state.messages
        if one["channel"] == channel and one["author"] == "witness"
    ]
    moves = [
        (after, value)
        for who, where, value, after in state.moves
        if (who, where) == (juror, channel)
    ]
    if not moves or moves[-1][1] >= MIDDLE:
        return None
    since = len(moves) - 1
    while since and moves[since - 1][1] < MIDDLE:
        since -= 1
    before = sum(number <= moves[since][0] for number in own)
    return max(int(before), 1)
