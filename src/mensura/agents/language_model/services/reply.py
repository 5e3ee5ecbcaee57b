"""What comes back from a service: answers, and the kinds of failure; the same for all services."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

from mensura.agents.language_model.conversation import Message
from mensura.core.players import Unanswered


@dataclass(frozen=True)
class Reply:
    """What came back for a request."""

    text: str
    """What it said; of a refusal, what it refused with."""
    calls: tuple[tuple[str, str], ...] = ()
    """The functions that it called, each with its arguments as they came."""
    cut: bool = False
    """Whether it was cut off because it got too long."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    """As the service counts; None where it does not tell."""
    seconds: float = 0.0
    """How long requests took, those that failed included, pauses not."""
    retries: int = 0
    reasoning: str = ""
    """What it thought before it answered, where the service shows it. It is never sent again."""
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None
    """Of those in, how many the service had from before; of those out, how many were thoughts. None where it does not
    tell."""
    finish: str | None = None
    """Why it ended, in the service's word."""
    refused: bool = False
    """Whether it says that it will not answer."""
    model: str | None = None
    fingerprint: str | None = None
    """Which model answered, and which version of it, by what the service says."""
    tokens: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    """Its tokens, each with the likeliest ones in its place and the logarithms of their probabilities, where the
    service was asked for them and gives them."""
    claim: Claim | None = field(default=None, repr=False, compare=False)
    """Of an answer that came in a batch: who is told when it is safe."""


class Claim(Protocol):
    """An answer that can be had again until it is safe."""

    def safe(self) -> None:
        """It is safe on disk, or of no use."""

    def release(self) -> None:
        """It was not used: whoever asks the same may have it."""


class Service(Protocol):
    """Whoever completes chats."""

    def check(self, tools: Sequence[Mapping[str, Any]]) -> Reply | None:
        """Find out, once, whether the model can be asked; a sentence where not. What came of it, the first time."""

    def complete(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], deadline: float
    ) -> Reply:
        """The answer of the model, with a call of a tool where there are any."""

    def hurry(self) -> None:
        """Whoever waits for rates, or to try again, waits no longer: :class:`Stopped`."""


# What players know ------------------------------------------------------------


class LateError(Exception):
    """No answer within the deadline."""

    def __init__(self, seconds: float, retries: int) -> None:
        super().__init__(f"no answer after {seconds:.3g} s")
        self.seconds = seconds
        self.retries = retries


class TooLongError(Exception):
    """The service says that the conversation is longer than the model's context."""


class PerhapsTooLongError(Unanswered):
    """The service refuses a request, and it may be because it is too long: whoever can make it shorter may try."""


# What services know -----------------------------------------------------------


class PassingError(Exception):
    """A failure that may pass."""

    def __init__(self, reason: str, after: float | None = None, *, free: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.free = free
        """Whether nobody is asked to pay for it: the service refused it before the model was asked."""
        self.after = after


class OtherwiseError(Exception):
    """The service wants the same request written otherwise: it does not know a field, or by another name only."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class RefusedError(Exception):
    """The service let the model not answer; that is its answer."""


# Reading what a service sent, whatever it is ------------------------------------


def read_json(body: bytes) -> Any:
    """The JSON of a body; a failure that may pass where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        shown = " ".join(body[:80].decode(errors="replace").split())
        raise PassingError(f"it answered {shown!r}, which is no JSON") from None


def read_lines(body: bytes) -> dict[str, Mapping[str, Any]]:
    """The results of a batch, a line of JSON each, by the names of their requests; what cannot be read is left out."""
    found: dict[str, Mapping[str, Any]] = {}
    for line in body.splitlines():
        with suppress(ValueError, RecursionError):
            one = mapping(json.loads(line))
            found[str(one.get("custom_id"))] = one
    return found


def id_in(body: bytes) -> str:
    """The id of what was made; a failure that may pass where there is none."""
    found = mapping(read_json(body)).get("id")
    if not isinstance(found, str) or not found:
        raise PassingError("it answered without an id")
    return found


def mapping(value: Any) -> dict[str, Any]:
    """An object as it came; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def sendable(text: str) -> str:
    """A text with halves of characters written out, which JSON can name and nobody can send."""
    return text.encode("utf-8", "backslashreplace").decode()


def word(value: Any) -> str | None:
    """A short text as the service sent it, made safe to show."""
    return " ".join(value.split())[:200] if isinstance(value, str) and value.strip() else None


def count(value: Any) -> int | None:
    """A number of tokens; None where it is none."""
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return value if fine else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a service asks for, given as such or as a date."""
    milliseconds, text = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds:
            seconds = float(milliseconds) / 1000
        elif text and text.strip().replace(".", "", 1).isdigit():
            seconds = float(text)
        elif text:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        else:
            return None
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def in_words(error: BaseException) -> str:
    """An exception in words."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
