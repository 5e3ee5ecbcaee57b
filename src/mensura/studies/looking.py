"""Looking at an episode after the fact, interaction by interaction: what each seat saw, answered and got."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mensura.agent.asks import Answer, Ask
from mensura.agent.spaces import to_plain
from mensura.agent.waiting import Waiting, finish
from mensura.agents.language_model.holding import is_held
from mensura.core.abilities import picture_of, retelling
from mensura.core.contract import Environment, Turn
from mensura.core.players import Player, asking, cpu_seconds, renewing, told_measures
from mensura.pictures.picture import Picture
from mensura.pictures.svg import as_svg
from mensura.studies.place import Place


@dataclass(frozen=True)
class Exchange:
    """What a language model was sent for one ask, and what came back."""

    kind: str
    """"tell" or "act"."""
    requests: Sequence[Sequence[Mapping[str, Any]]]
    """The messages of every request, exactly as they were sent: one, or a second to have the answer repaired. None of a
    step that nobody wants to see whole."""
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
    step: int = 0
    """The number of the interaction in its sitting, from 0, through all episodes."""
    picture: str = ""
    """What the seat could see when it was asked, as SVG; empty where nobody wants it or nothing can be drawn."""

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
    """Stands between an episode and a player and watches both: a player, and an observer of environments.

    Every request holds the conversation before it, and a picture takes time: of long sittings, ``whole`` names the
    steps that are kept with their requests and, with ``pictures``, pictures; all, where it is None.
    """

    def __init__(
        self,
        player: Player,
        place: Place,
        whole: Container[int] | None = None,
        pictures: bool = False,
    ) -> None:
        self.player = player
        self.speakers = player.speakers
        self.seen: list[Interaction] = []
        self.cpu_seconds = partial(cpu_seconds, player)
        self.measures = partial(told_measures, player)
        self._teller = retelling(place.subject, place.seats)
        self._asked: dict[int, _Asked] = {}
        self._exchanges: dict[int, list[Exchange]] = {}
        self._whole = whole
        self._with_pictures = pictures
        self._pictures: dict[int, str] = {}
        self._sequence = -1
        self._interaction = 0
        self._step = 0

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
        if told is not None and is_held(answer.attachment):
            told = ("", "")
        if self._teller is not None and told is not None:
            kept = answer.attachment if isinstance(answer.attachment, dict) else {}
            requests = self._teller.requests(ask, answer) if self._is_whole() else []
            exchange = Exchange(ask.kind, writable(requests), writable(kept))
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
        self._draw(environment)

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
                    self._step,
                    self._pictures.get(seat, ""),
                )
            )
        self._interaction += 1
        self._step += 1
        self._due, self._observations = turn.due, turn.observations
        self._draw(environment)

    def _draw(self, environment: Environment) -> None:
        self._pictures = {}
        if self._with_pictures and self._is_whole():
            for seat in self._due:
                drawn = picture_of(environment, seat)
                if drawn is not None:
                    self._pictures[seat] = as_svg(_to_look_at(drawn), page=True)

    def _is_whole(self) -> bool:
        return self._whole is None or self._step in self._whole


def _to_look_at(picture: Picture) -> Picture:
    """The same picture with nothing in it to act by."""
    return replace(picture, shapes=[replace(one, action=None, cell=None) for one in picture.shapes])


def writable(value: Any) -> Any:
    """Plain data with halves of characters (surrogates) written out in its texts: a model's words may hold some, which
    no file and no connection can."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return {writable(name): writable(one) for name, one in value.items()}
    return [writable(one) for one in value] if isinstance(value, list | tuple) else value


def _plain_heard(heard: Mapping[int, Any] | None) -> dict[int, Any]:
    return {seat: _plain(value) for seat, value in (heard or {}).items() if value is not None}


def _plain(value: Any) -> Any:
    """A value that a subject gave, which may be anything."""
    try:
        return to_plain(value)
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:200]
