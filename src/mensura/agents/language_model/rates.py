"""Rates: so many requests and so many tokens in any minute, for all who ask the same service from this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from time import monotonic

MINUTE = 60.0


@dataclass
class Spent:
    """What one request took of the rates."""

    when: float
    tokens: float


class Rates:
    """Says when a request may be sent, so that no minute has more of them, or of their tokens, than is allowed."""

    def __init__(
        self,
        requests: float | None = None,
        tokens: float | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """``requests`` and ``tokens`` a minute; as many as one likes where they are None."""
        self.requests = requests
        self.tokens = tokens
        self._clock = clock
        self._lock = Lock()
        self._recent: deque[Spent] = deque()
        self._closed_until = 0.0

    def book(self, tokens: float) -> tuple[float, Spent | None]:
        """Take the right to send a request of about so many tokens: 0 and what was booked, or the seconds to wait.

        A request that is larger than a whole minute allows is sent when nothing else was for a minute.
        """
        with self._lock:
            now = self._clock()
            while self._recent and self._recent[0].when <= now - MINUTE:
                self._recent.popleft()
            wait = max(self._closed_until - now, self._until_fits(now, tokens))
            if wait > 0.0:
                return wait, None
            spent = Spent(now, tokens)
            self._recent.append(spent)
            return 0.0, spent

    def correct(self, spent: Spent, tokens: float) -> None:
        """What a request took, now that it is known."""
        with self._lock:
            spent.tokens = tokens

    def close(self, seconds: float) -> None:
        """The service wants nobody to ask for so long."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _until_fits(self, now: float, tokens: float) -> float:
        count, total = len(self._recent), sum(one.tokens for one in self._recent)
        wait = 0.0
        for one in self._recent:
            full = self.requests is not None and count + 1 > max(self.requests, 1.0)
            heavy = self.tokens is not None and total + tokens > self.tokens and count > 0
            if not full and not heavy:
                break
            wait = one.when + MINUTE - now
            count -= 1
            total -= one.tokens
        return wait


_shared: dict[tuple[str, str, float | None, float | None], Rates] = {}
_sharing = Lock()


def shared(
    service: str, model: str, requests: float | None = None, tokens: float | None = None
) -> Rates:
    """The rates of a model at a service, the same for everybody in this process who names the same."""
    with _sharing:
        return _shared.setdefault((service, model, requests, tokens), Rates(requests, tokens))
