"""One ask of a language model until its answer: a request, and a second one if the first brought no action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from mensura.agent.asks import Answer, Ask
from mensura.agent.spaces import Space, to_plain
from mensura.agent.task import Task
from mensura.agents.language_model.accounts import Usage
from mensura.agents.language_model.actions import (
    FUNCTION,
    NoActionError,
    from_call,
    from_text,
    hold_in_object,
    hold_in_text,
    probabilities,
    written,
)
from mensura.agents.language_model.conversation import (
    Conversation,
    Message,
    Said,
)
from mensura.agents.language_model.holding import Holding
from mensura.agents.language_model.services.reply import (
    Claim,
    LateError,
    PerhapsTooLongError,
    Reply,
    Service,
    TooLongError,
)
from mensura.agents.language_model.settings import Settings
from mensura.core.players import Unanswered

LONGEST_MESSAGE = 200
"""So many characters of what one member tells are heard."""

LONGEST_KEPT = 8000
"""So many characters of an answer are journaled."""


@dataclass
class Seat:
    """One seat: what it is in, and what was said."""

    conversation: Conversation
    task: Task | None = None
    first: bool = True
    """Whether the next observation is the first of its episode."""
    pending: list[str] = field(default_factory=list)
    """What it is to be told with the next observation."""
    look: Callable[[], Any] | None = None
    """The picture of what it may see."""
    holding: Holding = field(default_factory=Holding)


class Asking(Protocol):
    """What an exchange needs of the player whose seat is asked."""

    settings: Settings
    service: Service
    claims: list[Claim]
    keeps_notes: bool

    def tools(self, space: Space, *, hold: bool = False) -> list[dict[str, Any]]:
        """The functions that it may call."""

    def may_hold(self, task: Task) -> bool:
        """Whether it may hold an action."""

    def mending(
        self, task: Task, conversation: Conversation, said: Said, wrong: str
    ) -> list[Message]:
        """What it is told after an answer that was no action."""


class Exchange:
    """One ask until its answer: a request, and a second one if the first brought no action."""

    def __init__(self, player: Asking, seat: Seat, ask: Ask, told: str) -> None:
        self.player = player
        self.seat = seat
        self.ask = ask
        self.told = told
        self.said = Said()
        self.usage = Usage()
        self._told_by_service: dict[str, Any] = {}
        self._repaired: dict[str, Any] | None = None
        """The first answer, where it was no action, and what was wrong with it."""
        self._hold = 1
        """For how many interactions the action is."""
        self._shares: dict[int, float] = {}
        """What the probabilities of tokens give to each action, where they are told."""
        self._counted = 0
        """The tokens of the first request, from which lengths are estimated later on."""

    def played(self) -> Answer:
        """The answer to the ask."""
        try:
            value = self._message() if self.ask.kind == "tell" else self._action()
        except LateError as error:
            self.usage.request_seconds += error.seconds
            self.usage.retries += error.retries
            self.usage.requests_timed_out += 1
            late = f"no answer after {self.ask.deadline:g} s"
            return Answer(None, self.usage.request_seconds, ("late", late), attachment=self._kept())
        except NoActionError as error:
            fault = (error.kind, error.sentence)
            return Answer(None, self.usage.request_seconds, fault, attachment=self._kept())
        return Answer(value, self.usage.request_seconds, attachment=self._kept())

    def _message(self) -> str | None:
        reply = self._request([], None)
        self.said = Said(reply.text)
        return short(reply.text) or None

    def _action(self) -> Any:
        assert self.seat.task is not None
        space = self.seat.task.action_space
        tools = self.player.tools(space, hold=self.player.may_hold(self.seat.task))
        reply = self._request(tools, None)
        self.said = said_in(reply)
        self._answered(reply)
        try:
            return self._read(reply)
        except NoActionError as error:
            if self.usage.request_seconds >= self.ask.deadline:
                raise
            wrong = error
        self.usage.repairs += 1
        self._repaired = {**self._said(), "wrong": wrong.sentence}
        reply = self._request(tools, wrong.sentence)
        self.said = said_in(reply)
        self._answered(reply)
        return self._read(reply)

    def _read(self, reply: Reply) -> Any:
        """The one action in a reply."""
        assert self.seat.task is not None
        space, notes = self.seat.task.action_space, self.player.keeps_notes
        hold = self.player.may_hold(self.seat.task)
        try:
            if self.player.settings.answer == "text":
                action = from_text(space, reply.text, notes=notes, hold=hold)
                self._hold = hold_in_text(reply.text) if hold else 1
                return self._likeliest(space, reply, action)
            if self.player.settings.answer == "json":
                action = from_call(space, reply.text, notes=notes, hold=hold)
                self._hold = hold_in_object(reply.text)
                return action
            if not reply.calls:
                raise NoActionError("garbled", f"There is no call of the function {FUNCTION}.")
            if len(set(reply.calls)) > 1:
                raise NoActionError(
                    "garbled", f"There are {len(reply.calls)} different calls; one is right."
                )
            name, arguments = reply.calls[0]
            if name != FUNCTION:
                raise NoActionError(
                    "garbled", f"There is no function {name[:60]!r}; it is {FUNCTION}."
                )
            action = from_call(space, arguments, notes=notes, hold=hold)
            self._hold = hold_in_object(arguments)
            return action
        except NoActionError as error:
            if reply.cut:
                error = NoActionError(
                    error.kind,
                    f"{error.sentence} It was cut off at {self.player.settings.max_tokens} tokens.",
                )
            raise error from None

    def _likeliest(self, space: Space, reply: Reply, action: Any) -> Any:
        """The action that the probabilities of tokens favor, where they are asked for and told; else the one said."""
        if self.player.settings.logprobs:
            self._shares = probabilities(space, reply.tokens, action)
        return max(self._shares, key=self._shares.__getitem__) if self._shares else action

    def _request(self, tools: Sequence[Mapping[str, Any]], wrong: str | None) -> Reply:
        """One request: the first, or one with what was ``wrong`` with the first answer.

        If the service finds it too long, it is sent once more with half of the turns.
        """
        conversation = self.seat.conversation
        left = self.ask.deadline - self.usage.request_seconds
        tried = False
        while True:
            messages = conversation.messages(self.told)
            if wrong is not None:
                assert self.seat.task is not None
                messages += self.player.mending(self.seat.task, conversation, self.said, wrong)
            try:
                reply = self.player.service.complete(messages, tools, left)
                break
            except PerhapsTooLongError:
                # It may be its way to say so: half as long is tried, once.
                if tried or not conversation.halve():
                    raise
                tried = True
            except TooLongError:
                if not conversation.halve():
                    raise Unanswered(
                        f"What {self.player.settings.model} is told is longer than its context, with nothing left that "
                        "could be left out."
                    ) from None
        if reply.claim is not None:
            self.player.claims.append(reply.claim)
        if reply.tokens_in is not None:
            conversation.counted(messages, reply.tokens_in)
            self._counted = reply.tokens_in if wrong is None else self._counted
        self.usage.add(Usage.of(reply))
        return reply

    def _answered(self, reply: Reply) -> None:
        """Note what the service says of its answer."""
        told = {
            "reasoning": reply.reasoning[:LONGEST_KEPT],
            "finish": reply.finish,
            "model": reply.model,
            "fingerprint": reply.fingerprint,
        }
        self._told_by_service = {name: value for name, value in told.items() if value}

    def _said(self) -> dict[str, Any]:
        said: dict[str, Any] = {"text": self.said.text[:LONGEST_KEPT]}
        if self.said.call is not None:
            said["call"] = self.said.call[:LONGEST_KEPT]
        return said

    def _kept(self) -> dict[str, Any]:
        usage = {one.name: getattr(self.usage, one.name) for one in fields(self.usage)}
        kept: dict[str, Any] = {**self._said(), "usage": usage, **self._told_by_service}
        if self._counted:
            kept["counted"] = self._counted
        if self.seat.conversation.dropped:
            kept["dropped"] = self.seat.conversation.dropped
        if self._hold > 1:
            kept["hold"] = self._hold
        if self._shares:
            kept["probabilities"] = {str(one): round(p, 6) for one, p in self._shares.items()}
        if self._repaired is not None:
            kept["repaired"] = self._repaired
        if self.seat.conversation.picture is not None:
            kept["picture"] = self.seat.conversation.picture.hash
        return kept


def said_in(reply: Reply) -> Said:
    """What a reply leaves in the conversation: its words, and its call if it made just one of the right function.

    The same call several times is one call.
    """
    if len(set(reply.calls)) == 1 and reply.calls[0][0] == FUNCTION:
        return Said(reply.text, reply.calls[0][1])
    calls = " ".join(f"{name}({arguments})" for name, arguments in reply.calls)
    return Said(f"{reply.text} {calls}".strip())


def short(message: Any) -> str:
    text = message if isinstance(message, str) else written(to_plain(message))
    return " ".join(text.split())[:LONGEST_MESSAGE]
