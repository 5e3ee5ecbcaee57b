"""A service that completes chats: asked with patience, at the rates allowed, and never with the key in sight.

The official SDK carries the requests; its own retries are off, since one place has to know how long an answer may take.
That place is :meth:`OpenAIService.complete`:

- A request may take as long as is left of the deadline of the ask; when that is over, the model is late.
- What fails in passing (no connection, 408, 409, 429, 5xx, a body that breaks off or is no chat completion) is sent
  again after a pause that doubles, with jitter; ``Retry-After`` is honored, and holds for all sittings at once.
- Pauses and waiting for rates do not count as the model's time. Pauses together are bounded by ``patience``.
- What fails for good (401, 403, 404, 400) or does not stop failing is not the model's fault: :class:`Unanswered` ends
  the run with a sentence, and the run can be resumed with nothing asked twice.
"""

from __future__ import annotations

import json
import math
import re
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from time import monotonic
from typing import Any, Protocol

import numpy as np

from mensura.agents.language_model.actions import response_format
from mensura.agents.language_model.budget import Booked, Budget
from mensura.agents.language_model.budget import shared as shared_budget
from mensura.agents.language_model.conversation import Message, characters
from mensura.agents.language_model.rates import Rates, Spent, shared
from mensura.agents.language_model.settings import DEFAULT_URL, Settings
from mensura.core.contract import Stopped
from mensura.core.errors import MensuraError
from mensura.core.keys import fresh
from mensura.core.players import Unanswered

LARGEST_BODY = 4 << 20
"""A response of more bytes is no answer."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Seconds before the second attempt, and the most before any."""

SECONDS_TO_CHECK = 60.0
"""How long the first request may take, which finds out whether anybody is there."""

RETRIES_TO_CHECK = 2
"""How often it is sent again: who is not there at first is probably not there at all."""

_PASSING = frozenset((408, 409, 425, 429))
_TRANSPORT = ("httpx", "httpcore", "h11", "ssl", "zlib")
LIMITS = ("max_completion_tokens", "max_tokens")
"""The names of the limit on the length of an answer, the newer one first."""

_UNKNOWN = re.compile(
    r"unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|not permitted|extra (inputs|fields)",
    re.IGNORECASE,
)

_TOO_LONG = re.compile(
    r"context (length|size|window)|maximum (model|prompt) length|(prompt|input|request)s? (is|was|are) too (long|large)"
    r"|too many (input )?tokens|token count.{0,40} exceeds|exceeds the (maximum|limit|model).{0,40}tokens"
    r"|reduce the length of the (messages|prompt|input)|longer than the maximum",
    re.IGNORECASE,
)
"""How services say that a request is longer than the context: OpenAI, Azure, Anthropic, Gemini, Mistral, Bedrock, vLLM,
llama.cpp and others."""

_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][A-Za-z0-9*_\-.]{6,}")


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


class OpenAIService:
    """A service that speaks the chat-completions API of OpenAI."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._client: Any = None
        self._lock = Lock()
        self._drawing = Lock()
        self._checked = False
        self._longest = 100
        """The tokens of the longest answer so far, by which those of the next one are estimated."""
        # Compatible services know the older name; whichever one refuses is asked by the other.
        self._limit = "max_completion_tokens" if settings.url == DEFAULT_URL else "max_tokens"
        self._stopping = Event()
        self._jitter = np.random.Generator(np.random.PCG64(fresh()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Of a copy in another process only the settings are taken along, and no key is in them."""
        return OpenAIService, (self.settings,)

    def __repr__(self) -> str:
        """Which model, and where."""
        return f"OpenAIService({self.settings.model!r} at {self.settings.host})"

    def check(self, tools: Sequence[Mapping[str, Any]]) -> Reply | None:
        """Ask for a few tokens, once: key, address, model and tools are found wrong before anything is played."""
        with self._lock:
            if self._checked:
                return None
            self._open()
            told: list[Message] = [{"role": "user", "content": "Are you there?"}]
            reply = None
            try:
                reply = self._complete(told, tools, SECONDS_TO_CHECK, 16, RETRIES_TO_CHECK)
            except LateError:
                raise Unanswered(
                    f"{self.settings.model} at {self.settings.host} gave no answer within {SECONDS_TO_CHECK:g} s."
                ) from None
            except TooLongError:
                pass
            self._checked = True
            return reply

    def complete(
        self,
        messages: list[Message],
        tools: Sequence[Mapping[str, Any]],
        deadline: float,
    ) -> Reply:
        """The answer, after as many attempts as it takes and patience allows."""
        settings = self.settings
        return self._complete(messages, tools, deadline, settings.max_tokens, settings.retries)

    def _complete(
        self,
        messages: list[Message],
        tools: Sequence[Mapping[str, Any]],
        deadline: float,
        max_tokens: int,
        retries: int,
    ) -> Reply:
        if self._stopping.is_set():
            raise Stopped
        settings = self.settings
        arguments = self._arguments(messages, tools, max_tokens)
        rates = shared(
            settings.url, settings.model, settings.requests_per_minute, settings.tokens_per_minute
        )
        read, written = characters(messages) / 3, min(max_tokens, self._longest)
        guess = read + written
        spent, waited, attempt, renamed = 0.0, 0.0, 0, False
        while True:
            booked = self._turn(rates, guess)
            purse = shared_budget()
            paid = purse.book(settings.model, settings.cost(read, written), guess)
            begun = monotonic()
            try:
                reply = self._paid(arguments, deadline - spent, purse, paid)
            except _OtherLimitError as error:
                if renamed:
                    raise Unanswered(self._refused(400, error.said) + ".") from None
                spent += monotonic() - begun
                arguments[error.instead] = arguments.pop(error.refused)
                self._limit, renamed = error.instead, True
                continue
            except _RefusedError as error:
                reply = Reply(str(error))
            except _PassingError as error:
                spent += monotonic() - begun
                if spent >= deadline:
                    raise LateError(spent, attempt) from None
                pause = self._pause_before(attempt + 1, error.after)
                if attempt >= retries or waited + pause > settings.patience:
                    raise Unanswered(self._gave_up(attempt, error.reason)) from None
                if error.after is not None:
                    rates.close(pause)
                else:
                    self._pause(pause)
                waited += pause
                attempt += 1
                continue
            spent += monotonic() - begun
            if reply.tokens_in is not None and reply.tokens_out is not None:
                rates.correct(booked, reply.tokens_in + reply.tokens_out)
            return replace(reply, seconds=spent, retries=attempt)

    def _paid(
        self, arguments: dict[str, Any], seconds: float, purse: Budget, booked: Booked
    ) -> Reply:
        """The answer to one request, which is paid for. What failed in passing may have cost something too."""
        try:
            reply = read_body(self._send(arguments, seconds))
        except _PassingError as error:
            (purse.release if error.free else lambda one: purse.settle(one, None, None))(booked)
            raise
        except BaseException:
            purse.release(booked)
            raise
        known = reply.tokens_in is not None and reply.tokens_out is not None
        tokens = (reply.tokens_in or 0) + (reply.tokens_out or 0) if known else None
        cost = self.settings.cost(reply.tokens_in or 0, reply.tokens_out or 0) if known else None
        purse.settle(booked, cost, tokens)
        self._longest = max(self._longest, reply.tokens_out or 0)
        return reply

    def _turn(self, rates: Rates, guess: float) -> Spent:
        """Wait until the rates allow a request, however long that takes: they were asked for."""
        while True:
            wait, booked = rates.book(guess)
            if booked is not None:
                return booked
            self._pause(wait)

    def hurry(self) -> None:
        """Wake whoever waits."""
        self._stopping.set()

    def close(self) -> None:
        """Close its connections; a later request opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    # One request

    def _open(self) -> Any:
        if self._client is None:
            try:
                from openai import OpenAI
            except ModuleNotFoundError:
                raise MensuraError(
                    "Language models need the extra models: pip install 'mensura[models]'."
                ) from None
            self._client = OpenAI(
                api_key=self.settings.key(), base_url=self.settings.url, max_retries=0
            )
            # Also when it is forgotten, its connections do not stay open.
            weakref.finalize(self, self._client.close)
        return self._client

    def _arguments(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], max_tokens: int
    ) -> dict[str, Any]:
        settings = self.settings
        given: dict[str, Any] = {
            "model": settings.model,
            "messages": messages,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "seed": settings.seed,
            "reasoning_effort": settings.reasoning_effort,
            self._limit: max_tokens,
        }
        if tools and settings.answer == "json":
            given["response_format"] = response_format(tools[0])
        elif tools:
            named = {"type": "function", "function": {"name": tools[0]["function"]["name"]}}
            choice = named if settings.tool_choice == "function" else settings.tool_choice
            given |= {"tools": list(tools), "tool_choice": choice}
            given["parallel_tool_calls"] = settings.parallel_tool_calls
        given["extra_body"] = settings.body_fields or None
        given["extra_headers"] = settings.header_fields() or None
        return {name: value for name, value in given.items() if value is not None}

    def _send(self, arguments: dict[str, Any], seconds: float) -> bytes:
        """The body of the response, within so many seconds all in all."""
        import openai

        client = self._open()
        until = monotonic() + seconds
        try:
            create = client.chat.completions.with_streaming_response.create
            with create(**arguments, timeout=max(seconds, 0.001)) as response:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > LARGEST_BODY:
                        raise _PassingError(f"it sent over {LARGEST_BODY} bytes")
                    if monotonic() > until:
                        raise _PassingError("it did not come to an end in time")
                return bytes(body)
        except openai.APIStatusError as error:
            raise self._failure(error, arguments) from None
        except openai.APIConnectionError as error:
            raise _PassingError(self._clean(_words(error.__cause__ or error))) from None
        except openai.OpenAIError as error:
            raise _PassingError(self._clean(_words(error))) from None
        except Exception as error:
            if isinstance(error, OSError) or type(error).__module__.startswith(_TRANSPORT):
                raise _PassingError(self._clean(_words(error))) from None
            raise

    def _failure(self, error: Any, arguments: Mapping[str, Any]) -> Exception:
        """What a status says: again later, otherwise, too long, or never."""
        settings, status = self.settings, int(error.status_code)
        body = error.body if isinstance(error.body, dict) else {}
        code = str(body.get("code") or body.get("type") or "")
        said = self._clean(str(body.get("message") or error.message))
        if (status in _PASSING or status >= 500) and code != "insufficient_quota":
            after = _retry_after(error.response.headers)
            return _PassingError(f"status {status}: {said}", after, free=True)
        refused, instead = LIMITS if LIMITS[0] in arguments else LIMITS[::-1]
        if status in (400, 422) and refused in said and (instead in said or _UNKNOWN.search(said)):
            return _OtherLimitError(said, refused, instead)
        if status in (400, 413, 422) and ("context" in code or _TOO_LONG.search(said)):
            return TooLongError()
        # Some services put into an error that the model was not allowed to say anything, or came to nothing in time.
        if status == 400 and ("content_filter" in code or "output limit" in said.lower()):
            return _RefusedError(said)
        where = f"{settings.model} at {settings.host}"
        if status == 401:
            return Unanswered(
                f"The service at {settings.host} does not accept the key in {settings.key_variable} "
                f"(status 401: {said})."
            )
        if status == 403:
            return Unanswered(
                f"The key in {settings.key_variable} may not use {where} (status 403: {said})."
            )
        if status == 404:
            return Unanswered(
                f"There is no model {settings.model!r} at {settings.url} (status 404: {said}); name one that is there, "
                "and the address up to /v1 by base_url."
            )
        unknown = any(word in said.lower() for word in ("tool", "function", "response_format"))
        hint = "; if it knows nothing of the kind, add answer=text" if unknown else ""
        kind = PerhapsTooLongError if status in (400, 413, 422) and not unknown else Unanswered
        return kind(self._refused(status, said) + hint + ".")

    # Waiting

    def _pause_before(self, attempt: int, after: float | None) -> float:
        if after is not None:
            return after
        with self._drawing:
            share = 0.5 + 0.5 * float(self._jitter.random())
        return share * min(FIRST_PAUSE * 2.0 ** (attempt - 1), LONGEST_PAUSE)

    def _pause(self, seconds: float) -> None:
        if self._stopping.wait(seconds):
            raise Stopped

    # Words

    def _refused(self, status: int, said: str) -> str:
        return f"{self.settings.model} at {self.settings.host} refuses the request (status {status}: {said})"

    def _gave_up(self, attempt: int, reason: str) -> str:
        settings = self.settings
        times = "once" if attempt == 0 else f"{attempt + 1} times"
        return f"The service at {settings.host} failed {times} and was not asked again: {reason.rstrip('.')}."

    def _clean(self, text: str) -> str:
        """A text of somebody else's in one line, without anything that is or looks like a key."""
        for secret in self.settings.secrets():
            text = text.replace(secret, "[key]")
        return _KEY_LIKE.sub("[key]", " ".join(text.split()))[:300]


class _PassingError(Exception):
    """A failure that may pass."""

    def __init__(self, reason: str, after: float | None = None, *, free: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.free = free
        """Whether nobody is asked to pay for it: the service refused it before the model was asked."""
        self.after = after


class _OtherLimitError(Exception):
    """The service knows the limit on the length of an answer by its other name only."""

    def __init__(self, said: str, refused: str, instead: str) -> None:
        super().__init__(said)
        self.said = said
        self.refused = refused
        self.instead = instead


class _RefusedError(Exception):
    """The service let the model not answer; that is its answer."""


def read_body(body: bytes) -> Reply:
    """The answer in a response. Whatever is not a chat completion is a failure of the service."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        shown = " ".join(body[:80].decode(errors="replace").split())
        raise _PassingError(f"it answered {shown!r}, which is no JSON") from None
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise _PassingError("it answered without a choice, which is no chat completion")
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details_in, details_out = (
        found if isinstance(found := usage.get(f"{name}_tokens_details"), dict) else {}
        for name in ("prompt", "completion")
    )
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        calls=tuple(_calls(message.get("tool_calls"))),
        cut=choice.get("finish_reason") == "length",
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        tokens_cached=_count(details_in.get("cached_tokens")),
        tokens_reasoning=_count(details_out.get("reasoning_tokens")),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        finish=_word(choice.get("finish_reason")),
        refused=bool(_text(message.get("refusal"))),
        model=_word(data.get("model")),
        fingerprint=_word(data.get("system_fingerprint")),
    )


def _text(content: Any) -> str:
    """The words of a message; some services send them in parts."""
    if isinstance(content, str):
        return _sendable(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return _sendable("".join(part for part in parts if isinstance(part, str)))
    return ""


def _sendable(text: str) -> str:
    """A text with halves of characters written out, which JSON can name and nobody can send."""
    return text.encode("utf-8", "backslashreplace").decode()


def _calls(calls: Any) -> list[tuple[str, str]]:
    found = []
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = function.get("arguments")
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments)
            found.append((_sendable(str(function.get("name"))), _sendable(arguments)))
    return found


def _word(value: Any) -> str | None:
    """A short text as the service sent it, made safe to show."""
    return " ".join(value.split())[:200] if isinstance(value, str) and value.strip() else None


def _count(value: Any) -> int | None:
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return value if fine else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
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


def _words(error: BaseException) -> str:
    """An exception in words."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
