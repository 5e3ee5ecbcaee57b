"""What all services share: a model is asked with patience, at the rates allowed, and never with the key in sight.

The official SDK of a service carries the requests; its own retries are off, since one place has to know how long an
answer may take. That place is :meth:`PatientService.complete`:

- A request may take as long as is left of the deadline of the ask; when that is over, the model is late.
- What fails in passing (no connection, 408, 409, 429, 5xx, a body that breaks off or is no answer) is sent again after
  a pause that doubles, with jitter; ``Retry-After`` is honored, and holds for all sittings at once.
- Pauses and waiting for rates do not count as the model's time. Pauses together are bounded by ``patience``.
- With ``batch``, requests go in batches (:mod:`.batches`). Nobody knows how long the model took over an answer, so no
  time counts as its own, and it is never late.
- What fails for good (401, 403, 404, 400) or does not stop failing is not the model's fault: :class:`Unanswered` ends
  the run with a sentence, and the run can be resumed with nothing asked twice.
"""

from __future__ import annotations

import re
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import Event, Lock
from time import monotonic
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fresh
from mensura.agents.language_model.budget import Booked, Budget
from mensura.agents.language_model.budget import shared as shared_budget
from mensura.agents.language_model.conversation import Message, characters
from mensura.agents.language_model.rates import Rates, Spent, shared
from mensura.agents.language_model.services.batches import UndoneError
from mensura.agents.language_model.services.batches import shared as shared_batches
from mensura.agents.language_model.services.reply import (
    LateError,
    OtherwiseError,
    PassingError,
    PerhapsTooLongError,
    RefusedError,
    Reply,
    TooLongError,
    in_words,
)
from mensura.agents.language_model.settings import Settings
from mensura.core.contract import Stopped
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

_TOO_LONG = re.compile(
    r"context (length|size|window)|maximum (model|prompt) length|(prompt|input|request)s? (is|was|are) too (long|large)"
    r"|too many (input )?tokens|token count.{0,40} exceeds|exceeds the (maximum|limit|model).{0,40}tokens"
    r"|reduce the length of the (messages|prompt|input)|longer than the maximum",
    re.IGNORECASE,
)
"""How services say that a request is longer than the context: OpenAI, Azure, Anthropic, Gemini, Mistral, Bedrock, vLLM,
llama.cpp and others."""

_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][A-Za-z0-9*_\-.]{6,}|\bAIza[A-Za-z0-9_\-]{10,}")


_OF_SDK = ("extra_body", "extra_headers")
"""Arguments of the SDKs that are no fields of a request."""

SECONDS_OF_BATCH = 300.0
"""How long it may take to send a batch, or to get its results."""

SILENCE_OF_BATCH = 60.0
"""How long nothing may come meanwhile."""

LARGEST_RESULTS = 1 << 28
"""Results of a batch of more bytes are none."""


class Told(NamedTuple):
    """What a service says of a failure."""

    status: int
    said: str
    code: str = ""
    after: float | None = None


class PatientService(ABC):
    """A service that is asked with patience; how one request is written, sent and read is left to its wire."""

    needs: str
    """The sentence where its SDK is not installed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._client: Any = None
        self._lock = Lock()
        self._drawing = Lock()
        self._checked = False
        self._longest = 100
        """The tokens of the longest answer so far, by which those of the next one are estimated."""
        self._stopping = Event()
        self._jitter = np.random.Generator(np.random.PCG64(fresh()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Of a copy in another process only the settings are taken along, and no key is in them."""
        return type(self), (self.settings,)

    def __repr__(self) -> str:
        """Which model, and where."""
        return f"{type(self).__name__}({self.settings.model!r} at {self.settings.host})"

    # What a wire says

    @abstractmethod
    def _connected(self) -> Any:
        """A new client of the SDK; ModuleNotFoundError where that is not installed."""

    @abstractmethod
    def _arguments(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], max_tokens: int
    ) -> dict[str, Any]:
        """A request as its SDK takes it."""

    @abstractmethod
    def _answer(self, arguments: dict[str, Any], seconds: float) -> Reply:
        """The answer to one request, within so many seconds all in all; one of the failures where there is none."""

    def _rewritten(self, arguments: dict[str, Any], error: OtherwiseError) -> dict[str, Any]:
        """The same request, as the service wants it."""
        raise Unanswered(self._refused(400, error.said) + ".") from None

    # Asking

    def check(self, tools: Sequence[Mapping[str, Any]]) -> Reply | None:
        """Ask for a few tokens, once: key, address, model and tools are found wrong before anything is played."""
        with self._lock:
            if self._checked:
                return None
            self._open()
            told: list[Message] = [{"role": "user", "content": "Are you there?"}]
            reply = None
            try:
                reply = self._complete(told, tools, SECONDS_TO_CHECK, 16, RETRIES_TO_CHECK, False)
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
        return self._complete(
            messages, tools, deadline, settings.max_tokens, settings.retries, settings.batch
        )

    def _complete(
        self,
        messages: list[Message],
        tools: Sequence[Mapping[str, Any]],
        deadline: float,
        max_tokens: int,
        retries: int,
        batched: bool,
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
        cost = settings.cost if batched else settings.full_cost
        spent, waited, attempt, rewritten = 0.0, 0.0, 0, False

        def own_time(begun: float) -> float:
            """How long the model took; how long it takes over a batch says nothing of it."""
            return 0.0 if batched else monotonic() - begun

        while True:
            booked = self._turn(rates, guess)
            purse = shared_budget()
            paid = purse.book(settings.model, cost(read, written), guess)
            begun = monotonic()
            try:
                reply = self._paid(arguments, None if batched else deadline - spent, purse, paid)
            except OtherwiseError as error:
                if rewritten:
                    raise Unanswered(self._refused(400, error.said) + ".") from None
                spent += own_time(begun)
                arguments, rewritten = self._rewritten(arguments, error), True
                continue
            except RefusedError as error:
                reply = Reply(str(error))
            except PassingError as error:
                spent += own_time(begun)
                if spent >= deadline and not batched:
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
            spent += own_time(begun)
            if reply.tokens_in is not None and reply.tokens_out is not None:
                rates.correct(booked, reply.tokens_in + reply.tokens_out)
            return replace(reply, seconds=spent, retries=attempt)

    def _paid(
        self, arguments: dict[str, Any], seconds: float | None, purse: Budget, booked: Booked
    ) -> Reply:
        """The answer to one request, which is paid for. What failed in passing may have cost something too.

        Without a limit in seconds it comes in a batch.
        """
        try:
            reply = (
                self._answer_in_batch(arguments)
                if seconds is None
                else self._answer(arguments, seconds)
            )
        except PassingError as error:
            (purse.release if error.free else lambda one: purse.settle(one, None, None))(booked)
            raise
        except BaseException:
            purse.release(booked)
            raise
        known = reply.tokens_in is not None and reply.tokens_out is not None
        tokens = (reply.tokens_in or 0) + (reply.tokens_out or 0) if known else None
        priced = self.settings.full_cost if seconds is not None else self.settings.cost
        cost = priced(reply.tokens_in or 0, reply.tokens_out or 0) if known else None
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
        if self.settings.batch:
            shared_batches(self.settings).hurry(self)

    def close(self) -> None:
        """Close its connections; a later request opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    # One request

    def _open(self) -> Any:
        if self._client is None:
            try:
                self._client = self._connected()
            except ModuleNotFoundError:
                raise MensuraError(self.needs) from None
            # Also when it is forgotten, its connections do not stay open.
            weakref.finalize(self, self._client.close)
        return self._client

    def _streamed(
        self,
        sdk: ModuleType,
        response: AbstractContextManager[Any],
        seconds: float,
        largest: int | None = None,
    ) -> tuple[bytes, Mapping[str, str]]:
        """The body of a response and its headers, through an SDK that lets bodies be read as they come."""
        until = monotonic() + seconds
        try:
            with response as opened:
                return read_within(opened.iter_bytes(), until, largest), opened.headers
        except sdk.APIConnectionError as error:
            raise PassingError(self._clean(in_words(error.__cause__ or error))) from None
        except Exception as error:
            self._raise_if_passing(error)
            raise

    def _raise_if_passing(self, error: Exception) -> None:
        """Raise a failure that may pass, where an exception comes from the connection."""
        if isinstance(error, OSError) or type(error).__module__.startswith(_TRANSPORT):
            raise PassingError(self._clean(in_words(error))) from None

    # Batches

    def _answer_in_batch(self, arguments: dict[str, Any]) -> Reply:
        """The answer to one request, when its batch has ended."""
        body = {name: one for name, one in arguments.items() if name not in _OF_SDK}
        claim = shared_batches(self.settings).submit(self, body | arguments.get("extra_body", {}))
        result = claim.wait(self._stopping)
        try:
            return replace(self._read_result(result, arguments), claim=claim)
        except BaseException:
            claim.safe()  # whatever is asked again is another request
            raise

    def send_batch(self, bodies: Mapping[str, Mapping[str, Any]]) -> str:
        """Send requests, each by its name; the id of the batch."""
        raise NotImplementedError

    def batch_results(self, batch: str) -> Mapping[str, Mapping[str, Any]] | None:
        """What came of each request by its name; None while the batch is under way."""
        raise NotImplementedError

    def _read_result(self, result: Mapping[str, Any], arguments: Mapping[str, Any]) -> Reply:
        """The answer in what came of a request in a batch; one of the failures where there is none."""
        raise NotImplementedError

    def _batch_client(self) -> Any:
        """The client for requests about batches, which have the headers of all others."""
        headers = self.settings.header_fields()
        return self._open().with_options(timeout=SILENCE_OF_BATCH, default_headers=headers)

    def _batch_failure(self, told: Told, *, sent: bool) -> Exception:
        """What a status says of a batch: again later, gone, or never."""
        settings = self.settings
        if told.status in (404, 405, 501):
            if sent:
                return UndoneError(PassingError("its batch is not known any more", free=True))
            return Unanswered(
                f"The service at {settings.host} takes no batches (status {told.status}: {told.said}); leave batch out."
            )
        if passes(told.status) and told.code != "insufficient_quota":
            return PassingError(f"status {told.status}: {told.said}", told.after, free=True)
        if told.status in (401, 403):
            return self._final(told.status, told.said)
        return Unanswered(
            f"{settings.model} at {settings.host} refuses a batch (status {told.status}: {told.said})."
        )

    # What a status says

    def _final(self, status: int, said: str, *, where: str = "the address") -> Unanswered:
        """What is said of a status that does not pass, in a sentence."""
        settings = self.settings
        if status == 401:
            return Unanswered(
                f"The service at {settings.host} does not accept the key in {settings.key_name} "
                f"(status 401: {said})."
            )
        if status == 403:
            return Unanswered(
                f"The key in {settings.key_name} may not use {settings.model} at {settings.host} "
                f"(status 403: {said})."
            )
        if status == 404:
            return Unanswered(
                f"There is no model {settings.model!r} at {settings.url} (status 404: {said}); name one that is there, "
                f"and {where} by base_url."
            )
        unknown = any(one in said.lower() for one in ("tool", "function", "response_format"))
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


def read_within(chunks: Iterable[bytes], until: float, largest: int | None = None) -> bytes:
    """A body as it comes, as long as it is not too large and does not take too long."""
    body, most = bytearray(), LARGEST_BODY if largest is None else largest
    for chunk in chunks:
        body += chunk
        if len(body) > most:
            raise PassingError(f"it sent over {most} bytes")
        if monotonic() > until:
            raise PassingError("it did not come to an end in time")
    return bytes(body)


def passes(status: int) -> bool:
    """Whether a failure with this status may pass."""
    return status in _PASSING or status >= 500


def is_too_long(said: str) -> bool:
    """Whether a service says that a request is longer than the context."""
    return _TOO_LONG.search(said) is not None
