"""The conversation with one model in one seat, kept within a budget of tokens.

The rule: instructions are always there, whole. If a request would be over the budget, the oldest turns are left out
until it is at half of the budget, and a line says how many are missing. So what a request begins with stays the same
for many turns, which services that remember beginnings are quick and cheap with. A turn is what was told and what was
answered. Fewer turns can be wanted: the last ones, or the last one with notes that the model keeps for itself.

Nobody knows how a service counts tokens before it has counted. So they are estimated from characters: three to a token
at first, then as many as there were in the last request whose tokens the service told.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from mensura.agents.language_model.actions import FUNCTION
from mensura.agents.language_model.sight import Sight

Message = dict[str, Any]
"""A message of the chat-completions API; beside it, as ``picture``, the :class:`Sight` that is shown with it."""

CHARACTERS_PER_TOKEN = 3.0
OVERHEAD = 12
"""Characters that a message costs beside its own."""
LONGEST_SAID = 8000
"""So many characters of an answer are remembered."""


@dataclass(frozen=True)
class Said:
    """What a model answered: in words, and by a call if it made one."""

    text: str = ""
    call: str | None = None
    """The arguments of the call."""

    def message(self, number: int) -> Message:
        """As a message; calls are numbered."""
        text = self.text[:LONGEST_SAID]
        if self.call is None:
            return {"role": "assistant", "content": text or "(no answer)"}
        function = {"name": FUNCTION, "arguments": self.call[:LONGEST_SAID]}
        call = {"id": call_id(number), "type": "function", "function": function}
        return {"role": "assistant", "content": text, "tool_calls": [call]}


def call_id(number: int) -> str:
    """How the call of a turn is referred to; nine letters and digits, as some services want."""
    return f"c{number % 10**8:08d}"


def arguments_of(call: str) -> dict[str, Any]:
    """The arguments of a call as an object, for services that take nothing else; what is none stands in one."""
    try:
        value = json.loads(call)
    except (ValueError, RecursionError):
        value = call
    return value if isinstance(value, dict) else {"arguments": value}


def reply_to(said: Said | None, number: int, text: str, picture: Sight | None = None) -> Message:
    """A text for the model, and a picture: the result of its call, if the answer before was one."""
    shown = {} if picture is None else {"picture": picture}
    if said is not None and said.call is not None:
        return {"role": "tool", "tool_call_id": call_id(number), "content": text, **shown}
    return {"role": "user", "content": text, **shown}


@dataclass
class Conversation:
    """What was said so far, as far as it fits."""

    budget: int
    """In tokens."""
    system: str = ""
    turns: list[tuple[str, Said]] = field(default_factory=list)
    pictures: list[Sight | None] = field(default_factory=list)
    """What was shown in each turn."""
    dropped: int = 0
    """How many turns are left out by now."""
    characters_per_token: float = CHARACTERS_PER_TOKEN
    most: int | None = None
    """How many turns a request holds at most; None: as many as fit."""
    notes: str = ""
    """What is shown of the model's own notes before it is told something."""
    picture: Sight | None = None
    """What is shown with what is told next."""

    def messages(self, told: str) -> list[Message]:
        """What a request holds that tells this."""
        self._fit(told)
        return self.rebuilt(told)

    def add(self, told: str, said: Said) -> None:
        """A turn is over."""
        self.turns.append((told, said))
        self.pictures.append(self.picture)
        self.picture = None

    def counted(self, messages: list[Message], tokens: int) -> None:
        """The service counted so many tokens in a request."""
        if tokens > 0:
            self.characters_per_token = min(max(characters(messages) / tokens, 0.5), 8.0)

    def estimate(self, messages: list[Message]) -> float:
        """About how many tokens messages have."""
        return characters(messages) / self.characters_per_token

    def halve(self) -> bool:
        """The service says that it is too long: keep half of the turns; False if there is none to leave out."""
        if not self.turns:
            return False
        self._drop(max(1, len(self.turns) // 2))
        return True

    def drop_to(self, dropped: int) -> None:
        """Leave out as many turns as were left out when this was said the first time."""
        if dropped > self.dropped:
            self._drop(dropped - self.dropped)

    def _fit(self, told: str) -> None:
        if self.most is not None and len(self.turns) > self.most:
            self._drop(len(self.turns) - self.most)
        if self.estimate(self.rebuilt(told)) <= self.budget:
            return
        room = self.budget / 2 * self.characters_per_token
        room -= characters(self.rebuilt(told, turns=[]))
        kept = 0
        for (one, said), picture in zip(reversed(self.turns), reversed(self.pictures), strict=True):
            room -= len(one) + len(said.text[:LONGEST_SAID]) + len(said.call or "") + 2 * OVERHEAD
            room -= 0 if picture is None else CHARACTERS_PER_TOKEN * picture.tokens
            if room < 0:
                break
            kept += 1
        self._drop(len(self.turns) - kept)

    def _drop(self, count: int) -> None:
        del self.turns[:count], self.pictures[:count]
        self.dropped += count

    def rebuilt(self, told: str, turns: list[tuple[str, Said]] | None = None) -> list[Message]:
        """The messages that tell this after the turns as they are, whether they fit or not."""
        messages: list[Message] = [{"role": "system", "content": self.system}]
        before: Said | None = None
        number = self.dropped
        missing = f"({self.dropped} earlier turns are left out.)\n\n" if self.dropped else ""
        turns = self.turns if turns is None else turns
        for (text, said), picture in zip(turns, self.pictures, strict=False):
            messages.append(reply_to(before, number, missing + text, picture))
            missing = ""
            number += 1
            messages.append(said.message(number))
            before = said
        notes = f"{self.notes}\n\n" if self.notes else ""
        messages.append(reply_to(before, number, missing + notes + told, self.picture))
        return messages


def characters(messages: list[Message]) -> float:
    """How many characters messages have, calls and overhead included, and as many as pictures are worth."""
    total = 0.0
    for message in messages:
        total += len(message["content"]) + OVERHEAD
        if "picture" in message:
            total += CHARACTERS_PER_TOKEN * message["picture"].tokens
        for call in message.get("tool_calls", ()):
            total += len(call["function"]["arguments"]) + OVERHEAD
    return total
