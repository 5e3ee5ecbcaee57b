"""Looking at an episode after the fact, interaction by interaction: what each seat saw, answered and got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from mensura.core.abilities import retelling
from mensura.core.asks import Answer, Ask
from mensura.core.contract import Environment, Turn
from mensura.core.players import Player, asking, cpu_seconds, renewing, told_measures
from mensura.core.spaces import to_plain
from mensura.core.waiting import Waiting, finish
from mensura.studies.place import Place


@dataclass(frozen=True)
class Exchange:
    """What a language model was sent for one ask, and what came back."""

    kind: str
    """"tell" or "act"."""
    requests: Sequence[Sequence[Mapping[str, Any]]]
    """The messages of every request, exactly as they were sent: one, or a second to have the answer repaired."""
    kept: Mapping[str, Any]
    """What was kept with the answer: text, call, reasoning, usage, what the service told of it, a first bad answer."""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"kind": self.kind, "requests": self.requests, "answer": self.kept}


@dataclass(frozen=True)
class Interaction:
    """One seat in one interaction."""

    sequence: int
    """The number of the episode in its sitting, from 0."""
    interaction: int
    """From 0 in each episode."""
    seat: int
    observation: Any
    heard: Mapping[int, Any]
    """What others told before it acted, by seat."""
    prompt: str
    """Of a language model: what this interaction added to what it was told."""
    system: str
    """Of a language model: what it was told of the whole episode; only with the first interaction of a seat."""
    reply: str
    """Of a language model: what it wrote back."""
    answer: Any
    fault: tuple[str, str] | None
    action: Any
    """What was played: the answer, or the environment's default where there was none that could be."""
    reward: float
    seconds: float
    """How long the answer took."""
    asked: bool = True
    """Whether it was asked at all: who has broken too often is not."""
    exchanges: tuple[Exchange, ...] = ()
    """Of a language model: what was sent and what came back, word for word."""

    def to_json(self) -> dict[str, Any]:
        """As plain data; what only some subjects have, where it is there."""
        told = {
            "episode": self.sequence,
            "interaction": self.interaction,
            "seat": self.seat,
            "observation": self.observation,
            "answer": self.answer,
            "action": self.action,
            "reward": self.reward,
            "seconds": self.seconds,
            "asked": self.asked,
        }
        more = {
            "heard": {str(seat): value for seat, value in self.heard.items()},
            "system": self.system,
            "prompt": self.prompt,
            "reply": self.reply,
            "fault": list(self.fault or ()),
        }
        return told | {name: value for name, value in more.items() if value}

    def word_for_word(self) -> dict[str, Any]:
        """The same with everything that was sent and came back, in the place of what was new."""
        told = {
            name: value
            for name, value in self.to_json().items()
            if name not in ("prompt", "system", "reply")
        }
        return told | {"exchanges": [one.to_json() for one in self.exchanges]}


@dataclass
class _Asked:
    ask: Ask
    answer: Answer
    prompt: str = ""
    system: str = ""


class Looking:
    """Stands between an episode and a player and watches both: a player, and an observer of environments."""

    def __init__(self, player: Player, place: Place) -> None:
        self.player = player
        self.speakers = player.speakers
        self.seen: list[Interaction] = []
        self.cpu_seconds = partial(cpu_seconds, player)
        self.measures = partial(told_measures, player)
        self._teller = retelling(place.subject, place.seats)
        self._asked: dict[int, _Asked] = {}
        self._exchanges: dict[int, list[Exchange]] = {}
        self._sequence = -1
        self._interaction = 0

    # As a player

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Ask, and see what was said."""
        answers = yield from asking(self.player, asks)
        for ask, answer in zip(asks, answers, strict=True):
            self._see(ask, answer)
        return answers

    def _see(self, ask: Ask, answer: Answer) -> None:
        told = None if self._teller is None else self._teller.told(ask)
        if self._teller is not None and told is not None:
            kept = answer.attachment if isinstance(answer.attachment, dict) else {}
            exchange = Exchange(ask.kind, self._teller.requests(ask, answer), kept)
            self._exchanges.setdefault(ask.seat, []).append(exchange)
        if ask.kind == "act":
            one = _Asked(ask, answer)
            if told is not None:
                one.system, one.prompt = told
            self._asked[ask.seat] = one
        if self._teller is not None:
            self._teller.recall(ask, answer)

    def renew(self) -> None:
        """:meth:`renewing`, waiting on the spot."""
        finish(self.renewing())

    def renewing(self) -> Waiting[None]:
        """The player behind it sits down anew."""
        yield from renewing(self.player)
        self.speakers = self.player.speakers

    def close(self) -> None:
        """The sitting is over."""
        self.player.close()

    # As an observer

    def started(self, environment: Environment, turn: Turn) -> None:
        """Another episode."""
        self._sequence += 1
        self._interaction = 0
        self._due = turn.due
        self._observations = turn.observations

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction is over."""
        rewards = dict(zip(turn.due, turn.rewards, strict=True))
        for seat, observation, action in zip(self._due, self._observations, actions, strict=True):
            one = self._asked.pop(seat, None)
            kept = one.answer.attachment if one is not None else None
            reply = kept if isinstance(kept, dict) else {}
            self.seen.append(
                Interaction(
                    self._sequence,
                    self._interaction,
                    seat,
                    to_plain(observation),
                    {} if one is None else _plain_heard(one.ask.heard),
                    "" if one is None else one.prompt,
                    "" if one is None else one.system,
                    " ".join(str(reply[name]) for name in ("text", "call") if reply.get(name)),
                    None if one is None else _plain(one.answer.value),
                    None if one is None else one.answer.fault,
                    to_plain(action),
                    float(rewards.get(seat, 0.0)),
                    0.0 if one is None else one.answer.seconds,
                    one is not None,
                    tuple(self._exchanges.pop(seat, ())),
                )
            )
        self._interaction += 1
        self._due, self._observations = turn.due, turn.observations


def _plain_heard(heard: Mapping[int, Any] | None) -> dict[int, Any]:
    return {seat: _plain(value) for seat, value in (heard or {}).items() if value is not None}


def _plain(value: Any) -> Any:
    """A value that a subject gave, which may be anything."""
    try:
        return to_plain(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:200]
