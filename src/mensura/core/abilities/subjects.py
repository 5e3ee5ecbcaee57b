"""What subjects and registered agents may say of themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # commands that compute nothing are to answer at once
    from mensura.agent.asks import Answer, Ask
    from mensura.agent.spaces import Space


class Assessed(Protocol):
    """What a subject may say of itself before it sits down. How it sits down is in :mod:`mensura.core.players`."""

    training: int
    """Training episodes that it asks for."""
    summary: str
    """A line on what it is, for tables."""
    trained_on: Any
    """The pool of checkpoints that it was trained on, where it says so: ``digest`` and ``episodes``."""
    members: Sequence[Any]
    """Of a group of a world's own: each with a name."""
    concurrent: bool
    """Whether its sittings may be played side by side in one process."""
    waits: int
    """How many of its sittings are worth having under way at once, because it mostly waits."""
    is_person: bool
    """Whether people are meant, who answer in a browser."""
    ask_once: bool
    """Whether an answer costs so much, or is so rare, that it must be safe before it is used."""
    sends_commands: bool
    """Whether its actions are texts of commands: a world with several kinds of actions gives it that one."""
    settled: Any
    """Its address with what fixes the files that it names."""

    def retelling(self, seats: int) -> Retelling:
        """Of one that is told everything in words: somebody who tells it once more, without asking it."""

    def rehearsing(self, seats: int, meter: Meter) -> Any:
        """Of one whose answers are paid for: a player that acts in its place and counts what it would take."""

    def hurry(self) -> None:
        """Let sittings that wait their turn wait no longer: the run is to end."""


@dataclass
class Meter:
    """Counts what requests would take that are not sent."""

    most: int
    """After so many it is enough."""
    tokens_out: int
    """What an answer is thought to have."""
    requests: list[tuple[float, float | None]] = field(default_factory=list)
    """Of each request in turn, about how many tokens it would send, and what it would cost, where that is known."""

    def count(self, tokens: float, cost: float | None) -> None:
        """Another request; :class:`EnoughError` if there were as many as are wanted."""
        if len(self.requests) >= self.most:
            raise EnoughError
        self.requests.append((tokens, cost))


class EnoughError(Exception):
    """As many requests as are wanted were counted."""


class Retelling(Protocol):
    """Says what a subject was told in words, ask by ask, reminded by ``recall`` of what it answered."""

    def told(self, ask: Ask) -> tuple[str, str] | None:
        """What was said once for the whole episode, if this ask is the first after it, and what was said with this ask.

        None where the ask takes no words.
        """

    def requests(self, ask: Ask, answer: Answer) -> list[list[dict[str, Any]]]:
        """The messages of every request for an ask, exactly as they were sent."""

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Take up an answer."""


class Learning(Protocol):
    """A registered agent that learns in any world whose spaces it can make something of."""

    @staticmethod
    def plays(observation_space: Space, action_space: Space) -> bool:
        """Whether it can."""


def learns_with(kind: Any, observation_space: Space, action_space: Space) -> bool:
    """Whether a registered agent is a learner that can make something of these spaces."""
    from mensura.agent.base import accepts

    plays: Callable[[Space, Space], bool] | None = getattr(kind, "plays", None)
    if not callable(plays) or not accepts(plays, 2):
        return False  # a stranger's attribute
    return plays(observation_space, action_space) is True


def training_of(subject: Any) -> int:
    """The training episodes that a subject asks for."""
    return int(getattr(subject, "training", 0))


def trained_on(subject: Any) -> Any:
    """The pool of checkpoints that a subject was trained on; None where it says nothing of that."""
    return getattr(subject, "trained_on", None)


def summary_of(subject: Any) -> str:
    """What a subject says that it is, in a line; nothing where it says nothing."""
    return str(getattr(subject, "summary", "") or "")


def members_of(subject: Any) -> tuple[Any, ...]:
    """The members of a group of a world's own; none of any other subject."""
    return tuple(getattr(subject, "members", ()))


def is_concurrent(subject: Any) -> bool:
    """Whether sittings of a subject may be played side by side in one process."""
    return bool(getattr(subject, "concurrent", False))


def waits_of(subject: Any) -> int:
    """How many sittings of a subject are worth having under way at once; 1 of one that works."""
    return int(getattr(subject, "waits", 1))


def answer_seconds(subject: Any) -> float | None:
    """How long answers of a subject are thought to take; None where it does not say."""
    told: float | None = getattr(subject, "answer_seconds", None)
    return told


def is_asked_once(subject: Any) -> bool:
    """Whether an answer of a subject must be safe before it is used."""
    return bool(getattr(subject, "ask_once", False))


def sends_commands(subject: Any) -> bool:
    """Whether the actions of a subject are texts of commands."""
    return bool(getattr(subject, "sends_commands", False))


def is_person(subject: Any) -> bool:
    """Whether a subject stands for people."""
    return bool(getattr(subject, "is_person", False))


def is_told_in_words(subject: Any) -> bool:
    """Whether a subject reads what it is told: people, and language models."""
    return is_person(subject) or getattr(subject, "retelling", None) is not None


def settled_part(subject: Any) -> Any:
    """The address of a subject with what fixes the files that it names; None where it names none."""
    return getattr(subject, "settled", None)


def waits_by_itself(subject: Any) -> bool:
    """Whether a subject sits down as work that waits, so that many can wait in one thread."""
    return getattr(subject, "seating", None) is not None


def hurry(subject: Any) -> None:
    """Let sittings of a subject that wait their turn wait no longer."""
    told: Callable[[], None] | None = getattr(subject, "hurry", None)
    if told is not None:
        told()


def rehearsing(subject: Any, seats: int, meter: Meter) -> Any:
    """A player in the place of a subject whose answers are paid for; None of one whose answers are not."""
    made: Callable[[int, Meter], Any] | None = getattr(subject, "rehearsing", None)
    return None if made is None else made(seats, meter)


def retelling(subject: Any, seats: int) -> Retelling | None:
    """Who tells once more what a subject is told in words; None of one that is not."""
    made: Callable[[int], Retelling] | None = getattr(subject, "retelling", None)
    return None if made is None else made(seats)
