"""Requests in batches, which services answer within a day, at about half the price.

Sittings side by side each hand in a request and wait. When as many wait as can be under way at once, or none came for a
while, all that wait go out as one batch. A thread looks after batches, first every second and later every minute, for
as long as somebody waits, and gives everybody the answer to their request.

A batch is noted on disk before anybody waits for it (:mod:`.batch_files`). A request that says the same as one that is
under way and that nobody waits for any more, since its process was killed or its run was stopped, gets the answer to
that one, once, and is not sent. Only what a process was just sending when it was killed, before it knew the id, is paid
for in vain.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import copy
from hashlib import blake2b
from threading import Condition, Event, Lock, Thread
from time import monotonic
from typing import Any, Protocol

from mensura.agents.language_model.services.batch_files import BatchFile, left_behind
from mensura.agents.language_model.services.reply import PassingError
from mensura.agents.language_model.settings import Settings
from mensura.core.contract import Stopped
from mensura.core.players import Unanswered

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
GROWTH = 1.5
"""Seconds before a batch is first looked after, the most between two looks, and by how much pauses grow."""

MOST_REQUESTS = 10_000
MOST_BYTES = 64 << 20
"""What one batch may hold; services take some more."""


class BatchWire(Protocol):
    """How batches are sent to a service, and how it is asked for results."""

    @property
    def settings(self) -> Settings:
        """Of the model that is asked."""

    def send_batch(self, bodies: Mapping[str, Mapping[str, Any]]) -> str:
        """Send requests, each by its name; the id of the batch. One of the failures where it is not taken."""

    def batch_results(self, batch: str) -> Mapping[str, Mapping[str, Any]] | None:
        """What came of each request by its name, as the service says it; None while the batch is under way.

        A batch that came to nothing raises :class:`UndoneError`.
        """


class UndoneError(Exception):
    """A batch came to nothing; why, as the failure that its requests have."""

    def __init__(self, failure: Exception) -> None:
        super().__init__(str(failure))
        self.failure = failure


class Claim:
    """A request on its way through a batch, and who waits for it."""

    def __init__(self, batching: Batching, name: str, body: Mapping[str, Any] | None) -> None:
        self.name = name
        """The hash of what it says, and in a batch also its number there."""
        self.body = body
        self.size = 0
        self.wire: BatchWire | None = None
        """Who waits for it, or has its answer; None: nobody."""
        self.batch: _Batch | None = None
        self.result: Mapping[str, Any] | Exception | None = None
        self.trouble: Exception | None = None
        """Why nobody is to wait for it now."""
        self.ready = Event()
        self._batching = batching

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for its answer."""
        return self.wire is not None and self.result is None

    def wait(self, stopping: Event) -> Mapping[str, Any]:
        """What came of it; a failure, or :class:`Stopped` as soon as ``stopping`` is set and it was woken."""
        if not stopping.is_set():
            self.ready.wait()
        return self._batching.result_of(self)

    def safe(self) -> None:
        """Its answer is safe elsewhere, or of no use."""
        self._batching.forget(self)

    def release(self) -> None:
        """Its answer got lost: whoever asks the same is to have it."""
        self._batching.leave(self)


class _Batch:
    """Requests that are sent together."""

    def __init__(self, claims: Mapping[str, Claim], wire: BatchWire | None, due: float) -> None:
        self.claims = dict(claims)
        """The requests whose answers are not safe yet."""
        self.wire = wire
        self.id = ""
        self.file: BatchFile | None = None
        self.due = due
        """When it is to be sent, or looked after."""
        self.pause = FIRST_PAUSE
        self.busy = False
        """Whether the service is being asked."""
        self.failures = 0
        self.failing_since = 0.0

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for one of its answers."""
        return any(one.is_awaited for one in self.claims.values())


class Batching:
    """All batches of one model at one service, for all sittings of this process."""

    def __init__(self, place: str, clock: Callable[[], float] = monotonic) -> None:
        self.place = place
        self._clock = clock
        self._changed = Condition()
        self._queue: list[Claim] = []
        self._arrived = 0.0
        self._batches: list[_Batch] | None = None
        self._thread: Thread | None = None

    # For those who ask

    def submit(self, wire: BatchWire, body: Mapping[str, Any]) -> Claim:
        """Hand in a request, or take over one that says the same and has nobody who waits for it."""
        text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        name = blake2b(text, digest_size=16).hexdigest()
        with self._changed:
            claim = next((one for one in self._orphans() if _hash(one) == name), None)
            if claim is None:
                claim = Claim(self, name, body)
                claim.size = len(text)
                self._queue.append(claim)
                self._arrived = self._clock()
            elif claim.batch is not None:
                claim.batch.wire = wire
            claim.wire = wire
            if self._thread is None:
                self._thread = Thread(target=self._work, name="batches", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            return claim

    def hurry(self, wire: BatchWire) -> None:
        """Wake those who wait through this wire."""
        with self._changed:
            for claim in (*self._queue, *self._claims()):
                if claim.wire is wire:
                    claim.ready.set()

    def result_of(self, claim: Claim) -> Mapping[str, Any]:
        """What came of a request that was waited for."""
        with self._changed:
            result, trouble = claim.result, claim.trouble
            if result is None:
                self.leave(claim)
                raise copy(trouble) if trouble is not None else Stopped()
            if isinstance(result, Exception):
                self.forget(claim)
                raise copy(result)
            return result

    def leave(self, claim: Claim) -> None:
        """Nobody waits for a request any longer. What is being sent has its id before this returns."""
        with self._changed:
            if claim.batch is None:
                self._queue.remove(claim)
                return
            while claim.batch.busy and not claim.batch.id:
                self._changed.wait()
            claim.wire, claim.trouble = None, None
            if claim.result is None:
                claim.ready.clear()
            elif isinstance(
                claim.result, Exception
            ):  # it was not taken: nobody is to find that instead of an answer
                self.forget(claim)

    def forget(self, claim: Claim) -> None:
        """A request is over."""
        with self._changed:
            batch = claim.batch
            if batch is None or batch.claims.pop(claim.name, None) is None:
                return
            if batch.file is not None:
                batch.file.safe(claim.name)
            if not batch.claims:
                self._known().remove(batch)

    # What is known

    def _known(self) -> list[_Batch]:
        """The batches under way, at first those that others left behind."""
        if self._batches is None:
            self._batches = []
            for file in left_behind(self.place):
                claims = {name: Claim(self, name, None) for name in file.open_items}
                batch = _Batch(claims, None, self._clock())
                batch.id, batch.file = file.batch, file
                for claim in claims.values():
                    claim.batch = batch
                self._batches.append(batch)
        return self._batches

    def _claims(self) -> list[Claim]:
        return [claim for batch in self._known() for claim in batch.claims.values()]

    def _orphans(self) -> list[Claim]:
        return [claim for claim in self._claims() if claim.wire is None]

    # The thread

    def _work(self) -> None:
        while True:
            with self._changed:
                while (batch := self._due()) is None:
                    pause = self._until_due()
                    if pause is None:
                        self._thread = None
                        return
                    self._changed.wait(pause)
                batch.busy = True
            try:
                self._tend(batch)
            except Exception as error:
                self._fail(batch, error)
            finally:
                with self._changed:
                    batch.busy = False
                    self._changed.notify_all()

    def _awaited(self) -> list[_Batch]:
        return [batch for batch in self._known() if batch.is_awaited]

    def _until_due(self) -> float | None:
        """The seconds until there is something to do; None where nobody waits for anything."""
        times = [batch.due for batch in self._awaited()]
        if self._queue:
            times.append(self._queue_due())
        return max(min(times) - self._clock(), 0.0) if times else None

    def _queue_due(self) -> float:
        """When those who wait are to be sent: at once where nobody else can come, else when nobody came for a while."""
        settings = self._settings(self._queue[0])
        waiting = len(self._queue) + sum(one.is_awaited for one in self._claims())
        full = waiting >= settings.concurrency or len(self._queue) >= MOST_REQUESTS
        if full or sum(one.size for one in self._queue) >= MOST_BYTES:
            return self._arrived
        return self._arrived + settings.batch_wait

    def _due(self) -> _Batch | None:
        """The batch that is to be sent or looked after now."""
        now = self._clock()
        if self._queue and self._queue_due() <= now:
            self._send_off(now)
        return next((batch for batch in self._awaited() if batch.due <= now), None)

    def _send_off(self, now: float) -> None:
        """Make a batch of those who wait, as many as fit."""
        claims: dict[str, Claim] = {}
        size, wire = 0, self._queue[0].wire
        while self._queue and len(claims) < MOST_REQUESTS:
            size += self._queue[0].size
            if claims and size > MOST_BYTES:
                break
            claim = self._queue.pop(0)
            # Two requests may say the same.
            claim.name = f"{claim.name}-{len(claims)}"
            claims[claim.name] = claim
        batch = _Batch(claims, wire, now)
        for claim in claims.values():
            claim.batch = batch
        self._known().append(batch)

    def _tend(self, batch: _Batch) -> None:
        """Send a batch, or look after it."""
        assert batch.wire is not None
        settings = batch.wire.settings
        try:
            if not batch.id:
                self._send(batch, batch.wire)
            else:
                results = batch.wire.batch_results(batch.id)
                if results is not None:
                    self._deliver(batch, results)
        except UndoneError as error:
            self._end(batch, error.failure)
            return
        except PassingError as error:
            now = self._clock()
            batch.failing_since = batch.failing_since if batch.failures else now
            batch.failures += 1
            pause = batch.pause if error.after is None else error.after
            too_long = now + pause - batch.failing_since > settings.patience
            if batch.failures > settings.retries or too_long:
                times = "once" if batch.failures == 1 else f"{batch.failures} times"
                reason = error.reason.rstrip(".")
                failure = Unanswered(
                    f"The service at {settings.host} failed {times} and was not asked again: {reason}."
                )
                self._fail(batch, failure)
                return
        except Unanswered as error:
            self._fail(batch, error)
            return
        else:
            pause, batch.failures = batch.pause, 0
        batch.pause = min(batch.pause * GROWTH, LONGEST_PAUSE)
        batch.due = self._clock() + pause

    def _send(self, batch: _Batch, wire: BatchWire) -> None:
        if batch.file is None:
            batch.file = BatchFile.prepared(self.place, batch.claims)
        given = wire.send_batch(
            {name: one.body for name, one in batch.claims.items() if one.body is not None}
        )
        batch.file.sent(given)
        with self._changed:
            batch.id, batch.pause = given, FIRST_PAUSE
            for claim in batch.claims.values():
                claim.body = None

    def _deliver(self, batch: _Batch, results: Mapping[str, Mapping[str, Any]]) -> None:
        """Everybody gets what came of their request."""
        with self._changed:
            for name, claim in batch.claims.items():
                claim.result = results.get(name, {})
                claim.ready.set()

    def _fail(self, batch: _Batch, failure: Exception) -> None:
        """A service does not take a batch, or does not tell what became of it."""
        (self._give_up if batch.id else self._end)(batch, failure)

    def _end(self, batch: _Batch, failure: Exception) -> None:
        """A batch came to nothing; who waits for it is told, and nobody else will."""
        with self._changed:
            for claim in list(batch.claims.values()):
                if claim.wire is None:
                    self.forget(claim)
                claim.result = failure
                claim.ready.set()

    def _give_up(self, batch: _Batch, failure: Exception) -> None:
        """Nothing can be learned of a batch now; who waits for it is told, and who comes again may have it."""
        with self._changed:
            batch.failures, batch.pause = 0, FIRST_PAUSE
            for claim in batch.claims.values():
                if claim.wire is not None:
                    claim.trouble = failure
                    claim.ready.set()

    @staticmethod
    def _settings(claim: Claim) -> Settings:
        assert claim.wire is not None
        return claim.wire.settings


def _hash(claim: Claim) -> str:
    return claim.name.partition("-")[0]


_shared: dict[str, Batching] = {}
_sharing = Lock()


def shared(settings: Settings) -> Batching:
    """The batches of a model at a service, the same for everybody in this process who names the same."""
    named = [settings.scheme, settings.url, settings.model, settings.key_name, settings.headers]
    place = blake2b(json.dumps(named).encode(), digest_size=8).hexdigest()
    with _sharing:
        return _shared.setdefault(place, Batching(place))
